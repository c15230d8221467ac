"""mjai logs: one JSON event per line, or one array of events per line, of mjai servers, Mortal, RiichiEnv and others.

Two dialects of `hora` are read: with yaku, fu and points (gimite, manue, RiichiEnv's converter), and with payments and
ura indicators only (Mortal); there the winning tile comes from play and the recorded score is null.

Old logs of gimite's tools deal with `haipai` events and leave round, honba and deposits out (the text boards between
their events say 0 honba in every hand): those follow from the course of a game whose beginning is there. Manue's logs
leave the scores out of `start_kyoku`; they follow from the `scores` of later events.

Seats: seat 0 is the first dealer, whatever his mjai id. A game is three-handed if its lists have three entries, if its
fourth hand is empty, or if norths are set aside. Players are `mjai:NAME`; a name that sits in two seats is nobody's.
`simulated`: the log was written by a program that plays games of programs, told by `seed` or `logs` in `start_game`; of
another log it is not known who played, unless it names a game of Tenhou.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.formats.yaku_names import YAKUMAN, yaku_id
from ingest.ids import game_id
from ingest.jsonlines import read_lines
from ingest.melds import meld_tiles
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.riichi_replay import RED, RiichiEnd, RiichiReplay
from ingest.riichi_rows import DEPOSIT, RiichiHeader, add_hand, less_deposits, link_hands
from ingest.riichi_scores import ScoreChain, check_deltas
from ingest.tenhou import LOG_ID, PLATFORM
from ingest.tiles import NAMES, Z_HONORS

NAME: Final = "mjai"
FAMILY: Final = "riichi"
MAX_EVENTS: Final = 1000
"""Most events of a hand; a real one has less than 250."""
_MAX_HANDS: Final = 1000
_SMALL_LIMIT: Final = 1 << 10
_Small = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
_Money = Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
_YAKUMAN_FAN: Final = 100  # in a gimite log
_YAKUMAN_HAN: Final = 13

TILES: Final[dict[str, int | None]] = {
    **{name: kind for kind, name in enumerate(NAMES[:34])},
    **{f"{number}z": kind for number, kind in enumerate(Z_HONORS, 1)},
    **{f"5{suit}r": 9 * i + 4 | RED for i, suit in enumerate("mps")},
    **{f"0{suit}": 9 * i + 4 | RED for i, suit in enumerate("mps")},
    "?": None,
}

_NAGASHI: Final = "流し満貫"
_DRAWS: Final[dict[str, str | None]] = {
    **dict.fromkeys(("fanpai", "howanpai", "exhaustive_draw", "nagashimangan", "nagashi_mangan", "nm")),
    **dict.fromkeys(("荒牌平局", _NAGASHI)),
    **dict.fromkeys(("kyushukyuhai", "kyuushukyuuhai", "kyushu_kyuhai", "yao9", "九種九牌"), "kyuushu"),
    **dict.fromkeys(("sufonrenta", "suufonrenta", "sufon_renta", "sufuurenta", "kaze4", "四風連打"), "suufon"),
    **dict.fromkeys(("suchareach", "suuchareach", "sucha_riichi", "suuchariichi", "suucha_riichi"), "suucha"),
    **dict.fromkeys(("reach4", "四家立直"), "suucha"),
    **dict.fromkeys(("sukaikan", "suukaikan", "sukansanra", "suukansanra", "suukansansen"), "suukaikan"),
    **dict.fromkeys(("kan4", "四開槓"), "suukaikan"),
    **dict.fromkeys(("sanchaho", "sanchahou", "sanchahora", "ron3", "三家和"), "sanchahou"),
}
_GIMITE: Final = {
    "menzenchin_tsumoho": "menzen_tsumo",
    "reach": "riichi",
    "double_reach": "double_riichi",
    "rinshankaiho": "rinshan",
    "haiteiraoyue": "haitei",
    "hoteiraoyui": "houtei",
    "tanyaochu": "tanyao",
    "ipeko": "iipeikou",
    "jikaze": "seat_wind",
    "bakaze": "round_wind",
    "sanshokudojun": "sanshoku_doujun",
    "ikkitsukan": "ittsuu",
    "honchantaiyao": "chanta",
    "chitoitsu": "chiitoitsu",
    "toitoiho": "toitoi",
    "sananko": "sanankou",
    "honroto": "honroutou",
    "sanshokudoko": "sanshoku_doukou",
    "shosangen": "shousangen",
    "honiso": "honitsu",
    "junchantaiyao": "junchan",
    "ryanpeko": "ryanpeikou",
    "chiniso": "chinitsu",
    "uradora": "ura_dora",
    "akadora": "aka_dora",
    "tenho": "tenhou",
    "chiho": "chiihou",
    "suanko": "suuankou",
    "tsuiso": "tsuuiisou",
    "ryuiso": "ryuuiisou",
    "chinroto": "chinroutou",
    "churenpoton": "chuuren_poutou",
    "kokushimuso": "kokushi_musou",
    "daisushi": "daisuushii",
    "shosushi": "shousuushii",
    "sukantsu": "suukantsu",
    "nukidora": "kita_dora",
}
"""Names of gimite's server that are not close to those of the clients, and our ids."""

