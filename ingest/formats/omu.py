"""Game records of open_mahjong_unity, rule `taiwan`: one JSON object per game with the deal, the wall and every action.

Seats: the file's original seat K is our seat; inside a hand the file counts from the dealer (player index). Flower ids
51..58 are taken by seat function (id - 50 = f1..f8), which is how that server scores them: West has f3 f7, North f4 f8.
Payments of a false win (错和) are part of the hand's deltas when they go from player to player; a penalty that nobody
receives only changes the running scores, because deltas sum to zero.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import msgspec

from ingest.errors import UPDATE, RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.replay import DEAD_WALLS, DEALT, WALL_DRAWS, HandEnd, HandReplay
from ingest.rows import HandHeader, add_hand
from ingest.tiles import FIRST_FLOWER

NAME: Final = "omu"
SIZE_LIMIT: Final = 64 * 1024 * 1024
"""Largest file that is read, in bytes. A long game is about 100 KB."""

FALSE_WIN: Final = "错和"
_EIGHT_FLOWERS: Final = "八仙过海"
_DEALER_ENTRY: Final = "连庄拉庄"
ITEM_IDS: Final = {
    "门清": "concealed_hand",
    "不求人": "concealed_self_draw_bonus",
    "自摸": "self_draw",
    "门风刻": "seat_wind_pung",
    "圈风刻": "round_wind_pung",
    "风刻": "any_wind_pung",
    "正花": "seat_flower",
    "花牌": "any_flower",
    "花杠": "flower_kong",
    "无花": "no_flower",
    "无字无花": "no_honors_no_flowers",
    "三元牌": "dragon_pung",
    "独听": "single_wait",
    "抢杠": "robbing_kong",
    "杠上开花": "kong_bloom",
    "海底捞月": "last_tile_draw",
    "河底捞鱼": "last_discard_win",
    "报听": "declared_ready",
    "天听": "heavenly_ready",
    "地听": "earthly_ready",
    "半求人": "half_melded",
    "全求人": "fully_melded",
    "明杠": "exposed_kong",
    "暗杠": "concealed_kong",
    "平胡": "pinghu",
    "三暗刻": "three_concealed_pungs",
    "四暗刻": "four_concealed_pungs",
    "五暗刻": "five_concealed_pungs",
    "碰碰胡": "all_pungs",
    "小三元": "little_three_dragons",
    "大三元": "big_three_dragons",
    "小四喜": "little_four_winds",
    "大四喜": "big_four_winds",
    "混一色": "half_flush",
    "清一色": "full_flush",
    "字一色": "all_honors",
    "四杠子": "four_kongs",
    "五杠子": "five_kongs",
    "八对半": "eight_pairs_half",
    "七抢一": "seven_robs_one",
    "配牌花胡": "initial_flower_bonus",
    "天胡": "heavenly_hand",
    "地胡": "earthly_hand",
    "人胡": "human_hand",
}
"""Item names of the log and the item ids they stand for; 八仙过海 depends on the kind of win."""

_TAI_LIMIT = 1 << 20
_MONEY_LIMIT = 1 << 48
_READY = {"none": 0, "heavenly": 1, "earthly": 2, "public": 3}
_STEPS = {"hu_first": 1, "hu_second": 2, "hu_third": 3}
_ABORTS = frozenset({"four_winds_abort", "four_kongs_abort"})
_CHOWS = {"cl": (-2, -1), "cm": (-1, 1), "cr": (1, 2)}


def _tile_table() -> list[int]:
    table = [-1] * 59
    for suit in range(3):
        for number in range(9):
            table[suit * 10 + 11 + number] = suit * 9 + number
    # East South West North, red, then white before green.
    for tile, kind in zip(range(41, 48), (27, 28, 29, 30, 31, 33, 32), strict=True):
        table[tile] = kind
    for number in range(8):
        table[51 + number] = FIRST_FLOWER + number
    return table


_KINDS = _tile_table()

Tick = list[int | str | list[int | str]]


class _Title(msgspec.Struct):
    rule: str
    p0_uid: int | str
    p1_uid: int | str
    p2_uid: int | str
    p3_uid: int | str
    sub_rule: str = ""
    room_type: str | None = None
    commitment_hex: str | None = None
    start_time: str | None = None
    detailed_config: dict[str, Any] = {}


class _File(msgspec.Struct):
    game_title: msgspec.Raw
    game_round: dict[str, msgspec.Raw]


class _Envelope(msgspec.Struct):
    rule: str = ""
    sub_rule: str = ""
    commitment_hex: str | None = None


class _Hand(msgspec.Struct):
    current_round: int
    seats: list[int]
    p0_tiles: list[int]
    p1_tiles: list[int]
    p2_tiles: list[int]
    p3_tiles: list[int]
    tiles_list: list[int]
    action_ticks: list[Tick]
    dealer_index: int = 0
    start_player_index: int = 0


class _Options(msgspec.Struct, rename={"reserve": "dead_wall_count", "eight_pairs": "eight_and_a_half_pairs_enabled"}):
    """The options that the replay needs."""

    base_points: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None
    points_per_tai: Annotated[int, msgspec.Meta(ge=0, le=10**9)] | None = None
    reserve: int = 16
    dead_wall_mode: str = "fixed_tail_16"
    draw_continues_dealer: bool = True
    draw_increments_streak: bool = True
    dealer_streak_limit: int | None = None
    eight_flowers_mode: str = "optional_standalone"
    eight_pairs: bool = False


_FILE = msgspec.json.Decoder(_File)
_ENVELOPE = msgspec.json.Decoder(_Envelope)
_TITLE = msgspec.json.Decoder(_Title)
_HAND = msgspec.json.Decoder(_Hand)


def sniff(head: bytes) -> bool:
    """The database behind the server may put either of the two members first."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"{"):
        return False
    return (b'"game_title"' in start and b'"sub_rule"' in start) or b'"game_round"' in start[:64]


def read(source: Source) -> Iterator[GameRows | Row]:
    """The one game of a file, or one row of `rejects` when it cannot be read."""
    with source.open() as stream:
        content = stream.read(SIZE_LIMIT + 1)
    yield read_game(content)


def read_game(content: bytes) -> GameRows | Row:
    """As `read`, from the content of the file."""
    log_id: str | None = None
    try:
        if len(content) > SIZE_LIMIT:
            raise RecordError("too_long", f"the file is longer than {SIZE_LIMIT >> 20} MB")
        try:
            parts = _FILE.decode(content.removeprefix(b"\xef\xbb\xbf"))
            envelope = _ENVELOPE.decode(parts.game_title)
            log_id = envelope.commitment_hex or None
            rule = envelope.rule if envelope.rule != "custom" else envelope.sub_rule.partition("/")[0]
            if rule != "taiwan":
                raise RecordError(
                    "other_rules", f"the game was played by the rule '{rule}'; only 'taiwan' is read here"
                )
            title = _TITLE.decode(parts.game_title)
            options = msgspec.convert(title.detailed_config, _Options)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise RecordError("bad_json", f"the file is not a whole game record ({problem}); export it again") from None
        return _Game(title, options, parts.game_round, content).rows()
    except RecordError as problem:
        return reject_row(problem, log_id=log_id)


class _Played(msgspec.Struct):
    """One hand read without error. money: payments between players; balance: what the running scores change by."""

    end: HandEnd
    money: list[int]
    balance: list[int]


class _Dealership:
    """Follows the dealer through a game: the log leaves the streak out, and a damaged hand can leave it open (None)."""

    def __init__(self, options: _Options) -> None:
        self._options = options
        self._round: int | None = None
        self._rotation: int | None = None
        self._streak: int | None = 0
        self._counts = False  # a further hand of this dealership raises the streak
        self._kept: bool | None = None
        self._lost = False

    def enter(self, hand: _Hand) -> int | None:
        """The streak of this hand. Raises RecordError when the header cannot follow the hand before it."""
        seats, number = hand.seats, hand.current_round
        if not 1 <= number <= 16:
            raise RecordError("bad_round", f"current_round {number} is not 1 to 16")
        if len(seats) != 4 or any(seats[k] != (seats[0] + k) % 4 for k in range(4)) or not 0 <= seats[0] <= 3:
            raise RecordError("bad_seats", f"seats {seats} do not keep the turn order of the table")
        if not 0 <= hand.dealer_index <= 3 or hand.start_player_index != hand.dealer_index:
            raise RecordError("bad_header", "dealer_index and start_player_index are not one seat 0 to 3")
        rotation = (seats[0] + number) % 4
        if self._rotation is None:
            self._rotation = rotation
        elif rotation != self._rotation:
            raise RecordError(
                "bad_seats", f"seats {seats} do not fit dealership {number}; the seats move by one with it"
            )
        before, self._round = self._round, number
        if before is None:
            self._streak = None if self._lost else 0
        elif number == before:
            if self._kept is False:
                self._streak = None
                raise RecordError(
                    "dealer_passed", f"dealership {number} goes on although the deal passed, so a hand is missing"
                )
            if self._streak is not None and self._counts:
                self._streak += 1
        elif number == before + 1:
            self._streak = 0
            if self._kept:
                self._streak = None
                raise RecordError("dealer_kept", f"dealership {number} begins although the dealer kept the deal")
        else:
            self._streak = None
            raise RecordError("round_jump", f"current_round goes from {before} to {number}, so a hand is missing")
        return self._streak

    def leave(self, *, won: bool, dealer_won: bool | None) -> bool | None:
        """Takes the result of the hand; whether the dealer keeps the deal. dealer_won None: not known."""
        options = self._options
        self._counts = won or options.draw_increments_streak
        self._kept = None
        if dealer_won is not None:
            self._kept = dealer_won if won else options.draw_continues_dealer
            limit = options.dealer_streak_limit
            if self._kept and limit is not None:
                self._kept = None if self._streak is None else self._streak != limit
        return self._kept

    def lose(self) -> None:
        """A hand that tells nothing: what follows is open until the deal passes."""
        self._round = None
        self._kept = None
        self._lost = True


class _Game:
    """Reads the hands of a game in order."""

    def __init__(self, title: _Title, options: _Options, rounds: dict[str, msgspec.Raw], content: bytes) -> None:
        self.title = title
        self.options = options
        self.rounds = rounds
        self.log_id = title.commitment_hex or None
        self.players = [f"{NAME}:{uid}" for uid in (title.p0_uid, title.p1_uid, title.p2_uid, title.p3_uid)]
        if len(set(self.players)) != 4:
            raise RecordError("bad_players", "the four players are not four accounts; check game_title")
        if options.dead_wall_mode not in DEAD_WALLS:
            raise RecordError("bad_dead_wall", f"dead_wall_mode '{options.dead_wall_mode}' is not known")
        self.id = game_id(NAME, self.log_id or content)
        self.dealership = _Dealership(options)
        self.scores: list[int] | None = [0, 0, 0, 0]  # None once a damaged hand leaves them open
        self.result = GameRows(game={})

    def rows(self) -> GameRows:
        for number in range(1, self._last_number() + 1):
            raw = self.rounds.get(f"round_index_{number}")
            try:
                self._read_hand(number - 1, raw)
            except RecordError as problem:
                self.result.rejects.append(reject_row(problem, hand_no=number - 1))
        self.result.game = self._game_row()
        return self.result

    def _last_number(self) -> int:
        last = 0
        for key in self.rounds:
            number = key.removeprefix("round_index_")
            if not (number.isascii() and number.isdigit() and len(number) <= 4 and str(int(number)) == number):
                raise RecordError("bad_header", f"'{key[:40]}' in game_round is not the name of a hand, round_index_N")
            last = max(last, int(number))
        if not last:
            raise RecordError("no_hands", "game_round holds no hand: the record is empty")
        return last

    def _read_hand(self, hand_no: int, raw: msgspec.Raw | None) -> None:
        scores, self.scores = self.scores, None
        if raw is None:
            self.dealership.lose()
            raise RecordError("missing_hand", f"round_index_{hand_no + 1} is missing")
        try:
            hand = _HAND.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            self.dealership.lose()
            raise RecordError("bad_json", f"the hand is not as the format says: {problem}") from None
        # A header that cannot be right is reported after the play, which the hands that follow need in any case.
        misplaced: RecordError | None = None
        streak: int | None = None
        try:
            streak = self.dealership.enter(hand)
        except RecordError as problem:
            if problem.code in ("bad_round", "bad_seats", "bad_header"):
                self.dealership.lose()
                raise
            misplaced = problem
        try:
            played = _play(hand, streak=streak or 0, options=self.options)
        except RecordError:
            # The actions still tell whether somebody won, so the streak goes on; the money is not trusted.
            self.dealership.leave(won=_has_win(hand.action_ticks), dealer_won=None)
            raise
        end = played.end
        dealer = hand.seats.index(hand.dealer_index)
        kept = self.dealership.leave(won=bool(end.wins), dealer_won=any(row["winner"] == dealer for row in end.wins))
        if scores is not None:
            self.scores = [a + b for a, b in zip(scores, played.balance, strict=True)]
        if misplaced is not None:
            raise misplaced
        if streak is None:
            raise RecordError("streak_unknown", "a hand before this one is damaged, so the streak is not known")
        header = HandHeader(
            game_id=self.id,
            hand_no=hand_no,
            players=self.players,
            round_wind=_round_wind(hand),
            dealer=dealer,
            door=dealer,
            streak=streak,
            deltas=played.money,
            scores_before=scores,
            dealer_kept=kept,
        )
        add_hand(self.result, header, end)

    def _game_row(self) -> Row:
        config = self.title.detailed_config
        return {
            "game_id": self.id,
            "log_id": self.log_id,
            "family": "taiwan",
            "declared": declared_preset(config),
            "declared_options": msgspec.json.encode(config).decode() if config else None,
            "simulated": False,
            "started_at": _time(self.title.start_time),
            "venue": "open_mahjong_unity",
            "room": self.title.room_type,
            "players": self.players,
            "base": self.options.base_points,
            "unit": self.options.points_per_tai,
            "n_hands": len(self.result.hands),
            "final_scores": self.scores,
        }


def _round_wind(hand: _Hand) -> int:
    return min(3, (hand.current_round - 1) // 4)


def _time(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None) if text else None
    except ValueError:
        return None


@cache
def _preset_options() -> dict[str, dict[str, Any]]:
    tables = tomllib.loads(files("ingest.formats").joinpath("omu_presets.toml").read_text("utf-8"))
    return {f"tw_{name}": tables["sml"] | changed for name, changed in tables.items()}


def declared_preset(config: dict[str, Any]) -> str | None:
    """The preset whose options all equal those of a log (`detailed_config`), None when the table changed any."""
    stated = {name: value for name, value in config.items() if value is not None}
    return next((preset for preset, options in _preset_options().items() if options == stated), None)


def _has_win(ticks: list[Tick]) -> bool:
    return any(tick and str(tick[0]).startswith("hu") and not _is_false_win(tick) for tick in ticks)


def _is_false_win(tick: Tick) -> bool:
    return len(tick) > 3 and isinstance(tick[3], list) and FALSE_WIN in tick[3]


def _tile(value: object) -> int:
    if type(value) is int and 0 <= value < len(_KINDS) and _KINDS[value] >= 0:
        return _KINDS[value]
    raise RecordError("unknown_tile", f"{str(value)[:20]} is not a tile of this format (11 to 58)")


def _play(hand: _Hand, *, streak: int, options: _Options) -> _Played:
    """Replays a hand whose header has been checked. Raises RecordError with the number of the event."""
    dealt = (hand.p0_tiles, hand.p1_tiles, hand.p2_tiles, hand.p3_tiles)
    dealer = hand.seats.index(hand.dealer_index)
    replay = HandReplay(
        dealer=dealer,
        door=dealer,
        round_wind=_round_wind(hand),
        streak=streak,
        deal=[[_tile(tile) for tile in dealt[index]] for index in hand.seats],
        wall=[_tile(tile) for tile in hand.tiles_list],
        reserve=options.reserve,
        dead_wall=options.dead_wall_mode,
        eight_pairs=options.eight_pairs,
    )
    player = _Player(replay, [hand.seats.index(index) for index in range(4)], options)
    try:
        for player.position, tick in enumerate(hand.action_ticks):
            player.act(tick)
        return player.finish()
    except RecordError as problem:
        problem.event = player.position
        raise


class _Player:
    """Feeds the actions of one hand to the replay. seat_of: original seat of each player index."""

    def __init__(self, replay: HandReplay, seat_of: list[int], options: _Options) -> None:
        self.replay = replay
        self.position: int | None = None
        self.seat_of = seat_of
        self.options = options
        self.money = [0, 0, 0, 0]
        self.balance = [0, 0, 0, 0]
        self.robbed: tuple[int, int] | None = None  # winner and payer of a seven-robs-one
        self.more_winners = False  # the win before this action said that it is not the last
        self.closed = False

    def act(self, tick: Tick) -> None:
        """One action. Raises RecordError."""
        if self.closed:
            raise RecordError("event_after_end", "an action follows the end of the hand; remove it")
        replay = self.replay
        match tick:
            case ["c", tile, "T" | "F" as drawn]:
                kind = _tile(tile)
                if drawn == "T" and replay.drawn not in (kind, DEALT):
                    raise RecordError("bad_event", f"the discard of {tile} is marked as just drawn, but it was not")
                replay.discard(replay.turn, kind)
            case ["d", tile]:
                replay.draw((replay.turn + 1) % 4, _tile(tile))
            case ["bh", flower, player, "T" | "F"]:
                replay.flower(self._seat(player), _tile(flower))
            case ["bd", tile, player]:
                replay.replace(self._seat(player), _tile(tile))
            case ["p", tile, player, a, b]:
                kind = self._equal(tile, a, b)
                replay.pung(self._seat(player), kind)
            case ["cl" | "cm" | "cr" as side, tile, player, a, b]:
                kind = _tile(tile)
                own = (_tile(a), _tile(b))
                if (own[0] - kind, own[1] - kind) != _CHOWS[str(side)]:
                    raise RecordError("bad_meld", f"the action '{side}' does not go with the tiles {tile}, {a}, {b}")
                replay.chow(self._seat(player), kind, own)
            case ["state", "ready", player, state, "T" | "F"]:
                if not isinstance(state, str) or state not in _READY:
                    raise RecordError("bad_event", f"the ready state {str(state)[:20]} is not known; {UPDATE}")
                replay.set_ready(self._seat(player), _READY[state])
            case ["state", "water", player, "T" | "F"]:
                self._seat(player)
            case ["gd", tile]:
                replay.replace(replay.turn, _tile(tile))
            case ["g", tile, player, a, b, c]:
                replay.kong_open(self._seat(player), self._equal(tile, a, b, c))
            case ["ag", tile, "T" | "F", a, b, c, d]:
                replay.kong_concealed(replay.turn, self._equal(tile, a, b, c, d))
            case ["jg", tile, "T" | "F"]:
                replay.kong_added(replay.turn, _tile(tile))
            case ["bh", flower, player, "T" | "F", winner, giver, taken]:
                replay.flower(self._seat(player), _tile(flower))
                self.robbed = (self._seat(winner), self._seat(giver))
                replay.rob_flower(*self.robbed, _tile(taken))
            case ["hu_self" | "hu_first" | "hu_second" | "hu_third", *_]:
                self._win(tick)
            case ["liuju"]:
                replay.draw_game()
            case ["liuju", str(reason)]:
                if reason not in WALL_DRAWS and reason not in _ABORTS and not reason.startswith("invalid_"):
                    raise RecordError("bad_event", f"the reason '{reason[:40]}' of a draw is not known; {UPDATE}")
                replay.draw_game(reason)
            case ["end"]:
                if self.more_winners:
                    raise RecordError("no_end", "the last winner of the hand is missing; export it again")
                if not replay.ended:
                    raise RecordError("no_end", "the hand ends without a win or a draw: actions are missing")
                self.closed = True
            case ["ca", *_]:
                pass  # a claim that was announced and not made
            case _:
                raise RecordError("unknown_event", f"the action {str(tick)[:60]} is not known")

    def finish(self) -> _Played:
        """Raises RecordError when the hand was cut off."""
        if not self.closed:
            raise RecordError("no_end", "the hand breaks off before its last action 'end'; export it again")
        return _Played(self.replay.finish(), self.money, self.balance)

    def _seat(self, index: object) -> int:
        return self.seat_of[_index(index)]

    @staticmethod
    def _equal(tile: object, *others: object) -> int:
        if any(other != tile for other in others):
            raise RecordError("bad_meld", "the tiles of a pung or kong are not equal")
        return _tile(tile)

    def _win(self, tick: Tick) -> None:
        match tick:
            case [str(how), winner, int(tai), list(names), list(paid), tile, *claim] if (
                len(claim) in (0, 3) and 0 <= tai < _TAI_LIMIT
            ):
                pass
            case _:
                raise RecordError("bad_event", f"the win {str(tick)[:60]} is not as the format says")
        if len(paid) != 4 or not all(type(amount) is int and abs(amount) < _MONEY_LIMIT for amount in paid):
            raise RecordError("bad_payments", "a win does not have four payments; check the action")
        index = _index(winner)
        seat = self.seat_of[index]
        payments = [0, 0, 0, 0]
        for i, amount in enumerate(paid):
            payments[self.seat_of[i]] = int(amount)
        for s in range(4):
            self.balance[s] += payments[s]
        between_players = sum(payments) == 0
        if between_players:
            for s in range(4):
                self.money[s] += payments[s]
        if FALSE_WIN in names:
            if not between_players and [p for p in payments if p] != [min(payments)]:
                raise RecordError("payments_not_zero", f"the payments {payments} of a false win are not a penalty")
            self.replay.false_win(seat)
            return
        if not between_players:
            raise RecordError("payments_not_zero", f"the payments {payments} of a win sum to {sum(payments)}, not zero")
        payer = None if how == "hu_self" else self.seat_of[(index - _STEPS[how]) % 4]
        if claim and (how == "hu_self" or self._seat(claim[1]) != payer):
            raise RecordError(
                "bad_event", f"the win names player {str(claim[1])[:20]} as discarder, but '{how}' is another"
            )
        self.more_winners = bool(claim) and claim[2] == 0
        items = _items(names)
        flower_win = _EIGHT_FLOWERS in items and self.options.eight_flowers_mode != "additive" and payer is None
        if self.robbed is not None:
            if self.robbed != (seat, payer):
                raise RecordError("bad_event", "a flower was robbed, but the win that follows is another player's")
            row = self.replay.flower_win(seat, payer=payer)
        elif flower_win:
            row = self.replay.flower_win(seat)
        else:
            row = self.replay.win(seat, _tile(tile), payer)
        held = "eight_immortals" if flower_win else "eight_flowers_held"
        row["recorded_tai"] = tai
        row["recorded_items"] = msgspec.json.encode(
            {held if name == _EIGHT_FLOWERS else ITEM_IDS.get(name, name): n for name, n in items.items()}
        ).decode()
        row["recorded_payments"] = payments
        row["liable"] = _liable(payments, payer) if self.robbed is None else None


def _index(value: object) -> int:
    if type(value) is int and 0 <= value <= 3:
        return value
    raise RecordError("bad_seat", f"{str(value)[:20]} is not a player index 0 to 3")


def _items(names: list[int | str]) -> dict[str, int]:
    """Count of each item name; `名*3` is three of it. The dealer's entry is not an item of the hand."""
    items: dict[str, int] = {}
    for text in names:
        name, _, times = str(text).partition("*")
        if times and not (times.isascii() and times.isdigit() and len(times) < 4):
            raise RecordError("bad_event", f"the item '{str(text)[:20]}' has no count after its star")
        if name != _DEALER_ENTRY:
            items[name] = items.get(name, 0) + (int(times) if times else 1)
    return items


def _liable(payments: list[int], payer: int | None) -> int | None:
    """The seat that pays for others (包牌), seen from who paid: alone for a self-draw, or though not the discarder."""
    paying = [seat for seat in range(4) if payments[seat] < 0]
    if payer is None:
        return paying[0] if len(paying) == 1 else None
    return next((seat for seat in paying if seat != payer), None)


FORMAT = Format(name=NAME, title="open_mahjong_unity game record (JSON)", family="taiwan", sniff=sniff, read=read)
