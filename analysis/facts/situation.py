"""Facts of the situation: how the win came about, winds, flowers and declarations."""

from __future__ import annotations

import numpy as np

from analysis.facts.registry import FACTS, Column, Fact, Facts, hand_fact, reading_fact
from analysis.readings import Block
from ingest.record import READY, REPLACEMENTS, WIN_KINDS

_U8 = np.uint8
_FLOWERS = np.arange(256, dtype=np.uint8)
_COUNT = np.bitwise_count(_FLOWERS)
_OWN = np.array([[int(f) & (0b10001 << seat) for f in _FLOWERS] for seat in range(4)], np.uint8)
_OWN_COUNT = np.bitwise_count(_OWN)
_SETS = ((_FLOWERS & 15) == 15).astype(np.uint8) + ((_FLOWERS & 240) == 240).astype(np.uint8)
_IN_FULL_SETS = np.where((_FLOWERS & 15) == 15, 15, 0) | np.where((_FLOWERS & 240) == 240, 240, 0)
_OWN_NOT_IN_SETS = np.bitwise_count(_OWN & ~_IN_FULL_SETS.astype(np.uint8))


def _is(facts: Facts, column: str, names: tuple[str, ...], name: str) -> Column:
    return facts.batch.column(column) == names.index(name)


@hand_fact
def self_drawn(facts: Facts) -> Column:
    """The winner drew the winning tile; flower wins count as drawn (SPEC 2.7)."""
    return facts.readings.self_drawn


@hand_fact
def on_discard(facts: Facts) -> Column:
    """Won on a discard."""
    return _is(facts, "win_kind", WIN_KINDS, "discard")


@hand_fact
def on_robbed_kong(facts: Facts) -> Column:
    """Won on the tile of another player's kong, in riichi also on an extracted north."""
    return _is(facts, "win_kind", WIN_KINDS, "rob_kong")


@hand_fact
def flower_win(facts: Facts) -> Column:
    """Eight flowers or seven robs one (SPEC 2.7)."""
    return facts.batch.column("win_kind") >= WIN_KINDS.index("eight_flowers")


@hand_fact
def is_dealer(facts: Facts) -> Column:
    """The winner is the dealer."""
    return facts.batch.column("winner") == facts.batch.column("dealer")


def _relative(facts: Facts, reference: Column) -> Column:
    ahead = (facts.batch.column("winner") - reference) & _U8(3)
    # Of three players the seat after the last one is seat 0: one less where the count wraps round.
    wraps = (facts.batch.column("n_players") == 3) & (facts.batch.column("winner") < reference)
    return ahead - wraps.view(_U8)


@hand_fact
def seat_by_dealer(facts: Facts) -> Column:
    """Seat wind counted from the dealer, 0-3 = E S W N."""
    return _relative(facts, facts.batch.column("dealer"))


@hand_fact
def seat_by_door(facts: Facts) -> Column:
    """Seat wind counted from the door (開門), 0-3 = E S W N; from the dealer where the log has no door."""
    batch = facts.batch
    unknown = batch.unknown("door")
    door = batch.column("door")
    return _relative(facts, door if unknown is None else np.where(unknown, batch.column("dealer"), door))


def _wind_pung(seat: str, name: str, text: str) -> None:
    def compute(facts: Facts, block: Block) -> Column:
        pungs = facts.of_block("honor_pungs", block)
        return ((pungs >> facts.of_block(seat, block)) & _U8(1)) != 0

    FACTS[name] = Fact(name, text, True, compute)


_wind_pung("seat_by_dealer", "seat_pung_by_dealer", "Pung of the own wind, counted from the dealer.")
_wind_pung("seat_by_door", "seat_pung_by_door", "Pung of the own wind, counted from the door.")
_wind_pung("round_wind", "round_pung", "Pung of the round wind.")


@hand_fact
def round_wind(facts: Facts) -> Column:
    """Round wind, 0-3 = E S W N."""
    return facts.batch.column("round_wind")


@reading_fact
def round_dragon_pung(facts: Facts, block: Block) -> Column:
    """Pung of the dragon numbered like the round: East 中, South 發, West 白, North none (A12)."""
    pungs = facts.of_block("honor_pungs", block)
    # Bits 4-6 are 中 發 白; the North round would look at bit 7, which is never set.
    return ((pungs >> (facts.of_block("round_wind", block) + _U8(4))) & _U8(1)) != 0


