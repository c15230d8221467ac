"""How a bot decides. All decisions read the table and the own tiles; none looks at another hand or at the wall.

A bot plays one plan at a time: any hand, a flush (tiles of the other suits count for nothing), or all pungs.
It takes every win. Otherwise it keeps the hand nearest to ready with the most unseen useful tiles.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ingest.simulate.shanten import BITS, PLACE, join, rests, shanten, shanten_of, suit_number, useful_in_suit
from ingest.simulate.table import Seat, Table
from ingest.tiles import FIRST_FLOWER

ANY: Final = -1
PUNGS: Final = 4  # plans 0..2 are a flush in that suit

_EDGE: Final = tuple(0 if kind >= 27 else min(kind % 9, 8 - kind % 9, 2) + 1 for kind in range(FIRST_FLOWER))
"""How well a lone tile joins others: honour 0, terminal 1, 2 or 8 2, inner tile 3."""


def plan_of(table: Table, me: Seat) -> int:
    """The plan for the tiles held now."""
    style = me.player.style
    held = me.counts
    if me.chows == 0 and style.pungs_from < 9:
        multiples = sum(1 for kind in range(FIRST_FLOWER) if held[kind] >= 2) + (5 - me.sets)
        if multiples >= style.pungs_from:
            return PUNGS
    if style.flush_from <= 17 and len(me.suits) <= 1:
        honours = sum(held[27:FIRST_FLOWER])
        in_melds = 3 * (5 - me.sets)
        for suit in range(3):
            if not me.suits or suit in me.suits:
                size = sum(held[9 * suit : 9 * suit + 9]) + honours + in_melds
                if size >= style.flush_from:
                    pure = shanten(_flush_keys(me.keys, suit), me.sets)
                    if pure <= shanten(me.keys, me.sets) + style.flush_cost:
                        return suit
    return ANY


def _pungs_shanten(me: Seat, sets: int, held: list[int]) -> int:
    triplets = min(sets, sum(1 for n in held[:FIRST_FLOWER] if n >= 3))
    pairs = sum(1 for n in held[:FIRST_FLOWER] if n >= 2) - triplets
    return 2 * (sets - triplets) - min(pairs, sets - triplets + 1)


def _flush_keys(keys: list[int], suit: int) -> list[int]:
    return [key if s in (suit, 3) else 0 for s, key in enumerate(keys)]


def distance(me: Seat, plan: int, keys: list[int], sets: int, held: list[int]) -> int:
    """Shanten under a plan."""
    if plan == PUNGS:
        return _pungs_shanten(me, sets, held)
    return shanten(keys if plan == ANY else _flush_keys(keys, plan), sets)


def _threats(table: Table, me: Seat) -> list[Seat]:
    """Opponents likely to be ready."""
    melds = 4 if table.drawable > 36 else 3 if table.drawable > 14 else 2
    return [s for s in table.seats if s is not me and (s.ready or s.exposed >= melds)]


def _danger(table: Table, threats: list[Seat], unseen: list[int], kind: int) -> int:
    """0 safe; more = likelier to be waited for. What passed a declared hand is safe, what just passed is fairly so."""
    total = 0
    for seat in threats:
        if (seat.ready and seat.safe >> kind & 1) or (not seat.ready and kind in table.recent):
            continue
        total += (2 + _EDGE[kind]) * (1 + unseen[kind])
    return total


def choose_discard(table: Table, me: Seat, rng: Random, *, barred: int = -1) -> int:
    """The discard of a hand of 3n+2 tiles. barred: the kind just chowed, not to be thrown back."""
    held = me.counts
    choices = [kind for kind in range(FIRST_FLOWER) if held[kind] and kind != barred]
    if not choices:
        choices = [barred]
    style = me.player.style
    unseen = table.unseen(me)
    threats = _threats(table, me) if style.fold_from < 9 else []
    if threats and shanten(me.keys, me.sets) >= style.fold_from:
        return min(choices, key=lambda k: (_danger(table, threats, unseen, k), _EDGE[k], k))
    plan = plan_of(table, me)
    if not me.player.watchful:
        unseen = [4 - n for n in held[:FIRST_FLOWER]]
    ranked = _rank_pungs(me, choices, unseen) if plan == PUNGS else _rank_shape(me, plan, choices, unseen)
    best = min(ranked)[0]
    near = [entry for entry in ranked if entry[0] == best]
    if len(near) > 1 and rng.random() < me.player.slip:
        pick = near[int(rng.random() * len(near))]
    else:
        # Among equals the tile that joins least goes first, except the honours that pay.
        pick = min(near, key=lambda e: (-e[1], _EDGE[e[2]] + 3 * table.is_value(me, e[2]), e[2]))
    return pick[2]


_Ranked = list[tuple[int, int, int]]  # shanten, unseen useful tiles, kind


def _rank_pungs(me: Seat, choices: list[int], unseen: list[int]) -> _Ranked:
    ranked = []
    held = me.counts
    for kind in choices:
        held[kind] -= 1
        useful = sum(unseen[k] for k in range(FIRST_FLOWER) if held[k] == 2)
        useful += sum(unseen[k] for k in range(FIRST_FLOWER) if held[k] == 1) // 8
        ranked.append((_pungs_shanten(me, me.sets, held), useful, kind))
        held[kind] += 1
    return ranked


def _rank_shape(me: Seat, plan: int, choices: list[int], unseen: list[int]) -> _Ranked:
    sets = me.sets
    keys = me.keys if plan == ANY else _flush_keys(me.keys, plan)
    numbers = [suit_number(key, suit == 3) for suit, key in enumerate(keys)]
    others = rests(numbers)
    whole = shanten_of(join(numbers[0], others[0]), sets)
    after: list[tuple[int, int]] = []
    for kind in choices:
        suit = kind // 9
        if plan == ANY or suit in (plan, 3):
            number = suit_number(keys[suit] - PLACE[kind], suit == 3)
            after.append((shanten_of(join(number, others[suit]), sets), kind))
        else:
            after.append((whole, kind))
    best = min(after)[0]
    ranked = []
    spare: int | None = None  # every tile outside a flush leaves the same hand
    for value, kind in after:
        if value > best:
            continue
        suit = kind // 9
        if plan != ANY and suit not in (plan, 3):
            if spare is None:
                spare = _unseen_useful(keys, numbers, sets, unseen)
            ranked.append((value, spare, kind))
            continue
        kept_key, kept_number = keys[suit], numbers[suit]
        keys[suit] -= PLACE[kind]
        numbers[suit] = suit_number(keys[suit], suit == 3)
        ranked.append((value, _unseen_useful(keys, numbers, sets, unseen), kind))
        keys[suit], numbers[suit] = kept_key, kept_number
    return ranked


def _unseen_useful(keys: list[int], numbers: list[int], sets: int, unseen: list[int]) -> int:
    total = 0
    for suit, rest in enumerate(rests(numbers)):
        for i in BITS[useful_in_suit(keys[suit], suit == 3, rest, sets)]:
            total += unseen[9 * suit + i]
    return total


def wants_ready(table: Table, me: Seat, rng: Random) -> bool:
    """Declare ready? `me` stands with 3n+1 tiles and known waits."""
    style = me.player.style
    if not me.waits or table.drawable < 8 or (me.exposed and not style.ready_with_calls):
        return False
    unseen = table.unseen(me)
    tiles = sum(unseen[kind] for kind in range(FIRST_FLOWER) if me.waits >> kind & 1)
    return tiles >= style.ready_tiles and rng.random() < style.ready_rate


def shows_tiles(me: Seat, rng: Random) -> bool:
    return rng.random() < me.player.style.show_rate


def own_kong(table: Table, me: Seat) -> int | None:
    """The kind to kong in the own turn, concealed or added to a pung; None for none."""
    if me.ready or not me.player.style.kongs or table.drawable <= 0:
        return None
    held = me.counts
    for kind in range(FIRST_FLOWER):
        # A kong must not slow the hand.
        if held[kind] == 4:
            keys = list(me.keys)
            keys[kind // 9] -= 4 * PLACE[kind]
            if shanten(keys, me.sets - 1) <= shanten(me.keys, me.sets):
                return kind
        elif held[kind] and kind in me.pungs:
            keys = list(me.keys)
            keys[kind // 9] -= PLACE[kind]
            if shanten(keys, me.sets) <= shanten(me.keys, me.sets):
                return kind
    return None


def _accepts(me: Seat, plan: int, before: int, after: int) -> bool:
    """A claim that brings the hand nearer; a hand with a plan opens at any distance."""
    return after < before and (me.exposed > 0 or plan != ANY or after <= me.player.style.open_at)


def _without(me: Seat, kinds: tuple[int, ...]) -> tuple[list[int], list[int]]:
    keys, held = list(me.keys), list(me.counts)
    for kind in kinds:
        keys[kind // 9] -= PLACE[kind]
        held[kind] -= 1
    return keys, held


def _folding(table: Table, me: Seat, before: int) -> bool:
    fold_from = me.player.style.fold_from
    return before >= fold_from and fold_from < 9 and bool(_threats(table, me))


def wants_pung(table: Table, me: Seat, kind: int) -> str | None:
    """`kong_open`, `pung` or None for another player's discard."""
    if me.ready or me.counts[kind] < 2:
        return None
    plan = plan_of(table, me)
    if plan in (0, 1, 2) and kind // 9 not in (plan, 3):
        return None
    before = distance(me, plan, me.keys, me.sets, me.counts)
    if _folding(table, me, before):
        return None
    if me.counts[kind] == 3 and me.player.style.kongs and table.drawable > 0:
        keys, held = _without(me, (kind,) * 3)
        if (me.exposed or table.is_value(me, kind)) and distance(me, plan, keys, me.sets - 1, held) <= before:
            return "kong_open"
    keys, held = _without(me, (kind, kind))
    after = distance(me, plan, keys, me.sets - 1, held)
    if _accepts(me, plan, before, after):
        return "pung"
    if me.player.style.value_calls and after <= before and table.is_value(me, kind) and me.counts[kind] == 2:
        return "pung"
    return None


def wants_chow(table: Table, me: Seat, kind: int) -> tuple[int, int] | None:
    """The two own tiles to chow the discard with, or None. The caller knows that `me` sits after the discarder."""
    if me.ready or kind >= 27:
        return None
    held = me.counts
    place = kind % 9
    options = [
        (kind + a, kind + b)
        for a, b in ((-2, -1), (-1, 1), (1, 2))
        if place + a >= 0 and place + b <= 8 and held[kind + a] and held[kind + b]
    ]
    if not options:
        return None
    plan = plan_of(table, me)
    if plan == PUNGS or (plan != ANY and kind // 9 != plan):
        return None
    before = distance(me, plan, me.keys, me.sets, held)
    if _folding(table, me, before):
        return None

    def after(own: tuple[int, int]) -> int:
        keys, rest = _without(me, own)
        return distance(me, plan, keys, me.sets - 1, rest)

    nearest, best = min((after(own), own) for own in options)
    return best if _accepts(me, plan, before, nearest) else None
