"""A riichi win as a record of its own: hand, melds, circumstances, in the words of RIICHI section 5."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from ingest.errors import RecordError
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code, meld_name, meld_tiles, pack_melds
from ingest.record import DORA, REPLACEMENTS, ROBBED, URA, WIN_KINDS, Row
from ingest.tiles import NAMES, count_kinds, decimal_keys, parse_tile, parse_tiles

_MELDS: Final = {"pon": PUNG, "daiminkan": KONG_OPEN, "kakan": KONG_ADDED, "ankan": KONG_CONCEALED}
_NUMBERS: Final = {"riichi": 2, "kita": 4}
"""Flags that are numbers, and the largest."""
FLAGS: Final = (
    "riichi",
    "ippatsu",
    "rinshan",
    "chankan",
    "haitei",
    "houtei",
    "tenhou",
    "chiihou",
    "renhou",
    "dora",
    "ura",
    "kita",
)


def parse_riichi_record(obj: dict[str, Any]) -> Row:
    """Columns of `wins` from {hand, win_tile, melds, win: ron|tsumo, round, seat, flags, players}.

    The seat is a wind; the dealer sits in seat 0. flags: riichi 0-2, ippatsu, rinshan, chankan, haitei, houtei, tenhou,
    chiihou, renhou, dora and ura (indicators as tiles), kita. A five written 0 is red. Raises RecordError.
    """
    flags = obj.get("flags", {})
    for name, value in flags.items():
        if name not in FLAGS:
            raise RecordError("unknown_key", f"unknown flag '{name}'; flags are {', '.join(FLAGS)}")
        _check_flag(name, value)
    drawn = {"ron": False, "tsumo": True}.get(obj["win"])
    if drawn is None:
        raise RecordError("bad_value", f"'{obj['win']}' is not a way to win; use ron or tsumo")
    _check_together(flags, obj.get("melds", ()), drawn=drawn, dealer=obj["seat"] == "E")
    win_tile = parse_tile(obj["win_tile"])
    texts = [obj["hand"], obj["win_tile"]]
    codes = []
    for meld in obj.get("melds", ()):
        name, _, tiles_text = meld.partition(":")
        tiles = sorted(parse_tiles(tiles_text))
        texts.append(tiles_text)
        codes.append(_meld_code(meld, name, tiles))
    concealed = [*parse_tiles(obj["hand"]), win_tile]
    if len(concealed) + 3 * len(codes) != 14:
        raise RecordError(
            "tile_count",
            f"{len(concealed) - 1} concealed tiles and the winning tile with melds: {len(codes)}; "
            "there should be 13 and the winning tile, three fewer for each meld",
        )
    copies = Counter([*concealed, *(tile for code in codes for tile in meld_tiles(code))])
    for tile, number in copies.items():
        if number > 4:
            raise RecordError("five_copies", f"{number} tiles {NAMES[tile]}; a set has four")
    km, kp, ks, kh = decimal_keys(count_kinds(concealed))
    seat = "ESWN".index(obj["seat"])
    players = obj.get("players", 4)
    kind = "rob_kong" if flags.get("chankan") else "self_draw" if drawn else "discard"
    kongs = [code for code in codes if code >= KONG_OPEN]
    replacement = "none"
    if flags.get("rinshan"):
        replacement = meld_name(kongs[-1]) if kongs else "kong_concealed"
    dora, ura = parse_tiles(flags.get("dora", "")), parse_tiles(flags.get("ura", ""))
    row: Row = {
        "km": km,
        "kp": kp,
        "ks": ks,
        "kh": kh,
        **{f"m{i}": code for i, code in enumerate(pack_melds(codes))},
        "win_tile": win_tile,
        "flowers": 0,
        "winner": seat,
        "payer": None if drawn else (seat + 1) % players,
        "win_kind": WIN_KINDS.index(kind),
        "robbed": ROBBED.index("kong_added") if kind == "rob_kong" else None,
        "dealer": 0,
        "streak": 0,
        "round_wind": "ESWN".index(obj["round"]),
        "replacement": REPLACEMENTS.index(replacement),
        "last_tile": bool(flags.get("haitei") or flags.get("houtei")),
        "riichi": int(flags.get("riichi", 0)),
        "ippatsu": bool(flags.get("ippatsu")),
        "ready_open": False,
        "heavenly": bool(flags.get("tenhou")),
        "first_draw": bool(flags.get("chiihou")),
        "before_first_draw": bool(flags.get("renhou")),
        "no_calls": bool(flags.get("chiihou") or flags.get("renhou") or flags.get("tenhou")),
        "n_players": players,
        "n_winners": 1,
        "reds": _reds(texts),
        "norths": int(flags.get("kita", 0)),
        "sticks": 0,
        "own_stick": False,
        "winners_sticks": 0,
        "dealer_wins": 1 if seat == 0 else 0,  # no honba: the dealer has not won before
    }
    if row["riichi"] and not ura:
        ura = [_idle_indicator(parse_tiles("".join(texts)))]
    row |= dict(zip(DORA, dora, strict=False)) | dict(zip(URA, ura, strict=False))
    return row


def _check_flag(name: str, value: Any) -> None:
    if name in ("dora", "ura"):
        good = isinstance(value, str) and 0 < len(parse_tiles(value)) <= len(DORA)
        use = f"one to {len(DORA)} indicators as tiles, as 4m5s"
    elif name in _NUMBERS:
        good, use = type(value) in (int, bool) and 0 <= value <= _NUMBERS[name], f"a number up to {_NUMBERS[name]}"
    else:
        good, use = value in (0, 1) and type(value) in (int, bool), "true or false"
    if not good:
        raise RecordError("bad_value", f"flag {name} is {str(value)[:20]!r}; it should be {use}")


def _check_together(flags: dict[str, Any], melds: Sequence[str], *, drawn: bool, dealer: bool) -> None:
    closed, first = all(meld.startswith("ankan:") for meld in melds), not melds
    for name, possible, needs in (
        ("riichi", closed, "a concealed hand"),
        ("ippatsu", bool(flags.get("riichi")), "riichi"),
        ("rinshan", drawn, "a self-draw"),
        ("chankan", not drawn, "the tile of another player"),
        ("haitei", drawn, "a self-draw"),
        ("houtei", not drawn, "a discard"),
        ("tenhou", drawn and dealer and first, "a self-draw of the dealer without melds"),
        ("chiihou", drawn and not dealer and first, "a self-draw of another than the dealer without melds"),
        ("renhou", not drawn and not dealer and first, "a discard, won by another than the dealer without melds"),
    ):
        if flags.get(name) and not possible:
            raise RecordError("flag_conflict", f"flag {name} needs {needs}; leave it out")


def _meld_code(meld: str, name: str, tiles: list[int]) -> int:
    if name == "chi":
        if len(tiles) == 3 and tiles[0] < 27 and tiles[0] % 9 < 7 and tiles == list(range(tiles[0], tiles[0] + 3)):
            return chow_code(tiles[0])
        raise RecordError("bad_meld", f"'{meld}' is no chi; it should be three neighbours of one suit")
    if name not in _MELDS:
        raise RecordError("bad_meld", f"'{meld}' has no meld type; use chi:, pon:, daiminkan:, kakan: or ankan:")
    number = 3 if name == "pon" else 4
    if len(tiles) != number or len(set(tiles)) != 1:
        raise RecordError("bad_meld", f"'{meld}' is no {name}; it should be {number} equal tiles")
    return _MELDS[name] + tiles[0]


def _idle_indicator(tiles: list[int]) -> int:
    """An indicator of bamboos that shows a tile the hand does not hold: left out means that no ura counts."""
    return next((kind for kind in range(18, 26) if kind + 1 not in tiles), 26)


def _reds(texts: list[str]) -> int:
    """Zeros by suit, packed as wins.reds."""
    reds = 0
    for text in texts:
        digits = 0
        for ch in text:
            if ch == "0":
                digits += 1
            elif ch in "mps":
                reds += digits << (2 * "mps".index(ch))
                digits = 0
    return reds
