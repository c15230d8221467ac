"""A batch of winning hands as numpy columns: what the scorer reads."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ingest.record import DORA, URA, WINS

Column = npt.NDArray[Any]

_DTYPES: Final[dict[str, str]] = {
    field.name: "uint8" if str(field.type) == "bool" else str(field.type)
    for field in WINS
    if str(field.type) in ("bool", "uint8", "uint16", "uint32")
}
COLUMNS: Final = tuple(_DTYPES)
"""Numeric columns of `wins`; flags are 0/1."""

NO_TILE: Final = 255
"""Stands for a null tile."""
NONE_SEAT: Final = 255
"""Stands for a null payer or liable seat."""
_NULL_MEANS: Final = {
    **dict.fromkeys(("payer", "liable", "liable_dragons", "liable_winds", "liable_kongs", "kong_feeder"), NONE_SEAT),
    **dict.fromkeys((*DORA, *URA), NO_TILE),
    "n_players": 4,
    "n_winners": 1,
}
# A null in these columns is an answer ("all pay", "nobody is liable"), not a gap in the log.
_NULL_IS_KNOWN: Final = frozenset(
    {*_NULL_MEANS, "eye_players", "flower_mode", "robbed_flower", "declined_eight", "robbed", "sticks", "own_stick"}
)


class HandBatch:
    """`n` hands as columns.

    `column(name)` is a uint array of the wins column, nulls replaced by 0; `unknown(name)` tells where it was null.

    Columns are taken from Arrow when first asked for, so a preset that never looks at a flag does not pay for it.
    """

    def __init__(self, columns: dict[str, Column], unknown: dict[str, Column], n: int, arrow: Any = None) -> None:
        self.n = n
        self._columns = columns
        self._unknown = unknown
        self._arrow = arrow

    @classmethod
    def from_arrow(cls, batch: Any) -> HandBatch:
        """From a RecordBatch or a one-chunk table with columns of schema WINS. Columns left out count as null."""
        return cls({}, {}, batch.num_rows, batch)

    def _load(self, name: str) -> None:
        dtype = _DTYPES[name]
        index = self._arrow.schema.get_field_index(name) if self._arrow is not None else -1
        if index < 0:
            self._columns[name] = np.full(self.n, _NULL_MEANS.get(name, 0), dtype)
            if name not in _NULL_IS_KNOWN:
                self._unknown[name] = np.ones(self.n, bool)
            return
        array = self._arrow.column(index)
        if hasattr(array, "combine_chunks"):
            array = array.combine_chunks()
        if array.null_count:
            if name not in _NULL_IS_KNOWN:
                self._unknown[name] = array.is_null().to_numpy(zero_copy_only=False)
            null = _NULL_MEANS.get(name, 0)
            array = array.fill_null(bool(null) if str(array.type) == "bool" else null)
        if str(array.type) == "bool":
            array = array.cast("uint8")
        self._columns[name] = array.to_numpy(zero_copy_only=False)

    def column(self, name: str) -> Column:
        if name not in self._columns:
            self._load(name)
        return self._columns[name]

    def looked_at(self, name: str) -> bool:
        """Whether the column has been asked for."""
        return name in self._columns

    def unknown(self, name: str) -> Column | None:
        """Where the log does not say, or None if it says everywhere."""
        if name not in self._columns:
            self._load(name)
        return self._unknown.get(name)

    def take(self, rows: npt.NDArray[np.intp], **changed: Column | int) -> HandBatch:
        """The given rows, with some columns replaced and every gap closed (nulls read as their replacement or 0)."""
        columns = {name: self.column(name)[rows] for name in COLUMNS if name not in changed}
        for name, value in changed.items():
            columns[name] = np.broadcast_to(np.asarray(value, _DTYPES[name]), (len(rows),))
        return HandBatch(columns, {}, len(rows))
