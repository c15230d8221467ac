"""Checks of one hand record, shared by every reader that has no full play to replay.

What a record must satisfy whatever the preset: at most four copies of a kind, 16 tiles plus the winning tile, legal
melds, each flower once, seats 0..3, payments that sum to zero, and flags that do not contradict the kind of win
(SPEC section 1). Whether they are a complete hand is a check of its own, for logs: a scorer is asked about any tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.errors import RecordError
from ingest.hand_checks import is_complete
from ingest.melds import KONG_ADDED, KONG_CONCEALED, N_CODES, meld_tiles, pack_melds
from ingest.record import READY, WIN_KINDS, Row
from ingest.tiles import NAMES, count_kinds, counts_of_keys, decimal_keys

HAND_SIZE = 16
"""Tiles of a hand without the winning tile, a kong counted as three (SPEC section 2.1)."""

_DISCARD, _SELF_DRAW, _ROB_KONG, _EIGHT_FLOWERS, _SEVEN_ROBS_ONE = range(len(WIN_KINDS))
_PAID_BY_ONE = (_DISCARD, _ROB_KONG, _SEVEN_ROBS_ONE)
_FLOWER_WINS = (_EIGHT_FLOWERS, _SEVEN_ROBS_ONE)
HEAVENLY = ("heavenly", "heavenly_after_kong")
"""Flags of a win with the dealt tiles: none was claimed. Before the first draw a player may have claimed one."""
_FIRST_DRAW = ("first_draw", "first_draw_after_kong")
_INITIAL = READY.index("initial")


def check_seat(value: object, name: str) -> int:
    """The seat, if it is one of 0..3. Raises RecordError `bad_seat`."""
    if type(value) is not int or not 0 <= value <= 3:
        raise RecordError("bad_seat", f"{name} is {value!r}; seats are 0, 1, 2 and 3")
    return value


def flower_mask(numbers: Iterable[object]) -> int:
    """Bit mask of flower numbers 1..8, bit i = f(i+1). Raises RecordError `bad_flower` or `flower_twice`."""
    mask = 0
    for number in numbers:
        if type(number) is not int or not 1 <= number <= 8:
            raise RecordError("bad_flower", f"{number!r} is not a flower; flowers are the numbers 1 to 8")
        bit = 1 << (number - 1)
        if mask & bit:
            raise RecordError("flower_twice", f"the flower f{number} is listed twice; there is one of each")
        mask |= bit
    return mask


def check_payments(payments: Sequence[object], name: str) -> list[int]:
    """Four whole numbers by seat that sum to zero. Raises RecordError `bad_payments` or `payments_not_zero`."""
    if isinstance(payments, str) or not isinstance(payments, Sequence) or len(payments) != 4:
        raise RecordError("bad_payments", f"{name} are not four numbers; give one per seat")
    money: list[int] = []
    for payment in payments:
        if type(payment) is not int or abs(payment) >= 1 << 62:
            raise RecordError("bad_payments", f"{name} holds {payment!r}; payments are whole numbers")
        money.append(payment)
    if sum(money):
        raise RecordError("payments_not_zero", f"{name} {money} sum to {sum(money)}, not to zero")
    return money


def tile_columns(concealed: Sequence[int], win_tile: int, melds: Sequence[int], *, complete: bool = True) -> Row:
    """The columns km, kp, ks, kh, m0..m4 and win_tile of `wins`, checked.

    concealed: kinds of the concealed tiles WITHOUT the winning tile; melds: meld codes; complete: False for a flower
    win, which may come a tile short (before its replacement) or a tile over (a flower shown after a draw).
    Raises RecordError `tile_count`, `five_copies`, `bad_meld` or `unknown_tile`.
    """
    counts = count_kinds([*concealed, win_tile])
    _check_counts(counts, melds, complete=complete)
    km, kp, ks, kh = decimal_keys(counts)
    m0, m1, m2, m3, m4 = pack_melds(melds)
    return {
        "km": km, "kp": kp, "ks": ks, "kh": kh,
        "m0": m0, "m1": m1, "m2": m2, "m3": m3, "m4": m4,
        "win_tile": win_tile,
    }  # fmt: skip


def _check_counts(counts: Sequence[int], melds: Sequence[int], *, complete: bool) -> None:
    if len(melds) > 5:
        raise RecordError("bad_meld", f"{len(melds)} melds in one hand; at most five are possible")
    expected = HAND_SIZE + 1 - 3 * len(melds)
    found = sum(counts)
    if abs(found - expected) > (0 if complete else 1):
        raise RecordError(
            "tile_count",
            f"{found - 1} concealed tiles and the winning tile with {len(melds)} melds; "
            f"there should be {expected - 1} and the winning tile",
        )
    copies = list(counts)
    for code in melds:
        if not 1 <= code < N_CODES:
            raise RecordError("bad_meld", f"{code} is not a meld code; codes are 1 to {N_CODES - 1}")
        for kind in meld_tiles(code):
            copies[kind] += 1
    for kind, n in enumerate(copies):
        if n > 4:
            raise RecordError("five_copies", f"{n} copies of {NAMES[kind]} in one hand; a set has four")


def check_win(row: Row) -> None:
    """Check the seats, the kind of win and the flags of a `wins` row whose tiles come from tile_columns.

    Unknown facts (null or left out) contradict nothing. Raises RecordError `bad_seat`, `bad_payer`, `bad_value`,
    `flower_count` or `flag_conflict`.
    """
    winner = check_seat(row["winner"], "winner")
    dealer = check_seat(row["dealer"], "dealer")
    for name in ("door", "liable"):
        if row.get(name) is not None:
            check_seat(row[name], name)
    _check_range(row["streak"], "streak", 65_535)
    _check_range(row["round_wind"], "round_wind", 3)
    kind = row["win_kind"]
    _check_range(kind, "win_kind", len(WIN_KINDS) - 1)
    payer = row.get("payer")
    if kind in _PAID_BY_ONE:
        if payer is None:
            raise RecordError("bad_payer", f"a {_words(kind)} win needs the seat that pays; name it in `from`")
        if check_seat(payer, "from") == winner:
            raise RecordError("bad_payer", f"seat {winner} wins from itself; `from` names the player who pays")
    elif payer is not None:
        raise RecordError("bad_payer", f"all others pay a {_words(kind)} win; `from` should be null")
    if row.get("liable") == winner:
        raise RecordError("bad_payer", "the winner cannot be the liable seat; name the one that pays for others")
    _check_flags(row, kind, by_dealer=winner == dealer)


def _check_flags(row: Row, kind: int, *, by_dealer: bool) -> None:
    def conflict(flag: str, why: str) -> RecordError:
        return RecordError("flag_conflict", f"the flag {flag} contradicts the record: {why}")

    flowers = row["flowers"]
    _check_range(flowers, "flowers", 255)
    held = flowers.bit_count()
    if kind == _EIGHT_FLOWERS and held != 8:
        raise RecordError("flower_count", f"an eight flowers win with {held} flowers; there should be 8")
    if kind == _SEVEN_ROBS_ONE and held < 7:
        raise RecordError(
            "flower_count", f"a seven robs one win with {held} flowers; there should be 7, or 8 with the robbed one"
        )
    if kind != _SEVEN_ROBS_ONE and (row.get("flower_mode") or row.get("robbed_flower")):
        raise conflict("mode", "it belongs to a seven_robs_one win")
    if row.get("declined_eight") and (held != 8 or kind in (_EIGHT_FLOWERS, _SEVEN_ROBS_ONE)):
        raise conflict("declined_eight", "it needs an ordinary win with eight flowers")
    if row.get("replacement") and kind in (_DISCARD, _ROB_KONG):
        raise conflict("replacement", f"nothing is drawn for a {_words(kind)} win")
    for flag in HEAVENLY:
        if row.get(flag) and not (by_dealer and kind not in (_DISCARD, _ROB_KONG)):
            raise conflict(flag, "only the dealer wins with the dealt tiles")
    if row.get("before_first_draw") and kind != _DISCARD:
        raise conflict("before_first_draw", "it needs a win on a discard")
    if row.get("discarder_first_discard") and kind != _DISCARD:
        raise conflict("discarder_first_discard", "it needs a win on a discard")
    for flag in _FIRST_DRAW:
        if row.get(flag) and kind in (_DISCARD, _ROB_KONG):
            raise conflict(flag, "it needs a self-drawn win")
        if row.get(flag) and any(row.get(name) for name in HEAVENLY):
            raise conflict(flag, "the dealer won with the dealt tiles")
    if row.get("ready_open") and row.get("ready") == 0:
        raise conflict("ready_open", "ready was not declared")
    # A concealed kong is no claim; anything else in the winner's own melds is.
    melds = (row["m0"], row["m1"], row["m2"], row["m3"], row["m4"])
    if any(code and not KONG_CONCEALED <= code < KONG_ADDED for code in melds):
        for flag in ("no_calls", *HEAVENLY):
            if row.get(flag):
                raise conflict(flag, "the winner has claimed a tile")
        if row.get("ready") == _INITIAL:
            raise conflict("ready", "who was ready with the dealt tiles claims none")


def check_complete(row: Row) -> None:
    """An ordinary win has five sets and a pair, or eight pairs and a half (SPEC 2.1); a flower win may have anything.

    row: of `wins`, tiles from tile_columns. Raises RecordError `not_complete`.
    """
    if row["win_kind"] in _FLOWER_WINS:
        return
    counts = counts_of_keys(row["km"], row["kp"], row["ks"], row["kh"])
    if not is_complete(counts, sum(row[f"m{i}"] != 0 for i in range(5))):
        raise RecordError(
            "not_complete",
            "the tiles are no complete hand, neither five sets and a pair nor eight pairs and a half; "
            "correct the wrong tile",
        )


def _check_range(value: object, name: str, most: int) -> None:
    if type(value) is not int or not 0 <= value <= most:
        raise RecordError("bad_value", f"{name} is {value!r}; it should be a whole number from 0 to {most}")


def _words(kind: int) -> str:
    return WIN_KINDS[kind].replace("_", " ")
