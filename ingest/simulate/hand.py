"""Play one hand: deal, opening flowers, turns, claims, and the end. Writes the events of the paipu format.

Order and limits follow SPEC 2.8: flowers are replaced round by round from the dealer, replacements come from the end of
the wall, the last 16 tiles are never drawn, and only the nearest claimant after the discarder wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeVar

import msgspec

from ingest.simulate import bot
from ingest.simulate.styles import Player
from ingest.simulate.table import RESERVE, Seat, Table
from ingest.tiles import FIRST_FLOWER, NAMES, WINDS, format_tiles

Event = list[Any]
_T = TypeVar("_T")
TILES: Final = (*(kind for kind in range(FIRST_FLOWER) for _ in range(4)), *range(FIRST_FLOWER, FIRST_FLOWER + 8))
"""The 144 tiles in order."""

# How a turn begins: with the tiles in hand, a draw, a replacement, or a claimed discard (which allows only a discard).
_PLAY, _DRAW, _REPLACE, _CLAIMED = range(4)


class HandOver(Exception):  # noqa: N818 - not an error: it ends the hand from any depth
    """The hand is over."""


@dataclass(frozen=True, kw_only=True)
class HouseRules:
    """What differs between tables. flower_wins: eight flowers and seven robs one end a hand (SPEC 2.7).

    open_kong_wins: the replacement of an open kong may win (not in luohan, SPEC 2.8).
    """

    flower_wins: bool = True
    open_kong_wins: bool = True


USUAL_HOUSE: Final = HouseRules()


class FinishedHand(msgspec.Struct, frozen=True):
    """A finished hand: the JSON object of the paipu format, and who won (None: exhaustive draw)."""

    json: dict[str, Any]
    winner: int | None


def shuffled(things: Sequence[_T], rng: Random) -> list[_T]:
    """In an order drawn with `rng.random()` alone, the one method whose sequence Python promises to keep."""
    drawn = list(things)
    for i in range(len(drawn) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        drawn[i], drawn[j] = drawn[j], drawn[i]
    return drawn


def play_hand(
    order: Sequence[int],
    *,
    players: Sequence[Player],
    rng: Random,
    dealer: int = 0,
    door: int = 0,
    round_wind: int = 0,
    streak: int = 0,
    house: HouseRules = HouseRules(),
) -> FinishedHand:
    """Play the 144 tiles of `order`: 17 to the dealer, 16 to each next seat, then the wall from front to end."""
    play = _Play(Table(order, players=players, dealer=dealer, round_wind=round_wind), rng=rng, house=house)
    winner = play.run()
    wall = play.table.wall
    return FinishedHand(
        {
            "round": WINDS[round_wind],
            "dealer": dealer,
            "door": door,
            "streak": streak,
            "deal": [format_tiles(tiles) for tiles in play.table.deal],
            "wall": "".join(NAMES[kind] for kind in wall),
            "reserve": RESERVE,
            "events": play.events,
        },
        winner,
    )


class _Play:
    def __init__(self, table: Table, *, rng: Random, house: HouseRules) -> None:
        self.table = table
        self.rng = rng
        self.house = house
        self.events: list[Event] = []
        self.winner: int | None = None

    def run(self) -> int | None:
        try:
            self._opening()
            self._turns()
        except HandOver:
            pass
        return self.winner

    def _say(self, *event: Any) -> None:
        self.events.append(list(event))

    def _win(self, seat: Seat, kind: int, payer: int | None) -> None:
        self._say("win", seat.index, NAMES[kind], payer)
        self.winner = seat.index
        raise HandOver

    def _exhausted(self, reason: str) -> None:
        self._say("draw_game", reason)
        raise HandOver

    # Flowers and draws

    def _opening(self) -> None:
        table = self.table
        turns = [table.seats[(table.dealer + step) % 4] for step in range(4)]
        pending = True
        while pending:
            pending = False
            for seat in turns:
                for flower in [k for k in range(FIRST_FLOWER, FIRST_FLOWER + 8) if seat.counts[k]]:
                    self._show_flower(seat, flower)
                    pending = True
                    self._replace(seat)
        for seat in turns:
            if seat.wind != 0:
                seat.note_waits()
                if bot.wants_ready(table, seat, self.rng):
                    self._declare(seat)

    def _show_flower(self, seat: Seat, flower: int) -> None:
        seat.remove(flower)
        seat.flowers.append(flower)
        self._say("flower", seat.index, NAMES[flower])
        if self.house.flower_wins:
            self._flower_win(seat, flower)

    def _flower_win(self, seat: Seat, flower: int) -> None:
        """Eight flowers, or seven against the one of another seat, whoever shows the eighth (SPEC 2.7)."""
        if self.table.drawable <= 0:
            return
        held = len(seat.flowers)
        other = next((s for s in self.table.seats if s is not seat and s.flowers and len(s.flowers) + held == 8), None)
        if held == 8:
            self._replace(seat)
            self._say("flower_win", seat.index, None)
            self.winner = seat.index
        elif other is not None and 7 in (held, len(other.flowers)):
            winner, payer = (seat, other) if held == 7 else (other, seat)
            robbed = payer.flowers[0]
            self._replace(winner)
            self._say("flower_win", winner.index, payer.index, {"robbed_flower": robbed - FIRST_FLOWER + 1})
            self.winner = winner.index
        else:
            return
        raise HandOver

    def _replace(self, seat: Seat) -> int:
        kind = self.table.draw_end()
        seat.add(kind)
        self._say("replace", seat.index, NAMES[kind])
        return kind

    def _draw(self, seat: Seat) -> int:
        kind = self.table.draw_front()
        seat.add(kind)
        self._say("draw", seat.index, NAMES[kind])
        return self._past_flowers(seat, kind)

    def _past_flowers(self, seat: Seat, kind: int) -> int:
        """Replace until the drawn tile is not a flower. A flower that nothing can replace ends the hand."""
        while kind >= FIRST_FLOWER:
            self._show_flower(seat, kind)
            if self.table.drawable <= 0:
                self._exhausted("terminal_flower")
            kind = self._replace(seat)
        return kind

    # Turns

    def _turns(self) -> None:
        table = self.table
        seat, step, barred = table.seats[table.dealer], _PLAY, -1
        # The dealer's 17th tile counts as drawn: a win with the dealt tiles has to name one.
        drawn = max(kind for kind in range(FIRST_FLOWER) if seat.counts[kind])
        while True:
            if step == _DRAW:
                if table.drawable <= 0:
                    self._exhausted("exhaustive")
                drawn = self._draw(seat)
            elif step == _REPLACE:
                drawn = self._past_flowers(seat, self._replace(seat))
            if step != _CLAIMED:
                drawn = self._own_turn(seat, drawn, may_win=step != _REPLACE or self.house.open_kong_wins)
            kind = self._discard(seat, drawn, barred)
            seat, step, barred = self._answers(seat, kind)

    def _own_turn(self, seat: Seat, drawn: int, *, may_win: bool) -> int:
        """Win or kong, as often as it goes; the last tile drawn. may_win: with the tile that began the turn."""
        while True:
            if may_win and seat.complete():
                self._win(seat, drawn, None)
            kind = bot.own_kong(self.table, seat)
            if kind is None:
                return drawn
            self._kong(seat, kind)
            drawn = self._past_flowers(seat, self._replace(seat))
            may_win = True

    def _kong(self, seat: Seat, kind: int) -> None:
        if kind in seat.pungs:
            seat.remove(kind)
            seat.pungs.remove(kind)
            self._say("kong_added", seat.index, NAMES[kind])
            self._offer_win(seat, kind)
            self.table.seen[kind] += 1
            return
        seat.remove(kind, 4)
        seat.sets -= 1
        seat.note_suit(kind)
        self.table.seen[kind] += 4
        self._say("kong_concealed", seat.index, NAMES[kind])

    def _discard(self, seat: Seat, drawn: int, barred: int) -> int:
        table = self.table
        kind = drawn if seat.ready else bot.choose_discard(table, seat, self.rng, barred=barred)
        seat.remove(kind)
        if not seat.ready:
            seat.note_waits()
            table.seen[kind] += 1
            if bot.wants_ready(table, seat, self.rng):
                self._declare(seat)
            table.seen[kind] -= 1
        self._say("discard", seat.index, NAMES[kind])
        seat.discards += 1
        table.seen[kind] += 1
        table.recent.append(kind)
        del table.recent[:-4]
        for other in table.seats:
            if other.ready:
                other.safe |= 1 << kind
        return kind

    def _declare(self, seat: Seat) -> None:
        if bot.shows_tiles(seat, self.rng):
            self._say("ready", seat.index, "open")
        else:
            self._say("ready", seat.index)
        seat.ready = True

    # Answers to a discard

    def _offer_win(self, seat: Seat, kind: int) -> None:
        for step in (1, 2, 3):
            other = self.table.seats[(seat.index + step) % 4]
            if other.waits >> kind & 1:
                self._win(other, kind, seat.index)

    def _answers(self, seat: Seat, kind: int) -> tuple[Seat, int, int]:
        """The next seat to act, how its turn begins, and the kind it may not throw back (-1 none)."""
        self._offer_win(seat, kind)
        table = self.table
        following = table.seats[(seat.index + 1) % 4]
        if table.drawable <= 0:  # after the last tile a discard can only be won
            return following, _DRAW, -1
        for turns in (1, 2, 3):
            other = table.seats[(seat.index + turns) % 4]
            call = bot.wants_pung(table, other, kind)
            if call is not None:
                copies = 3 if call == "kong_open" else 2
                self._claim(other, [kind] * copies, kind)
                self._say(call, other.index, NAMES[kind])
                if call == "kong_open":
                    return other, _REPLACE, -1
                other.pungs.append(kind)
                return other, _CLAIMED, -1
        own = bot.wants_chow(table, following, kind)
        if own is not None:
            self._claim(following, own, kind)
            following.chows += 1
            self._say("chow", following.index, NAMES[kind], format_tiles(own))
            return following, _CLAIMED, kind
        return following, _DRAW, -1

    def _claim(self, seat: Seat, own: Sequence[int], kind: int) -> None:
        for part in own:
            seat.remove(part)
            self.table.seen[part] += 1
        seat.sets -= 1
        seat.exposed += 1
        seat.note_suit(kind)
