"""The comparison report: a Comparison as one offline HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from analysis.compare import LEFT_OUT, ComparedPreset, Comparison
from analysis.stats.cluster_bootstrap import MAX_CLUSTERS, REPLICATES
from reports.html import render_page
from reports.pages.compare_sections import Sections
from reports.pages.compare_view import OUTCOMES, View, factor_text, interval_text, join, number, outcome_counts, percent

if TYPE_CHECKING:
    from analysis.rules.preset import Preset

_TAI_COLUMN: Final = {"taiwan": "tai", "riichi": "han"}


def compare_page(comparison: Comparison, *, lang: str, item_names: Mapping[str, str] | None = None) -> str:
    """The page as HTML. item_names: names of items in that language; an item without one is shown by its id."""
    view = View(comparison, lang=lang, item_names=item_names or {})
    frame, sections = _Frame(view), Sections(view).build()
    t = view.t
    coverage = comparison.coverage
    return render_page(
        "compare.html.j2",
        lang=lang,
        charts={figure.id: figure.chart for section in sections for figure in section.figures},
        context={
            "t": t,
            "lead": frame.lead(),
            "simulated": frame.simulated(),
            "any_simulated": bool(coverage["simulated"]),
            "notices": frame.notices(),
            "priced": all(preset.priced for preset in comparison.presets),
            "figures": [
                (t("compare.figures.wins"), f"{comparison.wins:,}"),
                *([(t("compare.figures.left_out"), f"{coverage['left_out']:,}")] if coverage["left_out"] else []),
                (t("compare.figures.games"), f"{coverage['games']:,}"),
                (t("compare.figures.hands"), f"{coverage['hands']:,}"),
                (t("compare.figures.drawn"), f"{coverage['drawn']:,}"),
                (t("compare.figures.players"), f"{len(view.players):,}"),
                (t("compare.figures.presets"), f"{len(comparison.presets):,}"),
            ],
            "findings": frame.findings(),
            "summary": frame.summary(),
            "summary_note": frame.summary_note(),
            "sections": sections,
            "presets": comparison.presets,
            "baseline": comparison.baseline,
            "method": frame.method(),
        },
    )


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
    tai = comparison.row_by_preset("mean_tai")
    payout = comparison.row_by_preset("mean_payout")
    changed = comparison.row_by_preset("changed")
    outcomes = outcome_counts(comparison)
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
    counts = ("preset", "family", "wins", "illegal", *OUTCOMES)
    floats = [name for name in rows[0] if name not in counts]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64), infer_schema_length=None)


class _Frame:
    """What stands around the sections: what is compared, the summary and the method."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.comparison = view.comparison
        self.t = view.t

    def lead(self) -> str:
        if len(self.view.labels) == 1:
            return self.t("compare.lead_one", baseline=self.view.baseline)
        return self.t("compare.lead", n=len(self.view.labels), baseline=self.view.baseline)

    def simulated(self) -> str:
        games, simulated = self.comparison.coverage["games"], self.comparison.coverage["simulated"]
        kind = "simulated_all" if simulated == games else "simulated_some" if simulated else "not_simulated"
        return self.t(f"compare.{kind}", games=f"{games:,}", simulated=f"{simulated:,}")

    def notices(self) -> list[str]:
        lines = []
        if self.comparison.scales and self.comparison.others:
            lines.append(self.t("compare.scaled", factors=self.view.factors()))
        if self.view.mixed:
            units = dict.fromkeys(self._units(preset) for preset in self.comparison.presets)
            kind = "mixed_scaled" if self.comparison.scales else "mixed"
            separator = "; " if self.view.lang == "en" else "；"
            lines.append(self.t(f"compare.{kind}", units=separator.join(units)))
        return lines

    def _units(self, preset: ComparedPreset) -> str:
        words = [self.t.unit(preset.family, "tai")]
        if not self.comparison.scales:
            words.append(self.t.unit(preset.family, "money"))
        between = ": " if self.view.lang == "en" else "："
        return f"{self.t.unit(preset.family, 'name')}{between}{join(words, self.view.lang)}"

    def findings(self) -> list[str]:
        payouts = self.comparison.row_by_preset("mean_payout")
        changed = self.comparison.row_by_preset("changed")
        lines = []
        if self.comparison.scales or self.view.mixed:
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
                    name=self.view.names[preset.id],
                    mean=number(row["mean_payout"]),
                    difference=number(difference),
                    low=number(low),
                    high=number(high),
                    share=percent(changed[preset.id]["payout_share"]),
                    money=self.view.unit(preset),
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
            name=self.view.names[preset.id],
            mean=number(row["mean_payout"] / factor),
            unit=self.t.unit(preset.family, "money"),
            factor=factor_text(factor),
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
        tai = self.comparison.row_by_preset("mean_tai")
        payout = self.comparison.row_by_preset("mean_payout")
        changed = self.comparison.row_by_preset("changed")
        outcomes = outcome_counts(self.comparison)
        rows = []
        for preset in self.comparison.presets:
            hand, money, change = tai[preset.id], payout[preset.id], changed.get(preset.id)
            if preset.id == self.comparison.baseline:
                change = None
            mean, mean_tai = number(money["mean_payout"]), number(hand["mean_tai"])
            if self.view.mixed:
                mean = self.view.with_unit(mean, self.view.unit(preset))
                mean_tai = self.view.with_unit(mean_tai, self.t.unit(preset.family, "tai"))
            difference = (
                number(money["difference"], sign=True),
                interval_text(money["difference_low"], money["difference_high"], sign=True),
            )
            rows.append(
                {
                    "name": self.view.names[preset.id],
                    "note": t("compare.summary.baseline") if preset.id == self.comparison.baseline else "",
                    "cells": [
                        (mean, interval_text(money["low"], money["high"])),
                        (factor_text(scales[preset.id]), "") if scales else difference,
                        (mean_tai, interval_text(hand["low"], hand["high"])),
                        (percent(change["tai_share"]) if change else "", ""),
                        (percent(change["payout_share"]) if change else "", ""),
                        (f"{hand['wins'] - hand['legal']:,}", ""),
                        (f"{hand['wins']:,}", ""),
                        *[(f"{sum(outcomes[preset.id][kind] for kind in LEFT_OUT):,}", "")][: len(counted) - 1],
                    ],
                }
            )
        columns = [t(f"compare.summary.{key}", **self.view.words("mean_payout")) for key in ("preset", *keys)]
        return {"columns": columns, "rows": rows}

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
