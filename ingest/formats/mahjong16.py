"""mahjong16 CSV: one row per hand of a Taiwanese 16-tile program, with the winner's tiles but without the play.

A game of the store is one jang (將). Its seats are the winds of the log, which stay with a player for the whole jang
(they are not counted from the dealer) and are dealt anew for the next: seat 0 is East, and play goes East, South, West,
North. The file names only the dealer's and the winner's wind, so seats are told from all rows of a jang together.
`door` is the seat of East, because the log counts seat winds from it.

A tag that the profile values at nothing is not written: a tag proves its fact, its absence proves little. What the log
cannot tell is null:
- ready, ready_first_turn: declarations are not logged (`ting` is written for any hand that was ready);
- no_calls (unless the winner shows a claimed meld), first_draw, before_first_draw, discarder_first_discard: no turns;
- replacement of a self-draw with flowers: only replacements of kongs are tagged (`gang_shang`).
Eyes (眼牌), Miji and open ready do not exist in this game, so they are none and false. Whether people or programs
played is not said, so `simulated` is null.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.jsonlines import read_lines
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code
from ingest.outcomes import seat_outcomes
from ingest.record import REPLACEMENTS, WIN_KINDS, GameRows, Row
from ingest.tiles import FIRST_FLOWER, HONORS, N_KINDS, WINDS
from ingest.validate import check_complete, check_payments, check_win, flower_mask, tile_columns

NAME = "mahjong16"
FAMILY = "taiwan"
_LINE_LIMIT = 1 << 20
_RESERVE = 16
_WALL_AFTER_DEAL = 144 - 4 * 16 - 1
_N_FLOWERS = 8

_COLUMNS = (
    "result", "winner", "win_source", "ron_from", "dealer_pid", "win_tile", "remain_tiles", "winner_total_tai",
    "breakdown_tags", "winner_hand", "winner_melds", "winner_flowers", "quan_feng", "dealer_wind", "winner_wind",
    "base_points", "tai_points", *(f"delta_p{pid}" for pid in range(4)), *(f"total_p{pid}" for pid in range(4)),
)  # fmt: skip
_TILES = {
    **{f"{n + 1}{suit}": 9 * i + n for i, suit in enumerate("WDB") for n in range(9)},
    **{honor: 27 + i for i, honor in enumerate(HONORS)},
    **{f"F{n + 1}": FIRST_FLOWER + n for n in range(_N_FLOWERS)},
}
_KONGS = {"GANG": KONG_OPEN, "KAKAN": KONG_ADDED, "ANGANG": KONG_CONCEALED}
_REPLACED = {KONG_OPEN: "kong_open", KONG_ADDED: "kong_added", KONG_CONCEALED: "kong_concealed"}


class _Line(msgspec.Struct, frozen=True):
    number: int
    raw: bytes
    cells: dict[str, str]


class _Hand(msgspec.Struct, frozen=True):
    """The part of a row that the seats and the sequence of hands are told from. Players are pids, not seats."""

    round_wind: int
    dealer: int
    dealer_wind: int
    winner: int | None
    winner_wind: int | None
    tags: dict[str, int]


def sniff(head: bytes) -> bool:
    """The first line names the columns of this log."""
    header = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].strip().split(b",")
    return {b"dealer_pid", b"winner_total_tai", b"breakdown_tags", b"quan_feng"} <= set(header)


def read(source: Source) -> Iterator[GameRows | Row]:
    """The jangs of a file in order. A row that cannot be kept is in the rejects of its jang."""
    with source.open() as stream:
        lines = read_lines(stream, limit=_LINE_LIMIT)
        try:
            header = _split(next(lines, (1, b""))[1])
            missing = [name for name in _COLUMNS if name not in header]
            if missing:
                raise RecordError("bad_header", f"the first line does not name the column {missing[0]}")
        except RecordError as problem:
            yield _reject(problem, source.name, 1)
            return
        jang: list[_Line] = []
        key: tuple[str, str] | None = None
        counter = _JangCounter()
        for number, raw in lines:
            try:
                cells = _split(raw)
                if len(cells) != len(header):
                    message = (
                        f"the row has {len(cells)} cells, the first line {len(header)}; complete it or export it again"
                    )
                    raise RecordError("bad_row", message)
            except RecordError as problem:
                yield _reject(problem, source.name, number)
                continue
            line = _Line(number, raw or b"", dict(zip(header, (cell.strip() for cell in cells), strict=True)))
            this = counter.key(line.cells)
            if jang and this != key:
                yield _read_jang(jang, source.name)
                jang = []
            key = this
            jang.append(line)
        if jang:
            yield _read_jang(jang, source.name)


class _JangCounter:
    """Names the jang of each row by the file's own columns, else by the return of the round wind to East."""

    def __init__(self) -> None:
        self._wind = 0
        self._jang = 1

    def key(self, cells: dict[str, str]) -> tuple[str, str]:
        wind = WINDS.find(cells["quan_feng"])
        if 0 <= wind < self._wind:
            self._jang += 1
        self._wind = max(wind, 0)
        return cells.get("session_index", ""), cells.get("jang_index") or str(self._jang)


