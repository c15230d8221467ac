"""The tags of one Tenhou hand, fed to the replay; the same for mjlog files and client logs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Final

import msgspec

from ingest.errors import RecordError, UnreadableInputError
from ingest.formats.base import Source
from ingest.record import Row
from ingest.riichi_replay import DISCARD, SEAT, RiichiEnd, RiichiReplay
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

_CALL: Final = re.compile(r' who="([0-3])" m="(\d+)"')
_DRAWN: Final = re.compile(r"<[TUVW](\d+)")

_DRAWS: Final = {letter: seat for seat, letter in enumerate("TUVW")}
_DISCARDS: Final = {letter: seat for seat, letters in enumerate(("Dd", "Ee", "Ff", "Gg")) for letter in letters}


class Start(msgspec.Struct, frozen=True):
    """The INIT tag: what a hand begins with, by our seats. hands: tile ids, None where hidden; dealt: all of them."""

    round_number: int
    round_wind: int
    dealer: int
    honba: int
    sticks: int
    indicator: int
    scores: list[int]
    hands: list[list[int] | None]
    dealt: list[str]
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
    texts: list[str] = []
    for seat in range(4):
        dealt = found.get(f"hai{seat}")
        if seat == 0 and dealt is None:
            dealt = found.get("hai")
        if dealt:
            texts += dealt.split(",")
            hands[(seat - rotation) % 4] = tile_ids(dealt)
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
        dealt=texts,
        rotation=rotation,
    )


def play(start: Start, text: str, *, players: int, reds: bool | None) -> Played:
    """Replays the text after INIT. Raises RecordError with the number of the tag as `event`."""
    run = _Run(start, players=players, reds=reds)
    pieces = _SPECIAL.split(text)
    event = 0
    try:
        event += run.turns(pieces[0])
        for letters, rest, plain in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            run.other(letters, rest)
            event += 1
            if plain:
                event += run.turns(plain)
        return run.finish(text)
    except RecordError as problem:
        problem.event = event + (problem.event or 0)
        raise
    except IndexError:
        raise RecordError("bad_tag", "a tag lacks the number that it is about", event=event) from None


@cache
def _codes(reds: bool) -> dict[str, int]:
    """Codes of RiichiReplay.turns by tag, `T104` and so on, where our seats are the log's."""
    packed = TILES_WITH_REDS if reds else KINDS
    return {
        f"{letter}{tile}": packed[tile] + SEAT * seat + what
        for letters, what in (("TUVW", 0), ("DEFG", DISCARD))
        for seat, letter in enumerate(letters)
        for tile in range(136)
    }


class _Run:
    """State of the replay of one hand."""

    def __init__(self, start: Start, *, players: int, reds: bool | None) -> None:
        self.start = start
        self.reds = reds
        self.packed = packed = TILES_WITH_REDS if reds else KINDS
        seen = not start.rotation and None not in start.hands[:players]
        self.codes = _codes(bool(reds)) if seen else {}
        self.replay = RiichiReplay(
            players=players,
            dealer=start.dealer,
            round_wind=start.round_wind,
            honba=start.honba,
            sticks=start.sticks,
            hands=[None if hand is None else [*map(packed.__getitem__, hand)] for hand in start.hands],
            dora_indicator=KINDS[start.indicator],
        )
        self.shown = [str(start.indicator)]
        self.deltas: list[int] | None = None
        self.owari: str | None = None
        self.nagashi = False

    def turns(self, text: str) -> int:
        """The draws and discards of a piece of text. Returns how many tags it holds."""
        if text[:1].isspace() and '"' not in text:
            text = "".join(text.split())  # indented by some programs
            if not text:
                return 0
        if self.codes and text.startswith("<") and text.endswith("/>"):
            with suppress(KeyError):
                codes = list(map(self.codes.__getitem__, text[1:-2].split("/><")))
                self.replay.turns(codes)
                return len(codes)
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
                indicator = _need(attributes(rest), "DORA", "hai")
                self.shown.append(indicator)
                self.replay.dora(KINDS[tile_ids(indicator)[0]])
            case "AGARI":
                self._win(attributes(rest))
            case "RYUUKYOKU":
                self._draw(attributes(rest))
            case _:
                pass

    def finish(self, text: str) -> Played:
        end = self.replay.finish()
        if self.nagashi and not end.nagashi:
            raise RecordError("bad_nagashi", "a draw by nagashi mangan that no seat's discards allow")
        ids = [*self.start.dealt, *self.shown, *_DRAWN.findall(text)]
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
            concealed=[packed[tile] for tile in tile_ids(_need(found, "AGARI", "hai"))],
            dora=[KINDS[tile] for tile in tile_ids(found.get("doraHai", ""))],
            ura=[KINDS[tile] for tile in tile_ids(found.get("doraHaiUra", ""))],
        )
        self._check_melds(row, found.get("m", ""))
        if self.reds is None:
            row["reds"] = None
        row |= recorded(found, rotation=self.start.rotation)
        if row["riichi"] and row["norths"] and "yaku" in found:
            # Whether a kita before it takes the double from a riichi, the log knows best.
            row["riichi"] = 2 if YAKU.index("double_riichi") in numbers(found["yaku"])[::2] else 1
        self._settle(found, "AGARI")

    def _draw(self, found: Mapping[str, str]) -> None:
        kind = found.get("type")
        if kind not in (None, "nm") and kind not in ABORTS:
            raise RecordError("unknown_draw", f"'{kind[:20]}' is not a reason of a draw that is known")
        changes = money(_need(found, "RYUUKYOKU", "sc"), rotation=self.start.rotation)[1]
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
        self._settle(found, "RYUUKYOKU")

    def _settle(self, found: Mapping[str, str], tag: str) -> None:
        """Adds the changes of scores; the first result of a hand must follow from the scores before it."""
        scores, changes = money(_need(found, tag, "sc"), rotation=self.start.rotation)
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
