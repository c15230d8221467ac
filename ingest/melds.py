"""Meld codes (one byte) and their notation.

0 none · 1-21 chow (suit*7 + start + 1, start 0-6) · 22+k pung · 56+k open kong · 90+k concealed kong ·
124+k added kong.
Notation: `chow:123m`, `pung:EEE`, `kong_open:1111m`, `kong_added:…`, `kong_concealed:…` (SPEC section 1).
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.errors import RecordError
from ingest.tiles import N_KINDS, format_tiles, parse_tiles

CHOW = 1
PUNG = 22
KONG_OPEN = 56
KONG_CONCEALED = 90
KONG_ADDED = 124
N_CODES = 158

_BASE = {"pung": PUNG, "kong_open": KONG_OPEN, "kong_concealed": KONG_CONCEALED, "kong_added": KONG_ADDED}


def chow_code(lowest: int) -> int:
    """Code of the chow whose lowest tile is the kind `lowest`."""
    suit, start = divmod(lowest, 9)
    return CHOW + suit * 7 + start


def meld_name(code: int) -> str:
    """`chow`, `pung`, `kong_open`, `kong_concealed` or `kong_added`."""
    if CHOW <= code < PUNG:
        return "chow"
    for name, base in _BASE.items():
        if base <= code < base + N_KINDS:
            return name
    raise ValueError(f"not a meld code: {code}")


def meld_tiles(code: int) -> list[int]:
    """Kinds of the meld's tiles (3, or 4 for a kong)."""
    name = meld_name(code)
    if name == "chow":
        suit, start = divmod(code - CHOW, 7)
        low = suit * 9 + start
        return [low, low + 1, low + 2]
    kind = code - _BASE[name]
    return [kind] * (3 if name == "pung" else 4)


def is_exposed(code: int) -> bool:
    """A meld that shows what was claimed: any but a concealed kong. 0, no meld, is not one."""
    return code != 0 and not KONG_CONCEALED <= code < KONG_ADDED


def format_meld(code: int) -> str:
    return f"{meld_name(code)}:{format_tiles(meld_tiles(code))}"


def parse_meld(text: str) -> int:
    """Code of a meld text. Raises RecordError `bad_meld` or `unknown_tile`."""
    name, _, tiles_text = text.partition(":")
    tiles = sorted(parse_tiles(tiles_text))
    if name == "chow":
        if len(tiles) == 3 and tiles[0] < 27 and tiles[0] % 9 <= 6 and tiles == [tiles[0], tiles[0] + 1, tiles[0] + 2]:
            return chow_code(tiles[0])
        raise RecordError("bad_meld", f"'{text}' is not a chow; write three neighbours of one suit")
    base = _BASE.get(name)
    if base is None:
        raise RecordError(
            "bad_meld", f"'{text}' has no meld type; use chow:, pung:, kong_open:, kong_added: or kong_concealed:"
        )
    size = 3 if name == "pung" else 4
    if len(tiles) != size or tiles[0] != tiles[-1] or tiles[0] >= N_KINDS:
        raise RecordError("bad_meld", f"'{text}' is not a {name.replace('_', ' ')}; write {size} equal tiles")
    return base + tiles[0]


def pack_melds(codes: Sequence[int]) -> tuple[int, int, int, int, int]:
    """Five meld columns m0..m4, packed to the front."""
    if len(codes) > 5:
        raise RecordError("bad_meld", f"{len(codes)} melds in one hand; at most five are possible")
    m0, m1, m2, m3, m4 = (*codes, *([0] * (5 - len(codes))))
    return m0, m1, m2, m3, m4