class _Sequence:
    """Follows the dealer through a jang: a dealer's win or a draw keeps the deal and adds one to the streak."""

    def __init__(self) -> None:
        self._next: int | None = None  # seat that has to deal next; None where a row before could not be read
        self._streak: int | None = None

    def step(self, *, dealer: int, winner: int | None, tags: dict[str, int], opening: bool) -> int:
        """The streak of this hand. Raises RecordError when the log contradicts itself or leaves it open."""
        expected, streak = self._next, self._streak
        if expected is None or expected != dealer:
            streak = 0 if opening else None
        # The tag says 2n+1 when the dealer wins; it is the only place where the log names the streak.
        tag = tags.get("dealer")
        logged = None if tag is None or tag % 2 == 0 else tag // 2
        if streak is None:
            streak = logged
        kept = winner is None or winner == dealer
        self._next = dealer if kept else (dealer + 1) % 4
        self._streak = (None if streak is None else streak + 1) if kept else 0
        if expected is not None and expected != dealer:
            message = f"{WINDS[dealer]} deals where {WINDS[expected]} should; add or correct the rows before it"
            raise RecordError("dealer_sequence", message)
        if streak is None:
            raise RecordError(
                "streak_unknown", "the rows before this hand are missing, so the dealer's streak is unknown"
            )
        if logged is not None and logged != streak:
            raise RecordError(
                "streak_conflict", f"the tag dealer={tag} is a streak of {logged}, the rows make it {streak}"
            )
        return streak

    def lost(self) -> None:
        """A row could not be read at all."""
        self._next = self._streak = None


def _read_jang(lines: list[_Line], file: str) -> GameRows:
    hands: list[_Hand | RecordError] = [_try_hand(line.cells) for line in lines]
    seat_of, conflicts = _seats(hands)
    cells = lines[0].cells
    identity = game_id(NAME, b"\n".join(line.raw for line in lines))
    players: list[str | None] = [None] * 4
    for pid, seat in seat_of.items():
        players[seat] = f"{NAME}:p{pid}"
    jang_name = "-".join(filter(None, (cells.get("session_index"), cells.get("jang_index"))))
    rows = GameRows(
        game={
            "game_id": identity,
            "format": NAME,
            "log_id": jang_name or None,
            "family": FAMILY,
            "players": players,
            "file": file,
        }
    )
    # Draws end when the reserve is reached; where one ended earlier or later the reserve is not the usual one.
    fixed_reserve = all(
        line.cells["remain_tiles"] == str(_RESERVE) for line in lines if line.cells["result"].upper() == "DRAW"
    )
    sequence = _Sequence()
    for hand_no, (line, hand) in enumerate(zip(lines, hands, strict=True)):
        keys: Row = {"game_id": identity, "hand_no": hand_no}
        try:
            if isinstance(hand, RecordError):
                sequence.lost()
                raise hand
            if hand_no in conflicts:
                sequence.lost()
                raise RecordError("wind_conflict", "a player has another wind here than in the other rows of this jang")
            _add_hand(rows, keys, line.cells, hand, seat_of, sequence, fixed_reserve=fixed_reserve)
        except RecordError as problem:
            rows.rejects.append(_reject(problem, file, line.number, log_id=jang_name or None, hand_no=hand_no))
    rows.game["n_hands"] = len(rows.hands)
    return rows


