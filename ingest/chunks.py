"""Logs read and turned into Arrow, a chunk of small logs or of a big one at a time, where they are read.

Rows as Python objects take twenty times the memory of Arrow and cost more to send to another process than to make.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from ingest import parts
from ingest.logreader import READER_FAILED, Closed, Opened, Reading, read_log
from ingest.record import GameRows, Row
from ingest.sources import Log

GAME_TABLES: Final = ("games", "hands", "seats", "wins")
"""Tables of a chunk; the rows of `rejects` are messages, few as they are."""

_HANDS: Final = 4_096
_MESSAGES: Final = 4_096


class GameHead(msgspec.Struct, frozen=True):
    """What to know of a game without its rows. counts: how many rows it has in each of GAME_TABLES."""

    game_id: str
    file: str
    format: str
    log_id: str | None
    counts: tuple[int, ...]
    rejects: list[Row]

    @property
    def hands(self) -> int:
        return self.counts[1]


Message = Opened | GameHead | Row | Closed
"""As `logreader.Message`, with the head of a game for its rows."""


class Slice(NamedTuple):
    """Rows that stand together in a chunk: from `start` to `stop` in each of its tables."""

    tables: dict[str, Any]
    start: tuple[int, ...]
    stop: tuple[int, ...]


class Chunk(NamedTuple):
    """Messages of logs in order, and the rows of their games, in order too. A log may go on in the next chunk."""

    messages: list[Message]
    tables: dict[str, Any]

    def slices(self) -> Iterator[Slice]:
        """The rows of each game."""
        stop: tuple[int, ...] = (0,) * len(GAME_TABLES)
        for message in self.messages:
            if isinstance(message, GameHead):
                start, stop = stop, tuple(map(operator.add, stop, message.counts))
                yield Slice(self.tables, start, stop)


def read_chunks(logs: Iterable[Log], reading: Reading) -> Iterator[Chunk]:
    """The logs in order. An interrupt comes only after what was read before it."""
    chunk = _Builder()
    try:
        for log in logs:
            for message in read_log(log, reading):
                chunk.add(message)
                if chunk.full:
                    full, chunk = chunk.built(), _Builder()
                    yield full
    except KeyboardInterrupt:
        yield chunk.built()
        raise
    if chunk.messages:
        yield chunk.built()


class _Builder:
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

    def built(self) -> Chunk:
        """The chunk. Rows that do not fit the schemas are a fault of their reader: they become a reject."""
        rejects = [message for message in self.messages if isinstance(message, dict)]
        try:
            return Chunk(self.messages, _tables(list(self._games.values()), rejects))
        except ValueError:
            games = dict(self._games)
            messages = list(self.messages)
            for place, message in enumerate(messages):
                row = games[place].game if place in games else message
                if isinstance(row, dict) and (error := _misfit(games.get(place), row)) is not None:
                    messages[place] = _failed(row, error)
                    games.pop(place, None)
            return Chunk(messages, _tables(list(games.values()), []))


def _tables(games: Sequence[GameRows], rejects: Sequence[Row]) -> dict[str, Any]:
    tables = {table: parts.build(table, rows) for table, rows in parts.rows_by_table(games, rejects).items()}
    del tables["rejects"]  # built only to be checked
    return tables


def _misfit(game: GameRows | None, row: Row) -> ValueError | None:
    try:
        _tables([] if game is None else [game], [row] if game is None else [])
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
        counts=(1, len(rows.hands), len(rows.seats), len(rows.wins)),
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
