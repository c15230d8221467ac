"""What riichi logs call the yaku: names of the Tenhou and Mahjong Soul clients, ids of Mahjong Soul and Riichi City.

The names in the tables are the clients' own words, Japanese, simplified Chinese and English; RIICHI 4.1 has the ids.
"""

from __future__ import annotations

import unicodedata
from typing import Final

# Mahjong Soul id, our id, then every name a client writes for it.
_FANS: Final[tuple[tuple[int, str, str], ...]] = (
    (1, "menzen_tsumo", "門前清自摸和|門前清自模和|门前清自摸和|Fully Concealed Hand|Menzen Tsumo|Tsumo"),
    (2, "riichi", "立直|リーチ|Riichi"),
    (3, "chankan", "槍槓|搶槓|枪杠|抢杠|Robbing a Kan|Chankan"),
    (4, "rinshan", "嶺上開花|岭上开花|After a Kan|Rinshan Kaihou|Rinshan"),
    (5, "haitei", "海底摸月|海底撈月|海底捞月|Under the Sea|Haitei Raoyue|Haitei"),
    (6, "houtei", "河底撈魚|河底捞鱼|Under the River|Houtei Raoyui|Houtei"),
    (7, "haku", "白|White Dragon|Haku"),
    (8, "hatsu", "發|発|发|Green Dragon|Hatsu"),
    (9, "chun", "中|Red Dragon|Chun"),
    (10, "seat_wind", "自風|自風牌|自风|自风牌|門風牌|门风牌|門風|门风|Seat Wind|Jikaze"),
    (11, "round_wind", "場風|場風牌|场风|场风牌|Prevalent Wind|Bakaze"),
    (12, "tanyao", "断幺九|斷么九|断么九|タンヤオ|All Simples|Tanyao"),
    (13, "iipeikou", "一盃口|一杯口|Pure Double Sequence|Iipeikou|Iipeiko"),
    (14, "pinfu", "平和|Pinfu"),
    (15, "chanta", "混全帯幺九|混全带幺九|混全帶么九|Half Outside Hand|Chanta"),
    (16, "ittsuu", "一気通貫|一气通贯|一氣通貫|Pure Straight|Ittsuu|Ikkitsuukan"),
    (17, "sanshoku_doujun", "三色同順|三色同顺|Mixed Triple Sequence|Sanshoku Doujun|Sanshoku"),
    (18, "double_riichi", "両立直|两立直|兩立直|ダブル立直|ダブルリーチ|Double Riichi"),
    (19, "sanshoku_doukou", "三色同刻|Triple Triplets|Sanshoku Doukou"),
    (20, "sankantsu", "三槓子|三杠子|Three Quads|Sankantsu"),
    (21, "toitoi", "対々和|対対和|对对和|對對和|All Triplets|Toitoi|Toitoihou"),
    (22, "sanankou", "三暗刻|Three Concealed Triplets|Sanankou"),
    (23, "shousangen", "小三元|Little Three Dragons|Shousangen"),
    (24, "honroutou", "混老頭|混老头|All Terminals and Honors|All Terminals and Honours|Honroutou"),
    (25, "chiitoitsu", "七対子|七对子|七對子|Seven Pairs|Chiitoitsu"),
    (26, "junchan", "純全帯幺九|纯全带幺九|純全帶么九|Fully Outside Hand|Junchan"),
    (27, "honitsu", "混一色|Half Flush|Honitsu"),
    (28, "ryanpeikou", "二盃口|二杯口|Twice Pure Double Sequence|Ryanpeikou"),
    (29, "chinitsu", "清一色|Full Flush|Chinitsu"),
    (30, "ippatsu", "一発|一发|一發|Ippatsu"),
    (31, "dora", "ドラ|宝牌|寶牌|Dora"),
    (32, "aka_dora", "赤ドラ|红宝牌|紅寶牌|赤宝牌|Red Five|Aka Dora|Red Dora"),
    (33, "ura_dora", "裏ドラ|里宝牌|裏寶牌|Ura Dora"),
    (34, "kita_dora", "抜きドラ|北ドラ|拔北宝牌|拔北寶牌|Kita|North Dora|Nuki Dora"),
    (35, "tenhou", "天和|Blessing of Heaven|Tenhou"),
    (36, "chiihou", "地和|Blessing of Earth|Chiihou"),
    (37, "daisangen", "大三元|Big Three Dragons|Daisangen"),
    (38, "suuankou", "四暗刻|Four Concealed Triplets|Suuankou"),
    (39, "tsuuiisou", "字一色|All Honors|All Honours|Tsuuiisou"),
    (40, "ryuuiisou", "緑一色|绿一色|綠一色|All Green|Ryuuiisou"),
    (41, "chinroutou", "清老頭|清老头|All Terminals|Chinroutou"),
    (42, "kokushi_musou", "国士無双|国士无双|國士無雙|Thirteen Orphans|Kokushi Musou"),
    (43, "shousuushii", "小四喜|Four Little Winds|Little Four Winds|Shousuushii"),
    (44, "suukantsu", "四槓子|四杠子|Four Quads|Suukantsu"),
    (45, "chuuren_poutou", "九蓮宝燈|九莲宝灯|九蓮寶燈|九連宝燈|Nine Gates|Chuuren Poutou"),
    (46, "paarenchan", "八連荘|八连庄|Eight-time East Staying|Paarenchan"),
    (47, "junsei_chuuren_poutou", "純正九蓮宝燈|纯正九莲宝灯|純正九蓮寶燈|True Nine Gates|Junsei Chuuren Poutou"),
    (48, "suuankou_tanki", "四暗刻単騎|四暗刻单骑|四暗刻單騎|Single-wait Four Concealed Triplets|Suuankou Tanki"),
    (
        49,
        "kokushi_13",
        "国士無双13面|国士無双十三面|国士無双十三面待ち|国士無双13面待ち|国士无双十三面|國士無雙十三面|"
        "Thirteen-wait Thirteen Orphans|Kokushi Musou Juusanmen Machi",
    ),
    (50, "daisuushii", "大四喜|Four Big Winds|Big Four Winds|Daisuushii"),
    (51, "tsubame_gaeshi", "燕返し|燕返|Tsubame-gaeshi"),
    (52, "kanburi", "槓振り|杠振|Kanburi"),
    (53, "shiiaru_raotai", "十二落抬|Shiiaruraotai"),
    (54, "uumensai", "五門斉|五门齐|Uumensai"),
    (55, "sanrenkou", "三連刻|三连刻|Three Chained Triplets"),
    (56, "isshoku_sanjun", "一色三順|一色三同顺|Pure Triple Chow"),
    (57, "iipin_mouyue", "一筒摸月|Iipinmoyue"),
    (58, "chuupin_raoyui", "九筒撈魚|九筒捞鱼|Chuupinraoyui"),
    (59, "renhou", "人和|Hand of Man|Blessing of Man|Renhou"),
    (60, "daisharin", "大車輪|大车轮|Big Wheels"),
    (61, "daichikurin", "大竹林|Bamboo Forest"),
    (62, "daisuurin", "大数隣|大数邻|Numerous Neighbours"),
    (63, "ishino_uenimo_sannen", "石の上にも三年|石上三年|Ishinouenimosannen"),
    (64, "daichisei", "大七星|Big Seven Stars"),
)

