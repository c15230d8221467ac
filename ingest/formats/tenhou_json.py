"""Logs in the JSON form of tenhou.net/6: Tenhou's own downloads, its editor, and programs that write the same form.

Such programs export games of Mahjong Soul and of M.League. A file holds one game, a list of games, one game per line,
or links of the editor (`…#json=…`) per line. How a hand was won is told by its recorded yaku where the form has no
order of turns (tenhou_json_play).
"""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from ingest.errors import UPDATE, RecordError
from ingest.formats.base import Format, Source
from ingest.formats.riichi_words import check_situations
from ingest.formats.tenhou_json_play import KINDS, RED_WEIGHTS, Play, SeatPlay
from ingest.formats.tenhou_json_rules import NAME, read_rules, started
from ingest.formats.tenhou_json_scores import read_score
from ingest.ids import game_id
from ingest.jsonlines import read_lines
from ingest.melds import KONG_OPEN, pack_melds
from ingest.record import DORA, URA, GameRows, Row
from ingest.rejects import at_line, reject_row
from ingest.riichi_replay import RiichiEnd
from ingest.riichi_rows import DEPOSIT, RiichiHeader, add_hand, less_deposits, link_hands
from ingest.riichi_shapes import is_unconnected, waits
from ingest.tiles import NAMES, decimal_keys

SIZE_LIMIT: Final = 64 * 1024 * 1024
"""Largest single game or list of games that is read, in bytes. A game is about 10 KB."""

_MONEY_LIMIT: Final = 10**8
_DISCARD, _SELF_DRAW, _ROB = range(3)  # positions in WIN_KINDS
_ROBBED: Final = {2: 0, 3: 1, 5: 2}  # position in REPLACEMENTS -> position in ROBBED
_OPEN: Final = 4  # position in REPLACEMENTS
_NAMELESS: Final = frozenset(("", "NoName", "Ａさん", "Ｂさん", "Ｃさん", "Ｄさん", "Aさん", "Bさん", "Cさん", "Dさん"))
"""Names that say nobody: Tenhou's guests and the editor's own."""

_SNIFF = re.compile(rb'"log"\s*:\s*\[\s*\[\s*\[\s*-?\d')
_EMPTY = re.compile(rb'"log"\s*:\s*\[\s*\]')
_LINK = re.compile(rb"^https?://tenhou\.net/[56]/?\S*json=", re.I)
_WON: Final = frozenset(("和了", "和牌", "和", "agari", "win"))
_EXHAUSTIVE: Final = frozenset(
    ("流局", "荒牌流局", "荒牌平局", "全員聴牌", "全員不聴", "全员听牌", "全员不听", "ryuukyoku", "exhaustive draw")
)
_NAGASHI: Final = frozenset(("流し満貫", "流局满贯", "流局滿貫", "nagashi mangan", "mangan at draw"))
_ABORTS: Final = {
    "九種九牌": "kyuushu", "九种九牌": "kyuushu", "kyuushu kyuuhai": "kyuushu", "nine terminal abortion": "kyuushu",
    "四風連打": "suufon", "四风连打": "suufon", "suufon renda": "suufon", "four wind abortion": "suufon",
    "四家立直": "suucha", "suucha riichi": "suucha", "four riichi abortion": "suucha",
    "四槓散了": "suukaikan", "四開槓": "suukaikan", "四杠散了": "suukaikan", "四杠流局": "suukaikan",
    "suukaikan": "suukaikan", "four kan abortion": "suukaikan",
    "三家和了": "sanchahou", "三家和": "sanchahou", "sanchahou": "sanchahou", "three ron abortion": "sanchahou",
}  # fmt: skip


