"""Facts that riichi rules look at: riichi, dora, identical chows, special hands, fu (RIICHI 1 and 2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from analysis.facts.registry import FACTS, Column, Fact, Facts, hand_fact, reading_fact
from analysis.facts.shape import pung_kinds
from analysis.readings import FORM_ORPHANS, FORM_SEVEN_PAIRS, FORM_STANDARD, FORM_UNCONNECTED, KEYS, MELDS, Block
from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import CHOW_BITS, ROLE_CLOSED, ROLE_EDGE, ROLE_PAIR, ROLE_PUNG, ROLE_TWO_SIDED
from ingest.record import DORA, REPLACEMENTS, RIICHI, ROBBED, URA
from ingest.tiles import N_KINDS

_U8 = np.uint8
_CHOW_STARTS = sum(1 << (3 * i) for i in range(7))
_GREEN = (19, 20, 21, 23, 25, 32)
_TERMINALS_OF_SUIT = (0, 8)
_NORTH = 30


@reading_fact
def seven_pairs_form(_facts: Facts, block: Block) -> Column:
    """Seven different pairs."""
    return block.form == FORM_SEVEN_PAIRS


@reading_fact
def orphans_form(_facts: Facts, block: Block) -> Column:
    """One of each terminal and honour, and one of them twice."""
    return block.form == FORM_ORPHANS


@reading_fact
def unconnected_form(_facts: Facts, block: Block) -> Column:
    """A pair and twelve single tiles, no two of a suit within distance 2."""
    return block.form == FORM_UNCONNECTED


@reading_fact
def two_sided_wait(_facts: Facts, block: Block) -> Column:
    """The winning tile completes a chow at one end, the other end open."""
    return (block.role == ROLE_TWO_SIDED) & (block.form == FORM_STANDARD)


@reading_fact
def pair_wait(_facts: Facts, block: Block) -> Column:
    """The winning tile completes the pair."""
    return (block.role == ROLE_PAIR) & (block.form == FORM_STANDARD)


@reading_fact
def chow_couples(_facts: Facts, block: Block) -> Column:
    """Couples of identical chows in the concealed part; four identical chows are two couples."""
    couples = np.zeros(block.n, np.uint8)
    for suit in range(3):
        counts = block.chow_counts(suit)
        couples += np.bitwise_count((counts >> 1) & _CHOW_STARTS).astype(_U8)
        couples += np.bitwise_count((counts >> 2) & _CHOW_STARTS).astype(_U8) * _U8(2)
    couples[block.form != FORM_STANDARD] = 0
    return couples


@reading_fact
def same_chows(facts: Facts, block: Block) -> Column:
    """The most often a chow of one suit repeats, melds included: 1 to 4."""
    most = np.zeros(block.n, np.uint8)
    for suit in range(3):
        counts = block.chow_counts(suit) + block.spread(_melded_chow_counts(facts, suit))
        for start in range(7):
            most = np.maximum(most, ((counts >> (3 * start)) & 7).astype(_U8))
    return np.where(block.form == FORM_STANDARD, most, _U8(0))


def _melded_chow_counts(facts: Facts, suit: int) -> Column:
    """Melded chows of a suit, as Block.chow_counts."""
    table = (meld_tables().chows >> (21 * suit)) & CHOW_BITS
    total = np.zeros(facts.batch.n, np.int64)
    for name in MELDS:
        total += table[facts.batch.column(name)]
    return total


@reading_fact
def pungs_in_a_row(facts: Facts, block: Block) -> Column:
    """The longest run of pungs of one suit with neighbouring numbers."""
    longest = np.zeros(block.n, np.uint8)
    rows = np.flatnonzero((facts.of_block("n_pungs", block) > 0) & (block.form == FORM_STANDARD))
    pungs = pung_kinds(facts, block, rows)
    for suit in range(3):
        mine = (pungs >> (9 * suit)) & 511
        run = mine
        for length in range(1, 5):
            longest[rows] = np.maximum(longest[rows], (run != 0).view(_U8) * _U8(length))
            run = run & (mine >> length)
    return longest


@reading_fact
def pair_of_seat_wind(facts: Facts, block: Block) -> Column:
    """The pair is the own wind."""
    return facts.of_block("honor_pair", block) == facts.of_block("seat_by_dealer", block) + _U8(1)


@reading_fact
def pair_of_round_wind(facts: Facts, block: Block) -> Column:
    """The pair is the round wind."""
    return facts.of_block("honor_pair", block) == facts.of_block("round_wind", block) + _U8(1)


def _dragon(name: str, bit: int, tile: str) -> None:
    def compute(facts: Facts, block: Block) -> Column:
        return ((facts.of_block("honor_pungs", block) >> _U8(bit)) & _U8(1)) != 0

    FACTS[name] = Fact(name, f"Pung or kong of {tile}.", True, compute)


_dragon("pung_of_c", 4, "中")
_dragon("pung_of_f", 5, "發")
_dragon("pung_of_p", 6, "白")
_dragon("pung_of_n", 3, "北")


@reading_fact
def five_types(facts: Facts, block: Block) -> Column:
    """Characters, dots, bamboos, winds and dragons each make one set or the pair."""
    winds = (facts.of_block("wind_pungs", block) + facts.of_block("wind_pair", block).view(_U8)) == 1
    dragons = (facts.of_block("dragon_pungs", block) + facts.of_block("dragon_pair", block).view(_U8)) == 1
    return (facts.of_block("suits", block) == 3) & winds & dragons & (block.form == FORM_STANDARD)


@hand_fact
def kongs(facts: Facts) -> Column:
    """Kongs of every kind."""
    return facts.hand("exposed_kongs") + facts.hand("concealed_kongs")


@hand_fact
def no_melds(facts: Facts) -> Column:
    """No meld at all, no concealed kong either."""
    return facts.readings.n_melds == 0


def _one_suit_rows(facts: Facts) -> Any:
    return np.flatnonzero((facts.hand("suits") == 1) & ~facts.hand("honors") & facts.hand("no_melds"))


def _nine_gates(facts: Facts, *, before_win: bool) -> Column:
    """Nine gates is looked for by the tiles alone: it is rare, and any reading of it is complete."""
    found = np.zeros(facts.batch.n, bool)
    rows = _one_suit_rows(facts)
    counts = facts.readings.counts(rows)
    tile = facts.readings.win_tile[rows]
    if before_win:
        counts[np.arange(len(rows)), tile] -= 1
    suit = np.minimum(tile // 9, 2)
    own = np.take_along_axis(counts[:, :27].reshape(-1, 3, 9), suit[:, None, None].astype(np.intp), 1)[:, 0]
    gates = np.array([3, 1, 1, 1, 1, 1, 1, 1, 3])
    found[rows] = (own == gates).all(1) if before_win else (own >= gates).all(1)
    return found


@hand_fact
def nine_gates(facts: Facts) -> Column:
    """1112345678999 of one suit and one more tile of it, no meld."""
    return _nine_gates(facts, before_win=False)


@hand_fact
def pure_nine_gates(facts: Facts) -> Column:
    """The thirteen tiles before the win were 1112345678999."""
    return _nine_gates(facts, before_win=True)


@hand_fact
def all_green(facts: Facts) -> Column:
    """Only 2 3 4 6 8 of bamboo and 發."""
    found = np.zeros(facts.batch.n, bool)
    bamboo = (facts.batch.column("km") == 0) & (facts.batch.column("kp") == 0)
    rows = np.flatnonzero(bamboo & (facts.hand("suits") <= 1) & ~facts.hand("terminals"))
    counts = _all_counts(facts, rows)
    others = np.ones(34, bool)
    others[list(_GREEN)] = False
    found[rows] = (counts[:, others] == 0).all(1)
    return found


@hand_fact
def has_green_dragon(facts: Facts) -> Column:
    """There is a 發."""
    key = facts.batch.column("kh")
    melded = ((facts.readings.meld_byte(5) >> _U8(5)) & _U8(1)) != 0
    return ((key // np.uint32(100_000)) % np.uint32(10) != 0) | melded


def _two_to_eight_twice(suit: int, name: str) -> None:
    def compute(facts: Facts) -> Column:
        wanted = np.uint32(22222220)
        return (facts.batch.column(KEYS[suit]) == wanted) & facts.hand("no_melds")

    FACTS[name] = Fact(name, f"22334455667788{'mps'[suit]}, concealed.", False, compute)


_two_to_eight_twice(0, "two_to_eight_characters")
_two_to_eight_twice(1, "two_to_eight_dots")
_two_to_eight_twice(2, "two_to_eight_bamboos")


@reading_fact
def orphans_thirteen_waits(facts: Facts, block: Block) -> Column:
    """The thirteen tiles before the win were the thirteen orphans."""
    found = np.zeros(block.n, bool)
    rows = np.flatnonzero(block.form == FORM_ORPHANS)
    hands = block.hands(rows)
    found[rows] = facts.readings.counts(hands)[np.arange(len(hands)), facts.readings.win_tile[hands]] == 2
    return found


@hand_fact
def riichi_declared(facts: Facts) -> Column:
    """Riichi or double riichi."""
    return facts.batch.column("riichi") != 0


@hand_fact
def double_riichi_declared(facts: Facts) -> Column:
    """Double riichi."""
    return facts.batch.column("riichi") == RIICHI.index("double_riichi")


@hand_fact
def one_shot(facts: Facts) -> Column:
    """Won within one uninterrupted turn of riichi."""
    return facts.batch.column("ippatsu").view(bool)


@hand_fact
def replacement_kong(facts: Facts) -> Column:
    """The winning tile replaced a kong tile."""
    replacement = facts.batch.column("replacement")
    return (replacement >= REPLACEMENTS.index("kong_added")) & (replacement <= REPLACEMENTS.index("kong_open"))


@hand_fact
def replacement_kita(facts: Facts) -> Column:
    """The winning tile replaced an extracted north."""
    return facts.batch.column("replacement") == REPLACEMENTS.index("kita")


@hand_fact
def robbed_kita(facts: Facts) -> Column:
    """The winning tile is an extracted north of another player."""
    return facts.hand("on_robbed_kong") & (facts.batch.column("robbed") == ROBBED.index("kita"))


@hand_fact
def robbed_concealed_kong(facts: Facts) -> Column:
    """The winning tile is of a concealed kong of another player."""
    return facts.hand("on_robbed_kong") & (facts.batch.column("robbed") == ROBBED.index("kong_concealed"))


@hand_fact
def payer_in_riichi(facts: Facts) -> Column:
    """The payer was in riichi."""
    return facts.batch.column("payer_in_riichi").view(bool)


@hand_fact
def declaration_tile(facts: Facts) -> Column:
    """Won on the payer's riichi declaration tile."""
    return facts.batch.column("declaration_tile").view(bool)


