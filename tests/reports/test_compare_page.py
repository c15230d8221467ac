"""The comparison page: complete, offline, in three languages, without an empty or broken chart."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from analysis.compare import Comparison, compare
from reports.i18n import LANGS, texts
from reports.pages.compare import compare_page, summary_frame
from reports.pages.compare_view import number, percent
from tests.analysis.season import PRESETS, connect, season

SECTIONS = (
    "mean_payout",
    "mean_tai",
    "changed",
    "bridge",
    "tai_histogram",
    "items",
    "roles",
    "standings",
    "illegal",
    "undetermined",
)
NAMES = {"half_flush": "混一色", "seat_flower": "正花", "any_flower": "見花", "self_draw": "自摸"}


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(connect(season()), PRESETS, baseline="plain")


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    return compare_page(comparison, lang="zh-TW", item_names=NAMES)


class _Reader(HTMLParser):
    """Collects elements with their attributes; scripts and styles keep their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._hidden = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.text.append(data)

    def named(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.elements if name == tag)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def _payload(page: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="payload">(.*?)</script>', page, re.DOTALL)
    assert match
    payload: dict[str, Any] = json.loads(match[1], parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    return payload


def test_the_page_loads_nothing(page: str) -> None:
    for _, attributes in _Reader(page).elements:
        for name in ("src", "href", "action", "srcset", "data"):
            value = attributes.get(name) or ""
            assert not value or value.startswith(("data:", "#")), value
    assert set(re.findall(r"https?://[\w.]+", page)) <= {"http://www.w3.org"}
    assert "@import" not in page
    assert "default-src 'none'" in page
    assert page.count("vegaEmbed=") == 1  # the bundle once


@pytest.mark.parametrize("lang", LANGS)
def test_every_section_has_chart_denominator_sql_and_csv(comparison: Comparison, lang: str) -> None:
    text = compare_page(comparison, lang=lang)
    reader = _Reader(text)
    assert next(reader.named("html"))["lang"] == lang
    ids = {attributes["id"] for _, attributes in reader.elements if attributes.get("id")}
    assert set(SECTIONS) <= ids
    charts = _payload(text)["charts"]
    assert charts.keys() == {name for name in ids if name and name.startswith("chart-")}
    t = texts(lang)
    assert t("compare.held_fixed") in reader.words
    assert t("compare.simulated_all", games="40") in reader.words
    assert reader.words.count(t("compare.details_sql")) == len(SECTIONS)
    links = [attributes for attributes in reader.named("a") if "download" in attributes]
    assert [link["download"] for link in links] == [f"compare_{name}.csv" for name in SECTIONS]
    # Nothing of the text is left unfilled.
    assert not re.search(r"\{\w*\}", reader.words.split("-- ")[0])
    for attributes in reader.named("div"):
        if attributes.get("class") == "chart":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]


def test_languages_have_the_same_keys_and_placeholders() -> None:
    found = [
        {key: sorted(re.findall(r"\{(\w+)\}", text)) for key, text in texts(lang).section("compare").items()}
        for lang in LANGS
    ]
    assert found[0]
    assert found[0] == found[1] == found[2]


def test_the_csv_holds_all_rows_of_the_statistic(page: str, comparison: Comparison) -> None:
    for link in _Reader(page).named("a"):
        if "download" not in link:
            continue
        name = str(link["download"]).removeprefix("compare_").removesuffix(".csv")
        lines = base64.b64decode(str(link["href"]).partition(",")[2]).decode("utf-8-sig").splitlines()
        assert len(lines) == 1 + len(comparison.statistics[name].rows)
        assert set(comparison.statistics[name].columns) <= set(lines[0].split(","))


def test_items_have_their_names_and_the_id_where_there_is_none(page: str) -> None:
    charts = json.dumps(_payload(page)["charts"], ensure_ascii=False)
    assert "見花（新增）" in charts
    assert "正花（取消）" in charts
    assert "混一色（改台）" in charts
    assert "all_pungs" in charts


def test_charts_are_valid_vega_lite_and_show_marks(page: str) -> None:
    payload = _payload(page)
    for name, spec in payload["charts"].items():
        svg = vl_convert.vegalite_to_svg(json.dumps({**spec, "width": 500, "config": payload["dark"]}))
        assert "NaN" not in svg, name
        assert len(re.findall(r"<path[^>]* d=\"M", svg)) > 3, name


def _rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]]
    [rows] = spec["datasets"].values()
    return rows


def test_the_waterfall_ends_at_the_mean_of_the_preset(page: str, comparison: Comparison) -> None:
    means = {row["preset"]: row["mean_payout"] for row in comparison.statistics["mean_payout"].records()}
    charts = _payload(page)["charts"]
    for place, preset in enumerate(("floral", "dear")):
        rows = _rows(charts[f"chart-bridge-{place}"])
        assert rows[0]["end"] == means["plain"]
        assert rows[-2]["end"] == pytest.approx(rows[-1]["end"])
        assert rows[-1]["end"] == means[preset]