def _add_hand(
    rows: GameRows,
    keys: Row,
    cells: dict[str, str],
    hand: _Hand,
    seat_of: dict[int, int],
    sequence: _Sequence,
    *,
    fixed_reserve: bool,
) -> None:
    dealer = hand.dealer_wind
    winner = hand.winner_wind
    opening = not rows.hands and not rows.rejects and hand.round_wind == 0 and dealer == 0
    streak = sequence.step(dealer=dealer, winner=winner, tags=hand.tags, opening=opening)
    by_pid = [_number(cells, f"delta_p{pid}") for pid in range(4)]
    totals = [_number(cells, f"total_p{pid}") for pid in range(4)]
    if len(seat_of) < 4:
        message = (
            "this jang names the winds of fewer than three players, so their seats are unknown; add its other rows"
        )
        raise RecordError("seats_unknown", message)
    deltas = check_payments(_by_seat(by_pid, seat_of), "the payments")
    after = _by_seat(totals, seat_of)
    wall_left = _number(cells, "remain_tiles") if cells["remain_tiles"] else None
    if wall_left is not None and not 0 <= wall_left <= _WALL_AFTER_DEAL:
        raise RecordError("bad_value", f"remain_tiles is {wall_left}; it should be from 0 to {_WALL_AFTER_DEAL}")
    wins: list[Row] = []
    if winner is not None:
        win = _win(cells, hand, seat_of, wall_left, fixed_reserve=fixed_reserve)
        win |= {**keys, "win_no": 0, "streak": streak, "recorded_payments": deltas}
        check_win(win)
        check_complete(win)
        wins.append(win)
    elif any(deltas):
        raise RecordError("bad_payments", "payments in a hand that nobody won; this format knows no penalties")
    base, unit = _number(cells, "base_points"), _number(cells, "tai_points")
    for name, value in (("base_points", base), ("tai_points", unit)):
        if not 0 <= value < 1 << 31:
            raise RecordError("bad_value", f"{name} is {value}; it should be 0 or more")
    rows.game |= {"base": base, "unit": unit, "final_scores": after}
    rows.wins.extend(wins)
    rows.hands.append(
        {
            **keys,
            "round_wind": hand.round_wind,
            "dealer": dealer,
            "door": 0,
            "streak": streak,
            "result": "win" if wins else "exhaustive_draw",
            "n_wins": len(wins),
            "deltas": deltas,
            "scores_before": [total - delta for total, delta in zip(after, deltas, strict=True)],
            "wall_left": wall_left,
            "dealer_kept": winner is None or winner == dealer,
        }
    )
    players = rows.game["players"]
    for seat, outcome in enumerate(seat_outcomes(wins)):
        row: Row = {
            **keys,
            "seat": seat,
            "player": players[seat],
            "seat_wind": (seat - dealer) % 4,
            "is_dealer": seat == dealer,
            "delta": deltas[seat],
            "outcome": outcome,
        }
        if wins and seat == winner:
            melds = [wins[0][f"m{i}"] for i in range(5)]
            row["exposed_melds"] = sum(code != 0 and not _is_concealed_kong(code) for code in melds)
            row["flowers"] = wins[0]["flowers"]
        rows.seats.append(row)


