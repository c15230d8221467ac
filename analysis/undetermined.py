"""Items that a fact missing in the log could add.

Where a log does not say, the scorer counts "did not happen". Here such wins are scored again with the gaps filled in
favour of the winner, in a few ways that exclude each other; an item that appears or pays more only then is
undetermined.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.batch import COLUMNS, HandBatch
from analysis.readings import MELDS
from analysis.score import Plan, Scores
from ingest.melds import KONG_ADDED, KONG_CONCEALED
from ingest.record import READY

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


def undetermined(plan: Plan, batch: HandBatch, scores: list[Scores]) -> list[dict[int, list[str]]]:
    """For each preset of the plan: hand → items that the missing facts could add. `scores` must hold items."""
    unknown = {name: batch.unknown(name) for name in COLUMNS}
    missing = {name: where for name, where in unknown.items() if where is not None and where.any()}
    found: list[dict[int, list[str]]] = [{} for _ in scores]
    if not missing:
        return found
    rows = np.flatnonzero(np.logical_or.reduce(list(missing.values())))
    before = [_tai_by_item(result, rows) for result in scores]
    for filled in _ROUNDS:
        changed: dict[str, Any] = {}
        for name, where in missing.items():
            answer: Any = filled.get(name, 1)
            if name == "ready":
                # A hand that is ready from the first turn on claims nothing any more.
                answer = np.where(_has_claimed(batch, rows), READY.index("normal"), answer)
            changed[name] = np.where(where[rows], answer, batch.column(name)[rows])
        for number, result in enumerate(plan.score(batch.take(rows, **changed), items=True)):
            after = _tai_by_item(result, np.arange(len(rows)))
            for position, row in enumerate(rows.tolist()):
                known = before[number][position]
                more = {item for item, tai in after[position].items() if item not in known or tai > known[item]}
                if more:
                    found[number][row] = sorted(more.union(found[number].get(row, ())))
    return found


def _has_claimed(batch: HandBatch, rows: Any) -> Any:
    melds = np.stack([batch.column(name)[rows] for name in MELDS])
    return ((melds != 0) & ((melds < KONG_CONCEALED) | (melds >= KONG_ADDED))).any(0)


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
