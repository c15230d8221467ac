"""Read one log: what it is, its games in order, how it ended. The same code runs in the main process and in workers."""

from __future__ import annotations

import io
from collections.abc import Container, Iterator
from contextlib import suppress
from typing import BinaryIO, Final, Literal, NamedTuple, cast

import msgspec

from ingest import formats
from ingest.errors import RecordError, UnreadableInputError
from ingest.formats.base import Format, Source
from ingest.ids import content_id, player_id
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.sources import HEAD_BYTES, Log

READER_FAILED: Final = "reader_failed"
"""Code of the rejects that are a fault of paipu, not of the log."""


class Reading(msgspec.Struct, frozen=True):
    """How to read: a format by name or the one its content shows, with player names hidden by a key or kept.

    known: content ids of logs that need no reading because the store holds them.
    """

    format: str | None = None
    player_key: bytes | None = None
    known: Container[str] = frozenset()


class Opened(msgspec.Struct, frozen=True):
    """A log was opened. `content` is its content_id; only a `new` log is followed by games."""

    content: str
    state: Literal["new", "known", "unknown_format", "empty"]


class Closed(msgspec.Struct, frozen=True):
    """A log came to its end, or broke off: then `problem` is the line for the user. died: its process broke off."""

    problem: str | None = None
    died: bool = False


Message = Opened | GameRows | Row | Closed


def read_log(log: Log, reading: Reading) -> Iterator[Message]:
    """Opened (if it can be opened at all), games and rejected games in order, Closed. No log can make it raise."""
    try:
        source = _held(log) or log
        with source.open() as stream:
            content, broken = content_id(stream)
        if content in reading.known:
            yield Opened(content, "known")
        else:
            head = source.head
            format_ = formats.load(reading.format) if reading.format is not None else formats.recognise(head)
            if format_ is None and broken is not None:
                # What it is cannot be told from the piece that is left, so the damage alone is reported.
                pass
            elif not head:
                yield Opened(content, "empty")
            elif format_ is None:
                yield Opened(content, "unknown_format")
            else:
                yield Opened(content, "new")
                yield from _games(source, format_, reading.player_key)
        yield Closed(str(broken) if broken is not None else None)
    except UnreadableInputError as error:
        yield Closed(str(error))


def _held(log: Log) -> Source | None:
    """A log of at most HEAD_BYTES, in memory so that it is unpacked once; None for a longer or broken one."""
    content = b""
    with suppress(UnreadableInputError), log.open() as stream:
        while len(content) <= HEAD_BYTES:
            piece = cast(io.BufferedReader, stream).read1(HEAD_BYTES)
            if not piece:
                return _Held(log.name, content)
            content += piece
    return None


class _Held(NamedTuple):
    """The whole of a log."""

    name: str
    head: bytes

    def open(self) -> BinaryIO:
        return io.BytesIO(self.head)


def _games(log: Source, format_: Format, key: bytes | None) -> Iterator[GameRows | Row]:
    about: Row = {"file": log.name, "format": format_.name}
    read = 0
    try:
        for item in format_.read(log):
            read += 1
            if isinstance(item, GameRows):
                item.game.update(about)
                for reject in item.rejects:
                    reject.update(about)
                    if reject.get("log_id") is None:
                        reject["log_id"] = item.game.get("log_id")
                if key is not None:
                    _hide_players(item, key)
                yield item
            else:
                yield item | about
    except UnreadableInputError:
        raise
    except RecordError as error:
        yield about | reject_row(error)
    except Exception as error:
        yield about | {
            "code": READER_FAILED,
            "message": f"paipu's own reader failed after {read} games of this log ({type(error).__name__}: {error}); "
            "those are kept, please report it with the log",
        }


def _hide_players(game: GameRows, key: bytes) -> None:
    players = [None if player is None else player_id(key, player) for player in game.game["players"]]
    game.game["players"] = players
    for row in game.seats:
        if row.get("player") is not None:
            row["player"] = player_id(key, row["player"])
