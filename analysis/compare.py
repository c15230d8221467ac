"""The same wins under several presets: the numbers of the comparison report.

Every statistic is one SQL file (analysis/sql/metrics/compare_*.sql) with its numerator, denominator and unit in its
head. The text kept beside its rows can be run again with `paipu sql`. Play is held fixed: the presets score the hands
as they were played.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from analysis.sql.literals import literal
from analysis.stats.cluster_bootstrap import cluster_bootstrap
from analysis.stats.kendall import kendall_tau
from analysis.stats.wilson import wilson
from ingest.errors import PaipuError, UsageError

if TYPE_CHECKING:
    import duckdb

    from analysis.rules.preset import Preset

Interval = tuple[float, float]

_SHARED: Final = {
    "compare_played": "TABLE",
    "compare_left_out": "TABLE",
    "compare_scores": "VIEW",
    "compare_wins": "VIEW",
    "compare_games": "TABLE",
}
"""Relations that other statistics select from, in the order they build on each other.

A view is read again by each statistic: DuckDB would otherwise hold every win in memory.
"""
_STATISTICS: Final = (
    "mean_tai",
    "mean_payout",
    "changed",
    "bridge",
    "tai_histogram",
    "items",
    "roles",
    "illegal",
    "outcomes",
    "undetermined",
    "spread",
    "standings",
)
LEFT_OUT: Final = ("not_rescorable", "no_yaku")
"""Outcomes that keep a win out of the means of every preset, as in compare_left_out."""
_MONEY: Final = {
    "mean_payout": ("mean_payout", "low", "high"),
    "roles": ("received", "paid", "net", "net_low", "net_high"),
    "spread": ("p10", "p25", "median", "p75", "p90"),
    "standings": ("total", "per_hand"),
}
"""Columns that a scaled comparison multiplies. Differences from the baseline are left empty: they are nothing there."""


class NotScoredError(PaipuError):
    """The store's scores do not cover the same wins under every preset."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class ComparedPreset:
    """A preset as the comparison needs it. base: money per payment; unit: money per tai.

    priced: a payment is base + unit x tai; else the rules say what a hand pays, in points. sets: sets of a complete
    hand, which tells the families that can score the same wins. honba_ron, honba_tsumo: points per counter, of the
    discarder or of each payer; honba_each: every winner of a hand gets them, not the first alone.
    """

    id: str
    hash: str
    family: str
    base: int
    unit: int
    names: Mapping[str, str]
    priced: bool
    sets: int
    players: int = 4
    honba_ron: int = 0
    honba_tsumo: int = 0
    honba_each: bool = True

    @classmethod
    def of(cls, preset: Preset) -> ComparedPreset:
        catalogue = preset.catalogue()
        counters = "honba_ron" in preset.options
        return cls(
            id=preset.id,
            hash=preset.hash,
            family=preset.family,
            base=preset.base,
            unit=preset.unit,
            names=preset.names,
            priced=not catalogue.payment,
            sets=catalogue.sets,
            players=preset.number("players") if "players" in preset.options else 4,
            honba_ron=preset.number("honba_ron") if counters else 0,
            honba_tsumo=preset.number("honba_tsumo_each") if counters else 0,
            honba_each=preset.options.get("multi_ron_honba", "each") == "each",
        )

    def name(self, lang: str) -> str:
        return self.names.get(lang) or self.names.get("en") or self.id


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """One figure's data: `rows` has one tuple per row of `columns`, `sql` is the query that gives them.

    Columns ending in `low` and `high` are 95 % intervals and are added by Python, not by the query.
    """

    name: str
    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Everything the report shows. `presets` are in the order asked for; `coverage` has the columns of its SQL file.

    scales: by preset, what its money is multiplied by; None when each is shown as it is. Differences of presets of
    another family than the baseline's are None: their units differ.
    """

    presets: tuple[ComparedPreset, ...]
    baseline: str
    coverage: Mapping[str, Any]
    statistics: Mapping[str, Statistic]
    kendall: Mapping[str, float | None]
    scales: Mapping[str, float] | None = None

    @property
    def wins(self) -> int:
        """Wins that every preset can score and allows: the denominator of the means."""
        return int(self.coverage["wins"]) - int(self.coverage["left_out"])

    @property
    def others(self) -> tuple[ComparedPreset, ...]:
        return tuple(preset for preset in self.presets if preset.id != self.baseline)

    @property
    def base_preset(self) -> ComparedPreset:
        return next(preset for preset in self.presets if preset.id == self.baseline)

    @property
    def kin(self) -> tuple[ComparedPreset, ...]:
        """The others of the baseline's family: their tai and money can be set against its."""
        return tuple(preset for preset in self.others if preset.family == self.base_preset.family)

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(preset.family for preset in self.presets))

    @property
    def players(self) -> int:
        return self.presets[0].players

    def by_preset(self, statistic: str) -> dict[str, list[dict[str, Any]]]:
        """Rows of a statistic under each preset; a preset without rows has an empty list."""
        rows: dict[str, list[dict[str, Any]]] = {preset.id: [] for preset in self.presets}
        for row in self.statistics[statistic].records():
            rows[row["preset"]].append(row)
        return rows

    def row_by_preset(self, statistic: str) -> dict[str, dict[str, Any]]:
        """The row under each preset of a statistic that has one a preset; a preset may be left out."""
        return {row["preset"]: row for row in self.statistics[statistic].records()}


