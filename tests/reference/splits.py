"""Brute-force reading of 17 tiles: every split into sets and a pair, the eight-pairs form, and the waits.

Tile kinds: 0-8 characters (m), 9-17 dots (p), 18-26 bamboos (s), 27-33 E S W N C F P. Everything works on sorted tile
lists, on purpose without any table.
"""

from collections.abc import Iterator
from dataclasses import dataclass

SUITS = "mps"
HONORS = "ESWNCFP"
ALL_KINDS = range(34)

#: ("pair" | "pung" | "chow", kind); a chow is named by its lowest kind.
Part = tuple[str, int]


@dataclass(frozen=True)
class Reading:
    """One way to see the concealed tiles, and the part that the winning tile completed."""

    form: str  # "standard" or "eight_pairs"
    parts: tuple[Part, ...]
    won_part: Part


def parse_tiles(text: str) -> list[int]:
    """Kinds of e.g. "123m44pEEP", in text order."""
    kinds: list[int] = []
    digits: list[int] = []
    for char in text:
        if char.isdigit():
            digits.append(int(char))
        elif char in SUITS:
            kinds.extend(9 * SUITS.index(char) + digit - 1 for digit in digits)
            digits = []
        elif char in HONORS:
            if digits:
                raise ValueError(f"digits without a suit in {text!r}")
            kinds.append(27 + HONORS.index(char))
        else:
            raise ValueError(f"unknown tile {char!r} in {text!r}")
    if digits:
        raise ValueError(f"digits without a suit in {text!r}")
    return kinds


def part_kinds(part: Part) -> list[int]:
    """The kinds in a part, one entry per tile."""
    name, kind = part
    if name == "chow":
        return [kind, kind + 1, kind + 2]
    return [kind] * (2 if name == "pair" else 3)


def _starts_chow(kind: int) -> bool:
    return kind < 27 and kind % 9 <= 6


def cut_into_sets(tiles: list[int]) -> Iterator[tuple[Part, ...]]:
    """Every way to cut the sorted tiles into pungs and chows; the lowest tile must be in one of the two."""
    if not tiles:
        yield ()
        return
    low = tiles[0]
    if tiles[:3] == [low, low, low]:
        for others in cut_into_sets(tiles[3:]):
            yield (("pung", low), *others)
    if _starts_chow(low) and low + 1 in tiles and low + 2 in tiles:
        left = tiles[1:]
        left.remove(low + 1)
        left.remove(low + 2)
        for others in cut_into_sets(left):
            yield (("chow", low), *others)


def standard_splits(tiles: list[int]) -> Iterator[tuple[Part, ...]]:
    """Every split of the tiles into sets and one pair (the pair is the last part)."""
    tiles = sorted(tiles)
    if len(tiles) % 3 != 2:
        return
    for kind in sorted(set(tiles)):
        if tiles.count(kind) >= 2:
            left = tiles.copy()
            left.remove(kind)
            left.remove(kind)
            for sets in cut_into_sets(left):
                yield (*sets, ("pair", kind))


def eight_pairs_split(tiles: list[int]) -> tuple[Part, ...] | None:
    """Seven pairs and a triplet out of 17 tiles, four of a kind being two pairs (A19); None when it is not."""
    if len(tiles) != 17:
        return None
    parts: list[Part] = []
    for kind in sorted(set(tiles)):
        count = tiles.count(kind)
        if count == 3:
            parts.append(("pung", kind))
        elif count in (2, 4):
            parts.extend([("pair", kind)] * (count // 2))
        else:
            return None
    triplets = sum(name == "pung" for name, _ in parts)
    return tuple(parts) if triplets == 1 and len(parts) == 8 else None


def readings(tiles: list[int], win_tile: int) -> list[Reading]:
    """Every split (both forms) with every part that can hold the winning tile; `tiles` include the winning tile."""
    found: list[Reading] = []
    forms = [("standard", split) for split in standard_splits(tiles)]
    eight_pairs = eight_pairs_split(tiles)
    if eight_pairs is not None:
        forms.append(("eight_pairs", eight_pairs))
    for form, parts in forms:
        holders = sorted({part for part in parts if win_tile in part_kinds(part)})
        found.extend(Reading(form, parts, holder) for holder in holders)
    return found


def wait_kinds(concealed: list[int], held: list[int]) -> tuple[set[int], set[int]]:
    """Kinds that complete `concealed` (no winning tile): (standard form, eight-pairs form).

    `held` is everything the winner holds, melds included: a kind held four times is no wait (SPEC 2.3).
    """
    standard: set[int] = set()
    pairs: set[int] = set()
    for kind in ALL_KINDS:
        if held.count(kind) >= 4:
            continue
        tiles = [*concealed, kind]
        if next(standard_splits(tiles), None) is not None:
            standard.add(kind)
        if eight_pairs_split(tiles) is not None:
            pairs.add(kind)
    return standard, pairs
