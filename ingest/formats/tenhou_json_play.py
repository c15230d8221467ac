"""One hand of a tenhou.net/6 log: each seat's tiles, taken by taken and dropped by dropped.

The form does not store the order of turns across seats. What one seat did in what order is certain, because its list
of taken tiles and its list of dropped ones go by the same index; so everything here is worked out seat by seat, and a
fact that hangs on the order between seats is None unless the counts of turns decide it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from ingest.errors import RecordError
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code, is_exposed
from ingest.riichi_replay import LIVE_WALL
from ingest.riichi_shapes import TERMINALS_AND_HONORS, waits
from ingest.tiles import N_KINDS, NAMES, Z_HONORS

PASSED_ON: Final = 60
"""A dropped tile: the tile just taken."""
NORTH: Final = 44

KINDS: Final[dict[int, int]] = {
    **{10 * suit + 11 + i: 9 * suit + i for suit in range(3) for i in range(9)},
    **dict(enumerate(Z_HONORS, 41)),
    51: 4,
    52: 13,
    53: 22,
}
"""Tile number of the log -> kind."""

RED_WEIGHTS: Final = {51: 1, 52: 4, 53: 16}
"""Red five of the log -> what it adds to wins.reds."""

_ADDED, _CONCEALED, _OPEN, _KITA = 2, 3, 4, 5  # positions in REPLACEMENTS
_OUTSIDE: Final = frozenset(TERMINALS_AND_HONORS)
_CALL = re.compile(r"(?:\d\d)*[cpmka](?:\d\d)+")
_NOT_IN_SANMA: Final = frozenset(range(1, 8))


class Meld(msgspec.Struct):
    """A meld in the order of completion: code, kind (lowest of a chow), seat that fed it, weights of its reds."""

    code: int
    kind: int
    feeder: int | None
    reds: int


class SeatPlay:
    """What one seat did, read from its three lists."""

    def __init__(self, seat: int, players: int) -> None:
        self.seat = seat
        self.players = players
        self.hand: list[int] = []  # concealed tiles at the end, a drawn one included
        self.melds: list[Meld] = []
        self.norths = 0
        self.river: list[int] = []  # kinds discarded
        self.last_discard: int | None = None  # tile of the newest discard
        self.riichi_turn: int | None = None  # own discards before the riichi
        self.draws = 0
        self.drawn: int | None = None  # tile of the draw that has not been answered
        self.replaces = 0  # what the unanswered draw replaces, position in REPLACEMENTS
        self.after_kong = False  # the newest discard answered a replacement tile of a kong
        self.first_call_turn: int | None = None  # plain turns before the first claim, kong or north
        self.claimed_from: list[tuple[int, int]] = []  # seat and tile of each claimed discard
        self.robbable: tuple[int, int] | None = None  # (position in REPLACEMENTS, tile) when the last act was a kong
        self.last_kong: Meld | None = None
        self._taken: list[int] = []  # tiles seen: dealt and drawn

    @property
    def riichi_is_last(self) -> bool:
        """The newest discard is that of its riichi."""
        return self.riichi_turn is not None and len(self.river) == self.riichi_turn + 1

    def read(self, dealt: list[Any], takes: list[Any], drops: list[Any]) -> list[int]:
        """Plays the lists through. Returns the tiles this seat brought into view (dealt and drawn)."""
        if len(dealt) == 14:
            takes = [dealt[13], *takes]
            dealt = dealt[:13]
        if len(dealt) != 13:
            raise RecordError("bad_deal", f"seat {self.seat} is dealt {len(dealt)} tiles; there should be 13")
        for tile in dealt:
            self._see(tile)
            self.hand.append(tile)
        position = 0  # in drops
        turns = 0
        for number, take in enumerate(takes):
            last = number == len(takes) - 1
            open_kong = False
            if type(take) is int:
                self._see(take)
                self.draws += 1
                self.drawn = take
                self.replaces, self.robbable = (self.robbable[0] if self.robbable else 0), None
            elif isinstance(take, str) and _CALL.fullmatch(take):
                if self.robbable is not None:
                    raise RecordError("no_replacement", f"seat {self.seat} claims where its replacement tile is due")
                self._call_begins(turns)
                open_kong = self._claim(take)
            else:
                raise RecordError("bad_event", f"seat {self.seat} takes {take!r}; that is neither a tile nor a call")
            if open_kong:
                # A 0 holds the place of the discard that does not come; some programs leave it out.
                if position < len(drops) and drops[position] == 0 and type(drops[position]) is int:
                    position += 1
                continue
            if position >= len(drops):
                if not last or self.drawn is None:
                    raise RecordError("bad_pairing", f"seat {self.seat} took a tile and did not drop one")
                break
            if self._drop(drops[position], turns):
                turns += 1
            position += 1
        if position != len(drops):
            raise RecordError("bad_pairing", f"seat {self.seat} dropped {len(drops)} tiles and took {len(takes)}")
        return self._taken

    def counts(self) -> list[int]:
        """Counts of the 34 kinds of the concealed tiles."""
        counts = [0] * N_KINDS
        for tile in self.hand:
            counts[KINDS[tile]] += 1
        return counts

    def codes(self) -> list[int]:
        return [meld.code for meld in self.melds]

    def reds(self) -> int:
        return sum(meld.reds for meld in self.melds) + sum(RED_WEIGHTS.get(tile, 0) for tile in self.hand)

    def open_melds(self) -> int:
        return sum(is_exposed(meld.code) for meld in self.melds)

    def liable(self) -> tuple[int | None, int | None, int | None]:
        """Seats liable for three dragons, four winds, four kongs (RIICHI 2.10)."""
        dragons = winds = 0
        found: list[int | None] = [None, None, None]
        for meld in self.melds:
            if meld.code < PUNG or meld.kind < 27:
                continue
            feeder = meld.feeder if is_exposed(meld.code) else None
            if meld.kind >= 31:
                dragons += 1
                if dragons == 3:
                    found[0] = feeder
            else:
                winds += 1
                if winds == 4:
                    found[1] = feeder
        kongs = [meld for meld in self.melds if meld.code >= KONG_OPEN]
        if len(kongs) == 4 and self.last_kong is not None and KONG_OPEN <= self.last_kong.code < KONG_CONCEALED:
            found[2] = self.last_kong.feeder
        return found[0], found[1], found[2]

    # Inside.

    def _see(self, tile: Any) -> None:
        if type(tile) is not int or tile not in KINDS:
            raise RecordError("unknown_tile", f"seat {self.seat} holds {tile!r}, which is not a tile of this format")
        if self.players == 3 and KINDS[tile] in _NOT_IN_SANMA:
            raise RecordError("unknown_tile", f"seat {self.seat} holds {NAMES[KINDS[tile]]} in a three-player game")
        self._taken.append(tile)

    def _remove(self, tile: int, what: str) -> None:
        try:
            self.hand.remove(tile)
        except ValueError:
            known = NAMES[KINDS[tile]] if tile in KINDS else str(tile)
            raise RecordError("not_in_hand", f"seat {self.seat} {what} {known}, which it does not hold") from None

    def _call_begins(self, turns: int) -> None:
        if self.first_call_turn is None:
            self.first_call_turn = turns

    def _split(self, text: str) -> tuple[str, int, list[int]]:
        """Letter of a call, number of tiles before it, all its tiles."""
        at = next(i for i, ch in enumerate(text) if not ch.isdigit())
        digits = text[:at] + text[at + 1 :]
        tiles = [int(digits[i : i + 2]) for i in range(0, len(digits), 2)]
        if any(tile not in KINDS for tile in tiles):
            raise RecordError("unknown_tile", f"the call '{text}' of seat {self.seat} has a tile that does not exist")
        return text[at], at // 2, tiles

    def _claim(self, text: str) -> bool:
        """A chi, pon or open kong. True when a replacement tile follows instead of a discard."""
        letter, place, tiles = self._split(text)
        size = {"c": 3, "p": 3, "m": 4}.get(letter)
        if size is None or len(tiles) != size or place >= size:
            raise RecordError("bad_meld", f"'{text}' of seat {self.seat} is not a claim of this format")
        if self.riichi_turn is not None:
            raise RecordError("riichi_changed", f"seat {self.seat} is in riichi and claims a discard")
        called = tiles[place]
        feeder = (self.seat + (3, 2, 1, 1)[place]) % 4
        if feeder >= self.players:
            raise RecordError("bad_claim", f"'{text}' of seat {self.seat} claims from an empty seat")
        kinds = sorted(KINDS[tile] for tile in tiles)
        for tile in (*tiles[:place], *tiles[place + 1 :]):
            self._remove(tile, "melds")
        reds = sum(RED_WEIGHTS.get(tile, 0) for tile in tiles)
        if letter == "c":
            low = kinds[0]
            if self.players == 3 or place or not (
                low < 27 and low % 9 <= 6 and kinds == [low, low + 1, low + 2]
            ):  # fmt: skip
                raise RecordError("bad_meld", f"'{text}' of seat {self.seat} is not a chi")
            code = chow_code(low)
        else:
            if kinds[0] != kinds[-1]:
                raise RecordError("bad_meld", f"'{text}' of seat {self.seat} has unequal tiles")
            code = (PUNG if letter == "p" else KONG_OPEN) + kinds[0]
        meld = Meld(code, kinds[0], feeder, reds)
        self.melds.append(meld)
        self.claimed_from.append((feeder, called))
        if letter == "m":
            self.last_kong = meld
            self.robbable = (_OPEN, called)
            return True
        return False

    def _drop(self, drop: Any, turns: int) -> bool:
        """The answer to a taken tile. True when it was a discard."""
        drawn, self.drawn = self.drawn, None
        if isinstance(drop, str) and drop[:1] != "r":
            if drawn is None:
                raise RecordError("bad_event", f"seat {self.seat} calls {drop[:20]!r} without a drawn tile")
            self.hand.append(drawn)
            self._call_begins(turns)
            self._own_call(drop)
            return False
        riichi = isinstance(drop, str)
        tile: Any = drop
        if isinstance(drop, str):
            tile = int(drop[1:]) if drop[1:].isascii() and drop[1:].isdigit() else drop
        if type(tile) is not int or (tile != PASSED_ON and tile not in KINDS):
            raise RecordError("bad_event", f"seat {self.seat} drops {drop!r}; that is not a tile of this format")
        if tile == PASSED_ON:
            if drawn is None:
                raise RecordError("not_drawn", f"seat {self.seat} passes a tile on without having drawn one")
            tile = drawn
        else:
            if drawn is not None:
                self.hand.append(drawn)
                if self.riichi_turn is not None and tile != drawn:
                    raise RecordError("riichi_changed", f"seat {self.seat} is in riichi and discards from the hand")
            self._remove(tile, "discards")
        if riichi:
            self._riichi(drawn)
        self.river.append(KINDS[tile])
        self.last_discard = tile
        self.after_kong = self.replaces in (_ADDED, _CONCEALED, _OPEN)
        self.robbable = None
        self.replaces = 0
        return True

    def _riichi(self, drawn: int | None) -> None:
        if self.riichi_turn is not None:
            raise RecordError("riichi_twice", f"seat {self.seat} declares riichi twice")
        if drawn is None or self.open_melds():
            raise RecordError("riichi_open", f"seat {self.seat} declares riichi with an open hand")
        if not waits(self.counts(), self.codes()):
            raise RecordError("riichi_not_ready", f"seat {self.seat} declares riichi with a hand that is not ready")
        self.riichi_turn = len(self.river)

    def _own_call(self, text: str) -> None:
        if text in ("f44", "44f"):
            if self.players != 3:
                raise RecordError("bad_kita", f"seat {self.seat} sets a north aside in a game of four players")
            self._remove(NORTH, "sets aside")
            self.norths += 1
            self.robbable = (_KITA, NORTH)
            return
        if not _CALL.fullmatch(text):
            raise RecordError("bad_event", f"seat {self.seat} drops {text[:20]!r}; that is neither a tile nor a kong")
        letter, place, tiles = self._split(text)
        kinds = {KINDS[tile] for tile in tiles}
        if letter not in "ka" or len(tiles) != 4 or len(kinds) != 1 or place > 3:
            raise RecordError("bad_meld", f"'{text}' of seat {self.seat} is not a kong of this format")
        kind = kinds.pop()
        if letter == "a":
            # All four are in the hand, so it tells the red ones; some converters write one of them red, or none.
            held = [tile for tile in self.hand if KINDS[tile] == kind]
            for tile in held if len(held) == 4 else tiles:
                self._remove(tile, "melds")
            reds = sum(RED_WEIGHTS.get(tile, 0) for tile in held)
            self.last_kong = Meld(KONG_CONCEALED + kind, kind, None, reds)
            self.melds.append(self.last_kong)
            self.robbable = (_CONCEALED, tiles[place])
            return
        added = tiles[place]
        pon = next((meld for meld in self.melds if meld.code == PUNG + kind), None)
        if pon is None:
            raise RecordError("no_pon", f"seat {self.seat} adds {NAMES[kind]} to a pon it does not have")
        self._remove(added, "adds")
        pon.code = KONG_ADDED + kind
        pon.reds += RED_WEIGHTS.get(added, 0)
        self.last_kong = pon
        self.robbable = (_ADDED, added)


class Play:
    """All seats of a hand. Raises RecordError when the lists cannot be those of one hand."""

    def __init__(
        self, lists: Sequence[Sequence[list[Any]]], *, players: int, dealer: int, indicators: list[int]
    ) -> None:
        self.players = players
        self.dealer = dealer
        self.seats = [SeatPlay(seat, players) for seat in range(players)]
        seen: Counter[int] = Counter(KINDS[tile] for tile in indicators)
        for seat, own in zip(self.seats, lists, strict=False):
            seen.update(KINDS[tile] for tile in seat.read(*own))
        kind, most = max(seen.items(), key=lambda item: item[1])
        if most > 4:
            raise RecordError("five_copies", f"a fifth {NAMES[kind]} appears")
        self.wall_left = LIVE_WALL[players] - sum(seat.draws for seat in self.seats)
        if self.wall_left < 0:
            raise RecordError("wall_empty", f"{-self.wall_left} more tiles are drawn than the wall has")
        self._check_claims()
        if sum(1 for seat in self.seats for meld in seat.melds if meld.code >= KONG_OPEN) > 4:
            raise RecordError("five_kongs", "five kongs in one hand")

    def _check_claims(self) -> None:
        rivers = [Counter(seat.river) for seat in self.seats]
        for seat in self.seats:
            for feeder, tile in seat.claimed_from:
                kind = KINDS[tile]
                rivers[feeder][kind] -= 1
                if rivers[feeder][kind] < 0:
                    raise RecordError(
                        "bad_claim", f"seat {seat.seat} claims {NAMES[kind]} that seat {feeder} did not discard"
                    )

    def unanswered(self) -> list[int]:
        """Seats whose last draw has no answer."""
        return [seat.seat for seat in self.seats if seat.drawn is not None]

    def paid(self, unpaid: int | None) -> int:
        """Bit = seat that paid the deposit of a riichi. unpaid: the seat whose riichi tile was won."""
        return sum(1 << seat.seat for seat in self.seats if seat.riichi_turn is not None and seat.seat != unpaid)

    def calls(self, robbed: SeatPlay | None = None) -> int:
        """Claims, kongs and norths of everybody; a robbed kong or north does not count."""
        number = sum(seat.norths + len(seat.melds) for seat in self.seats)
        number += sum(meld.code >= KONG_ADDED for seat in self.seats for meld in seat.melds)
        return number - (robbed is not None)

    def riichi(self, seat: SeatPlay, *, robbed: SeatPlay | None = None) -> int | None:
        """0 none, 1 riichi, 2 double riichi; None where it depends on an order that the log does not store."""
        if seat.riichi_turn is None:
            return 0
        if seat.riichi_turn > 0 or seat.first_call_turn == 0:
            return 1
        if self.calls(robbed) == 0:
            return 2
        place = (seat.seat - self.dealer) % self.players
        for other in self.seats:
            if other is seat or other.first_call_turn is None:
                continue
            # Up to the first call of the hand the seats take turns, so who calls after so many turns calls later.
            turns = other.first_call_turn
            seats_before = (other.seat - self.dealer) % self.players
            after = turns >= 2 or (turns == 1 and seats_before + 1 >= place)
            if not after:
                return None
        return 2

    def ippatsu(self, seat: SeatPlay, *, robbed: SeatPlay | None = None) -> bool | None:
        """Whether the winner won within the uninterrupted turn of its riichi; None where the order is not known."""
        if seat.riichi_turn is None or len(seat.river) - seat.riichi_turn > 1:
            return False
        if self.calls(robbed) == 0:
            return True
        return None

    def nagashi(self) -> int:
        """Bit = seat whose discards are terminals and honours that nobody claimed."""
        claimed = {feeder for seat in self.seats for feeder, _ in seat.claimed_from}
        mask = 0
        for seat in self.seats:
            if seat.river and seat.seat not in claimed and _OUTSIDE.issuperset(seat.river):
                mask |= 1 << seat.seat
        return mask

    def tenpai(self, seat: SeatPlay) -> bool:
        return bool(waits(seat.counts(), seat.codes()))
