"""The comparison page of riichi presets, of several families, and scaled."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
import vl_convert

from analysis.compare import Comparison, compare
from reports.i18n import LANGS, texts
from reports.pages.compare import compare_page, summary_frame
from reports.pages.compare_table import summary_table
from reports.theme import DARK, LIGHT, SYMBOLS
from tests.analysis.points_season import PRESETS, points_season
from tests.analysis.season import PRESETS as TAIWANESE
from tests.analysis.season import connect, season
from tests.analysis.test_compare_points import MIXED, mixed_rows

# Words of Taiwanese play, none of which a riichi page may say.
FOREIGN = {"zh-TW": "台胡莊底將盤", "zh-CN": "台胡庄底将盘"}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(connect(points_season()), PRESETS, baseline="reds")


def _words(page: str) -> str:
    """What a reader sees without opening the data and the SQL, charts included."""
    shown = re.sub(r"<(details|script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def _charts(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)
    assert match
    charts: dict[str, Any] = json.loads(match[1])["charts"]
    return charts


def _rows(chart: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for rows in chart["datasets"].values() for row in rows]


def _ids(page: str) -> set[str]:
    return set(re.findall(r'<section id="(\w+)"', page))


@pytest.mark.parametrize("lang", LANGS)
def test_a_riichi_page_speaks_of_riichi(comparison: Comparison, lang: str) -> None:
    page = compare_page(comparison, lang=lang)
    seen = _words(page) + json.dumps(_charts(page), ensure_ascii=False)
    assert texts(lang)("family.riichi.tai") in seen
    assert texts(lang)("family.riichi.money") in seen
    unwanted = [word for word in FOREIGN.get(lang, "") if word in seen]
    if lang == "en":
        unwanted = re.findall(r"\b(tai|Tai|streak|legal|money)\b", _words(page))
    assert not unwanted
    assert not re.search(r"\{\w*\}", _words(page))


def test_it_has_outcomes_and_spread_and_nothing_about_base_and_dealer_tai(comparison: Comparison) -> None:
    page = compare_page(comparison, lang="en")
    assert {"outcomes", "spread", "bridge", "roles"} <= _ids(page)
    assert "illegal" not in _ids(page)
    assert "mean_dealer_tai</th>" not in page
    assert "Per tai" not in page
    assert "Base</th>" not in page
    alone = compare_page(compare(connect(season()), TAIWANESE, baseline="plain"), lang="en")
    assert {"outcomes", "spread"}.isdisjoint(_ids(alone))
    assert "mean_dealer_tai</th>" in alone
    assert "Base</th>" in alone


def test_the_wins_left_out_are_stated(comparison: Comparison) -> None:
    words = _words(compare_page(comparison, lang="en"))
    assert "the same 7 wins under every preset" in words
    # One has no yaku under plain, one is not rescorable under strict.
    assert "Of the 9 recorded wins, 2 have no yaku or cannot be rescored under at least one preset" in words
    assert "7 of them have a yaku and can be rescored under every preset" in words
    assert "A win taken away (head bump, triple ron) or no win is not paid and counts as 0" in words
    # strict: 7 scored, none approximate, none without yaku, 1 taken away, 1 not rescorable, of 9.
    assert "Strict 7 77.8 % 0 0.0 % 0 0.0 % 1 11.1 % 1 11.1 % 9" in words


def test_outcomes_are_drawn_with_their_reason(comparison: Comparison) -> None:
    rows = _rows(_charts(compare_page(comparison, lang="en"))["chart-outcomes"])
    assert {(row["line"], row["text"]) for row in rows} == {
        ("Plain\nNo yaku", "11.1 % (1)"),
        ("Strict\nTaken away\nhead bump: only the first winner wins", "11.1 % (1)"),
        ("Strict\nNot rescorable\nthe log has no ura indicators", "11.1 % (1)"),
    }


def test_the_waterfall_ends_at_the_mean(comparison: Comparison) -> None:
    rows = _rows(_charts(compare_page(comparison, lang="en"))["chart-bridge-0"])
    assert (rows[0]["end"], rows[-1]["end"]) == (40_200 / 7, 60_200 / 7)
    assert rows[-2]["end"] == pytest.approx(rows[-1]["end"])
    assert {"renhou (added)", "aka_dora (removed)", "Fu, limits, yakuman, rounding", "Counters, deposits, sharing"} <= {
        row["label"] for row in rows
    }


def test_the_histogram_starts_at_one_han(comparison: Comparison) -> None:
    rows = _rows(_charts(compare_page(comparison, lang="en"))["chart-tai-1"])
    # plain: 2, 3, 1, 2, 4, 13 and 4 han.
    counts = {row["tai"]: row["wins"] for row in rows if row["wins"]}
    assert counts == {"1": 1, "2": 2, "3": 1, "4": 2, "13": 1}
    assert len(rows) == 13


def test_the_summary_counts_outcomes_and_calls_han_han(comparison: Comparison) -> None:
    frame = summary_frame(comparison)
    assert {"mean_han", "han_low", "han_changed", "no_yaku", "removed", "not_rescorable"} <= set(frame.columns)
    assert "mean_tai" not in frame.columns
    assert "illegal" not in frame.columns
    assert frame["wins"].to_list() == [7, 7, 7]
    assert frame["no_yaku"].to_list() == [0, 1, 0]
    assert frame["removed"].to_list() == [0, 0, 1]
    assert frame["not_rescorable"].to_list() == [0, 0, 1]
    assert frame["mean_han"].to_list() == [22 / 7, 29 / 7, 20 / 7]


def test_the_table_for_readers_has_words_units_intervals_and_percent(comparison: Comparison) -> None:
    table = summary_table(comparison, lang="en")
    assert table.columns == [
        *("Preset", "n (wins)", "Scored", "No yaku", "Taken away", "Not rescorable"),
        *("Mean han", "95 % interval (han)", "Mean payout per win (points)", "95 % interval (points)"),
        *("Payout against the baseline", "95 % interval (against the baseline)", "Han changed", "Payout changed"),
    ]
    assert table["Preset"].to_list() == ["reds (baseline)", "plain", "strict"]
    # 40,200, 60,200 and 38,200 over 7 wins.
    assert table["Mean payout per win (points)"].to_list() == ["5,742.9", "8,600.0", "5,457.1"]
    assert table["Payout against the baseline"].to_list() == ["", "+2,857.1", "  −285.7"]
    # Hands 0, 1 and 7, and the win taken away, of 7; nothing to say of the baseline.
    assert table["Han changed"].to_list() == ["", "42.9 %", "14.3 %"]
    # Two games: plain has 52,200 over 6 wins in one and 8,000 over 1 in the other, which are the ends.
    assert table["95 % interval (points)"][1] == "8,000.0 – 8,700.0"


def test_the_table_for_readers_of_two_families_has_units_in_its_cells() -> None:
    table = summary_table(compare(connect(mixed_rows()), MIXED, baseline="reds"), lang="zh-TW")
    assert table["平均每次和牌收入（各自單位）"].to_list() == ["5,000.0 點", "  54.00 分"]
    assert not [name for name in table.columns if "差" in name or "改變" in name]
    scaled = summary_table(compare(connect(mixed_rows()), MIXED, baseline="reds", scale=True), lang="zh-TW")
    assert scaled["縮放倍數"].to_list() == ["    1", "92.59"]
    assert scaled["平均每次和牌收入（點）"].to_list() == ["5,000.0 點", "5,000.0 點"]


@pytest.mark.parametrize("lang", LANGS)
def test_presets_of_two_families_are_shown_in_their_own_units(lang: str) -> None:
    result = compare(connect(mixed_rows()), MIXED, baseline="reds")
    page = compare_page(result, lang=lang)
    charts = _charts(page)
    # One axis each: 5,000 points and 54 points of another kind do not share one.
    for name, values in (("mean_payout", (5000, 54)), ("mean_tai", (1, 30))):
        drawn = (_rows(charts[f"chart-{name}"]), _rows(charts[f"chart-{name}-1"]))
        assert tuple(next(row["value"] for row in rows if "preset" in row) for rows in drawn) == values
    assert {"changed", "bridge"}.isdisjoint(_ids(page))
    t = texts(lang)
    assert f"30.00 {t('family.mcr.tai')}" in _words(page)
    assert f"5,000.0 {t('family.riichi.money')}" in _words(page)
    assert t("family.mcr.name") in _words(page)
    finding = t("compare.summary.other_unit", name="Mcr", mean="54.00", unit=t("family.mcr.money"))
    assert finding in _words(page)
    frame = summary_frame(result)
    assert frame["family"].to_list() == ["riichi", "mcr"]
    assert frame["mean_value"].to_list() == [1, 30]
    assert frame["difference"].to_list() == [None, None]


def test_a_scaled_page_says_so_and_by_how_much() -> None:
    result = compare(connect(mixed_rows()), MIXED, baseline="reds", scale=True)
    page = compare_page(result, lang="en")
    words = _words(page)
    # 5,000 / 54
    assert "Compare shapes, not sizes." in words
    assert words.count("Mcr scaled by 92.59") >= 4
    assert "Under Mcr a win pays 54.00 MCR points on average; on this page it is scaled by 92.59" in words
    dots = [row for row in _rows(_charts(page)["chart-mean_payout"]) if "preset" in row]
    assert [row["value"] for row in dots] == pytest.approx([5000, 5000])
    assert summary_frame(result)["scaled_by"].to_list() == [1, 5000 / 54]


def test_a_scaled_waterfall_ends_at_the_baseline(comparison: Comparison) -> None:
    result = compare(connect(points_season()), PRESETS, baseline="reds", scale=True)
    rows = _rows(_charts(compare_page(result, lang="en"))["chart-bridge-0"])
    assert rows[-2]["label"] == "Scaled by 0.6678"  # 40,200 / 60,200
    assert rows[-2]["start"] == pytest.approx(60_200 / 7)
    assert rows[-2]["end"] == pytest.approx(40_200 / 7)
    assert rows[-1]["end"] == pytest.approx(40_200 / 7)


def test_a_taiwanese_page_can_be_scaled() -> None:
    result = compare(connect(season()), TAIWANESE, baseline="plain", scale=True)
    page = compare_page(result, lang="zh-TW")
    assert "已縮放" in _words(page)
    assert "spread" in _ids(page)
    means = summary_frame(result)["mean_payout"].to_list()
    assert means == pytest.approx([means[0]] * 3)


def test_charts_of_all_kinds_of_page_are_valid(comparison: Comparison) -> None:
    mixed = compare(connect(mixed_rows()), MIXED, baseline="mcr", scale=True)
    for one in (comparison, mixed):
        for name, spec in _charts(compare_page(one, lang="zh-TW")).items():
            assert "NaN" not in vl_convert.vegalite_to_svg(json.dumps({**spec, "width": 500})), name


def test_no_two_of_many_presets_look_alike() -> None:
    for theme in (LIGHT, DARK):
        marks = {(theme.category[n % len(theme.category)], SYMBOLS[n % len(SYMBOLS)]) for n in range(30)}
        assert len(marks) == 30
