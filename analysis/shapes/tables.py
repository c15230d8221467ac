"""Suit tables: every way to read the tiles of one suit (or of the honours) as at most five sets and at most one pair.

Built once per process by enumeration (about 0.2 s), never stored. A *key* is a base-5 number, digit j = copies of
tile j+1.
A decomposition is one int64:

    bits  0-8   pungs, one bit a tile          bits 48-50  sets
    bits  9-29  chows by start, 3 bits each    bits 51-53  pairs
    bits 30-33  pair tile + 1                  bits 54-55  1 if the key has further decompositions
    bits 34-36  1 if a terminal is there       bits 56-58  pungs
    bits 37-39  1 if a simple is there         bits 59-61  sets and pairs without a terminal or honour
    bits 40-42  pungs of terminals or honours

The fields from bit 34 up are additive: the sum over the four suits of a hand holds the hand's counts, without a carry.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]

CHOW_SHIFT: Final = 9
CHOW_BITS: Final = (1 << 21) - 1
PAIR_SHIFT: Final = 30
TERMINAL_SHIFT: Final = 34
SIMPLE_SHIFT: Final = 37
OUTER_PUNG_SHIFT: Final = 40
SHAPE_SHIFT: Final = 48
N_PAIRS_SHIFT: Final = 51
PUNG_SHIFT: Final = 56
ROLE_TWO_SIDED, ROLE_EDGE, ROLE_CLOSED, ROLE_PUNG, ROLE_PAIR = 1, 2, 4, 8, 16
WAIT_ELSEWHERE_BIT: Final = 9

_POW5: Final = 5 ** np.arange(9, dtype=np.int64)
_N_SUIT: Final = 5**9
_N_HONOR: Final = 5**7


class SuitTables(NamedTuple):
    """The tables. Record ids are shared by suits and honours; id 0 is "no decomposition"."""

    low5: I64
    """(44445,) base-5 index of the low five decimal digits of a key."""
    high5: I64
    """(4445,) base-5 index of the digits above them."""
    suit_id: npt.NDArray[np.uint16]
    """(5**9,) record id of a suit key."""
    honor_id: npt.NDArray[np.uint16]
    """(5**7,) record id of an honour key."""
    first: I64
    """(records,) first decomposition."""
    offset: I64
    """(records,) index of the first decomposition in `decompositions`."""
    n_decompositions: I64
    """(records,) number of decompositions."""
    decompositions: I64
    roles: npt.NDArray[np.uint8]
    """(decompositions*9,) at [decomposition*9 + tile]: ROLE_ bits the tile can play in it."""
    waits: npt.NDArray[np.uint16]
    """(records*9,) at [id*9 + tile], for the suit without that tile: bits 0-8 tiles that complete it again, with or
    without a pair as in the record; bit 9 set if it is complete with a pair, so that the pair elsewhere waits."""
    pair_waits: npt.NDArray[np.uint16]
    """(records,) tiles that turn the suit's sets and pair into sets alone."""
    octal: npt.NDArray[np.int32]
    """(records,) counts, 3 bits a tile."""


def _suit_decompositions() -> tuple[I64, I64]:
    """Counts (n, 9) and packed decompositions (n,) of every multiset of at most five sets with and without a pair."""
    counts = np.zeros((16, 9), np.int64)
    packed = np.zeros(16, np.int64)
    for start in range(7):
        counts[start, start : start + 3] = 1
        inner = 1 if 1 <= start <= 5 else 0
        packed[start] = (1 << (CHOW_SHIFT + 3 * start)) + (1 << SHAPE_SHIFT) + (inner << 59)
    for tile in range(9):
        counts[7 + tile, tile] = 3
        inner = 1 if 1 <= tile <= 7 else 0
        packed[7 + tile] = (1 << tile) + (1 << SHAPE_SHIFT) + (1 << PUNG_SHIFT) + (inner << 59)
        packed[7 + tile] += (1 - inner) << OUTER_PUNG_SHIFT
    pair_counts = np.zeros((10, 9), np.int64)
    pair_packed = np.zeros(10, np.int64)
    for tile in range(9):
        pair_counts[1 + tile, tile] = 2
        inner = 1 if 1 <= tile <= 7 else 0
        pair_packed[1 + tile] = ((tile + 1) << PAIR_SHIFT) + (1 << N_PAIRS_SHIFT) + (inner << 59)
    all_counts, all_packed = [np.zeros((1, 9), np.int64)], [np.zeros(1, np.int64)]
    for n in range(1, 6):
        chosen = np.array(list(combinations_with_replacement(range(16), n)))
        all_counts.append(counts[chosen].sum(1))
        all_packed.append(packed[chosen].sum(1))
    set_counts, set_packed = np.concatenate(all_counts), np.concatenate(all_packed)
    possible = (set_counts <= 4).all(1)
    set_counts, set_packed = set_counts[possible], set_packed[possible]
    with_pair = (set_counts[:, None, :] + pair_counts[None]).reshape(-1, 9)
    with_pair_packed = (set_packed[:, None] + pair_packed[None]).reshape(-1)
    possible = (with_pair <= 4).all(1)
    return with_pair[possible], with_pair_packed[possible]