_DRAGON_IDS: Final = ((31, "chun"), (32, "hatsu"), (33, "haku"))
_TENHOU_LOG: Final = re.compile(rf"tenhou\.net/[^\s\"]*?[?&]log=({LOG_ID.pattern})")
_FIRST: Final = re.compile(rb'(?m)^[ \t]*\[?[ \t]*\{[^{}\n]{0,2000}?"type"[ \t]*:[ \t]*"start_(?:game|kyoku)"')
_OBJECT: Final = re.compile(rb'\{\s*"')
_ARRAY: Final = re.compile(rb'\[\s*\{\s*"')
_IGNORED: Final = frozenset(("none", "hello", "request_action", "error", "timeout"))


class _Event(msgspec.Struct):
    """Any event; what an event does not have is None."""

    type: str
    actor: int | None = None
    target: int | None = None
    pai: str | None = None
    consumed: list[str] | None = None
    tsumogiri: bool | None = None
    pais: list[str] | None = None
    bakaze: str | None = None
    kyoku: _Small | None = None
    honba: _Small | None = None
    kyotaku: _Small | None = None
    oya: int | None = None
    dora_marker: str | None = None
    tehais: list[list[str] | None] | None = None
    scores: list[_Money] | None = None
    deltas: list[_Money] | None = None
    ura_markers: list[str] | None = None
    uradora_markers: list[str] | None = None
    hora_tehais: list[str] | None = None
    yakus: list[Any] | None = None
    yaku: list[Any] | None = None
    fu: _Small | None = None
    fan: _Small | None = None
    han: _Small | None = None
    hora_points: _Money | None = None
    reason: str | None = None
    tenpais: list[bool | None] | None = None


class _Start(msgspec.Struct):
    names: list[str | None] | None = None
    uri: str | None = None


_EVENT: Final = msgspec.json.Decoder(_Event)
_EVENTS: Final = msgspec.json.Decoder(list[msgspec.Raw])
_START: Final = msgspec.json.Decoder(_Start)
_ANY: Final = msgspec.json.Decoder(dict[str, Any])


def sniff(head: bytes) -> bool:
    """A line that starts a game or a hand, among lines that may be text."""
    return _FIRST.search(head) is not None


def read(source: Source) -> Iterator[GameRows | Row]:
    """Games in order; a game without any hand that can be kept gives its rejects alone."""
    reader = _Reader()
    with source.open() as stream:
        for position, raw in read_lines(stream):
            yield from reader.line(position, raw)
    yield from reader.close()


class _Hand(msgspec.Struct):
    """A hand as written: its start, the events after it with their lines, and what is wrong if a line is unreadable."""

    start: _Event | None
    position: int
    events: list[tuple[int, _Event]] = []
    broken: RecordError | None = None
    broken_at: int = 0


