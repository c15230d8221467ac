"""Small logs for the tests of the ingest job."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any, BinaryIO

from ingest import parts
from ingest.formats.base import Format
from ingest.record import GameRows, Row, to_table
from ingest.store import Store, StoredSource

GOOD_HAND = "123456m456p11178sEE"
FIVE_COPIES = "11111m456p11178sEEE"


class Text:
    """A log in memory."""

    name = "log"

    def __init__(self, content: bytes | str) -> None:
        self.content = content if isinstance(content, bytes) else content.encode()

    @property
    def head(self) -> bytes:
        return self.content[: 1 << 16]

    def open(self) -> BinaryIO:
        return io.BytesIO(self.content)


def put(
    store: Store, batch: str, games: Sequence[GameRows], rejects: Sequence[Row], *, sources: Sequence[StoredSource] = ()
) -> None:
    """Write rows as one batch of a store."""
    rows = parts.rows_by_table(games, rejects)
    store.write(batch, {table: parts.build(table, found) for table, found in rows.items()}, sources=sources)


def read_all(format_: Format, content: bytes) -> tuple[list[GameRows], list[Row]]:
    """(games, rejects) of a log; every row is checked against the schemas."""
    games: list[GameRows] = []
    rejects: list[Row] = []
    for item in format_.read(Text(content)):
        if isinstance(item, dict):
            rejects.append(item)
            continue
        games.append(item)
        rejects += item.rejects
        for table, rows in (("games", [item.game]), ("hands", item.hands), ("seats", item.seats), ("wins", item.wins)):
            to_table(table, rows)
    to_table("rejects", rejects)
    return games, rejects


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
