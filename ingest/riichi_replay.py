"""The checked state machine of one riichi hand of three or four players (RIICHI rules 1 and 2.8 to 2.12).

`RiichiReplay` is fed one event at a time. It raises RecordError (without hand and event: the reader knows them) when an
event cannot have happened, and derives the flags of a `wins` row from play.

A tile is its kind 0..33 (ingest/tiles.py), plus RED for a red five. None stands for a tile the log hides; a seat whose
dealt hand is None is hidden, and checks that need its tiles are skipped.

Events in the order of play: `draw` (the dealer's 14th tile too; the replacement after a kong or kita is a draw like
any other), then `discard`, `closed_kong`, `added_kong`, `kita` or `win`; after a discard the next `draw`, or `chi`,
`pon`, `open_kong`, `win`. `riichi` comes before its discard. `riichi_accepted` may be left out: the deposit counts as
paid when the next event is neither a win nor the abort by three winners. `dora` turns a further indicator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Final

import msgspec

from ingest.errors import RecordError
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code, pack_melds
from ingest.record import DORA, URA, Row
from ingest.riichi_shapes import RED_FIVE, TERMINALS_AND_HONORS, is_complete, is_ready, is_unconnected, keys_of
from ingest.tiles import N_KINDS, NAMES

RED: Final = RED_FIVE
"""Added to the kind of a five that is red."""

KIND_MASK: Final = 63
LIVE_WALL: Final = {4: 70, 3: 55}
"""Tiles that can be drawn in a hand, the dealer's fourteenth included, by number of players."""

ABORTS: Final = ("kyuushu", "suufon", "suucha", "suukaikan", "sanchahou")
"""`draw_kind` of an abortive draw: nine terminals, four winds, four riichi, four kongs, three winners."""

RED_WEIGHT: Final = {4 | RED: 1, 13 | RED: 4, 22 | RED: 16}
"""What a red five adds to `wins.reds`."""

_NORTH: Final = 30
_DISCARD_WIN, _SELF_DRAW, _ROB = range(3)  # positions in WIN_KINDS
_ADDED, _CONCEALED, _OPEN, _KITA = 2, 3, 4, 5  # positions in REPLACEMENTS
_KONGS: Final = (_ADDED, _CONCEALED, _OPEN)
_ROBBED: Final = {_ADDED: 0, _CONCEALED: 1, _KITA: 2}  # positions in ROBBED
# What may come next: a draw or a claim, a replacement draw or a robbery, an act of the player to move, more winners.
_DRAW, _REPLACE, _ACT, _WON, _ENDED = range(5)
_CLAIMED: Final = -1
_OUTSIDE: Final = frozenset(TERMINALS_AND_HONORS)


class RiichiEnd(msgspec.Struct, frozen=True):
    """Facts at the end of a hand, by seat (0..3) where plural.

    result, draw_kind: as in `hands`. wall_left: tiles of the live wall. exposed: melds except concealed kongs.
    discards: discards made. riichi: 0 none, 1 riichi, 2 double riichi (a declaration whose tile was won counts as
    none). ready_turn: own discards before the riichi. paid: bit = seat that paid a deposit. tenpai: after an
    exhaustive draw, who was ready (None where not known); None otherwise. A reader of half a hand puts None for what
    it does not know. nagashi: bit = seat whose discards qualify
    at an exhaustive draw, whether or not the rules pay it; None where there is no such draw.
    wins: rows of `wins` without game_id and hand_no, in turn order after the payer.
    """

    players: int
    result: str
    draw_kind: str | None
    wall_left: int | None
    exposed: Sequence[int | None]
    discards: Sequence[int | None]
    riichi: Sequence[int | None]
    ready_turn: Sequence[int | None]
    paid: int
    tenpai: Sequence[bool | None] | None
    nagashi: int | None
    wins: list[Row]


