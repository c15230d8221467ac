"""What a tenhou.net/6 log says about its platform, its rules and its day: by its id, its room and its title."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any, Final

import msgspec

NAME: Final = "tenhou_json"
"""The format, and the platform of a log that does not tell where it was played."""

_TENHOU_ID = re.compile(r"\d{10}gm-([0-9a-f]{4})-[0-9a-z]{4,6}-[0-9a-z]{8}", re.I)
_SOUL_ID = re.compile(r"(\d{6}|[a-z]{6})-[0-9a-z]{8}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{12}", re.I)
_TENHOU_ROOM = re.compile(r"[四三]?[般上特鳳若銀琥孔技]")
_SOUL_ROOM = re.compile(
    r"[銅铜銀银金玉王][の之]?(?:間|间|座)|王座|(?:bronze|silver|gold|jade|throne)\s+room|throne", re.I
)
_M_LEAGUE = re.compile(r"M[.．・\s-]?(?:リーグ|LEAGUE)", re.I)
_FRIENDLY = re.compile(r"友人|大会|friend|tournament|tounament", re.I)


class Rules(msgspec.Struct):
    """What the head of a log says about its rules. paipu: our options that differ from the declared preset."""

    platform: str
    declared: str | None
    paipu: dict[str, Any]
    reds: bool | None


def read_rules(record: dict[str, Any], log_id: str | None, players: int, first_scores: list[int] | None) -> Rules:
    rule = record.get("rule")
    rule = rule if isinstance(rule, dict) else {}
    disp = rule.get("disp")
    disp = disp if isinstance(disp, str) else ""
    title = record.get("title")
    titles = [text for text in title if isinstance(text, str)] if isinstance(title, list) else []
    words = " ".join((disp, *titles))
    tenhou_id = _TENHOU_ID.match(log_id or "")
    declared: str | None = None
    paipu: dict[str, Any] = {}
    if _M_LEAGUE.search(words):
        platform, declared = "m_league", "m_league" if players == 4 else None
    elif (
        (log_id and _SOUL_ID.match(log_id))
        or "playerMapping" in record
        or re.search(r"雀魂|mahjong\s*soul|majsoul", words, re.I)
        or (_SOUL_ROOM.search(words) and not tenhou_id)
    ):
        platform = "mahjong_soul"
        if not _FRIENDLY.search(words) and _SOUL_ROOM.search(words):
            declared = f"mahjong_soul_{players}p"
    elif tenhou_id or _TENHOU_ROOM.match(disp):
        platform, declared = "tenhou", f"tenhou_{players}p"
    else:
        platform = "tenhou" if not disp else NAME
    bits = int(tenhou_id.group(1), 16) if tenhou_id else None
    reds = _red_fives(rule, words, bits, players)
    if declared is not None:
        standard = {"m": 1 if players == 4 else 0, "p": 1, "s": 1}
        if reds is not None and reds != standard:
            paipu["red_fives"] = reds
        if platform == "tenhou":
            open_tanyao = "喰" in disp if disp else None if bits is None else not bits & 0x04
            if open_tanyao is False:
                paipu["open_tanyao"] = False
        if platform != "m_league" and re.search(r"東|\bEast\b", disp) and not re.search(r"南|\bSouth\b", disp):
            paipu["length"] = "tonpuu"
        start = 35000 if players == 3 else 25000
        if first_scores is not None and len(set(first_scores[:players])) == 1 and first_scores[0] != start:
            paipu["start_points"] = first_scores[0]
    return Rules(platform, declared, paipu, None if reds is None else any(reds.values()))


def _red_fives(rule: dict[str, Any], words: str, bits: int | None, players: int) -> dict[str, int] | None:
    """Red fives in the set; None where the log does not say."""
    counts = [rule.get(key) for key in ("aka51", "aka52", "aka53")]
    if any(isinstance(count, int) for count in counts):
        m, p, s = (int(count) if isinstance(count, int) and 0 <= count <= 4 else 0 for count in counts)
    elif isinstance(rule.get("aka"), int):
        m = p = s = 1 if rule["aka"] else 0
    elif "赤" in words or "Red" in words:
        m = p = s = 1
    elif bits is not None:
        m = p = s = 0 if bits & 0x02 else 1
    elif rule.get("disp"):
        m = p = s = 0
    else:
        return None
    return {"m": 0 if players == 3 else m, "p": p, "s": s}


@cache
def _date(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def started(log_id: str | None) -> datetime | None:
    """Ids of Tenhou begin with the hour of the start, those of Mahjong Soul with its day."""
    if log_id is None:
        return None
    if _TENHOU_ID.match(log_id):
        return _date(log_id[:10], "%Y%m%d%H")
    return _date(log_id[:6], "%y%m%d") if _SOUL_ID.match(log_id) else None
