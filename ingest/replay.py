"""The checked state machine of one 16-tile hand (SPEC sections 1, 2.1, 2.7, 2.8).

`HandReplay` is fed one event at a time. It raises RecordError (without hand and event: the reader knows them) when an
event cannot have happened, and derives every flag of a `wins` row from play; no claim of a log about a win is trusted.
Tiles are kinds 0..41 (ingest/tiles.py), seats 0..3 in turn order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NoReturn

import msgspec

from ingest.errors import RecordError
from ingest.hand_checks import is_complete, wait_kinds
from ingest.melds import (
    KONG_ADDED,
    KONG_CONCEALED,
    KONG_OPEN,
    PUNG,
    chow_code,
    is_exposed,
    meld_tiles,
    pack_melds,
)
from ingest.record import Row
from ingest.tiles import FIRST_FLOWER, N_KINDS, NAMES, decimal_keys

DEAD_WALLS: Final = ("fixed_tail_16", "kong_expands_tail", "fixed_replacement_wall_16")
"""How the undrawn tail is kept: a fixed number, one more per kong, or a refilled replacement wall."""

WALL_DRAWS: Final = frozenset(
    {
        "exhaustive",
        "terminal_flower",
        "terminal_concealed_kong",
        "terminal_added_kong",
        "kong_without_replacement",
        "flower_or_kong_without_replacement",
    }
)
"""Reasons of a draw that mean the wall ran out; every other reason is an abortive draw."""

CLAIMED: Final = -1
DEALT: Final = -2
"""Instead of a drawn tile: the turn began with a claim, with the deal."""

N_TILES: Final = 144
_WALL: Final = N_TILES - 65  # after the deal
_N_ALL: Final = FIRST_FLOWER + 8
_ALL_FLOWERS: Final = 255
_DRAW, _FLOWER, _ADDED, _CONCEALED, _OPEN = range(5)  # positions in REPLACEMENTS
_DISCARD_WIN, _SELF_DRAW, _ROB_KONG, _EIGHT_FLOWERS, _SEVEN_ROBS_ONE = range(5)  # positions in WIN_KINDS
_NOT_READY, _INITIAL, _FIRST_DISCARD, _NORMAL = range(4)  # positions in READY
# What may come next: opening flowers, an act of the player to move, an answer to a discard, a kong's replacement.
_OPENING, _ACT, _ANSWER, _KONG, _ENDED = range(5)


class HandEnd(msgspec.Struct, frozen=True):
    """Facts at the end of a hand, by seat where plural.

    result, draw_kind: as in `hands`. exposed: melds except concealed kongs. flowers: bit masks.
    ready, ready_turn: as in `seats`. tenpai: after a draw, who was ready (None where the hand does not tell); None
    after a win. wins: rows of `wins` without game_id and hand_no, in turn order after the payer.
    """

    result: str
    draw_kind: str | None
    wall_left: int
    exposed: list[int]
    flowers: list[int]
    ready: list[int]
    ready_turn: list[int | None]
    discards: list[int]
    tenpai: list[bool | None] | None
    wins: list[Row]


class HandReplay:
    """One hand, event by event.

    deal: dealt tiles per seat in play order, 17 for the dealer, 16 for the others, flowers included.
    wall: the tiles left after the deal, front to end, when the log has them: every draw is then checked against it.
    reserve: tiles at the end that are never drawn; dead_wall: one of DEAD_WALLS.
    eight_pairs: eight pairs and a half is a win in this game (for tenpai only; a win of this form is always accepted).
    Raises RecordError in the constructor and in every event.
    """

    __slots__ = (
        "_barred",
        "_calls",
        "_concealed",
        "_dealer",
        "_discards",
        "_door",
        "_draw_kind",
        "_drawn",
        "_draws",
        "_eight_pairs",
        "_expands",
        "_eyes",
        "_flowers",
        "_freezing",
        "_from_kong",
        "_front",
        "_frozen",
        "_hand_sizes",
        "_last",
        "_last_flower",
        "_last_taken",
        "_last_tile",
        "_left",
        "_melds",
        "_miji",
        "_mode",
        "_open_chain",
        "_owed",
        "_phase",
        "_ready",
        "_ready_draws",
        "_ready_open",
        "_ready_river",
        "_ready_turn",
        "_refilled",
        "_replacement",
        "_reserve",
        "_river",
        "_robbed",
        "_robbed_kong",
        "_round_wind",
        "_seen",
        "_streak",
        "_turn",
        "_wall",
        "_wins",
    )

    def __init__(
        self,
        *,
        dealer: int,
        door: int | None,
        round_wind: int,
        streak: int,
        deal: Sequence[Sequence[int]],
        wall: Sequence[int] | None = None,
        reserve: int = 16,
        dead_wall: str = "fixed_tail_16",
        eight_pairs: bool = False,
    ) -> None:
        if dealer not in (0, 1, 2, 3) or (door is not None and door not in (0, 1, 2, 3)):
            raise RecordError("bad_seat", f"dealer {dealer} or door {door} is not a seat 0..3; check the header")
        if round_wind not in (0, 1, 2, 3):
            raise RecordError("bad_round", f"round wind {round_wind} is not 0..3 (E S W N); check the header")
        if not 0 <= streak < 65536:
            raise RecordError("bad_streak", f"the streak {streak} is not a number of extra deals; check the header")
        if dead_wall not in DEAD_WALLS:
            raise RecordError("bad_dead_wall", f"dead wall '{dead_wall}' is not known; use {', '.join(DEAD_WALLS)}")
        if not 0 <= reserve <= _WALL:
            raise RecordError("bad_reserve", f"a reserve of {reserve} tiles is not possible; use 0 to {_WALL}")
        if len(deal) != 4:
            raise RecordError("hand_size", f"the deal has {len(deal)} hands; give the tiles of all four seats")
        seen = [0] * _N_ALL
        self._concealed: list[list[int]] = []
        for seat, tiles in enumerate(deal):
            expected = 17 if seat == dealer else 16
            if len(tiles) != expected:
                raise RecordError("hand_size", f"seat {seat} was dealt {len(tiles)} tiles; {expected} are needed")
            counts = [0] * _N_ALL
            for kind in tiles:
                if not 0 <= kind < _N_ALL:
                    raise RecordError("unknown_tile", f"tile {kind} in the deal of seat {seat} is not a tile 0..41")
                counts[kind] += 1
                seen[kind] += 1
            self._concealed.append(counts)
        if wall is not None:
            if len(wall) != _WALL:
                raise RecordError("wall_size", f"the wall after the deal has {len(wall)} tiles; it needs {_WALL}")
            for kind in wall:
                if not 0 <= kind < _N_ALL:
                    raise RecordError("unknown_tile", f"tile {kind} in the wall is not a tile 0..41")
                seen[kind] += 1
        for kind, n in enumerate(seen):
            if n > (4 if kind < N_KINDS else 1):
                _too_many(kind, n)
        self._seen: list[int] | None = seen if wall is None else None
        self._wall = wall
        self._front = 0
        self._left = _WALL
        self._reserve = reserve
        self._expands = dead_wall == "kong_expands_tail"
        self._refilled = dead_wall == "fixed_replacement_wall_16"
        self._dealer = dealer
        self._door = door
        self._round_wind = round_wind
        self._streak = streak
        self._eight_pairs = eight_pairs

        self._phase = _OPENING
        self._turn = dealer
        self._last = -1  # the discard or added kong tile that may be answered
        self._drawn = DEALT
        self._last_tile = False
        self._replacement = _DRAW
        self._open_chain = False
        self._from_kong = _DRAW  # kong that waits for its replacement
        self._hand_sizes = [17 if seat == dealer else 16 for seat in range(4)]
        self._melds: list[list[int]] = [[], [], [], []]
        self._flowers = [0, 0, 0, 0]
        self._owed = [0, 0, 0, 0]  # replacements to draw for flowers shown
        self._river = [0] * N_KINDS
        self._discards = [0, 0, 0, 0]
        self._draws = [0, 0, 0, 0]
        self._last_taken = [tiles[-1] for tiles in deal]
        self._calls = 0
        self._ready = [_NOT_READY] * 4
        self._ready_open = [False] * 4
        self._ready_turn: list[int | None] = [None] * 4
        self._ready_river: list[list[int]] = [[], [], [], []]
        self._ready_draws = [0, 0, 0, 0]
        self._frozen = [False] * 4
        self._freezing = -1  # seat that declared ready and has not yet made the discard that goes with it
        self._barred = [False] * 4
        self._eyes = 0
        self._miji = [False] * 4
        self._last_flower: tuple[int, int] | None = None
        self._mode = 0
        self._robbed: int | None = None
        self._robbed_kong = False
        self._draw_kind: str | None = None
        self._wins: list[Row] = []

    # -- read-only views that readers need

    @property
    def turn(self) -> int:
        """Seat that acts, or that made the discard or kong waiting for an answer."""
        return self._turn

    @property
    def drawn(self) -> int:
        """The tile just taken by the player to move; CLAIMED after a claim, DEALT in the dealer's dealt hand."""
        return self._drawn

    @property
    def wall_left(self) -> int:
        """Tiles left in the wall, reserve included."""
        return self._left

    @property
    def ended(self) -> bool:
        return self._phase == _ENDED

    # -- flowers and draws

    def flower(self, seat: int, kind: int) -> None:
        """`seat` shows a flower of the hand; a replacement is due unless the hand ends."""
        self._live(seat)
        if not FIRST_FLOWER <= kind < _N_ALL:
            raise RecordError("not_a_flower", f"{_name(kind)} is not a flower; flowers are f1 to f8")
        if self._phase != _OPENING and not (self._phase == _ACT and seat == self._turn and self._drawn >= 0):
            raise RecordError("wrong_turn", f"seat {seat} shows {_name(kind)} out of turn; check the event order")
        if not self._concealed[seat][kind]:
            self._not_held(seat, kind)
        self._concealed[seat][kind] = 0
        self._hand_sizes[seat] -= 1
        self._flowers[seat] |= 1 << (kind - FIRST_FLOWER)
        self._owed[seat] += 1
        self._last_flower = (seat, kind)

    def draw(self, seat: int, kind: int) -> None:
        """Normal draw from the front of the wall by the player after the discarder."""
        if self._phase != _ANSWER or seat != (self._turn + 1) % 4:
            self._live(seat)
            raise RecordError("wrong_turn", f"seat {seat} draws out of turn; only the player after the discarder draws")
        if self._left <= self._reserve:
            raise RecordError("dead_wall", f"seat {seat} draws from the dead wall ({self._left} tiles left)")
        if self._wall is not None:
            if self._wall[self._front] != kind:
                self._wrong_tile(kind, self._wall[self._front])
            self._front += 1
        else:
            self._see(kind)
        self._left -= 1
        self._concealed[seat][kind] += 1
        self._hand_sizes[seat] += 1
        self._draws[seat] += 1
        self._turn = seat
        self._last = -1
        self._phase = _ACT
        self._drawn = self._last_taken[seat] = kind
        self._replacement = _DRAW
        self._open_chain = False
        self._last_tile = self._left <= self._reserve
        self._last_flower = None

    def replace(self, seat: int, kind: int) -> None:
        """Draw from the end of the wall for a flower shown or a kong made."""
        self._live(seat)
        kong = self._phase == _KONG and seat == self._turn
        if not kong and not self._owed[seat]:
            shown = self._last_flower
            if (
                shown is not None
                and shown[0] != seat
                and self._flowers[seat] | 1 << (shown[1] - FIRST_FLOWER) == _ALL_FLOWERS
            ):
                self.rob_flower(seat, shown[0], shown[1])
            else:
                raise RecordError("no_replacement_due", f"seat {seat} takes a replacement without a flower or a kong")
        if kong and self._from_kong == _ADDED and self._expands:
            self._reserve += 1
        if not self.can_replace():
            raise RecordError("dead_wall", f"seat {seat} takes a replacement from the dead wall")
        if self._wall is not None:
            end = self._front + self._left - 1
            if self._wall[end] != kind:
                self._wrong_tile(kind, self._wall[end])
        else:
            self._see(kind)
        self._left -= 1
        if self._refilled:
            # The replacement wall takes the next tile of the live wall while there is one.
            kept = max(0, self._reserve - 1)
            self._reserve = kept + 1 if self._left > kept else kept
        self._concealed[seat][kind] += 1
        self._hand_sizes[seat] += 1
        self._last_taken[seat] = kind
        if kong:
            self._last = -1
            self._replacement = self._from_kong
            self._phase = _ACT
            self._drawn = kind
        else:
            self._owed[seat] -= 1
            if self._phase == _OPENING:
                return
            self._replacement = _OPEN if self._open_chain else _FLOWER
            self._drawn = kind
        self._last_tile = self._left <= self._reserve

    def can_replace(self) -> bool:
        """A tile may be taken from the end of the wall."""
        if self._refilled:
            return self._reserve > 0 and self._left > 0
        return self._left > self._reserve

    # -- discards and claims

    def discard(self, seat: int, kind: int) -> None:
        """The player to move discards a tile that he holds."""
        if seat != self._turn or self._phase > _ACT:
            self._live(seat)
            raise RecordError("wrong_turn", f"seat {seat} discards out of turn; seat {self._turn} made the last move")
        if self._phase == _OPENING:
            self._close_opening()
        if self._owed[seat]:
            raise RecordError("replacement_missing", f"seat {seat} discards before it replaced a flower")
        counts = self._concealed[seat]
        if not 0 <= kind < N_KINDS or not counts[kind]:
            if FIRST_FLOWER <= kind < _N_ALL:
                raise RecordError("flower_discarded", f"seat {seat} discards {_name(kind)}; flowers are shown")
            self._not_held(seat, kind)
        if self._frozen[seat] and kind != self._drawn:
            raise RecordError(
                "ready_hand_changed", f"seat {seat} declared ready, then discards {_name(kind)} from hand"
            )
        counts[kind] -= 1
        self._hand_sizes[seat] -= 1
        if self._hand_sizes[seat] != 16 - 3 * len(self._melds[seat]):
            raise RecordError(
                "hand_size", f"seat {seat} holds {self._hand_sizes[seat]} tiles after a discard; add what is missing"
            )
        self._river[kind] += 1
        self._discards[seat] += 1
        self._last = kind
        self._phase = _ANSWER
        self._open_chain = False
        self._last_flower = None
        if self._freezing == seat:
            self._frozen[seat] = True
        self._freezing = -1

    def chow(self, seat: int, kind: int, own: Sequence[int]) -> None:
        """The player after the discarder takes `kind` with two own neighbours."""
        self._claimable(seat, kind)
        if seat != (self._turn + 1) % 4:
            raise RecordError("bad_claim", f"seat {seat} chows from seat {self._turn}; only the next player may")
        tiles = sorted((kind, *own))
        low = tiles[0]
        if len(tiles) != 3 or not 0 <= low < 27 or low % 9 > 6 or tiles != [low, low + 1, low + 2]:
            raise RecordError(
                "bad_meld", f"the chow of {_name(kind)} is not three neighbours of one suit; check its tiles"
            )
        self._take_own(seat, list(own))
        self._claim(seat, kind, chow_code(low))

    def pung(self, seat: int, kind: int) -> None:
        """Pung of the last discard."""
        self._claimable(seat, kind)
        self._take_own(seat, [kind, kind])
        self._claim(seat, kind, PUNG + kind)

    def kong_open(self, seat: int, kind: int) -> None:
        """Kong of the last discard onto a concealed triplet; a replacement is due."""
        self._claimable(seat, kind)
        self._take_own(seat, [kind, kind, kind])
        self._claim(seat, kind, KONG_OPEN + kind)
        self._kong_made(_OPEN)

    def kong_concealed(self, seat: int, kind: int) -> None:
        """Four equal concealed tiles of the player to move; a replacement is due."""
        self._own_kong_turn(seat, kind)
        self._take_own(seat, [kind] * 4)
        self._melds[seat].append(KONG_CONCEALED + kind)
        self._kong_made(_CONCEALED)

    def kong_added(self, seat: int, kind: int) -> None:
        """Fourth tile onto an own pung; may be robbed until the replacement is drawn."""
        self._own_kong_turn(seat, kind)
        if PUNG + kind not in self._melds[seat]:
            raise RecordError(
                "bad_meld", f"seat {seat} adds {_name(kind)} to a pung that it does not have; check its melds"
            )
        self._take_own(seat, [kind])
        self._melds[seat][self._melds[seat].index(PUNG + kind)] = KONG_ADDED + kind
        self._last = kind
        self._kong_made(_ADDED)

    # -- declarations

    def ready(self, seat: int, *, open: bool = False) -> None:
        """`seat` declares ready, before the discard it comes with, or before anybody acts (initial, not the dealer).

        The hand is frozen afterwards: another discard than the tile just drawn, or a claim, is an error.
        """
        self._live(seat)
        if self._phase == _OPENING and seat != self._dealer:
            state = _INITIAL
        elif seat == self._turn and self._phase <= _ACT:
            exposed = any(map(is_exposed, self._melds[seat]))
            state = _NORMAL if self._discards[seat] or exposed else _FIRST_DISCARD
        else:
            raise RecordError("wrong_turn", f"seat {seat} declares ready out of turn; it goes before the own discard")
        if self._ready[seat]:
            raise RecordError("ready_twice", f"seat {seat} declares ready a second time; remove one declaration")
        self._declare(seat, state, open=open, turn=self._discards[seat])
        if state == _INITIAL:
            self._frozen[seat] = True
        else:
            self._freezing = seat

    def set_ready(self, seat: int, state: int, *, open: bool = False) -> None:
        """The log states that `seat` is now in the ready state `state` (position in READY), 0 to take it back.

        For logs that follow the state themselves, after the discard that made it; nothing is frozen.
        """
        self._live(seat)
        if not 0 <= state <= 3:
            raise RecordError("bad_ready", f"ready state {state} of seat {seat} is not 0..3")
        if state == _NOT_READY:
            self._ready[seat] = _NOT_READY
            self._ready_open[seat] = False
            self._ready_turn[seat] = None
        elif self._ready[seat]:
            self._ready[seat] = state
        else:
            own = self._phase == _ANSWER and self._turn == seat
            self._declare(seat, state, open=open, turn=self._discards[seat] - own)

    def eye(self, seat: int) -> None:
        """`seat` declares 眼牌 (SPEC 2.6)."""
        self._live(seat)
        self._eyes |= 1 << seat

    def miji(self, seat: int) -> None:
        """`seat` declares Miji (SPEC 3.5): no ninth discard and no meld of the others so far. It is an 眼牌 too."""
        self._live(seat)
        if sum(self._discards) > 8 or any(self._melds[s] for s in range(4) if s != seat):
            raise RecordError("miji_too_late", f"seat {seat} declares Miji after 8 discards or another's meld")
        self._miji[seat] = True
        self._eyes |= 1 << seat

    def false_win(self, seat: int) -> None:
        """`seat` called a win that does not count; it may neither win nor claim any more and the hand goes on."""
        self._live(seat)
        self._barred[seat] = True

    # -- the end

    def win(self, seat: int, kind: int, payer: int | None) -> Row:
        """`seat` wins with `kind`: self-drawn (payer None), or discarded by, or robbed from the added kong of, `payer`.

        Returns the row for `wins` without game_id, hand_no and win_no. Each further winner of the same tile is one more
        call.
        """
        self._winnable(seat)
        if not 0 <= kind < N_KINDS:
            raise RecordError("unknown_tile", f"{_name(kind)} cannot be a winning tile; name one of the 34 kinds")
        counts = self._concealed[seat]
        if payer is None:
            if self._wins or seat != self._turn or self._phase > _ACT:
                raise RecordError("wrong_turn", f"seat {seat} wins by self-draw out of turn; name the discarder")
            if self._phase == _OPENING:
                self._close_opening()
            if self._drawn == CLAIMED:
                raise RecordError("win_after_claim", f"seat {seat} wins by self-draw after a claim; it must discard")
            if self._owed[seat]:
                raise RecordError("replacement_missing", f"seat {seat} wins before it replaced a flower")
            if not counts[kind] or (self._drawn >= 0 and kind != self._drawn):
                raise RecordError(
                    "win_tile", f"seat {seat} did not draw the winning tile {_name(kind)}; check the draw"
                )
            win_kind = _SELF_DRAW
        else:
            if payer != self._turn or payer == seat or kind != self._last:
                raise RecordError(
                    "win_tile", f"seat {seat} wins on {_name(kind)}, not the last discard of seat {payer}; check both"
                )
            # Only a discard and an added kong that waits for its replacement leave a tile in `_last`.
            robbed = self._robbed_kong if self._wins else self._phase == _KONG
            win_kind = _ROB_KONG if robbed else _DISCARD_WIN
            if self._wins and any(row["winner"] == seat for row in self._wins):
                raise RecordError("win_twice", f"seat {seat} wins twice with the same tile; remove one win")
        completed = counts
        if payer is not None:
            completed = counts.copy()
            completed[kind] += 1
        if any(counts[FIRST_FLOWER:]) or not is_complete(completed, len(self._melds[seat])):
            raise RecordError("not_complete", f"seat {seat} wins with a hand that is not complete; check its tiles")
        if win_kind == _ROB_KONG and not self._wins:
            # The kong did not happen: the pung stays and the winner has the tile.
            melds = self._melds[self._turn]
            melds[melds.index(KONG_ADDED + kind)] = PUNG + kind
            self._calls -= 1
            self._robbed_kong = True
        row = self._row(seat, completed, kind, payer, win_kind)
        self._wins.append(row)
        self._phase = _ENDED
        return row

    def rob_flower(self, seat: int, payer: int, kind: int) -> None:
        """Seven robs one (SPEC 2.7): `seat` takes the flower `kind` of `payer` and then holds all eight."""
        self._live(seat)
        if payer not in (0, 1, 2, 3) or payer == seat:
            raise RecordError("bad_seat", f"the robbed player {payer} is not another seat 0..3; name its seat")
        bit = 1 << (kind - FIRST_FLOWER) if FIRST_FLOWER <= kind < _N_ALL else 0
        shown = self._last_flower
        if not bit or shown is None or self._flowers[seat] | bit != _ALL_FLOWERS or not self._flowers[payer] & bit:
            raise RecordError(
                "not_eight_flowers", f"seat {seat} cannot rob {_name(kind)} of seat {payer} to hold eight flowers"
            )
        if shown == (payer, kind):
            self._mode = 1
            self._owed[payer] -= 1
            self._owed[seat] += 1
        elif shown[0] == seat:
            self._mode = 2
        else:
            raise RecordError("wrong_turn", f"seat {seat} robs {_name(kind)}, but no flower was shown just now")
        self._flowers[payer] &= ~bit
        self._flowers[seat] |= bit
        self._robbed = kind - FIRST_FLOWER + 1

    def flower_win(self, seat: int, *, payer: int | None = None, robbed_flower: int | None = None) -> Row:
        """Win with all eight flowers, or by robbing the flower 1..8 of `payer`; the hand need not be complete.

        Returns the row for `wins` as `win` does. The concealed tiles may be 16, 17 or 18 then.
        """
        self._winnable(seat)
        if self._wins:
            raise RecordError("win_twice", "a flower win cannot follow another win of the same hand")
        robs = self._mode == 1 or (self._last_flower is not None and self._last_flower[0] == payer)
        if self._phase != _OPENING and not (self._phase == _ACT and (seat == self._turn or robs)):
            raise RecordError("wrong_turn", f"seat {seat} calls a flower win out of turn")
        if payer is not None and self._robbed is None:
            if robbed_flower is None or not 1 <= robbed_flower <= 8:
                raise RecordError("robbed_flower", "a seven-robs-one win names no flower; give robbed_flower, 1 to 8")
            self.rob_flower(seat, payer, FIRST_FLOWER + robbed_flower - 1)
        if payer is not None and robbed_flower is not None and robbed_flower != self._robbed:
            raise RecordError(
                "robbed_flower", f"the robbed flower is f{self._robbed}, not f{robbed_flower}; correct it"
            )
        if payer is None and self._robbed is not None:
            raise RecordError("robbed_flower", f"seat {seat} robbed f{self._robbed}; name the payer")
        if self._flowers[seat] != _ALL_FLOWERS:
            raise RecordError("not_eight_flowers", f"seat {seat} calls a flower win without eight flowers")
        win_kind = _EIGHT_FLOWERS if payer is None else _SEVEN_ROBS_ONE
        counts = self._concealed[seat]
        tile = self._last_taken[seat]
        if tile >= N_KINDS or not counts[tile]:
            tile = next((kind for kind in range(N_KINDS) if counts[kind]), 0)
        row = self._row(seat, counts, tile, payer, win_kind)
        row["initial_flowers"] = self._phase == _OPENING
        self._wins.append(row)
        self._phase = _ENDED
        return row

    def draw_game(self, kind: str = "exhaustive") -> None:
        """The hand ends without a winner: `exhaustive`, another of WALL_DRAWS, or the name of an abortive draw."""
        if self._phase == _ENDED:
            raise RecordError("event_after_end", "the hand is drawn after it has ended; remove the event")
        if kind == "exhaustive":
            over = self._phase == _ANSWER and self._left <= self._reserve
        else:
            # The other ways to run out of tiles leave a flower or kong without its replacement.
            over = kind not in WALL_DRAWS or self._phase == _KONG or any(self._owed)
        if not over:
            raise RecordError(
                "draw_too_early",
                f"the hand is drawn with {self._left} tiles left; add the missing events, or export it again",
            )
        self._draw_kind = kind
        self._phase = _ENDED

    def finish(self) -> HandEnd:
        """Facts of the finished hand; checks that all 144 tiles are accounted for."""
        if self._phase != _ENDED:
            raise RecordError("no_end", "the hand was cut off before a win or a draw")
        self._check_conservation()
        kind = self._draw_kind
        tenpai: list[bool | None] | None = None
        if kind is not None:
            tenpai = [self._tenpai(seat) for seat in range(4)]
        wins = self._wins
        if len(wins) > 1:
            payer = self._turn
            wins = sorted(wins, key=lambda row: (row["winner"] - payer) % 4)
        for number, row in enumerate(wins):
            row["win_no"] = number
        return HandEnd(
            result="win" if kind is None else "exhaustive_draw" if kind in WALL_DRAWS else "abortive_draw",
            draw_kind=None if kind in (None, "exhaustive") else kind,
            wall_left=self._left,
            exposed=[sum(map(is_exposed, melds)) for melds in self._melds],
            flowers=list(self._flowers),
            ready=list(self._ready),
            ready_turn=list(self._ready_turn),
            discards=list(self._discards),
            tenpai=tenpai,
            wins=wins,
        )

    # -- inside

    def _live(self, seat: int) -> None:
        if seat not in (0, 1, 2, 3):
            raise RecordError("bad_seat", f"{seat} is not a seat 0..3")
        if self._phase == _ENDED:
            raise RecordError("event_after_end", f"seat {seat} acts after the end of the hand; remove the event")

    def _winnable(self, seat: int) -> None:
        if seat not in (0, 1, 2, 3):
            raise RecordError("bad_seat", f"{seat} is not a seat 0..3")
        if self._phase == _ENDED and not (self._wins and self._wins[0]["win_kind"] in (_DISCARD_WIN, _ROB_KONG)):
            raise RecordError("event_after_end", f"seat {seat} wins after the end of the hand; remove the event")
        if self._barred[seat]:
            raise RecordError("barred", f"seat {seat} wins after a false win in the same hand")

    def _close_opening(self) -> None:
        if any(self._owed):
            seat = next(s for s in range(4) if self._owed[s])
            raise RecordError("replacement_missing", f"seat {seat} still lacks a replacement when play begins")
        self._phase = _ACT
        self._last_flower = None

    def _see(self, kind: int) -> None:
        if not 0 <= kind < _N_ALL:
            raise RecordError("unknown_tile", f"tile {kind} is not a tile 0..41")
        seen = self._seen
        if seen is not None:
            seen[kind] += 1
            if seen[kind] > (4 if kind < N_KINDS else 1):
                _too_many(kind, seen[kind])

    def _claimable(self, seat: int, kind: int) -> None:
        if self._phase != _ANSWER or seat not in (0, 1, 2, 3) or seat == self._turn or kind != self._last:
            self._live(seat)
            raise RecordError(
                "bad_claim", f"seat {seat} claims {_name(kind)}, not the last discard of another; check both"
            )
        if self._barred[seat]:
            raise RecordError("barred", f"seat {seat} claims a tile after a false win in the same hand")
        if self._frozen[seat]:
            raise RecordError("ready_hand_changed", f"seat {seat} declared ready and claims {_name(kind)}")

    def _take_own(self, seat: int, tiles: list[int]) -> None:
        counts = self._concealed[seat]
        for kind in tiles:
            if not 0 <= kind < N_KINDS or not counts[kind]:
                self._not_held(seat, kind)
            counts[kind] -= 1
        self._hand_sizes[seat] -= len(tiles)

    def _claim(self, seat: int, kind: int, code: int) -> None:
        self._river[kind] -= 1
        self._melds[seat].append(code)
        self._turn = seat
        self._phase = _ACT
        self._drawn = CLAIMED
        self._last = -1
        self._calls += 1
        self._last_tile = False
        self._replacement = _DRAW

    def _own_kong_turn(self, seat: int, kind: int) -> None:
        self._live(seat)
        if seat != self._turn or self._phase > _ACT:
            raise RecordError("wrong_turn", f"seat {seat} makes a kong of {_name(kind)} out of turn")
        if self._phase == _OPENING:
            self._close_opening()
        if self._drawn == CLAIMED:
            raise RecordError("kong_after_claim", f"seat {seat} makes a kong after a claim; it must discard")
        if self._owed[seat]:
            raise RecordError("replacement_missing", f"seat {seat} makes a kong before replacing a flower")

    def _kong_made(self, kong: int) -> None:
        if kong != _OPEN:
            self._calls += 1
        self._phase = _KONG
        self._from_kong = kong
        self._open_chain = kong == _OPEN
        if self._expands and kong != _ADDED:
            self._reserve += 1

    def _declare(self, seat: int, state: int, *, open: bool, turn: int) -> None:
        self._ready[seat] = state
        self._ready_open[seat] = open
        self._ready_turn[seat] = turn
        self._ready_river[seat] = list(self._discards)
        self._ready_draws[seat] = self._draws[seat]

    def _row(self, seat: int, counts: Sequence[int], kind: int, payer: int | None, win_kind: int) -> Row:
        km, kp, ks, kh = decimal_keys(counts)
        m0, m1, m2, m3, m4 = pack_melds(self._melds[seat])
        own_draw = win_kind in (_SELF_DRAW, _EIGHT_FLOWERS) or (win_kind == _SEVEN_ROBS_ONE and self._turn == seat)
        on_discard = win_kind == _DISCARD_WIN
        nobody_discarded = not any(self._discards)
        first_turn = own_draw and seat != self._dealer and self._draws[seat] == 1 and not self._discards[seat]
        dealt = own_draw and seat == self._dealer and nobody_discarded
        konged = bool(self._melds[seat])
        ready = self._ready[seat]
        first_after_ready = False
        if ready:
            if on_discard and payer is not None:
                first_after_ready = self._discards[payer] == self._ready_river[seat][payer] + 1
            elif own_draw:
                first_after_ready = self._draws[seat] == self._ready_draws[seat] + 1
        flower_kind = win_kind in (_EIGHT_FLOWERS, _SEVEN_ROBS_ONE)
        opening = self._phase == _OPENING
        replacement = self._replacement if own_draw else _DRAW
        last_tile = self._last_tile if own_draw else on_discard and self._left <= self._reserve
        if win_kind == _SEVEN_ROBS_ONE and not opening and self._owed[seat] == 0:
            replacement = _FLOWER
            last_tile = self._left <= self._reserve
        return {
            "km": km,
            "kp": kp,
            "ks": ks,
            "kh": kh,
            "m0": m0,
            "m1": m1,
            "m2": m2,
            "m3": m3,
            "m4": m4,
            "win_tile": kind,
            "flowers": self._flowers[seat],
            "winner": seat,
            "payer": payer,
            "win_kind": win_kind,
            "dealer": self._dealer,
            "door": self._door,
            "streak": self._streak,
            "round_wind": self._round_wind,
            "replacement": replacement,
            "last_tile": last_tile,
            "ready": ready,
            "ready_open": ready != _NOT_READY and self._ready_open[seat],
            "ready_first_turn": first_after_ready,
            "heavenly": dealt and not konged,
            "heavenly_after_kong": dealt and konged,
            "first_draw": first_turn and not konged,
            "first_draw_after_kong": first_turn and konged,
            # The dealer's first draw is the 17th tile of the deal.
            "before_first_draw": on_discard and seat != self._dealer and not self._draws[seat],
            "discarder_first_discard": on_discard and payer is not None and self._discards[payer] == 1,
            "no_calls": not self._calls,
            "miji": self._miji[seat],
            "flower_mode": self._mode if win_kind == _SEVEN_ROBS_ONE else 0,
            "robbed_flower": self._robbed if win_kind == _SEVEN_ROBS_ONE else None,
            "initial_flowers": False,
            "declined_eight": not flower_kind and self._flowers[seat] == _ALL_FLOWERS,
            "eye_players": self._eyes & ~(1 << seat),
        }

    def _tenpai(self, seat: int) -> bool | None:
        counts = self._concealed[seat]
        if any(counts[FIRST_FLOWER:]) or self._hand_sizes[seat] != 16 - 3 * len(self._melds[seat]):
            return None
        return bool(wait_kinds(counts, self._melds[seat], eight_pairs=self._eight_pairs))

    def _check_conservation(self) -> None:
        total = self._left + sum(self._river) + sum(self._hand_sizes) + self._robbed_kong
        total += sum(mask.bit_count() for mask in self._flowers)
        total += sum(3 if code < KONG_OPEN else 4 for melds in self._melds for code in melds)
        if total != N_TILES:
            raise RecordError("tiles_lost", f"{total} tiles are on the table at the end, not {N_TILES}")
        copies = self._river.copy()
        for counts in self._concealed:
            copies = [a + b for a, b in zip(copies, counts, strict=False)]
        for melds in self._melds:
            for code in melds:
                for kind in meld_tiles(code):
                    copies[kind] += 1
        for kind, n in enumerate(copies):
            if n > 4:
                _too_many(kind, n)

    def _wrong_tile(self, kind: int, expected: int) -> NoReturn:
        raise RecordError("wall_order", f"{_name(kind)} is drawn where the wall has {_name(expected)}")

    def _not_held(self, seat: int, kind: int) -> NoReturn:
        raise RecordError("tile_not_held", f"seat {seat} uses {_name(kind)} without holding it; check the tiles before")


def _name(kind: int) -> str:
    return NAMES[kind] if 0 <= kind < _N_ALL else f"tile {kind}"


def _too_many(kind: int, n: int) -> NoReturn:
    code = "five_copies" if kind < N_KINDS else "flower_twice"
    raise RecordError(code, f"{n} copies of {_name(kind)}; correct the misread tile")
