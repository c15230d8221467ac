"""What each meld code adds to a hand, as tables over the code (ingest/melds.py)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ingest.melds import N_CODES, meld_name, meld_tiles


class MeldTables(NamedTuple):
    packed: npt.NDArray[np.int64]
    """(codes,) additive counters, two a byte (low and high three bits), so that one byte view reads them. Byte 0 melds,
    exposed melds; 1 pungs, concealed kongs; 2 exposed kongs, melds without terminal or honour; 3 characters, dots;
    4 bamboos, honours; 5 honour pungs, one bit a tile; 6 melds with a terminal, with a simple; 7 fu (RIICHI 2.3)."""
    octal: npt.NDArray[np.int64]
    """(4, codes) tile counts by suit, 3 bits a tile, a kong counts four."""
    chows: npt.NDArray[np.int64]
    """(codes,) the chow's start, bit 21*suit + 3*start."""
    pungs: npt.NDArray[np.int64]
    """(codes,) the pung's tile, bit = kind."""


_FU = {"chow": 0, "pung": 2, "kong_open": 8, "kong_added": 8, "kong_concealed": 16}


def _fu(name: str, *, outer: bool) -> int:
    """Fu of a meld, doubled for terminals and honours."""
    return _FU[name] * (2 if outer else 1)


@lru_cache(maxsize=1)
def meld_tables() -> MeldTables:
    """The tables of this process."""
    packed = np.zeros(N_CODES, np.int64)
    octal = np.zeros((4, N_CODES), np.int64)
    chows = np.zeros(N_CODES, np.int64)
    pungs = np.zeros(N_CODES, np.int64)
    for code in range(1, N_CODES):
        name, tiles = meld_name(code), meld_tiles(code)
        low = tiles[0]
        suit, rank = (3, low - 27) if low >= 27 else divmod(low, 9)
        for tile in tiles:
            octal[suit, code] += 1 << (3 * (tile - (27 if suit == 3 else 9 * suit)))
        terminal = suit < 3 and any(tile % 9 in (0, 8) for tile in tiles)
        simple = suit < 3 and any(0 < tile % 9 < 8 for tile in tiles)
        if name == "chow":
            chows[code] = 1 << (21 * suit + 3 * rank)
        else:
            pungs[code] = 1 << low
        concealed = name == "kong_concealed"
        fields = (
            1 | (not concealed) << 3,
            (name != "chow") | concealed << 3,
            (name in ("kong_open", "kong_added")) | (suit < 3 and not terminal) << 3,
            (suit == 0) | (suit == 1) << 3,
            (suit == 2) | (suit == 3) << 3,
            1 << rank if suit == 3 else 0,
            terminal | simple << 3,
            _fu(name, outer=suit == 3 or terminal),
        )
        packed[code] = sum(int(value) << (8 * byte) for byte, value in enumerate(fields))
    return MeldTables(packed=packed, octal=octal, chows=chows, pungs=pungs)
