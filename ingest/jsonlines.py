"""Lines of a text file, read so that one endless line cannot fill the memory; JSON of a whole file or of its lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Source

LINE_LIMIT = 64 * 1024 * 1024
"""Longest line that is read, in bytes. A game of full play is about 50 KB."""

RECORD_LIMIT: Final = 64 * 1024 * 1024
"""Longest file that is read as one JSON value, in bytes. A game of full play is about 500 KB."""

_SKIP = 1024 * 1024


def read_lines(stream: BinaryIO, *, limit: int = LINE_LIMIT) -> Iterator[tuple[int, bytes | None]]:
    """(number from 1, line without its end) of each line that is not blank; None for a line longer than `limit`."""
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit and not line.endswith(b"\n"):
            while (rest := stream.readline(_SKIP)) and not rest.endswith(b"\n"):
                pass
            yield number, None
            continue
        line = line.strip()
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line:
            yield number, line


def read_records(source: Source) -> Iterator[tuple[int | None, Any, bytes]]:
    """(None, JSON, content) of a file that is one JSON value, else (line number, JSON, line) of each line.

    A RecordError, `bad_json` or `too_long`, stands in the place of JSON that cannot be read.
    """
    with source.open() as stream:
        content = stream.read(RECORD_LIMIT + 1)
    if len(content) <= RECORD_LIMIT:
        record = _decoded(content.removeprefix(b"\xef\xbb\xbf"))
        if not isinstance(record, RecordError) or b"}\n" not in content.strip():  # not one game per line either
            yield None, record, content
            return
    with source.open() as stream:
        for position, line in read_lines(stream):
            if line is None:
                yield position, RecordError("too_long", "a line this long is never one game; split it"), b""
            else:
                yield position, _decoded(line), line


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return RecordError("bad_json", f"not a whole record ({error}); export it again")
