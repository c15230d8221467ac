from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.tiles import (
    NAMES,
    count_kinds,
    counts_of_keys,
    decimal_keys,
    format_tiles,
    parse_tile,
    parse_tiles,
)

kinds = st.integers(0, 41)


@given(st.lists(kinds, max_size=20))
def test_what_is_formatted_reads_back_sorted(tiles: list[int]) -> None:
    assert parse_tiles(format_tiles(tiles)) == sorted(tiles)


@given(st.lists(st.integers(0, 4), min_size=34, max_size=34))
def test_keys_keep_every_count(counts: list[int]) -> None:
    assert counts_of_keys(*decimal_keys(counts)) == counts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("123m", ["1m", "2m", "3m"]),
        ("9p1s", ["9p", "1s"]),
        ("ESWNCFP", ["E", "S", "W", "N", "C", "F", "P"]),
        ("1234567z", ["E", "S", "W", "N", "P", "F", "C"]),  # 567z = white, green, red
        ("0p", ["5p"]),
        ("f1 f8", ["f1", "f8"]),
        ("F", ["F"]),  # 發; only the small f is a flower
        ("", []),
    ],
)
def test_notation(text: str, names: list[str]) -> None:
    assert [NAMES[kind] for kind in parse_tiles(text)] == names


@pytest.mark.parametrize("text", ["1", "m", "12", "f", "f9", "f0", "8z", "1x", "Q", "1 m", "fE", "東"])
def test_what_is_no_tile_is_refused(text: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_tiles(text)
    assert caught.value.code == "unknown_tile"


@pytest.mark.parametrize("text", ["", "12m", "EE"])
def test_one_tile_is_one_tile(text: str) -> None:
    with pytest.raises(RecordError):
        parse_tile(text)


def test_decimal_keys_have_the_first_tile_in_the_units() -> None:
    assert decimal_keys(count_kinds(parse_tiles("1119m22pPP"))) == (100_000_003, 20, 0, 2_000_000)


def test_a_flower_stands_in_no_hand() -> None:
    with pytest.raises(RecordError):
        count_kinds(parse_tiles("1mf1"))