def compare(
    connection: duckdb.DuckDBPyConnection, presets: Sequence[ComparedPreset], *, baseline: str, scale: bool = False
) -> Comparison:
    """Compare presets over all wins that the warehouse connection shows of their families and number of players.

    Means are over the wins that are neither not_rescorable nor without yaku under any preset. scale: multiply the money
    of each preset so that its mean payout is the baseline's. All presets must be scored. Raises UsageError when the
    presets cannot be compared or there is no win, NotScoredError when the scores are missing or incomplete.
    """
    _check(presets, baseline=baseline)
    parameters = _parameters(presets, baseline=baseline)
    made = []
    try:
        for name in ("compare_played", "compare_left_out"):
            _make(connection, name, parameters)
            made.append(name)
        coverage = _query(connection, "coverage", parameters).records()[0]
        if not coverage["wins"]:
            raise UsageError(_no_win(presets))
        _check_scored(connection, presets, wins=coverage["wins"])
        for name in ("compare_scores", "compare_wins", "compare_games"):
            _make(connection, name, parameters)
            made.append(name)
        order = {preset.id: place for place, preset in enumerate(presets)}
        statistics = {name: _sorted(_query(connection, name, parameters), order) for name in _STATISTICS}
        if coverage["left_out"] == coverage["wins"]:
            raise UsageError(_none_left(statistics["outcomes"]))
        games = _Games.read(connection, presets, baseline=baseline)
    finally:
        for name in reversed(made):
            connection.execute(f"DROP {_SHARED[name]} {name}")
    statistics["mean_tai"] = games.with_means(statistics["mean_tai"], "hand_tai", "mean_tai")
    statistics["mean_payout"] = games.with_means(statistics["mean_payout"], "payout", "mean_payout")
    statistics["roles"] = games.with_roles(statistics["roles"])
    statistics["changed"] = _with_wilson(
        _within_family(statistics["changed"], presets, baseline=baseline),
        {"tai": "wins", "payout": "wins"},
        suffix="_changed",
    )
    for name in ("items", "illegal", "outcomes", "undetermined"):
        statistics[name] = _with_wilson(statistics[name], {"": "of_wins"}, suffix="wins")
    scales = None
    if scale:
        scales = _scales(statistics["mean_payout"], baseline=baseline)
        statistics |= {name: _scaled(statistics[name], columns, scales) for name, columns in _MONEY.items()}
    return Comparison(
        presets=tuple(presets),
        baseline=baseline,
        coverage=coverage,
        statistics=statistics,
        kendall=_kendall(statistics["standings"], presets, baseline=baseline),
        scales=scales,
    )