MAHJONG_SOUL_FANS: Final[dict[int, str]] = {number: yaku for number, yaku, _ in _FANS}
"""Fan id of Mahjong Soul -> our id; 1000 and above belong to the Sichuan mode."""

RIICHI_CITY_FANS: Final[dict[int, str]] = dict(
    enumerate(
        [
            "riichi",
            "menzen_tsumo",
            "ippatsu",
            "rinshan",
            "haitei",
            "houtei",
            "chankan",
            "chun",
            "hatsu",
            "haku",
            "round_wind",
            "seat_wind",
            "iipeikou",
            "pinfu",
            "tanyao",
            "double_riichi",
            "toitoi",
            "chiitoitsu",
            "sanankou",
            "sankantsu",
            "honroutou",
            "chanta",
            "ittsuu",
            "sanshoku_doujun",
            "shousangen",
            "sanshoku_doukou",
            "junchan",
            "honitsu",
            "ryanpeikou",
            "chinitsu",
            "nagashi_mangan",
            "tenhou",
            "chiihou",
            "renhou",
            "kokushi_musou",
            "kokushi_13",
            "chuuren_poutou",
            "junsei_chuuren_poutou",
            "suuankou",
            "suuankou_tanki",
            "suukantsu",
            "chinroutou",
            "tsuuiisou",
            "daisuushii",
            "shousuushii",
            "daisangen",
            "ryuuiisou",
            "junsei_ryuuiisou",
            "paarenchan",
            "aka_dora",
            "dora",
            "ura_dora",
            "open_riichi",
            "double_open_riichi",
            "open_riichi_yakuman",
            "kita_dora",
            "yakuhai_north",
        ]
    )
)
"""fang_type of Riichi City -> our id."""

BONUS: Final = frozenset(("dora", "ura_dora", "aka_dora", "kita_dora"))
YAKUMAN: Final = frozenset(
    [
        "tenhou",
        "chiihou",
        "daisangen",
        "suuankou",
        "suuankou_tanki",
        "tsuuiisou",
        "ryuuiisou",
        "chinroutou",
        "chuuren_poutou",
        "junsei_chuuren_poutou",
        "kokushi_musou",
        "kokushi_13",
        "daisuushii",
        "shousuushii",
        "suukantsu",
        "paarenchan",
        "daisharin",
        "daichikurin",
        "daisuurin",
        "daichisei",
        "ishino_uenimo_sannen",
        "junsei_ryuuiisou",
        "open_riichi_yakuman",
    ]
)
DOUBLED: Final = frozenset(
    ("suuankou_tanki", "kokushi_13", "junsei_chuuren_poutou", "daisuushii", "daichisei", "junsei_ryuuiisou")
)
"""Yakuman that some rules count twice."""


def _plain(name: str) -> str:
    """Widths, blanks, case and the word for value tiles are written differently by different clients."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = "".join(ch for ch in text if not ch.isspace() and ch not in ":・-々")
    return text[2:] if text[:2] in ("役牌", "翻牌") and len(text) > 2 else text


_IDS: Final = {_plain(name): yaku for _, yaku, names in _FANS for name in names.split("|")}
_WINDS: Final = frozenset("東南西北东")


def yaku_id(name: str) -> str | None:
    """Our id of a yaku by any client's name for it; None for a name no client is known to write."""
    text = _plain(name)
    found = _IDS.get(text)
    if found is None and text[-1:] in _WINDS:
        found = _IDS.get(text[:-1])
    return found
