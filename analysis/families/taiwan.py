"""What only Taiwanese 16-tile mahjong has: flower wins, illegal wins and the settlement (SPEC 2.6, 2.7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.batch import NONE_SEAT, HandBatch
from analysis.facts import Facts
from analysis.readings import FORM_NONE, FORM_STANDARD, KEYS, MELDS, Readings
from analysis.rules.preset import Preset
from analysis.score import NOT_A_WIN, BatchScorer, Bill, PresetPlan, Scores
from ingest.melds import KONG_ADDED, KONG_CONCEALED
from ingest.record import FLOWER_MODES, READY, REPLACEMENTS, WIN_KINDS
from ingest.validate import HEAVENLY

REASONS: Final = (
    "",
    "open_kong_replacement",
    "system_auto_wins_on_eight_flowers",
    "not_a_winning_shape",
    "flower_win_off",
    "below_min_tai",
)
"""Why a win is not legal under a preset; the number in Scores.reason."""

OUTCOMES: Final = ("ok", *["no_win"] * (len(REASONS) - 1))
"""The outcome that goes with each reason."""

FLOWER_ITEMS: Final = ("eight_immortals", "seven_robs_one")
_SELF_DRAW: Final = WIN_KINDS.index("self_draw")
_FLOWER_WIN: Final = WIN_KINDS.index("eight_flowers")
_SEVEN_ROBS_ONE: Final = WIN_KINDS.index("seven_robs_one")

COLUMNS: Final = (
    *KEYS,
    *MELDS,
    "win_tile",
    "flowers",
    "winner",
    "payer",
    "win_kind",
    "dealer",
    "door",
    "streak",
    "round_wind",
    "replacement",
    "last_tile",
    "ready",
    "ready_open",
    "ready_first_turn",
    "heavenly",
    "heavenly_after_kong",
    "first_draw",
    "first_draw_after_kong",
    "before_first_draw",
    "discarder_first_discard",
    "no_calls",
    "miji",
    "flower_mode",
    "robbed_flower",
    "initial_flowers",
    "eye_players",
    "liable",
)
"""Columns of `wins` that this family looks at."""

# Flags of the first turns. They turn a declaration of ready into more (天聽 → 地胡), so both answers have to be tried.
_FIRST_TURNS: Final = (
    "heavenly_after_kong",
    "first_draw",
    "first_draw_after_kong",
    "before_first_draw",
    "discarder_first_discard",
    "ready_first_turn",
)
# Gaps of one win are filled together, so contradictory answers go into different rounds.
_ROUNDS: Final = tuple(
    {"ready": READY.index(ready), "heavenly": heavenly, "replacement": replacement, "door": door % 4}
    | dict.fromkeys(_FIRST_TURNS, first_turn)
    for door, (ready, heavenly, replacement, first_turn) in enumerate(
        [
            ("initial", 1, 1, 1),
            ("first_discard", 0, 1, 1),
            ("normal", 0, 1, 0),
            ("initial", 0, 0, 0),
            ("first_discard", 0, 0, 0),
        ]
    )
)

I32 = npt.NDArray[np.int32]
Money = npt.NDArray[np.signedinteger[Any]]
"""32 or 64 bits, see Settlement._money."""
Rows = npt.NDArray[np.intp]


def gap_answers(batch: HandBatch, rows: Rows) -> Iterator[dict[str, Any]]:
    """Answers to what the log leaves open, in favour of the winner; a column that is not named is answered with yes."""
    melds = np.stack([batch.column(name)[rows] for name in MELDS])
    has_claimed = ((melds != 0) & ((melds < KONG_CONCEALED) | (melds >= KONG_ADDED))).any(0)
    for answers in _ROUNDS:
        # A hand that is ready or won with the dealt tiles has claimed nothing, and a claim of the winner's is a call.
        yield answers | {
            **{name: np.where(has_claimed, False, answers.get(name, True)) for name in HEAVENLY},
            "ready": np.where(has_claimed, READY.index("normal"), answers["ready"]),
            "no_calls": ~has_claimed,
        }


def readings(batch: HandBatch, presets: Sequence[Preset]) -> Readings:
    """Readings that tell apart what these presets look at."""
    return Readings(
        batch,
        sets=5,
        eight_pairs=any(preset.options["eight_pairs_half"] for preset in presets),
        wait_shapes=any(
            preset.options["single_wait_mode"] == "shape" and "single_wait" in preset.values for preset in presets
        ),
    )


def evaluate(scorer: BatchScorer, plan: PresetPlan, *, items: bool) -> Scores:
    """The scores of one preset."""
    preset = plan.preset
    tai = scorer.sum_of(plan.terms)
    no_win = scorer.form == FORM_NONE if preset.options["eight_pairs_half"] else scorer.form != FORM_STANDARD
    flowers = _flower_wins(scorer, plan, tai, no_win)
    if no_win.any():
        tai[no_win] = NOT_A_WIN
    best = scorer.best(tai)
    reason = _refuse(scorer.facts, preset, best)
    legal = reason == 0
    if not legal.all():
        best[~legal] = 0
    found = None
    if items:
        chosen = scorer.choose(plan, tai)
        found = scorer.items(plan, chosen, legal, drop=flowers.other_items)
    cap = preset.limit("tai_cap")
    if cap is not None:
        np.minimum(best, np.int32(cap), out=best)
    others_tai = flowers.others_tai(scorer, preset)
    payments = scorer.settlement.payments(preset, legal, best, others_tai)
    dealer_tai = scorer.settlement.largest_dealer_tai(preset, legal, others_tai)
    return Scores(preset, legal, reason, best, dealer_tai, payments, others_tai, found)


class _FlowerWins(NamedTuple):
    """The flower wins of a batch under one preset.

    flat: readings in which only the flower win counts, because the preset ignores the hand or the hand is not complete.
    both: hands completed by six plus one.
    """

    flat: npt.NDArray[np.bool_]
    both: Rows

    def other_items(self, counts: Any, ids: tuple[str, ...], chosen: Rows) -> None:
        """Drops every other item from hands paid by a flat reading."""
        rows = np.flatnonzero(self.flat[chosen])
        for number, item in enumerate(ids):
            if item not in FLOWER_ITEMS:
                counts[rows, number] = 0

    def others_tai(self, scorer: BatchScorer, preset: Preset) -> tuple[Rows, I32] | None:
        """(hands, tai) of what the two players who were not robbed pay for a hand completed by six plus one (A22):
        an ordinary self-draw with the seven own flowers."""
        if len(self.both) == 0:
            return None
        batch = scorer.batch
        robbed = batch.column("robbed_flower")[self.both].astype(np.int64)
        own = batch.column("flowers")[self.both] & ~np.where(robbed > 0, 1 << np.maximum(robbed - 1, 0), 0)
        as_drawn = batch.take(self.both, win_kind=_SELF_DRAW, flowers=own, replacement=REPLACEMENTS.index("flower"))
        position = [plan.preset for plan in scorer.plan.plans].index(preset)
        drawn = scorer.plan.score(as_drawn)[position]
        return self.both[drawn.legal], drawn.hand_tai[drawn.legal]


def _flower_wins(scorer: BatchScorer, plan: PresetPlan, tai: Any, no_win: Any) -> _FlowerWins:
    """Gives flower wins their tai in `tai` and clears `no_win` for them (SPEC 2.7)."""
    hands = np.flatnonzero(scorer.batch.column("win_kind") >= _FLOWER_WIN)
    if len(hands) == 0:
        return _FlowerWins(np.zeros(len(no_win), bool), hands)
    in_readings = scorer.facts["flower_win"]
    compound = plan.preset.options["eight_flowers_mode"] == "compound"
    flat = in_readings & no_win if compound else in_readings.copy()
    rows = np.flatnonzero(flat)
    alone = np.zeros(len(rows), np.int16)
    for term in plan.terms:
        if term.item in FLOWER_ITEMS:
            alone += scorer.alive(term)[rows] * np.int16(term.value)
    tai[rows] = alone
    no_win[rows] = alone == 0
    if not compound:
        return _FlowerWins(flat, hands[:0])
    batch = scorer.batch
    both = scorer.any_reading(~flat) & (batch.column("win_kind") == _SEVEN_ROBS_ONE)
    both &= batch.column("flower_mode") == FLOWER_MODES.index("six_plus_one")
    return _FlowerWins(flat, np.flatnonzero(both))


def _refuse(facts: Facts, preset: Preset, best: I32) -> npt.NDArray[np.uint8]:
    """Reasons (numbers in REASONS) why wins are not legal; the first one that applies."""
    batch = facts.batch
    reason = np.zeros(batch.n, np.uint8)
    below = best < preset.number("min_tai")
    if below.any():
        shape = best == NOT_A_WIN
        reason[below] = REASONS.index("below_min_tai")
        reason[shape] = REASONS.index("not_a_winning_shape")
        reason[shape & facts.hand("flower_win")] = REASONS.index("flower_win_off")
    if preset.options["eight_flowers_mode"] == "forced":
        forced = facts.hand("all_flowers") & ~facts.hand("flower_win")
        reason[forced] = REASONS.index("system_auto_wins_on_eight_flowers")
    if preset.options["open_kong_replacement_win"] == "illegal":
        drawn = batch.column("win_kind") == _SELF_DRAW
        reason[drawn & facts.hand("replacement_open_kong")] = REASONS.index("open_kong_replacement")
    return reason


class Settlement:
    """Who pays, for one batch; payments() gives the amounts under one preset (SPEC 2.6)."""

    def __init__(self, batch: HandBatch) -> None:
        self._batch = batch
        self._of_dealer: dict[tuple[Any, ...], Any] = {}

    @cached_property
    def due(self) -> I32:
        """(4, n) 1 where the seat pays."""
        batch = self._batch
        winner, payer = batch.column("winner"), batch.column("payer")
        kind = batch.column("win_kind")
        everyone = (kind == _SELF_DRAW) | (kind == _FLOWER_WIN)
        due = np.empty((4, batch.n), np.int32)
        for seat in range(4):
            due[seat] = (winner != seat) & (everyone | (payer == seat))
        return due

    @cached_property
    def _wins(self) -> I32:
        """(4, n) 1 at the winner."""
        winner = self._batch.column("winner")
        return np.stack([(winner == seat) for seat in range(4)]).astype(np.int32)

    @cached_property
    def _dealer_involved(self) -> I32:
        dealer, winner = self._batch.column("dealer"), self._batch.column("winner")
        return np.stack([(dealer == winner) | (dealer == seat) for seat in range(4)]).astype(np.int32)

    def _once(self, name: str, preset: Preset, compute: Callable[[], I32]) -> I32:
        """What depends on the preset's dealer tai alone, computed once for the presets that have the same."""
        key = (name, *(preset.options[option] for option in ("dealer_tai", "la_zhuang", "dealer_streak_cap")))
        if key not in self._of_dealer:
            self._of_dealer[key] = compute()
        found: I32 = self._of_dealer[key]
        return found

    def dealer_tai(self, preset: Preset) -> I32:
        """(4, n) dealer tai between each seat and the winner: 1 + 2N if one is the dealer (1 + N without 拉莊)."""
        return self._once("dealer_tai", preset, lambda: self._compute_dealer_tai(preset))

    def _compute_dealer_tai(self, preset: Preset) -> I32:
        streak = self._batch.column("streak").astype(np.int32)
        cap = preset.limit("dealer_streak_cap")
        if cap is not None:
            streak = np.minimum(streak, np.int32(cap))
        tai = np.int32(preset.number("dealer_tai")) + streak * np.int32(2 if preset.options["la_zhuang"] else 1)
        return self._dealer_involved * tai

    def largest_dealer_tai(self, preset: Preset, legal: Any, others: tuple[Rows, I32] | None) -> I32:
        """(n,) largest dealer tai among the payers of a legal win, else 0."""
        largest = self._once("largest", preset, lambda: (self.due * self.dealer_tai(preset)).max(0))
        if others is not None:
            largest = largest.copy()
            largest[others[0]] = self.dealer_tai(preset)[:, others[0]].max(0)
        return largest if legal.all() else largest * legal

    def _money(self, preset: Preset, hand_tai: I32) -> type[np.signedinteger[Any]]:
        """32 bits where all payments of a hand together are sure to fit, which is quicker, else 64."""
        most = int(hand_tai.max(initial=0)) + int(self.dealer_tai(preset).max(initial=0)) + preset.number("eye_penalty")
        return np.int32 if 4 * (preset.base + preset.unit * most) < 1 << 31 else np.int64

    def amounts(self, preset: Preset, legal: Any, hand_tai: I32, others: tuple[Rows, I32] | None) -> Money:
        """(4, n) what each seat owes for the hand, before liability and penalties; 0 for a win that is not legal."""
        amounts = self.due.astype(np.int64) * (
            preset.base + preset.unit * (hand_tai.astype(np.int64) + self.dealer_tai(preset))
        )
        if others is not None:
            hands, more = others
            amounts[:, hands] += self._six_plus_one(preset, hands, more)
        return amounts * legal

    def _six_plus_one(self, preset: Preset, hands: Rows, tai: I32) -> Money:
        """(4, len(hands)) what the two who were not robbed owe: the completed hand is a self-draw too (A22)."""
        others = (self._wins[:, hands] == 0) & (self.due[:, hands] == 0)
        return others * (preset.base + preset.unit * (tai.astype(np.int64) + self.dealer_tai(preset)[:, hands]))

    def eye_penalty(self, preset: Preset, legal: Any) -> Money | None:
        """(4, n) what seats that declared 眼牌 and did not win pay the winner on top, None if nobody does (A25)."""
        tai = preset.number("eye_penalty")
        declared = self._batch.column("eye_players")
        if not tai or not declared.any():
            return None
        seats = (declared >> np.arange(4, dtype=np.uint8)[:, None]) & 1
        return (seats * (1 - self._wins) * legal).astype(np.int64) * (tai * preset.unit)

    def _to_winner(self, owed: Any, hands: Any = slice(None)) -> Any:
        """(4, hands) what changes hands when every seat pays the winner what it owes."""
        net = self._wins[:, hands] * (owed[0] + owed[1] + owed[2] + owed[3])
        net -= owed
        return net

    def _liable_pays(self, owed: Any, hands: Any = slice(None)) -> Any:
        """What each seat owes when a liable seat pays for all."""
        liable, winner = self._batch.column("liable")[hands], self._batch.column("winner")[hands]
        rows = np.flatnonzero((liable != NONE_SEAT) & (liable != winner))
        if len(rows):
            owed = owed.copy()
            total = owed[:, rows].sum(0)
            owed[:, rows] = 0
            owed[liable[rows], rows] = total
        return owed

    @cached_property
    def _shares(self) -> I32:
        """(4, n) how often the stake and the hand's tai change hands, to the winner from who pays."""
        shares: I32 = self._to_winner(self._liable_pays(self.due))
        return shares

    def _dealer_shares(self, preset: Preset) -> I32:
        """(4, n) the dealer tai that change hands."""
        return self._once(
            "shares", preset, lambda: self._to_winner(self._liable_pays(self.due * self.dealer_tai(preset)))
        )

    def payments(self, preset: Preset, legal: Any, hand_tai: I32, others: tuple[Rows, I32] | None) -> Money:
        """(4, n) money of each seat; every column sums to zero."""
        money = self._money(preset, hand_tai)
        base, unit = money(preset.base), money(preset.unit)
        payments: Money = self._shares * (base + unit * hand_tai)
        payments += self._dealer_shares(preset) * unit
        if others is not None:
            hands, tai = others
            owed = self._liable_pays(self._six_plus_one(preset, hands, tai), hands)
            payments = payments.astype(np.int64)
            payments[:, hands] += self._to_winner(owed, hands)
        if not legal.all():
            payments[:, ~legal] = 0
        penalty = self.eye_penalty(preset, legal)
        if penalty is not None:
            payments = payments + self._to_winner(penalty)
        return payments

    def bills(self, scores: Scores) -> list[Bill]:
        """What each payer owes for each win, in tai and money."""
        preset, batch = scores.preset, self._batch
        owed = self.amounts(preset, scores.legal, scores.hand_tai, scores.others_tai)
        penalty = self.eye_penalty(preset, scores.legal)
        dealer = self.dealer_tai(preset)
        tai = np.broadcast_to(scores.hand_tai, (4, batch.n)).copy()
        if scores.others_tai is not None:
            hands, others = scores.others_tai
            tai[:, hands] = np.where(self.due[:, hands] != 0, tai[:, hands], others)
        payers = ((self.due != 0) | (owed != 0)) & scores.legal
        winner, liable = batch.column("winner"), batch.column("liable")
        bills = []
        for i in range(batch.n):
            pay: dict[int, dict[str, int | None]] = {}
            for seat in np.flatnonzero(payers[:, i]).tolist():
                hand_tai, dealer_tai = int(tai[seat, i]), int(dealer[seat, i])
                pay[seat] = {
                    "hand_tai": hand_tai,
                    "dealer_tai": dealer_tai,
                    "tai": hand_tai + dealer_tai,
                    "amount": int(owed[seat, i]),
                    "paid_by": int(liable[i]) if liable[i] < 4 and liable[i] not in (seat, winner[i]) else None,
                }
            eye = {} if penalty is None else {seat: int(penalty[seat, i]) for seat in range(4) if penalty[seat, i]}
            bills.append(Bill(pay, eye))
        return bills
