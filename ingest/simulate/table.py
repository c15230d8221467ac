"""What lies on the table during a hand: the wall, the seats, and what everybody can see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingest.simulate.shanten import MAX_SETS, PLACE, keys_of, shanten, useful
from ingest.simulate.styles import Player
from ingest.tiles import FIRST_FLOWER

RESERVE: Final = 16
"""Tiles at the end of the wall that are never drawn (SPEC 2.8)."""


class Seat:
    """One player's tiles and state. `keys` follow `counts` (shanten.py); `sets` = sets still wanted in the hand."""

    __slots__ = (
        "chows",
        "counts",
        "discards",
        "exposed",
        "flowers",
        "index",
        "keys",
        "player",
        "pungs",
        "ready",
        "safe",
        "sets",
        "suits",
        "waits",
        "wind",
    )

    def __init__(self, index: int, player: Player, wind: int) -> None:
        self.index = index
        self.player = player
        self.wind = wind
        self.counts = [0] * 42
        self.keys = [0, 0, 0, 0]
        self.sets = MAX_SETS
        self.flowers: list[int] = []
        self.pungs: list[int] = []
        self.chows = 0
        self.exposed = 0
        self.suits: set[int] = set()
        self.discards = 0
        self.ready = False
        self.safe = 0
        self.waits = 0

    def add(self, kind: int) -> None:
        self.counts[kind] += 1
        if kind < FIRST_FLOWER:
            self.keys[kind // 9] += PLACE[kind]

    def remove(self, kind: int, copies: int = 1) -> None:
        self.counts[kind] -= copies
        if kind < FIRST_FLOWER:
            self.keys[kind // 9] -= copies * PLACE[kind]

    def deal(self, kinds: Sequence[int]) -> None:
        for kind in kinds:
            self.counts[kind] += 1
        self.keys = keys_of(self.counts[:FIRST_FLOWER])

    def note_suit(self, kind: int) -> None:
        """Remember the suit of a meld."""
        if kind < 27:
            self.suits.add(kind // 9)

    def complete(self) -> bool:
        return shanten(self.keys, self.sets) == -1

    def note_waits(self) -> None:
        """Remember the winning tiles; to be called whenever the seat stands with 3n+1 tiles."""
        self.waits = 0
        if shanten(self.keys, self.sets) == 0:
            for kind in useful(self.keys, self.sets):
                self.waits |= 1 << kind


class Table:
    """The wall and the seats. `seen` counts discards and exposed melds by kind; `recent` the last few discards."""

    def __init__(self, order: Sequence[int], *, players: Sequence[Player], dealer: int, round_wind: int) -> None:
        self.seats = [Seat(i, player, (i - dealer) % 4) for i, player in enumerate(players)]
        self.dealer = dealer
        self.round_wind = round_wind
        self.deal: list[Sequence[int]] = [()] * 4
        at = 0
        for step in range(4):
            seat = (dealer + step) % 4
            size = 17 if step == 0 else 16
            self.deal[seat] = order[at : at + size]
            self.seats[seat].deal(self.deal[seat])
            at += size
        self.wall = order[at:]
        self.front = 0
        self.end = len(self.wall)
        self.seen = [0] * FIRST_FLOWER
        self.recent: list[int] = []

    @property
    def drawable(self) -> int:
        return self.end - self.front - RESERVE

    def draw_front(self) -> int:
        self.front += 1
        return self.wall[self.front - 1]

    def draw_end(self) -> int:
        self.end -= 1
        return self.wall[self.end]

    def unseen(self, me: Seat) -> list[int]:
        """Copies by kind that this seat cannot see."""
        return [4 - seen - held for seen, held in zip(self.seen, me.counts, strict=False)]

    def is_value(self, me: Seat, kind: int) -> bool:
        """A pung of this kind pays in itself: a dragon, the round's wind or the own wind."""
        return kind >= 31 or kind in (27 + me.wind, 27 + self.round_wind)
