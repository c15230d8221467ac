"""Rows of `rejects`: what could not be kept, where it stands and why."""

from __future__ import annotations

from ingest.errors import RecordError
from ingest.record import GameRows, Row


def reject_row(
    problem: RecordError,
    *,
    log_id: str | None = None,
    position: int | None = None,
    hand_no: int | None = None,
    event_no: int | None = None,
) -> Row:
    """The row for a problem; hand and event of the problem itself go first.

    ingest.logreader adds file and format, and to the rejects of a game its log id.
    """
    return {
        "log_id": log_id,
        "position": position,
        "hand_no": hand_no if problem.hand is None else problem.hand,
        "event_no": event_no if problem.event is None else problem.event,
        "code": problem.code,
        "message": problem.message,
    }


def at_line(found: GameRows | Row, position: int) -> GameRows | Row:
    """A game, or the reject in its place, whose rejects stand in this line."""
    for reject in found.rejects if isinstance(found, GameRows) else [found]:
        reject["position"] = position
    return found
