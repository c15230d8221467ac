"""Records of Mahjong Soul (雀魂) in the JSON form of their decoded messages: full play.

A file holds `head` (RecordGame) and the messages RecordNewRound, RecordDealTile … of the game, each with its name: as
`records`, or as `actions` whose `result` is the message (since mid-2021), directly or in `data`. Names may have the
prefix `.lq.`; fields are written as in the protocol or in camel case, and a field left out is 0, false or empty, as
programs that decode the protocol write it. A message is {"name": …, "data": {…}}, {name: {…}}, or has its fields beside
the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from ingest.errors import UPDATE, RecordError
from ingest.formats.base import Format, Source
from ingest.formats.mahjong_soul_messages import Fields, messages_of, snake
from ingest.formats.mahjong_soul_rules import read_rules
from ingest.formats.riichi_words import split_payments, take_words
from ingest.formats.yaku_names import MAHJONG_SOUL_FANS, YAKUMAN, yaku_id
from ingest.ids import game_id
from ingest.jsonlines import read_records
from ingest.record import GameRows, Row
from ingest.rejects import at_line, reject_row
from ingest.riichi_replay import KIND_MASK, RED, RiichiReplay
from ingest.riichi_rows import DEPOSIT, RiichiHeader, add_hand, less_deposits, link_hands
from ingest.tiles import Z_HONORS

NAME: Final = "mahjong_soul"
_MONEY_LIMIT: Final = 10**8
# The client's schema has the same names, each with its `fields`.
_SNIFF = re.compile(rb'"(?:\.?lq\.)?Record(?:NewRound|DealTile|DiscardTile)"(?!\s*:\s*\{\s*"fields")')
_HEAD = re.compile(rb'"(?:\.?lq\.)?(?:GameDetailRecords|ResGameRecord)"(?!\s*:\s*\{\s*"fields")')


def _tiles() -> dict[str, int]:
    table = {f"{n}{suit}": 9 * i + n - 1 for i, suit in enumerate("mps") for n in range(1, 10)}
    table |= {f"0{suit}": (9 * i + 4) | RED for i, suit in enumerate("mps")}
    return table | {f"{n}z": kind for n, kind in enumerate(Z_HONORS, 1)}


_TILES: Final = _tiles()


def sniff(head: bytes) -> bool:
    """JSON in which a message of a hand's play is named, or the list of them."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] in (b"{", b"[") and (_SNIFF.search(start) is not None or _HEAD.search(start) is not None)


def read(source: Source) -> Iterator[GameRows | Row]:
    """The game of a file, or the games of a file with one per line."""
    for position, record, content in read_records(source):
        if isinstance(record, RecordError):
            yield reject_row(record, position=position)
        else:
            rows = read_game(record, content=content)
            yield rows if position is None else at_line(rows, position)


def read_game(record: Any, *, content: bytes) -> GameRows | Row:
    """The rows of one decoded game, or a row of `rejects`. content: what it is known by when it has no uuid."""
    log_id: str | None = None
    try:
        head, messages = messages_of(record)
        uuid = head.get("uuid")
        log_id = uuid if isinstance(uuid, str) and uuid else None
        return _Game(head, messages, log_id, content).rows()
    except RecordError as problem:
        return reject_row(problem, log_id=log_id)


def _int(fields: Fields, key: str, default: int = 0) -> int:
    value = fields.get(key, default)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int):
        if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 12:
            return int(value)
        raise RecordError("bad_value", f"{key} is {value!r}; it should be a whole number")
    if abs(value) > _MONEY_LIMIT:
        raise RecordError("bad_value", f"{key} is {value}, which no record can hold")
    return value


def _seat(fields: Fields, players: int, key: str = "seat") -> int:
    seat = _int(fields, key)
    if not 0 <= seat < players:
        raise RecordError("bad_seat", f"{key} is {seat} at a table of {players}")
    return seat


def _tile(text: Any) -> int:
    tile = _TILES.get(text[:2]) if isinstance(text, str) else None
    if tile is None:
        raise RecordError("unknown_tile", f"{text!r} is not a tile of Mahjong Soul")
    return tile


def _list(fields: Fields, key: str) -> list[Any]:
    value = fields.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RecordError("bad_value", f"{key} should be a list")
    return value


