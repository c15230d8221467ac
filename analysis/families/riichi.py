"""What only riichi has: fu, limits, dora beside the yaku, honba and deposits, liability (RIICHI section 2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.batch import NO_TILE, NONE_SEAT, HandBatch
from analysis.facts import Facts
from analysis.readings import FORM_NONE, FORM_SEVEN_PAIRS, FORM_UNCONNECTED, KEYS, MELDS, Readings
from analysis.rules.preset import Preset
from analysis.score import BatchScorer, Bill, Items, PresetPlan, Scores, Term
from ingest.record import DORA, REPLACEMENTS, URA, WIN_KINDS

REASONS: Final = (
    "",
    "not_a_winning_shape",
    "no_yaku",
    "head_bump",
    "triple_ron",
    "other_number_of_players",
    "no_red_fives_in_the_log",
    "no_ura_in_the_log",
    "no_kita_in_the_log",
    "concealed_kong_robbed",
)
OUTCOMES: Final = ("ok", "no_win", "no_yaku", "removed", "removed", *["not_rescorable"] * 5)
"""The outcome that goes with each reason (RIICHI 2.14)."""
LIMITS: Final = ("", "mangan", "haneman", "baiman", "sanbaiman", "yakuman")
_LIMIT_BASES: Final = (2000, 3000, 4000, 6000, 8000)
"""Base value of each limit but the first (RIICHI 2.5)."""

COLUMNS: Final = (
    *KEYS,
    *MELDS,
    "win_tile",
    "winner",
    "payer",
    "win_kind",
    "win_no",
    "dealer",
    "streak",
    "round_wind",
    "replacement",
    "last_tile",
    "ready_open",
    "heavenly",
    "first_draw",
    "before_first_draw",
    "no_calls",
    "n_players",
    "n_winners",
    "riichi",
    "ippatsu",
    "payer_in_riichi",
    "declaration_tile",
    "discard_after_kong",
    "dealer_wins",
    "robbed",
    *DORA,
    *URA,
    "reds",
    "norths",
    "sticks",
    "own_stick",
    "winners_sticks",
    "liable_dragons",
    "liable_winds",
    "liable_kongs",
    "kong_feeder",
)
"""Columns of `wins` that this family looks at."""

_SELF_DRAW: Final = WIN_KINDS.index("self_draw")
_LIABLE_COLUMN: Final = {"daisangen": "liable_dragons", "daisuushii": "liable_winds", "suukantsu": "liable_kongs"}
_YAKUMAN_HAN: Final = 13
_EIGHT_WINS: Final = 8
"""Hands in a row that the dealer wins for paarenchan (RIICHI 1.5)."""
_LARGEST_HAN: Final = 127
_LARGEST_FU: Final = 200
_STICK: Final = 1000

I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


def readings(batch: HandBatch, presets: Sequence[Preset]) -> Readings:
    """Readings with the wait told apart: fu needs it."""
    unconnected = any("shiisanpuutou" in preset.words("local_yaku") for preset in presets)
    return Readings(batch, sets=4, wait_shapes=True, seven_pairs=True, orphans=True, unconnected=unconnected)


def gap_answers(batch: HandBatch, rows: Rows) -> Iterator[dict[str, Any]]:
    """Answers to what the log leaves open, in favour of the winner; a column that is not named is answered with yes."""
    shared = {"reds": 0, "norths": 0, "sticks": 0, "own_stick": 0, "winners_sticks": 0}
    shared |= {"payer_in_riichi": 0, "dealer_wins": _EIGHT_WINS}
    concealed = np.stack([batch.column(name)[rows] for name in MELDS]).max(0) == 0
    yield shared | {"riichi": concealed.astype(np.uint8), "replacement": 0}
    yield shared | {"riichi": concealed * np.uint8(2), "replacement": REPLACEMENTS.index("kong_concealed")}
    yield shared | {"riichi": 0, "replacement": 0, "ippatsu": 0, "heavenly": 0, "first_draw": 0, "last_tile": 1}


@lru_cache
def _base_table(kiriage: bool, counted: str) -> I32:
    """Base value by han * _LARGEST_FU + fu (RIICHI 2.5)."""
    han = np.arange(_LARGEST_HAN + 1)[:, None]
    fu = np.arange(_LARGEST_FU)[None]
    base = np.minimum(fu * 2 ** np.minimum(2 + han, 8), 2000)
    if kiriage:
        base[base == 1920] = 2000
    for least, value in zip((5, 6, 8, 11), _LIMIT_BASES, strict=False):
        base[least:] = value
    if counted == "yakuman":
        base[13:] = 8000
    elif counted == "multiple":
        base[13:] = 8000 * (han[13:] // 13)
    base[0] = 0
    return base.astype(np.int32).reshape(-1)


def _fu(scorer: BatchScorer, preset: Preset) -> Any:
    """Fu of each reading, rounded up (RIICHI 2.3)."""
    facts = scorer.facts
    drawn, concealed = facts["self_drawn"], facts["concealed"]
    pair = facts["dragon_pair"].astype(np.uint8) + facts["pair_of_seat_wind"] + facts["pair_of_round_wind"]
    if preset.number("double_wind_pair_fu") == 2:
        pair = np.minimum(pair, 1)
    fu = 20 + facts["fu_of_sets"].astype(np.int16) + facts["fu_of_wait"] + 2 * pair
    fu += 10 * (concealed & ~drawn)
    tsumo = drawn if preset.number("rinshan_tsumo_fu") else drawn & ~facts["replacement_kong"]
    # Pinfu's shape is what has no fu beyond the base.
    pinfu = facts["all_chows"] & concealed & facts["two_sided_wait"] & (pair == 0) & facts["no_melds"]
    fu += 2 * (tsumo & ~(pinfu & preset.options["pinfu_tsumo"]))
    fu = (fu + 9) // 10 * 10
    if preset.number("open_pinfu_shape_ron_fu") == 30:
        fu[(fu == 20) & ~concealed] = 30
    fu[scorer.form == FORM_SEVEN_PAIRS] = 25
    return fu


class _Yakuman(NamedTuple):
    """Yakuman of a preset, their values doubled where it says so, and the multiples of each reading (RIICHI 2.5)."""

    terms: list[Term]
    multiples: npt.NDArray[np.uint8]


def _yakuman(scorer: BatchScorer, plan: PresetPlan) -> _Yakuman:
    preset = plan.preset
    items = scorer.plan.catalogue.items
    doubled = preset.words("double_yakuman")
    terms = [
        term._replace(value=term.value * (2 if term.item in doubled else 1))
        for term in plan.terms
        if items[term.item].kind == "yakuman"
    ]
    multiples = np.zeros(len(scorer.form), np.uint8)
    stack = np.maximum if preset.options["yakuman_stacking"] == "max" else np.add
    for term in terms:
        stack(multiples, scorer.alive(term) * np.uint8(term.value), out=multiples)
    cap = preset.limit("yakuman_cap")
    return _Yakuman(terms, multiples if cap is None else np.minimum(multiples, np.uint8(min(cap, 255))))


def evaluate(scorer: BatchScorer, plan: PresetPlan, *, items: bool) -> Scores:
    """The scores of one preset."""
    preset, n = plan.preset, scorer.n
    catalogue = scorer.plan.catalogue.items
    yaku = [term for term in plan.terms if catalogue[term.item].kind == "tai"]
    bonus = [term for term in plan.terms if catalogue[term.item].kind == "bonus"]
    yakuman = _yakuman(scorer, plan)
    han = scorer.sum_of(yaku)
    least = han
    if preset.number("min_han") > 1:
        least = han - scorer.sum_of([term for term in yaku if term.item == "ippatsu"])
    is_yakuman = yakuman.multiples != 0
    formed = _formed(scorer, yakuman)
    wins = formed & (is_yakuman | (least >= preset.number("min_han")))
    han = np.where(is_yakuman, yakuman.multiples * np.int16(_YAKUMAN_HAN), han + scorer.sum_of(bonus))
    fu = _fu(scorer, preset)
    table = _base_table(bool(preset.options["kiriage_mangan"]), str(preset.options["counted_yakuman"]))
    base = table[np.clip(han, 0, _LARGEST_HAN).astype(np.intp) * _LARGEST_FU + np.clip(fu, 0, _LARGEST_FU - 1)]
    base = np.where(is_yakuman, yakuman.multiples * np.int32(8000), base)

    def rank(rows: Any) -> I64:
        """Best reading: base, then a yakuman, then han, then fu, then the order of the tables (RIICHI 2.4)."""
        value = (base[rows].astype(np.int64) << 24) | (is_yakuman[rows].astype(np.int64) << 23)
        value |= (han[rows].astype(np.int64) << 9) | fu[rows]
        value[~wins[rows]] = -1
        return value

    chosen = scorer.highest(rank)
    shape = scorer.any_reading(formed)
    paid = wins[chosen]
    hand_base, hand_han, hand_fu = base[chosen], han[chosen].astype(np.int32), fu[chosen].astype(np.int16)
    multiples = np.where(paid, yakuman.multiples[chosen], np.uint8(0))
    alternatives = _mangan_alternatives(scorer, preset, hand_base, paid, shape)
    as_mangan = np.any(list(alternatives.values()), axis=0) if alternatives else np.zeros(n, bool)
    hand_base = np.where(as_mangan, 2000, hand_base).astype(np.int32)
    hand_han = np.where(as_mangan, 5, hand_han)
    paid = paid | as_mangan
    reason = _refuse(scorer.facts, preset, paid, shape)
    legal = reason == 0
    limit = np.zeros(n, np.uint8)
    for limit_base in _LIMIT_BASES:
        limit += hand_base >= limit_base
    found = None
    if items:
        found = _items(scorer, plan, chosen, legal, yakuman.terms, multiples, alternatives)
    liable, liable_multiples = _liability(scorer, preset, yakuman, chosen, multiples)
    payments, deposits = scorer.settlement.payments(preset, legal, hand_base, multiples, liable, liable_multiples)
    return Scores(
        preset=preset,
        legal=legal,
        reason=reason,
        hand_tai=np.where(legal, hand_han, 0).astype(np.int32),
        dealer_tai=np.zeros(n, np.int32),
        payments=payments,
        others_tai=None,
        items=found,
        fu=np.where(multiples > 0, np.int16(0), hand_fu),
        limit=np.where(legal, limit, np.uint8(0)),
        deposits=deposits,
    )


def _formed(scorer: BatchScorer, yakuman: _Yakuman) -> Bool:
    """Readings that are a complete hand; thirteen unconnected tiles are one only where they pay as a yakuman."""
    formed: Bool = (scorer.form != FORM_NONE) & (scorer.form != FORM_UNCONNECTED)
    for term in yakuman.terms:
        if term.item == "shiisanpuutou":
            formed |= scorer.alive(term) != 0
    return formed


def _mangan_alternatives(scorer: BatchScorer, preset: Preset, base: I32, paid: Bool, shape: Bool) -> dict[str, Bool]:
    """Hands that an item makes worth a mangan and nothing else, where that is more (RIICHI 1.5, 3.1)."""
    facts = scorer.facts
    worth_less = ~paid | (base < 2000)
    found: dict[str, Bool] = {}
    if preset.options["renhou"] == "mangan_alternative":
        renhou = facts.hand("on_discard") & facts.hand("before_first_draw") & facts.hand("no_calls")
        found["renhou"] = renhou & ~facts.hand("is_dealer") & shape & worth_less
    if preset.options["shiisanpuutou_value"] == "mangan" and "shiisanpuutou" in preset.words("local_yaku"):
        first = facts.hand("self_drawn") & (facts.hand("heavenly") | facts.hand("first_draw")) & facts.hand("no_calls")
        found["shiisanpuutou"] = first & scorer.any_reading(scorer.form == FORM_UNCONNECTED) & worth_less
    return found


def _refuse(facts: Facts, preset: Preset, paid: Bool, shape: Bool) -> npt.NDArray[np.uint8]:
    """Reasons (numbers in REASONS) why a win has no value under the preset; the last one that applies (RIICHI 2.14)."""
    batch, rules = facts.batch, preset.options
    reason = np.zeros(batch.n, np.uint8)
    reason[~paid] = REASONS.index("no_yaku")
    reason[~paid & ~shape] = REASONS.index("not_a_winning_shape")
    if rules["multi_ron"] == "head_bump":
        reason[batch.column("win_no") > 0] = REASONS.index("head_bump")
    elif rules["multi_ron"] == "triple_abort":
        reason[batch.column("n_winners") >= 3] = REASONS.index("triple_ron")
    if not rules["kokushi_robs_ankan"]:
        reason[facts.hand("robbed_concealed_kong")] = REASONS.index("concealed_kong_robbed")
    if any(rules["red_fives"].values()):
        unknown = batch.unknown("reds")
        if unknown is not None:
            reason[unknown] = REASONS.index("no_red_fives_in_the_log")
    if rules["ura_dora"]:
        reason[(batch.column("riichi") > 0) & (batch.column("ura1") == NO_TILE) & _has_dora(batch)] = REASONS.index(
            "no_ura_in_the_log"
        )
    players = batch.column("n_players")
    if rules["players"] == 3 and rules["kita"]:
        unknown = batch.unknown("norths")
        if unknown is not None:
            reason[unknown & (players == 3)] = REASONS.index("no_kita_in_the_log")
    reason[players != preset.number("players")] = REASONS.index("other_number_of_players")
    return reason


def _has_dora(batch: HandBatch) -> Bool:
    """Where the log tells of dora at all; a log without them says nothing about ura either."""
    told: Bool = np.asarray(batch.column(DORA[0]) != NO_TILE)
    return told


def _liability(scorer: BatchScorer, preset: Preset, yakuman: _Yakuman, chosen: Rows, multiples: Any) -> tuple[Any, Any]:
    """(seat, multiples) that a liable seat pays for, NONE_SEAT and 0 where nobody is liable (RIICHI 2.10)."""
    seat = np.full(scorer.n, NONE_SEAT, np.uint8)
    part = np.zeros(scorer.n, np.uint8)
    winner = scorer.batch.column("winner")
    for term in yakuman.terms:
        if term.item in preset.words("pao_yakuman"):
            liable = scorer.batch.column(_LIABLE_COLUMN[term.item])
            rows = np.flatnonzero((liable != NONE_SEAT) & (liable != winner))
            rows = rows[scorer.alive(term)[chosen[rows]] != 0]
            seat[rows] = liable[rows]
            part[rows] = term.value
    if preset.options["pao_scope"] == "total":
        part = np.where(seat != NONE_SEAT, multiples, np.uint8(0))
    return seat, np.minimum(part, multiples)


def _items(
    scorer: BatchScorer,
    plan: PresetPlan,
    chosen: Rows,
    legal: Bool,
    yakuman: list[Term],
    multiples: Any,
    alternatives: dict[str, Bool],
) -> Items:
    """Yaku and dora with their han, or the yakuman alone, thirteen han for each multiple."""
    kinds = scorer.plan.catalogue.items
    doubled = {term.item: term.value for term in yakuman}
    terms = [
        term._replace(value=doubled[term.item] * _YAKUMAN_HAN) if kinds[term.item].kind == "yakuman" else term
        for term in plan.terms
    ]

    def drop(counts: Any, ids: tuple[str, ...], _chosen: Rows) -> None:
        for number, item in enumerate(ids):
            if kinds[item].kind != "yakuman":
                counts[multiples > 0, number] = 0
        for as_mangan in alternatives.values():
            counts[as_mangan] = 0

    found = scorer.items(PresetPlan(plan.preset, tuple(terms)), chosen, legal, drop=drop)
    for item, as_mangan in alternatives.items():
        found = _with_mangan(found, item, np.flatnonzero(as_mangan & legal))
    return found


def _with_mangan(found: Items, item: str, rows: Rows) -> Items:
    """The items, and one that alone makes the given hands worth a mangan."""
    ids = (*found.ids, item)
    hand = np.concatenate([found.hand, rows])
    order = np.argsort(hand, kind="stable")

    def with_item(column: Any, value: int) -> Any:
        return np.concatenate([column, np.full(len(rows), value, column.dtype)])[order]

    return Items(
        hand[order],
        with_item(found.number, len(ids) - 1),
        with_item(found.times, 1),
        with_item(found.value, 5),
        ids,
    )


def _up(points: Any) -> Any:
    """Rounded up to a hundred."""
    return (points + 99) // 100 * 100


def _move(points: I32, columns: Rows, seat: Any) -> None:
    """All points of the given columns of (4, n) to the column's seat."""
    total = points[:, columns].sum(0)
    points[:, columns] = 0
    points[seat[columns], columns] = total