class RiichiReplay:
    """One hand, event by event; see the module for the order of events.

    players: 3 or 4; seats 0..players-1 in turn order. dealer, round_wind (0..3): of this hand. honba, sticks: before
    the hand. hands: 13 tiles per seat, None where hidden; the dealer's fourteenth tile is the first `draw`. An entry of
    seat 3 in a three-player game is ignored. dora_indicator: kind of the first one, None when the log has none.
    live_wall: tiles that can be drawn, by default LIVE_WALL of the players. distinct: the reader makes sure itself that
    none of the 136 tiles comes twice; copies of a kind are not counted then, and `in_turn` is fast.
    Raises RecordError in the constructor and in every event.
    """

    __slots__ = (
        "_calls", "_dealer", "_declaring", "_discards", "_dora", "_draw_kind", "_drawn", "_draws", "_fast",
        "_feeder", "_hands", "_honba", "_ippatsu", "_kong_owners", "_last", "_last_seat", "_left", "_liable",
        "_meld_reds", "_melds", "_n_kongs", "_norths", "_open", "_paid", "_phase", "_players", "_ready_turn",
        "_replacement", "_riichi", "_rivers", "_robbable", "_round_wind", "_seen", "_sizes", "_source",
        "_sticks", "_taken", "_tenpai", "_turn", "_unpaid", "_wins",
    )  # fmt: skip

    def __init__(
        self,
        *,
        players: int = 4,
        dealer: int,
        round_wind: int,
        honba: int = 0,
        sticks: int = 0,
        hands: Sequence[Sequence[int] | None],
        dora_indicator: int | None = None,
        live_wall: int | None = None,
        distinct: bool = False,
    ) -> None:
        if players not in LIVE_WALL:
            raise RecordError("bad_players", f"{players} players; riichi has 3 or 4")
        if not 0 <= dealer < players:
            raise RecordError("bad_seat", f"the dealer is seat {dealer}; the seats are 0 to {players - 1}")
        if not 0 <= round_wind <= 3:
            raise RecordError("bad_round", f"the round wind is {round_wind}; winds are 0 to 3")
        if honba < 0 or sticks < 0:
            raise RecordError("bad_header", f"{honba} honba and {sticks} deposits; neither can be negative")
        self._players = players
        self._dealer = dealer
        self._round_wind = round_wind
        self._honba = honba
        self._sticks = sticks
        self._left = LIVE_WALL[players] if live_wall is None else live_wall
        seen = self._seen = [0] * N_KINDS
        self._hands: list[list[int] | None] = []
        for seat in range(players):
            dealt = hands[seat]
            if dealt is None:
                self._hands.append(None)
                continue
            if len(dealt) != 13:
                raise RecordError("tile_count", f"seat {seat} is dealt {len(dealt)} tiles; there should be 13")
            self._hands.append(list(dealt))
            if not distinct:
                for tile in dealt:
                    seen[tile & KIND_MASK] += 1
        if not distinct and max(seen) > 4:
            raise RecordError("five_copies", f"more than four {NAMES[seen.index(max(seen))]} are dealt")
        self._fast = distinct and None not in self._hands
        self._sizes = [13] * players  # concealed tiles without a drawn one
        self._melds: list[list[int]] = [[] for _ in range(players)]
        self._meld_reds = [0] * players
        self._open = [0] * players
        self._kong_owners: list[int] = []
        self._norths = [0] * players
        self._rivers: list[list[int]] = [[] for _ in range(players)]
        self._taken = 0  # bit = seat of which a discard was claimed
        self._draws = [0] * players
        self._riichi = [0] * players
        self._ready_turn: list[int | None] = [None] * players
        self._declaring = -1
        self._unpaid = -1
        self._paid = 0
        self._ippatsu = 0
        self._calls = 0
        self._n_kongs = 0
        self._replacement = 0
        self._feeder: int | None = None
        self._robbable = 0
        self._liable: list[list[int | None]] = [[None, None, None] for _ in range(players)]
        self._dora: list[int] = []
        self._last = -1
        self._last_seat = -1
        self._drawn: int | None = _CLAIMED
        self._turn = dealer
        self._phase = _DRAW
        self._source: tuple[int | None, int] | None = None
        self._draw_kind: str | None = None
        self._tenpai: list[bool | None] | None = None
        self._wins: list[Row] = []
        if dora_indicator is not None:
            self.dora(dora_indicator)

    # Facts a reader may ask for while it feeds events.

    @property
    def turn(self) -> int:
        """The seat to move, or to draw next when nobody claims the discard."""
        return self._turn

    @property
    def acting(self) -> bool:
        """The seat to move has drawn or claimed and not yet discarded."""
        return self._phase == _ACT

    @property
    def last_discard(self) -> tuple[int, int] | None:
        """Seat and tile of the newest discard that nobody has claimed and after which nobody has drawn."""
        return (self._last_seat, self._last) if self._phase == _DRAW and self._last >= 0 else None

    @property
    def drawn(self) -> int | None:
        """The tile the seat to move has just drawn; None when it is hidden or when the turn began with a claim."""
        return None if self._phase != _ACT or self._drawn == _CLAIMED else self._drawn

    @property
    def paid(self) -> int:
        """Bit = seat whose deposit of this hand is on the table."""
        return self._paid

    @property
    def ended(self) -> bool:
        """A win or a draw has come."""
        return self._phase >= _WON

    def concealed(self, seat: int) -> list[int] | None:
        """Concealed tiles of a seat, a drawn one included; None when hidden."""
        hand = self._hands[seat]
        if hand is None:
            return None
        if seat == self._turn and self._phase == _ACT and self._drawn is not None and self._drawn != _CLAIMED:
            return [*hand, self._drawn]
        return list(hand)

    # Events.

    def draw(self, seat: int, tile: int | None) -> None:
        """A draw from the wall, or the replacement that is due. tile: None only where the seat's hand is hidden."""
        phase = self._phase
        if seat != self._turn or phase > _REPLACE:
            raise self._out_of_turn(seat, "draws")
        if self._left <= 0:
            raise RecordError("wall_empty", f"seat {seat} draws from an empty wall")
        self._left -= 1
        if self._unpaid >= 0:
            self._accept()
        if phase == _REPLACE:
            self._interrupt()
            self._replacement = self._robbable
        else:
            self._replacement = 0
        self._robbable = 0
        self._draws[seat] += 1
        self._drawn = tile
        self._phase = _ACT
        if self._hands[seat] is not None:
            if tile is None:
                raise RecordError("tile_missing", f"seat {seat} draws a hidden tile into a known hand")
            seen = self._seen
            kind = tile & KIND_MASK
            seen[kind] += 1
            if seen[kind] > 4:
                raise self._five_copies(kind)

    def discard(self, seat: int, tile: int, *, drawn: bool | None = None, riichi: bool = False) -> None:
        """drawn: the drawn tile was passed on (tsumogiri), None where not known. riichi: as after `riichi`."""
        if seat != self._turn or self._phase != _ACT:
            raise self._out_of_turn(seat, "discards")
        if riichi:
            self.riichi(seat)
        hand = self._hands[seat]
        held = self._drawn
        if hand is None:
            self._see(tile)
            kept = drawn is False
        elif tile == held and drawn is not False:
            kept = False
        else:
            kept = True
            if drawn:
                raise RecordError(
                    "not_drawn", f"seat {seat} passes on {name(tile)}, which is not the tile it has just drawn"
                )
            try:
                hand.remove(tile)
            except ValueError:
                if tile != held:
                    raise RecordError(
                        "not_in_hand", f"seat {seat} discards {name(tile)}, which it does not hold"
                    ) from None
            else:
                if held is not None and held != _CLAIMED:
                    hand.append(held)
        if self._riichi[seat] and kept and seat != self._declaring:
            raise RecordError("riichi_changed", f"seat {seat} is in riichi and discards from the hand")
        if held == _CLAIMED:
            self._sizes[seat] -= 1
        self._rivers[seat].append(tile)
        self._last = tile
        self._last_seat = seat
        if self._ippatsu:
            self._ippatsu &= ~(1 << seat)
        if self._declaring >= 0:
            if hand is not None and not self._is_ready(seat):
                raise RecordError("riichi_not_ready", f"seat {seat} declares riichi with a hand that is not ready")
            self._declaring = -1
            self._unpaid = seat
        self._turn = seat + 1 if seat + 1 < self._players else 0
        self._phase = _DRAW

    def in_turn(self, tiles: Sequence[int]) -> None:
        """Draws and discards by turns, as they come without calls, beginning with what is due.

        Where the replay is `distinct` and knows all hands, an error says that an event is impossible but not which, and
        the replay is of no use after it; a new one fed event by event says which. Else it stops at the event.
        """
        first, end = 0, len(tiles)
        while first < end and (self._phase != _DRAW or self._unpaid >= 0 or not self._fast):
            self._next(tiles[first])
            first += 1
        rounds = (end - first) // 2
        if rounds:
            self._rounds(tiles[first : first + 2 * rounds : 2], tiles[first + 1 : first + 2 * rounds : 2])
        if first + 2 * rounds < end:
            self._next(tiles[-1])

    def _next(self, tile: int) -> None:
        if self._phase == _ACT:
            self.discard(self._turn, tile)
        else:
            self.draw(self._turn, tile)

    def _rounds(self, draws: Sequence[int], discards: Sequence[int]) -> None:
        """Each draw with its discard; nothing but the hands and the wall changes."""
        players, turn, number = self._players, self._turn, len(draws)
        if self._left < number:
            raise RecordError("wall_empty", f"{number} draws from a wall of {self._left} tiles")
        seats = [*range(turn, players), *range(turn)]
        # A seat in riichi has nothing to discard from but the drawn tile.
        hands = [[] if self._riichi[seat] else self._hands[seat] for seat in seats]
        try:
            for hand, drawn, discarded in zip(cycle(hands), draws, discards, strict=False):
                if drawn != discarded:
                    hand[hand.index(discarded)] = drawn
        except ValueError:
            raise RecordError(
                "not_in_hand", f"one of {number} discards is of a tile that its player does not hold"
            ) from None
        for place, seat in enumerate(seats[:number]):
            river = discards[place::players]
            self._rivers[seat] += river
            self._draws[seat] += len(river)
            if self._ippatsu:
                self._ippatsu &= ~(1 << seat)
        self._left -= number
        self._drawn = draws[-1]
        self._last = discards[-1]
        self._last_seat = (turn + number - 1) % players
        self._turn = (turn + number) % players
        self._replacement = self._robbable = 0

    def riichi(self, seat: int) -> None:
        """Declared, before the discard it comes with."""
        if seat != self._turn or self._phase != _ACT or self._drawn == _CLAIMED:
            raise self._out_of_turn(seat, "declares riichi")
        if self._riichi[seat] or self._declaring >= 0:
            raise RecordError("riichi_twice", f"seat {seat} declares riichi twice")
        if self._open[seat]:
            raise RecordError("riichi_open", f"seat {seat} declares riichi with an open hand")
        self._declaring = seat
        turn = len(self._rivers[seat])
        self._ready_turn[seat] = turn
        self._riichi[seat] = 2 if turn == 0 and not self._calls else 1

    def riichi_accepted(self, seat: int) -> None:
        """The deposit is paid, after the discard. May be left out where the log does not say it."""
        if seat != self._unpaid:
            raise RecordError("riichi_not_declared", f"seat {seat} pays a deposit without a riichi discard before")
        self._accept()

    def chi(self, seat: int, tile: int, own: Sequence[int]) -> None:
        """tile: the claimed discard; own: the two tiles from the hand."""
        self._claim(seat, tile)
        if self._players == 3 or seat != self._turn:
            raise RecordError("bad_claim", f"seat {seat} takes a chi that is not from the player before it")
        if len(own) != 2:
            raise RecordError("bad_meld", f"a chi takes two tiles from the hand, not {_names(own)}")
        low, middle, high = sorted(t & KIND_MASK for t in (tile, *own))
        if not (low < 27 and low % 9 <= 6 and middle == low + 1 and high == low + 2):
            raise RecordError("bad_meld", f"{_names((tile, *own))} are not three neighbours of one suit")
        self._meld(seat, chow_code(low), tile, own)

    def pon(self, seat: int, tile: int, own: Sequence[int]) -> None:
        """tile: the claimed discard; own: the two tiles from the hand."""
        self._claim(seat, tile)
        kind = self._same((tile, *own), 3)
        self._meld(seat, PUNG + kind, tile, own)
        self._complete_honors(seat, kind)

    def open_kong(self, seat: int, tile: int, own: Sequence[int]) -> None:
        """A kong of a discard (daiminkan). tile: the claimed discard; own: the three tiles from the hand."""
        self._claim(seat, tile)
        kind = self._same((tile, *own), 4)
        feeder = self._last_seat
        self._meld(seat, KONG_OPEN + kind, tile, own)
        self._kong(seat, _OPEN)
        self._feeder = feeder
        self._complete_honors(seat, kind)
        if self._kong_owners.count(seat) == 4:
            self._liable[seat][2] = feeder

    def closed_kong(self, seat: int, tiles: Sequence[int]) -> None:
        """A concealed kong. tiles: the four tiles, or just one of them where the log names no more."""
        self._own_kong(seat, "calls a concealed kong")
        kind = tiles[0] & KIND_MASK
        if len(tiles) != 1:
            self._same(tiles, 4)
        hand = self._hands[seat]
        if hand is None:
            for tile in tiles if len(tiles) == 4 else [kind] * 4:
                self._see(tile)
                self._meld_reds[seat] += RED_WEIGHT.get(tile, 0)
        else:
            self._store_drawn(seat, hand)
            four = [tile for tile in hand if tile & KIND_MASK == kind]
            if len(four) != 4 or (len(tiles) == 4 and sorted(four) != sorted(tiles)):
                raise RecordError("not_in_hand", f"seat {seat} calls a kong of {NAMES[kind]} which it does not hold")
            self._hands[seat] = [tile for tile in hand if tile & KIND_MASK != kind]
            self._meld_reds[seat] += sum(RED_WEIGHT.get(tile, 0) for tile in four)
        self._sizes[seat] -= 3
        self._melds[seat].append(KONG_CONCEALED + kind)
        self._last, self._last_seat = tiles[0], seat
        self._kong(seat, _CONCEALED)

    def added_kong(self, seat: int, tile: int) -> None:
        """A kong by adding the tile to a pon."""
        self._own_kong(seat, "adds to a pon")
        kind = tile & KIND_MASK
        melds = self._melds[seat]
        if PUNG + kind not in melds:
            raise RecordError("no_pon", f"seat {seat} adds {name(tile)} to a pon it does not have")
        self._remove(seat, [tile])
        melds[melds.index(PUNG + kind)] = KONG_ADDED + kind
        self._meld_reds[seat] += RED_WEIGHT.get(tile, 0)
        self._last, self._last_seat = tile, seat
        self._kong(seat, _ADDED)

    def kita(self, seat: int) -> None:
        """A north set aside in a three-player game."""
        self._own_kong(seat, "sets a north aside")
        if self._players != 3:
            raise RecordError("bad_kita", "a north is set aside in a game of four players")
        self._remove(seat, [_NORTH])
        self._norths[seat] += 1
        self._last, self._last_seat = _NORTH, seat
        self._robbable = _KITA
        self._phase = _REPLACE

    def dora(self, kind: int) -> None:
        """A further indicator is turned; kind without RED."""
        kind &= KIND_MASK
        if len(self._dora) > self._n_kongs:
            raise RecordError("dora_count", f"{len(self._dora) + 1} dora indicators with {self._n_kongs} kongs")
        self._see(kind)
        self._dora.append(kind)

    def win(
        self,
        winner: int,
        payer: int | None,
        *,
        tile: int | None = None,
        concealed: Iterable[int] | None = None,
        dora: Sequence[int] | None = None,
        ura: Sequence[int] = (),
    ) -> Row:
        """A win; payer None or the winner for a self-draw. Several winners of one tile: one call each.

        tile: the winning tile, checked. concealed: the concealed tiles with it, checked, needed where the hand is
        hidden. dora: the indicators as the log lists them, checked; ura: the indicators under them, if shown.
        Returns the row of `wins` for the reader to add recorded columns to; n_winners and win_no come by `finish`.
        """
        if payer == winner:
            payer = None
        won, kind_of_win = self._winning_tile(winner, payer)
        if tile is not None and won is not None and tile != won:
            raise RecordError("win_tile", f"seat {winner} wins on {name(tile)}, but the tile in play is {name(won)}")
        won = tile if won is None else won
        known = self._hands[winner]
        given = None if concealed is None else list(concealed)
        if known is not None and won is not None:
            full = [*known, won]
            if given is not None and sorted(full) != sorted(given):
                raise RecordError(
                    "hand_mismatch", f"seat {winner} wins with other tiles than it holds: {_names(given)} recorded"
                )
        elif given is None or won is None:
            raise RecordError("hidden_hand", f"seat {winner} wins with a hidden hand; the log should show it")
        else:
            full = given
            if len(full) != self._sizes[winner] + 1 or won not in full:
                raise RecordError("tile_count", f"seat {winner} wins with {len(full)} concealed tiles, {_names(full)}")
            # A won discard is counted already.
            shown = list(full)
            if payer is not None:
                shown.remove(won)
            for held in shown:
                self._see(held)
        if dora is not None and [kind & KIND_MASK for kind in dora] != self._dora:
            raise RecordError(
                "dora_mismatch", f"the win lists dora indicators {_names(dora)}, {_names(self._dora)} were turned"
            )
        row = self._win_row(winner, payer, kind_of_win, won, full)
        for column, indicator in zip(URA, ura, strict=False):
            row[column] = indicator & KIND_MASK
        if self._source is None:
            self._source = (payer, won)
            self._undo_riichi()
        self._phase = _WON
        self._wins.append(row)
        return row

    def draw_game(self, kind: str | None = None, *, tenpai: Sequence[bool | None] | None = None) -> None:
        """No winner. kind: None for an exhaustive draw, else one of ABORTS.

        tenpai: who showed a ready hand; left out, it is worked out from the hands that are known.
        """
        if self._phase in (_WON, _ENDED):
            raise RecordError("after_end", "a draw comes after the end of the hand")
        if kind is not None:
            self._check_abort(kind)
        elif self._left or self._phase != _DRAW:
            raise RecordError("wall_left", f"an exhaustive draw with {self._left} tiles left in the wall")
        if kind == "sanchahou":
            self._undo_riichi()
        elif self._unpaid >= 0:
            self._accept()
        if kind is None:
            found: list[bool | None] = []
            for seat in range(self._players):
                derived = None if self._hands[seat] is None else self._is_ready(seat)
                told = None if tenpai is None else tenpai[seat]
                if told and derived is False:
                    raise RecordError("not_tenpai", f"seat {seat} shows a hand that is not ready")
                if self._riichi[seat] and (told is False or derived is False):
                    raise RecordError("not_tenpai", f"seat {seat} is in riichi and not ready at the draw")
                found.append(derived if told is None else told)
            self._tenpai = found
        self._draw_kind = kind
        self._phase = _ENDED

    def finish(self) -> RiichiEnd:
        """Facts of the hand. Raises RecordError `no_end` when there was neither win nor draw."""
        if self._phase not in (_WON, _ENDED):
            raise RecordError("no_end", "the hand has no end: the log breaks off")
        wins = self._wins
        if len(wins) > 1:
            wins.sort(key=lambda row: (row["winner"] - row["payer"]) % self._players)
        own_sticks = sum([row["own_stick"] for row in wins])
        for number, row in enumerate(wins):
            row["winners_sticks"] = own_sticks
            row["win_no"] = number
            row["n_winners"] = len(wins)
        exhaustive = not wins and self._draw_kind is None
        padding = 4 - self._players
        return RiichiEnd(
            players=self._players,
            result="win" if wins else "exhaustive_draw" if exhaustive else "abortive_draw",
            draw_kind=self._draw_kind,
            wall_left=self._left,
            exposed=[*self._open, *[0] * padding],
            discards=[*map(len, self._rivers), *[0] * padding],
            riichi=[*self._riichi, *[0] * padding],
            ready_turn=[*self._ready_turn, *[None] * padding],
            paid=self._paid,
            tenpai=None if self._tenpai is None else [*self._tenpai, *[None] * padding],
            nagashi=self._nagashi() if exhaustive else None,
            wins=wins,
        )

    # Inside.

    def _accept(self) -> None:
        seat = self._unpaid
        self._unpaid = -1
        self._paid |= 1 << seat
        self._ippatsu |= 1 << seat

    def _undo_riichi(self) -> None:
        """The declaration tile is won: there was no riichi."""
        seat = self._unpaid
        if seat >= 0:
            self._riichi[seat] = 0
            self._ready_turn[seat] = None
            self._unpaid = -1

    def _interrupt(self) -> None:
        self._calls += 1
        self._ippatsu = 0

    def _see(self, tile: int) -> None:
        kind = tile & KIND_MASK
        if not 0 <= kind < N_KINDS:
            raise RecordError("unknown_tile", f"{tile} is not a tile")
        self._seen[kind] += 1
        if self._seen[kind] > 4:
            raise self._five_copies(kind)

    def _is_ready(self, seat: int) -> bool:
        hand = self._hands[seat]
        assert hand is not None
        return is_ready(keys_of(hand), self._melds[seat])

    def _store_drawn(self, seat: int, hand: list[int]) -> None:
        if self._drawn is not None and self._drawn != _CLAIMED:
            hand.append(self._drawn)
        self._drawn = _CLAIMED

    def _remove(self, seat: int, tiles: Iterable[int]) -> None:
        """Tiles leave the hand for a meld; a drawn tile enters it."""
        hand = self._hands[seat]
        drawn = self._drawn != _CLAIMED and seat == self._turn and self._phase == _ACT
        removed = 0
        if hand is None:
            for tile in tiles:
                self._see(tile)
                removed += 1
        else:
            if drawn:
                self._store_drawn(seat, hand)
            for tile in tiles:
                removed += 1
                try:
                    hand.remove(tile)
                except ValueError:
                    raise RecordError(
                        "not_in_hand", f"seat {seat} melds {name(tile)}, which it does not hold"
                    ) from None
        self._drawn = _CLAIMED
        self._sizes[seat] += (1 if drawn else 0) - removed

    def _claim(self, seat: int, tile: int) -> None:
        if self._phase != _DRAW or self._last < 0 or not 0 <= seat < self._players or seat == self._last_seat:
            raise self._out_of_turn(seat, "claims")
        if tile != self._last:
            raise RecordError("bad_claim", f"seat {seat} claims {name(tile)}, but {name(self._last)} was discarded")
        if self._riichi[seat]:
            raise RecordError("riichi_changed", f"seat {seat} is in riichi and claims a discard")
        if self._left <= 0:
            raise RecordError("wall_empty", f"seat {seat} claims the discard after the last tile")

    def _same(self, tiles: Sequence[int], number: int) -> int:
        kind = tiles[0] & KIND_MASK
        if len(tiles) != number or {tile & KIND_MASK for tile in tiles} != {kind}:
            raise RecordError("bad_meld", f"{_names(tiles)} are not {number} equal tiles")
        return kind

    def _meld(self, seat: int, code: int, tile: int, own: Sequence[int]) -> None:
        if self._unpaid >= 0:
            self._accept()
        self._remove(seat, own)
        for melded in (tile, *own):
            if melded >= RED:
                self._meld_reds[seat] += RED_WEIGHT.get(melded, 0)
        self._melds[seat].append(code)
        self._open[seat] += 1
        self._taken |= 1 << self._last_seat
        self._interrupt()
        self._turn = seat
        self._phase = _ACT
        self._drawn = _CLAIMED
        self._replacement = 0

    def _own_kong(self, seat: int, what: str) -> None:
        if seat != self._turn or self._phase != _ACT or self._drawn == _CLAIMED or self._declaring >= 0:
            raise self._out_of_turn(seat, what)

    def _kong(self, seat: int, kind: int) -> None:
        self._n_kongs += 1
        if self._n_kongs > 4:
            raise RecordError("five_kongs", "a fifth kong in one hand")
        self._kong_owners.append(seat)
        if kind != _OPEN:
            self._feeder = None
        self._robbable = kind
        self._phase = _REPLACE

    def _complete_honors(self, seat: int, kind: int) -> None:
        """Liability (RIICHI 2.10): the discard that completes the third dragon set or the fourth wind set."""
        if kind < 27:
            return
        if len(self._melds[seat]) < 3:
            return
        dragon = kind >= 31
        sets = sum(1 for code in self._melds[seat] if code >= PUNG and ((code - PUNG) % N_KINDS >= 31) == dragon
                   and (code - PUNG) % N_KINDS >= 27)  # fmt: skip
        if sets == (3 if dragon else 4):
            self._liable[seat][0 if dragon else 1] = self._last_seat

    def _winning_tile(self, winner: int, payer: int | None) -> tuple[int | None, int]:
        phase = self._phase
        if not 0 <= winner < self._players or self._declaring >= 0:
            raise self._out_of_turn(winner, "wins")
        if payer is None:
            if phase != _ACT or winner != self._turn or self._drawn == _CLAIMED:
                raise self._out_of_turn(winner, "wins by self-draw")
            return self._drawn, _SELF_DRAW
        if payer != self._last_seat:
            raise RecordError("bad_payer", f"seat {payer} pays a win, but seat {self._last_seat} played the tile")
        if phase == _WON:
            if self._source is None or self._source[0] != payer or any(row["winner"] == winner for row in self._wins):
                raise self._out_of_turn(winner, "wins")
        elif not (phase == _DRAW and self._last >= 0) and not (phase == _REPLACE and self._robbable in _ROBBED):
            raise self._out_of_turn(winner, "wins")
        return self._last, _ROB if self._robbable else _DISCARD_WIN

    def _win_row(self, winner: int, payer: int | None, kind_of_win: int, won: int, full: list[int]) -> Row:
        kind = won & KIND_MASK
        melds = self._melds[winner]
        keys = keys_of(full)
        unconnected = payer is None and self._draws[winner] == 1 and not self._calls and is_unconnected(keys)
        if not is_complete(keys, melds) and not unconnected:
            raise RecordError(
                "not_complete", f"seat {winner} wins on {NAMES[kind]} with a hand that it does not finish"
            )
        if kind_of_win == _ROB and self._robbable == _CONCEALED and (melds or not _OUTSIDE.issuperset(full)):
            raise RecordError("bad_rob", f"seat {winner} robs a concealed kong without thirteen orphans")
        if payer is not None and not {kind, kind | RED}.isdisjoint(self._rivers[winner]):
            raise RecordError("furiten", f"seat {winner} wins on {NAMES[kind]} which it has discarded itself")
        self_draw = payer is None
        declaration_tile = payer is not None and payer == self._unpaid and kind_of_win == _DISCARD_WIN
        if self._wins:  # the first winner has undone the riichi
            declaration_tile = self._wins[0]["declaration_tile"]
        river = self._rivers[winner]
        draws = self._draws[winner]
        km, kp, ks, kh = keys
        m0, m1, m2, m3, m4 = pack_melds(melds)
        bit = 1 << winner
        liable = self._liable[winner]
        replacement = self._replacement if self_draw else 0
        row: Row = {
            "km": km, "kp": kp, "ks": ks, "kh": kh, "m0": m0, "m1": m1, "m2": m2, "m3": m3, "m4": m4,
            "win_tile": kind,
            "flowers": 0,
            "winner": winner,
            "payer": payer,
            "win_kind": kind_of_win,
            "dealer": self._dealer,
            "streak": self._honba,
            "round_wind": self._round_wind,
            "replacement": replacement,
            "last_tile": self._left == 0,
            "heavenly": self_draw and winner == self._dealer and draws == 1 and not river,
            "first_draw": self_draw and winner != self._dealer and draws == 1 and not river,
            "before_first_draw": not self_draw and draws == 0 and not river,
            "discarder_first_discard": kind_of_win == _DISCARD_WIN and len(self._rivers[self._last_seat]) == 1,
            "no_calls": self._calls == 0,
            "n_players": self._players,
            "riichi": self._riichi[winner],
            "ippatsu": bool(self._ippatsu & bit),
            "payer_in_riichi": payer is not None and bool(self._riichi[payer]) and not declaration_tile,
            "declaration_tile": declaration_tile,
            "discard_after_kong": kind_of_win == _DISCARD_WIN and self._replacement in _KONGS,
            "robbed": _ROBBED[self._robbable] if kind_of_win == _ROB else None,
            "reds": self._meld_reds[winner] + sum([RED_WEIGHT[tile] for tile in full if tile >= RED]),
            "norths": self._norths[winner],
            "sticks": self._sticks + self._paid.bit_count(),
            "own_stick": bool(self._paid & bit),
            "liable_dragons": liable[0],
            "liable_winds": liable[1],
            "liable_kongs": liable[2],
            "kong_feeder": self._feeder if replacement == _OPEN else None,
        }  # fmt: skip
        for column, indicator in zip(DORA, self._dora, strict=False):
            row[column] = indicator
        return row

    def _check_abort(self, kind: str) -> None:
        if kind not in ABORTS:
            raise RecordError("unknown_draw", f"'{kind}' is no kind of abortive draw; they are {', '.join(ABORTS)}")
        if kind == "kyuushu":
            hand = self.concealed(self._turn)
            # Whether a kita before it rules it out is not known.
            if self._phase != _ACT or self._rivers[self._turn] or (self._calls and self._players == 4):
                raise RecordError("bad_abort", "nine terminals are shown after the first uninterrupted draw")
            if hand is not None and len(_OUTSIDE.intersection(hand)) < 9:
                raise RecordError("bad_abort", f"seat {self._turn} shows fewer than nine terminals and honours")
        elif kind == "suufon":
            played = [tile for river in self._rivers for tile in river]
            if len(played) != 4 or len(set(played)) != 1 or not 27 <= played[0] <= 30 or self._calls:
                raise RecordError("bad_abort", "a draw by four winds without four equal winds as first discards")
        elif kind == "suucha":
            if 0 in self._riichi:
                raise RecordError("bad_abort", "a draw by four riichi without riichi of everybody")
        elif kind == "suukaikan" and (self._n_kongs < 4 or len(set(self._kong_owners)) < 2):
            raise RecordError("bad_abort", "a draw by four kongs without four kongs of several players")

    def _nagashi(self) -> int:
        mask = 0
        for seat, river in enumerate(self._rivers):
            if river and not self._taken >> seat & 1 and _OUTSIDE.issuperset(river):
                mask |= 1 << seat
        return mask

    def _five_copies(self, kind: int) -> RecordError:
        return RecordError("five_copies", f"a fifth {NAMES[kind]} appears")

    def _out_of_turn(self, seat: int, what: str) -> RecordError:
        if self._phase >= _WON:
            return RecordError("after_end", f"seat {seat} {what} after the end of the hand")
        return RecordError(
            "out_of_turn", f"seat {seat} {what}, which cannot come here in the turn of seat {self._turn}"
        )


def name(tile: int) -> str:
    """`5m`, `0m` for a red five."""
    kind = tile & KIND_MASK
    if tile & RED:
        return f"0{NAMES[kind][1:]}"
    return NAMES[kind] if 0 <= kind < N_KINDS else str(tile)


def _names(tiles: Iterable[int]) -> str:
    return " ".join(map(name, tiles))
