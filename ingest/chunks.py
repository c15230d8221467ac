"""Logs read and turned into Arrow, a chunk of small logs or of a big one at a time, where they are read.

Rows as Python objects take twenty times the memory of Arrow and cost more to send to another process than to make.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from ingest import parts
from ingest.logreader import READER_FAILED, Closed, Opened, Reading, read_log
from ingest.packed import IdMap
from ingest.record import GameRows, Row
from ingest.sources import Log

TABLES: Final = ("games", "hands", "seats", "wins")
"""Tables of a chunk; the rows of `rejects` are messages, few as they are."""

_HANDS: Final = 1_024
_MESSAGES: Final = 4_096


class GameHead(msgspec.Struct, frozen=True):
    """What to know of a game without its rows. rows: how many it has in each of TABLES. n_hands: as the game says."""

    game_id: str
    file: str
    format: str
    log_id: str | None
    n_hands: int | None
    rows: tuple[int, int, int, int]
    rejects: list[Row]

    @property
    def hands(self) -> int:
        return self.rows[1]


Message = Opened | GameHead | Row | Closed
"""As `logreader.Message`, with the head of a game for its rows."""


class Chunk(NamedTuple):
    """Messages of logs in order, and the rows of their games, in order too. A log may go on in the next chunk."""

    messages: list[Message]
    tables: dict[str, Any]


def read_chunks(logs: Iterable[Log], reading: Reading, seen: IdMap) -> Iterator[Chunk]:
    """The logs in order. An interrupt comes only after what was read before it.

    seen: contents of logs read before, to which these are added; a log that has one of them is opened and closed.
    """
    chunk = _Open()
    try:
        for log in logs:
            for message in read_log(log, reading):
                chunk.add(message)
                if isinstance(message, Opened):
                    if message.content in seen:
                        chunk.add(Closed())
                        break
                    seen[message.content] = 0
                if chunk.full:
                    yield chunk.closed()
                    chunk = _Open()
    except KeyboardInterrupt:
        yield chunk.closed()
        raise
    if chunk.messages:
        yield chunk.closed()


class _Open:
    """A chunk on its way."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._games: dict[int, GameRows] = {}  # by their place in the messages
        self._hands = 0

    @property
    def full(self) -> bool:
        return self._hands >= _HANDS or len(self.messages) >= _MESSAGES

    def add(self, message: Opened | GameRows | Row | Closed) -> None:
        if isinstance(message, GameRows):
            self._games[len(self.messages)] = message
            self._hands += len(message.hands)
            self.messages.append(_head(message))
        else:
            self.messages.append(message)

    def closed(self) -> Chunk:
        """The chunk. Rows that do not fit the schemas are a fault of their reader: they become a reject."""
        try:
            return Chunk(self.messages, self._tables())
        except ValueError:
            for place, message in enumerate(self.messages):
                if (error := self._misfit(place, message)) is not None:
                    row = self._games.pop(place).game if place in self._games else message
                    assert isinstance(row, dict)
                    self.messages[place] = _failed(row, error)
            return Chunk(self.messages, self._tables())

    def _tables(self) -> dict[str, Any]:
        rejects = [message for message in self.messages if isinstance(message, dict)]
        rows = parts.rows_by_table(list(self._games.values()), rejects)
        tables = {table: parts.build(table, found) for table, found in rows.items() if found or table != "rejects"}
        tables.pop("rejects", None)
        return tables

    def _misfit(self, place: int, message: Message) -> ValueError | None:
        games = [self._games[place]] if place in self._games else []
        rejects = [message] if isinstance(message, dict) else []
        try:
            for table, rows in parts.rows_by_table(games, rejects).items():
                parts.build(table, rows)
        except ValueError as error:
            return error
        return None


def _head(rows: GameRows) -> GameHead:
    game = rows.game
    return GameHead(
        game_id=game["game_id"],
        file=game["file"],
        format=game["format"],
        log_id=game.get("log_id"),
        n_hands=game.get("n_hands"),
        rows=(1, len(rows.hands), len(rows.seats), len(rows.wins)),
        rejects=rows.rejects,
    )


def _failed(row: Row, error: ValueError) -> Row:
    log_id = row.get("log_id")
    return {
        "file": row["file"],
        "format": row["format"],
        "log_id": log_id if isinstance(log_id, str) else None,
        "code": READER_FAILED,
        "message": f"paipu's own reader gave rows that do not fit the store ({error}); please report it with the log",
    }
