"""Logs of Tenhou's client protocol: what one player's client received, `Get: <TAG …/>` and `Send: <TAG …/>` by line.

Seats in the log are relative to that player; ours are fixed, seat 0 deals first. Hands of the others are hidden until
they win or show them. A log may hold several games, and games that it leaves or joins half-way: a hand that begins
after a reconnection (REINIT) is kept with its result only, and what the lost part would tell is null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.riichi_replay import RiichiEnd
from ingest.riichi_rows import RiichiHeader, add_hand, link_hands
from ingest.tenhou import ABORTS, PLATFORM, Table, agari_row, attributes, money, numbers, table
from ingest.tenhou_play import TAG, GameFacts, Names, Start, Tag, first_scores, game_row, play, read_start, what_is_left

NAME: Final = "tenhou_client"
SIZE_LIMIT: Final = 64 * 1024 * 1024
"""Largest file that is read, in bytes."""

_RECEIVED = re.compile(r"\bGet: ?(<.*)")
_SNIFF = re.compile(rb"(?m)^[^<\n]{0,80}\b(?:Get|Send): ?<[A-Z]+[ />]")
_GET = re.compile(rb"\bGet: ?<[A-Z]")


def sniff(head: bytes) -> bool:
    """Lines of received and sent tags."""
    return _SNIFF.search(head) is not None and _GET.search(head) is not None


class _Hand(msgspec.Struct):
    """A hand. start: the rest of its first tag; half: that is a REINIT; parts: the tags after it."""

    start: str
    half: bool
    parts: list[str]

    @property
    def text(self) -> str:
        return "".join(self.parts)


class _Game(msgspec.Struct):
    """The tags of a game, sorted. seat: number of the seat that deals first, as the log counts."""

    go: dict[str, str]
    names: Names
    hands: list[_Hand]
    log_id: str | None = None


def read(source: Source) -> Iterator[GameRows | Row]:
    """The games of a log in order; of one that breaks off, what came before the break."""
    yield from read_games(what_is_left(source, limit=SIZE_LIMIT), file=source.name)


def read_games(content: bytes, *, file: str) -> Iterator[GameRows | Row]:
    """As `read`, from the content of the file."""
    if len(content) > SIZE_LIMIT:
        yield reject_row(
            RecordError("too_long", f"the file is longer than {SIZE_LIMIT >> 20} MB; split it between games")
        )
        return
    games = _split(content.decode("utf-8", "replace"))
    if not any(game.hands for game in games):
        yield reject_row(RecordError("no_hands", "the log holds no hand: the client left before the first deal"))
        return
    for number, game in enumerate(games):
        if not game.hands:
            continue
        identity = game_id(PLATFORM, game.log_id) if game.log_id else game_id(NAME, b"%d:" % number + content)
        try:
            reader = _Reader(game, identity, file)
        except RecordError as problem:
            yield reject_row(problem, log_id=game.log_id)
            continue
        rows = reader.rows()
        if rows.hands:
            yield rows
        else:
            yield from rows.rejects


def _split(text: str) -> list[_Game]:
    """Games in order: one begins with GO, unless that is of the same game again after a reconnection."""
    games: list[_Game] = []
    for received in _RECEIVED.findall(text):
        for letters, digits, rest in TAG.findall(received):
            if letters == "GO":
                go = attributes(rest)
                same = games and go.get("gpid") is not None and games[-1].go.get("gpid") == go.get("gpid")
                if not same:
                    games.append(_Game(go, Names(), []))
                continue
            if not games:
                continue
            game = games[-1]
            if letters == "UN":
                game.names.take(rest)
            elif letters == "TAIKYOKU":
                log_id = attributes(rest).get("log")
                if game.hands and log_id != game.log_id:
                    game = _Game(game.go, game.names, [])
                    games.append(game)
                game.log_id = log_id
            elif letters in ("INIT", "REINIT"):
                half = letters == "REINIT"
                if half and game.hands and _same_hand(game.hands[-1], rest):
                    # What was seen of it before the connection broke has a gap after it.
                    game.hands.pop()
                game.hands.append(_Hand(rest, half, []))
            elif game.hands:
                game.hands[-1].parts.append(f"<{letters}{digits}{rest}>")
    return games


def _same_hand(hand: _Hand, rest: str) -> bool:
    before, after = attributes(hand.start).get("seed", ""), attributes(rest).get("seed", "")
    ended = any(part.startswith(("<AGARI", "<RYUUKYOKU")) for part in hand.parts)
    return not ended and before.split(",")[:2] == after.split(",")[:2]


class _Reader:
    """Reads the hands of one game in order."""

    def __init__(self, game: _Game, identity: str, file: str) -> None:
        self.game = game
        self.id = identity
        self.file = file
        first = game.hands[0]
        scores = None if first.half else first_scores(first.start)
        self.table: Table = table(game.go or None, players=4, start=scores)
        self.rotation: int | None = None
        self.players: list[str | None] = [None] * 4
        self.owari: str | None = None
        self.result = GameRows(game={})

    def rows(self) -> GameRows:
        for hand_no, hand in enumerate(self.game.hands):
            try:
                self._hand(hand_no, hand)
            except RecordError as problem:
                self.result.rejects.append(reject_row(problem, log_id=self.game.log_id, hand_no=hand_no))
        link_hands(self.result)
        self.result.game = game_row(
            GameFacts(
                id=self.id,
                format=NAME,
                log_id=self.game.log_id,
                table=self.table,
                players=self.players,
                bots=self.game.names.bots,
                n_hands=len(self.result.hands),
                owari=self.owari,
                file=self.file,
                rotation=self.rotation or 0,
            )
        )
        return self.result

    def _hand(self, hand_no: int, hand: _Hand) -> None:
        start = read_start(hand.start, players=self.table.players)
        if self.rotation is None:
            self.rotation = start.rotation
            self.players = self.game.names.players(players=self.table.players, rotation=start.rotation)
        elif start.rotation != self.rotation:
            raise RecordError("bad_seats", "the dealer does not follow from the round, as in the hands before")
        if hand.half:
            self._half(hand_no, start, TAG.findall(hand.text))
            return
        played = play(start, hand.text, players=self.table.players, reds=self.table.reds)
        self.owari = played.owari or self.owari
        header = msgspec.structs.replace(
            self._header(hand_no, start), sticks=start.sticks, deltas=played.deltas, scores_before=start.scores
        )
        add_hand(self.result, header, played.end)

    def _half(self, hand_no: int, start: Start, tags: list[Tag]) -> None:
        """A hand whose beginning is lost: its result."""
        players = self.table.players
        wins: list[Row] = []
        end: RiichiEnd | None = None
        sticks: int | None = None
        unknown: list[None] = [None] * 4
        for letters, _, rest in tags:
            if letters not in ("AGARI", "RYUUKYOKU"):
                continue
            found = attributes(rest)
            self.owari = found.get("owari", self.owari)
            kind = None
            tenpai: list[bool | None] | None = None
            if letters == "AGARI":
                row = agari_row(
                    found,
                    players=players,
                    dealer=start.dealer,
                    round_wind=start.round_wind,
                    reds=self.table.reds,
                    rotation=start.rotation,
                )
                if wins:
                    # The first winner has taken honba and deposits from the table.
                    row |= {"sticks": wins[0]["sticks"], "streak": wins[0]["streak"]}
                wins.append(row | {"streak": start.honba})
                for number, winner in enumerate(wins):
                    winner |= {"win_no": number, "n_winners": len(wins)}
            elif not wins:
                reason = found.get("type")
                kind = ABORTS.get(reason or "")
                if reason not in (None, "nm") and kind is None:
                    raise RecordError("unknown_draw", f"'{str(reason)[:20]}' is not a reason of a draw that is known")
                changes = money(found.get("sc", ""), rotation=start.rotation)[1]
                if reason is None and any(changes):
                    tenpai = [change > 0 for change in changes]
                told = numbers(found.get("ba", ""))
                sticks = told[1] if len(told) > 1 else None
            result = "win" if wins else "exhaustive_draw" if kind is None else "abortive_draw"
            end = RiichiEnd(players, result, kind, None, unknown, unknown, unknown, unknown, 0, tenpai, None, wins)
        if end is None:
            raise RecordError("no_end", "the hand has no end: the log breaks off")
        add_hand(self.result, self._header(hand_no, start), end)
        if not wins:
            self.result.hands[-1]["sticks_after"] = sticks

    def _header(self, hand_no: int, start: Start) -> RiichiHeader:
        return RiichiHeader(
            game_id=self.id,
            hand_no=hand_no,
            players=self.players,
            round_wind=start.round_wind,
            dealer=start.dealer,
            honba=start.honba,
            sticks=None,
        )


FORMAT = Format(NAME, "Tenhou client protocol log", "riichi", sniff, read)