def _flag(column: str, text: str) -> None:
    def compute(facts: Facts) -> Column:
        return facts.batch.column(column).view(bool)

    FACTS[column] = Fact(column, text, False, compute)


_flag("last_tile", "Won on the last drawable tile, or on the discard after it.")
_flag("ready_open", "Declared ready with the tiles shown.")
_flag("ready_first_turn", "Won on a player's first discard after the declaration or on the own next draw.")
_flag("heavenly", "Dealt a complete hand.")
_flag("heavenly_after_kong", "Complete after concealed kongs before the first discard.")
_flag("first_draw", "Won on the own first draw.")
_flag("first_draw_after_kong", "As first_draw, after concealed kongs.")
_flag("before_first_draw", "Won before the own first draw.")
_flag("discarder_first_discard", "Won on the payer's first discard.")
_flag("no_calls", "No chow, pung or kong by anyone before.")
_flag("miji", "Miji (咪幾) was declared.")
_flag("initial_flowers", "The flower win came from the deal.")


@hand_fact
def ready(facts: Facts) -> Column:
    """Ready was declared."""
    return facts.batch.column("ready") != 0


@hand_fact
def ready_initial(facts: Facts) -> Column:
    """Ready was declared right after the deal (天聽)."""
    return _is(facts, "ready", READY, "initial")


@hand_fact
def ready_first_discard(facts: Facts) -> Column:
    """Ready was declared with the own first discard (地聽)."""
    return _is(facts, "ready", READY, "first_discard")


@hand_fact
def replacement(facts: Facts) -> Column:
    """The winning tile replaced a flower or kong tile. In a flower win it always did (SPEC 2.7)."""
    return (facts.batch.column("replacement") != 0) | facts.hand("flower_win")


@hand_fact
def replacement_open_kong(facts: Facts) -> Column:
    """The winning tile replaced an open kong's tile."""
    return _is(facts, "replacement", REPLACEMENTS, "kong_open")


@hand_fact
def has_flowers(facts: Facts) -> Column:
    """Holds a flower."""
    return facts.batch.column("flowers") != 0


@hand_fact
def all_flowers(facts: Facts) -> Column:
    """Holds all eight flowers."""
    return facts.batch.column("flowers") == 255


@hand_fact
def flowers(facts: Facts) -> Column:
    """Number of flowers."""
    return _COUNT[facts.batch.column("flowers")]


@hand_fact
def flower_sets(facts: Facts) -> Column:
    """Complete sets 春夏秋冬 and 梅蘭菊竹."""
    return _SETS[facts.batch.column("flowers")]


def _own_flowers(seat: str, name: str, table: Column, text: str) -> None:
    def compute(facts: Facts) -> Column:
        return table.reshape(-1)[(facts.hand(seat).astype(np.uint16) << np.uint16(8)) + facts.batch.column("flowers")]

    FACTS[name] = Fact(name, text, False, compute)


_own_flowers("seat_by_dealer", "own_flowers_by_dealer", _OWN_COUNT, "Own flowers, seat counted from the dealer.")
_own_flowers("seat_by_door", "own_flowers_by_door", _OWN_COUNT, "Own flowers, seat counted from the door.")
_own_flowers(
    "seat_by_dealer",
    "own_loose_flowers_by_dealer",
    _OWN_NOT_IN_SETS,
    "Own flowers outside complete sets, seat from the dealer.",
)
_own_flowers(
    "seat_by_door",
    "own_loose_flowers_by_door",
    _OWN_NOT_IN_SETS,
    "Own flowers outside complete sets, seat from the door.",
)


@hand_fact
def eight_flowers_win(facts: Facts) -> Column:
    """Won with all eight flowers."""
    return _is(facts, "win_kind", WIN_KINDS, "eight_flowers")


@hand_fact
def seven_robs_one_win(facts: Facts) -> Column:
    """Seven flowers and the last one of another player."""
    return _is(facts, "win_kind", WIN_KINDS, "seven_robs_one")
