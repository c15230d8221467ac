"""Tiles and notation.

Kinds 0..33: 0-8 = 1-9m (萬), 9-17 = 1-9p (筒), 18-26 = 1-9s (條), 27-33 = E S W N C F P (東南西北中發白).
Flowers are kinds 34..41 = f1..f8 (春夏秋冬梅蘭菊竹) wherever a tile may be a flower; a set of flowers is a bit mask,
bit i = f(i+1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.errors import RecordError

SUITS = "mps"
HONORS = "ESWNCFP"
NAMES: tuple[str, ...] = (
    *(f"{n}{s}" for s in SUITS for n in range(1, 10)),
    *HONORS,
    *(f"f{n}" for n in range(1, 9)),
)
N_KINDS = 34
FIRST_FLOWER = 34
KIND: dict[str, int] = {name: kind for kind, name in enumerate(NAMES)}
Z_HONORS = (27, 28, 29, 30, 33, 32, 31)
"""Kinds of 1z to 7z by the wide convention, which most logs number by: ESWN, then white, green, red."""
_Z_KIND = dict(zip("1234567", Z_HONORS, strict=True))
_SUIT_START = {"m": 0, "p": 9, "s": 18}
WINDS = "ESWN"


def parse_tiles(text: str) -> list[int]:
    """Kinds of a hand text such as `123m44pESf3`, in the order written. Blanks are ignored; `0m` is a red five.

    Raises RecordError `unknown_tile`.
    """
    kinds: list[int] = []
    digits = ""
    flower = False
    for ch in text:
        if flower:
            if ch not in "12345678":
                raise RecordError("unknown_tile", f"'f{ch}' in '{text}' is not a flower; flowers are f1 to f8")
            kinds.append(FIRST_FLOWER + int(ch) - 1)
            flower = False
        elif ch in "0123456789":
            digits += ch
        elif ch in _SUIT_START:
            if not digits:
                raise RecordError(
                    "unknown_tile", f"'{ch}' in '{text}' has no number before it; write for example 3{ch}"
                )
            kinds.extend(_SUIT_START[ch] + (5 if d == "0" else int(d)) - 1 for d in digits)
            digits = ""
        elif ch == "z":
            if not digits or any(d not in _Z_KIND for d in digits):
                raise RecordError(
                    "unknown_tile", f"'{digits}z' in '{text}' is not an honour; honours are 1z to 7z or ESWNCFP"
                )
            kinds.extend(_Z_KIND[d] for d in digits)
            digits = ""
        elif ch.isspace() and not digits:
            continue
        elif digits:
            raise RecordError(
                "unknown_tile", f"the numbers '{digits}' in '{text}' have no suit; write m, p or s after them"
            )
        elif ch in HONORS:
            kinds.append(27 + HONORS.index(ch))
        elif ch == "f":
            flower = True
        else:
            raise RecordError(
                "unknown_tile", f"'{ch}' in '{text}' is not a tile; tiles are 1-9m 1-9p 1-9s ESWNCFP f1-f8"
            )
    if digits or flower:
        raise RecordError("unknown_tile", f"'{text}' ends in the middle of a tile; add its suit or number")
    return kinds


def parse_tile(text: str) -> int:
    """The kind of exactly one tile."""
    kind = KIND.get(text)
    if kind is not None:
        return kind
    kinds = parse_tiles(text)
    if len(kinds) != 1:
        raise RecordError("unknown_tile", f"'{text}' is not one tile; write for example 5m")
    return kinds[0]


def format_tiles(kinds: Iterable[int]) -> str:
    """Compact sorted text of tiles, `123m44pESf3`; parse_tiles reads it back."""
    ordered = sorted(kinds)
    out: list[str] = []
    for position, kind in enumerate(ordered):
        if kind >= 27:
            out.append(NAMES[kind])
            continue
        out.append(str(kind % 9 + 1))
        following = ordered[position + 1] if position + 1 < len(ordered) else 99
        if following // 9 != kind // 9 or following >= 27:
            out.append(SUITS[kind // 9])
    return "".join(out)


def count_kinds(kinds: Iterable[int]) -> list[int]:
    """Counts of the 34 kinds. Flowers are an error here: `unknown_tile`."""
    counts = [0] * N_KINDS
    for kind in kinds:
        if kind >= N_KINDS:
            raise RecordError("unknown_tile", f"the flower {NAMES[kind]} cannot stand in a hand; list it under flowers")
        counts[kind] += 1
    return counts


def decimal_keys(counts: Sequence[int]) -> tuple[int, int, int, int]:
    """(km, kp, ks, kh): decimal count keys, digit j (units first) = copies of tile j+1 of the suit or honour."""
    keys = []
    for start, stop in ((0, 9), (9, 18), (18, 27), (27, 34)):
        key = 0
        for kind in range(stop - 1, start - 1, -1):
            key = key * 10 + counts[kind]
        keys.append(key)
    return keys[0], keys[1], keys[2], keys[3]


def counts_of_keys(km: int, kp: int, ks: int, kh: int) -> list[int]:
    """Inverse of decimal_keys."""
    counts = []
    for key, n in ((km, 9), (kp, 9), (ks, 9), (kh, 7)):
        for _ in range(n):
            key, digit = divmod(key, 10)
            counts.append(digit)
    return counts
