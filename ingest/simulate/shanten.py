"""How far a hand is from complete, and which tiles help it: suit by suit, remembered by suit key.

A suit key is the base-5 number of the suit's counts, lowest tile first. A hand is four keys (m, p, s, honours).
Each key has a trade-off: for up to k blocks, with and without the pair, the most that the suit can give, counting 2 for
a set and 1 for two tiles of one. Trade-offs are few, so they are numbered, and joining two numbers is remembered too:
a bot asks the same questions millions of times. Nothing is built at import; the tables grow with the hands met.

The count is the usual one of blocks: shanten = 2 * sets wanted - 2 * sets - partial sets - (1 with a pair); 0 is ready,
-1 is complete. It looks at the tiles in hand only: a hand that waits for nothing but its own fifth copy counts as
ready, and `useful` then offers no tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_SETS: Final = 5
POW5: Final = tuple(5**i for i in range(9))
PLACE: Final = tuple(POW5[kind % 9] for kind in range(34))
"""Weight of one copy of a kind in its suit key (kind // 9 is the suit, honours are suit 3)."""
BITS: Final = tuple(tuple(i for i in range(9) if mask >> i & 1) for mask in range(512))

_MOST_REMEMBERED: Final = 1 << 19  # about 50 MB; a long run starts afresh rather than grow
_NO: Final = -40  # lower than any sum: "no pair here"
_Tradeoff = tuple[int, ...]  # 0..5 without the pair, 6..11 with it

_numbers: dict[_Tradeoff, int] = {}
_tradeoffs: list[_Tradeoff] = []
_best: list[tuple[int, ...]] = []
_joined: dict[int, int] = {}
_suit: tuple[dict[int, int], dict[int, int]] = ({}, {})
_useful: tuple[dict[int, int], dict[int, int]] = ({}, {})


def _number(tradeoff: _Tradeoff) -> int:
    found = _numbers.get(tradeoff)
    if found is None:
        found = _numbers[tradeoff] = len(_tradeoffs)
        _tradeoffs.append(tradeoff)
        _best.append(tuple(max(tradeoff[k], tradeoff[k + 6] + 1) for k in range(6)))
    return found


EMPTY: Final = _number((0,) * 6 + (_NO,) * 6)


def suit_number(key: int, honours: bool) -> int:
    """Number of the trade-off of one suit."""
    memo = _suit[honours]
    found = memo.get(key)
    if found is not None:
        return found
    if key == 0:
        return EMPTY
    low, rest = 0, key
    while rest % 5 == 0:
        low += 1
        rest //= 5
    unit = POW5[low]
    copies = rest % 5
    # The lowest tile is spare, or in a pair, a set or part of one; what remains is a smaller key.
    best = list(_tradeoffs[suit_number(key - unit, honours)])

    def take(used: int, worth: int) -> None:
        without = _tradeoffs[suit_number(key - used, honours)]
        for k in range(1, 6):
            for at in (k, k + 6):
                if without[at - 1] + worth > best[at]:
                    best[at] = without[at - 1] + worth

    if copies >= 2:
        take(2 * unit, 1)
        without = _tradeoffs[suit_number(key - 2 * unit, honours)]
        for k in range(6):
            best[k + 6] = max(best[k + 6], without[k])
    if copies >= 3:
        take(3 * unit, 2)
    if not honours:
        second = rest // 5 % 5 > 0
        third = rest // 25 % 5 > 0
        if second:
            take(unit + POW5[low + 1], 1)
        if third:
            take(unit + POW5[low + 2], 1)
        if second and third:
            take(unit + POW5[low + 1] + POW5[low + 2], 2)
    for at in (1, 2, 3, 4, 5, 7, 8, 9, 10, 11):
        best[at] = max(best[at], best[at - 1])
    found = memo[key] = _number(tuple(best))
    return found


def join(a: int, b: int) -> int:
    """Number of the trade-off of two disjoint groups of tiles together."""
    pair = a << 20 | b if a < b else b << 20 | a
    found = _joined.get(pair)
    if found is None:
        x, y = _tradeoffs[a], _tradeoffs[b]
        sets = [max(x[i] + y[k - i] for i in range(k + 1)) for k in range(6)]
        paired = [max(max(x[i + 6] + y[k - i], x[i] + y[k - i + 6], _NO) for i in range(k + 1)) for k in range(6)]
        found = _joined[pair] = _number((*sets, *paired))
    return found


def shanten_of(number: int, sets: int) -> int:
    """Shanten of a whole concealed hand with this trade-off that still wants `sets` sets and a pair."""
    return 2 * sets - _best[number][sets]


def shanten(keys: Sequence[int], sets: int) -> int:
    """Shanten of the concealed tiles: -1 complete, 0 ready. `sets` = 5 - melds; 3*sets+1 or +2 tiles."""
    m, p, s, h = keys
    number = join(join(suit_number(m, False), suit_number(p, False)), join(suit_number(s, False), suit_number(h, True)))
    return 2 * sets - _best[number][sets]


def rests(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    """For each of four suit numbers, the other three joined."""
    m, p, s, h = numbers
    mp, sh = join(m, p), join(s, h)
    return join(p, sh), join(m, sh), join(mp, h), join(mp, s)


def useful_in_suit(key: int, honours: bool, rest: int, sets: int) -> int:
    """Bit mask of the tiles of this suit that lower the shanten, the other suits being `rest`."""
    memo = _useful[honours]
    question = (key * 8 + sets) << 20 | rest
    found = memo.get(question)
    if found is None:
        found = 0
        now = _best[join(suit_number(key, honours), rest)][sets]
        for i in range(7 if honours else 9):
            unit = POW5[i]
            if key // unit % 5 < 4 and _best[join(suit_number(key + unit, honours), rest)][sets] > now:
                found |= 1 << i
        if len(memo) >= _MOST_REMEMBERED:
            memo.clear()
        memo[question] = found
    return found


def useful(keys: Sequence[int], sets: int) -> list[int]:
    """Kinds that lower the shanten of 3*sets+1 concealed tiles; the waits when it is 0."""
    numbers = [suit_number(key, suit == 3) for suit, key in enumerate(keys)]
    kinds: list[int] = []
    for suit, rest in enumerate(rests(numbers)):
        kinds.extend(9 * suit + i for i in BITS[useful_in_suit(keys[suit], suit == 3, rest, sets)])
    return kinds


def keys_of(counts: Sequence[int]) -> list[int]:
    """Suit keys of the counts of 34 kinds."""
    keys = [0, 0, 0, 0]
    for kind, count in enumerate(counts):
        keys[kind // 9] += PLACE[kind] * count
    return keys
