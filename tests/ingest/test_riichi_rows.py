"""What a riichi hand shows of its neighbours (RIICHI 1.5, eight wins of the dealer in a row)."""

from __future__ import annotations

import pytest

from ingest.record import GameRows
from ingest.riichi_rows import link_hands

WON, OTHER, DRAW = "dealer wins", "another wins", "draw"


def game(*hands: tuple[int, int, str, int]) -> GameRows:
    """hands: (hand_no, dealer, end, honba)."""
    rows = GameRows(game={})
    for number, dealer, end, honba in hands:
        rows.hands.append({"hand_no": number, "dealer": dealer, "streak": honba})
        if end != DRAW:
            winner = dealer if end == WON else (dealer + 1) % 4
            rows.wins.append({"hand_no": number, "dealer": dealer, "winner": winner, "streak": honba})
    link_hands(rows)
    return rows


@pytest.mark.parametrize(
    ("hands", "expected"),
    [
        ([(0, 0, WON, 0), (1, 0, WON, 1), (2, 0, WON, 2)], [1, 2, 3]),
        ([(0, 0, WON, 0), (1, 0, OTHER, 1), (2, 1, WON, 0)], [1, 0, 1]),
        # A draw ends the row, whoever deals next.
        ([(0, 0, WON, 0), (1, 0, DRAW, 1), (2, 0, WON, 2)], [1, 1]),
        ([(0, 0, DRAW, 0), (1, 1, WON, 1)], [1]),
        # A hand that is missing may have been won too, but not by a dealer who now has no honba.
        ([(0, 0, WON, 0), (2, 0, WON, 2), (3, 0, WON, 3)], [1, None, None]),
        ([(3, 0, WON, 2)], [None]),
        ([(3, 0, WON, 0), (4, 0, WON, 1)], [1, 2]),
    ],
)
def test_wins_of_the_dealer_in_a_row(hands: list[tuple[int, int, str, int]], expected: list[int | None]) -> None:
    assert [win["dealer_wins"] for win in game(*hands).wins] == expected


def test_two_winners_of_a_hand_count_once() -> None:
    rows = game((0, 0, OTHER, 0))
    rows.wins.append({"hand_no": 0, "dealer": 0, "winner": 0, "streak": 0})
    link_hands(rows)
    assert [win["dealer_wins"] for win in rows.wins] == [1, 1]


def test_the_deal_is_kept() -> None:
    rows = game((0, 0, WON, 0), (1, 0, OTHER, 1), (3, 2, WON, 0))
    assert [hand.get("dealer_kept") for hand in rows.hands] == [True, None, None]
