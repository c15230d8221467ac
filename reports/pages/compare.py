"""The comparison report: a Comparison as one offline HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

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

STEPS_SHOWN: Final = 10
"""Items of a waterfall drawn on their own; the rest are one step."""
ITEMS_SHOWN: Final = 24
PLAYERS_SHOWN: Final = 16
STANDINGS_SHOWN: Final = 50
ROWS_SHOWN: Final = 300
TAI_SHOWN: Final = 20
"""Last bin of a histogram with a number of its own, unless nearly all wins lie below."""


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
            "figures": [
                (t("compare.figures.wins"), f"{comparison.wins:,}"),
                (t("compare.figures.games"), f"{coverage['games']:,}"),
                (t("compare.figures.hands"), f"{coverage['hands']:,}"),
                (t("compare.figures.drawn"), f"{coverage['drawn']:,}"),
                (t("compare.figures.players"), f"{len(page.players):,}"),
                (t("compare.figures.presets"), f"{len(comparison.presets):,}"),
            ],
            "findings": page.findings(),
            "summary": page.summary(),
            "wins": f"{comparison.wins:,}",
            "money_differs": len({(preset.base, preset.unit) for preset in comparison.presets}) > 1,
            "sections": sections,
            "presets": comparison.presets,
            "baseline": comparison.baseline,
            "method": page.method(),
        },
    )


def statistic_frame(statistic: Statistic) -> pl.DataFrame:
    """A statistic as a frame, columns as in its SQL file."""
    return pl.DataFrame(list(statistic.rows), schema=list(statistic.columns), orient="row", infer_schema_length=None)


def summary_frame(comparison: Comparison) -> pl.DataFrame:
    """One row per preset: n, means with their intervals, difference from the baseline, share of wins that change."""
    tai = {row["preset"]: row for row in comparison.statistics["mean_tai"].records()}
    payout = {row["preset"]: row for row in comparison.statistics["mean_payout"].records()}
    changed = {row["preset"]: row for row in comparison.statistics["changed"].records()}
    rows = [
        {
            "preset": preset.id,
            "wins": tai[preset.id]["wins"],
            "illegal": tai[preset.id]["wins"] - tai[preset.id]["legal"],
            "mean_tai": tai[preset.id]["mean_tai"],
            "tai_low": tai[preset.id]["low"],
            "tai_high": tai[preset.id]["high"],
            "mean_payout": payout[preset.id]["mean_payout"],
            "payout_low": payout[preset.id]["low"],
            "payout_high": payout[preset.id]["high"],
            "difference": payout[preset.id]["difference"],
            "difference_low": payout[preset.id]["difference_low"],
            "difference_high": payout[preset.id]["difference_high"],
            "tai_changed": changed[preset.id]["tai_share"],
            "payout_changed": changed[preset.id]["payout_share"],
        }
        for preset in comparison.presets
    ]
    floats = [name for name in rows[0] if name not in ("preset", "wins", "illegal")]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(floats, pl.Float64), infer_schema_length=None)


def number(value: float | None, *, sign: bool = False) -> str:
    """Two decimals below 100, one above; empty when unknown."""
    if value is None:
        return ""
    digits = 2 if abs(value) < 100 else 1
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
        self.t: Texts = texts(lang)
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
            self.mean_tai,
            self.changed,
            self.bridge,
            self.tai_histogram,
            self.items,
            self.roles,
            self.standings,
            self.illegal,
            self.undetermined,
        ]

    @property
    def baseline(self) -> str:
        return self.names[self.comparison.baseline]

    def item(self, item: str) -> str:
        return self._item_names.get(item, item)

    def reason(self, reason: str) -> str:
        return self.t.entries.get(f"compare.reasons.{reason}", reason)

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
        for preset in self.comparison.others:
            row = payouts[preset.id]
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
                )
            )
        return lines

    def summary(self) -> dict[str, Any]:
        t = self.t
        keys = ("mean_payout", "difference", "mean_tai", "tai_changed", "payout_changed", "illegal", "n")
        rows = []
        for row in summary_frame(self.comparison).iter_rows(named=True):
            is_baseline = row["preset"] == self.comparison.baseline
            rows.append(
                {
                    "name": self.names[row["preset"]],
                    "note": t("compare.summary.baseline") if is_baseline else "",
                    "cells": [
                        (number(row["mean_payout"]), _range(row["payout_low"], row["payout_high"])),
                        (
                            number(row["difference"], sign=True),
                            _range(row["difference_low"], row["difference_high"], sign=True),
                        ),
                        (number(row["mean_tai"]), _range(row["tai_low"], row["tai_high"])),
                        ("" if is_baseline else percent(row["tai_changed"]), ""),
                        ("" if is_baseline else percent(row["payout_changed"]), ""),
                        (f"{row['illegal']:,}", ""),
                        (f"{row['wins']:,}", ""),
                    ],
                }
            )
        return {"columns": [t(f"compare.summary.{key}") for key in ("preset", *keys)], "rows": rows}

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
        return self._means("mean_payout", "mean_payout")

    def mean_tai(self) -> _Section:
        return self._means("mean_tai", "mean_tai")

    def _means(self, name: str, column: str) -> _Section:
        rows = self.comparison.statistics[name].records()
        reference = next(row[column] for row in rows if row["preset"] == self.comparison.baseline)
        drawn = [
            {
                "preset": self.names[row["preset"]],
                "value": row[column],
                "low": row["low"],
                "high": row["high"],
                "text": number(row[column])
                + (f"  [{_range(row['low'], row['high'])}]" if row["low"] is not None else ""),
            }
            for row in rows
        ]
        chart = interval_dots(
            drawn, title=self.t(f"compare.{name}.axis"), format=",~r", presets=self.labels, reference=reference
        )
        return self._section(name, [_Figure(id=f"chart-{name}", chart=chart)], games=f"{rows[0]['games']:,}")

    def changed(self) -> _Section | None:
        if not self.comparison.others:
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
                    caption=self.t(f"compare.changed.{measure}"),
                )
            )
        return self._section("changed", figures, layout="pair")

    def _counted(self, share: float, wins: int) -> str:
        return self.t("compare.changed.count", share=percent(share), wins=f"{wins:,}")

    def bridge(self) -> _Section | None:
        if not self.comparison.others:
            return None
        steps = self.comparison.by_preset("bridge")
        means = {row["preset"]: row["mean_payout"] for row in self.comparison.statistics["mean_payout"].records()}
        figures = [
            _Figure(
                id=f"chart-bridge-{place}",
                chart=waterfall(
                    self._waterfall_rows(steps[preset.id], preset, means),
                    title=self.t("compare.bridge.axis"),
                    format=",~r",
                ),
                caption=f"{self.baseline} → {self.names[preset.id]}",
            )
            for place, preset in enumerate(self.comparison.others)
            if steps[preset.id]
        ]
        same = [self.names[preset.id] for preset in self.comparison.others if not steps[preset.id]]
        colon = ": " if self.lang == "en" else "："
        return self._section(
            "bridge",
            figures,
            empty=f"{_join(same, self.lang)}{colon}{self.t('compare.bridge.nothing')}" if same else "",
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
        rows.append({"label": self.names[preset.id], "kind": "total", "start": end, "end": end, "text": number(end)})
        return rows

    def _step_name(self, step: Mapping[str, Any]) -> str:
        if step["item"] is None:
            return self.t(f"compare.bridge.{step['kind']}")
        return self.t(f"compare.bridge.{step['kind']}", item=self.item(step["item"]))

    def tai_histogram(self) -> _Section:
        rows = self.comparison.by_preset("tai_histogram")
        largest = max((row["tai"] for each in rows.values() for row in each), default=0)
        last = largest if largest <= TAI_SHOWN + 3 else TAI_SHOWN
        bins = [str(tai) for tai in range(last)]
        bins.append(str(last) if last == largest else self.t("compare.tai_histogram.and_more", tai=last))
        shares = {preset: _binned(each, last=last) for preset, each in rows.items()}
        top = max((share for each in shares.values() for _, share in each), default=1.0) or 1.0
        figures = []
        for place, preset in enumerate(self.comparison.presets):
            is_baseline = preset.id == self.comparison.baseline
            drawn = [
                {
                    "tai": label,
                    "wins": wins,
                    "share": share,
                    "baseline": None if is_baseline else shares[self.comparison.baseline][index][1],
                }
                for index, (label, (wins, share)) in enumerate(zip(bins, shares[preset.id], strict=True))
            ]
            legal = sum(row["wins"] for row in rows[preset.id])
            figures.append(
                _Figure(
                    id=f"chart-tai-{place}",
                    chart=tai_histogram(
                        drawn,
                        preset=self.names[preset.id],
                        presets=self.labels,
                        bins=bins,
                        top=top,
                        x_title=self.t("compare.tai_histogram.axis"),
                        y_title=self.t("compare.tai_histogram.share"),
                    ),
                    caption=f"{self.names[preset.id]}  (n = {legal:,})",
                )
            )
        text = "" if self.comparison.others else self.t("compare.tai_histogram.text_one")
        return self._section("tai_histogram", figures, layout="trio", text=text)

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
        rows = self.comparison.statistics["roles"].records()
        figures = []
        for role in ("dealer", "other"):
            drawn = [
                {
                    "preset": self.names[row["preset"]],
                    "value": row["net"],
                    "low": row["net_low"],
                    "high": row["net_high"],
                    "text": number(row["net"], sign=True),
                }
                for row in rows
                if row["role"] == role
            ]
            chart = interval_dots(
                drawn, title=self.t("compare.roles.axis"), format=",~r", presets=self.labels, reference=0.0
            )
            figures.append(_Figure(id=f"chart-roles-{role}", chart=chart, caption=self.t(f"compare.roles.{role}")))
        hands = self.comparison.coverage["hands"]
        return self._section("roles", figures, layout="pair", hands=f"{hands:,}", seats=f"{3 * hands:,}")

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

    def _bars(self, name: str, drawn: list[dict[str, Any]]) -> _Section:
        figures = []
        if drawn:
            chart = share_bars(drawn, title=self.t(f"compare.{name}.axis"), presets=self.labels)
            figures.append(_Figure(id=f"chart-{name}", chart=chart))
        empty = "" if drawn else self.t(f"compare.{name}.nothing", wins=f"{self.comparison.wins:,}")
        return self._section(name, figures, empty=empty)

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
            totals = [
                (f"{each[p.id]['total']:+,}".replace("-", "−"), self._place(each[p.id]))
                for p in self.comparison.presets
            ]
            hands = f"{each[self.comparison.baseline]['hands']:,}"
            table.append({"name": display[player], "note": "", "cells": [(hands, ""), *totals]})
        columns = [self.t("compare.standings.player"), self.t("compare.standings.n"), *self.labels]
        return {"columns": columns, "rows": table}

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
        statistic = self.comparison.statistics[name]
        frame = self._named(statistic)
        shown = list(frame.head(ROWS_SHOWN).iter_rows())
        notes = list(notes)
        if frame.height > len(shown):
            notes.append(self.t("compare.table_cut", shown=len(shown), all=frame.height))
        title = self.t(f"compare.{name}.title")
        return _Section(
            name=name,
            title=title,
            text=text or self.t(f"compare.{name}.text", baseline=self.baseline),
            denominator=self.t(f"compare.{name}.denominator", wins=f"{self.comparison.wins:,}", **values),
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


def _unique_names(presets: Sequence[ComparedPreset], *, lang: str, t: Texts) -> dict[str, str]:
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
    """Players without their source where that stays unique."""
    short = [player.partition(":")[2] or player for player in players]
    return {player: name if short.count(name) == 1 else player for player, name in zip(players, short, strict=True)}
