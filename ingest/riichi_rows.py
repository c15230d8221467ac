"""Rows of `hands`, `seats` and `wins` of riichi hands, the same for every riichi format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ingest.record import GameRows, Row
from ingest.riichi_replay import RiichiEnd
from ingest.rows import Header, hand_columns, seat_columns, win_rows

DEPOSIT = 1000
"""Points of a riichi deposit."""


class RiichiHeader(Header, frozen=True, kw_only=True):
    """The header of a riichi hand; deposits paid by riichi are part of the deltas.

    honba, sticks: before the hand; sticks None where not known.
    """

    honba: int
    sticks: int | None


def less_deposits(money: Sequence[int], paid: int) -> list[int]:
    """Money by seat after the deposits of riichi. paid: bit = seat that paid one."""
    return [amount - DEPOSIT * (paid >> seat & 1) for seat, amount in enumerate(money)]


def sticks_after(header: RiichiHeader, end: RiichiEnd) -> int | None:
    """Deposits on the table after the hand: none after a win, else those before it and the new ones."""
    if end.result == "win":
        return 0
    return None if header.sticks is None else header.sticks + end.paid.bit_count()


def hand_row(header: RiichiHeader, end: RiichiEnd) -> Row:
    """The row of `hands`; `dealer_kept` is null until `link_hands` sees the next hand."""
    row = hand_columns(header, end)
    row["streak"] = header.honba
    row["sticks"] = header.sticks
    row["sticks_after"] = sticks_after(header, end)
    row["nagashi"] = end.nagashi
    return row


def seat_rows(header: RiichiHeader, end: RiichiEnd) -> list[Row]:
    """The rows of `seats`, one per player."""
    rows = seat_columns(header, end, players=end.players)
    for seat, row in enumerate(rows):
        row["riichi"] = end.riichi[seat]
    return rows


def add_hand(game: GameRows, header: RiichiHeader, end: RiichiEnd) -> None:
    """Append the rows of a hand to a game."""
    game.hands.append(hand_row(header, end))
    game.seats.extend(seat_rows(header, end))
    game.wins.extend(win_rows(header, end))


def link_hands(game: GameRows) -> None:
    """Fill what a hand shows of the next one, `hands.dealer_kept`, and of those before it, `wins.dealer_wins`."""
    for before, after in pairwise(game.hands):
        if after["hand_no"] == before["hand_no"] + 1:
            before["dealer_kept"] = after["dealer"] == before["dealer"]
    dealers = {hand["hand_no"]: hand["dealer"] for hand in game.hands}
    streaks: dict[int, int | None] = {}
    for win in game.wins:
        number, dealer = win["hand_no"], win["dealer"]
        if win["winner"] == dealer:
            # Without honba the hand before was not won by this dealer, whether it is there or not.
            known = win["streak"] == 0 or number - 1 in dealers
            before_it = streaks.get(number - 1, 0) if dealers.get(number - 1) == dealer else 0
            streaks[number] = before_it + 1 if known and before_it is not None else None
    for win in game.wins:
        win["dealer_wins"] = streaks.get(win["hand_no"], 0)