def _win(
    cells: dict[str, str], hand: _Hand, seat_of: dict[int, int], wall_left: int | None, *, fixed_reserve: bool
) -> Row:
    tags = hand.tags
    source = cells["win_source"].upper()
    if source not in ("RON", "TSUMO"):
        raise RecordError("bad_value", f"win_source is '{cells['win_source']}'; it should be RON or TSUMO")
    drawn = source == "TSUMO"
    flowers = flower_mask(kind - FIRST_FLOWER + 1 for kind in _tiles(cells["winner_flowers"]))
    # A flower win carries its own tag alone; an ordinary win with as many flowers may carry it beside others.
    alone = set(tags) - {"dealer"}
    if drawn and alone == {"ba_xian"}:
        kind = "eight_flowers"
    elif not drawn and alone == {"qi_qiang_yi"}:
        kind = "seven_robs_one"
    elif drawn:
        kind = "self_draw"
    else:
        kind = "rob_kong" if "qiang_gang" in tags else "discard"
    melds = [_meld(text) for text in cells["winner_melds"].split("|") if text.strip()]
    win_tile = _tiles(cells["win_tile"])
    if len(win_tile) != 1 or win_tile[0] >= N_KINDS:
        raise RecordError(
            "bad_win_tile", f"win_tile is '{cells['win_tile']}'; it should be one tile that is not a flower"
        )
    payer = None if drawn else seat_of[_pid(cells, "ron_from")]
    by_dealer = hand.winner == hand.dealer
    exposed = any(not _is_concealed_kong(code) for code in melds)
    last = "hai_di" in tags or "he_di" in tags or (wall_left is not None and wall_left <= _RESERVE)
    heavenly = by_dealer and drawn and "tian_hu" in tags
    # Before the first discard nothing but flowers and own kongs has been replaced, so a short wall rules heaven out.
    replaced_at_most = _N_FLOWERS + len(melds)
    dealt_only = by_dealer and drawn and not exposed
    dealt_only = dealt_only and (wall_left is None or _WALL_AFTER_DEAL - wall_left <= replaced_at_most)
    heaven_open = dealt_only and not heavenly
    return {
        **tile_columns(_tiles(cells["winner_hand"]), win_tile[0], melds),
        "flowers": flowers,
        "winner": hand.winner_wind,
        "payer": payer,
        "win_kind": WIN_KINDS.index(kind),
        "dealer": hand.dealer_wind,
        "door": 0,
        "round_wind": hand.round_wind,
        "replacement": _replacement(tags, melds, flowers) if drawn else 0,
        "last_tile": True if last else (False if fixed_reserve and wall_left is not None else None),
        "ready_open": False,
        "heavenly": None if heaven_open else heavenly and not melds,
        "heavenly_after_kong": None if heaven_open and melds else heavenly and bool(melds),
        "first_draw": None if drawn and not by_dealer else False,
        "first_draw_after_kong": None if drawn and not by_dealer and melds and not exposed else False,
        "before_first_draw": None if kind == "discard" and not by_dealer else False,
        "discarder_first_discard": None if kind == "discard" else False,
        "no_calls": False if exposed else None,
        "miji": False,
        "flower_mode": None if kind == "seven_robs_one" else 0,
        "initial_flowers": None if kind in ("eight_flowers", "seven_robs_one") else False,
        "declined_eight": flowers == 255 and kind not in ("eight_flowers", "seven_robs_one"),
        "eye_players": 0,
        # The log adds the dealer's own tai to the total; what a dealer pays on top is only in the payments.
        "recorded_tai": _number(cells, "winner_total_tai", digits=6) - tags.get("dealer", 0),
        "recorded_items": msgspec.json.encode(tags).decode(),
    }


def _replacement(tags: dict[str, int], melds: Iterable[int], flowers: int) -> int | None:
    """What the self-drawn tile replaced, where the tags and the winner's own kongs and flowers leave one answer."""
    if "gang_shang" not in tags:
        return None if flowers else 0
    kongs = {name for code in melds for base, name in _REPLACED.items() if base <= code < base + N_KINDS}
    return REPLACEMENTS.index(kongs.pop()) if len(kongs) == 1 else None


def _try_hand(cells: dict[str, str]) -> _Hand | RecordError:
    try:
        result = cells["result"].upper()
        if result not in ("WIN", "DRAW"):
            raise RecordError("bad_value", f"result is '{cells['result']}'; it should be WIN or DRAW")
        won = result == "WIN"
        return _Hand(
            round_wind=_wind(cells, "quan_feng"),
            dealer=_pid(cells, "dealer_pid"),
            dealer_wind=_wind(cells, "dealer_wind"),
            winner=_pid(cells, "winner") if won else None,
            winner_wind=_wind(cells, "winner_wind") if won else None,
            tags=_tags(cells["breakdown_tags"]),
        )
    except RecordError as problem:
        return problem


def _seats(hands: Iterable[_Hand | RecordError]) -> tuple[dict[int, int], set[int]]:
    """(seat of each pid, numbers of the hands that contradict it).

    Each row votes for the winds it names, so that one wrong row spoils no other. Three known seats give the fourth.
    """
    votes: Counter[tuple[int, int]] = Counter()
    named: dict[int, list[tuple[int, int]]] = {}
    for hand_no, hand in enumerate(hands):
        if isinstance(hand, RecordError):
            continue
        named[hand_no] = [(hand.dealer, hand.dealer_wind)]
        if hand.winner is not None and hand.winner_wind is not None:
            named[hand_no].append((hand.winner, hand.winner_wind))
        votes.update(named[hand_no])
    seat_of: dict[int, int] = {}
    for (pid, wind), _ in votes.most_common():
        if pid not in seat_of and wind not in seat_of.values():
            seat_of[pid] = wind
    conflicts = {hand_no for hand_no, pairs in named.items() if any(seat_of.get(pid) != wind for pid, wind in pairs)}
    if len(seat_of) == 3:
        (pid,) = set(range(4)) - set(seat_of)
        (wind,) = set(range(4)) - set(seat_of.values())
        seat_of[pid] = wind
    return seat_of, conflicts