class _Reader:
    """Cuts the lines of a file into games and hands."""

    def __init__(self) -> None:
        self._game: _Game | None = None

    def line(self, position: int, raw: bytes | None) -> Iterator[GameRows | Row]:
        if raw is None:
            yield from self._spoil(
                RecordError("long_line", "the line is longer than any line of a log; check what wrote it"), position
            )
            return
        if _OBJECT.match(raw):
            events: Sequence[bytes | msgspec.Raw] = (raw,)
        elif _ARRAY.match(raw):
            try:
                events = _EVENTS.decode(raw)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
                yield from self._spoil(_unreadable(problem), position)
                return
        else:
            return  # the boards between the events of old logs, with lines such as `{0} tehai: 1m 4m`
        for event in events:
            yield from self._event(position, event)

    def close(self) -> Iterator[GameRows | Row]:
        game, self._game = self._game, None
        if game is not None:
            rows = game.rows()
            if rows.hands:
                yield rows
            else:
                # Without a game in the store, the whole log is not taken for one that is there already.
                yield from rows.rejects

    def _event(self, position: int, raw: bytes | msgspec.Raw) -> Iterator[GameRows | Row]:
        try:
            event = _EVENT.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            yield from self._spoil(_unreadable(problem), position)
            return
        kind = event.type
        if kind == "start_game":
            yield from self.close()
            self._game = _Game(raw, whole=True)
            return
        if kind in _IGNORED:
            return
        if self._game is None or (kind == "start_kyoku" and self._game.over):
            yield from self.close()
            self._game = _Game(None, whole=False)
        stray = self._game.add(event, position, raw)
        if stray is not None:
            yield reject_row(stray, position=position)

    def _spoil(self, problem: RecordError, position: int) -> Iterator[Row]:
        if self._game is None:
            yield reject_row(problem, position=position)
        else:
            self._game.spoil(problem, position)


def _unreadable(problem: Exception) -> RecordError:
    return RecordError("bad_json", f"the line is not an mjai event ({problem}); export the log again")


class _Course(msgspec.Struct):
    """What follows from the hands before, for logs that do not say it. None: not known."""

    oya: int | None = None
    number: int | None = None
    """Deals that have passed since the first hand, 0 = East 1."""
    honba: _Small | None = None
    sticks: int | None = None


