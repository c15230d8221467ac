"""Is a riichi hand complete or ready? Exact, memoised per suit; for the checks of the replay (the scorer has its own).

Hands are the four decimal count keys (km, kp, ks, kh) of `wins`: digit j, units first, = copies of tile j+1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from ingest.melds import meld_tiles
from ingest.tiles import N_KINDS, decimal_keys

RED_FIVE: Final = 64
"""Added to the kind of a five that is red."""

TERMINALS_AND_HONORS: Final = (0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33)

Keys = tuple[int, int, int, int]

_SUIT: Final = 10**9
_WEIGHTS: Final = [10**kind for kind in range(N_KINDS)]
_WEIGHT: Final = dict(enumerate(_WEIGHTS)) | {kind | RED_FIVE: weight for kind, weight in enumerate(_WEIGHTS)}


def keys_of(tiles: Iterable[int]) -> Keys:
    """Count keys of tiles, red or not. Raises KeyError for what is no tile."""
    rest, km = divmod(sum(map(_WEIGHT.__getitem__, tiles)), _SUIT)
    rest, kp = divmod(rest, _SUIT)
    kh, ks = divmod(rest, _SUIT)
    return km, kp, ks, kh


@cache
def _only_sets(key: int, suited: bool) -> bool:
    """The tiles of one suit fall into sets."""
    if not key:
        return True
    unit = 1
    while not key // unit % 10:
        unit *= 10
    if key // unit % 10 >= 3 and _only_sets(key - 3 * unit, suited):
        return True
    run = 111 * unit
    return (
        suited
        and unit <= 10**6
        and bool(key // unit // 10 % 10 and key // unit // 100 % 10)
        and _only_sets(key - run, suited)
    )


@cache
def _suit(key: int, suited: bool) -> tuple[bool, bool, int, int]:
    """Of one suit: sets only; sets and a pair; bit masks of the tiles that would make it the one, and the other."""
    sets, pair = _shape(key, suited)
    to_sets = to_pair = 0
    for place in range(9 if suited else 7):
        more_sets, more_pair = _shape(key + 10**place, suited)
        to_sets |= more_sets << place
        to_pair |= more_pair << place
    return sets, pair, to_sets, to_pair


@cache
def _shape(key: int, suited: bool) -> tuple[bool, bool]:
    digits = [key // 10**place % 10 for place in range(9)]
    rest = sum(digits) % 3
    if rest == 0:
        return _only_sets(key, suited), False
    if rest == 1:
        return False, False
    return False, any(n >= 2 and _only_sets(key - 2 * 10**place, suited) for place, n in enumerate(digits))


def is_complete(keys: Keys, melds: Sequence[int]) -> bool:
    """Four sets and a pair, melds included, or without melds seven pairs or thirteen orphans.

    keys: the concealed tiles with the winning tile, of the right number. Whether there is a yaku is for the scorer.
    """
    km, kp, ks, kh = keys
    pairs = 0
    for key, suited in ((km, True), (kp, True), (ks, True), (kh, False)):
        sets, pair = _shape(key, suited)
        if pair:
            pairs += 1
        elif not sets:
            break
    else:
        if pairs == 1:
            return True
    if melds:
        return False
    digits = _digits(keys)
    orphans = [digits[kind] for kind in TERMINALS_AND_HONORS]
    return digits.count(2) == 7 or (sum(orphans) == 14 and 0 not in orphans)


def is_unconnected(keys: Keys) -> bool:
    """Thirteen unconnected tiles (十三不塔): a pair and twelve single tiles, no two of a suit within distance 2."""
    digits = _digits(keys)
    if digits.count(2) != 1 or digits.count(1) != 12:
        return False
    held = [kind for kind, copies in enumerate(digits[:27]) if copies]
    return all(after - before > 2 or before // 9 != after // 9 for before, after in pairwise(held))


def is_ready(keys: Keys, melds: Sequence[int]) -> bool:
    """`waits_of` finds something."""
    found = _standard_waits(keys)
    if found and _held_out(found, keys, melds):
        return True
    return not melds and bool(waits_of(keys, melds))


def waits_of(keys: Keys, melds: Sequence[int]) -> list[int]:
    """Kinds that complete a hand of 13 tiles (3 less a meld). A kind of which the hand holds four is no wait."""
    found = _standard_waits(keys)
    if not melds:
        found += [kind for kind in _special_waits(_digits(keys)) if kind not in found]
    return _held_out(found, keys, melds) if found else found


def _standard_waits(keys: Keys) -> list[int]:
    km, kp, ks, kh = keys
    suits = (_suit(km, True), _suit(kp, True), _suit(ks, True), _suit(kh, False))
    all_pairs = unfinished = 0
    for sets, pair, _, _ in suits:
        if pair:
            all_pairs += 1
        elif not sets:
            unfinished += 1
    found: list[int] = []
    if unfinished > 1:
        return found
    for place, (sets, pair, to_sets, to_pair) in enumerate(suits):
        if unfinished and (sets or pair):
            continue
        pairs = all_pairs - pair
        if pairs < 2:
            mask = to_sets if pairs else to_pair
            first = 9 * place
            while mask:
                low = mask & -mask
                found.append(first + low.bit_length() - 1)
                mask ^= low
    return found


def _held_out(found: list[int], keys: Keys, melds: Sequence[int]) -> list[int]:
    melded = [kind for code in melds for kind in meld_tiles(code)] if melds else ()
    return [kind for kind in found if keys[kind // 9] // 10 ** (kind % 9) % 10 + melded.count(kind) < 4]


def waits(counts: Sequence[int], melds: Sequence[int]) -> list[int]:
    """As `waits_of`, from the counts of the 34 kinds."""
    return waits_of(decimal_keys(counts), melds)


def _special_waits(digits: Sequence[int]) -> list[int]:
    if digits.count(2) == 6 and 1 in digits:
        return [digits.index(1)]
    orphans = [digits[kind] for kind in TERMINALS_AND_HONORS]
    if sum(orphans) == 13:
        missing = orphans.count(0)
        if missing == 0:
            return list(TERMINALS_AND_HONORS)
        if missing == 1:
            return [TERMINALS_AND_HONORS[orphans.index(0)]]
    return []


def _digits(keys: Keys) -> list[int]:
    km, kp, ks, kh = keys
    return [*map(int, f"{kh:07}{ks:09}{kp:09}{km:09}"[: -N_KINDS - 1 : -1])]
