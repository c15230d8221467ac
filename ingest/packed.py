"""What a run remembers of every log and every game, packed: a hundred thousand small objects are many megabytes."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from typing import Final, Generic, TypeVar

_T = TypeVar("_T")

_BUCKETS: Final = 1 << 12
_ID: Final = 10
_ENTRY: Final = _ID + 8
_TOGETHER: Final = 128


class IdMap:
    """A number for each of many ids of 20 hex digits (ingest.ids); 25 bytes for each, a fifth of what a dict takes."""

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

    def add(self, id_: str) -> None:
        """An id whose number nobody asks for."""
        self[id_] = 0

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


class PackedList(Generic[_T]):
    """Many things in order, read one after the other; those alike, as the files of a folder are, take little room."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._last: list[_T] = []

    def __len__(self) -> int:
        return len(self._packed) * _TOGETHER + len(self._last)

    def __iter__(self) -> Iterator[_T]:
        return self.between(0, len(self))

    def __getitem__(self, number: int) -> _T:
        return next(self.between(number, number + 1))

    def between(self, first: int, end: int) -> Iterator[_T]:
        """The things first to end - 1."""
        for number in range(first // _TOGETHER, -(-end // _TOGETHER)):
            things = pickle.loads(zlib.decompress(self._packed[number])) if number < len(self._packed) else self._last
            yield from things[max(0, first - number * _TOGETHER) : end - number * _TOGETHER]

    def append(self, thing: _T) -> None:
        self._last.append(thing)
        if len(self._last) == _TOGETHER:
            self._packed.append(zlib.compress(pickle.dumps(self._last), 1))
            self._last = []