def game_totals(connection: duckdb.DuckDBPyConnection, comparison: Comparison) -> Statistic:
    """Totals per game and preset: the clusters behind the intervals. Not part of a Comparison, for its size."""
    parameters = _parameters(comparison.presets, baseline=comparison.baseline)
    relations = ",\n".join(_with(name, parameters) for name in _SHARED if name != "compare_games")
    sql = f"WITH {relations}\nSELECT * FROM (\n{_bound('compare_games', parameters)}\n)"
    return _run(connection, "games", sql, sql)


def _parameters(presets: Sequence[ComparedPreset], *, baseline: str) -> dict[str, Any]:
    rows = [
        {
            "preset": one.id,
            "hash": one.hash,
            "family": one.family,
            "base": one.base,
            "unit": one.unit,
            "honba_ron": one.honba_ron,
            "honba_tsumo": one.honba_tsumo,
            "honba_each": one.honba_each,
            "baseline": one.id == baseline,
        }
        for one in presets
    ]
    [priced] = [one.priced for one in presets if one.id == baseline]
    return {
        "presets": rows,
        "families": sorted({one.family for one in presets}),
        "players": presets[0].players,
        "baseline": baseline,
        # Not a parameter of a file, but which file it is.
        "bridge": "compare_bridge" if priced else "compare_bridge_points",
    }


def _check(presets: Sequence[ComparedPreset], *, baseline: str) -> None:
    if not presets:
        raise UsageError("no preset to compare; name some with --presets")
    ids = [preset.id for preset in presets]
    double = sorted({one for one in ids if ids.count(one) > 1})
    if double:
        raise UsageError(f"two presets have the id '{double[0]}'; give one of the files another id")
    if baseline not in ids:
        raise UsageError(f"the baseline '{baseline}' is not among the presets {', '.join(ids)}")
    first = presets[0]
    for preset in presets:
        if preset.sets != first.sets:
            raise UsageError(
                f"'{first.id}' ({first.family}, hands of {first.sets} sets) and '{preset.id}' ({preset.family}, "
                f"{preset.sets} sets) cannot score the same wins; compare them in two runs"
            )
        if preset.players != first.players:
            raise UsageError(
                f"'{first.id}' is for {first.players} players and '{preset.id}' for {preset.players}, so they cannot "
                "score the same wins; compare them in two runs"
            )


def _no_win(presets: Sequence[ComparedPreset]) -> str:
    families = sorted({f"'{preset.family}'" for preset in presets})
    named = f"family {families[0]}" if len(families) == 1 else f"families {', '.join(families)}"
    table = "" if presets[0].players == 4 else f" at a table of {presets[0].players}"
    return f"the store has no win of the {named}{table} to compare; add logs with 'paipu ingest PATH'"


def _none_left(outcomes: Statistic) -> str:
    worst = max((row for row in outcomes.records() if row["outcome"] in LEFT_OUT), key=lambda row: int(row["wins"]))
    why = "have no yaku" if worst["outcome"] == "no_yaku" else f"are not rescorable ({worst['reason']})"
    return (
        f"no win can be scored under all of the presets: under '{worst['preset']}' {worst['wins']:,} of "
        f"{worst['of_wins']:,} {why}; compare without it"
    )


def _check_scored(connection: duckdb.DuckDBPyConnection, presets: Sequence[ComparedPreset], *, wins: int) -> None:
    # Presets with the same rules share a hash, so the id counts too.
    rows = connection.execute(
        "SELECT preset, preset_hash, count(*) FROM staging.scores SEMI JOIN compare_played USING (game_id) GROUP BY ALL"
    ).fetchall()
    counts = {(preset, hash_): count for preset, hash_, count in rows}
    for preset in presets:
        found = counts.get((preset.id, preset.hash), 0)
        if found != wins:
            raise NotScoredError(
                f"preset '{preset.id}' has scores of {found:,} of {wins:,} wins; "
                f"run 'paipu rescore --preset {preset.id}'"
            )


def _scales(payouts: Statistic, *, baseline: str) -> dict[str, float]:
    """What the money of each preset is multiplied by; 1 where nothing is paid at all."""
    means = {row["preset"]: row["mean_payout"] for row in payouts.records()}
    return {preset: means[baseline] / mean if mean else 1.0 for preset, mean in means.items()}