def test_many_items_are_pooled_without_losing_money() -> None:
    rows = season(games=8)
    # Thirty new items, the one different from the other, on every win of floral.
    for score in rows["scores"]:
        if score["preset"] == "floral":
            extra = [{"id": f"new_{n:02}", "count": 1, "value": 1 + n % 7} for n in range(30)]
            score["items"] = score["items"] + extra
    result = compare(connect(rows), PRESETS[:2], baseline="plain")
    drawn = _rows(_payload(compare_page(result, lang="en"))["charts"]["chart-bridge-0"])
    labels = [row["label"] for row in drawn]
    assert any(label.endswith("more items") for label in labels)
    assert len(labels) < 20
    assert drawn[-2]["end"] == pytest.approx(drawn[-1]["end"])


def test_one_preset_alone_has_no_comparison_but_a_page(comparison: Comparison) -> None:
    alone = compare(connect(season()), PRESETS[:1], baseline="plain")
    reader = _Reader(compare_page(alone, lang="en"))
    ids = {attributes.get("id") for _, attributes in reader.elements}
    assert "mean_payout" in ids
    assert "bridge" not in ids
    assert "changed" not in ids
    assert texts("en")("compare.illegal.nothing", wins=f"{alone.wins:,}") in reader.words


def test_identical_presets_say_so() -> None:
    rows = season(games=6)
    rows["scores"] += [
        {**score, "preset": "twin", "preset_hash": "hash-twin"}
        for score in rows["scores"]
        if score["preset"] == "plain"
    ]
    twin = replace(PRESETS[0], id="twin", hash="hash-twin")
    result = compare(connect(rows), [PRESETS[0], twin], baseline="plain")
    words = _Reader(compare_page(result, lang="en")).words
    assert texts("en")("compare.bridge.nothing") in words
    # Two presets of one name are told apart by their ids.
    assert "Plain (plain)" in words
    assert "Plain (twin)" in words


def test_people_and_mixed_data_are_labelled() -> None:
    rows = season(games=4)
    for game in rows["games"]:
        game["simulated"] = False
    words = _Reader(compare_page(compare(connect(rows), PRESETS, baseline="plain"), lang="en")).words
    assert texts("en")("compare.not_simulated") in words
    rows["games"][0]["simulated"] = True
    words = _Reader(compare_page(compare(connect(rows), PRESETS, baseline="plain"), lang="en")).words
    assert texts("en")("compare.simulated_some", games="4", simulated="1") in words


def test_names_from_logs_are_text_not_markup() -> None:
    rows = season(games=4)
    for game in rows["games"]:
        game["players"] = ["paipu:<img src=x onerror=alert(1)>", "paipu:</script>", "paipu:Cai", "paipu:=1+1"]
    reader = _Reader(compare_page(compare(connect(rows), PRESETS, baseline="plain"), lang="en"))
    assert not list(reader.named("img"))
    assert "<img src=x onerror=alert(1)>" in reader.words


def test_the_summary_has_a_row_per_preset(comparison: Comparison) -> None:
    frame = summary_frame(comparison)
    assert frame["preset"].to_list() == ["plain", "floral", "dear"]
    assert frame["wins"].n_unique() == 1
    assert frame["illegal"].to_list()[:2] == [0, 0]
    assert frame["illegal"][2] > 0
    assert frame["difference"][0] is None


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (3.14159, "3.14"), (-3.14159, "−3.14"), (349.27, "349.3"), (12345.6, "12,345.6")]
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (0.0, "0.0 %"), (0.0001, "<0.1 %"), (0.5, "50.0 %"), (0.9999, ">99.9 %"), (1.0, "100.0 %")],
)
def test_percentages_round_neither_to_nothing_nor_to_all(value: float | None, text: str) -> None:
    assert percent(value) == text


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_a_browser_draws_every_chart(page: str, tmp_path: Path) -> None:
    file = tmp_path / "compare.html"
    file.write_text(page, encoding="utf-8")
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    command += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={tmp_path / 'u'}"]
    command += ["--virtual-time-budget=8000", "--dump-dom", file.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert dom.count('data-drawn="true"') == len(_payload(page)["charts"])


def test_items_that_share_a_name_are_told_apart(comparison: Comparison) -> None:
    names = {"seat_flower": "花牌", "any_flower": "花牌", "half_flush": "混一色"}
    rows = _rows(_payload(compare_page(comparison, lang="zh-TW", item_names=names))["charts"]["chart-items"])
    labels = {row["item"] for row in rows}
    assert {"花牌 seat_flower", "花牌 any_flower", "混一色"} <= labels


def test_players_of_one_name_are_told_apart_by_their_source() -> None:
    rows = season(games=4)
    for game in rows["games"]:
        game["players"] = ["omu:Ann", "paipu:Ann", "paipu:Bo", "paipu:Cai"]
    page = compare_page(compare(connect(rows), PRESETS, baseline="plain"), lang="en")
    chart = _payload(page)["charts"]["chart-standings"]
    assert {row["player"] for row in _rows(chart)} == {"Ann (omu)", "Ann (paipu)", "Bo", "Cai"}