class _Game:
    """One game. `whole`: its beginning is there, so that round, honba and deposits can be followed."""

    def __init__(self, start: bytes | msgspec.Raw | None, *, whole: bool) -> None:
        self._whole = whole
        self._digest = hashlib.blake2b(start or b"")
        self._start = start
        self._hands: list[_Hand] = []
        self._final: list[int] | None = None
        self._between = False  # hands: an unreadable line there began one
        self.over = False

    def add(self, event: _Event, position: int, raw: bytes | msgspec.Raw) -> RecordError | None:
        """Takes an event in order. Returns the problem of one that stands outside a hand."""
        kind = event.type
        self._digest.update(raw)
        if kind == "start_kyoku":
            if len(self._hands) >= _MAX_HANDS:
                return RecordError("too_many_hands", f"the game has more than {_MAX_HANDS} hands")
            self._hands.append(_Hand(event, position))
            self._between = False
        elif kind == "end_kyoku":
            self._between = True
        elif kind == "end_game":
            self.over = True
            self._final = event.scores
        elif not self._hands:
            return RecordError("stray_event", f"the event '{kind[:20]}' stands outside a hand")
        elif len(self._hands[-1].events) >= MAX_EVENTS:
            self.spoil(RecordError("too_many_events", f"the hand has more than {MAX_EVENTS} events"), position)
        else:
            self._hands[-1].events.append((position, event))
        return None

    def spoil(self, problem: RecordError, position: int) -> None:
        """A line of this game could not be read: the hand that it stands in is given up."""
        if not self._hands or self._between:
            self._hands.append(_Hand(None, position))
            self._between = False
        hand = self._hands[-1]
        if hand.broken is None:
            hand.broken, hand.broken_at = problem, position

    def rows(self) -> GameRows:
        names, log_id, options, simulated = self._header()
        n = self._players(names)
        shift = self._shift(n)
        identity = game_id(PLATFORM, log_id) if log_id is not None else game_id(NAME, self._digest.digest())
        by_id = [
            None if not name or name == "NoName" or names.count(name) > 1 else f"{NAME}:{name}" for name in names[:n]
        ]
        players = [by_id[(seat + shift) % n] if len(by_id) == n else None for seat in range(n)]
        players += [None] * (4 - n)
        rows = GameRows(game={})
        course = _Course(number=0, honba=0, sticks=0) if self._whole else _Course()
        chain = ScoreChain(n)
        for number, hand in enumerate(self._hands):
            reader = _HandReader(n, shift)
            try:
                header, end = reader.read(hand, course, identity, number, players, chain)
                add_hand(rows, header, end)
                chain.add(header)
            except RecordError as problem:
                chain.add(None)
                at = hand.broken_at if problem is hand.broken else reader.position or hand.position
                rows.rejects.append(reject_row(problem, log_id=log_id, position=at, hand_no=number))
            course = _next(course, hand)
        link_hands(rows)
        rows.game = {
            "game_id": identity,
            "log_id": log_id,
            "family": FAMILY,
            "declared_options": msgspec.json.encode(options).decode(),
            "simulated": simulated,
            "players": players,
            "n_hands": len(rows.hands),
            "final_scores": self._final_scores(rows, n, shift, chain.expected()),
        }
        return rows

    def _header(self) -> tuple[list[str | None], str | None, dict[str, Any], bool | None]:
        """Names by mjai id, log id, options in the log's words, whether programs played."""
        names: list[str | None] = []
        log_id: str | None = None
        options: dict[str, Any] = {"paipu": {}}
        simulated: bool | None = None
        if self._start is not None:
            try:
                start, rest = _START.decode(self._start), _ANY.decode(self._start)
            except (msgspec.DecodeError, UnicodeDecodeError):
                return names, log_id, options, simulated
            names = start.names or []
            found = _TENHOU_LOG.search(start.uri or "")
            log_id = found.group(1) if found else None
            simulated = "seed" in rest or "logs" in rest or (None if log_id is None else False)
            for key in ("seed", "aka_flag", "kyoku_first", "rule", "uri"):
                if key in rest:
                    options[key] = rest[key]
            if rest.get("aka_flag") is False:
                options["paipu"] = {"red_fives": {"m": 0, "p": 0, "s": 0}}
        return names, log_id, options, simulated

    def _players(self, names: Sequence[str | None]) -> int:
        sizes = {len(names)} if names else set()
        norths = fourth = False
        empty = True
        for hand in self._hands:
            start = hand.start
            if start is not None:
                if start.tehais is not None:
                    sizes.add(len(start.tehais))
                    norths = norths or (len(start.tehais) == 4 and not start.tehais[3])
                if start.scores is not None:
                    sizes.add(len(start.scores))
                    empty = empty and len(start.scores) == 4 and start.scores[3] == 0
                else:
                    empty = False
            for _, event in hand.events:
                norths = norths or event.type in ("kita", "nukidora")
                fourth = fourth or event.actor == 3
        return 3 if 3 in sizes or norths or (empty and not fourth) else 4

    def _shift(self, n: int) -> int:
        """mjai id of seat 0."""
        for hand in self._hands:
            start = hand.start
            if start is not None and start.oya is not None:
                return (start.oya - (0 if start.kyoku is None else start.kyoku - 1)) % n
        return 0

    def _final_scores(self, rows: GameRows, n: int, shift: int, after: list[int] | None) -> list[int] | None:
        """As the end of the game says, else those after the last hand when no deposit is left to share out."""
        if self._final is not None and len(self._final) >= n:
            return _by_seat(self._final, n, shift)
        if not self.over or after is None or not rows.hands or rows.hands[-1]["sticks_after"] != 0:
            return None
        return after


def _by_seat(values: Sequence[int], n: int, shift: int) -> list[int]:
    if len(values) < n:
        raise RecordError("bad_value", f"{str(values)[:60]} should be {n} amounts")
    return [*(values[(seat + shift) % n] for seat in range(n)), *[0] * (4 - n)]


def _next(course: _Course, hand: _Hand) -> _Course:
    """The course after a hand, from its outcome alone: the play may be unreadable."""
    start = hand.start
    if start is None or hand.broken is not None:
        return _Course()
    kinds = [event.type for _, event in hand.events]
    won = "hora" in kinds
    if not won and "ryukyoku" not in kinds:
        return _Course()
    dealer_won = any(event.type == "hora" and event.actor == start.oya for _, event in hand.events)
    honba = course.honba if start.honba is None else start.honba
    sticks = course.sticks if start.kyotaku is None else start.kyotaku
    number = course.number
    if start.bakaze is None and course.oya is not None and number is not None and start.oya != course.oya:
        number += 1
    return _Course(
        oya=start.oya,
        number=number,
        honba=None if honba is None else honba + 1 if dealer_won or not won else 0,
        sticks=0 if won else None if sticks is None else sticks + kinds.count("reach_accepted"),
    )


