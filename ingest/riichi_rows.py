"""Rows of `hands`, `seats` and `wins` of riichi hands, the same for every riichi format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from ingest.outcomes import seat_outcomes
from ingest.record import GameRows, Row
from ingest.riichi_replay import RiichiEnd

DEPOSIT = 1000
"""Points of a riichi deposit."""


class RiichiHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says about a hand beside its play; money by seat (always four), None where the log does not say.

    players: by seat, None for a nameless one. honba, sticks: before the hand; sticks None where not known.
    deltas: change of scores over the whole hand, deposits paid by riichi included.
    """

    game_id: str
    hand_no: int
    players: Sequence[str | None]
    round_wind: int
    dealer: int
    honba: int
    sticks: int | None
    deltas: Sequence[int] | None = None
    scores_before: Sequence[int] | None = None


def less_deposits(money: Sequence[int], paid: int) -> list[int]:
    """Money by seat after the deposits of riichi. paid: bit = seat that paid one."""
    return [amount - DEPOSIT * (paid >> seat & 1) for seat, amount in enumerate(money)]


def sticks_after(header: RiichiHeader, end: RiichiEnd) -> int | None:
    """Deposits on the table after the hand: none after a win, else those before it and the new ones."""
    if end.result == "win":
        return 0
    return None if header.sticks is None else header.sticks + end.paid.bit_count()


def hand_row(header: RiichiHeader, end: RiichiEnd) -> Row:
    """The row of `hands`; `dealer_kept` is null until `set_dealer_kept` sees the next hand."""
    return {
        "game_id": header.game_id,
        "hand_no": header.hand_no,
        "round_wind": header.round_wind,
        "dealer": header.dealer,
        "streak": header.honba,
        "sticks": header.sticks,
        "sticks_after": sticks_after(header, end),
        "result": end.result,
        "draw_kind": end.draw_kind,
        "n_wins": len(end.wins),
        "deltas": header.deltas,
        "scores_before": header.scores_before,
        "wall_left": end.wall_left,
        "nagashi": end.nagashi,
    }


def seat_rows(header: RiichiHeader, end: RiichiEnd) -> list[Row]:
    """The rows of `seats`, one per player."""
    outcomes = seat_outcomes(end.wins)
    n = end.players
    return [
        {
            "game_id": header.game_id,
            "hand_no": header.hand_no,
            "seat": seat,
            "player": header.players[seat],
            "seat_wind": (seat - header.dealer) % n,
            "is_dealer": seat == header.dealer,
            "delta": None if header.deltas is None else header.deltas[seat],
            "outcome": outcomes[seat],
            "exposed_melds": end.exposed[seat],
            "ready_turn": end.ready_turn[seat],
            "tenpai_at_draw": None if end.tenpai is None else end.tenpai[seat],
            "discards": end.discards[seat],
            "riichi": end.riichi[seat],
        }
        for seat in range(n)
    ]


def win_rows(header: RiichiHeader, end: RiichiEnd) -> list[Row]:
    """The rows of `wins`, in turn order after the payer."""
    rows = end.wins
    for row in rows:
        row["game_id"] = header.game_id
        row["hand_no"] = header.hand_no
    return rows


def add_hand(game: GameRows, header: RiichiHeader, end: RiichiEnd) -> None:
    """Append the rows of a hand to a game."""
    game.hands.append(hand_row(header, end))
    game.seats.extend(seat_rows(header, end))
    game.wins.extend(win_rows(header, end))


def set_dealer_kept(hands: Sequence[Row]) -> None:
    """Fill `dealer_kept` of each hand whose successor is there: the next hand has the same dealer."""
    for before, after in pairwise(hands):
        if after["hand_no"] == before["hand_no"] + 1:
            before["dealer_kept"] = after["dealer"] == before["dealer"]
