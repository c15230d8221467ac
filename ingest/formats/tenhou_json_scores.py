"""The score of a win in a tenhou.net/6 log, which is text in the words of the program that wrote it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from ingest.errors import RecordError
from ingest.formats.yaku_names import DOUBLED, YAKUMAN, yaku_id

_FU_HAN = re.compile(r"(\d{1,3})\s*(?:符|fu)\s*(\d{1,3})\s*(?:飜|翻|番|han)", re.I)
_POINTS = re.compile(r"(\d{1,7})(?:\s*-\s*(\d{1,7}))?\s*(?:点|點|points?)?\s*(∀|all)?\s*(?:[包]|pao)?\s*$", re.I)
_YAKUMAN_WORD = re.compile(r"役満|役满|役滿|yakuman", re.I)
_COUNTED_WORD = re.compile(r"数え|累计|累計|counted|kazoe", re.I)
_ENTRY = re.compile(r"(.+?)\s*[(（]([^()（）]*)[)）]\s*")
_HAN = re.compile(r"(\d{1,3})\s*(?:飜|翻|番|han)", re.I)
_TIMES = re.compile(r"(\d{1,2})\s*(?:倍|x)", re.I)


class Score(msgspec.Struct):
    """What the log says a win was worth. fu None: not told. items None: the log has none."""

    han: int | None = None
    fu: int | None = None
    points: int | None = None
    items: dict[str, int] | None = None
    yakuman: bool = False


def read_score(info: list[Any], *, dealer_wins: bool, self_draw: bool, players: int) -> Score:
    """From the fields behind winner, payer and liable seat. Raises RecordError `bad_result`."""
    texts = info[3:]
    if not all(isinstance(text, str) for text in texts):
        raise RecordError("bad_result", "the score of a win is not written as text; export the log again")
    if not texts:
        return Score()
    score = Score(items={})
    assert score.items is not None
    head = texts[0].strip()
    fu_han = _FU_HAN.search(head)
    if fu_han:
        score.fu = int(fu_han.group(1))
        score.han = int(fu_han.group(2))
    score.yakuman = bool(_YAKUMAN_WORD.search(head)) and not _COUNTED_WORD.search(head)
    points = _POINTS.search(head)
    each = 0
    if points:
        each, second = int(points.group(1)), points.group(2)
        if second is not None:
            score.points = each * (players - 2) + int(second)
        else:
            score.points = each * (players - 1) if self_draw and (points.group(3) or dealer_wins) else each
    any_yakuman = False
    for text in texts[1:]:
        entry = _ENTRY.fullmatch(text)
        if entry is None:
            raise RecordError("bad_result", f"the yaku '{text[:40]}' has no value in brackets")
        name, value = entry.groups()
        yaku = yaku_id(name) or name.strip()
        han = _HAN.search(value)
        if han:
            worth = int(han.group(1))
        elif _YAKUMAN_WORD.search(value):
            times = _TIMES.search(value)
            worth = 13 * (
                int(times.group(1)) if times else 2 if re.search(r"ダブル|double|两倍|雙倍|双倍", value, re.I) else 1
            )
        else:
            raise RecordError("bad_result", f"the value of the yaku '{text[:40]}' is neither han nor yakuman")
        any_yakuman = any_yakuman or yaku in YAKUMAN or not han
        if worth:
            score.items[yaku] = score.items.get(yaku, 0) + worth
    score.yakuman = any_yakuman or (score.yakuman and not score.items)
    if score.yakuman:
        score.fu = None
        if each:
            unit = (16000 if self_draw else 48000) if dealer_wins else 8000 if self_draw else 32000
            _double(score.items, each // unit)
    total = sum(score.items.values())
    if score.han is None and total:
        score.han = total
    return score


def _double(items: dict[str, int], times: int) -> None:
    """Some exports write (役満) also for a yakuman that is paid twice; the points tell."""
    missing = times - sum(items.values()) // 13
    for yaku, worth in list(items.items()):
        if missing > 0 and yaku in DOUBLED and worth == 13:
            items[yaku] = 26
            missing -= 1
