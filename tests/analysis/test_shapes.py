"""The suit and meld tables against brute force (tests/reference/splits.py), which knows no table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import (
    PAIR_SHIFT,
    ROLE_CLOSED,
    ROLE_EDGE,
    ROLE_PAIR,
    ROLE_PUNG,
    ROLE_TWO_SIDED,
    suit_tables,
)
from ingest.melds import N_CODES, meld_name, meld_tiles, parse_meld
from tests.reference.splits import Part, cut_into_sets, part_kinds, standard_splits

Counts = tuple[int, ...]
TABLES = suit_tables()


def splits(counts: Counts, *, honors: bool) -> list[tuple[Part, ...]]:
    """Every way to cut the tiles of one suit into at most five sets and at most one pair."""
    tiles = [27 * honors + kind for kind, n in enumerate(counts) for _ in range(n)]
    if len(tiles) > 17 or len(tiles) % 3 == 1:
        return []
    found = cut_into_sets(tiles) if len(tiles) % 3 == 0 else standard_splits(tiles)
    return sorted({tuple(sorted(split)) for split in found})


@st.composite
def suits(draw: st.DrawFn, n_kinds: int) -> Counts:
    """Counts of one suit: sets and perhaps a pair, or any tiles at all."""
    counts = [0] * n_kinds
    if draw(st.booleans()):
        return tuple(draw(st.lists(st.integers(0, 4), min_size=n_kinds, max_size=n_kinds)))
    narrow = draw(st.integers(3, n_kinds))
    for _ in range(draw(st.integers(0, 5))):
        low = draw(st.integers(0, narrow - 1))
        chow = n_kinds == 9 and low <= 6 and draw(st.booleans())
        parts = [low, low + 1, low + 2] if chow else [low] * 3
        for kind in parts:
            counts[kind] += 1
    if draw(st.booleans()):
        counts[draw(st.integers(0, n_kinds - 1))] += 2
    if max(counts) > 4 or sum(counts) > 17:
        counts = [min(n, 3) for n in counts]
    return tuple(counts)


def record_of(counts: Counts) -> int:
    """Record id, reached as the scorer does: decimal key → base-5 index → id."""
    key = sum(n * 10**kind for kind, n in enumerate(counts))
    index = TABLES.low5[key % 100_000] + TABLES.high5[key // 100_000]
    return int((TABLES.suit_id if len(counts) == 9 else TABLES.honor_id)[index])


def unpack(packed: int, *, honors: bool) -> tuple[Part, ...]:
    base = 27 * honors
    parts: list[Part] = [("pung", base + kind) for kind in range(9) if packed >> kind & 1]
    for low in range(7):
        parts += [("chow", base + low)] * (packed >> (9 + 3 * low) & 7)
    pair = packed >> PAIR_SHIFT & 15
    if pair:
        parts.append(("pair", base + pair - 1))
    return tuple(sorted(parts))


def outside(part: Part) -> bool:
    return any(kind >= 27 or kind % 9 in (0, 8) for kind in part_kinds(part))


def role_bits(split: tuple[Part, ...], kind: int) -> int:
    """The parts of a split that a tile can complete, as ROLE_ bits."""
    bits = 0
    for name, low in split:
        if kind not in part_kinds((name, low)):
            continue
        if name == "pung":
            bits |= ROLE_PUNG
        elif name == "pair":
            bits |= ROLE_PAIR
        elif kind == low + 1:
            bits |= ROLE_CLOSED
        else:
            edge = (low % 9 == 0 and kind == low + 2) or (low % 9 == 6 and kind == low)
            bits |= ROLE_EDGE if edge else ROLE_TWO_SIDED
    return bits


def check_suit(counts: Counts) -> None:
    honors = len(counts) == 7
    base = 27 * honors
    expected = splits(counts, honors=honors)
    record = record_of(counts)
    assert bool(record) is bool(expected)
    if not record:
        return
    offset, number = int(TABLES.offset[record]), int(TABLES.n_decompositions[record])
    assert number == len(expected)
    assert int(TABLES.first[record]) == int(TABLES.decompositions[offset])
    assert int(TABLES.octal[record]) == sum(n << (3 * kind) for kind, n in enumerate(counts))
    found = []
    for index in range(offset, offset + number):
        packed = int(TABLES.decompositions[index])
        split = unpack(packed, honors=honors)
        found.append(split)
        names = Counter(name for name, _ in split)
        assert packed >> 48 & 7 == names["chow"] + names["pung"]
        assert packed >> 51 & 7 == names["pair"]
        assert packed >> 54 & 3 == (number > 1)
        assert packed >> 56 & 7 == names["pung"]
        assert packed >> 59 & 7 == sum(not outside(part) for part in split)
        if not honors:
            assert packed >> 34 & 7 == bool(counts[0] or counts[8])
            assert packed >> 37 & 7 == any(counts[1:8])
        for kind in range(len(counts)):
            assert int(TABLES.roles[9 * index + kind]) == role_bits(split, base + kind), (counts, split, kind)
    assert sorted(found) == expected
    check_waits(counts, record, honors=honors)


def check_waits(counts: Counts, record: int, *, honors: bool) -> None:
    """Waits of the suit without one of its tiles, by trying every kind."""

    def plus(changed: Counts, kind: int) -> Counts:
        return (*changed[:kind], changed[kind] + 1, *changed[kind + 1 :])

    def completed_by(before: Counts, remainder: int) -> int:
        mask = 0
        for kind, held in enumerate(before):
            after = plus(before, kind)
            if held < 4 and sum(after) % 3 == remainder and splits(after, honors=honors):
                mask |= 1 << kind
        return mask

    has_pair = sum(counts) % 3 == 2
    for kind, held in enumerate(counts):
        if not held:
            continue
        before = (*counts[:kind], held - 1, *counts[kind + 1 :])
        packed = int(TABLES.waits[9 * record + kind])
        elsewhere = not has_pair and bool(splits(before, honors=honors))
        assert packed == completed_by(before, 2 if has_pair else 0) | elsewhere << 9, (counts, kind)
    assert int(TABLES.pair_waits[record]) == (completed_by(counts, 0) if has_pair else 0)


@settings(max_examples=400, deadline=None)
@given(suits(9))
def test_a_suit(counts: Counts) -> None:
    check_suit(counts)


@settings(max_examples=200, deadline=None)
@given(suits(7))
def test_honors(counts: Counts) -> None:
    check_suit(counts)


@pytest.mark.parametrize(
    "counts",
    [
        (0,) * 9,
        (3, 1, 1, 1, 1, 1, 1, 1, 3),
        (3, 3, 3, 3, 3, 2, 0, 0, 0),
        (4, 4, 4, 2, 0, 0, 0, 0, 0),
        (0, 2, 4, 4, 4, 2, 1, 0, 0),
        (2, 2, 2, 2, 2, 2, 2, 2, 1),
    ],
)
def test_rich_suits(counts: Counts) -> None:
    check_suit(counts)


def test_a_count_above_four_is_no_hand() -> None:
    """The count key of five copies must not reach the record of other tiles."""
    for key in (5, 50, 500_000, 6, 9):
        counts = [int(digit) for digit in reversed(f"{key:09d}")]
        assert record_of(tuple(counts)) == 0


def test_every_meld_counts_once() -> None:
    tables = meld_tables()
    assert not tables.packed[0]
    for code in range(1, N_CODES):
        name, tiles = meld_name(code), meld_tiles(code)
        value = int(tables.packed[code]).to_bytes(8, "little")
        pung, terminal = name != "chow", any(t < 27 and t % 9 in (0, 8) for t in tiles)
        honor, simple = tiles[0] >= 27, any(t < 27 and 0 < t % 9 < 8 for t in tiles)
        assert value[0] == 1 + 8 * (name != "kong_concealed")
        assert value[1] == pung + 8 * (name == "kong_concealed")
        assert value[2] == (name in ("kong_open", "kong_added")) + 8 * (not terminal and not honor)
        assert value[3] == (tiles[0] < 9) + 8 * (9 <= tiles[0] < 18)
        assert value[4] == (18 <= tiles[0] < 27) + 8 * honor
        assert value[5] == (1 << (tiles[0] - 27) if honor else 0)
        assert value[6] == terminal + 8 * simple
        suit, base = (3, 27) if honor else (tiles[0] // 9, tiles[0] // 9 * 9)
        expected = np.zeros(4, np.int64)
        for tile in tiles:
            expected[suit] += 1 << (3 * (tile - base))
        assert (tables.octal[:, code] == expected).all()
    assert int(tables.chows[parse_meld("chow:456p")]) == 1 << (21 + 9)
    assert int(tables.pungs[parse_meld("kong_added:PPPP")]) == 1 << 33
