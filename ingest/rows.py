"""Rows of `hands`, `seats` and `wins` from a replayed hand: what all families have, and those of 16-tile hands."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ingest.outcomes import seat_outcomes
from ingest.record import GameRows, Row
from ingest.replay import HandEnd
from ingest.riichi_replay import RiichiEnd


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What every log says about a hand beside its play; money by seat (always four), None where it does not say.

    players: by seat, None for a nameless one. deltas: change of scores over the whole hand.
    """

    game_id: str
    hand_no: int
    players: Sequence[str | None]
    round_wind: int
    dealer: int
    deltas: Sequence[int] | None = None
    scores_before: Sequence[int] | None = None


class HandHeader(Header, frozen=True, kw_only=True):
    """The header of a 16-tile hand."""

    door: int | None
    streak: int
    dealer_kept: bool | None = None


def hand_columns(header: Header, end: HandEnd | RiichiEnd) -> Row:
    """The columns of `hands` of every family."""
    return {
        "game_id": header.game_id,
        "hand_no": header.hand_no,
        "round_wind": header.round_wind,
        "dealer": header.dealer,
        "result": end.result,
        "draw_kind": end.draw_kind,
        "n_wins": len(end.wins),
        "deltas": header.deltas,
        "scores_before": header.scores_before,
        "wall_left": end.wall_left,
    }


def seat_columns(header: Header, end: HandEnd | RiichiEnd, *, players: int) -> list[Row]:
    """The columns of `seats` of every family, by seat."""
    outcomes = seat_outcomes(end.wins)
    return [
        {
            "game_id": header.game_id,
            "hand_no": header.hand_no,
            "seat": seat,
            "player": header.players[seat],
            "seat_wind": (seat - header.dealer) % players,
            "is_dealer": seat == header.dealer,
            "delta": None if header.deltas is None else header.deltas[seat],
            "outcome": outcomes[seat],
            "exposed_melds": end.exposed[seat],
            "ready_turn": end.ready_turn[seat],
            "tenpai_at_draw": None if end.tenpai is None else end.tenpai[seat],
            "discards": end.discards[seat],
        }
        for seat in range(players)
    ]


def hand_row(header: HandHeader, end: HandEnd) -> Row:
    """The row of `hands`."""
    row = hand_columns(header, end)
    row["door"] = header.door
    row["streak"] = header.streak
    row["dealer_kept"] = header.dealer_kept
    return row


def seat_rows(header: HandHeader, end: HandEnd) -> list[Row]:
    """The four rows of `seats`."""
    rows = seat_columns(header, end, players=4)
    for seat, row in enumerate(rows):
        row["flowers"] = end.flowers[seat]
        row["ready"] = end.ready[seat]
    return rows


def win_rows(header: Header, end: HandEnd | RiichiEnd) -> list[Row]:
    """The rows of `wins`, in turn order after the payer: those of `end`, completed."""
    for row in end.wins:
        row["game_id"] = header.game_id
        row["hand_no"] = header.hand_no
    return end.wins


def add_hand(game: GameRows, header: HandHeader, end: HandEnd) -> None:
    """Append the rows of a hand to a game."""
    game.hands.append(hand_row(header, end))
    game.seats.extend(seat_rows(header, end))
    game.wins.extend(win_rows(header, end))