def _scaled(statistic: Statistic, columns: Sequence[str], scales: Mapping[str, float]) -> Statistic:
    """The statistic with those columns multiplied, and a column scaled_by. Sums over all wins stay as they are."""
    rows = []
    for record in statistic.records():
        factor = scales[record["preset"]]
        scaled = {name: None if record[name] is None else record[name] * factor for name in columns}
        empty = {name: None for name in record if name.startswith("difference")}
        rows.append((*(record | scaled | empty).values(), factor))
    return replace(statistic, columns=(*statistic.columns, "scaled_by"), rows=tuple(rows))


def _within_family(statistic: Statistic, presets: Sequence[ComparedPreset], *, baseline: str) -> Statistic:
    """Without presets of another family than the baseline's: every number changes with the unit."""
    families = {preset.id: preset.family for preset in presets}
    key = statistic.columns.index("preset")
    return replace(statistic, rows=tuple(row for row in statistic.rows if families[row[key]] == families[baseline]))


@cache
def _text(name: str) -> str:
    return resources.files("analysis.sql").joinpath("metrics", f"{name}.sql").read_text(encoding="utf-8").strip()


def _bound(name: str, parameters: Mapping[str, Any]) -> str:
    """The text of a statistic with its parameters as literals, so that what is shown is what ran."""
    lines = [
        # The head explains the parameters by name.
        line if line.startswith("--") else re.sub(r"\$(\w+)", lambda match: literal(parameters[match[1]]), line)
        for line in _text(name).splitlines()
    ]
    return "\n".join(lines)


def _make(connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any]) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP {_SHARED[name]} {name} AS {_bound(name, parameters)}")


def _with(name: str, parameters: Mapping[str, Any]) -> str:
    kind = "NOT MATERIALIZED" if _SHARED[name] == "VIEW" else "MATERIALIZED"
    return f"{name} AS {kind} (\n{_bound(name, parameters)}\n)"


def _needed(body: str) -> list[str]:
    """Shared relations that a text selects from, and those they select from in turn, in order."""
    found: set[str] = set()
    texts = [body]
    while texts:
        text = texts.pop()
        new = {name for name in _SHARED if re.search(rf"\b{name}\b", _split_head(text)[1])} - found
        found |= new
        texts += [_text(name) for name in new]
    return [name for name in _SHARED if name in found]


def _query(connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any]) -> Statistic:
    body = _bound(parameters["bridge"] if name == "bridge" else f"compare_{name}", parameters)
    # The relations exist already while comparing; a reader of the page needs them in the text.
    full = body
    if needed := _needed(body):
        head, select = _split_head(body)
        full = f"{head}WITH " + ",\n".join(_with(one, parameters) for one in needed) + f"\nSELECT * FROM (\n{select}\n)"
    return _run(connection, name, body, full)


def _split_head(text: str) -> tuple[str, str]:
    lines = text.splitlines(keepends=True)
    count = next(place for place, line in enumerate(lines) if not line.startswith("--"))
    return "".join(lines[:count]), "".join(lines[count:])


def _run(connection: duckdb.DuckDBPyConnection, name: str, sql: str, shown: str) -> Statistic:
    result = connection.execute(sql)
    columns = tuple(column[0] for column in result.description or ())
    return Statistic(name=name, sql=shown, columns=columns, rows=tuple(result.fetchall()))


def _sorted(statistic: Statistic, order: Mapping[str, int]) -> Statistic:
    """Rows in the order the presets were asked for; within a preset the query's order stays."""
    if "player" in statistic.columns:
        return statistic
    key = statistic.columns.index("preset")
    return replace(statistic, rows=tuple(sorted(statistic.rows, key=lambda row: order[row[key]])))


