"""The comparison report: a Comparison as one offline HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from analysis.compare import ComparedPreset, Comparison, Statistic
from analysis.stats.cluster_bootstrap import MAX_CLUSTERS, REPLICATES
from reports.charts.interval_dots import interval_dots
from reports.charts.item_frequency import item_frequency
from reports.charts.place_lines import place_lines
from reports.charts.share_bars import share_bars
from reports.charts.tai_histogram import tai_histogram
from reports.charts.waterfall import waterfall
from reports.html import cells, csv_link, render_page
from reports.i18n import Texts, texts

if TYPE_CHECKING:
    from analysis.rules.preset import Preset

STEPS_SHOWN: Final = 10
"""Items of a waterfall drawn on their own; the rest are one step."""
ITEMS_SHOWN: Final = 24
PLAYERS_SHOWN: Final = 16
STANDINGS_SHOWN: Final = 50
ROWS_SHOWN: Final = 300
TAI_SHOWN: Final = 20
"""Last bin of a histogram with a number of its own, unless nearly all wins lie below."""
POINTS_SHOWN: Final = {"riichi": 13}
"""The same for families that pay in points: a yakuman ends the scale. FAN_SHOWN for all others."""
FAN_SHOWN: Final = 40

_TAI_COLUMN: Final = {"taiwan": "tai", "riichi": "han"}
_OUTCOMES: Final = ("ok", "approximate", "no_yaku", "removed", "no_win", "not_rescorable")
_OF_ONE_FAMILY: Final = ("changed", "bridge")
_SCALED: Final = ("mean_payout", "spread", "roles", "standings")
_OF_PRICED: Final = ("mean_dealer_tai",)
"""Columns of the statistics that are about tai that cost money each."""


@dataclass(frozen=True, kw_only=True)
class _Table:
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int]
    total: int


@dataclass(frozen=True, kw_only=True)
class _Figure:
    id: str
    chart: Any
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class _Section:
    name: str
    title: str
    text: str
    denominator: str
    figures: Sequence[_Figure]
    table: _Table
    sql: str
    csv: str
    file: str
    layout: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    empty: str = ""
    estimates: Mapping[str, Any] | None = None


class _Words:
    """The texts of a page: `compare.of_<family>.<key>` if there is one, else, where hands are paid in points,
    `compare.points.<key>` if there is one, else `compare.<key>`.

    {tai} and {money} are the words for them of the page's family, which is `mixed` if there are several.
    """

    def __init__(self, lang: str, *, points: bool, family: str) -> None:
        self._texts: Texts = texts(lang)
        self._before = [f"compare.of_{family}.", *(["compare.points."] if points else [])]
        self._values = {"tai": self.unit(family, "tai"), "money": self.unit(family, "money")}

    def __call__(self, key: str, /, **values: object) -> str:
        key = self._key(key)
        text = self._texts(key, **(self._values | values))
        # A word of the family begins a heading; on an axis it stays small.
        begins = self._texts.entries[key].startswith("{tai}") and not key.endswith("axis")
        return text[:1].upper() + text[1:] if begins else text

    def _key(self, key: str) -> str:
        special = (key.replace("compare.", before, 1) for before in self._before)
        return next((one for one in special if one in self._texts.entries), key)

    def find(self, key: str, default: str) -> str:
        """The text of a key that may not exist."""
        return self._texts.entries.get(key, default)

    def unit(self, family: str, word: str) -> str:
        """Word of a family: name, tai or money. A family without words has those of several families."""
        entries = self._texts.entries
        return entries.get(f"family.{family}.{word}", entries[f"family.mixed.{word}"])


def compare_page(comparison: Comparison, *, lang: str, item_names: Mapping[str, str] | None = None) -> str:
    """The page as HTML. item_names: names of items in that language; an item without one is shown by its id."""
    page = _Page(comparison, lang=lang, item_names=item_names or {})
    sections = [section for build in page.builders() if (section := build()) is not None]
    t = page.t
    coverage = comparison.coverage
    return render_page(
        "compare.html.j2",
        lang=lang,
        charts={figure.id: figure.chart for section in sections for figure in section.figures},
        context={
            "t": t,
            "lead": page.lead(),
            "simulated": page.simulated(),
            "any_simulated": bool(coverage["simulated"]),
            "notices": page.notices(),
            "priced": all(preset.priced for preset in comparison.presets),
            "figures": [
                (t("compare.figures.wins"), f"{comparison.wins:,}"),
                *([(t("compare.figures.left_out"), f"{coverage['left_out']:,}")] if coverage["left_out"] else []),
                (t("compare.figures.games"), f"{coverage['games']:,}"),
                (t("compare.figures.hands"), f"{coverage['hands']:,}"),
                (t("compare.figures.drawn"), f"{coverage['drawn']:,}"),
                (t("compare.figures.players"), f"{len(page.players):,}"),
                (t("compare.figures.presets"), f"{len(comparison.presets):,}"),
            ],
            "findings": page.findings(),
            "summary": page.summary(),
            "summary_note": page.summary_note(),
            "sections": sections,
            "presets": comparison.presets,
            "baseline": comparison.baseline,
            "method": page.method(),
        },
    )


def statistic_frame(statistic: Statistic) -> pl.DataFrame:
    """A statistic as a frame, columns as in its SQL file."""
    return pl.DataFrame(list(statistic.rows), schema=list(statistic.columns), orient="row", infer_schema_length=None)


def item_names(presets: Iterable[Preset], lang: str) -> dict[str, str]:
    """Names of the items of the presets' families; where two families share an id, the first one's."""
    names: dict[str, str] = {}
    for preset in presets:
        catalogue = preset.catalogue()
        for item in (*catalogue.items, *catalogue.instead):
            names.setdefault(item, catalogue.name(item, lang))
    return names


def summary_frame(comparison: Comparison) -> pl.DataFrame:
    """One row per preset: n, means with their intervals, difference from the baseline, share of wins that change.

    The columns of tai are called by what the family counts: tai, han, fan, or value for several families. Where wins
    can be left out, the outcomes are counted. A scaled comparison has the factor instead of differences.
    """
    tai = {row["preset"]: row for row in comparison.statistics["mean_tai"].records()}
    payout = {row["preset"]: row for row in comparison.statistics["mean_payout"].records()}
    changed = {row["preset"]: row for row in comparison.statistics["changed"].records()}
    outcomes = _outcomes(comparison)
    [family, *more] = comparison.families
    word = "value" if more else _TAI_COLUMN.get(family, "fan")
    priced = all(preset.priced for preset in comparison.presets)
    rows = []
    for preset in comparison.presets:
        hand, money = tai[preset.id], payout[preset.id]
        change = changed.get(preset.id, {})
        factor = None if comparison.scales is None else comparison.scales[preset.id]
        rows.append(
            {
                "preset": preset.id,
                **({"family": preset.family} if more else {}),
                "wins": hand["wins"],
                **({"illegal": hand["wins"] - hand["legal"]} if priced else outcomes[preset.id]),
                f"mean_{word}": hand["mean_tai"],
                f"{word}_low": hand["low"],
                f"{word}_high": hand["high"],
                "mean_payout": money["mean_payout"],
                "payout_low": money["low"],
                "payout_high": money["high"],
                **(
                    {name: money[name] for name in ("difference", "difference_low", "difference_high")}
                    if factor is None
                    else {"scaled_by": factor}
                ),
                f"{word}_changed": change.get("tai_share"),
                "payout_changed": change.get("payout_share"),
            }
        )
    counts = ("preset", "family", "wins", "illegal", *_OUTCOMES)
    floats = [name for name in rows[0] if name not in counts]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64), infer_schema_length=None)


def _outcomes(comparison: Comparison) -> dict[str, dict[str, int]]:
    """All recorded wins by preset and outcome, those without a value that occur last."""
    counts = {preset.id: dict.fromkeys(_OUTCOMES, 0) for preset in comparison.presets}
    for row in comparison.statistics["outcomes"].records():
        counts[row["preset"]][row["outcome"]] += row["wins"]
    return counts


def number(value: float | None, *, sign: bool = False) -> str:
    """Two decimals below 100, one above, none for a whole number; empty when unknown."""
    if value is None:
        return ""
    digits = 0 if isinstance(value, int) else 2 if abs(value) < 100 else 1
    return f"{value:{'+' if sign and value else ''},.{digits}f}".replace("-", "−")


def percent(value: float | None) -> str:
    """One decimal, but never 0.0 % for something that happened nor 100.0 % for nearly all."""
    if value is None:
        return ""
    shown = f"{value:.1%}"
    if shown == "0.0%" and value > 0:
        shown = "<0.1%"
    if shown == "100.0%" and value < 1:
        shown = ">99.9%"
    return shown.replace("%", " %")


class _Page:
    """Builds the sections; every builder is one section and gives None when it has nothing to say."""

    def __init__(self, comparison: Comparison, *, lang: str, item_names: Mapping[str, str]) -> None:
        self.comparison = comparison
        self.lang = lang
        self.mixed = len(comparison.families) > 1
        self.points = self.mixed or not comparison.base_preset.priced
        # Scaled money is the baseline's.
        family = "mixed" if self.mixed else comparison.base_preset.family
        self.t = _Words(lang, points=self.points, family=family)
        self._item_names = _told_apart(
            {row["item"] for row in comparison.statistics["items"].records()}
            | {row["item"] for row in comparison.statistics["bridge"].records() if row["item"] is not None},
            item_names,
        )
        self.names = _unique_names(comparison.presets, lang=lang, t=self.t)
        self.labels = [self.names[preset.id] for preset in comparison.presets]
        self.players = sorted({row["player"] for row in comparison.statistics["standings"].records()})

    def builders(self) -> list[Callable[[], _Section | None]]:
        return [
            self.mean_payout,
            *([self.spread] if self.points or self.comparison.scales else []),
            self.mean_tai,
            self.changed,
            self.bridge,
            self.tai_histogram,
            self.items,
            self.roles,
            self.standings,
            self.outcomes if self.points else self.illegal,
            self.undetermined,
        ]

    @property
    def baseline(self) -> str:
        return self.names[self.comparison.baseline]

    def item(self, item: str) -> str:
        return self._item_names.get(item, item)

    def reason(self, reason: str) -> str:
        return self.t.find(f"compare.reasons.{reason}", reason)

    def unit(self, preset: ComparedPreset) -> str:
        """Word for the money that the page shows of a preset."""
        shown = self.comparison.base_preset if self.comparison.scales else preset
        return self.t.unit(shown.family, "money")

    def factors(self) -> str:
        scales = self.comparison.scales or {}
        return _join(
            (
                self.t("compare.factor", name=self.names[preset], factor=_factor(factor))
                for preset, factor in scales.items()
                if preset != self.comparison.baseline
            ),
            self.lang,
        )

    def words(self, name: str) -> dict[str, str]:
        """Words of a section that is about the baseline's family alone, or in its money."""
        family = self.comparison.base_preset.family
        if name in _OF_ONE_FAMILY:
            return {word: self.t.unit(family, word) for word in ("tai", "money")}
        return {"money": self.t.unit(family, "money")} if self.comparison.scales and name in _SCALED else {}

    def notices(self) -> list[str]:
        lines = []
        if self.comparison.scales and self.comparison.others:
            lines.append(self.t("compare.scaled", factors=self.factors()))
        if self.mixed:
            units = dict.fromkeys(self._units(preset) for preset in self.comparison.presets)
            kind = "mixed_scaled" if self.comparison.scales else "mixed"
            separator = "; " if self.lang == "en" else "；"
            lines.append(self.t(f"compare.{kind}", units=separator.join(units)))
        return lines

    def _units(self, preset: ComparedPreset) -> str:
        words = [self.t.unit(preset.family, "tai")]
        if not self.comparison.scales:
            words.append(self.t.unit(preset.family, "money"))
        between = ": " if self.lang == "en" else "："
        return f"{self.t.unit(preset.family, 'name')}{between}{_join(words, self.lang)}"

    def groups(self, *, money: bool) -> list[tuple[str, tuple[ComparedPreset, ...]]]:
        """(caption, presets) of the charts: one for presets that share a unit. No caption where all do."""
        presets = self.comparison.presets
        if not self.mixed or (money and self.comparison.scales):
            return [("", presets)]
        return [
            (self.t.unit(family, "name"), tuple(one for one in presets if one.family == family))
            for family in self.comparison.families
        ]

    def lead(self) -> str:
        if len(self.labels) == 1:
            return self.t("compare.lead_one", baseline=self.baseline)
        return self.t("compare.lead", n=len(self.labels), baseline=self.baseline)

    def simulated(self) -> str:
        games, simulated = self.comparison.coverage["games"], self.comparison.coverage["simulated"]
        kind = "simulated_all" if simulated == games else "simulated_some" if simulated else "not_simulated"
        return self.t(f"compare.{kind}", games=f"{games:,}", simulated=f"{simulated:,}")

    def findings(self) -> list[str]:
        payouts = {row["preset"]: row for row in self.comparison.statistics["mean_payout"].records()}
        changed = {row["preset"]: row for row in self.comparison.statistics["changed"].records()}
        lines = []
        if self.comparison.scales or self.mixed:
            lines.append(self._finding_in_own_unit(self.comparison.base_preset, payouts[self.comparison.baseline]))
        for preset in self.comparison.others:
            row = payouts[preset.id]
            if self.comparison.scales or preset not in self.comparison.kin:
                lines.append(self._finding_in_own_unit(preset, row))
                continue
            low, high, difference = row["difference_low"], row["difference_high"], row["difference"]
            if difference == 0 and changed[preset.id]["payout_changed"] == 0:
                kind = "equal"
            elif low is None:
                kind = "no_interval"
            elif low > 0 or high < 0:
                kind = "more" if difference > 0 else "less"
            else:
                kind = "same"
            if kind == "less":
                low, high, difference = -high, -low, -difference
            lines.append(
                self.t(
                    f"compare.summary.{kind}",
                    name=self.names[preset.id],
                    mean=number(row["mean_payout"]),
                    difference=number(difference),
                    low=number(low),
                    high=number(high),
                    share=percent(changed[preset.id]["payout_share"]),
                    money=self.unit(preset),
                )
            )
        return lines

    def _finding_in_own_unit(self, preset: ComparedPreset, row: Mapping[str, Any]) -> str:
        scales = self.comparison.scales
        factor = scales[preset.id] if scales else 1.0
        kind = "scaled" if scales else "other_unit"
        if preset.id == self.comparison.baseline:
            kind = "baseline_counts"
        return self.t(
            f"compare.summary.{kind}",
            name=self.names[preset.id],
            mean=number(row["mean_payout"] / factor),
            unit=self.t.unit(preset.family, "money"),
            factor=_factor(factor),
        )

    def summary_note(self) -> str:
        coverage, t = self.comparison.coverage, self.t
        notes = [t("compare.summary.note", wins=f"{self.comparison.wins:,}")]
        if coverage["left_out"]:
            recorded, left_out = f"{coverage['wins']:,}", f"{coverage['left_out']:,}"
            notes.append(t("compare.summary.left_out_note", recorded=recorded, left_out=left_out))
        money = {(preset.base, preset.unit) for preset in self.comparison.presets if preset.priced}
        if len(money) > 1:
            notes.append(t("compare.money_differs"))
        return " ".join(notes)

    def summary(self) -> dict[str, Any]:
        t = self.t
        scales = self.comparison.scales
        compared = "scaled_by" if scales else "difference"
        counted = ["n", "left_out"] if self.comparison.coverage["left_out"] else ["n"]
        keys = ("mean_payout", compared, "mean_tai", "tai_changed", "payout_changed", "illegal", *counted)
        tai = {row["preset"]: row for row in self.comparison.statistics["mean_tai"].records()}
        payout = {row["preset"]: row for row in self.comparison.statistics["mean_payout"].records()}
        changed = {row["preset"]: row for row in self.comparison.statistics["changed"].records()}
        outcomes = _outcomes(self.comparison)
        rows = []
        for preset in self.comparison.presets:
            hand, money, change = tai[preset.id], payout[preset.id], changed.get(preset.id)
            if preset.id == self.comparison.baseline:
                change = None
            mean, mean_tai = number(money["mean_payout"]), number(hand["mean_tai"])
            if self.mixed:
                mean = self._with_unit(mean, self.unit(preset))
                mean_tai = self._with_unit(mean_tai, self.t.unit(preset.family, "tai"))
            difference = (
                number(money["difference"], sign=True),
                _range(money["difference_low"], money["difference_high"], sign=True),
            )
            rows.append(
                {
                    "name": self.names[preset.id],
                    "note": t("compare.summary.baseline") if preset.id == self.comparison.baseline else "",
                    "cells": [
                        (mean, _range(money["low"], money["high"])),
                        (_factor(scales[preset.id]), "") if scales else difference,
                        (mean_tai, _range(hand["low"], hand["high"])),
                        (percent(change["tai_share"]) if change else "", ""),
                        (percent(change["payout_share"]) if change else "", ""),
                        (f"{hand['wins'] - hand['legal']:,}", ""),
                        (f"{hand['wins']:,}", ""),
                        *[(f"{outcomes[preset.id]['not_rescorable']:,}", "")][: len(counted) - 1],
                    ],
                }
            )
        columns = [t(f"compare.summary.{key}", **self.words("mean_payout")) for key in ("preset", *keys)]
        return {"columns": columns, "rows": rows}

    def _with_unit(self, value: str, unit: str) -> str:
        return self.t("compare.with_unit", value=value, unit=unit)

    def method(self) -> list[str]:
        t, coverage = self.t, self.comparison.coverage
        lines = [
            t("compare.method.same_wins"),
            t("compare.method.bootstrap", replicates=f"{REPLICATES:,}"),
            *([t("compare.method.pooled", n=f"{MAX_CLUSTERS:,}")] if coverage["games"] > MAX_CLUSTERS else []),
            t("compare.method.wilson"),
            t("compare.method.null"),
            t("compare.method.formats", formats=", ".join(coverage["formats"])),
        ]
        if coverage["first_game"] is not None:
            first, last = (f"{coverage[key]:%Y-%m-%d}" for key in ("first_game", "last_game"))
            lines.append(t("compare.method.period", first=first, last=last))
        if coverage["other_wins"]:
            lines.append(t("compare.method.left_out", n=f"{coverage['other_wins']:,}"))
        return lines

    # Sections

    def mean_payout(self) -> _Section:
        return self._means("mean_payout", "mean_payout", word="money")

    def mean_tai(self) -> _Section:
        return self._means("mean_tai", "mean_tai", word="tai")

    def _means(self, name: str, column: str, *, word: str) -> _Section:
        rows = {row["preset"]: row for row in self.comparison.statistics[name].records()}
        figures = []
        for place, (caption, presets) in enumerate(self.groups(money=word == "money")):
            drawn = [
                self._dot(preset, rows[preset.id][column], rows[preset.id]["low"], rows[preset.id]["high"])
                for preset in presets
            ]
            is_base = self.comparison.base_preset in presets
            chart = interval_dots(
                drawn,
                title=self._axis(name, presets, word),
                format=",~r",
                presets=self.labels,
                shown=[self.names[preset.id] for preset in presets],
                reference=rows[self.comparison.baseline][column] if is_base else None,
            )
            figures.append(_Figure(id=f"chart-{name}{f'-{place}' if place else ''}", chart=chart, caption=caption))
        games = rows[self.comparison.baseline]["games"]
        return self._section(name, figures, games=f"{games:,}")

    def _axis(self, name: str, presets: Sequence[ComparedPreset], word: str) -> str:
        """Title of an axis in the unit of these presets."""
        shown = self.comparison.base_preset if self.comparison.scales and word == "money" else presets[0]
        return self.t(f"compare.{name}.axis", **{word: self.t.unit(shown.family, word)})

    def _dot(
        self, preset: ComparedPreset, value: float, low: float | None, high: float | None, *, sign: bool = False
    ) -> dict[str, Any]:
        text = number(value, sign=sign)
        if low is not None and not sign:
            text += f"  [{_range(low, high)}]"
        return {"preset": self.names[preset.id], "value": value, "low": low, "high": high, "text": text}

    def spread(self) -> _Section:
        rows = {row["preset"]: row for row in self.comparison.statistics["spread"].records()}
        figures = []
        for place, (caption, presets) in enumerate(self.groups(money=True)):
            drawn = [
                self._dot(preset, row["median"], row["p10"], row["p90"])
                for preset in presets
                if (row := rows[preset.id])
            ]
            chart = interval_dots(
                drawn,
                title=self._axis("spread", presets, "money"),
                format=",~r",
                presets=self.labels,
                shown=[self.names[preset.id] for preset in presets],
            )
            figures.append(_Figure(id=f"chart-spread-{place}", chart=chart, caption=caption))
        return self._section("spread", figures)

    def changed(self) -> _Section | None:
        if not self.comparison.kin:
            return None
        rows = [
            row for row in self.comparison.statistics["changed"].records() if row["preset"] != self.comparison.baseline
        ]
        figures = []
        for measure in ("tai", "payout"):
            drawn = [
                {
                    "line": self.names[row["preset"]],
                    "preset": self.names[row["preset"]],
                    "share": row[f"{measure}_share"],
                    "low": row[f"{measure}_low"],
                    "high": row[f"{measure}_high"],
                    "text": self._counted(row[f"{measure}_share"], row[f"{measure}_changed"]),
                }
                for row in rows
            ]
            figures.append(
                _Figure(
                    id=f"chart-changed-{measure}",
                    chart=share_bars(drawn, title=self.t("compare.changed.axis"), presets=self.labels, top=1.5),
                    caption=self.t(f"compare.changed.{measure}", **self.words("changed")),
                )
            )
        return self._section("changed", figures, layout="pair")

    def _counted(self, share: float, wins: int) -> str:
        return self.t("compare.changed.count", share=percent(share), wins=f"{wins:,}")

    def bridge(self) -> _Section | None:
        if not self.comparison.kin:
            return None
        steps = self.comparison.by_preset("bridge")
        scales = self.comparison.scales or {}
        means = {
            row["preset"]: row["mean_payout"] / scales.get(row["preset"], 1.0)
            for row in self.comparison.statistics["mean_payout"].records()
        }
        drawn = [preset for preset in self.comparison.kin if steps[preset.id]]
        figures = [
            _Figure(
                id=f"chart-bridge-{place}",
                chart=waterfall(
                    self._waterfall_rows(steps[preset.id], preset, means),
                    title=self._axis("bridge", [preset], "money"),
                    format=",~r",
                ),
                caption=f"{self.baseline} → {self.names[preset.id]}",
            )
            for place, preset in enumerate(drawn)
        ]
        same = [self.names[preset.id] for preset in self.comparison.kin if not steps[preset.id]]
        strangers = [self.names[preset.id] for preset in self.comparison.others if preset not in self.comparison.kin]
        colon = ": " if self.lang == "en" else "："
        return self._section(
            "bridge",
            figures,
            empty=f"{_join(same, self.lang)}{colon}{self.t('compare.bridge.nothing')}" if same else "",
            notes=[self.t("compare.bridge.other_family", names=_join(strangers, self.lang))] if strangers else [],
        )

    def _waterfall_rows(
        self, steps: Sequence[dict[str, Any]], preset: ComparedPreset, means: Mapping[str, float]
    ) -> list[dict[str, Any]]:
        items = [step for step in steps if step["item"] is not None]
        shown, rest = items[:STEPS_SHOWN], items[STEPS_SHOWN:]
        if len(rest) == 1:
            shown, rest = items, []
        drawn = [(self._step_name(step), step["money_per_win"]) for step in shown]
        if rest:
            drawn.append((self.t("compare.bridge.rest", n=len(rest)), sum(step["money_per_win"] for step in rest)))
        drawn += [(self._step_name(step), step["money_per_win"]) for step in steps if step["item"] is None]
        start = means[self.comparison.baseline]
        rows = [{"label": self.baseline, "kind": "total", "start": start, "end": start, "text": number(start)}]
        for label, money in drawn:
            end = start + money
            rows.append({"label": label, "kind": "step", "start": start, "end": end, "text": number(money, sign=True)})
            start = end
        end = means[preset.id]
        if self.comparison.scales:
            factor = self.comparison.scales[preset.id]
            label = self.t("compare.bridge.scale", factor=_factor(factor))
            scaled = end * factor
            text = number(scaled - end, sign=True)
            rows.append({"label": label, "kind": "step", "start": end, "end": scaled, "text": text})
            end = scaled
        rows.append({"label": self.names[preset.id], "kind": "total", "start": end, "end": end, "text": number(end)})
        return rows

    def _step_name(self, step: Mapping[str, Any]) -> str:
        if step["item"] is None:
            return self.t(f"compare.bridge.{step['kind']}")
        return self.t(f"compare.bridge.{step['kind']}", item=self.item(step["item"]), **self.words("bridge"))

    def tai_histogram(self) -> _Section:
        rows = self.comparison.by_preset("tai_histogram")
        figures: list[_Figure] = []
        for _, presets in self.groups(money=False):
            bins, shares = self._bins({preset.id: rows[preset.id] for preset in presets}, presets[0])
            top = max((share for each in shares.values() for _, share in each), default=1.0) or 1.0
            baseline = shares.get(self.comparison.baseline)
            for preset in presets:
                drawn = [
                    {
                        "tai": label,
                        "wins": wins,
                        "share": share,
                        "baseline": None
                        if baseline is None or preset.id == self.comparison.baseline
                        else baseline[index][1],
                    }
                    for index, (label, (wins, share)) in enumerate(zip(bins, shares[preset.id], strict=True))
                ]
                legal = sum(row["wins"] for row in rows[preset.id])
                figures.append(
                    _Figure(
                        id=f"chart-tai-{len(figures)}",
                        chart=tai_histogram(
                            drawn,
                            preset=self.names[preset.id],
                            presets=self.labels,
                            bins=bins,
                            top=top,
                            x_title=self._axis("tai_histogram", [preset], "tai"),
                            y_title=self.t("compare.tai_histogram.share"),
                        ),
                        caption=f"{self.names[preset.id]}  (n = {legal:,})",
                    )
                )
        text = "" if self.comparison.others else self.t("compare.tai_histogram.text_one")
        return self._section("tai_histogram", figures, layout="trio", text=text)

    def _bins(
        self, rows: Mapping[str, Sequence[Mapping[str, Any]]], preset: ComparedPreset
    ) -> tuple[list[str], dict[str, list[tuple[int, float]]]]:
        """Labels of the bins and, by preset, the wins and share of each."""
        values = [row["tai"] for each in rows.values() for row in each]
        largest = max(values, default=0)
        if preset.priced:
            # Nought tai is a win where a payment has a base.
            first, last = 0, largest if largest <= TAI_SHOWN + 3 else TAI_SHOWN
        else:
            last = min(largest, POINTS_SHOWN.get(preset.family, FAN_SHOWN))
            first = min([*values, last])
        bins = [str(tai) for tai in range(first, last)]
        bins.append(str(last) if last == largest else self.t("compare.tai_histogram.and_more", tai=last))
        return bins, {name: _binned(each, last=last)[first:] for name, each in rows.items()}

    def items(self) -> _Section:
        rows = self.comparison.statistics["items"].records()
        best: dict[str, float] = {}
        for row in rows:
            best[row["item"]] = max(best.get(row["item"], 0.0), row["share"])
        order = sorted(best, key=lambda item: (-best[item], item))
        by_item: dict[str, list[dict[str, Any]]] = {item: [] for item in order[:ITEMS_SHOWN]}
        for row in rows:
            if row["item"] in by_item:
                by_item[row["item"]].append(row)
        drawn = [
            {
                "item": self.item(item),
                "preset": self.names[row["preset"]],
                "share": row["share"],
                "wins": row["wins"],
            }
            for item, each in by_item.items()
            for row in each
        ]
        figures = []
        if drawn:
            chart = item_frequency(drawn, presets=self.labels, title=self.t("compare.items.axis"))
            figures.append(_Figure(id="chart-items", chart=chart))
        notes = []
        if len(order) > ITEMS_SHOWN:
            notes.append(self.t("compare.shown_of", shown=ITEMS_SHOWN, all=len(order)))
        return self._section("items", figures, notes=notes)

    def roles(self) -> _Section:
        rows = {(row["preset"], row["role"]): row for row in self.comparison.statistics["roles"].records()}
        figures = []
        for place, (group, presets) in enumerate(self.groups(money=True)):
            for role in ("dealer", "other"):
                drawn = [
                    self._dot(preset, row["net"], row["net_low"], row["net_high"], sign=True)
                    for preset in presets
                    if (row := rows[preset.id, role])
                ]
                chart = interval_dots(
                    drawn,
                    title=self._axis("roles", presets, "money"),
                    format=",~r",
                    presets=self.labels,
                    shown=[self.names[preset.id] for preset in presets],
                    reference=0.0,
                )
                caption = " · ".join(filter(None, (group, self.t(f"compare.roles.{role}"))))
                figure_id = f"chart-roles-{role}{f'-{place}' if place else ''}"
                figures.append(_Figure(id=figure_id, chart=chart, caption=caption))
        first = self.comparison.baseline
        hands, seats = (f"{rows[first, role]['hands']:,}" for role in ("dealer", "other"))
        return self._section("roles", figures, layout="pair", hands=hands, seats=seats)

    def outcomes(self) -> _Section:
        """Every recorded win by what becomes of it: the page's only figure over all of them."""
        drawn = []
        for row in self.comparison.statistics["outcomes"].records():
            if row["outcome"] == "ok":
                continue
            outcome = self.t(f"compare.outcomes.{row['outcome']}")
            told = outcome
            if row["reason"] is not None and row["reason"] != row["outcome"]:
                told = self.t("compare.outcomes.with_reason", outcome=outcome, reason=self.reason(row["reason"]))
            drawn.append(
                {
                    "line": self.t("compare.outcomes.line", preset=self.names[row["preset"]], reason=told),
                    "preset": self.names[row["preset"]],
                    "share": row["share"],
                    "low": row["low"],
                    "high": row["high"],
                    "text": self._counted(row["share"], row["wins"]),
                }
            )
        recorded = self.comparison.coverage["wins"]
        counts = _outcomes(self.comparison)
        kinds = [kind for kind in _OUTCOMES if kind != "no_win" or any(each["no_win"] for each in counts.values())]
        table = [
            {
                "name": self.names[preset],
                "note": "",
                "cells": [
                    *((f"{each[kind]:,}", percent(each[kind] / recorded)) for kind in kinds),
                    (f"{recorded:,}", ""),
                ],
            }
            for preset, each in counts.items()
        ]
        columns = [self.t("compare.summary.preset"), *(self.t(f"compare.outcomes.{kind}") for kind in kinds)]
        section = self._bars("outcomes", drawn, recorded=f"{recorded:,}")
        estimates = {"columns": [*columns, self.t("compare.outcomes.n")], "rows": table}
        return replace(section, estimates=estimates)

    def illegal(self) -> _Section:
        drawn = [
            {
                "line": self.t(
                    "compare.illegal.line", preset=self.names[row["preset"]], reason=self.reason(row["reason"])
                ),
                "preset": self.names[row["preset"]],
                "share": row["share"],
                "low": row["low"],
                "high": row["high"],
                "text": self._counted(row["share"], row["wins"]),
            }
            for row in self.comparison.statistics["illegal"].records()
        ]
        return self._bars("illegal", drawn)

    def undetermined(self) -> _Section:
        drawn = [
            {
                "line": self.names[row["preset"]],
                "preset": self.names[row["preset"]],
                "share": row["share"],
                "low": row["low"],
                "high": row["high"],
                "text": self._counted(row["share"], row["wins"]),
            }
            for row in self.comparison.statistics["undetermined"].records()
            if row["item"] is None
        ]
        return self._bars("undetermined", drawn)

    def _bars(self, name: str, drawn: list[dict[str, Any]], **values: str) -> _Section:
        figures = []
        if drawn:
            chart = share_bars(drawn, title=self.t(f"compare.{name}.axis"), presets=self.labels)
            figures.append(_Figure(id=f"chart-{name}", chart=chart))
        empty = "" if drawn else self.t(f"compare.{name}.nothing", wins=f"{self.comparison.wins:,}")
        return self._section(name, figures, empty=empty, **values)

    def standings(self) -> _Section:
        rows = self.comparison.statistics["standings"].records()
        display = _display_names(self.players)
        moved = {row["player"] for row in rows if row["moves"]}
        shown = list(dict.fromkeys(row["player"] for row in rows))[:PLAYERS_SHOWN]
        drawn: list[dict[str, Any]] = []
        for preset in self.comparison.presets:
            ranked = sorted(
                (row for row in rows if row["preset"] == preset.id and row["player"] in shown),
                key=lambda row: (row["place"], shown.index(row["player"])),
            )
            # Among the players shown, so that lines neither leave the chart nor lie on each other.
            drawn += [
                {
                    "player": display[row["player"]],
                    "preset": self.names[preset.id],
                    "place": place,
                    "mover": row["player"] in moved,
                }
                for place, row in enumerate(ranked, start=1)
            ]
        figures = []
        if drawn and self.comparison.others:
            figures.append(_Figure(id="chart-standings", chart=place_lines(drawn, presets=self.labels)))
        notes = []
        if len(self.players) > PLAYERS_SHOWN and figures:
            notes.append(self.t("compare.shown_of", shown=PLAYERS_SHOWN, all=len(self.players)))
        values = [
            f"{self.names[preset]} {value:.2f}"
            for preset, value in self.comparison.kendall.items()
            if value is not None
        ]
        if values:
            notes.append(self.t("compare.standings.kendall", values=_join(values, self.lang)))
        empty = "" if rows else self.t("compare.standings.nothing")
        return replace(
            self._section("standings", figures, notes=notes, empty=empty), estimates=self._standings_table(display)
        )

    def _standings_table(self, display: Mapping[str, str]) -> dict[str, Any]:
        by_player: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self.comparison.statistics["standings"].records():
            by_player.setdefault(row["player"], {})[row["preset"]] = row
        table = []
        for player, each in list(by_player.items())[:STANDINGS_SHOWN]:
            totals = [(self._total(each[p.id], p), self._place(each[p.id])) for p in self.comparison.presets]
            hands = f"{each[self.comparison.baseline]['hands']:,}"
            table.append({"name": display[player], "note": "", "cells": [(hands, ""), *totals]})
        columns = [self.t("compare.standings.player"), self.t("compare.standings.n"), *self.labels]
        return {"columns": columns, "rows": table}

    def _total(self, row: Mapping[str, Any], preset: ComparedPreset) -> str:
        total = f"{round(row['total']):+,}".replace("-", "−")
        return self._with_unit(total, self.unit(preset)) if self.mixed else total

    def _place(self, row: Mapping[str, Any]) -> str:
        place = self.t("compare.standings.place", n=row["place"])
        if not row["moves"]:
            return place
        way = "up" if row["moves"] > 0 else "down"
        return f"{place} · {self.t(f'compare.standings.{way}', n=abs(row['moves']))}"

    def _section(
        self,
        name: str,
        figures: Sequence[_Figure],
        *,
        text: str = "",
        layout: str = "",
        notes: Sequence[str] = (),
        empty: str = "",
        **values: str,
    ) -> _Section:
        statistic, words = self.comparison.statistics[name], self.words(name)
        frame = self._named(statistic)
        shown = list(frame.head(ROWS_SHOWN).iter_rows())
        notes = list(notes)
        if self.comparison.scales and name in _SCALED and self.comparison.others:
            notes += [self.t("compare.scaled_note", factors=self.factors()), self.t("compare.own_sql")]
        if frame.height > len(shown):
            notes.append(self.t("compare.table_cut", shown=len(shown), all=frame.height))
        title = self.t(f"compare.{name}.title")
        return _Section(
            name=name,
            title=title,
            text=text or self.t(f"compare.{name}.text", baseline=self.baseline, **words),
            denominator=self.t(f"compare.{name}.denominator", wins=f"{self.comparison.wins:,}", **(words | values)),
            figures=figures,
            table=_Table(
                title=title,
                columns=frame.columns,
                rows=cells(shown),
                numeric=frozenset(place for place, kind in enumerate(frame.dtypes) if kind.is_numeric()),
                total=frame.height,
            ),
            sql=statistic.sql,
            csv=csv_link(frame),
            file=f"compare_{name}.csv",
            layout=layout,
            notes=notes,
            empty=empty,
        )

    def _named(self, statistic: Statistic) -> pl.DataFrame:
        """The statistic with the names of its items and presets beside their ids."""
        frame = statistic_frame(statistic)
        if self.points:
            frame = frame.drop(_OF_PRICED, strict=False)
        added: list[tuple[str, str, Callable[[Any], str | None]]] = []
        if "preset" in frame.columns:
            added.append(("preset_name", "preset", self.names.get))
        if "item" in frame.columns:
            added.append(("item_name", "item", lambda item: None if item is None else self.item(item)))
        if "reason" in frame.columns:
            added.append(("reason_text", "reason", self.reason))
        for column, source, name in added:
            place = frame.columns.index(source) + 1
            frame.insert_column(place, pl.Series(column, [name(value) for value in frame[source]], dtype=pl.String))
        return frame


