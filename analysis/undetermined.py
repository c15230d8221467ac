"""Items that a fact missing in the log could add.

Where a log does not say, the scorer counts "did not happen". Here such wins are scored again with the gaps filled in
favour of the winner, in a few ways that exclude each other; an item that appears or pays more only then is
undetermined.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.batch import HandBatch
from analysis.score import Plan, Scores


def undetermined(plan: Plan, batch: HandBatch, scores: list[Scores]) -> list[dict[int, list[str]]]:
    """For each preset of the plan: hand → items that the missing facts could add.

    scores: what the plan makes of this batch, with items.
    """
    # A column that was not looked at to score this batch cannot change what its wins are paid.
    unknown = {name: batch.unknown(name) for name in plan.family.COLUMNS if batch.looked_at(name)}
    missing = {name: where for name, where in unknown.items() if where is not None and where.any()}
    found: list[dict[int, list[str]]] = [{} for _ in scores]
    if not missing:
        return found
    rows = np.flatnonzero(np.logical_or.reduce(list(missing.values())))
    before = [_tai_of_items(result)[rows] for result in scores]
    more = [np.zeros(tai.shape, bool) for tai in before]
    for answers in plan.family.gap_answers(batch, rows):
        changed: dict[str, Any] = {
            name: np.where(where[rows], answers.get(name, 1), batch.column(name)[rows])
            for name, where in missing.items()
        }
        for number, result in enumerate(plan.score(batch.take(rows, **changed), items=True)):
            more[number] |= _tai_of_items(result) > before[number]
    for number, result in enumerate(scores):
        assert result.items is not None
        ids = result.items.ids
        for position, item in zip(*(index.tolist() for index in np.nonzero(more[number])), strict=True):
            found[number].setdefault(int(rows[position]), []).append(ids[item])
        for items in found[number].values():
            items.sort()
    return found


def _tai_of_items(scores: Scores) -> npt.NDArray[np.int16]:
    """(hands, items) tai of each item, far below any where the hand does not have it."""
    items = scores.items
    assert items is not None, "items are needed"
    tai = np.full((len(scores.legal), len(items.ids)), np.iinfo(np.int16).min, np.int16)
    tai[items.hand, items.number] = items.value
    return tai
