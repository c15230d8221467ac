"""Checks of the recorded scores of a riichi game, hand by hand, for logs that do not check themselves."""

from __future__ import annotations

from ingest.errors import RecordError
from ingest.riichi_replay import RiichiEnd
from ingest.riichi_rows import DEPOSIT, RiichiHeader, sticks_after


def check_deltas(header: RiichiHeader, end: RiichiEnd) -> None:
    """The scores change by what the deposits on the table change. Raises RecordError `payments_do_not_sum`."""
    after = sticks_after(header, end)
    if header.deltas is None or header.sticks is None or after is None:
        return
    if sum(header.deltas) != DEPOSIT * (header.sticks - after):
        raise RecordError(
            "payments_do_not_sum",
            f"the scores change by {list(header.deltas)}, with deposits {header.sticks} before and {after} after",
        )


class ScoreChain:
    """Scores before a hand are those after the one before, where that is the very hand before it."""

    def __init__(self, players: int) -> None:
        self._players = players
        self._before: RiichiHeader | None = None

    def expected(self) -> list[int] | None:
        """Scores after the newest hand, None where not known."""
        before = self._before
        if before is None or before.scores_before is None or before.deltas is None:
            return None
        return [a + b for a, b in zip(before.scores_before, before.deltas, strict=True)]

    def check(self, header: RiichiHeader) -> None:
        """Raises RecordError `scores_jump`. In a log of chosen hands nothing is expected of a hand that is not next."""
        expected, before = self.expected(), self._before
        if (
            before is not None
            and expected is not None
            and header.scores_before is not None
            and self._follows(before, header)
            and list(header.scores_before) != expected
        ):
            raise RecordError(
                "scores_jump",
                f"the hand begins with the scores {list(header.scores_before)}, the one before ends with {expected}",
            )

    def add(self, header: RiichiHeader | None) -> None:
        """The hand that was kept; None for one that was not."""
        self._before = header

    def _follows(self, before: RiichiHeader, after: RiichiHeader) -> bool:
        deals = self._players * before.round_wind + before.dealer
        moved = (self._players * after.round_wind + after.dealer - deals) % (4 * self._players)
        return (moved, after.honba) in ((0, before.honba + 1), (1, 0), (1, before.honba + 1))