def _money(values: list[Any]) -> list[int]:
    if len(values) not in (3, 4) or any(type(v) is not int or abs(v) > _MONEY_LIMIT for v in values):
        raise RecordError("bad_scores", f"{values!r} should be a score for each seat")
    return [*values, *[0] * (4 - len(values))]


def _players(start: Fields) -> int | None:
    """How many play, by the scores of a RecordNewRound; None where they do not tell."""
    scores = start.get("scores")
    if not isinstance(scores, list) or len(scores) not in (3, 4):
        return None
    return 3 if len(scores) == 3 or not (scores[3] or start.get("tiles3")) else 4


class _Hand:
    """One hand while its messages come in. Events before the deal of the hand belong to nobody."""

    def __init__(self, fields: Fields, hand_no: int, first: int | None = None) -> None:
        """first: which of the dealer's fourteen tiles counts as drawn; None where the record does not tell."""
        self.hand_no = hand_no
        self.scores = _money(_list(fields, "scores"))
        self.players = _players(fields) or 4
        self.dealer = dealer = _seat(fields, self.players, "ju")
        self.round_wind = _int(fields, "chang")
        self.honba = _int(fields, "ben")
        self.sticks = _int(fields, "liqibang")
        if not (0 <= self.honba < 1000 and 0 <= self.sticks < 1000):
            raise RecordError("bad_header", f"{self.honba} honba and {self.sticks} deposits are no start of a hand")
        hands = [list(map(_tile, _list(fields, f"tiles{seat}"))) for seat in range(self.players)]
        if len(hands[dealer]) != 14:
            raise RecordError(
                "bad_deal", f"the dealer, seat {dealer}, is dealt {len(hands[dealer])} tiles instead of 14"
            )
        # The tiles are dealt in any order, so the last one need not be that of a heavenly hand.
        drawn = hands[dealer].pop(hands[dealer].index(first) if first in hands[dealer] else -1)
        doras = _list(fields, "doras") or ([fields["dora"]] if fields.get("dora") else [])
        self.replay = RiichiReplay(
            players=self.players,
            dealer=dealer,
            round_wind=self.round_wind,
            honba=self.honba,
            sticks=self.sticks,
            hands=hands,
        )
        self.shown = 0
        self.dora({"doras": doras})
        self.replay.draw(dealer, drawn)
        self.first_discard = True
        self.last_seat = dealer  # who discarded, or showed the tile of a kong or a north
        self.riichis = 0
        self.kongs = 0
        self.changes: list[int] | None = None  # of score, payments only; set by the end of the hand

    def dora(self, fields: Fields) -> None:
        """Further indicators: each message lists all of them, or none."""
        doras = _list(fields, "doras")
        for text in doras[self.shown :]:
            self.replay.dora(_tile(text) & KIND_MASK)
            self.shown += 1

    def take(self, name: str, fields: Fields) -> None:
        handler = _HANDLERS.get(name)
        if handler is None:
            if name in _IGNORED:
                return
            raise RecordError("other_rules", f"{name} belongs to another game than riichi")
        if self.changes is not None:
            raise RecordError("after_end", f"{name} comes after the end of the hand")
        handler(self, fields)

    def deal(self, fields: Fields) -> None:
        self.replay.draw(_seat(fields, self.players), _tile(fields.get("tile")))
        self.dora(fields)

    def discard(self, fields: Fields) -> None:
        seat = _seat(fields, self.players)
        riichi = bool(fields.get("is_liqi") or fields.get("is_wliqi"))
        # The dealer's fourteenth tile is dealt, not drawn, so whether it is passed on is told either way.
        drawn = True if fields.get("moqie") and not self.first_discard else None
        self.replay.discard(seat, _tile(fields.get("tile")), drawn=drawn, riichi=riichi)
        self.first_discard = False
        self.riichis += riichi
        self.last_seat = seat
        self.dora(fields)

    def claim(self, fields: Fields) -> None:
        seat = _seat(fields, self.players)
        tiles = list(map(_tile, _list(fields, "tiles")))
        froms = _list(fields, "froms")
        taken = [i for i, origin in enumerate(froms) if origin != seat]
        if len(froms) != len(tiles) or len(taken) != 1:
            raise RecordError(
                "bad_claim", f"the claim of seat {seat} does not tell which tile was claimed; export it again"
            )
        called = tiles.pop(taken[0])
        kind = _int(fields, "type")
        if froms[taken[0]] != self.last_seat:
            raise RecordError("bad_claim", f"seat {seat} claims from seat {froms[taken[0]]}, which did not discard")
        if kind == 0:
            self.replay.chi(seat, called, tiles)
        elif kind == 1:
            self.replay.pon(seat, called, tiles)
        elif kind == 2:
            self.replay.open_kong(seat, called, tiles)
            self.kongs += 1
        else:
            raise RecordError("bad_claim", f"{kind} is no kind of claim that is known here; {UPDATE}")
        self.first_discard = False
        self.dora(fields)

    def own_kong(self, fields: Fields) -> None:
        seat = _seat(fields, self.players)
        kind = _int(fields, "type")
        tiles = fields.get("tiles")
        tile = _tile(tiles[0] if isinstance(tiles, list) and tiles else tiles)
        if kind == 2:
            self.replay.added_kong(seat, tile)
        elif kind == 3:
            self.replay.closed_kong(seat, [tile])
        else:
            raise RecordError("bad_claim", f"{kind} is no kind of own kong that is known here; {UPDATE}")
        self.kongs += 1
        self.last_seat = seat
        self.first_discard = False
        self.dora(fields)

    def kita(self, fields: Fields) -> None:
        self.last_seat = _seat(fields, self.players)
        self.replay.kita(self.last_seat)
        self.first_discard = False
        self.dora(fields)

    def won(self, fields: Fields) -> None:
        hules = _list(fields, "hules")
        if not hules:
            raise RecordError("bad_result", "a win without a winner")
        for hule in hules:
            if not isinstance(hule, dict):
                raise RecordError("bad_result", "a win is not a message")
        rows = []
        for hule in hules:
            win = snake(hule)
            self.dora(win)
            rows.append(self._win(win))
        self.changes = _money(_list(fields, "delta_scores"))
        split_payments(rows, self.changes, honba=self.honba, players=self.players)
        self._check_money(self.changes, fields)

    def _win(self, win: Fields) -> Row:
        seat = _seat(win, self.players)
        tile = _tile(win.get("hu_tile"))
        hand = list(map(_tile, _list(win, "hand")))
        row = self.replay.win(
            seat,
            None if win.get("zimo") else self.last_seat,
            tile=tile,
            concealed=[*hand, tile] if hand else None,
            ura=[_tile(text) for text in _list(win, "li_doras")] if win.get("liqi") else (),
        )
        items = _items(win)
        take_words(row, items)
        yakuman = bool(win.get("yiman"))
        row["recorded_items"] = msgspec.json.encode(items).decode() if items else None
        row["recorded_tai"] = (sum(items.values()) if yakuman else _int(win, "count")) or None
        fu = _int(win, "fu")
        row["recorded_fu"] = fu if not yakuman and 0 < fu < 1000 else None
        row["recorded_points"] = self._points(win, by_dealer=seat == self.dealer) or None
        return row

    def _points(self, win: Fields, *, by_dealer: bool) -> int:
        if not win.get("zimo"):
            return _int(win, "point_rong")
        others = _int(win, "point_zimo_xian")
        if by_dealer:
            return others * (self.players - 1)
        return _int(win, "point_zimo_qin") + others * (self.players - 2)

    def exhausted(self, fields: Fields) -> None:
        told = _list(fields, "players")
        tenpai: list[bool | None] | None = None
        if len(told) >= self.players and all(isinstance(one, dict) for one in told):
            tenpai = [bool(one.get("tingpai")) for one in told[: self.players]]
        nagashi = bool(fields.get("liujumanguan"))
        self.replay.draw_game(None, tenpai=tenpai)
        changes = [0] * 4
        for entry in _list(fields, "scores"):
            if isinstance(entry, dict) and _list(snake(entry), "delta_scores"):
                money = _money(_list(snake(entry), "delta_scores"))
                changes = [a + b for a, b in zip(changes, money, strict=True)]
        self.changes = changes
        if sum(changes):
            raise RecordError("bad_payments", f"the changes of score {changes} of a draw do not add up to nothing")
        if nagashi and not self.replay.finish().nagashi:
            raise RecordError("no_nagashi", "nobody's discards are nagashi mangan, which the record says")

    def aborted(self, fields: Fields) -> None:
        number = _int(fields, "type")
        # Above 2 the numbers are not certain; what was on the table is.
        kind = (
            "kyuushu"
            if number == 1
            else "suufon"
            if number == 2
            else "suukaikan"
            if self.kongs == 4
            else "suucha"
            if self.riichis == 4
            else "sanchahou"
        )
        self.replay.draw_game(kind)
        self.changes = [0] * 4

    def _check_money(self, changes: list[int], fields: Fields) -> None:
        paid = self.replay.paid
        deposits = self.sticks + paid.bit_count()
        if sum(changes) != DEPOSIT * deposits:
            raise RecordError(
                "bad_payments", f"the changes of score {changes} do not add up to the {deposits} deposits"
            )
        before = _list(fields, "old_scores")
        if before:
            expected = less_deposits(self.scores, paid)
            if _money(before) != expected:
                raise RecordError("bad_scores", f"the scores at the win are {before}, by the play {expected}")

    def finish(self, game: GameRows, game_id: str, players: list[str | None], reds: bool | None) -> None:
        if self.changes is None:
            raise RecordError("no_end", "the hand has no end: the record breaks off")
        end = self.replay.finish()
        if reds is False:
            for row in end.wins:
                row["reds"] = None
        header = RiichiHeader(
            game_id=game_id,
            hand_no=self.hand_no,
            players=players,
            round_wind=self.round_wind,
            dealer=self.dealer,
            honba=self.honba,
            sticks=self.sticks,
            deltas=less_deposits(self.changes, end.paid),
            scores_before=self.scores,
        )
        add_hand(game, header, end)


