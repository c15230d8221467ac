"""What Tenhou's own formats share: tile ids, melds, yaku ids, the rules of a table, and the record of a win.

Tile ids are 0..135, kind = id // 4 with the dragons in the order white, green, red; the ids 16, 52 and 88 are red fives
where the table has red fives. Packed tiles are those of ingest/riichi_replay.py. Relative seats of client logs are
turned into ours by `rotation`: ours = (theirs - rotation) mod 4, also where three play.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Final, NoReturn
from urllib.parse import unquote

import msgspec

from ingest.errors import RecordError
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code, pack_melds
from ingest.record import DORA, URA, Row
from ingest.riichi_replay import RED, RED_WEIGHT, name
from ingest.riichi_shapes import is_complete, keys_of
from ingest.tiles import N_KINDS

PLATFORM: Final = "tenhou"
LOG_ID: Final = re.compile(r"\d{10}gm-[0-9a-fA-F]{4}-[0-9A-Za-z]+-[0-9a-zA-Z]+")
"""An id such as 2018010100gm-00a9-0000-1234abcd: date and hour, GO type, lobby, hash."""

YAKU: Final = (
    "menzen_tsumo", "riichi", "ippatsu", "chankan", "rinshan", "haitei", "houtei", "pinfu", "tanyao", "iipeikou",
    "seat_wind", "seat_wind", "seat_wind", "seat_wind", "round_wind", "round_wind", "round_wind", "round_wind",
    "haku", "hatsu", "chun", "double_riichi", "chiitoitsu", "chanta", "ittsuu", "sanshoku_doujun", "sanshoku_doukou",
    "sankantsu", "toitoi", "sanankou", "shousangen", "honroutou", "ryanpeikou", "junchan", "honitsu", "chinitsu",
    "renhou", "tenhou", "chiihou", "daisangen", "suuankou", "suuankou_tanki", "tsuuiisou", "ryuuiisou", "chinroutou",
    "chuuren_poutou", "junsei_chuuren_poutou", "kokushi_musou", "kokushi_13", "daisuushii", "shousuushii", "suukantsu",
    "dora", "ura_dora", "aka_dora",
)  # fmt: skip
"""Our pattern id by Tenhou's yaku id."""

ABORTS: Final = {
    "yao9": "kyuushu",
    "kaze4": "suufon",
    "reach4": "suucha",
    "kan4": "suukaikan",
    "ron3": "sanchahou",
}
"""`type` of RYUUKYOKU; none is an exhaustive draw, `nm` one with nagashi mangan."""

NO_REDS: Final = 0x02
NO_OPEN_TANYAO: Final = 0x04
HANCHAN: Final = 0x08
SANMA: Final = 0x10
_TOKUJOU, _FAST, _JOUKYUU = 0x20, 0x40, 0x80
_ROOMS: Final = {0: "般", _JOUKYUU: "上", _TOKUJOU: "特", _TOKUJOU | _JOUKYUU: "鳳"}

_CHANKAN, _RINSHAN, _HAITEI, _HOUTEI = 3, 4, 5, 6
_RIICHI, _IPPATSU, _DOUBLE_RIICHI = 1, 2, 21
_TENHOU, _CHIIHOU, _DAISANGEN, _DAISUUSHII = 37, 38, 39, 49
_URA: Final = 53
_NORTH: Final = 30
_LIMIT: Final = 10**9
_SMALL_LIMIT: Final = 1000
_OF_A_DISCARD: Final = (
    "before_first_draw",
    "discarder_first_discard",
    "payer_in_riichi",
    "declaration_tile",
    "discard_after_kong",
)
"""Columns of `wins` about the discard that was won."""
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_WHOLE_NUMBERS: Final = msgspec.json.Decoder(list[Annotated[int, msgspec.Meta(gt=-_LIMIT, lt=_LIMIT)]])