class _HandReader:
    """Replays one hand. `position`: line of the event being read."""

    def __init__(self, n: int, shift: int) -> None:
        self.position = 0
        self._n = n
        self._shift = shift
        self._payments: list[int] | None = [0] * 4
        self._scores: list[int] | None = None

    def read(
        self,
        hand: _Hand,
        course: _Course,
        identity: str,
        number: int,
        players: Sequence[str | None],
        chain: ScoreChain,
    ) -> tuple[RiichiHeader, RiichiEnd]:
        """Raises RecordError with the number of the event."""
        if hand.broken is not None:
            raise hand.broken
        assert hand.start is not None
        start = hand.start
        round_wind, dealer, honba, sticks = self._place(start, course)
        if start.scores is not None:
            self._scores = _by_seat(start.scores, self._n, self._shift)
        deal, events = self._deal(start, hand.events)
        replay = RiichiReplay(
            players=self._n,
            dealer=dealer,
            round_wind=round_wind,
            honba=honba,
            sticks=sticks or 0,
            hands=deal,
            dora_indicator=None if start.dora_marker is None else _known(start.dora_marker),
        )
        skipped = len(hand.events) - len(events)
        for event_no, (self.position, event) in enumerate(events, skipped):
            try:
                self._play(replay, event)
            except RecordError as problem:
                problem.event = event_no
                raise
        end = replay.finish()
        if sticks is None:
            for row in end.wins:
                row["sticks"] = None
        scores = self._scores
        if scores is None:
            scores = chain.expected()
        header = RiichiHeader(
            game_id=identity,
            hand_no=number,
            players=players,
            round_wind=round_wind,
            dealer=dealer,
            honba=honba,
            sticks=sticks,
            deltas=None if self._payments is None else less_deposits(self._payments, end.paid),
            scores_before=scores,
        )
        check_deltas(header, end)
        chain.check(header)
        return header, end

    def _place(self, start: _Event, course: _Course) -> tuple[int, int, int, int | None]:
        """Round wind, dealer's seat, honba, deposits."""
        if start.oya is not None:
            dealer = self._seat(start.oya)
        elif start.kyoku is not None:
            dealer = (start.kyoku - 1) % self._n
        else:
            raise RecordError("no_dealer", "start_kyoku names no dealer; it should have 'oya'")
        if start.kyoku is not None and dealer != start.kyoku - 1:
            raise RecordError("bad_round", f"kyoku {start.kyoku} is not dealt by player {start.oya} in this game")
        if start.bakaze is not None:
            wind = TILES.get(start.bakaze)
            if wind is None or not 27 <= wind <= 30:
                raise RecordError("bad_round", f"bakaze '{start.bakaze[:10]}' is not a wind")
            round_wind = wind - 27
        elif course.number is not None:
            moved = course.oya is not None and start.oya != course.oya
            if moved and start.oya != ((course.oya or 0) + 1) % self._n:
                raise RecordError("dealer_order", f"player {start.oya} deals after player {course.oya}")
            round_wind = (course.number + moved) // self._n % 4
        else:
            raise RecordError("round_unknown", "the log does not say the round, and hands before this one are missing")
        honba = course.honba if start.honba is None else start.honba
        sticks = course.sticks if start.kyotaku is None else start.kyotaku
        if honba is None:
            raise RecordError("honba_unknown", "the log does not say the honba, and hands before this one are missing")
        if not 0 <= honba < _SMALL_LIMIT or not 0 <= (sticks or 0) < _SMALL_LIMIT:
            raise RecordError("bad_header", f"{honba} honba and {sticks} deposits are not possible")
        return round_wind, dealer, honba, sticks

    def _deal(
        self, start: _Event, events: list[tuple[int, _Event]]
    ) -> tuple[list[list[int] | None], list[tuple[int, _Event]]]:
        """Dealt hands by seat, and the events after the deal."""
        deal: list[list[int] | None] = [None] * self._n
        dealt: list[list[str] | None] = start.tehais or []
        for player, names in enumerate(dealt[: self._n]):
            deal[self._seat(player)] = _hand(names or [])
        skip = 0
        while skip < len(events) and events[skip][1].type == "haipai":
            event = events[skip][1]
            deal[self._seat(event.actor)] = _hand(event.pais or [])
            skip += 1
        return deal, events[skip:]

    def _play(self, replay: RiichiReplay, event: _Event) -> None:
        kind = event.type
        if kind == "tsumo":
            replay.draw(self._seat(event.actor), _tile(event.pai))
        elif kind == "dahai":
            replay.discard(self._seat(event.actor), _known(event.pai), drawn=event.tsumogiri)
        elif kind == "pon":
            replay.pon(*self._claim(replay, event))
        elif kind == "chi":
            replay.chi(*self._claim(replay, event))
        elif kind == "reach":
            replay.riichi(self._seat(event.actor))
        elif kind == "reach_accepted":
            seat = self._seat(event.actor)
            replay.riichi_accepted(seat)
            self._tell(replay, event)
        elif kind == "dora":
            replay.dora(_known(event.dora_marker))
        elif kind == "kakan":
            replay.added_kong(self._seat(event.actor), _known(event.pai))
        elif kind == "ankan":
            replay.closed_kong(self._seat(event.actor), [_known(name) for name in event.consumed or (event.pai,)])
        elif kind == "daiminkan":
            replay.open_kong(*self._claim(replay, event))
        elif kind in ("kita", "nukidora"):
            replay.kita(self._seat(event.actor))
        elif kind == "hora":
            self._win(replay, event)
        elif kind == "ryukyoku":
            self._draw_game(replay, event)
        else:
            raise RecordError("unknown_event", f"the event '{kind[:20]}' is not known")

    def _claim(self, replay: RiichiReplay, event: _Event) -> tuple[int, int, list[int]]:
        last = replay.last_discard
        if event.target is not None and last is not None and last[0] != self._seat(event.target):
            raise RecordError("bad_claim", f"player {event.actor} claims from {event.target}, who did not discard")
        return self._seat(event.actor), _known(event.pai), [_known(name) for name in event.consumed or []]

    def _win(self, replay: RiichiReplay, event: _Event) -> None:
        winner = self._seat(event.actor)
        payer = self._seat(event.target) if event.target is not None else None
        tile = _tile(event.pai)
        concealed = None
        if replay.concealed(winner) is None and event.hora_tehais is not None:
            # Some programs list the winning tile with the hand, others do not.
            shown = [_known(name) for name in event.hora_tehais]
            won = tile if tile is not None else replay.drawn
            concealed = shown if len(shown) % 3 == 2 or won is None else [*shown, won]
        markers = event.ura_markers if event.ura_markers is not None else event.uradora_markers
        ura = [_known(name) for name in markers or []]
        row = replay.win(winner, payer, tile=tile, concealed=concealed)
        if row["riichi"]:
            for i, indicator in enumerate(ura[:5], 1):
                row[f"ura{i}"] = indicator & ~RED
        row["recorded_payments"] = self._pay(event)
        self._tell(replay, event)
        _record_score(row, event)

    def _draw_game(self, replay: RiichiReplay, event: _Event) -> None:
        tenpai = None
        if event.tenpais is not None and len(event.tenpais) >= self._n:
            tenpai = [event.tenpais[(seat + self._shift) % self._n] for seat in range(self._n)]
        if event.reason is None:
            _unnamed_draw(replay)
        else:
            reason = event.reason.casefold()
            if reason not in _DRAWS:
                raise RecordError("unknown_draw", f"the reason '{event.reason[:40]}' of a draw is not known")
            kind = _DRAWS[reason]
            # Majiang's converter says that nobody is ready where nagashi mangan is paid instead.
            told = kind is None and reason != _NAGASHI
            replay.draw_game(kind, tenpai=tenpai if told else None)
        self._pay(event, deposits=replay.paid)
        self._tell(replay, event)

    def _pay(self, event: _Event, *, deposits: int = 0) -> list[int] | None:
        """deposits: bit = seat whose deposit of this hand the payments may hold."""
        if event.deltas is None:
            self._payments = None
            return None
        paid = _by_seat(event.deltas, self._n, self._shift)
        if deposits and sum(paid) == -DEPOSIT * deposits.bit_count():
            # RiichiEnv counts them in at a draw, except where ready hands are paid for.
            paid = [amount + DEPOSIT * (deposits >> seat & 1) for seat, amount in enumerate(paid)]
        if self._payments is not None:
            self._payments = [a + b for a, b in zip(self._payments, paid, strict=True)]
        return paid

    def _tell(self, replay: RiichiReplay, event: _Event) -> None:
        """Scores told during the hand give those before it."""
        if self._scores is None and event.scores is not None and self._payments is not None:
            told = _by_seat(event.scores, self._n, self._shift)
            paid = zip(told, self._payments, strict=True)
            self._scores = [a - b + DEPOSIT * (replay.paid >> seat & 1) for seat, (a, b) in enumerate(paid)]

    def _seat(self, player: int | None) -> int:
        if player is None or not 0 <= player < self._n:
            raise RecordError("bad_seat", f"player {player} is not 0 to {self._n - 1}")
        return (player - self._shift) % self._n


