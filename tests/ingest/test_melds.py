from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.melds import N_CODES, format_meld, meld_name, meld_tiles, pack_melds, parse_meld
from ingest.tiles import NAMES

codes = st.integers(1, N_CODES - 1)


@given(codes)
def test_every_code_reads_back(code: int) -> None:
    assert parse_meld(format_meld(code)) == code


@given(codes)
def test_size_follows_the_name(code: int) -> None:
    tiles = meld_tiles(code)
    if meld_name(code) == "chow":
        assert [kind - tiles[0] for kind in tiles] == [0, 1, 2]
        assert tiles[0] // 9 == tiles[2] // 9
    else:
        assert len(set(tiles)) == 1
        assert len(tiles) == (3 if meld_name(code) == "pung" else 4)


@pytest.mark.parametrize(
    ("text", "code", "tiles"),
    [
        ("chow:123m", 1, ["1m", "2m", "3m"]),
        ("chow:978s", 21, ["7s", "8s", "9s"]),  # the order of the tiles says nothing
        ("pung:EEE", 22 + 27, ["E"] * 3),
        ("kong_open:1111m", 56, ["1m"] * 4),
        ("kong_concealed:PPPP", 90 + 33, ["P"] * 4),
        ("kong_added:9999p", 124 + 17, ["9p"] * 4),
    ],
)
def test_codes_of_the_notation(text: str, code: int, tiles: list[str]) -> None:
    assert parse_meld(text) == code
    assert [NAMES[kind] for kind in meld_tiles(code)] == tiles


@pytest.mark.parametrize(
    "text",
    [
        "chow:124m", "chow:1m2p3s", "chow:891m", "chow:ESW", "chow:12m", "pung:11m", "pung:112m", "pung:1111m",
        "kong_open:111m", "kong:1111m", "111m", "pung:f1f1f1", "pung:", "",
    ],
)  # fmt: skip
def test_what_is_no_meld_is_refused(text: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_meld(text)
    assert caught.value.code in ("bad_meld", "unknown_tile")


def test_melds_are_packed_to_the_front() -> None:
    assert pack_melds([22, 1]) == (22, 1, 0, 0, 0)
    with pytest.raises(RecordError):
        pack_melds([1] * 6)


@pytest.mark.parametrize("code", [0, N_CODES, -1])
def test_a_number_outside_the_codes_has_no_name(code: int) -> None:
    with pytest.raises(ValueError, match="not a meld code"):
        meld_name(code)
