"""What a log format is: one module per format, with a `FORMAT` of this type, listed in ingest/formats/__init__.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

import msgspec

from ingest.record import GameRows, Row


class Source(Protocol):
    """One log to read: a file, a decompressed .gz, or a member of an archive."""

    @property
    def name(self) -> str:
        """What to call it in messages and in games.file: `season.zip!/a.json`."""

    @property
    def head(self) -> bytes:
        """The first 64 KiB of its content, decompressed."""

    def open(self) -> BinaryIO:
        """The content, decompressed, from the beginning. Raises UnreadableInputError when it breaks off."""


class Format(msgspec.Struct, frozen=True):
    """A log format.

    sniff: does this content look like the format? Sees the head of the content, never a suffix.
    read: games of a source in order; a dict is a row of `rejects` for a game that could not be read at all. The columns
    file and format, and log_id of the rejects of a game, are filled in by ingest.logreader.
    """

    name: str
    title: str
    family: str
    sniff: Callable[[bytes], bool]
    read: Callable[[Source], Iterator[GameRows | Row]]
