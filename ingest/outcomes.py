"""What a hand was for each seat, told from its wins."""

from __future__ import annotations

from collections.abc import Iterable

from ingest.record import WIN_KINDS, Row

_ALL_PAY = frozenset((WIN_KINDS.index("self_draw"), WIN_KINDS.index("eight_flowers")))


def seat_outcomes(wins: Iterable[Row]) -> list[str]:
    """`seats.outcome` of the four seats. A flower win counts as self_draw when all pay, as discard_win when one does.

    Needs winner, payer and win_kind of each win of the hand; no win is a draw.
    """
    wins = list(wins)
    if not wins:
        return ["draw"] * 4
    outcomes = ["bystander"] * 4
    if any(win["win_kind"] in _ALL_PAY for win in wins):
        outcomes = ["drawn_against"] * 4
    for win in wins:
        if win.get("payer") is not None:
            outcomes[win["payer"]] = "deal_in"
    for win in wins:
        outcomes[win["winner"]] = "self_draw" if win["win_kind"] in _ALL_PAY else "discard_win"
    return outcomes