def _by_seat(by_pid: list[int], seat_of: dict[int, int]) -> list[int]:
    ordered = [0] * 4
    for pid, seat in seat_of.items():
        ordered[seat] = by_pid[pid]
    return ordered


def _is_concealed_kong(code: int) -> bool:
    return KONG_CONCEALED <= code < KONG_CONCEALED + N_KINDS


def _split(raw: bytes | None) -> list[str]:
    if raw is None:
        raise RecordError(
            "line_too_long", f"the line is longer than {_LINE_LIMIT >> 20} MiB; a hand has about 200 characters"
        )
    try:
        return next(csv.reader([raw.decode("utf-8")], strict=True), [])
    except UnicodeDecodeError:
        raise RecordError("bad_encoding", "the line is not UTF-8 text; save the file as UTF-8") from None
    except csv.Error as problem:
        raise RecordError("bad_row", f"the line is not CSV ({problem}); correct it or export it again") from None


def _number(cells: dict[str, str], name: str, *, digits: int = 15) -> int:
    text = cells[name]
    if not text.removeprefix("-").isdecimal() or len(text) > digits:
        raise RecordError("bad_value", f"{name} is '{text[:30]}'; it should be a whole number")
    return int(text)


def _pid(cells: dict[str, str], name: str) -> int:
    pid = _number(cells, name)
    if not 0 <= pid <= 3:
        raise RecordError("bad_seat", f"{name} is {pid}; players are 0, 1, 2 and 3")
    return pid


def _wind(cells: dict[str, str], name: str) -> int:
    wind = WINDS.find(cells[name]) if len(cells[name]) == 1 else -1
    if wind < 0:
        raise RecordError("bad_value", f"{name} is '{cells[name][:30]}'; it should be E, S, W or N")
    return wind


def _tags(text: str) -> dict[str, int]:
    tags: dict[str, int] = {}
    for tag in filter(None, text.split("|")):
        name, equals, tai = tag.partition("=")
        if not name or not equals or not tai.removeprefix("-").isdecimal() or len(tai) > 6:
            raise RecordError("bad_value", f"'{tag[:30]}' in breakdown_tags is not a tag; it should be name=tai")
        tags[name] = int(tai)
    return tags


def _tiles(text: str) -> list[int]:
    kinds = []
    for name in text.split():
        kind = _TILES.get(name)
        if kind is None:
            raise RecordError("unknown_tile", f"'{name[:30]}' is not a tile; tiles are 1W-9W 1D-9D 1B-9B ESWNCFP F1-F8")
        kinds.append(kind)
    return kinds


def _meld(text: str) -> int:
    name, _, tiles_text = text.strip().partition(":")
    kinds = sorted(_tiles(tiles_text))
    if name == "CHI" and len(kinds) == 3 and kinds[0] < 27 and kinds[0] % 9 <= 6:
        low = kinds[0]
        if kinds == [low, low + 1, low + 2]:
            return chow_code(low)
    size = 3 if name == "PONG" else 4
    base = PUNG if name == "PONG" else _KONGS.get(name)
    if base is not None and len(kinds) == size and kinds[0] == kinds[-1] < N_KINDS:
        return base + kinds[0]
    raise RecordError("bad_meld", f"'{text.strip()[:40]}' is not a CHI, PONG, GANG, KAKAN or ANGANG of its tiles")


def _reject(
    problem: RecordError, file: str, position: int, *, log_id: str | None = None, hand_no: int | None = None
) -> Row:
    return {
        "file": file,
        "format": NAME,
        "log_id": log_id,
        "position": position,
        "hand_no": hand_no,
        "code": problem.code,
        "message": problem.message,
    }


FORMAT = Format(name=NAME, title="mahjong16 hand log (CSV)", family=FAMILY, sniff=sniff, read=read)
