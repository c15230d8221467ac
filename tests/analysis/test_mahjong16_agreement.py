"""The scorer under a mahjong16 profile against what that program recorded.

A preset is written from the profile's own table. Recorded and computed tai must agree wherever the two rules mean the
same; every difference has to be one of the named rule differences below, exact in size.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from analysis.explain import Win, explain
from analysis.rules.preset import Preset, load_preset
from ingest.pipeline import ingest
from ingest.record import Row
from ingest.store import Store

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "taiwan"

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the log folder is not beside the repository")

#: Tag of the log → our item of the same meaning.
ITEMS = {
    "quan_feng_ke": "round_wind_pung",
    "men_feng_ke": "seat_wind_pung",
    "zheng_hua": "seat_flower",
    "hua_gang": "flower_kong",
    "zimo": "self_draw",
    "menqing": "concealed_hand",
    "ping_hu": "pinghu",
    "dragon_pung": "dragon_pung",
    "san_an_ke": "three_concealed_pungs",
    "si_an_ke": "four_concealed_pungs",
    "wu_an_ke": "five_concealed_pungs",
    "peng_peng_hu": "all_pungs",
    "hun_yi_se": "half_flush",
    "qing_yi_se": "full_flush",
    "zi_yi_se": "all_honors",
    "xiao_san_yuan": "little_three_dragons",
    "da_san_yuan": "big_three_dragons",
    "xiao_si_xi": "little_four_winds",
    "da_si_xi": "big_four_winds",
    "du_ting": "single_wait",
    "quan_qiu_ren": "fully_melded",
    "he_di": "last_discard_win",
    "hai_di": "last_tile_draw",
    "qiang_gang": "robbing_kong",
    "gang_shang": "kong_bloom",
    "qi_qiang_yi": "seven_robs_one",
    "ba_xian": "eight_immortals",
    "di_ting": "earthly_ready",
    "tian_ting": "heavenly_ready",
    "ting": "declared_ready",
    "tian_hu": "heavenly_hand",
    "di_hu": "earthly_hand",
    "ren_hu": "human_hand",
}

Tags = dict[str, int]
Profile = dict[str, int]


class Explanation(NamedTuple):
    """A rule that is another one there. applies: to which wins; effect: recorded minus computed tai, by the profile."""

    text: str
    applies: Callable[[Row, Win, Tags], bool]
    effect: Callable[[Profile], int]


EXPLANATIONS = {
    "pinghu_needs_a_chow_claimed": Explanation(
        "平胡 is refused to a hand without an exposed chow",
        lambda row, win, tags: "pinghu" in win.items and not row["m0"],
        lambda profile: -profile["ping_hu"],
    ),
    "ting_without_declaration": Explanation(
        "聽牌 pays for every hand that was ready, and every winning hand was; ours pays for a declaration",
        lambda row, win, tags: row["ready"] is None,
        lambda profile: profile["ting"],
    ),
    "earthly_ready_by_count_of_discards": Explanation(
        "地聽 is told from the first eight discards and not declared, so the record does not hold it",
        lambda row, win, tags: row["ready"] is None and "di_ting" in tags and "earthly_ready" in win.undetermined,
        lambda profile: profile["di_ting"],
    ),
}

#: File, its profile, the explanations that it needs: all of them and no other.
FILES = {
    "taiwan_base": (
        "mahjong16_taiwan_base_seed20261129_500hands.csv",
        486,
        {"pinghu_needs_a_chow_claimed": 2, "earthly_ready_by_count_of_discards": 2},
    ),
    "gametower_star31": (
        "mahjong16_gametower_star31_seed20261129_250hands.csv",
        243,
        {"pinghu_needs_a_chow_claimed": 1, "ting_without_declaration": 243},
    ),
    "zhaishenye": (
        "mahjong16_zhaishenye_seed20261129_250hands.csv",
        243,
        {"pinghu_needs_a_chow_claimed": 1, "ting_without_declaration": 243},
    ),
}


def preset_of(profile: Profile, folder: Path) -> Preset:
    """The profile's table as a club would write it. 門清自摸 there is the sum, ours is what self-draw adds to it."""
    values = {item: profile[tag] for tag, item in ITEMS.items()}
    values["concealed_self_draw_bonus"] = profile["menqing_zimo"] - profile["menqing"] - profile["zimo"]
    lines = [
        'id = "mahjong16"',
        'family = "taiwan"',
        "[options]",
        # The log counts seat winds from the player of East, who is the same for a whole jang.
        'seat_wind_ref = "door"',
        f"dealer_tai = {profile['dealer']}",
        "[values]",
        *(f"{item} = {tai}" for item, tai in values.items()),
        "[payment]",
        "base = 100",
        "unit = 20",
    ]
    path = folder / "mahjong16.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return load_preset(path)


def wins_of(name: str, folder: Path) -> list[Row]:
    store = Store.create(folder / "store")
    report = ingest([LOGS / name], store)
    assert not report.rejects
    return [row for part in store.parts("wins") for row in pq.read_table(part).to_pylist()]


def in_our_items(tags: Tags, profile: Profile) -> dict[str, int]:
    """The recorded tags in our words."""
    items = {ITEMS[tag]: tai for tag, tai in tags.items() if tag not in ("dealer", "menqing_zimo")}
    if "menqing_zimo" in tags:
        assert tags["menqing_zimo"] == profile["menqing_zimo"]
        items |= {
            "concealed_hand": profile["menqing"],
            "self_draw": profile["zimo"],
            "concealed_self_draw_bonus": profile["menqing_zimo"] - profile["menqing"] - profile["zimo"],
        }
    return items


@pytest.mark.parametrize("name", FILES)
def test_every_difference_is_explained(name: str, tmp_path: Path) -> None:
    file, n_wins, needed = FILES[name]
    profile: Profile = json.loads((LOGS / "profiles" / f"{name}.json").read_text(encoding="utf-8"))
    preset = preset_of(profile, tmp_path)
    rows = wins_of(file, tmp_path)
    assert len(rows) == n_wins
    used: Counter[str] = Counter()
    for row, (win,) in zip(rows, explain(rows, [preset]), strict=True):
        tags: Tags = json.loads(row["recorded_items"])
        where = (row["game_id"], row["hand_no"], tags, win.items)
        assert win.valid, where
        applied = {
            key: effect
            for key, explanation in EXPLANATIONS.items()
            if explanation.applies(row, win, tags) and (effect := explanation.effect(profile))
        }
        used.update(applied.keys())
        difference = row["recorded_tai"] - win.hand_tai
        assert difference == sum(applied.values()), where

        recorded = in_our_items(tags, profile)
        for key, item in (
            ("pinghu_needs_a_chow_claimed", "pinghu"),
            ("ting_without_declaration", "declared_ready"),
            ("earthly_ready_by_count_of_discards", "earthly_ready"),
        ):
            if key in applied:
                assert (item in recorded) is (applied[key] > 0), where
                recorded.pop(item, None)
        ours = dict(win.items)
        if "pinghu_needs_a_chow_claimed" in applied:
            del ours["pinghu"]
        assert ours == recorded, where

        # The dealer's tai and who pays agree too: what is left is the explained difference, once for each payer.
        money = [paid - 20 * difference if seat in win.pay else 0 for seat, paid in enumerate(win.payments)]
        money[row["winner"]] = -sum(money)
        assert money == row["recorded_payments"], where
    assert used == needed


def test_every_explanation_is_needed_somewhere() -> None:
    assert {key for *_, needed in FILES.values() for key in needed} == set(EXPLANATIONS)
