"""Is a 16-tile hand complete or ready? Exact checks, memoised per suit, for the replay (the scorer has its own)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ingest.melds import meld_tiles

_GROUPS = ((0, 9, True), (9, 18, True), (18, 27, True), (27, 34, False))


@cache
def _splits_into_sets(counts: tuple[int, ...], suited: bool) -> bool:
    i = next((i for i, n in enumerate(counts) if n), -1)
    if i < 0:
        return True
    n = counts[i]
    if n >= 3 and _splits_into_sets((*counts[:i], n - 3, *counts[i + 1 :]), suited):
        return True
    if suited and i <= 6 and counts[i + 1] and counts[i + 2]:
        return _splits_into_sets((*counts[:i], n - 1, counts[i + 1] - 1, counts[i + 2] - 1, *counts[i + 3 :]), suited)
    return False


@cache
def _suit_shape(counts: tuple[int, ...], suited: bool) -> tuple[bool, bool]:
    """(sets only, sets and one pair) for the tiles of one suit."""
    rest = sum(counts) % 3
    if rest == 0:
        return _splits_into_sets(counts, suited), False
    if rest == 1:
        return False, False
    with_pair = any(
        n >= 2 and _splits_into_sets((*counts[:i], n - 2, *counts[i + 1 :]), suited) for i, n in enumerate(counts)
    )
    return False, with_pair


@cache
def _suit_needs(counts: tuple[int, ...], suited: bool) -> tuple[int, int]:
    """Bit masks of the tiles that make the suit sets only, and sets and one pair."""
    to_sets = to_pair = 0
    for i, n in enumerate(counts):
        sets, pair = _suit_shape((*counts[:i], n + 1, *counts[i + 1 :]), suited)
        to_sets |= sets << i
        to_pair |= pair << i
    return to_sets, to_pair


def is_standard(counts: Sequence[int], n_melds: int) -> bool:
    """5 sets and a pair, melds included (SPEC 2.1). counts: concealed tiles of the 34 kinds, winning tile included."""
    if sum(counts[:34]) != 17 - 3 * n_melds:
        return False
    pairs = 0
    for start, stop, suited in _GROUPS:
        sets, pair = _suit_shape(tuple(counts[start:stop]), suited)
        if pair:
            pairs += 1
        elif not sets:
            return False
    return pairs == 1


def is_eight_pairs_half(counts: Sequence[int], n_melds: int) -> bool:
    """7 pairs and a triplet, concealed; four of a kind may serve as two pairs (SPEC 2.1, A19)."""
    if n_melds or sum(counts[:34]) != 17:
        return False
    odd = [n for n in counts[:34] if n % 2]
    return odd == [3]


def is_complete(counts: Sequence[int], n_melds: int) -> bool:
    """A complete hand under some preset: five sets and a pair, or eight pairs and a half."""
    return is_standard(counts, n_melds) or is_eight_pairs_half(counts, n_melds)


def wait_kinds(counts: Sequence[int], melds: Sequence[int], *, eight_pairs: bool = False) -> list[int]:
    """Kinds that complete a hand of 16 tiles (3 less a meld), without kinds of which the player holds four (SPEC 2.3).

    counts: concealed tiles; melds: meld codes; eight_pairs: the eight-pairs form is a win too.
    """
    needs = []
    shapes = []
    for start, stop, suited in _GROUPS:
        suit = tuple(counts[start:stop])
        shapes.append(_suit_shape(suit, suited))
        needs.append(_suit_needs(suit, suited))
    held = list(counts[:34])
    for code in melds:
        for kind in meld_tiles(code):
            held[kind] += 1
    waits: list[int] = []
    for g, (start, stop, _) in enumerate(_GROUPS):
        others = [shapes[i] for i in range(4) if i != g]
        pairs = sum(pair for _, pair in others)
        if pairs > 1 or not all(sets or pair for sets, pair in others):
            continue
        mask = needs[g][0] if pairs else needs[g][1]
        waits.extend(kind for kind in range(start, stop) if mask >> (kind - start) & 1 and held[kind] < 4)
    if eight_pairs and not melds:
        trial = list(counts[:34])
        for kind in range(34):
            if trial[kind] < 4 and kind not in waits:
                trial[kind] += 1
                if is_eight_pairs_half(trial, 0):
                    waits.append(kind)
                trial[kind] -= 1
        waits.sort()
    return waits