def _kinds() -> list[int]:
    dragons = {31: 33, 32: 32, 33: 31}  # white, green, red
    return [dragons.get(tile // 4, tile // 4) for tile in range(136)]


KINDS: Final = tuple(_kinds())
"""Kind by tile id."""

TILES_WITH_REDS: Final = tuple(kind | RED if tile in (16, 52, 88) else kind for tile, kind in enumerate(KINDS))
"""Packed tile by tile id, for tables with red fives; KINDS serves for those without."""


def attributes(text: str) -> dict[str, str]:
    """Attributes of a tag."""
    return dict(_ATTRIBUTE.findall(text))


def numbers(text: str) -> list[int]:
    """A comma list of whole numbers. Raises RecordError `bad_number`."""
    if not text:
        return []
    try:
        if found := _WHOLE_NUMBERS.decode(f"[{text}]"):
            return found
    except msgspec.DecodeError:
        pass
    try:  # what JSON does not know, such as leading zeros
        found = list(map(int, text.split(",")))
    except ValueError:
        raise RecordError("bad_number", f"'{text[:60]}' should be whole numbers between commas") from None
    if not -_LIMIT < min(found) <= max(found) < _LIMIT:
        raise RecordError("bad_number", f"'{text[:60]}' holds a number that no log has")
    return found


_ID_OF_TEXT: Final = {str(tile): tile for tile in range(136)}


def tile_ids(text: str) -> list[int]:
    """A comma list of tile ids. Raises RecordError `unknown_tile`."""
    single = _ID_OF_TEXT.get(text)
    if single is not None:
        return [single]
    try:
        return list(map(_ID_OF_TEXT.__getitem__, text.split(","))) if text else []
    except KeyError as problem:
        raise RecordError("unknown_tile", f"{problem} is not a tile; Tenhou's tiles are 0 to 135") from None


class Meld(msgspec.Struct, frozen=True):
    """A decoded meld field. what: chi, pon, open_kong, closed_kong, added_kong or kita.

    feeder: seats from the caller to the player who fed it, 0 for none. called: packed tile that was claimed, added or
    set aside; own: the packed tiles that came from the hand with it (for an added kong the pon). code: as in
    ingest/melds.py, 0 for a kita. ids: all its tile ids.
    """

    what: str
    feeder: int
    called: int
    own: tuple[int, ...]
    code: int
    ids: tuple[int, ...]

    @property
    def tiles(self) -> tuple[int, ...]:
        return (self.called, *self.own)


@cache
def meld(field: int, reds: bool = True) -> Meld:
    """The meld of a 16-bit field (FORMATS 1.1). Raises RecordError `bad_meld`."""
    packed = TILES_WITH_REDS if reds else KINDS

    def made(what: str, called: int, own: Sequence[int], code: int) -> Meld:
        ids = (called, *own)
        if max(ids) > 135:
            raise RecordError("bad_meld", f"the meld {field} has tiles beyond 135")
        return Meld(what, field & 3, packed[called], tuple(packed[tile] for tile in own), code, ids)

    if not 0 <= field < 1 << 16:
        raise RecordError("bad_meld", f"{field} is not a meld; a meld has 16 bits")
    if field & 4:
        base, position = divmod(field >> 10, 3)
        if base >= 21:
            raise RecordError("bad_meld", f"the meld {field} is a run that does not exist")
        low = base // 7 * 9 + base % 7
        tiles = [4 * (low + i) + (field >> (3 + 2 * i) & 3) for i in range(3)]
        return made("chi", tiles.pop(position), tiles, chow_code(low))
    if field & 0x18:
        kind, position = divmod(field >> 9, 3)
        if kind >= N_KINDS:
            raise RecordError("bad_meld", f"the meld {field} is of a tile that does not exist")
        fourth = 4 * kind + (field >> 5 & 3)
        tiles = [tile for tile in range(4 * kind, 4 * kind + 4) if tile != fourth]
        if field & 8:
            return made("pon", tiles.pop(position), tiles, PUNG + KINDS[4 * kind])
        return made("added_kong", fourth, tiles, KONG_ADDED + KINDS[4 * kind])
    called = field >> 8
    kind = called // 4
    if kind >= N_KINDS:
        raise RecordError("bad_meld", f"the meld {field} is of a tile that does not exist")
    if field & 0x20:
        if KINDS[called] != _NORTH:
            raise RecordError("bad_meld", f"{name(KINDS[called])} is set aside; only a north can be")
        return made("kita", called, (), 0)
    others = [tile for tile in range(4 * kind, 4 * kind + 4) if tile != called]
    if field & 3:
        return made("open_kong", called, others, KONG_OPEN + KINDS[called])
    return made("closed_kong", called, others, KONG_CONCEALED + KINDS[called])


def money(text: str, *, rotation: int = 0) -> tuple[list[int], list[int]]:
    """Scores and changes by our seat from `sc`, score and change by turns in hundreds; chips after them are left out.

    Raises RecordError `bad_scores`.
    """
    values = numbers(text)
    if len(values) < 8:
        raise RecordError("bad_scores", f"sc='{text[:60]}' should hold a score and a change for each of four seats")
    points = [100 * value for value in values[:8]]
    if rotation:
        points = points[2 * rotation :] + points[: 2 * rotation]
    return points[::2], points[1::2]


def scores_of(text: str, *, rotation: int = 0) -> list[int]:
    """Scores by our seat from `ten` of INIT, in hundreds; three numbers are a table of three. Raises RecordError."""
    values = numbers(text)
    if len(values) not in (3, 4):
        raise RecordError("bad_scores", f"ten='{text[:60]}' should hold a score for each seat")
    values += [0] * (4 - len(values))
    return [100 * values[(seat + rotation) % 4] for seat in range(4)]


class Result(msgspec.Struct, frozen=True):
    """Final scores and points by seat from `owari`; points of a missing seat are None."""

    scores: list[int]
    points: list[float | None]


def final_result(text: str, *, players: int, rotation: int = 0) -> Result | None:
    """`owari`: score in hundreds and points by turns; chips after them are left out. None when it is not that."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        return None
    if not all(abs(value) < _LIMIT for value in values):  # false for what is no number
        return None
    if len(values) < 2 * players:
        return None
    values += [0.0] * (8 - len(values))
    seats = [(seat + rotation) % 4 for seat in range(4)]
    return Result(
        [round(100 * values[2 * seat]) for seat in seats],
        [values[2 * seat + 1] if ours < players else None for ours, seat in enumerate(seats)],
    )


def recorded(agari: Mapping[str, str]) -> Row:
    """The recorded columns of a win but the payments. Raises RecordError for values that are none."""
    items: dict[str, int] = {}
    limits = numbers(agari.get("yakuman", ""))
    listed = numbers(agari.get("yaku", ""))
    pairs = [(yaku, 13) for yaku in limits] or list(zip(listed[::2], listed[1::2], strict=False))
    for yaku, han in pairs:
        if not 0 <= yaku < len(YAKU):
            raise RecordError("unknown_yaku", f"{yaku} is not one of Tenhou's yaku")
        if not 0 <= han < _SMALL_LIMIT:
            raise RecordError("bad_number", f"{han} is not a number of han")
        if yaku != _URA or han:
            items[YAKU[yaku]] = items.get(YAKU[yaku], 0) + han
    # Tenhou lists norths set aside among the dora.
    if melds := agari.get("m"):
        norths = sum(meld(field, False).what == "kita" for field in numbers(melds))
        if 0 < norths <= items.get("dora", 0):
            items["kita_dora"] = norths
            items["dora"] -= norths
            if not items["dora"]:
                del items["dora"]
    ten = numbers(agari.get("ten", ""))
    if ten and not 0 <= ten[0] < _SMALL_LIMIT:
        raise RecordError("bad_number", f"{ten[0]} is not a number of fu")
    return {
        "recorded_tai": sum(items.values()) if pairs else None,
        "recorded_items": msgspec.json.encode(items).decode() if pairs else None,
        "recorded_fu": ten[0] if ten and not limits else None,
        "recorded_points": ten[1] if len(ten) > 1 else None,
    }


def agari_row(
    agari: Mapping[str, str],
    *,
    players: int,
    dealer: int,
    round_wind: int,
    reds: bool | None = True,
    rotation: int = 0,
) -> Row:
    """The row of `wins` (without game_id, hand_no, win_no and n_winners) of an AGARI without its play.

    agari: the attributes of the tag. dealer: our seat. reds: the table has red fives (GO), None where not known.
    Circumstances are what the recorded yaku imply. Next to a yakuman Tenhou lists no ordinary yaku, so there they are
    null, and so is whatever no yaku tells. A win without tenhou, chiihou or rinshan in its list counts as none of
    these, also where the tile was drawn first but after a call. Raises RecordError.
    """
    row = recorded(agari)
    if "sc" in agari:
        row["recorded_payments"] = money(agari["sc"], rotation=rotation)[1]
    try:
        who, source, won_id = int(agari["who"]), int(agari["fromWho"]), int(agari["machi"])
        ids = tile_ids(agari["hai"])
    except (KeyError, ValueError) as problem:
        raise RecordError("bad_win", f"the win lacks an attribute or it is no number ({problem})") from None
    winner, payer = (who - rotation) % 4, (source - rotation) % 4
    if not (0 <= who <= 3 and 0 <= source <= 3) or max(winner, payer, dealer) >= players:
        raise RecordError("bad_seat", f"who={who} fromWho={source} at a table of {players}")
    if won_id not in ids:
        raise RecordError("win_tile", f"the winning tile {won_id} is not among the winner's tiles")
    self_draw = winner == payer
    packed = TILES_WITH_REDS if reds else KINDS
    fields = [meld(field, bool(reds)) for field in numbers(agari.get("m", ""))]
    fields.reverse()  # the newest comes first
    melds = [found for found in fields if found.what != "kita"]
    codes = [found.code for found in melds]
    norths = len(fields) - len(melds)
    _check_tiles(ids, fields, codes)
    won = KINDS[won_id]
    keys = km, kp, ks, kh = keys_of(KINDS[tile] for tile in ids)
    if not is_complete(keys, codes):
        raise RecordError("not_complete", f"seat {winner} wins on {name(won)} with a hand that it does not finish")
    m0, m1, m2, m3, m4 = pack_melds(codes)
    tiles = [packed[tile] for tile in ids] + [tile for found in melds for tile in found.tiles]
    sticks = numbers(agari.get("ba", ""))
    if sticks and not 0 <= min(sticks) <= max(sticks) < _SMALL_LIMIT:
        raise RecordError("bad_number", f"ba='{agari['ba'][:20]}' are no numbers of honba and deposits")
    row |= {
        "km": km, "kp": kp, "ks": ks, "kh": kh, "m0": m0, "m1": m1, "m2": m2, "m3": m3, "m4": m4,
        "win_tile": won,
        "flowers": 0,
        "winner": winner,
        "payer": None if self_draw else payer,
        "win_kind": 1 if self_draw else 0,
        "dealer": dealer,
        "round_wind": round_wind,
        "streak": sticks[0] if sticks else 0,
        "sticks": sticks[1] if len(sticks) > 1 else None,
        "n_players": players,
        "reds": None if reds is None else sum(RED_WEIGHT.get(tile, 0) for tile in tiles),
        "norths": norths,
    }  # fmt: skip
    row |= dict(zip(DORA, (KINDS[tile] for tile in tile_ids(agari.get("doraHai", ""))), strict=False))
    row |= dict(zip(URA, (KINDS[tile] for tile in tile_ids(agari.get("doraHaiUra", ""))), strict=False))
    row |= _circumstances(agari, melds, norths, winner=winner, self_draw=self_draw, by_dealer=winner == dealer)
    if "paoWho" in agari:
        if agari["paoWho"] not in ("0", "1", "2", "3"):
            raise RecordError("bad_seat", f"paoWho='{agari['paoWho'][:20]}' is not a seat")
        liable = (int(agari["paoWho"]) - rotation) % 4
        limits = numbers(agari.get("yakuman", ""))
        if _DAISANGEN in limits:
            row["liable_dragons"] = liable
        elif _DAISUUSHII in limits:
            row["liable_winds"] = liable
    return row


def _check_tiles(ids: Sequence[int], fields: Sequence[Meld], codes: Sequence[int]) -> None:
    if len(ids) + 3 * len(codes) != 14:
        raise RecordError(
            "tile_count", f"{len(ids)} concealed tiles with {len(codes)} melds; there should be 14 in all"
        )
    every = [*ids, *(tile for found in fields for tile in found.ids)]
    if len(set(every)) != len(every):
        raise RecordError("tile_twice", "a tile is in the hand twice")


def _circumstances(
    agari: Mapping[str, str], melds: Sequence[Meld], norths: int, *, winner: int, self_draw: bool, by_dealer: bool
) -> Row:
    limits = numbers(agari.get("yakuman", ""))
    yaku = set(numbers(agari.get("yaku", ""))[::2])
    told = not limits  # the list holds the ordinary yaku
    closed = all(found.what == "closed_kong" for found in melds)
    kongs = [found for found in melds if found.what.endswith("kong")]
    row: Row = {
        "heavenly": self_draw and by_dealer and _TENHOU in limits,
        "first_draw": self_draw and not by_dealer and _CHIIHOU in limits,
        "no_calls": False if melds or norths else True if {_TENHOU, _CHIIHOU} & set(limits) else None,
        "replacement": 0,
    }
    if self_draw:
        row |= dict.fromkeys(_OF_A_DISCARD, False)
    if told:
        row["riichi"] = 2 if _DOUBLE_RIICHI in yaku else 1 if _RIICHI in yaku else 0
        row["ippatsu"] = _IPPATSU in yaku
        row["last_tile"] = bool(yaku & {_HAITEI, _HOUTEI})
        if _CHANKAN in yaku:
            row["win_kind"] = 2
            row["robbed"] = 0
        if _RINSHAN in yaku:
            row["last_tile"] = None  # haitei is not listed next to rinshan
            if not kongs:
                row["replacement"] = 5
            else:
                what = kongs[-1].what
                row["replacement"] = ("added_kong", "closed_kong", "open_kong").index(what) + 2
                if what == "open_kong":
                    row["kong_feeder"] = (winner + kongs[-1].feeder) % 4
    else:
        row["last_tile"] = None
        if not closed or "doraHaiUra" not in agari:
            row["riichi"] = 0
            row["ippatsu"] = False
        if self_draw and (kongs or norths):
            row["replacement"] = None
    return row


class Table(msgspec.Struct, frozen=True):
    """The rules of a table as GO tells them. reds None: not known."""

    players: int
    reds: bool | None
    declared: str | None
    options: dict[str, Any]
    room: str | None
    lobby: str | None


def table(go: Mapping[str, str] | None, *, players: int | None = None, start: Sequence[int] | None = None) -> Table:
    """The table of a GO tag (None: the log has none). players: how many sit there, where GO is missing.

    start: scores before the first hand, where the log begins with it. Raises RecordError `bad_go`.
    """
    if go is None or "type" not in go:
        return Table(players or 4, None, None, {"paipu": {}}, None, None)
    try:
        kind = int(go["type"])
    except ValueError:
        raise RecordError("bad_go", f"the type '{go['type'][:20]}' of the table is no number") from None
    three = bool(kind & SANMA)
    changed: dict[str, Any] = {}
    if kind & NO_OPEN_TANYAO:
        changed["open_tanyao"] = False
    if kind & NO_REDS:
        changed["red_fives"] = {"m": 0, "p": 0, "s": 0}
    if not kind & HANCHAN:
        changed["length"] = "tonpuu"
    points = 35000 if three else 25000
    if start and len(set(start[: 3 if three else 4])) == 1 and start[0] != points:
        changed["start_points"] = start[0]
    lobby = go.get("lobby")
    own = {key: unquote(value) for key, value in go.items() if key not in ("type", "lobby", "gpid")}
    return Table(
        players=3 if three else 4,
        reds=not kind & NO_REDS,
        declared="tenhou_3p" if three else "tenhou_4p",
        options={"paipu": changed, "type": kind, **({} if lobby is None else {"lobby": lobby}), **own},
        room=_room(kind),
        lobby=lobby if lobby and lobby.strip("0") else None,
    )


def _room(kind: int) -> str:
    """As Tenhou writes it in its lists: 四鳳南喰赤－."""
    return "".join(
        (
            "三" if kind & SANMA else "四",
            _ROOMS[kind & (_TOKUJOU | _JOUKYUU)],
            "南" if kind & HANCHAN else "東",
            "" if kind & NO_OPEN_TANYAO else "喰",
            "" if kind & NO_REDS else "赤",
            "速" if kind & _FAST else "－",
        )
    )


def players_of(names: Sequence[str | None]) -> list[str | None]:
    """`games.players` of %-encoded names by our seat. Nobody's name is no player, and so is one name in two seats."""
    known = [unquote(text) if text else "" for text in names]
    return [
        None if found in ("", "NoName") or known.count(found) > 1 else f"{PLATFORM}:{found}"
        for found in (*known, *[""] * (4 - len(known)))
    ]


def started_at(log_id: str | None) -> datetime | None:
    """The hour in a log id, Japanese time."""
    try:
        return None if log_id is None else datetime.strptime(log_id[:10], "%Y%m%d%H")
    except ValueError:
        return None


def bad_tag(tag: str, problem: Exception) -> NoReturn:
    """For a tag whose attributes are missing or no numbers."""
    raise RecordError("bad_tag", f"<{tag}> lacks an attribute or one is not as it should be ({problem})") from None
