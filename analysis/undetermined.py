"""Items that a fact missing in the log could add.

Where a log does not say, the scorer counts "did not happen". Here such wins are scored again with the gaps filled in
favour of the winner, in a few ways that exclude each other; an item that appears or pays more only then is
undetermined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.batch import HandBatch
from analysis.score import Plan, Scores


def undetermined(plan: Plan, batch: HandBatch, scores: list[Scores]) -> list[dict[int, list[str]]]:
    """For each preset of the plan: hand → items that the missing facts could add. `scores` must hold items."""
    unknown = {name: batch.unknown(name) for name in plan.family.COLUMNS}
    missing = {name: where for name, where in unknown.items() if where is not None and where.any()}
    found: list[dict[int, list[str]]] = [{} for _ in scores]
    if not missing:
        return found
    rows = np.flatnonzero(np.logical_or.reduce(list(missing.values())))
    before = [_tai_by_item(result, rows) for result in scores]
    for answers in plan.family.gap_answers(batch, rows):
        changed: dict[str, Any] = {
            name: np.where(where[rows], answers.get(name, 1), batch.column(name)[rows])
            for name, where in missing.items()
        }
        for number, result in enumerate(plan.score(batch.take(rows, **changed), items=True)):
            after = _tai_by_item(result, np.arange(len(rows)))
            for position, row in enumerate(rows.tolist()):
                known = before[number][position]
                more = {item for item, tai in after[position].items() if item not in known or tai > known[item]}
                if more:
                    found[number][row] = sorted(more.union(found[number].get(row, ())))
    return found


def _tai_by_item(scores: Scores, rows: Any) -> list[dict[str, int]]:
    items = scores.items
    assert items is not None, "items are needed"
    position = np.full(len(scores.legal), -1)
    position[rows] = np.arange(len(rows))
    found: list[dict[str, int]] = [{} for _ in range(len(rows))]
    for hand, number, tai in zip(
        position[items.hand].tolist(), items.number.tolist(), items.value.tolist(), strict=True
    ):
        if hand >= 0:
            found[hand][items.ids[number]] = tai
    return found