_HANDLERS: Final = {
    "RecordDealTile": _Hand.deal,
    "RecordDiscardTile": _Hand.discard,
    "RecordChiPengGang": _Hand.claim,
    "RecordAnGangAddGang": _Hand.own_kong,
    "RecordBaBei": _Hand.kita,
    "RecordHule": _Hand.won,
    "RecordNoTile": _Hand.exhausted,
    "RecordLiuJu": _Hand.aborted,
}
_IGNORED: Final = frozenset(("RecordGame", "RecordCollectedData", "RecordAnalysisedData"))


def _heavenly(piece: list[tuple[str, Fields]]) -> int | None:
    """The winning tile of a hand that is won before anything else happens."""
    for name, fields in piece[1:]:
        if name in _IGNORED:
            continue
        hules = _list(fields, "hules") if name == "RecordHule" else []
        return _tile(snake(hules[0]).get("hu_tile")) if hules and isinstance(hules[0], dict) else None
    return None


def _items(win: Fields) -> dict[str, int]:
    """Our ids and han of the fans; 13 for each time a yakuman counts. Raises RecordError `other_rules`."""
    items: dict[str, int] = {}
    yakuman = bool(win.get("yiman"))
    for fan in _list(win, "fans"):
        if not isinstance(fan, dict):
            raise RecordError("bad_result", "a yaku is not a message")
        number, worth = _int(fan, "id"), _int(fan, "val")
        if not 0 <= worth < 1000:
            raise RecordError("bad_value", f"{worth} han for one yaku")
        if number >= 1000:
            raise RecordError("other_rules", f"the fan {number} belongs to the Sichuan game, which is not riichi")
        yaku = MAHJONG_SOUL_FANS.get(number)
        if not number and isinstance(fan.get("name"), str):
            yaku = yaku_id(fan["name"])  # the oldest records have no numbers
        if yaku is None:
            raise RecordError("unknown_yaku", f"{number} is not a yaku of Mahjong Soul that is known here")
        if yakuman and yaku in YAKUMAN | {"renhou"}:
            worth = worth if worth >= 13 else 13 * max(worth, 1)
        elif yakuman:
            continue  # next to a yakuman nothing else counts
        if worth:
            items[yaku] = items.get(yaku, 0) + worth
    return items


