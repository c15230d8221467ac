"""Rows of `hands`, `seats` and `wins` from a replayed hand, the same for every format with full play."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ingest.outcomes import seat_outcomes
from ingest.record import Row
from ingest.replay import HandEnd


class HandHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a log says about a hand beside its play; money by seat, None where the log does not say."""

    game_id: str
    hand_no: int
    players: Sequence[str]
    round_wind: int
    dealer: int
    door: int | None
    streak: int
    deltas: Sequence[int] | None = None
    scores_before: Sequence[int] | None = None
    dealer_kept: bool | None = None


def hand_row(header: HandHeader, end: HandEnd) -> Row:
    """The row of `hands`."""
    return {
        "game_id": header.game_id,
        "hand_no": header.hand_no,
        "round_wind": header.round_wind,
        "dealer": header.dealer,
        "door": header.door,
        "streak": header.streak,
        "result": end.result,
        "draw_kind": end.draw_kind,
        "n_wins": len(end.wins),
        "deltas": header.deltas,
        "scores_before": header.scores_before,
        "wall_left": end.wall_left,
        "dealer_kept": header.dealer_kept,
    }


def seat_rows(header: HandHeader, end: HandEnd) -> list[Row]:
    """The four rows of `seats`."""
    outcomes = seat_outcomes(end.wins)
    return [
        {
            "game_id": header.game_id,
            "hand_no": header.hand_no,
            "seat": seat,
            "player": header.players[seat],
            "seat_wind": (seat - header.dealer) % 4,
            "is_dealer": seat == header.dealer,
            "delta": None if header.deltas is None else header.deltas[seat],
            "outcome": outcomes[seat],
            "exposed_melds": end.exposed[seat],
            "flowers": end.flowers[seat],
            "ready": end.ready[seat],
            "ready_turn": end.ready_turn[seat],
            "tenpai_at_draw": None if end.tenpai is None else end.tenpai[seat],
            "discards": end.discards[seat],
        }
        for seat in range(4)
    ]


def win_rows(header: HandHeader, end: HandEnd) -> list[Row]:
    """The rows of `wins`, in turn order after the payer."""
    return [{"game_id": header.game_id, "hand_no": header.hand_no, **row} for row in end.wins]
