"""The tags of one Tenhou hand, fed to the replay; the same for mjlog files and client logs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import Final

import msgspec

from ingest.errors import RecordError, UnreadableInputError
from ingest.formats.base import Source
from ingest.record import Row
from ingest.riichi_replay import RiichiEnd, RiichiReplay
from ingest.riichi_rows import DEPOSIT
from ingest.tenhou import (
    ABORTS,
    KINDS,
    PLATFORM,
    TILES_WITH_REDS,
    YAKU,
    Table,
    attributes,
    bad_tag,
    final_result,
    meld,
    money,
    numbers,
    players_of,
    recorded,
    scores_of,
    started_at,
    tile_ids,
)

TAG: Final = re.compile(r"<([A-Za-z]+)(\d*)([^>]*)>")
"""Name, number and the rest of a tag; also where line breaks stand inside it."""

Tag = tuple[str, str, str]

_SPECIAL: Final = re.compile(r"<([A-Z]{2,}|N)\b([^>]*)>")
"""Any tag but draws and discards: name and rest."""

_CALL: Final = re.compile(r' who="([0-3])" m="(\d{1,6})"')
_DRAWN: Final = re.compile(r"<[TUVW](\d+)")
_USUAL_START: Final = re.compile(
    r'\s+seed="((?:[0-9]{1,3},){5}[0-9]{1,3})"\s+ten="((?:-?[0-9]{1,6},){3}-?[0-9]{1,6})"\s+oya="([0-3])"'
    r'\s+hai0="([0-9,]+)"\s+hai1="([0-9,]+)"\s+hai2="([0-9,]+)"\s+hai3="([0-9,]*)"(?:\s+shuffle="[^"]*")?\s*/?'
)
"""INIT of a log that shows all hands: seed, ten, oya and the hands."""

_TAG: Final = len("<T/>")
_TURNS: Final = {4: 40 * b"<T/><D/><U/><E/><V/><F/><W/><G/>", 3: 50 * b"<T/><D/><U/><E/><V/><F/>"}
"""Draws and discards as they come without calls, their numbers left out."""

_COMMAS: Final = bytes.maketrans(b"TUVWDEFG/", b",,,,,,,, ")
_IDS: Final = msgspec.json.Decoder(list[int])
_NO_TILE: Final = b"\xff"
_PACKING: Final = {reds: bytes(TILES_WITH_REDS if reds else KINDS).ljust(256, _NO_TILE) for reds in (False, True)}
"""By whether there are red fives, what makes packed tiles of tile ids by bytes.translate."""

_LISTS: Final = msgspec.json.Decoder(list[list[int]])

_DRAWS: Final = {letter: seat for seat, letter in enumerate("TUVW")}
_DISCARDS: Final = {letter: seat for seat, letters in enumerate(("Dd", "Ee", "Ff", "Gg")) for letter in letters}


class Start(msgspec.Struct, frozen=True, gc=False):
    """The INIT tag: what a hand begins with, by our seats. hands: tile ids, None where hidden; dealt: all of them."""

    round_number: int
    round_wind: int
    dealer: int
    honba: int
    sticks: int
    indicator: int
    scores: list[int]
    hands: list[list[int] | None]
    dealt: list[int]
    rotation: int


class Played(msgspec.Struct, frozen=True):
    """A hand read without error. owari: the end of the game, if it was told with this hand."""

    end: RiichiEnd
    deltas: list[int]
    owari: str | None


def read_start(text: str, *, players: int) -> Start:
    """The INIT or REINIT tag. Raises RecordError.

    The round number and the dealer tell who sits where: our seat 0 deals first, whatever the seat of the log is.
    """
    return _usual_start(text, players=players) or _any_start(text, players=players)


def _usual_start(text: str, *, players: int) -> Start | None:
    """The start of a hand that is written as usual and without error."""
    usual = _USUAL_START.fullmatch(text)
    if usual is None:
        return None
    try:
        seed, ten, (dealer,), *hands = _LISTS.decode(f"[[{'],['.join(usual.groups())}]]")
    except msgspec.DecodeError:
        return None
    dealt = [*chain.from_iterable(hands)]
    if seed[0] >= 16 or dealer != seed[0] % 4 or dealer >= players or max(dealt) > 135 or seed[5] > 135:
        return None
    return Start(
        round_number=seed[0],
        round_wind=seed[0] // 4,
        dealer=dealer,
        honba=seed[1],
        sticks=seed[2],
        indicator=seed[5],
        scores=[100 * score for score in ten],
        hands=[hand or None for hand in hands],
        dealt=dealt,
        rotation=0,
    )


def _any_start(text: str, *, players: int) -> Start:
    found = attributes(text)
    try:
        seed = numbers(found["seed"])
        dealer = int(found["oya"])
        ten = found["ten"]
    except (KeyError, ValueError) as problem:
        bad_tag("INIT", problem)
    if len(seed) < 6 or not 0 <= seed[0] < 16 or not 0 <= dealer <= 3 or not all(0 <= n < 1000 for n in seed[1:3]):
        raise RecordError("bad_header", f"seed='{found['seed'][:60]}' oya={dealer} is not the start of a hand")
    first = seed[0] % 4
    if first >= players:
        raise RecordError("bad_round", f"the round {seed[0]} has a fourth dealer, at a table of three")
    rotation = (dealer - first) % 4
    hands: list[list[int] | None] = [None] * 4
    tiles: list[int] = []
    for seat in range(4):
        dealt = found.get(f"hai{seat}")
        if seat == 0 and dealt is None:
            dealt = found.get("hai")
        if dealt:
            hands[(seat - rotation) % 4] = found_ids = tile_ids(dealt)
            tiles += found_ids
    indicator = seed[5]
    if not 0 <= indicator < 136:
        raise RecordError("unknown_tile", f"the dora indicator {indicator} is not a tile")
    return Start(
        round_number=seed[0],
        round_wind=seed[0] // 4,
        dealer=first,
        honba=seed[1],
        sticks=seed[2],
        indicator=indicator,
        scores=scores_of(ten, rotation=rotation),
        hands=hands,
        dealt=tiles,
        rotation=rotation,
    )


def play(start: Start, text: str, *, players: int, reds: bool | None) -> Played:
    """Replays the text after INIT. Raises RecordError with the number of the tag as `event`."""
    if not start.rotation and None not in start.hands[:players]:
        try:
            return _play_runs(_Run(start, players=players, reds=reds, distinct=True), text)
        except (RecordError, IndexError, ValueError):
            pass  # Tag by tag it shows what is wrong and where, or that it is only unusual.
    return _play_tags(_Run(start, players=players, reds=reds), text)


def _play_tags(run: _Run, text: str) -> Played:
    """Tag by tag. Raises RecordError with the number of the tag as `event`."""
    pieces = _SPECIAL.split(text)
    event = 0
    try:
        event += run.turns(pieces[0])
        for letters, rest, plain in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            run.other(letters, rest)
            event += 1
            if plain:
                event += run.turns(plain)
        return run.finish(tile_ids(",".join(_DRAWN.findall(text))))
    except RecordError as problem:
        problem.event = event + (problem.event or 0)
        raise
    except IndexError:
        raise RecordError("bad_tag", "a tag lacks the number that it is about", event=event) from None


def _play_runs(run: _Run, text: str) -> Played:
    """The same, faster: the draws and discards between other tags at once.

    Raises RecordError, IndexError or ValueError, without the place, for a hand that is wrong or written in an unusual
    way.
    """
    text = text.rstrip().removesuffix("</mjloggm>").rstrip()
    if indent := text[: len(text) - len(text.lstrip())]:
        text = text[len(indent) :].replace(f">{indent}<", "><")
    pieces = _SPECIAL.split(text)
    turns = pieces[::3]
    tags = "".join(turns).encode()
    order = tags.translate(None, b"0123456789")
    ids = _IDS.decode(b"[%b]" % tags.translate(_COMMAS, b"<>")[1:])
    if len(order) != _TAG * len(ids):
        raise RecordError("bad_tag", "something else stands between draws and discards")
    tiles = bytes(ids).translate(run.packing)
    if _NO_TILE in tiles:
        raise RecordError("unknown_tile", "Tenhou's tiles are 0 to 135")
    drawn: list[int] = []
    begin = 0
    for plain, letters, rest in zip(turns, [*pieces[1::3], ""], [*pieces[2::3], ""], strict=True):
        if plain:
            end = begin + plain.count("<")
            acting = run.in_turn(order[_TAG * begin : _TAG * end], tiles[begin:end])
            drawn += ids[begin + acting : end : 2]
            begin = end
        run.other(letters, rest)
    if begin != len(ids):
        raise RecordError("bad_tag", "a tile without a tag")
    return run.finish(drawn)


class _Run:
    """State of the replay of one hand."""

    def __init__(self, start: Start, *, players: int, reds: bool | None, distinct: bool = False) -> None:
        self.start = start
        self.reds = reds
        self.order = _TURNS[players]
        self.packed = TILES_WITH_REDS if reds else KINDS
        self.packing = packing = _PACKING[bool(reds)]
        self.replay = RiichiReplay(
            players=players,
            dealer=start.dealer,
            round_wind=start.round_wind,
            honba=start.honba,
            sticks=start.sticks,
            hands=[None if hand is None else bytes(hand).translate(packing) for hand in start.hands],
            dora_indicator=KINDS[start.indicator],
            distinct=distinct,
        )
        self.shown = [start.indicator]
        self.deltas: list[int] | None = None
        self.owari: str | None = None
        self.nagashi = False

    def in_turn(self, tags: bytes, tiles: bytes) -> bool:
        """Draws and discards: the tags without numbers, and the tiles. Returns whether a discard is the first.

        Raises as `_play_runs`.
        """
        replay = self.replay
        acting = replay.acting
        if replay.ended or not self.order.startswith(tags, _TAG * (2 * replay.turn + acting)):
            raise RecordError("out_of_turn", "draws and discards are out of turn")
        replay.in_turn(tiles)
        return acting

    def turns(self, text: str) -> int:
        """The draws and discards of a piece of text, one by one. Returns how many tags it holds."""
        tags: list[Tag] = TAG.findall(text)
        for event, (letters, digits, rest) in enumerate(tags):
            try:
                self._turn(letters, digits, rest)
            except RecordError as problem:
                problem.event = event
                raise
        return len(tags)

    def _turn(self, letters: str, digits: str, rest: str) -> None:
        turn = self.start.rotation
        if letters in _DRAWS:
            seat = (_DRAWS[letters] - turn) % 4
            if digits:
                self.replay.draw(seat, self._tile(digits))
            elif not rest.strip(" /"):
                self.replay.draw(seat, None)
        elif letters in _DISCARDS and digits:
            seat = (_DISCARDS[letters] - turn) % 4
            hidden = self.start.hands[seat] is None
            self.replay.discard(seat, self._tile(digits), drawn=letters.islower() if hidden else None)

    def _tile(self, digits: str) -> int:
        return self.packed[tile_ids(digits)[0]]

    def other(self, letters: str, rest: str) -> None:
        """Any tag but a draw or discard."""
        match letters:
            case "N":
                self._call(rest)
            case "REACH":
                self._riichi(attributes(rest))
            case "DORA":
                indicator = tile_ids(_need(attributes(rest), "DORA", "hai"))[0]
                self.shown.append(indicator)
                self.replay.dora(KINDS[indicator])
            case "AGARI":
                self._win(attributes(rest))
            case "RYUUKYOKU":
                self._draw(attributes(rest))
            case _:
                pass

    def finish(self, drawn: list[int]) -> Played:
        """drawn: the ids of the tiles drawn."""
        end = self.replay.finish()
        if self.nagashi and not end.nagashi:
            raise RecordError("bad_nagashi", "a draw by nagashi mangan that no seat's discards allow")
        ids = [*self.start.dealt, *self.shown, *drawn]
        if len(set(ids)) != len(ids):
            raise RecordError("tile_twice", "one of the 136 tiles is dealt or drawn twice")
        assert self.deltas is not None
        deltas = [change - DEPOSIT if end.paid >> seat & 1 else change for seat, change in enumerate(self.deltas)]
        return Played(end, deltas, self.owari)

    def _seat(self, found: Mapping[str, str], tag: str, key: str) -> int:
        value = _need(found, tag, key)
        if value not in ("0", "1", "2", "3"):
            raise RecordError("bad_seat", f"{key}='{value[:20]}' in <{tag}> is not a seat")
        return (int(value) - self.start.rotation) % 4

    def _call(self, rest: str) -> None:
        usual = _CALL.match(rest)
        if usual is not None:
            seat, field = (int(usual[1]) - self.start.rotation) % 4, int(usual[2])
        else:
            found = attributes(rest)
            seat, field = self._seat(found, "N", "who"), numbers(_need(found, "N", "m"))[0]
        called = meld(field, bool(self.reds))
        replay = self.replay
        if called.what in ("chi", "pon", "open_kong"):
            last = replay.last_discard
            if last is not None and last[0] != (seat + called.feeder) % 4:
                raise RecordError(
                    "bad_claim", f"the meld of seat {seat} says that another player than seat {last[0]} fed it"
                )
            getattr(replay, called.what)(seat, called.called, called.own)
        elif called.what == "closed_kong":
            replay.closed_kong(seat, called.tiles)
        elif called.what == "added_kong":
            replay.added_kong(seat, called.called)
        else:
            replay.kita(seat)

    def _riichi(self, found: Mapping[str, str]) -> None:
        seat = self._seat(found, "REACH", "who")
        if found.get("step") == "2":
            self.replay.riichi_accepted(seat)
        else:
            self.replay.riichi(seat)

    def _win(self, found: Mapping[str, str]) -> None:
        winner, payer = self._seat(found, "AGARI", "who"), self._seat(found, "AGARI", "fromWho")
        packed = self.packed
        row = self.replay.win(
            winner,
            payer,
            tile=packed[tile_ids(_need(found, "AGARI", "machi"))[0]],
            concealed=bytes(tile_ids(_need(found, "AGARI", "hai"))).translate(self.packing),
            dora=[KINDS[tile] for tile in tile_ids(found.get("doraHai", ""))],
            ura=[KINDS[tile] for tile in tile_ids(found.get("doraHaiUra", ""))],
        )
        self._check_melds(row, found.get("m", ""))
        if self.reds is None:
            row["reds"] = None
        row |= recorded(found)
        scores, changes = money(_need(found, "AGARI", "sc"), rotation=self.start.rotation)
        row["recorded_payments"] = changes
        if row["riichi"] and row["norths"] and "yaku" in found:
            # Whether a kita before it takes the double from a riichi, the log knows best.
            row["riichi"] = 2 if YAKU.index("double_riichi") in numbers(found["yaku"])[::2] else 1
        self._settle(found, scores, changes)

    def _draw(self, found: Mapping[str, str]) -> None:
        kind = found.get("type")
        if kind not in (None, "nm") and kind not in ABORTS:
            raise RecordError("unknown_draw", f"'{kind[:20]}' is not a reason of a draw that is known")
        scores, changes = money(_need(found, "RYUUKYOKU", "sc"), rotation=self.start.rotation)
        if kind in ABORTS:
            self.replay.draw_game(ABORTS[kind])
        else:
            turn = self.start.rotation
            tenpai: list[bool | None] = [f"hai{(seat + turn) % 4}" in found for seat in range(4)]
            if kind == "nm":
                # The payment says nothing of who was ready, and hands need not be shown.
                tenpai = [shown or None for shown in tenpai]
                self.nagashi = True
            elif any(changes):
                tenpai = [change > 0 for change in changes]
            self.replay.draw_game(tenpai=tenpai)
        self._settle(found, scores, changes)

    def _settle(self, found: Mapping[str, str], scores: list[int], changes: list[int]) -> None:
        """Adds the changes of scores; the first result of a hand must follow from the scores before it."""
        self.owari = found.get("owari", self.owari)
        if self.deltas is not None:
            self.deltas = [a + b for a, b in zip(self.deltas, changes, strict=True)]
            return
        self.deltas = changes
        paid = self.replay.paid
        for seat, before in enumerate(self.start.scores):
            expected = before - DEPOSIT if paid >> seat & 1 else before
            if scores[seat] != expected:
                raise RecordError(
                    "scores_mismatch", f"seat {seat} has {scores[seat]} before the payment, by the play {expected}"
                )
        sticks = self.start.sticks + paid.bit_count()
        told = numbers(found.get("ba", ""))
        if told and told[:2] != [self.start.honba, sticks]:
            raise RecordError(
                "sticks_mismatch", f"ba='{found['ba']}', but by the play {self.start.honba} honba and {sticks} deposits"
            )

    def _check_melds(self, row: Row, fields: str) -> None:
        if not fields and not row["m0"] and not row["norths"]:
            return
        told = [meld(field, bool(self.reds)) for field in numbers(fields)]
        codes = sorted(found.code for found in told if found.what != "kita")
        if codes != sorted(row[f"m{i}"] for i in range(5) if row[f"m{i}"]) or row["norths"] != len(told) - len(codes):
            raise RecordError("meld_mismatch", f"seat {row['winner']} wins with other melds than it has called")


class GameFacts(msgspec.Struct, kw_only=True):
    """What the row of `games` is made of, by our seats."""

    id: str
    format: str
    log_id: str | None
    table: Table
    players: list[str | None]
    bots: bool
    n_hands: int
    owari: str | None
    file: str
    rotation: int = 0


def game_row(facts: GameFacts) -> Row:
    """The row of `games`."""
    ended = None
    if facts.owari:
        ended = final_result(facts.owari, players=facts.table.players, rotation=facts.rotation)
    return {
        "game_id": facts.id,
        "format": facts.format,
        "log_id": facts.log_id,
        "family": "riichi",
        "declared": facts.table.declared,
        "declared_options": msgspec.json.encode(facts.table.options).decode(),
        "simulated": facts.bots,
        "started_at": started_at(facts.log_id),
        "venue": PLATFORM,
        "room": facts.table.room,
        "table_name": facts.table.lobby,
        "players": facts.players,
        "n_hands": facts.n_hands,
        "final_scores": ended.scores if ended else None,
        "final_points": ended.points if ended else None,
        "file": facts.file,
    }


class Names:
    """The players of UN tags: the first tag names everybody, later ones are players who come back."""

    def __init__(self) -> None:
        self.names: list[str | None] = [None] * 4
        self.bots = False

    def take(self, rest: str) -> None:
        """A UN tag."""
        found = attributes(rest)
        for seat in range(4):
            if self.names[seat] is None:
                self.names[seat] = found.get(f"n{seat}")
        kinds = found.get("sx", "").split(",")
        self.bots = self.bots or (len(kinds) >= 3 and set(kinds) == {"C"})

    def players(self, *, players: int, rotation: int = 0) -> list[str | None]:
        """`games.players`, by our seats."""
        return players_of([self.names[(seat + rotation) % 4] for seat in range(players)])


def first_scores(start: str) -> list[int] | None:
    """Scores before the first hand, if this INIT tag is of the first hand."""
    found = attributes(start)
    if not found.get("seed", "").startswith("0,0,"):
        return None
    try:
        return [100 * int(score) for score in found.get("ten", "").split(",")]
    except ValueError:
        return None


def what_is_left(source: Source, *, limit: int) -> bytes:
    """The content up to where it breaks off (which the pipeline reports), and a little more than the limit at most."""
    content = bytearray()
    try:
        with source.open() as stream:
            # read1, because read would throw away what it holds when the content breaks off.
            read1 = getattr(stream, "read1", stream.read)
            while len(content) <= limit and (piece := read1(1 << 16)):
                content += piece
    except UnreadableInputError:
        if not content:
            raise
    return bytes(content)


def _need(found: Mapping[str, str], tag: str, key: str) -> str:
    value = found.get(key)
    if value is None:
        raise RecordError("bad_tag", f"<{tag}> has no {key}")
    return value
