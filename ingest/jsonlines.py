"""Lines of a text file, read so that one endless line cannot fill the memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

LINE_LIMIT = 64 * 1024 * 1024
"""Longest line that is read, in bytes. A game of full play is about 50 KB."""

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