@hand_fact
def discard_after_kong(facts: Facts) -> Column:
    """Won on the discard right after a kong of the payer."""
    return facts.batch.column("discard_after_kong").view(bool)


@hand_fact
def dealer_wins(facts: Facts) -> Column:
    """Hands in a row that the dealer has won, this one included."""
    return facts.batch.column("dealer_wins")


@hand_fact
def win_tile_1p(facts: Facts) -> Column:
    """Won on 1p."""
    return facts.batch.column("win_tile") == 9


@hand_fact
def win_tile_9p(facts: Facts) -> Column:
    """Won on 9p."""
    return facts.batch.column("win_tile") == 17


@hand_fact
def norths(facts: Facts) -> Column:
    """Extracted norths."""
    return facts.batch.column("norths")


def _reds(name: str, shift: int, text: str) -> None:
    def compute(facts: Facts) -> Column:
        return (facts.batch.column("reds") >> _U8(shift)) & _U8(3)

    FACTS[name] = Fact(name, text, False, compute)


_reds("red_characters", 0, "Red fives of characters.")
_reds("red_dots", 2, "Red fives of dots.")
_reds("red_bamboos", 4, "Red fives of bamboos.")


@lru_cache
def _indicated(three_players: bool) -> Any:
    """Kind that each indicator shows (RIICHI 2.6)."""
    shown = np.zeros(N_KINDS, np.uint8)
    for kind in range(27):
        shown[kind] = kind + 1 if kind % 9 < 8 else kind - 8
    for cycle in ((27, 28, 29, 30), (33, 32, 31)):
        for kind, following in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            shown[kind] = following
    if three_players:
        shown[0], shown[8] = 8, 0
    return shown