class _Game:
    """Reads the hands of one game in order."""

    def __init__(self, head: Fields, messages: list[tuple[str, Fields]], log_id: str | None, content: bytes) -> None:
        self.head = head
        self.log_id = log_id
        self.id = game_id(NAME, log_id or content)
        self.pieces: list[list[tuple[str, Fields]]] = []
        for name, fields in messages:
            if name == "RecordNewRound":
                self.pieces.append([])
            if self.pieces:
                self.pieces[-1].append((name, fields))
            elif name not in _IGNORED:
                raise RecordError("bad_record", f"{name} comes before the first RecordNewRound")
        if not self.pieces:
            raise RecordError("no_hands", "the record holds no RecordNewRound: it is empty")
        opening = self.pieces[0][0][1]
        self.players = next(filter(None, (_players(piece[0][1]) for piece in self.pieces)), 4)
        fresh = not (opening.get("chang") or opening.get("ju") or opening.get("ben") or opening.get("liqibang"))
        scores = _list(opening, "scores") if fresh and _players(opening) else None
        self.rules = read_rules(head, self.players, _money(scores) if scores else None)
        self.people = self._people()
        self.result = GameRows(game={})

    def _people(self) -> list[str | None]:
        people: list[str | None] = [None] * 4
        for account in _list(self.head, "accounts"):
            if not isinstance(account, dict):
                continue
            account = snake(account)
            seat, number, name = _int(account, "seat"), account.get("account_id"), account.get("nickname")
            if not 0 <= seat < self.players:
                continue
            if isinstance(number, int) and number > 0:
                people[seat] = f"{NAME}:{number}"
            elif isinstance(name, str) and name:
                people[seat] = f"{NAME}:{name}"
        return [None if person is None or people.count(person) > 1 else person for person in people]

    def rows(self) -> GameRows:
        for hand_no, piece in enumerate(self.pieces):
            event = 0
            try:
                hand = _Hand(piece[0][1], hand_no, _heavenly(piece))
                if hand.players != self.players:
                    raise RecordError("bad_seats", f"{hand.players} players in a game of {self.players}")
                for event in range(1, len(piece)):
                    hand.take(*piece[event])
                hand.finish(self.result, self.id, self.people, self.rules.reds)
            except RecordError as problem:
                self.result.rejects.append(reject_row(problem, hand_no=hand_no, event_no=event))
        link_hands(self.result)
        self.result.game = self._game_row()
        return self.result

    def _game_row(self) -> Row:
        scores, points = self._final()
        people = self.people[: self.players]
        start = self.head.get("start_time")
        began = datetime.fromtimestamp(start, UTC) if isinstance(start, int) and 0 < start < 1 << 33 else None
        words = self.rules.words
        return {
            "game_id": self.id,
            "log_id": self.log_id,
            "family": "riichi",
            "declared": self.rules.declared,
            "declared_options": msgspec.json.encode({"paipu": self.rules.paipu, **words}).decode(),
            "simulated": bool(_list(self.head, "robots")) and not any(people),
            "started_at": began and began.replace(tzinfo=None),
            "venue": NAME,
            "room": _room(words.get("meta")),
            "players": self.people,
            "n_hands": len(self.result.hands),
            "final_scores": scores,
            "final_points": points,
        }

    def _final(self) -> tuple[list[int] | None, list[float | None] | None]:
        result = self.head.get("result")
        places = _list(result, "players") if isinstance(result, dict) else []
        scores: list[int] = [0] * 4
        points: list[float | None] = [None] * 4
        seen = set()
        for place in places:
            if isinstance(place, dict):
                place = snake(place)
                seat = _int(place, "seat")
                if 0 <= seat < self.players:
                    seen.add(seat)
                    scores[seat] = _int(place, "part_point_1")
                    points[seat] = _int(place, "total_point") / 1000
        return (scores, points) if len(seen) == self.players else (None, None)


def _room(meta: Any) -> str | None:
    if not isinstance(meta, dict):
        return None
    for key in ("mode_id", "room_id", "contest_uid"):
        if meta.get(key):
            return f"{key.partition('_')[0]} {meta[key]}"
    return None


FORMAT: Final = Format(
    name=NAME, title="Mahjong Soul records, decoded to JSON", family="riichi", sniff=sniff, read=read
)