def sniff(head: bytes) -> bool:
    """A `log` of lists of lists of numbers, or a link that holds one; dialects that only look alike are taken too."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in (b"{", b"["):
        return _SNIFF.search(start) is not None or (
            start[:1] == b"{" and _EMPTY.search(start) is not None and b'"rule"' in start and b'"name"' in start
        )
    return _LINK.match(start) is not None


def read(source: Source) -> Iterator[GameRows | Row]:
    """The games of a source in order; a game that cannot be read at all is a row of `rejects`."""
    with source.open() as stream:
        content = stream.read(SIZE_LIMIT + 1)
    start = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    if len(content) <= SIZE_LIMIT and start[:1] in (b"{", b"["):
        try:
            found = msgspec.json.decode(start)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # a game per line, or a damaged one, which is reported with its line
        else:
            games = found if isinstance(found, list) else [found]
            for game in games:
                # A list of games is like as many files; only a lone game is known by the bytes of the file.
                yield read_game(game, content=content if game is found else None)
            return
    with source.open() as stream:
        for position, line in read_lines(stream):
            try:
                if line is None:
                    raise RecordError("too_long", "a line this long is never one game; split it")
                if _LINK.match(line):
                    line = _unpack_link(line)
                try:
                    game = msgspec.json.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
                    raise RecordError("bad_json", f"not a whole game ({problem}); export it again") from None
            except RecordError as problem:
                yield reject_row(problem, position=position)
            else:
                yield at_line(read_game(game), position)


def read_game(record: Any, *, content: bytes | None = None) -> GameRows | Row:
    """The rows of one decoded game. content: what it is known by when it has no id; None for the game itself."""
    log_id: str | None = None
    try:
        if isinstance(record, dict) and isinstance(record.get("log"), dict):
            record = record["log"]  # as the server of a converter answers
        if not isinstance(record, dict) or not isinstance(record.get("log"), list):
            raise RecordError("bad_json", "the JSON is not a game of this form: it has no list `log`")
        ref = record.get("ref")
        log_id = ref if isinstance(ref, str) and ref else None
        return _Game(record, log_id, content).rows()
    except RecordError as problem:
        return reject_row(problem, log_id=log_id)


def _unpack_link(line: bytes) -> bytes:
    return urllib.parse.unquote_to_bytes(line.partition(b"json=")[2].partition(b"&")[0])


class _Hand(msgspec.Struct):
    """The parts of one hand as the log has them."""

    players: int
    round_wind: int
    dealer: int
    honba: int
    sticks: int
    scores: list[int]
    dora: list[int]
    ura: list[int]
    lists: list[tuple[list[Any], list[Any], list[Any]]]
    result: list[Any]


def _parse(raw: Any) -> _Hand:
    if not isinstance(raw, list):
        raise RecordError("bad_hand", "the hand is not a list")
    if _is_dialect(raw):
        raise RecordError("dialect", _DIALECT)
    if len(raw) not in (14, 17):
        raise RecordError("bad_hand", f"the hand has {len(raw)} parts instead of 17")
    head, scores, dora, ura = raw[:4]
    if not _ints(head, 3) or not 0 <= head[0] <= 15 or not (0 <= head[1] < 1000 and 0 <= head[2] < 1000):
        raise RecordError("bad_header", f"{head!r} should be round, honba and deposits")
    own = raw[4:-1]
    for part in own:
        if not isinstance(part, list):
            raise RecordError("bad_hand", "the tiles of a seat are not a list")
    lists = [(own[i], own[i + 1], own[i + 2]) for i in range(0, len(own), 3)]
    players = 3 if len(lists) == 3 or not any(lists[3]) else 4
    if not _ints(scores, len(scores) if isinstance(scores, list) else -1) or len(scores) not in (3, 4):
        raise RecordError("bad_header", f"{scores!r} should be the scores of the players")
    if any(abs(score) > _MONEY_LIMIT for score in scores) or len(scores) < players:
        raise RecordError("bad_header", f"{scores!r} are not the scores of {players} players")
    if players == 3 and len(scores) == 4 and scores[3]:
        raise RecordError("bad_hand", "the fourth player has a score and no tiles")
    for name, tiles in (("dora", dora), ("ura", ura)):
        if not isinstance(tiles, list) or len(tiles) > 5 or any(type(t) is not int or t not in KINDS for t in tiles):
            raise RecordError("bad_dora", f"the {name} indicators {tiles!r} are not up to five tiles")
    round_wind, dealer = divmod(head[0], 4)
    if dealer >= players:
        raise RecordError("bad_header", f"seat {dealer} deals in a game of {players} players")
    if not isinstance(raw[-1], list) or not raw[-1] or not isinstance(raw[-1][0], str):
        raise RecordError("bad_result", "the hand has no result: the log breaks off")
    return _Hand(
        players=players,
        round_wind=round_wind,
        dealer=dealer,
        honba=head[1],
        sticks=head[2],
        scores=[*scores[:players], *[0] * (4 - players)],
        dora=dora,
        ura=ura,
        lists=lists[:players],
        result=raw[-1],
    )


_DIALECT: Final = (
    "this is another program's form that only looks like tenhou.net/6 (tiles such as '3s'); export with another program"
)


def _is_dialect(raw: list[Any]) -> bool:
    """Tiles written as text, the result as an object, or the scores in the head of the hand."""
    if raw and (isinstance(raw[-1], dict) or (isinstance(raw[0], list) and len(raw[0]) > 3)):
        return True
    return any(isinstance(tile, str) for part in raw[2:5] if isinstance(part, list) for tile in part)


def _ints(values: Any, length: int) -> bool:
    return isinstance(values, list) and len(values) == length and all(type(value) is int for value in values)


def _deltas(value: Any, players: int) -> list[int]:
    if isinstance(value, list):  # next to a liable seat some converters write 16000.0
        value = [int(change) if type(change) is float and change.is_integer() else change for change in value]
    if not isinstance(value, list) or len(value) not in (players, 4) or not _ints(value, len(value)):
        raise RecordError("bad_result", f"{value!r} should be the change of score of each player")
    if any(abs(change) > _MONEY_LIMIT for change in value) or any(value[players:]):
        raise RecordError("bad_result", f"{value!r} are no changes of score")
    return [*value[:players], *[0] * (4 - players)]


class _Won:
    """Reads the wins of a hand."""

    def __init__(self, hand: _Hand, play: Play, reds: bool | None) -> None:
        self.hand = hand
        self.play = play
        self.reds = reds
        self.rows: list[Row] = []
        self.deltas = [0] * 4
        pairs = hand.result[1:]
        if not pairs or len(pairs) % 2:
            raise RecordError("bad_result", "a win should have the changes of score and its facts")
        infos = []
        for changes, info in zip(pairs[::2], pairs[1::2], strict=True):
            if not isinstance(info, list) or len(info) < 3 or not _ints(info[:3], 3):
                raise RecordError("bad_result", "a win does not tell winner, payer and liable seat")
            if not all(0 <= seat < hand.players for seat in info[:3]):
                raise RecordError("bad_result", f"seats {info[:3]} of a win are not all at the table")
            infos.append((_deltas(changes, hand.players), info))
        self.payer: int | None = infos[0][1][1] if infos[0][1][1] != infos[0][1][0] else None
        winners = [info[0] for _, info in infos]
        if len(set(winners)) != len(winners) or len(winners) > 3:
            raise RecordError("bad_result", f"the winners are the seats {winners}")
        if any(info[1] != (info[0] if self.payer is None else self.payer) for _, info in infos) or (
            self.payer is None and len(infos) > 1
        ):
            raise RecordError("bad_result", "several wins of one hand are not on one tile")
        self._check_end(winners[0])
        self.unpaid = self._unpaid()
        self.paid = play.paid(self.unpaid)
        payer = self.payer
        if payer is not None:
            infos.sort(key=lambda pair: (pair[1][0] - payer) % hand.players)
        own_sticks = sum(self.paid >> winner & 1 for winner in winners)
        for number, (changes, info) in enumerate(infos):
            row = self._row(info)
            row["win_no"] = number
            row["n_winners"] = len(infos)
            row["winners_sticks"] = own_sticks
            row["recorded_payments"] = changes
            self.rows.append(row)
            self.deltas = [a + b for a, b in zip(self.deltas, changes, strict=True)]
        table = DEPOSIT * (hand.sticks + self.paid.bit_count())
        if sum(self.deltas) != table:
            raise RecordError(
                "bad_payments", f"the changes of score {self.deltas} do not add up to the deposits, {table} points"
            )
        self.deltas = less_deposits(self.deltas, self.paid)

    def _check_end(self, winner: int) -> None:
        play = self.play
        waiting = play.unanswered()
        if waiting != ([winner] if self.payer is None else []):
            raise RecordError("bad_pairing", f"the drawn tiles of the seats {waiting} have no discard")
        if self.payer is not None:
            payer = play.seats[self.payer]
            if payer.robbable is not None and payer.robbable[0] == _OPEN:
                raise RecordError("no_replacement", f"seat {self.payer} pays for a win before its replacement tile")
            if payer.robbable is None and payer.last_discard is None:
                raise RecordError("bad_payer", f"seat {self.payer} pays for a win and has discarded nothing")

    def _unpaid(self) -> int | None:
        """The seat whose riichi tile is won: it pays no deposit."""
        if self.payer is None:
            return None
        payer = self.play.seats[self.payer]
        return self.payer if payer.riichi_is_last and payer.robbable is None else None

    def _row(self, info: list[Any]) -> Row:
        hand, play, payer = self.hand, self.play, self.payer
        winner = play.seats[info[0]]
        score = read_score(info, dealer_wins=info[0] == hand.dealer, self_draw=payer is None, players=hand.players)
        robbed: SeatPlay | None = None
        counts = winner.counts()
        reds = winner.reds()
        if payer is None:
            drawn = winner.drawn
            assert drawn is not None
            kind, how = KINDS[drawn], _SELF_DRAW
            reds += RED_WEIGHTS.get(drawn, 0)
        else:
            source = play.seats[payer]
            if source.robbable is not None:
                robbed = source
                tile, how = source.robbable[1], _ROB
            else:
                assert source.last_discard is not None
                tile, how = source.last_discard, _DISCARD
            kind = KINDS[tile]
            reds += RED_WEIGHTS.get(tile, 0)
            if kind in winner.river:
                raise RecordError("furiten", f"seat {winner.seat} wins on {NAMES[kind]} which it has discarded itself")
        codes = winner.codes()
        if sum(counts) != 13 - 3 * len(codes):
            raise RecordError("tile_count", f"seat {winner.seat} wins with {sum(counts) + 1} concealed tiles")
        complete = kind in waits(counts, codes)
        counts[kind] += 1
        keys = km, kp, ks, kh = decimal_keys(counts)
        if not complete and not (payer is None and winner.draws == 1 and play.calls() == 0 and is_unconnected(keys)):
            raise RecordError(
                "not_complete", f"seat {winner.seat} wins on {NAMES[kind]} with a hand that it does not finish"
            )
        m0, m1, m2, m3, m4 = pack_melds(codes)
        items = score.items
        told = bool(items) and not score.yakuman  # the log names every situation
        self_draw = payer is None
        replaced = winner.replaces if self_draw else 0
        liable = winner.liable()
        if info[2] != info[0] and items:
            # The log's word counts where the calls do not show it, as by rules with a wider liability.
            liable = (
                info[2] if liable[0] is None and "daisangen" in items else liable[0],
                info[2] if liable[1] is None and "daisuushii" in items else liable[1],
                info[2] if liable[2] is None and "suukantsu" in items else liable[2],
            )
        row: Row = {
            "km": km, "kp": kp, "ks": ks, "kh": kh, "m0": m0, "m1": m1, "m2": m2, "m3": m3, "m4": m4,
            "win_tile": kind,
            "flowers": 0,
            "winner": winner.seat,
            "payer": payer,
            "win_kind": how,
            "dealer": hand.dealer,
            "streak": hand.honba,
            "round_wind": hand.round_wind,
            "replacement": replaced,
            "last_tile": play.wall_left == 0,
            "heavenly": self_draw and winner.seat == hand.dealer and winner.draws == 1 and not winner.river,
            "first_draw": self_draw and winner.seat != hand.dealer and winner.draws == 1 and not winner.river,
            "before_first_draw": not self_draw and winner.draws == 0 and not winner.river,
            "discarder_first_discard": how == _DISCARD and payer is not None and len(play.seats[payer].river) == 1,
            "no_calls": play.calls(robbed) == 0,
            "n_players": hand.players,
            "riichi": self._riichi(winner, items if told else None, robbed),
            "ippatsu": self._ippatsu(winner, items if told else None, robbed),
            "payer_in_riichi": payer is not None and payer != self.unpaid and play.seats[payer].riichi_turn is not None,
            "declaration_tile": payer is not None and payer == self.unpaid,
            "discard_after_kong": how == _DISCARD and payer is not None and play.seats[payer].after_kong,
            "robbed": _ROBBED[robbed.robbable[0]] if robbed is not None and robbed.robbable is not None else None,
            "reds": reds if self.reds is not False else None,
            "norths": winner.norths,
            "sticks": hand.sticks + self.paid.bit_count(),
            "own_stick": bool(self.paid >> winner.seat & 1),
            "liable_dragons": liable[0],
            "liable_winds": liable[1],
            "liable_kongs": liable[2],
            "kong_feeder": winner.last_kong.feeder if replaced == _OPEN and winner.last_kong is not None else None,
            "recorded_tai": score.han,
            "recorded_fu": score.fu,
            "recorded_points": score.points,
            "recorded_items": None if items is None else msgspec.json.encode(items).decode(),
        }  # fmt: skip
        for column, tile in zip(DORA, hand.dora, strict=False):
            row[column] = KINDS[tile]
        if winner.riichi_turn is not None:
            for column, tile in zip(URA, hand.ura, strict=False):
                row[column] = KINDS[tile]
        if items is not None:
            check_situations(row, items)
        return row

    def _riichi(self, winner: SeatPlay, items: dict[str, int] | None, robbed: SeatPlay | None) -> int | None:
        derived = self.play.riichi(winner, robbed=robbed)
        if items is None:
            return derived
        said = 2 if "double_riichi" in items else 1 if "riichi" in items else 0
        if bool(said) != (winner.riichi_turn is not None) or (said == 2 and derived == 1):
            raise RecordError("riichi_differs", f"the riichi of seat {winner.seat} in its yaku is not that of its play")
        return said

    def _ippatsu(self, winner: SeatPlay, items: dict[str, int] | None, robbed: SeatPlay | None) -> bool | None:
        derived = self.play.ippatsu(winner, robbed=robbed)
        if items is not None:
            said = "ippatsu" in items
            if said and derived is False:
                raise RecordError("ippatsu_differs", f"seat {winner.seat} has ippatsu in its yaku and not in its play")
            if derived is None:
                return said
        return derived


class _Game:
    """Reads the hands of one game in order."""

    def __init__(self, record: dict[str, Any], log_id: str | None, content: bytes | None) -> None:
        self.record = record
        self.log_id = log_id
        self.log: list[Any] = record["log"]
        if not self.log:
            raise RecordError("no_hands", "the game holds no hand: the log is empty")
        parsed: list[_Hand | RecordError] = []
        for raw in self.log:
            try:
                parsed.append(_parse(raw))
            except RecordError as problem:
                if problem.code == "dialect":
                    raise
                parsed.append(problem)
        self.hands = parsed
        good = [hand for hand in parsed if isinstance(hand, _Hand)]
        self.players = max((hand.players for hand in good), default=4)
        opening = good[0] if good and good[0] is parsed[0] else None
        first = None
        if opening is not None and not (opening.round_wind or opening.dealer or opening.honba or opening.sticks):
            first = opening.scores
        self.rules = read_rules(record, log_id, self.players, first)
        self.names = self._names()
        key: str | bytes = log_id or content or msgspec.json.encode(record)
        self.id = game_id(self.rules.platform if log_id else NAME, key)
        self.result = GameRows(game={})

    def _names(self) -> list[str | None]:
        names = self.record.get("name")
        names = names if isinstance(names, list) else []
        accounts = self.record.get("playerMapping")
        players: list[str | None] = []
        for seat in range(4):
            name = names[seat] if seat < len(names) and isinstance(names[seat], str) else ""
            account: Any = None
            if isinstance(accounts, list) and seat < len(accounts) and isinstance(accounts[seat], dict):
                account = accounts[seat].get("account_id")
            if seat >= self.players:
                players.append(None)
            elif isinstance(account, int) and account > 0:
                players.append(f"{self.rules.platform}:{account}")
            else:
                players.append(None if name.strip() in _NAMELESS else f"{self.rules.platform}:{name}")
        # One name in two seats is no player either: programs at the table, or an editor's text.
        return [None if player is None or players.count(player) > 1 else player for player in players]

    def rows(self) -> GameRows:
        for hand_no, parsed in enumerate(self.hands):
            try:
                if isinstance(parsed, RecordError):
                    raise parsed
                if parsed.players != self.players:
                    raise RecordError("bad_hand", "the fourth player has no tiles in this hand")
                self._read_hand(hand_no, parsed)
            except RecordError as problem:
                self.result.rejects.append(reject_row(problem, hand_no=hand_no))
        link_hands(self.result)
        self.result.game = self._game_row()
        return self.result

    def _read_hand(self, hand_no: int, hand: _Hand) -> None:
        word = hand.result[0].strip().casefold()
        indicators = [*hand.dora, *hand.ura]
        play = Play(hand.lists, players=hand.players, dealer=hand.dealer, indicators=indicators)
        kongs = sum(1 for seat in play.seats for meld in seat.melds if meld.code >= KONG_OPEN)
        if len(hand.dora) > kongs + 1 or len(hand.ura) > max(1, len(hand.dora)):
            raise RecordError(
                "bad_dora", f"{len(hand.dora)} dora and {len(hand.ura)} ura indicators with {kongs} kongs"
            )
        if word in _WON:
            won = _Won(hand, play, self.rules.reds)
            end = _end(play, hand, result="win", paid=won.paid, unpaid=won.unpaid, wins=won.rows)
            deltas: list[int] | None = won.deltas
        else:
            end, deltas = self._drawn(hand_no, hand, play, word)
        header = RiichiHeader(
            game_id=self.id,
            hand_no=hand_no,
            players=self.names,
            round_wind=hand.round_wind,
            dealer=hand.dealer,
            honba=hand.honba,
            sticks=hand.sticks,
            deltas=deltas,
            scores_before=hand.scores,
        )
        add_hand(self.result, header, end)

    def _drawn(self, hand_no: int, hand: _Hand, play: Play, word: str) -> tuple[RiichiEnd, list[int] | None]:
        nagashi = word in _NAGASHI
        kind = _ABORTS.get(word)
        if kind is None and not nagashi and word not in _EXHAUSTIVE:
            raise RecordError(
                "bad_result", f"'{hand.result[0][:40]}' is no result of a hand that is known here; {UPDATE}"
            )
        waiting = play.unanswered()
        if len(waiting) > (kind is not None):
            raise RecordError("bad_pairing", f"the drawn tiles of the seats {waiting} have no discard")
        if kind is None and play.wall_left:
            raise RecordError("wall_left", f"an exhaustive draw with {play.wall_left} tiles left in the wall")
        changes: list[int] | None = _deltas(hand.result[1], hand.players) if len(hand.result) > 1 else None
        if changes is not None and sum(changes) != 0:
            raise RecordError("bad_payments", f"the changes of score {changes} of a draw do not add up to nothing")
        if kind is not None:
            _check_abort(kind, play, waiting)
            changes = changes or [0] * 4
        unpaid = self._won_riichi(hand_no, hand, play) if kind == "sanchahou" else None
        paid = play.paid(unpaid)
        tenpai = None
        if kind is None:
            ready = [play.tenpai(seat) for seat in play.seats]
            tenpai = self._tenpai(hand, word, ready, changes)
            if changes is None and not nagashi and len(set(tenpai)) == 1:
                changes = [0] * 4
        deltas = None if changes is None else less_deposits(changes, paid)
        end = _end(
            play, hand,
            result="exhaustive_draw" if kind is None else "abortive_draw",
            draw_kind=kind, paid=paid, unpaid=unpaid, tenpai=tenpai, nagashi=play.nagashi() if kind is None else None,
        )  # fmt: skip
        if nagashi and not end.nagashi:
            raise RecordError("no_nagashi", "nobody's discards are nagashi mangan, which the log says")
        return end, deltas

    def _tenpai(self, hand: _Hand, word: str, ready: list[bool], changes: list[int] | None) -> list[bool]:
        """Who showed a ready hand: the payments tell, or the hands where nobody paid."""
        told = ready
        if word in ("全員聴牌", "全员听牌"):
            # Some converters say so too when nobody was ready, as nobody pays then either.
            told = [any(ready)] * hand.players
        elif word in ("全員不聴", "全员不听"):
            told = [False] * hand.players
        elif word not in _NAGASHI and changes is not None and any(changes):
            told = [change > 0 for change in changes[: hand.players]]
        for seat, says in enumerate(told):
            if says and not ready[seat]:
                raise RecordError("not_tenpai", f"seat {seat} is paid for a ready hand, which it does not have")
        return told

    def _won_riichi(self, hand_no: int, hand: _Hand, play: Play) -> int | None:
        """After three winners of one tile: the seat whose riichi tile it was. The next hand has its score."""
        declared = [seat.seat for seat in play.seats if seat.riichi_is_last]
        following = self.hands[hand_no + 1] if hand_no + 1 < len(self.hands) else None
        if isinstance(following, _Hand):
            return next((seat for seat in declared if following.scores[seat] == hand.scores[seat]), None)
        return None

    def _game_row(self) -> Row:
        rules, record = self.rules, self.record
        rule = record.get("rule")
        options: dict[str, Any] = {"paipu": rules.paipu}
        for key in ("rule", "title", "lobby", "ratingc"):
            if record.get(key) not in (None, ["", ""]):
                options[key] = record[key]
        disp = rule.get("disp") if isinstance(rule, dict) else None
        scores, points = _final(record.get("sc"), self.players)
        return {
            "game_id": self.id,
            "log_id": self.log_id,
            "family": "riichi",
            "declared": rules.declared,
            "declared_options": msgspec.json.encode(options).decode(),
            "simulated": False,
            "started_at": started(self.log_id),
            "venue": None if rules.platform == NAME else rules.platform,
            "room": disp if isinstance(disp, str) and disp else None,
            "players": self.names,
            "n_hands": len(self.result.hands),
            "final_scores": scores,
            "final_points": points,
        }


def _check_abort(kind: str, play: Play, waiting: list[int]) -> None:
    rivers = [seat.river for seat in play.seats]
    if kind == "kyuushu":
        if len(waiting) != 1 or rivers[waiting[0]] or play.calls():
            raise RecordError("bad_abort", "nine terminals are shown after the first uninterrupted draw")
    elif waiting and kind != "suukaikan":
        raise RecordError("bad_pairing", f"the drawn tile of seat {waiting[0]} has no discard")
    elif kind == "suufon":
        first = [tile for river in rivers for tile in river]
        if len(first) != 4 or len(set(first)) != 1 or not 27 <= first[0] <= 30:
            raise RecordError("bad_abort", "a draw by four winds without four equal winds as first discards")
    elif kind == "suucha" and any(seat.riichi_turn is None for seat in play.seats):
        raise RecordError("bad_abort", "a draw by four riichi without riichi of everybody")
    elif kind == "suukaikan":
        owners = [seat.seat for seat in play.seats for meld in seat.melds if meld.code >= KONG_OPEN]
        if len(owners) < 4 or len(set(owners)) < 2:
            raise RecordError("bad_abort", "a draw by four kongs without four kongs of several players")


def _end(
    play: Play,
    hand: _Hand,
    *,
    result: str,
    draw_kind: str | None = None,
    paid: int,
    unpaid: int | None,
    tenpai: list[bool] | None = None,
    nagashi: int | None = None,
    wins: list[Row] | None = None,
) -> RiichiEnd:
    padding = 4 - hand.players
    levels: list[int | None] = [0 if seat.seat == unpaid else play.riichi(seat) for seat in play.seats]
    for row in wins or ():
        levels[row["winner"]] = row["riichi"]
    return RiichiEnd(
        players=hand.players,
        result=result,
        draw_kind=draw_kind,
        wall_left=play.wall_left,
        exposed=[*(seat.open_melds() for seat in play.seats), *[0] * padding],
        discards=[*(len(seat.river) for seat in play.seats), *[0] * padding],
        riichi=[*levels, *[0] * padding],
        ready_turn=[*(None if seat.seat == unpaid else seat.riichi_turn for seat in play.seats), *[None] * padding],
        paid=paid,
        tenpai=None if tenpai is None else [*tenpai, *[None] * padding],
        nagashi=nagashi,
        wins=wins or [],
    )


def _final(pairs: Any, players: int) -> tuple[list[int] | None, list[float | None] | None]:
    """Final scores and points from the list score, points, score, points …"""
    if not isinstance(pairs, list) or len(pairs) not in (2 * players, 8):
        return None, None
    if any(type(value) not in (int, float) or abs(value) > _MONEY_LIMIT for value in pairs):
        return None, None
    scores, points = pairs[: 2 * players : 2], pairs[1 : 2 * players : 2]
    if any(value != int(value) for value in scores):
        return None, None
    padding = 4 - players
    return [*map(int, scores), *[0] * padding], [*map(float, points), *[None] * padding]


FORMAT: Final = Format(
    name=NAME,
    title="tenhou.net/6 JSON, also of Mahjong Soul and M.League games",
    family="riichi",
    sniff=sniff,
    read=read,
)
