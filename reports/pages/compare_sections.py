"""The sections of the comparison page: one statistic each, with its chart, its SQL and its data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import polars as pl

from analysis.compare import ComparedPreset, Statistic
from reports.charts.interval_dots import interval_dots
from reports.charts.item_frequency import item_frequency
from reports.charts.place_lines import place_lines
from reports.charts.share_bars import share_bars
from reports.charts.tai_histogram import tai_histogram
from reports.charts.waterfall import waterfall
from reports.html import cells, csv_link
from reports.pages.compare_view import (
    OUTCOMES,
    SCALED,
    View,
    factor_text,
    interval_text,
    join,
    number,
    outcome_counts,
    percent,
    statistic_frame,
)

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
class Section:
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


class Sections:
    """Builds the sections; every builder is one section and gives None when it has nothing to say."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.comparison = view.comparison
        self.t = view.t
        self.names = view.names
        self.labels = view.labels

    def build(self) -> list[Section]:
        return [section for build in self._builders() if (section := build()) is not None]

    def _builders(self) -> list[Callable[[], Section | None]]:
        return [
            self.mean_payout,
            *([self.spread] if self.view.points or self.comparison.scales else []),
            self.mean_tai,
            self.changed,
            self.bridge,
            self.tai_histogram,
            self.items,
            self.roles,
            self.standings,
            self.outcomes if self.view.points else self.illegal,
            self.undetermined,
        ]

    def groups(self, *, money: bool) -> list[tuple[str, tuple[ComparedPreset, ...]]]:
        """(caption, presets) of the charts: one for presets that share a unit. No caption where all do."""
        presets = self.comparison.presets
        if not self.view.mixed or (money and self.comparison.scales):
            return [("", presets)]
        return [
            (self.t.unit(family, "name"), tuple(one for one in presets if one.family == family))
            for family in self.comparison.families
        ]

    def mean_payout(self) -> Section:
        return self._means("mean_payout", "mean_payout", word="money")

    def mean_tai(self) -> Section:
        return self._means("mean_tai", "mean_tai", word="tai")

    def _means(self, name: str, column: str, *, word: str) -> Section:
        rows = self.comparison.row_by_preset(name)
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
            text += f"  [{interval_text(low, high)}]"
        return {"preset": self.names[preset.id], "value": value, "low": low, "high": high, "text": text}

    def spread(self) -> Section:
        rows = self.comparison.row_by_preset("spread")
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
                presets=self.labels,
                shown=[self.names[preset.id] for preset in presets],
            )
            figures.append(_Figure(id=f"chart-spread-{place}", chart=chart, caption=caption))
        return self._section("spread", figures)

    def changed(self) -> Section | None:
        if not self.comparison.kin:
            return None
        rows = [
            row for row in self.comparison.statistics["changed"].records() if row["preset"] != self.comparison.baseline
        ]
        figures = []
        for measure in ("tai", "payout"):
            drawn = [
                self._bar(
                    row["preset"],
                    row[f"{measure}_share"],
                    row[f"{measure}_low"],
                    row[f"{measure}_high"],
                    wins=row[f"{measure}_changed"],
                )
                for row in rows
            ]
            figures.append(
                _Figure(
                    id=f"chart-changed-{measure}",
                    chart=share_bars(drawn, title=self.t("compare.changed.axis"), presets=self.labels, top=1.5),
                    caption=self.t(f"compare.changed.{measure}", **self.view.words("changed")),
                )
            )
        return self._section("changed", figures, layout="pair")

    def _bar(
        self, preset: str, share: float, low: float | None, high: float | None, *, wins: int, line: str = ""
    ) -> dict[str, Any]:
        """A row of share_bars; its line is the preset's name where nothing else is said."""
        name = self.names[preset]
        text = self.t("compare.changed.count", share=percent(share), wins=f"{wins:,}")
        return {"line": line or name, "preset": name, "share": share, "low": low, "high": high, "text": text}

    def bridge(self) -> Section | None:
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
                ),
                caption=f"{self.view.baseline} → {self.names[preset.id]}",
            )
            for place, preset in enumerate(drawn)
        ]
        same = [self.names[preset.id] for preset in self.comparison.kin if not steps[preset.id]]
        strangers = [self.names[preset.id] for preset in self.comparison.others if preset not in self.comparison.kin]
        colon = ": " if self.view.lang == "en" else "："
        return self._section(
            "bridge",
            figures,
            empty=f"{join(same, self.view.lang)}{colon}{self.t('compare.bridge.nothing')}" if same else "",
            notes=[self.t("compare.bridge.other_family", names=join(strangers, self.view.lang))] if strangers else [],
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
        rows = [{"label": self.view.baseline, "kind": "total", "start": start, "end": start, "text": number(start)}]
        for label, money in drawn:
            end = start + money
            rows.append({"label": label, "kind": "step", "start": start, "end": end, "text": number(money, sign=True)})
            start = end
        end = means[preset.id]
        if self.comparison.scales:
            factor = self.comparison.scales[preset.id]
            label = self.t("compare.bridge.scale", factor=factor_text(factor))
            scaled = end * factor
            text = number(scaled - end, sign=True)
            rows.append({"label": label, "kind": "step", "start": end, "end": scaled, "text": text})
            end = scaled
        rows.append({"label": self.names[preset.id], "kind": "total", "start": end, "end": end, "text": number(end)})
        return rows

    def _step_name(self, step: Mapping[str, Any]) -> str:
        if step["item"] is None:
            return self.t(f"compare.bridge.{step['kind']}")
        return self.t(f"compare.bridge.{step['kind']}", item=self.view.item(step["item"]), **self.view.words("bridge"))

    def tai_histogram(self) -> Section:
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

    def items(self) -> Section:
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
                "item": self.view.item(item),
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

    def roles(self) -> Section:
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

    def outcomes(self) -> Section:
        """Every recorded win by what becomes of it: the page's only figure over all of them."""
        drawn = []
        for row in self.comparison.statistics["outcomes"].records():
            if row["outcome"] == "ok":
                continue
            outcome = self.t(f"compare.outcomes.{row['outcome']}")
            told = outcome
            if row["reason"] is not None and row["reason"] != row["outcome"]:
                told = self.t("compare.outcomes.with_reason", outcome=outcome, reason=self.view.reason(row["reason"]))
            line = self.t("compare.outcomes.line", preset=self.names[row["preset"]], reason=told)
            drawn.append(self._bar_of(row, line=line))
        recorded = self.comparison.coverage["wins"]
        counts = outcome_counts(self.comparison)
        kinds = [kind for kind in OUTCOMES if kind != "no_win" or any(each["no_win"] for each in counts.values())]
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

    def illegal(self) -> Section:
        drawn = []
        for row in self.comparison.statistics["illegal"].records():
            reason = self.view.reason(row["reason"])
            line = self.t("compare.illegal.line", preset=self.names[row["preset"]], reason=reason)
            drawn.append(self._bar_of(row, line=line))
        return self._bars("illegal", drawn)

    def undetermined(self) -> Section:
        rows = self.comparison.statistics["undetermined"].records()
        return self._bars("undetermined", [self._bar_of(row) for row in rows if row["item"] is None])

    def _bar_of(self, row: Mapping[str, Any], *, line: str = "") -> dict[str, Any]:
        return self._bar(row["preset"], row["share"], row["low"], row["high"], wins=row["wins"], line=line)

    def _bars(self, name: str, drawn: list[dict[str, Any]], **values: str) -> Section:
        figures = []
        if drawn:
            chart = share_bars(drawn, title=self.t(f"compare.{name}.axis"), presets=self.labels)
            figures.append(_Figure(id=f"chart-{name}", chart=chart))
        empty = "" if drawn else self.t(f"compare.{name}.nothing", wins=f"{self.comparison.wins:,}")
        return self._section(name, figures, empty=empty, **values)

    def standings(self) -> Section:
        rows = self.comparison.statistics["standings"].records()
        display = _display_names(self.view.players)
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
        if len(self.view.players) > PLAYERS_SHOWN and figures:
            notes.append(self.t("compare.shown_of", shown=PLAYERS_SHOWN, all=len(self.view.players)))
        values = [
            f"{self.names[preset]} {value:.2f}"
            for preset, value in self.comparison.kendall.items()
            if value is not None
        ]
        if values:
            notes.append(self.t("compare.standings.kendall", values=join(values, self.view.lang)))
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
        return self.view.with_unit(total, self.view.unit(preset)) if self.view.mixed else total

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
    ) -> Section:
        statistic, words = self.comparison.statistics[name], self.view.words(name)
        frame = self._named(statistic)
        shown = list(frame.head(ROWS_SHOWN).iter_rows())
        notes = list(notes)
        if self.comparison.scales and name in SCALED and self.comparison.others:
            notes += [self.t("compare.scaled_note", factors=self.view.factors()), self.t("compare.own_sql")]
        if frame.height > len(shown):
            notes.append(self.t("compare.table_cut", shown=len(shown), all=frame.height))
        title = self.t(f"compare.{name}.title")
        return Section(
            name=name,
            title=title,
            text=text or self.t(f"compare.{name}.text", baseline=self.view.baseline, **words),
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
        if self.view.points:
            frame = frame.drop(_OF_PRICED, strict=False)
        added: list[tuple[str, str, Callable[[Any], str | None]]] = []
        if "preset" in frame.columns:
            added.append(("preset_name", "preset", self.names.get))
        if "item" in frame.columns:
            added.append(("item_name", "item", lambda item: None if item is None else self.view.item(item)))
        if "reason" in frame.columns:
            added.append(("reason_text", "reason", self.view.reason))
        for column, source, name in added:
            place = frame.columns.index(source) + 1
            frame.insert_column(place, pl.Series(column, [name(value) for value in frame[source]], dtype=pl.String))
        return frame


def _binned(rows: Sequence[Mapping[str, Any]], *, last: int) -> list[tuple[int, float]]:
    """Wins and share of the tai 0..last, where `last` holds all above too."""
    wins, shares = [0] * (last + 1), [0.0] * (last + 1)
    for row in rows:
        place = min(row["tai"], last)
        wins[place] += row["wins"]
        shares[place] += row["share"]
    return list(zip(wins, shares, strict=True))


def _display_names(players: Sequence[str]) -> dict[str, str]:
    """Players without their source where that stays unique, else with it behind: a chart cuts the end of a name."""
    parts = {player: player.partition(":")[::2] for player in players}
    counts = Counter(name or player for player, (_, name) in parts.items())
    return {
        player: name if name and counts[name] == 1 else f"{name} ({source})" if name else player
        for player, (source, name) in parts.items()
    }