def _honor_decompositions() -> tuple[I64, I64]:
    digits = (np.arange(_N_HONOR)[:, None] // _POW5[:7]) % 5
    pairs, pungs = digits == 2, digits == 3
    valid = ((digits == 0) | pairs | pungs).all(1) & (pairs.sum(1) <= 1) & (pungs.sum(1) <= 5)
    digits, pairs, pungs = digits[valid], pairs[valid], pungs[valid]
    n_pungs = pungs.sum(1).astype(np.int64)
    packed = (pungs << np.arange(7)).sum(1).astype(np.int64)
    packed += ((pairs * np.arange(1, 8)).sum(1) << PAIR_SHIFT) + (pairs.sum(1).astype(np.int64) << N_PAIRS_SHIFT)
    packed += (n_pungs << SHAPE_SHIFT) + (n_pungs << PUNG_SHIFT) + (n_pungs << OUTER_PUNG_SHIFT)
    return digits.astype(np.int64), packed


def _roles(decompositions: I64) -> npt.NDArray[np.uint8]:
    """ROLE_ bits of each tile in each decomposition, (n, 9)."""
    out = np.zeros((len(decompositions), 9), np.uint8)
    for tile in range(9):
        role = ((decompositions >> tile) & 1) * ROLE_PUNG
        role |= (((decompositions >> PAIR_SHIFT) & 15) == tile + 1) * ROLE_PAIR
        for start, bit in (
            (tile, ROLE_EDGE if tile == 6 else ROLE_TWO_SIDED),
            (tile - 1, ROLE_CLOSED),
            (tile - 2, ROLE_EDGE if tile == 2 else ROLE_TWO_SIDED),
        ):
            if 0 <= start <= 6:
                role |= (((decompositions >> (CHOW_SHIFT + 3 * start)) & 7) != 0) * bit
        out[:, tile] = role
    return out


def _waits(keys: I64, has_pair: npt.NDArray[np.bool_], n_keys: int, n_tiles: int) -> tuple[I64, I64]:
    """(waits (n, 9), pair waits (n,)) of the valid keys, as SuitTables describes them."""
    sets_alone = np.zeros(n_keys, np.int64)
    sets_and_pair = np.zeros(n_keys, np.int64)
    already = np.zeros(n_keys, np.int64)
    already[keys[has_pair]] = 1
    for tile in range(n_tiles):
        holds = (keys // _POW5[tile]) % 5 > 0
        sets_alone[keys[holds & ~has_pair] - _POW5[tile]] |= 1 << tile
        sets_and_pair[keys[holds & has_pair] - _POW5[tile]] |= 1 << tile
    waits = np.zeros((len(keys), 9), np.int64)
    for tile in range(n_tiles):
        holds = (keys // _POW5[tile]) % 5 > 0
        before = keys[holds] - _POW5[tile]
        waits[holds, tile] = np.where(
            has_pair[holds], sets_and_pair[before], sets_alone[before] | (already[before] << WAIT_ELSEWHERE_BIT)
        )
    return waits, np.where(has_pair, sets_alone[keys], 0)


@lru_cache(maxsize=1)
def suit_tables() -> SuitTables:
    """The tables of this process."""
    parts = []
    ids = []
    n_records = 1
    for (counts, packed), n_keys, n_tiles in (
        (_suit_decompositions(), _N_SUIT, 9),
        (_honor_decompositions(), _N_HONOR, 7),
    ):
        if n_tiles == 9:
            packed = packed + (counts[:, [0, 8]].any(1).astype(np.int64) << TERMINAL_SHIFT)
            packed += counts[:, 1:8].any(1).astype(np.int64) << SIMPLE_SHIFT
        key = counts @ _POW5[:n_tiles]
        # The order of decompositions of one key must not depend on the enumeration: sort by key, then by content.
        order = np.lexsort((packed, key))
        key, packed = key[order], packed[order]
        keys, first, n_of_key = np.unique(key, return_index=True, return_counts=True)
        packed = packed + (np.repeat(n_of_key > 1, n_of_key).astype(np.int64) << 54)
        waits, pair_waits = _waits(keys, ((packed[first] >> N_PAIRS_SHIFT) & 7) > 0, n_keys, n_tiles)
        digits = (keys[:, None] // _POW5[:n_tiles]) % 5
        octal = (digits << (3 * np.arange(n_tiles))).sum(1)
        id_of_key = np.zeros(n_keys, np.uint16)
        id_of_key[keys] = np.arange(n_records, n_records + len(keys))
        n_records += len(keys)
        ids.append(id_of_key)
        parts.append((packed, first, n_of_key, waits, pair_waits, octal))
    (suit, honor) = parts
    decompositions = np.concatenate([suit[0], honor[0]])
    zero = np.zeros(1, np.int64)
    offset = np.concatenate([zero, suit[1], honor[1] + len(suit[0])])
    first = decompositions[offset]
    first[0] = 0
    decimal = np.arange(100_000, dtype=np.int64)
    base5 = sum(((decimal // 10**j) % 10) * 5**j for j in range(5))
    digit_too_high = np.zeros(100_000, bool)
    for j in range(5):
        digit_too_high |= (decimal // 10**j) % 10 > 4
    # A digit above four is no hand: point it at the key "one tile", which has no decomposition.
    low5 = np.where(digit_too_high, 1, base5)[:44445]
    return SuitTables(
        low5=np.ascontiguousarray(low5),
        high5=np.ascontiguousarray(low5[:4445] * 5**5),
        suit_id=ids[0],
        honor_id=ids[1],
        first=first,
        offset=offset,
        n_decompositions=np.concatenate([zero, suit[2], honor[2]]),
        decompositions=decompositions,
        roles=_roles(decompositions).reshape(-1),
        waits=np.concatenate([np.zeros((1, 9), np.int64), suit[3], honor[3]]).reshape(-1).astype(np.uint16),
        pair_waits=np.concatenate([zero, suit[4], honor[4]]).astype(np.uint16),
        octal=np.concatenate([zero, suit[5], honor[5]]).astype(np.int32),
    )
