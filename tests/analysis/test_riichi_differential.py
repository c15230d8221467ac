"""The riichi scorer against PyPI mahjong on random hands: han, fu, payments and yaku.

PAIPU_REFERENCE_HANDS sets how many hands are compared; the default keeps the test short.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any, Final

import pytest
from mahjong.constants import EAST, NORTH, SOUTH, WEST
from mahjong.hand_calculating import hand as mahjong_hand
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
from mahjong.hand_calculating.hand_response import HandResponse
from mahjong.meld import Meld

from analysis.rules.preset import Preset
from tests.analysis.riichi_wins import Record, Scored, random_records, row_of, score_rows, with_options

HANDS = int(os.environ.get("PAIPU_REFERENCE_HANDS", "3000"))
CHUNK = 5000

YAKU: Final = {
    "Menzen Tsumo": "menzen_tsumo",
    "Riichi": "riichi",
    "Ippatsu": "ippatsu",
    "Chankan": "chankan",
    "Rinshan Kaihou": "rinshan",
    "Haitei Raoyue": "haitei",
    "Houtei Raoyui": "houtei",
    "Double Riichi": "double_riichi",
    "Pinfu": "pinfu",
    "Tanyao": "tanyao",
    "Iipeiko": "iipeikou",
    "Yakuhai (haku)": "haku",
    "Yakuhai (hatsu)": "hatsu",
    "Yakuhai (chun)": "chun",
    **{f"Yakuhai (seat wind {wind})": "seat_wind" for wind in ("east", "south", "west", "north")},
    **{f"Yakuhai (round wind {wind})": "round_wind" for wind in ("east", "south", "west", "north")},
    "Sanshoku Doujun": "sanshoku_doujun",
    "Ittsu": "ittsuu",
    "Chantai": "chanta",
    "Honroutou": "honroutou",
    "Toitoi": "toitoi",
    "San Ankou": "sanankou",
    "San Kantsu": "sankantsu",
    "Sanshoku Doukou": "sanshoku_doukou",
    "Chiitoitsu": "chiitoitsu",
    "Shou Sangen": "shousangen",
    "Honitsu": "honitsu",
    "Junchan": "junchan",
    "Ryanpeikou": "ryanpeikou",
    "Chinitsu": "chinitsu",
    "Kokushi Musou": "kokushi_musou",
    "Chuuren Poutou": "chuuren_poutou",
    "Suu Ankou": "suuankou",
    "Daisangen": "daisangen",
    "Shousuushii": "shousuushii",
    "Ryuuiisou": "ryuuiisou",
    "Suu Kantsu": "suukantsu",
    "Tsuu Iisou": "tsuuiisou",
    "Chinroutou": "chinroutou",
    "Dai Suushii": "daisuushii",
    "Kokushi Musou Juusanmen Matchi": "kokushi_13",
    "Suu Ankou Tanki": "suuankou_tanki",
    "Daburu Chuuren Poutou": "junsei_chuuren_poutou",
    "Tenhou": "tenhou",
    "Chiihou": "chiihou",
    "Renhou (yakuman)": "renhou",
    "Dora": "dora",
    "Aka Dora": "aka_dora",
    "Ura Dora": "ura_dora",
}

# What mahjong cannot do is switched off in our preset (RIICHI 5.1): the best tile of tenhou, a double-wind pair of 2.
RULES: Final[dict[str, tuple[Preset, dict[str, Any]]]] = {
    "tenhou": (
        with_options("tenhou_4p"),
        {"has_open_tanyao": True, "has_aka_dora": True, "has_double_yakuman": False},
    ),
    "mahjong_soul": (
        with_options("mahjong_soul_4p", tenhou_best_tile=False),
        {"has_open_tanyao": True, "has_aka_dora": True, "has_double_yakuman": True},
    ),
    "m_league": (
        with_options("m_league", double_wind_pair_fu=4),
        {
            "has_open_tanyao": True,
            "has_aka_dora": True,
            "has_double_yakuman": False,
            "kiriage": True,
            "kazoe_limit": HandConfig.KAZOE_SANBAIMAN,
        },
    ),
    "old_table": (
        with_options(
            "saikouisen",
            double_wind_pair_fu=4,
            open_tanyao=False,
            pinfu_tsumo=False,
            open_pinfu_shape_ron_fu=20,
            counted_yakuman="multiple",
            renhou="yakuman",
            kiriage_mangan=False,
        ),
        {
            "has_double_yakuman": False,
            "fu_for_pinfu_tsumo": True,
            "fu_for_open_pinfu": False,
            "kazoe_limit": HandConfig.KAZOE_NO_LIMIT,
            "renhou_as_yakuman": True,
        },
    ),
    "tenhou_3p": (
        with_options("tenhou_3p"),
        {"has_open_tanyao": True, "has_aka_dora": True, "has_double_yakuman": False, "is_three_player": True},
    ),
}

_WINDS: Final = {"E": EAST, "S": SOUTH, "W": WEST, "N": NORTH}
_HONORS: Final = {"E": 27, "S": 28, "W": 29, "N": 30, "P": 31, "F": 32, "C": 33}


class Tiles:
    """Gives each tile of a record one of mahjong's 136 ids; the first of four fives is the red one."""

    def __init__(self) -> None:
        self._used: Counter[int] = Counter()

    def ids(self, text: str) -> list[int]:
        found = []
        for tile in re.findall(r"\d[mps]|[ESWNPFC]", text):
            if tile in _HONORS:
                kind, rank = _HONORS[tile], ""
            else:
                rank = tile[0]
                kind = 9 * "mps".index(tile[1]) + (int(rank) or 5) - 1
            if rank == "0":
                found.append(4 * kind)
            else:
                is_five = kind in (4, 13, 22)
                found.append(4 * kind + self._used[kind] + is_five)
                self._used[kind] += 1
        return found


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The readings that mahjong chooses from, of the hand it looked at last if emptied before."""
    found: list[dict[str, Any]] = []
    priority = mahjong_hand._hand_priority

    def watched(hand: Any) -> Any:
        found.append(hand)
        return priority(hand)

    monkeypatch.setattr(mahjong_hand, "_hand_priority", watched)
    return found


def estimate(record: Record, rules: dict[str, Any]) -> HandResponse:
    flags = record["flags"]
    tiles = Tiles()
    (win_tile,) = tiles.ids(record["win_tile"])
    all_tiles = [win_tile, *tiles.ids(record["hand"])]
    melds = []
    for meld in record["melds"]:
        name, _, text = meld.partition(":")
        ids = tiles.ids(text)
        all_tiles += ids
        kind = {"chi": Meld.CHI, "pon": Meld.PON}.get(name, Meld.KAN)
        melds.append(Meld(kind, ids, opened=name != "ankan"))
    options = OptionalRules(limit_to_sextuple_yakuman=False, **rules)
    config = HandConfig(
        is_tsumo=record["win"] == "tsumo",
        is_riichi=bool(flags.get("riichi")),
        is_daburu_riichi=flags.get("riichi") == 2,
        is_ippatsu=bool(flags.get("ippatsu")),
        is_rinshan=bool(flags.get("rinshan")),
        is_chankan=bool(flags.get("chankan")),
        is_haitei=bool(flags.get("haitei")),
        is_houtei=bool(flags.get("houtei")),
        is_tenhou=bool(flags.get("tenhou")),
        is_chiihou=bool(flags.get("chiihou")),
        is_renhou=bool(flags.get("renhou")) and options.renhou_as_yakuman,
        player_wind=_WINDS[record["seat"]],
        round_wind=_WINDS[record["round"]],
        tsumi_number=record["honba"],
        kyoutaku_number=record["deposits"],
        num_nuki_dora=flags.get("kita", 0),
        options=options,
    )
    return HandCalculator.estimate_hand_value(
        all_tiles,
        win_tile,
        melds,
        dora_indicators=Tiles().ids(flags["dora"]),
        ura_dora_indicators=Tiles().ids(flags.get("ura", "")),
        config=config,
    )


def payments_of(record: Record, cost: dict[str, int]) -> list[int]:
    """Points by seat, the dealer in seat 0; deposits go to the winner."""
    players, winner = record["players"], "ESWN".index(record["seat"])
    points = [0, 0, 0, 0]
    if record["win"] == "ron":
        points[(winner + 1) % players] = -cost["main"] - cost["main_bonus"]
    else:
        for seat in range(players):
            if seat != winner:
                dealer = 0 in (seat, winner)
                points[seat] = -(
                    cost["main"] + cost["main_bonus"] if dealer else cost["additional"] + cost["additional_bonus"]
                )
    points[winner] = 1000 * record["deposits"] - sum(points)
    return points


def differences(record: Record, theirs: HandResponse, readings: list[dict[str, Any]], ours: Scored) -> list[str]:
    """What differs. Of readings equal in value, han and fu either may be listed: no rule tells them apart."""
    if theirs.error is not None:
        assert theirs.error == HandCalculator.ERR_NO_YAKU, (theirs.error, record)
        return [] if ours.reason == "no_yaku" else [f"{ours}, theirs has no yaku"]
    if ours.reason:
        return [f"{ours.reason}, theirs {theirs.han} han {theirs.yaku}"]
    is_open = any(not meld.startswith("ankan") for meld in record["melds"])

    def items_of(hand_yaku: list[Any]) -> Counter[str]:
        items: Counter[str] = Counter()
        for yaku in hand_yaku:
            items[YAKU[yaku.name]] += yaku.han_open if is_open and yaku.han_open else yaku.han_closed
        return items

    is_yakuman = any(yaku.is_yakuman for yaku in theirs.yaku)
    equals = [items_of(theirs.yaku)]
    equals += [
        items_of(hand["hand_yaku"])
        for hand in readings
        if (hand["cost"], hand["han"], hand["fu"]) == (theirs.cost, theirs.han, theirs.fu)
    ]
    # mahjong counts extracted norths as dora.
    mine = Counter(ours.items)
    mine["dora"] += mine.pop("kita_dora", 0)
    found = []
    if +mine not in equals:
        found.append(f"items {dict(+mine)}, theirs {dict(equals[0])}")
    if ours.han != theirs.han:
        found.append(f"han {ours.han}, theirs {theirs.han}")
    if ours.fu != (0 if is_yakuman else theirs.fu):
        found.append(f"fu {ours.fu}, theirs {theirs.fu}")
    expected = payments_of(record, theirs.cost)
    if ours.payments != expected:
        found.append(f"payments {ours.payments}, theirs {expected}")
    return found


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("start", range(0, max(1, HANDS // len(RULES)), CHUNK))
def test_random_hands_agree(rules: str, start: int, readings: list[dict[str, Any]]) -> None:
    preset, options = RULES[rules]
    count = min(CHUNK, -(-HANDS // len(RULES)) - start)
    seed = 1_000_003 * list(RULES).index(rules) + start
    records = list(random_records(count, seed, players=preset.number("players")))
    for record, ours in zip(records, score_rows([row_of(record) for record in records], preset), strict=True):
        readings.clear()
        theirs = estimate(record, options)
        wrong = differences(record, theirs, readings, ours)
        assert not wrong, f"{wrong} in {record}"


def test_random_hands_hold_every_yaku() -> None:
    """The comparison would be worth little if the generator never made some of them."""
    records = list(random_records(20_000, 5))
    found: Counter[str] = Counter()
    for ours in score_rows([row_of(record) for record in records], with_options("tenhou_4p", renhou="yakuman")):
        found.update(ours.items.keys())
    assert set(YAKU.values()) <= set(found)
