"""Small tables for the replay tests: a wall with chosen tiles at its ends, and random legal play."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ingest.hand_checks import is_standard
from ingest.replay import HandReplay
from ingest.tiles import FIRST_FLOWER, N_KINDS, parse_tiles

Event = tuple[str, tuple[object, ...]]
FULL_SET = [kind for kind in range(N_KINDS) for _ in range(4)] + list(range(FIRST_FLOWER, FIRST_FLOWER + 8))


def table(
    *, hands: dict[int, str], front: str = "", end: str = "", dealer: int = 0
) -> tuple[list[list[int]], list[int]]:
    """(deal, wall): the named hands, `front` drawn first, `end` the replacements in the order they are taken.

    Seats without a hand get what is left of the set, flowers last.
    """
    rest = sorted(FULL_SET)
    deal: list[list[int]] = [[], [], [], []]
    ends = [parse_tiles(front), parse_tiles(end)]
    for tiles in (*(parse_tiles(text) for text in hands.values()), *ends):
        for kind in tiles:
            rest.remove(kind)
    # Spread the filler so that the other seats hold no sets: every 9th tile.
    spread = [rest[i] for start in range(9) for i in range(start, len(rest), 9)]
    plain = [kind for kind in spread if kind < FIRST_FLOWER]
    flowers = [kind for kind in spread if kind >= FIRST_FLOWER]
    for seat in range(4):
        size = 17 if seat == dealer else 16
        deal[seat] = parse_tiles(hands[seat]) if seat in hands else [plain.pop() for _ in range(size)]
        assert len(deal[seat]) == size, (seat, len(deal[seat]))
    wall = [*ends[0], *plain, *flowers, *reversed(ends[1])]
    assert len(wall) == 79
    return deal, wall


def start(
    *,
    hands: dict[int, str],
    front: str = "",
    end: str = "",
    dealer: int = 0,
    reserve: int = 16,
    dead_wall: str = "fixed_tail_16",
) -> HandReplay:
    """A replay of such a table, before its first event."""
    deal, wall = table(hands=hands, front=front, end=end, dealer=dealer)
    return HandReplay(
        dealer=dealer, door=dealer, round_wind=0, streak=0, deal=deal, wall=wall, reserve=reserve, dead_wall=dead_wall
    )


def replay_of(deal: Sequence[Sequence[int]], wall: Sequence[int] | None) -> HandReplay:
    return HandReplay(dealer=0, door=0, round_wind=0, streak=0, deal=deal, wall=wall)


def random_play(seed: int) -> tuple[list[list[int]], list[int], list[Event]]:
    """(deal, wall, events) of a hand played by chance within the rules; the dealer is seat 0."""
    rng = random.Random(seed)
    tiles = FULL_SET.copy()
    rng.shuffle(tiles)
    deal = [tiles[0:16], tiles[16:32], tiles[32:48], tiles[48:64]]
    deal[0] = [*deal[0], tiles[64]]
    wall = tiles[65:]
    hands = [sorted(hand) for hand in deal]
    melds: list[list[int]] = [[], [], [], []]  # kinds of pungs, -1 for any other meld
    front, back = 0, len(wall)
    events: list[Event] = []

    def emit(name: str, *args: object) -> None:
        events.append((name, args))

    def replace(seat: int) -> bool:
        nonlocal back
        if back - front <= 16:
            return False
        back -= 1
        emit("replace", seat, wall[back])
        hands[seat].append(wall[back])
        return True

    def show_flowers(seat: int) -> bool:
        while flower := next((kind for kind in hands[seat] if kind >= FIRST_FLOWER), None):
            hands[seat].remove(flower)
            emit("flower", seat, flower)
            if not replace(seat):
                return False
        return True

    def wins(seat: int, extra: list[int]) -> bool:
        counts = [0] * N_KINDS
        for kind in hands[seat] + extra:
            counts[kind] += 1
        return is_standard(counts, len(melds[seat]))

    def done(kind: str) -> tuple[list[list[int]], list[int], list[Event]]:
        emit("draw_game", kind)
        return deal, wall, events

    for seat in range(4):
        show_flowers(seat)
    turn = 0
    drew = True
    while True:
        while drew:
            if not show_flowers(turn):
                return done("terminal_flower")
            if wins(turn, []):
                emit("win", turn, hands[turn][-1], None)
                return deal, wall, events
            four = next((kind for kind in set(hands[turn]) if hands[turn].count(kind) == 4), None)
            added = next((kind for kind in melds[turn] if kind in hands[turn]), None)
            if four is not None and back - front > 16:
                emit("kong_concealed", turn, four)
                hands[turn] = [kind for kind in hands[turn] if kind != four]
                melds[turn].append(-1)
                replace(turn)
            elif added is not None and back - front > 16:
                emit("kong_added", turn, added)
                hands[turn].remove(added)
                melds[turn][melds[turn].index(added)] = -1
                replace(turn)
            else:
                break
        tile = rng.choice(hands[turn])
        hands[turn].remove(tile)
        emit("discard", turn, tile)
        for step in (1, 2, 3):
            seat = (turn + step) % 4
            if wins(seat, [tile]):
                emit("win", seat, tile, turn)
                return deal, wall, events
        pungs = [s for s in range(4) if s != turn and hands[s].count(tile) >= 2]
        after = (turn + 1) % 4
        if pungs and rng.random() < 0.7:
            seat = pungs[0]
            taken = 3 if hands[seat].count(tile) == 3 and back - front > 16 else 2
            for _ in range(taken):
                hands[seat].remove(tile)
            melds[seat].append(tile if taken == 2 else -1)
            emit("pung" if taken == 2 else "kong_open", seat, tile)
            turn, drew = seat, taken == 3
            if drew:
                replace(seat)
            continue
        if tile < 27 and tile % 9 <= 6 and tile + 1 in hands[after] and tile + 2 in hands[after] and rng.random() < 0.5:
            hands[after].remove(tile + 1)
            hands[after].remove(tile + 2)
            melds[after].append(-1)
            emit("chow", after, tile, (tile + 1, tile + 2))
            turn, drew = after, False
            continue
        if back - front <= 16:
            return done("exhaustive")
        turn, drew = after, True
        emit("draw", turn, wall[front])
        hands[turn].append(wall[front])
        front += 1


def apply(replay: HandReplay, events: Sequence[Event]) -> None:
    for name, args in events:
        getattr(replay, name)(*args)