def _with_wilson(statistic: Statistic, counts: Mapping[str, str], *, suffix: str) -> Statistic:
    """Adds <name>_low and <name>_high: the Wilson interval of column <name><suffix> over its denominator column."""
    columns = list(statistic.columns)
    for name in counts:
        columns += [f"{name}_low", f"{name}_high"] if name else ["low", "high"]
    rows = []
    for record, row in zip(statistic.records(), statistic.rows, strict=True):
        ends: list[float | None] = []
        for name, denominator in counts.items():
            ends += wilson(record[f"{name}{suffix}"], record[denominator]) or (None, None)
        rows.append((*row, *ends))
    return replace(statistic, columns=tuple(columns), rows=tuple(rows))


def _kendall(standings: Statistic, presets: Sequence[ComparedPreset], *, baseline: str) -> dict[str, float | None]:
    totals: dict[str, dict[str, int]] = {preset.id: {} for preset in presets}
    for row in standings.records():
        totals[row["preset"]][row["player"]] = row["total"]
    players = list(totals[baseline])
    reference = [totals[baseline][player] for player in players]
    return {
        preset.id: kendall_tau(reference, [totals[preset.id][player] for player in players])
        for preset in presets
        if preset.id != baseline
    }


@dataclass(frozen=True, kw_only=True)
class _Games:
    """Intervals from the totals per game. Keys of `means`: (column, preset), (column, preset, "difference")."""

    intervals: Mapping[tuple[str, ...], Interval | None]
    baseline: str
    kin: frozenset[str]
    """Presets whose difference from the baseline has a unit: the others of its family."""

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection, presets: Sequence[ComparedPreset], *, baseline: str) -> _Games:
        columns = connection.execute(
            "SELECT * EXCLUDE (game_id) FROM compare_games ORDER BY game_id, preset"
        ).fetchnumpy()
        ids = sorted(preset.id for preset in presets)
        # Filled tables arrive as masked arrays where a column is nullable; none of these has nulls.
        wide = {
            name: np.asarray(values).reshape(-1, len(ids)).astype(np.float64)
            for name, values in columns.items()
            if name != "preset"
        }
        base = ids.index(baseline)
        [family] = [one.family for one in presets if one.id == baseline]
        keys: list[tuple[str, ...]] = []
        tops: list[Any] = []
        bottoms: list[Any] = []
        for j, preset in enumerate(ids):
            for column in ("hand_tai", "payout"):
                values = wide[column]
                keys += [(column, preset), (column, preset, "difference")]
                tops += [values[:, j], values[:, j] - values[:, base]]
                bottoms += [wide["wins"][:, j]] * 2
            for role, seats in (("dealer", 1), ("other", presets[0].players - 1)):
                prefix = "dealer" if role == "dealer" else "others"
                keys.append(("net", preset, role))
                tops.append(wide[f"{prefix}_received"][:, j] - wide[f"{prefix}_paid"][:, j])
                bottoms.append(wide["hands"][:, j] * seats)
        intervals = cluster_bootstrap(np.column_stack(tops), np.column_stack(bottoms))
        return cls(
            intervals=dict(zip(keys, intervals, strict=True)),
            baseline=baseline,
            kin=frozenset(one.id for one in presets if one.family == family and one.id != baseline),
        )

    def with_means(self, statistic: Statistic, column: str, mean: str) -> Statistic:
        records = statistic.records()
        reference = next(record[mean] for record in records if record["preset"] == self.baseline)
        rows = []
        for record, row in zip(records, statistic.rows, strict=True):
            preset = record["preset"]
            ends = self.intervals[column, preset] or (None, None)
            if preset not in self.kin:
                change: tuple[float | None, ...] = (None, None, None)
            else:
                change = (record[mean] - reference, *(self.intervals[column, preset, "difference"] or (None, None)))
            rows.append((*row, *ends, *change))
        added = ("low", "high", "difference", "difference_low", "difference_high")
        return replace(statistic, columns=(*statistic.columns, *added), rows=tuple(rows))

    def with_roles(self, statistic: Statistic) -> Statistic:
        rows = tuple(
            (*row, *(self.intervals["net", record["preset"], record["role"]] or (None, None)))
            for record, row in zip(statistic.records(), statistic.rows, strict=True)
        )
        return replace(statistic, columns=(*statistic.columns, "net_low", "net_high"), rows=rows)
