"""Majiang paipu of kobalab's programs (電脳麻将): a JSON object per game, alone, in an array, or one per line.

Seat 0 is the first dealer (`qijia`); inside a hand the file counts from the dealer (`l`). The file does not say by
which rules it was played, so nothing is declared, nor who is a program. 下家, 対面 and 上家 are the program's words for
the places around the user, not names of players; NoName is a guest of Tenhou.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.formats.yaku_names import yaku_id
from ingest.ids import game_id
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.riichi_replay import RED, RiichiEnd, RiichiReplay
from ingest.riichi_rows import RiichiHeader, add_hand, less_deposits, link_hands
from ingest.riichi_scores import ScoreChain, check_deltas
from ingest.tenhou import LOG_ID, PLATFORM
from ingest.tiles import Z_HONORS

NAME: Final = "majiang"
FAMILY: Final = "riichi"
SIZE_LIMIT: Final = 256 * 1024 * 1024
"""Largest file that is read, in bytes. A game is about 40 KB."""

_MAX_HANDS: Final = 1000
_MAX_EVENTS: Final = 1000
_YAKUMAN_HAN: Final = 13
_Small = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
_Money = Annotated[int, msgspec.Meta(ge=-(10**9), le=10**9)]
_PLACES: Final = frozenset(("", "下家", "対面", "上家", "NoName"))
_FEEDERS: Final = {"-": 3, "=": 2, "+": 1}
_SUITS: Final = {"m": 0, "p": 9, "s": 18}
_DRAWS: Final[dict[str, str | None]] = {
    "荒牌平局": None,
    "流局": None,
    "流し満貫": None,
    "九種九牌": "kyuushu",
    "四風連打": "suufon",
    "四家立直": "suucha",
    "四開槓": "suukaikan",
    "四槓散了": "suukaikan",
    "三家和": "sanchahou",
    "三家和了": "sanchahou",
}
_DATE: Final = re.compile(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})[ T]+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_TILE: Final = re.compile(r"([mpsz])(\d)([_*]{0,2})")
_GROUPS: Final = re.compile(r"([mpsz])(\d+)")
_OPEN_MELD: Final = re.compile(r"([mpsz])(\d+)([-=+])(\d*)")
_CLOSED_KONG: Final = re.compile(r"([mpsz])(\d{4})")
_MARK: Final = re.compile(rb'"qipai"\s*:')
_T = TypeVar("_T")


class _Deal(msgspec.Struct):
    zhuangfeng: _Small
    jushu: _Small
    changbang: _Small
    lizhibang: _Small
    defen: list[_Money]
    baopai: str
    shoupai: list[str]


class _Play(msgspec.Struct, rename={"place": "l", "tile": "p"}):
    place: int
    tile: str


class _Claim(msgspec.Struct, rename={"place": "l", "meld": "m"}):
    place: int
    meld: str


class _Indicator(msgspec.Struct):
    baopai: str


class _Win(msgspec.Struct, rename={"place": "l"}):
    place: int
    shoupai: str
    baojia: int | None = None
    fubaopai: list[str] | None = None
    fu: _Small | None = None
    fanshu: _Small | None = None
    damanguan: _Small | None = None
    defen: _Money | None = None
    hupai: list[dict[str, Any]] | None = None
    fenpei: list[_Money] | None = None


class _Draw(msgspec.Struct):
    name: str
    shoupai: list[str] | None = None
    fenpei: list[_Money] | None = None


class _Event(msgspec.Struct):
    """One key tells what it is."""

    qipai: _Deal | None = None
    zimo: _Play | None = None
    dapai: _Play | None = None
    fulou: _Claim | None = None
    gang: _Claim | None = None
    gangzimo: _Play | None = None
    kaigang: _Indicator | None = None
    hule: _Win | None = None
    pingju: _Draw | None = None


class _Paipu(msgspec.Struct):
    log: list[msgspec.Raw]
    qijia: int = 0
    title: str | None = None
    player: list[str | None] | None = None
    defen: list[_Money] | None = None
    point: list[str | float | None] | None = None


_PAIPU: Final = msgspec.json.Decoder(_Paipu)
_HAND: Final = msgspec.json.Decoder(list[_Event])
_ARRAY: Final = msgspec.json.Decoder(list[msgspec.Raw])


def sniff(head: bytes) -> bool:
    """Objects with the deals of this notation; scored hands without play are no log."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] in (b"{", b"[") and _MARK.search(head) is not None and b'"zhuangfeng"' in head


def read(source: Source) -> Iterator[GameRows | Row]:
    """Games in order; a row of `rejects` for a game that cannot be read at all."""
    with source.open() as stream:
        content = stream.read(SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        problem = RecordError("too_long", f"the file is longer than {SIZE_LIMIT >> 20} MB; split it")
        yield reject_row(problem, position=1)
        return
    content = content.removeprefix(b"\xef\xbb\xbf").strip()
    for position, raw in enumerate(_games(content), 1):
        try:
            rows = _Game(_decode(raw), raw, position).rows()
        except RecordError as problem:
            yield reject_row(problem, position=position)
            continue
        if rows.hands:
            yield rows
        else:
            # Without a game in the store, the mended log is not taken for one that is there already.
            yield from rows.rejects


def _games(content: bytes) -> Sequence[bytes]:
    if not content.startswith(b"["):
        try:
            _PAIPU.decode(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            lines = [line for line in content.split(b"\n") if line.strip()]
            # Pretty-printed objects have lines too, but these are no objects of their own.
            return lines if all(line.lstrip().startswith(b'{"') for line in lines) else [content]
        return [content]
    try:
        return [bytes(raw) for raw in _ARRAY.decode(content)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return [content]


def _decode(raw: bytes) -> _Paipu:
    try:
        return _PAIPU.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise RecordError("bad_json", f"the game is not a whole paipu ({problem}); export it again") from None


class _Game:
    """Reads the hands of a game in order."""

    def __init__(self, paipu: _Paipu, raw: bytes, position: int) -> None:
        if not 0 <= paipu.qijia <= 3:
            raise RecordError("bad_seat", f"qijia is {paipu.qijia}; it should be 0 to 3")
        if len(paipu.log) > _MAX_HANDS:
            raise RecordError("too_many_hands", f"the game has more than {_MAX_HANDS} hands")
        self._paipu = paipu
        self._position = position
        # A game converted from Tenhou's log has its id in the title.
        found = LOG_ID.search(paipu.title or "")
        self._log_id = found.group(0) if found else None
        self._id = game_id(PLATFORM, self._log_id) if self._log_id else game_id(NAME, raw)
        self._players = _turned([_player(name) for name in paipu.player or [None] * 4], paipu.qijia, "player")

    def rows(self) -> GameRows:
        paipu = self._paipu
        rows = GameRows(game={})
        chain = ScoreChain(4)
        for number, raw in enumerate(paipu.log):
            try:
                header, end = _read_hand(raw, self._id, number, self._players)
                chain.check(header)
            except RecordError as problem:
                chain.add(None)
                rows.rejects.append(reject_row(problem, position=self._position, hand_no=number))
                continue
            chain.add(header)
            add_hand(rows, header, end)
        link_hands(rows)
        title = LOG_ID.sub("", paipu.title or "").strip()
        points = None if paipu.point is None else [_point(value) for value in paipu.point]
        rows.game = {
            "game_id": self._id,
            "family": FAMILY,
            "log_id": self._log_id,
            "declared_options": msgspec.json.encode({"paipu": {}, "title": paipu.title}).decode(),
            "started_at": _date(title),
            "room": _DATE.sub("", title).strip().partition("\n")[0].strip() or None,
            "players": self._players,
            "n_hands": len(rows.hands),
            "final_scores": None if paipu.defen is None else _turned(paipu.defen, paipu.qijia, "defen"),
            "final_points": None if points is None else _turned(points, paipu.qijia, "point"),
        }
        return rows


def _turned(values: Sequence[_T], first: int, what: str) -> list[_T]:
    """The four values, beginning with that at position `first`."""
    if len(values) != 4:
        raise RecordError("bad_value", f"{what} has {len(values)} entries; it should have 4")
    return [values[(first + i) % 4] for i in range(4)]


def _player(name: str | None) -> str | None:
    # A second line holds rank and rating, in logs that were games of Tenhou.
    name = " ".join((name or "").strip().partition("\n")[0].split())
    return None if name in _PLACES else f"{NAME}:{name}"


def _point(value: str | float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        raise RecordError("bad_value", f"the point '{str(value)[:20]}' is not a number") from None


def _date(title: str) -> datetime | None:
    found = _DATE.search(title)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None


def _read_hand(
    raw: msgspec.Raw, identity: str, number: int, players: Sequence[str | None]
) -> tuple[RiichiHeader, RiichiEnd]:
    """Raises RecordError with the number of the event."""
    try:
        events = _HAND.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise RecordError("bad_json", f"the hand is not as the format says: {problem}") from None
    deal = events[0].qipai if events else None
    if deal is None:
        raise RecordError("no_deal", "the hand does not begin with 'qipai'")
    if len(events) > _MAX_EVENTS:
        raise RecordError("too_many_events", f"the hand has more than {_MAX_EVENTS} events")
    player = _Player(deal)
    try:
        for player.position, event in enumerate(events[1:], 1):
            player.act(event)
        end = player.replay.finish()
    except RecordError as problem:
        problem.event = player.position
        raise
    header = RiichiHeader(
        game_id=identity,
        hand_no=number,
        players=players,
        round_wind=deal.zhuangfeng,
        dealer=deal.jushu,
        honba=deal.changbang,
        sticks=deal.lizhibang,
        deltas=None if player.payments is None else less_deposits(player.payments, end.paid),
        scores_before=_turned(deal.defen, -deal.jushu, "defen"),
    )
    check_deltas(header, end)
    return header, end


class _Player:
    """Feeds the events of one hand to the replay."""

    def __init__(self, deal: _Deal) -> None:
        self.position = 0
        if not 0 <= deal.jushu <= 3:
            raise RecordError("bad_header", f"jushu is {deal.jushu}; it should be 0 to 3")
        if not 0 <= deal.changbang < 1000 or not 0 <= deal.lizhibang < 1000:
            raise RecordError("bad_header", f"{deal.changbang} honba and {deal.lizhibang} deposits are not possible")
        self._dealer = deal.jushu
        self.payments: list[int] | None = [0] * 4
        self.replay = RiichiReplay(
            dealer=deal.jushu,
            round_wind=deal.zhuangfeng,
            honba=deal.changbang,
            sticks=deal.lizhibang,
            hands=_turned([_tiles(text) if text.strip("_") else None for text in deal.shoupai], -deal.jushu, "shoupai"),
            dora_indicator=_tile(deal.baopai),
        )

    def act(self, event: _Event) -> None:
        """One event. Raises RecordError."""
        replay = self.replay
        if (play := event.zimo or event.gangzimo) is not None:
            replay.draw(self._seat(play.place), _drawn(play.tile))
        elif (play := event.dapai) is not None:
            tile, marks = _marked(play.tile)
            replay.discard(self._seat(play.place), tile, drawn=True if "_" in marks else None, riichi="*" in marks)
        elif (claim := event.fulou) is not None:
            self._claim(self._seat(claim.place), claim.meld)
        elif (claim := event.gang) is not None:
            self._kong(self._seat(claim.place), claim.meld)
        elif event.kaigang is not None:
            replay.dora(_tile(event.kaigang.baopai))
        elif event.hule is not None:
            self._win(event.hule)
        elif event.pingju is not None:
            self._draw_game(event.pingju)
        else:
            raise RecordError("unknown_event", "the event is not known")

    def _kong(self, seat: int, text: str) -> None:
        if (closed := _CLOSED_KONG.fullmatch(text)) is not None:
            self.replay.closed_kong(seat, [_kind(closed.group(1), digit) for digit in closed.group(2)])
        elif (opened := _OPEN_MELD.fullmatch(text)) is not None and len(opened.group(4)) == 1:
            self.replay.added_kong(seat, _kind(opened.group(1), opened.group(4)))
        else:
            raise RecordError("bad_meld", f"'{text[:20]}' is no kong of one's own turn such as s6666 or p999+9")

    def _claim(self, seat: int, text: str) -> None:
        found = _OPEN_MELD.fullmatch(text)
        if found is None:
            raise RecordError("bad_meld", f"'{text[:20]}' is not a meld such as m34-0 or z777=")
        suit, digits, mark, rest = found.groups()
        last = self.replay.last_discard
        if last is not None and last[0] != (seat + _FEEDERS[mark]) % 4:
            raise RecordError("bad_claim", f"the meld '{text[:20]}' is not from seat {last[0]}, who discarded")
        tile = _kind(suit, digits[-1])
        own = [_kind(suit, digit) for digit in digits[:-1] + rest]
        if len(own) == 3:
            self.replay.open_kong(seat, tile, own)
        elif len(own) == 2 and len({t & ~RED for t in (tile, *own)}) == 1:
            self.replay.pon(seat, tile, own)
        elif len(own) == 2:
            self.replay.chi(seat, tile, own)
        else:
            raise RecordError("bad_meld", f"'{text[:20]}' is not a meld of three or four tiles")

    def _win(self, win: _Win) -> None:
        concealed = _tiles(win.shoupai.partition(",")[0].replace("*", ""))
        if not concealed:
            raise RecordError("bad_hand", "the winner's hand is missing")
        row = self.replay.win(
            self._seat(win.place),
            None if win.baojia is None else self._seat(win.baojia),
            tile=concealed[-1],
            concealed=concealed,
        )
        if row["riichi"]:
            for i, text in enumerate((win.fubaopai or [])[:5], 1):
                row[f"ura{i}"] = _tile(text) & ~RED
        row["recorded_payments"] = self._pay(win.fenpei)
        _record_score(row, win)

    def _draw_game(self, draw: _Draw) -> None:
        if draw.name not in _DRAWS:
            raise RecordError("unknown_draw", f"the draw '{draw.name[:20]}' is not known")
        kind = _DRAWS[draw.name]
        shown = None
        if kind is None and draw.shoupai is not None:
            shown = _turned([bool(text) for text in draw.shoupai], -self._dealer, "shoupai")
        self.replay.draw_game(kind, tenpai=shown)
        self._pay(draw.fenpei)

    def _pay(self, paid: list[int] | None) -> list[int] | None:
        if paid is None:
            self.payments = None
            return None
        by_seat = _turned(paid, -self._dealer, "fenpei")
        if self.payments is not None:
            self.payments = [a + b for a, b in zip(self.payments, by_seat, strict=True)]
        return by_seat

    def _seat(self, place: int) -> int:
        if not 0 <= place <= 3:
            raise RecordError("bad_seat", f"{place} is not a place 0 to 3")
        return (place + self._dealer) % 4


def _kind(suit: str, digit: str) -> int:
    number = int(digit)
    if suit == "z":
        if 1 <= number <= 7:
            return Z_HONORS[number - 1]
    elif number == 0:
        return _SUITS[suit] + 4 | RED
    elif number <= 9:
        return _SUITS[suit] + number - 1
    raise RecordError("unknown_tile", f"'{suit}{digit}' is not a tile")


def _marked(text: str) -> tuple[int, str]:
    found = _TILE.fullmatch(text)
    if found is None:
        raise RecordError("unknown_tile", f"'{text[:20]}' is not a tile such as m5, p0 or z7_*")
    return _kind(found.group(1), found.group(2)), found.group(3)


def _tile(text: str) -> int:
    return _marked(text)[0]


def _drawn(text: str) -> int | None:
    return _tile(text) if text.strip("_") else None


def _tiles(text: str) -> list[int]:
    tiles: list[int] = []
    end = 0
    for group in _GROUPS.finditer(text):
        if group.start() != end:
            break
        tiles += [_kind(group.group(1), digit) for digit in group.group(2)]
        end = group.end()
    if end != len(text):
        raise RecordError("unknown_tile", f"'{text[:40]}' is not a hand such as m123p406z77")
    return tiles


def _record_score(row: Row, win: _Win) -> None:
    """The recorded columns; the han of a yakuman is `*` per multiple."""
    items: dict[str, int] = {}
    yakuman = 0
    for entry in win.hupai or []:
        match entry:
            case {"name": str(name), "fanshu": int(value)} if 0 <= value < 1000:
                pass
            case {"name": str(name), "fanshu": str(stars)} if stars and set(stars) == {"*"}:
                yakuman += len(stars)
                value = _YAKUMAN_HAN * len(stars)
            case _:
                raise RecordError("bad_yaku", f"the yaku {str(entry)[:40]} is not a name with its han")
        if value:
            item = yaku_id(name) or name
            items[item] = items.get(item, 0) + value
    if win.hupai is not None:
        row["recorded_items"] = msgspec.json.encode(items).decode()
    multiple = win.damanguan or yakuman
    row["recorded_tai"] = _YAKUMAN_HAN * multiple if multiple else win.fanshu
    row["recorded_fu"] = None if multiple else win.fu
    row["recorded_points"] = win.defen


FORMAT = Format(name=NAME, title="Majiang paipu of kobalab's programs (JSON)", family=FAMILY, sniff=sniff, read=read)