class Settlement:
    """Who pays, for one batch (RIICHI 2.7 to 2.10)."""

    def __init__(self, batch: HandBatch) -> None:
        self._batch = batch

    def _seats(self, name: str) -> Bool:
        """(4, n) the seat is the one in the column."""
        column = self._batch.column(name)
        return np.stack([column == seat for seat in range(4)])

    @cached_property
    def _winner(self) -> Bool:
        return self._seats("winner")

    @cached_property
    def _dealer(self) -> Bool:
        return self._seats("dealer")

    @cached_property
    def _three(self) -> Bool:
        """(n,) three play."""
        three: Bool = self._batch.column("n_players") == 3
        return three

    @cached_property
    def _drawn(self) -> Bool:
        drawn: Bool = self._batch.column("win_kind") == _SELF_DRAW
        return drawn

    @cached_property
    def _pays(self) -> Bool:
        """(4, n) the seat pays for an ordinary win: the discarder, or everybody else who plays."""
        others = ~self._winner
        others[3] &= ~self._three
        return np.where(self._drawn, others, self._seats("payer"))

    @cached_property
    def _dealer_wins(self) -> Bool:
        wins: Bool = self._batch.column("dealer") == self._batch.column("winner")
        return wins

    def _shares(self, preset: Preset, base: I32) -> tuple[I32, I32]:
        """(what the dealer pays, what another pays) for a self-draw of the given base values."""
        three, dealer_wins = self._three, self._dealer_wins
        dealers = 2 * base
        others = np.where(dealer_wins, dealers, base)
        rule = preset.options["sanma_tsumo"]
        match rule:
            case "north_bisection":
                half = np.where(three, (others + 1) // 2, 0)
                dealers, others = dealers + half, others + half
            case "full":
                missing = np.where(three, others, 0)
                dealers, others = dealers + missing, others + missing
            case "equalize" | "nondealer_pays":
                others = np.where(three, 2 * base, others)
            case "dealer_pays":
                dealers = np.where(three, 3 * base, dealers)
            case "proportional":
                dealers = np.where(three, -(-dealers * 4 // 3), dealers)
                others = np.where(three, np.where(dealer_wins, 3 * base, -(-others * 4 // 3)), others)
        more = np.where(three, 1000, 0) if rule == "add_1000" else 0
        return _up(dealers) + more, _up(others) + more

    def _ron(self, preset: Preset, base: I32) -> I32:
        points = _up(np.where(self._dealer_wins, 6 * base, 4 * base))
        if preset.options["sanma_tsumo"] == "ron_loss":
            points = points - np.where(self._three, _up(np.where(self._dealer_wins, 2 * base, base)), 0)
        return points

    def payments(
        self, preset: Preset, legal: Bool, base: I32, multiples: Any, liable: Any, liable_multiples: Any
    ) -> tuple[I32, I32]:
        """((4, n) points of each seat, honba and deposits included; (n,) of them from deposits)."""
        batch = self._batch
        part = liable_multiples * np.int32(8000)
        own = base - part
        drawn = self._drawn
        ron = self._ron(preset, own)
        by_dealer, by_others = (np.where(drawn, share, ron) for share in self._shares(preset, own))
        each = np.where(drawn, preset.number("honba_tsumo_each"), preset.number("honba_ron")).astype(np.int32)
        honba = batch.column("streak") * each
        if preset.options["multi_ron_honba"] == "first":
            honba *= batch.column("win_no") == 0
        owed = np.where(self._dealer, by_dealer + honba, by_others + honba) * self._pays
        special = liable_multiples != 0
        feeder = None
        if preset.options["pao_daiminkan_rinshan"]:
            feeder = batch.column("kong_feeder")
            special = special | (drawn & (feeder != NONE_SEAT))
        rows = np.flatnonzero(special)
        if len(rows):
            extra = self._pays[:, rows] * honba[rows]
            block = owed[:, rows] - extra
            self._liable(preset, block, extra, rows, liable[rows], part)
            if feeder is not None:
                self._feeder(block, extra, rows, feeder[rows])
            owed[:, rows] = block + extra
        owed *= legal
        deposits = self._deposits(preset, legal)
        payments = self._winner * (owed[0] + owed[1] + owed[2] + owed[3] + deposits)
        payments -= owed
        return payments, deposits

    def _liable(self, preset: Preset, owed: I32, extra: I32, rows: Rows, seat: Any, part: I32) -> None:
        """The liable seat's part on top of `owed`, which holds the rest of the hand (RIICHI 2.10)."""
        dealers, others = (share[rows] for share in self._shares(preset, part))
        everyone = (np.where(self._dealer[:, rows], dealers, others) * self._pays[:, rows]).sum(0)
        ron = self._ron(preset, part)[rows]
        drawn = self._drawn[rows]
        payer = self._batch.column("payer")[rows]
        is_liable = (seat != NONE_SEAT) & (part[rows] != 0)
        shared = is_liable & ~drawn & (payer != seat)
        mine = np.where(drawn, everyone, np.where(shared, ron // 2, ron))
        position = np.flatnonzero(is_liable)
        owed[seat[position], position] += mine[position].astype(np.int32)
        position = np.flatnonzero(shared)
        owed[payer[position], position] += (ron - ron // 2)[position]
        moved = is_liable & (drawn | (shared & (preset.options["pao_honba_ron"] == "liable")))
        _move(extra, np.flatnonzero(moved), seat)

    def _feeder(self, owed: I32, extra: I32, rows: Rows, feeder: Any) -> None:
        """The feeder of an open kong pays the whole self-draw on its replacement tile (大明槓の責任払い)."""
        fed = np.flatnonzero(self._drawn[rows] & (feeder != NONE_SEAT))
        _move(owed, fed, feeder)
        _move(extra, fed, feeder)

    def _deposits(self, preset: Preset, legal: Bool) -> I32:
        """(n,) points that the winner takes from the table (RIICHI 2.8, 2.9)."""
        batch = self._batch
        sticks = batch.column("sticks").astype(np.int32)
        first = batch.column("win_no") == 0
        own = batch.column("own_stick").astype(np.int32)
        if preset.options["multi_ron_deposits"] == "own_back_rest_first" and preset.options["multi_ron"] != "head_bump":
            several = batch.column("n_winners") > 1
            rest = np.maximum(sticks - np.maximum(batch.column("winners_sticks"), own), 0)
            taken = np.where(several, own + np.where(first, rest, 0), sticks)
        else:
            taken = np.where(first, sticks, 0)
        return taken * np.int32(_STICK) * legal

    def bills(self, scores: Scores) -> list[Bill]:
        """What each payer owes for each win, honba included."""
        winner = self._batch.column("winner")
        return [
            Bill({seat: {"amount": -int(paid[seat])} for seat in range(4) if seat != winner[i] and paid[seat]}, {})
            for i, paid in enumerate(scores.payments.T)
        ]


def draw_payments(
    preset: Preset,
    *,
    dealer: int,
    tenpai: Sequence[int] | None = None,
    nagashi: Sequence[int] = (),
    honba: int = 0,
    deposits: int = 0,
) -> list[int]:
    """Points of each seat for an exhaustive draw (RIICHI 2.11). tenpai None: not known, then nothing is paid for it.

    honba and deposits matter only where nagashi mangan is a win; of several the first one after the dealer takes them.
    """
    players = preset.number("players")
    points = [0] * players
    how = preset.options["nagashi_mangan"]
    if nagashi and how != "off":
        first = min(nagashi, key=lambda seat: (seat - dealer) % players)
        for seat in nagashi:
            extra = honba * preset.number("honba_tsumo_each") if how == "win" and seat == first else 0
            for other in range(players):
                if other != seat:
                    share = (4000 if dealer in (seat, other) else 2000) + extra
                    points[other] -= share
                    points[seat] += share
        if how == "win":
            points[first] += deposits * _STICK
        return points
    if tenpai and len(tenpai) < players:
        total = preset.number("noten_total")
        for seat in range(players):
            points[seat] += total // len(tenpai) if seat in tenpai else -total // (players - len(tenpai))
    return points
