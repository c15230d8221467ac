"""Small logs for the tests of the ingest job."""

from __future__ import annotations

import json
from typing import Any

from ingest.record import GameRows

GOOD_HAND = "123456m456p11178sEE"
FIVE_COPIES = "11111m456p11178sEEE"


def win(game: str, hand_no: int = 0, *, hand: str = GOOD_HAND, players: list[str] | None = None) -> dict[str, Any]:
    """A wins-only line of paipu JSONL: seat 1 completes 789s on a discard of seat 0."""
    return {
        "id": f"{game}-{hand_no}",
        "game": game,
        "hand_no": hand_no,
        "players": players or ["Ann", "Bo", "Cai", "Dee"],
        "stake": {"base": 100, "unit": 20},
        "record": {
            "dealer": 0,
            "streak": 0,
            "door": 0,
            "round": "E",
            "winner": 1,
            "win": "discard",
            "from": 0,
            "hand": hand,
            "win_tile": "9s",
            "melds": [],
            "flowers": [],
        },
    }


def jsonl(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def given_columns(games: list[GameRows]) -> set[tuple[str, str]]:
    """(table, column) of everything that is not null in any row, with the columns that the log reader fills in."""
    return {("games", "file"), ("games", "format")} | {
        (table, column)
        for game in games
        for table, rows in (("games", [game.game]), ("hands", game.hands), ("seats", game.seats), ("wins", game.wins))
        for row in rows
        for column, value in row.items()
        if value is not None
    }
