"""What a run remembers of every log and every game, packed: a hundred thousand small strings are many megabytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

_BUCKETS: Final = 1 << 12
_ID: Final = 10
_ENTRY: Final = _ID + 8
_TOGETHER: Final = 128


class IdMap:
    """A number for each of many ids of 20 hex digits (ingest.ids); 20 bytes for each, a tenth of what a dict takes."""

    def __init__(self) -> None:
        # The ids are hashes, so their first bits spread them evenly.
        self._buckets = [bytearray() for _ in range(_BUCKETS)]

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and self.get(id_) is not None

    def __getitem__(self, id_: str) -> int:
        if (number := self.get(id_)) is None:
            raise KeyError(id_)
        return number

    def __setitem__(self, id_: str, number: int) -> None:
        data, bucket, at = self._find(id_)
        entry = data + number.to_bytes(_ENTRY - _ID, "little")
        if at < 0:
            bucket += entry
        else:
            bucket[at : at + _ENTRY] = entry

    def get(self, id_: str) -> int | None:
        """The number of the id, None for an id without one."""
        _, bucket, at = self._find(id_)
        return None if at < 0 else int.from_bytes(bucket[at + _ID : at + _ENTRY], "little")

    def discard(self, id_: str) -> None:
        """Forget the id, if it is there."""
        _, bucket, at = self._find(id_)
        if at >= 0:
            del bucket[at : at + _ENTRY]

    def _find(self, id_: str) -> tuple[bytes, bytearray, int]:
        """The id as bytes, its bucket and its place there, -1 if it is not there."""
        data = bytes.fromhex(id_)
        bucket = self._buckets[int.from_bytes(data[:2], "little") % _BUCKETS]
        at = bucket.find(data)
        while at > 0 and at % _ENTRY:
            # The same bytes by chance, elsewhere than at the beginning of an entry.
            at = bucket.find(data, at + 1)
        return data, bucket, at


class Texts:
    """Many texts in order, without NUL; those alike, as the names of files are, take a fifth of their length."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._last: list[str] = []

    def __len__(self) -> int:
        return len(self._packed) * _TOGETHER + len(self._last)

    def __iter__(self) -> Iterator[str]:
        return self.between(0, len(self))

    def __getitem__(self, number: int) -> str:
        return next(self.between(number, number + 1))

    def between(self, first: int, end: int) -> Iterator[str]:
        """The texts first to end - 1."""
        for number in range(first // _TOGETHER, -(-end // _TOGETHER)):
            texts = _unpacked(self._packed[number]) if number < len(self._packed) else self._last
            yield from texts[max(0, first - number * _TOGETHER) : end - number * _TOGETHER]

    def append(self, text: str) -> None:
        self._last.append(text)
        if len(self._last) == _TOGETHER:
            self._packed.append(zlib.compress("\0".join(self._last).encode("utf-8", "surrogatepass"), 1))
            self._last = []


def _unpacked(packed: bytes) -> list[str]:
    return zlib.decompress(packed).decode("utf-8", "surrogatepass").split("\0")
