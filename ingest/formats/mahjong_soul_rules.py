"""The rules of a Mahjong Soul game, from the head of its record."""

from __future__ import annotations

from typing import Final

import msgspec

from ingest.errors import RecordError
from ingest.formats.mahjong_soul_messages import Fields, snake
from ingest.formats.yaku_names import MAHJONG_SOUL_FANS
from ingest.riichi_rows import DEPOSIT

_LOCAL_YAKU: Final = tuple(yaku for number, yaku in MAHJONG_SOUL_FANS.items() if number >= 51 and yaku != "renhou")
_OTHER_GAMES: Final = (
    "xuezhandaodi", "huansanzhang", "chuanma", "jiuchao_mode", "muyu_mode", "reveal_discard", "field_spell_mode",
    "zhanxing", "tianming_mode", "yongchang_mode", "hunzhiyiji_mode", "wanxiangxiuluo_mode", "beishuizhizhan_mode",
    "xiakeshang_mode", "dora3_mode",
)  # fmt: skip
"""Options of the game that change its tiles or its course: another game than riichi."""


class Rules(msgspec.Struct):
    declared: str | None
    paipu: Fields
    words: Fields
    reds: bool | None


def read_rules(head: Fields, players: int, first_scores: list[int] | None) -> Rules:
    """What the head says about the rules (RIICHI 4.4). Raises RecordError `other_rules`."""
    config = head.get("config")
    config = snake(config) if isinstance(config, dict) else {}
    mode = config.get("mode")
    mode = snake(mode) if isinstance(mode, dict) else {}
    meta = config.get("meta")
    meta = snake(meta) if isinstance(meta, dict) else {}
    detail = mode.get("detail_rule")
    detail = snake(detail) if isinstance(detail, dict) else {}
    for name in _OTHER_GAMES:
        if detail.get(name):
            raise RecordError("other_rules", f"the game was played with {name}, which is another game than riichi")
    deposit = detail.get("liqibang_value")
    if deposit and deposit != DEPOSIT:
        raise RecordError("other_rules", f"a riichi deposit of {deposit} points; only {DEPOSIT} is read here")
    category = config.get("category")
    words: Fields = {key: value for key, value in (("category", category), ("meta", meta), ("mode", mode)) if value}
    if "detail_rule" in mode:
        words["mode"] = mode | {"detail_rule": detail}
    ranked = category == 2 or (category is None and bool(meta.get("mode_id")))
    if not (ranked or detail):
        return Rules(None, {}, words, None)
    paipu = _changed(detail, players)
    start = 35000 if players == 3 else 25000
    if first_scores is not None and len(set(first_scores[:players])) == 1 and first_scores[0] != start:
        paipu["start_points"] = first_scores[0]
    rounds = mode.get("mode")
    if isinstance(rounds, int) and rounds % 10 == 1:
        paipu["length"] = "tonpuu"
    reds = paipu.get("red_fives")
    return Rules(f"mahjong_soul_{players}p", paipu, words, True if reds is None else any(reds.values()))


def _changed(detail: Fields, players: int) -> Fields:
    """Our preset options that the rules of a room change. A switch that is off may be left out of the record."""
    paipu: Fields = {}
    switches = [key for key in detail if key.startswith("have_")]
    complete = len(switches) >= 5  # the room wrote all its switches down

    def off(key: str) -> bool:
        return (complete or key in detail) and not detail.get(key)

    standard = {"m": 1 if players == 4 else 0, "p": 1, "s": 1}
    if "dora_count" in detail or complete:
        count = detail.get("dora_count") or 0
        reds = {"m": 0, "p": 0, "s": 0} if not count else standard if count != 4 else standard | {"p": 2}
        if reds != standard:
            paipu["red_fives"] = reds
    if ("shiduan" in detail or complete) and not detail.get("shiduan"):
        paipu["open_tanyao"] = False
    for key, option in (
        ("have_yifa", "ippatsu"),
        ("have_li_dora", "ura_dora"),
        ("have_gang_biao_dora", "kan_dora"),
        ("have_gang_li_dora", "kan_ura_dora"),
    ):
        if off(key):
            paipu[option] = False
    if off("have_liujumanguan"):
        paipu["nagashi_mangan"] = "off"
    if players == 3 and off("have_zimosun"):
        paipu["sanma_tsumo"] = "north_bisection"
    for key, option, value in (
        ("have_qieshangmanguan", "kiriage_mangan", True),
        ("disable_leijiyiman", "counted_yakuman", "sanbaiman"),
        ("ming_dora_immediately_open", "kan_dora_open_kan", "immediate"),
        ("disable_double_yakuman", "double_yakuman", []),
        ("disable_composite_yakuman", "yakuman_stacking", "max"),
        ("disable_double_wind_four_fu", "double_wind_pair_fu", 2),
        ("disable_angang_guoshi", "kokushi_robs_ankan", False),
        ("enable_shiti", "kuikae", True),
        ("guyi_mode", "local_yaku", list(_LOCAL_YAKU)),
        ("guyi_mode", "renhou", "yakuman"),
    ):
        if detail.get(key):
            paipu[option] = value
    if detail.get("disable_multi_yukaman"):
        paipu["double_yakuman"] = []
        paipu["yakuman_stacking"] = "max"
    if detail.get("have_toutiao"):
        paipu["multi_ron"] = "head_bump"
    elif detail.get("have_sanjiahele"):
        paipu["multi_ron"] = "triple_abort"
    for key, option, standard_value in (
        ("fanfu", "min_han", 1),
        ("jingsuanyuandian", "return_points", 35000 if players == 3 else 25000),
        ("fandian", "target_points", 40000 if players == 3 else 30000),
    ):
        if isinstance(detail.get(key), int) and detail[key] not in (0, standard_value):
            paipu[option] = detail[key]
    places = [place for n in range(2, players + 1) if isinstance(place := detail.get(f"shunweima_{n}"), int)]
    if len(places) == players - 1:
        uma = [-sum(places), *places]
        if uma != ([15, 5, -5, -15] if players == 4 else [15, 0, -15]):
            paipu["uma"] = uma
    noten = detail.get("noting_fafu_1")
    if isinstance(noten, int) and noten not in (0, 1000):
        paipu["noten_total"] = noten * (players - 1)
    return paipu