def _range(low: float | None, high: float | None, *, sign: bool = False) -> str:
    return "" if low is None or high is None else f"{number(low, sign=sign)} – {number(high, sign=sign)}"


def _factor(factor: float) -> str:
    """Four digits that count."""
    return f"{factor:.4g}"


def _join(words: Iterable[str], lang: str) -> str:
    return (", " if lang == "en" else "、").join(words)


def _binned(rows: Sequence[Mapping[str, Any]], *, last: int) -> list[tuple[int, float]]:
    """Wins and share of the tai 0..last, where `last` holds all above too."""
    wins, shares = [0] * (last + 1), [0.0] * (last + 1)
    for row in rows:
        place = min(row["tai"], last)
        wins[place] += row["wins"]
        shares[place] += row["share"]
    return list(zip(wins, shares, strict=True))


def _unique_names(presets: Sequence[ComparedPreset], *, lang: str, t: _Words) -> dict[str, str]:
    """Names of the presets; where two share a name, the id is added."""
    names = [preset.name(lang) for preset in presets]
    return {
        preset.id: name if names.count(name) == 1 else t("compare.label", name=name, id=preset.id)
        for preset, name in zip(presets, names, strict=True)
    }


def _told_apart(items: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Names of the items; where two items share a name, the id is added, since charts go by the label."""
    told = {item: names.get(item, item) for item in items}
    counts = Counter(told.values())
    return {**names, **{item: name if counts[name] == 1 else f"{name} {item}" for item, name in told.items()}}


def _display_names(players: Sequence[str]) -> dict[str, str]:
    """Players without their source where that stays unique, else with it behind: a chart cuts the end of a name."""
    parts = {player: player.partition(":")[::2] for player in players}
    counts = Counter(name or player for player, (_, name) in parts.items())
    return {
        player: name if name and counts[name] == 1 else f"{name} ({source})" if name else player
        for player, (source, name) in parts.items()
    }
