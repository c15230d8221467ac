"""Items that a fact missing in the log could add.

Where a log does not say, the scorer counts "did not happen". Here such wins are scored again with the gaps filled in
favour of the winner, in a few ways that exclude each other; an item that appears only then is undetermined.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.batch import COLUMNS, HandBatch
from analysis.score import Plan, Scores
from ingest.record import READY

# Gaps of one win are filled together, so contradictory answers go into different rounds.
_ROUNDS: Final = tuple(
    {"ready": READY.index(ready), "heavenly": heavenly, "door": door, "replacement": replacement}
    for door, (ready, heavenly, replacement) in enumerate(
        [("initial", 1, 1), ("first_discard", 0, 1), ("normal", 0, 1), ("initial", 0, 0)]
    )
)


def undetermined(plan: Plan, batch: HandBatch, scores: list[Scores]) -> list[dict[int, list[str]]]:
    """For each preset of the plan: hand → items that the missing facts could add. `scores` must hold items."""
    unknown = {name: batch.unknown(name) for name in COLUMNS}
    missing = {name: where for name, where in unknown.items() if where is not None and where.any()}
    found: list[dict[int, list[str]]] = [{} for _ in scores]
    if not missing:
        return found
    rows = np.flatnonzero(np.logical_or.reduce(list(missing.values())))
    before = [_item_sets(result, rows) for result in scores]
    for filled in _ROUNDS:
        changed: dict[str, Any] = {}
        for name, where in missing.items():
            answer = filled.get(name, 1)
            changed[name] = np.where(where[rows], answer, batch.column(name)[rows])
        for number, result in enumerate(plan.score(batch.take(rows, **changed), items=True)):
            after = _item_sets(result, np.arange(len(rows)))
            for position, row in enumerate(rows.tolist()):
                new = after[position] - before[number][position]
                if new:
                    found[number][row] = sorted(new.union(found[number].get(row, ())))
    return found


def _item_sets(scores: Scores, rows: Any) -> list[set[str]]:
    assert scores.items is not None, "items are needed"
    position = np.full(len(scores.legal), -1)
    position[rows] = np.arange(len(rows))
    sets: list[set[str]] = [set() for _ in range(len(rows))]
    for hand, number in zip(position[scores.items.hand].tolist(), scores.items.number.tolist(), strict=True):
        if hand >= 0:
            sets[hand].add(scores.items.ids[number])
    return sets