def _all_counts(facts: Facts, rows: Any) -> Any:
    """Counts of the 34 kinds, melds included, (len(rows), 34)."""
    counts = facts.readings.counts(rows)
    octal = meld_tables().octal
    for name in MELDS:
        codes = facts.batch.column(name)[rows]
        for suit in range(4):
            packed = octal[suit, codes]
            for rank in range(7 if suit == 3 else 9):
                counts[:, 9 * suit + rank] += ((packed >> (3 * rank)) & 7).astype(_U8)
    return counts


_POW10 = (10 ** np.arange(9)).astype(np.uint32)
_KINDS = np.arange(N_KINDS)
_SUIT = np.minimum(_KINDS // 9, 3)
_PLACE = _POW10[_KINDS - 9 * _SUIT]
_OCTAL_SHIFT = 3 * (_KINDS - 9 * _SUIT)


@hand_fact
def _all_keys(facts: Facts) -> Column:
    return np.concatenate([facts.batch.column(name) for name in KEYS])


def _held(facts: Facts, rows: Any, kind: Any) -> Any:
    """How many of the given kind each of the given hands holds, melds and extracted norths included."""
    suit = _SUIT[kind]
    key = facts.hand("_all_keys")[suit * facts.batch.n + rows]
    count = (key // _PLACE[kind] % np.uint32(10)).astype(_U8)
    octal = meld_tables().octal
    melded = np.arange(len(rows))
    for name in MELDS:
        codes = facts.batch.column(name)[rows[melded]]
        some = np.flatnonzero(codes != 0)
        if len(some) == 0:
            break
        # Melds are packed to the front: who has none here has none further on.
        melded, codes = melded[some], codes[some]
        count[melded] += ((octal[suit[melded], codes] >> _OCTAL_SHIFT[kind[melded]]) & 7).astype(_U8)
    norths = facts.batch.column("norths")
    if norths.any():
        count += (kind == _NORTH).view(_U8) * norths[rows]
    return count


def _dora(facts: Facts, columns: tuple[str, ...]) -> Column:
    """Copies of the tiles that the indicators show, each indicator for itself; ura for a riichi winner only."""
    three = facts.batch.column("n_players") == 3
    some_three = three.any()
    total = np.zeros(facts.batch.n, np.uint8)
    for name in columns:
        indicator = facts.batch.column(name)
        there = indicator < N_KINDS
        rows = np.flatnonzero(there & facts.hand("riichi_declared") if name in URA else there)
        if len(rows) == 0:
            break
        kind = _indicated(False)[indicator[rows]]
        if some_three:
            kind = np.where(three[rows], _indicated(True)[indicator[rows]], kind)
        total[rows] += _held(facts, rows, kind)
    return total


@hand_fact
def dora_first(facts: Facts) -> Column:
    """Dora of the first indicator."""
    return _dora(facts, DORA[:1])


@hand_fact
def dora_later(facts: Facts) -> Column:
    """Dora of the indicators turned for kongs."""
    return _dora(facts, DORA[1:])


@hand_fact
def ura_first(facts: Facts) -> Column:
    """Ura dora of the first indicator; only a riichi winner has them."""
    return _dora(facts, URA[:1])


@hand_fact
def ura_later(facts: Facts) -> Column:
    """Ura dora under the indicators turned for kongs; only a riichi winner has them."""
    return _dora(facts, URA[1:])


@reading_fact
def fu_of_sets(facts: Facts, block: Block) -> Column:
    """Fu of pungs and kongs (RIICHI 2.3); a pung that another player's tile completed counts as open."""
    pungs = block.pungs_inner & _U8(7)
    outer = block.shape_byte(5) & _U8(7)
    tile = block.spread(facts.readings.win_tile)
    completed = (block.role == ROLE_PUNG) & ~facts.of_block("self_drawn", block)
    outer_tile = (tile >= 27) | np.isin(tile % 9, _TERMINALS_OF_SUIT)
    fu = (pungs + outer) * _U8(4) + block.spread(facts.readings.meld_byte(7))
    return fu - completed.view(_U8) * (_U8(2) + outer_tile.view(_U8) * _U8(2))


@reading_fact
def fu_of_wait(_facts: Facts, block: Block) -> Column:
    """Two fu for a closed, edge or pair wait."""
    return ((block.role & _U8(ROLE_EDGE | ROLE_CLOSED | ROLE_PAIR)) != 0).view(_U8) * _U8(2)