def _unnamed_draw(replay: RiichiReplay) -> None:
    """A draw whose reason the log leaves out: what the play allows. Only three winners leave no trace in it."""
    for kind in (None, "suufon", "suucha", "suukaikan", "kyuushu"):
        try:
            replay.draw_game(kind)
        except RecordError as problem:
            if problem.code not in ("wall_left", "bad_abort"):
                raise
        else:
            return
    if replay.last_discard is None:
        raise RecordError("unknown_draw", "a draw comes where the play gives no reason for one; the log should name it")
    replay.draw_game("sanchahou")


def _tile(name: str | None) -> int | None:
    if name is None:
        return None
    try:
        return TILES[name]
    except KeyError:
        raise RecordError("unknown_tile", f"'{name[:10]}' is not a tile of mjai; tiles are 1m, 5mr, E … C") from None


def _known(name: str | None) -> int:
    tile = _tile(name)
    if tile is None:
        raise RecordError("hidden_tile", "the event hides its tile; the log should show it")
    return tile


def _hand(names: Sequence[str]) -> list[int] | None:
    tiles = [_tile(name) for name in names]
    known = [tile for tile in tiles if tile is not None]
    return known if known and len(known) == len(tiles) else None


def _record_score(row: Row, event: _Event) -> None:
    """The recorded columns from yaku, fu and points, where the dialect has them."""
    row["recorded_points"] = event.hora_points
    listed = event.yakus if event.yakus is not None else event.yaku
    han = event.fan if event.fan is not None else event.han
    if listed is None:
        row["recorded_tai"], row["recorded_fu"] = han, event.fu
        return
    items: dict[str, int] = {}
    yakuman = 0
    for entry in listed:
        match entry:
            case [str(name), int(value)]:
                pass
            case {"name": str(name), "han": int(value)} | {"name": str(name), "fan": int(value)}:
                pass
            case _:
                raise RecordError("bad_yaku", f"the yaku {str(entry)[:40]} is not a name with its han")
        if not 0 <= value <= _SMALL_LIMIT:
            raise RecordError("bad_yaku", f"the yaku {name[:20]} has {value} han")
        if name == "sangenpai":
            items.update(_dragons(row, value))
            continue
        item = _GIMITE.get(name) or yaku_id(name) or name
        if item in YAKUMAN:
            multiple = max(1, value // (_YAKUMAN_FAN if value >= _YAKUMAN_FAN else _YAKUMAN_HAN))
            yakuman += multiple
            value = _YAKUMAN_HAN * multiple
        if value:
            items[item] = items.get(item, 0) + value
    row["recorded_items"] = msgspec.json.encode(items).decode()
    row["recorded_tai"] = _YAKUMAN_HAN * yakuman if yakuman else sum(items.values()) if han is None else han
    row["recorded_fu"] = None if yakuman else event.fu


def _dragons(row: Row, han: int) -> dict[str, int]:
    """gimite counts the dragon sets in one entry; which they are is told by the hand."""
    melds = [row[f"m{i}"] for i in range(5)]
    held = [
        yaku
        for kind, yaku in _DRAGON_IDS
        if row["kh"] // 10 ** (kind - 27) % 10 >= 3 or any(code and kind in meld_tiles(code) for code in melds)
    ]
    if len(held) != han:
        raise RecordError("bad_yaku", f"sangenpai has {han} han, but the hand has {len(held)} sets of dragons")
    return dict.fromkeys(held, 1)


FORMAT = Format(name=NAME, title="mjai event log (JSON lines)", family=FAMILY, sniff=sniff, read=read)
