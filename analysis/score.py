"""The scorer: a batch of hands under several presets of one family.

Facts are computed once for all presets, a pattern once for all presets that read it alike, and per preset only the
values are added up: a further preset costs little. Items are worked out only when asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.batch import HandBatch
from analysis.facts import Facts
from analysis.families import Family, family_of
from analysis.rules.catalogue import Item
from analysis.rules.expressions import compile_columns, fold, names
from analysis.rules.preset import Preset
from ingest.errors import UsageError

U8 = npt.NDArray[np.uint8]
I16 = npt.NDArray[np.int16]
I32 = npt.NDArray[np.int32]
Bool = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

NOT_A_WIN: Final = -30_000
"""Tai of a reading that is no win; far below what removals and deductions can reach."""
_LARGEST_COUNT: Final = 8
"""No fact counts further: eight flowers."""


class Term(NamedTuple):
    """One item of one preset: tai for each time its column counts, unless one of the killers is there."""

    item: str
    column: int
    value: int
    killers: tuple[int, ...]


class Scores(NamedTuple):
    """What one preset makes of a batch of n hands.

    legal: (n,). reason: (n,) number in the family's REASONS, 0 = legal. hand_tai: (n,) after the cap, 0 if not legal.
    dealer_tai: (n,) largest among the payers. payments: (4, n) money, zero sum. others_tai: (hands, tai) that the
    players who were not robbed pay for six plus one (SPEC 2.7), None if there is none. items: those that
    pay, None if not asked for. fu, limit (number in the family's LIMITS), deposits (won from the table): riichi.
    """

    preset: Preset
    legal: Bool
    reason: U8
    hand_tai: I32
    dealer_tai: I32
    payments: npt.NDArray[np.signedinteger[Any]]
    others_tai: tuple[Rows, I32] | None
    items: Items | None
    fu: I16 | None = None
    limit: U8 | None = None
    deposits: npt.NDArray[np.signedinteger[Any]] | None = None


class Items(NamedTuple):
    """Items that pay, sorted by hand, in catalogue order within a hand."""

    hand: Rows
    number: Any
    times: I16
    value: I16
    ids: tuple[str, ...]


class Bill(NamedTuple):
    """How one win is paid: by payer's seat what it owes and why, and the eye penalties beside it."""

    pay: dict[int, dict[str, int | None]]
    eye_penalty: dict[int, int]


class PresetPlan(NamedTuple):
    preset: Preset
    terms: tuple[Term, ...]


class Plan:
    """Presets of one family, compiled. Raises UsageError if they are of different families or none is given."""

    def __init__(self, presets: Sequence[Preset]) -> None:
        if len({preset.family for preset in presets}) != 1:
            raise UsageError("presets of one family can be scored together; give presets of one family")
        self.family: Family = family_of(presets[0].family)
        self.catalogue = presets[0].catalogue()
        self._columns: dict[str, int] = {}
        self._folded: dict[tuple[Any, ...], int | None] = {}
        self.codes: list[Any] = []
        self.plans = [self._compile(preset) for preset in presets]

    def _column(self, condition: ast.expr) -> int | None:
        """Number of the column of a folded condition, None if it is never true."""
        if isinstance(condition, ast.Constant):
            if not condition.value:
                return None
            # Always true: a fact that holds in every reading that can win.
            condition = ast.Name("complete")
        text = ast.unparse(condition)
        if text not in self._columns:
            self._columns[text] = len(self.codes)
            self.codes.append(compile_columns(condition))
        return self._columns[text]

    def _column_of_item(self, item: Item, options: dict[str, Any]) -> int | None:
        """Number of the column of an item's condition; presets with the same options in it share the work."""
        key = (item.id, *(options.get(name) for name in names(item.condition)))
        if key not in self._folded:
            self._folded[key] = self._column(fold(item.condition, options))
        return self._folded[key]

    def _compile(self, preset: Preset) -> PresetPlan:
        options = preset.in_conditions()
        columns: dict[str, int] = {}
        for name, item in self.catalogue.items.items():
            if name in preset.values and not (item.local and name not in preset.words("local_yaku")):
                column = self._column_of_item(item, options)
                if column is not None:
                    columns[name] = column
        killers: dict[str, set[str]] = {}
        for removal in self.catalogue.removals:
            condition = removal.when and fold(removal.when, options)
            if condition is None or (isinstance(condition, ast.Constant) and condition.value):
                for removed in removal.removed:
                    killers.setdefault(removed, set()).add(removal.item)
        for item_id, removed_items in preset.excludes.items():
            for removed in removed_items:
                killers.setdefault(removed, set()).add(item_id)
        terms = []
        for name, column in columns.items():
            killing = tuple(sorted(columns[killer] for killer in killers.get(name, ()) if killer in columns))
            terms.append(Term(name, column, preset.values[name], killing))
            less = self.catalogue.items[name].open_less
            if less:
                exposed = ast.BoolOp(
                    ast.And(), [self.catalogue.items[name].condition, ast.UnaryOp(ast.Not(), ast.Name("concealed"))]
                )
                column_exposed = self._column(fold(exposed, options))
                if column_exposed is not None:
                    terms.append(Term(name, column_exposed, -less, killing))
            for instead in self.catalogue.instead.values():
                if name in instead.of and instead.id in preset.values:
                    both = ast.BoolOp(ast.And(), [self.catalogue.items[name].condition, instead.condition])
                    column_instead = self._column(fold(both, options))
                    if column_instead is not None:
                        difference = preset.values[instead.id] - preset.values[name]
                        terms.append(Term(name, column_instead, difference, killing))
        return PresetPlan(preset, tuple(terms))

    def score(self, batch: HandBatch, *, items: bool = False) -> list[Scores]:
        """Scores of the batch, one a preset."""
        return BatchScorer(self, batch).run(items)


class BatchScorer:
    """One batch under all presets of a plan: holds what they share."""

    def __init__(self, plan: Plan, batch: HandBatch) -> None:
        self.plan = plan
        self.batch = batch
        readings = plan.family.readings(batch, [p.preset for p in plan.plans])
        self.facts = Facts(batch, readings)
        self.columns: Any = self.facts
        self.n = batch.n
        self.others = readings.other_hands
        self.form = np.concatenate([block.form for block in readings.blocks])
        # Hands with several readings: where each one's further readings begin.
        new = np.ones(len(self.others), bool)
        new[1:] = self.others[1:] != self.others[:-1]
        self.starts = np.flatnonzero(new)
        self.several = self.others[self.starts]
        self._raw: dict[int, U8] = {}
        self._alive: dict[tuple[int, tuple[int, ...]], U8] = {}
        self.settlement = plan.family.Settlement(batch)

    def _column(self, number: int) -> U8:
        if number not in self._raw:
            column = eval(self.plan.codes[number], {"__builtins__": {}}, self.columns)
            self._raw[number] = column.view(np.uint8) if column.dtype == bool else column
        return self._raw[number]

    def alive(self, term: Term) -> U8:
        """How often the term's item counts in each reading, removals applied."""
        key = (term.column, term.killers)
        if key not in self._alive:
            column = self._column(term.column)
            for killer in term.killers:
                # A column of zeros and ones: one minus it keeps what is not killed.
                column = column * (self._column(killer) == 0).view(np.uint8)
            self._alive[key] = column
        return self._alive[key]

    def sum_of(self, terms: Sequence[Term]) -> I16:
        """Sum of the terms in each reading. Small positive terms are summed in bytes, which is many times quicker."""
        total = np.zeros(len(self.form), np.int16)
        bytes_sum: U8 | None = None
        room = 0
        scratch = np.empty(len(self.form), np.uint8)
        for term in terms:
            column = self.alive(term)
            most = term.value * (_LARGEST_COUNT if self.plan.catalogue.items[term.item].counted else 1)
            if not 0 < most < 256:
                total += column * np.int16(term.value)
                continue
            if bytes_sum is None or room < most:
                if bytes_sum is not None:
                    total += bytes_sum
                bytes_sum, room = np.zeros(len(self.form), np.uint8), 255
            room -= most
            if term.value == 1:
                bytes_sum += column
            else:
                np.multiply(column, np.uint8(term.value), out=scratch)
                bytes_sum += scratch
        if bytes_sum is not None:
            total += bytes_sum
        return total

    def run(self, items: bool) -> list[Scores]:
        return [self.plan.family.evaluate(self, plan, items=items) for plan in self.plan.plans]

    def best(self, tai: I16) -> I32:
        """Highest value among the readings of each hand."""
        best = tai[: self.n].astype(np.int32)
        if len(self.several):
            best[self.several] = np.maximum(best[self.several], np.maximum.reduceat(tai[self.n :], self.starts))
        return best

    def highest(self, rank: Callable[[Any], npt.NDArray[np.int64]]) -> Rows:
        """The reading of highest rank of each hand, the first one of equals. rank: ranks of the given readings."""
        chosen = np.arange(self.n)
        if len(self.several):
            others = rank(slice(self.n, None))
            best = np.maximum.reduceat(others, self.starts)
            ends = np.append(self.starts[1:], len(self.others))
            is_best = others == np.repeat(best, ends - self.starts)
            position = np.where(is_best, np.arange(len(self.others)), len(self.others))
            first = np.minimum.reduceat(position, self.starts)
            better = best > rank(self.several)
            chosen[self.several[better]] = self.n + first[better]
        return chosen

    def any_reading(self, column: Bool) -> Bool:
        """Hands in which some reading has it."""
        found = column[: self.n].copy()
        found[self.others[column[self.n :]]] = True
        return found

    def choose(self, plan: PresetPlan, tai: I16) -> Rows:
        """The reading that is paid, per hand: most tai, then most different items, then the first one."""

        def rank(readings: Any) -> npt.NDArray[np.int64]:
            value = tai[readings].astype(np.int64) << 16
            for term in plan.terms:
                value += self.alive(term)[readings] != 0
            return value

        return self.highest(rank)

    def items(
        self,
        plan: PresetPlan,
        chosen: Rows,
        legal: Bool,
        *,
        drop: Callable[[U8, tuple[str, ...], Rows], None] | None = None,
    ) -> Items:
        """The items of the chosen reading of each legal hand. drop: sets counts (n, items) that do not pay to zero."""
        ids = tuple(dict.fromkeys(term.item for term in plan.terms))
        counts = np.zeros((self.n, len(ids)), np.uint8)
        values = np.zeros((self.n, len(ids)), np.int16)
        for term in plan.terms:
            number = ids.index(term.item)
            column = self.alive(term)[chosen]
            # A stand-in value is a second term of the same item: it changes the value, not the count.
            np.maximum(counts[:, number], column, out=counts[:, number])
            values[:, number] += column * np.int16(term.value)
        if drop:
            drop(counts, ids, chosen)
        counts[~legal] = 0
        hand, which = np.nonzero(counts)
        return Items(hand, which, counts[hand, which].astype(np.int16), values[hand, which], ids)
