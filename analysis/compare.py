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

from analysis.stats.cluster_bootstrap import cluster_bootstrap
from analysis.stats.kendall import kendall_tau
from analysis.stats.wilson import wilson
from ingest.errors import PaipuError, UsageError

if TYPE_CHECKING:
    import duckdb

    from analysis.rules.preset import Preset

Interval = tuple[float, float]

_SHARED: Final = ("compare_wins", "compare_games")
"""Relations that other statistics select from, in the order they build on each other."""
_STATISTICS: Final = (
    "mean_tai",
    "mean_payout",
    "changed",
    "bridge",
    "tai_histogram",
    "items",
    "roles",
    "illegal",
    "undetermined",
    "standings",
)


class NotScoredError(PaipuError):
    """The store's scores do not cover the same wins under every preset."""

    exit_code = 1


@dataclass(frozen=True, kw_only=True)
class ComparedPreset:
    """A preset as the comparison needs it. base: money per payment; unit: money per tai."""

    id: str
    hash: str
    family: str
    base: int
    unit: int
    names: Mapping[str, str]

    @classmethod
    def of(cls, preset: Preset) -> ComparedPreset:
        return cls(
            id=preset.id,
            hash=preset.hash,
            family=preset.family,
            base=preset.base,
            unit=preset.unit,
            names=preset.names,
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
    """Everything the report shows. `presets` are in the order asked for; `coverage` has the columns of its SQL file."""

    presets: tuple[ComparedPreset, ...]
    baseline: str
    coverage: Mapping[str, Any]
    statistics: Mapping[str, Statistic]
    kendall: Mapping[str, float | None]

    @property
    def wins(self) -> int:
        return int(self.coverage["wins"])

    @property
    def others(self) -> tuple[ComparedPreset, ...]:
        return tuple(preset for preset in self.presets if preset.id != self.baseline)

    def by_preset(self, statistic: str) -> dict[str, list[dict[str, Any]]]:
        """Rows of a statistic under each preset; a preset without rows has an empty list."""
        rows: dict[str, list[dict[str, Any]]] = {preset.id: [] for preset in self.presets}
        for row in self.statistics[statistic].records():
            rows[row["preset"]].append(row)
        return rows


def compare(connection: duckdb.DuckDBPyConnection, presets: Sequence[ComparedPreset], *, baseline: str) -> Comparison:
    """Compare presets over all wins of their family that the warehouse connection shows.

    All presets must be scored. Raises UsageError when the presets cannot be compared or there is no win, NotScoredError
    when the scores are missing or incomplete.
    """
    _check(presets, baseline=baseline)
    family = presets[0].family
    parameters = _parameters(presets, baseline=baseline)
    coverage = _query(connection, "coverage", parameters).records()[0]
    if not coverage["wins"]:
        raise UsageError(f"the store has no win of the family '{family}' to compare; add logs with 'paipu ingest PATH'")
    _check_scored(connection, presets, wins=coverage["wins"])

    connection.execute(f"CREATE OR REPLACE TEMP VIEW compare_wins AS {_bound('compare_wins', parameters)}")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE compare_games AS {_bound('compare_games', parameters)}")
    try:
        order = {preset.id: place for place, preset in enumerate(presets)}
        statistics = {name: _sorted(_query(connection, name, parameters), order) for name in _STATISTICS}
        games = _Games.read(connection, presets, baseline=baseline)
    finally:
        connection.execute("DROP TABLE compare_games")
        connection.execute("DROP VIEW compare_wins")
    statistics["mean_tai"] = games.with_means(statistics["mean_tai"], "hand_tai", "mean_tai")
    statistics["mean_payout"] = games.with_means(statistics["mean_payout"], "payout", "mean_payout")
    statistics["roles"] = games.with_roles(statistics["roles"])
    statistics["changed"] = _with_wilson(statistics["changed"], {"tai": "wins", "payout": "wins"}, suffix="_changed")
    for name in ("items", "illegal", "undetermined"):
        statistics[name] = _with_wilson(statistics[name], {"": "of_wins"}, suffix="wins")
    return Comparison(
        presets=tuple(presets),
        baseline=baseline,
        coverage=coverage,
        statistics=statistics,
        kendall=_kendall(statistics["standings"], presets, baseline=baseline),
    )


def game_totals(connection: duckdb.DuckDBPyConnection, comparison: Comparison) -> Statistic:
    """Totals per game and preset: the clusters behind the intervals. Not part of a Comparison, for its size."""
    parameters = _parameters(comparison.presets, baseline=comparison.baseline)
    sql = f"WITH {_with('compare_wins', parameters)}\nSELECT * FROM (\n{_bound('compare_games', parameters)}\n)"
    return _run(connection, "games", sql, sql)


def _parameters(presets: Sequence[ComparedPreset], *, baseline: str) -> dict[str, Any]:
    rows = [
        {"preset": one.id, "hash": one.hash, "base": one.base, "unit": one.unit, "baseline": one.id == baseline}
        for one in presets
    ]
    return {"presets": rows, "family": presets[0].family, "baseline": baseline}


def _check(presets: Sequence[ComparedPreset], *, baseline: str) -> None:
    if not presets:
        raise UsageError("no preset to compare; name some with --presets")
    ids = [preset.id for preset in presets]
    double = sorted({one for one in ids if ids.count(one) > 1})
    if double:
        raise UsageError(f"two presets have the id '{double[0]}'; give one of the files another id")
    if baseline not in ids:
        raise UsageError(f"the baseline '{baseline}' is not among the presets {', '.join(ids)}")
    families = sorted({preset.family for preset in presets})
    if len(families) > 1:
        raise UsageError(f"presets of different families cannot be compared: {', '.join(families)}")


def _check_scored(connection: duckdb.DuckDBPyConnection, presets: Sequence[ComparedPreset], *, wins: int) -> None:
    # Presets with the same rules share a hash, so the id counts too.
    rows = connection.execute("SELECT preset, preset_hash, count(*) FROM staging.scores GROUP BY ALL").fetchall()
    counts = {(preset, hash_): count for preset, hash_, count in rows}
    for preset in presets:
        found = counts.get((preset.id, preset.hash), 0)
        if found != wins:
            raise NotScoredError(
                f"preset '{preset.id}' has scores of {found:,} of {wins:,} wins; "
                f"run 'paipu rescore --preset {preset.id}'"
            )


@cache
def _text(name: str) -> str:
    return resources.files("analysis.sql").joinpath("metrics", f"{name}.sql").read_text(encoding="utf-8").strip()


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}': {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    raise TypeError(f"no SQL literal for {type(value).__name__}")


def _bound(name: str, parameters: Mapping[str, Any]) -> str:
    """The text of a statistic with its parameters as literals, so that what is shown is what ran."""
    lines = [
        # The head explains the parameters by name.
        line if line.startswith("--") else re.sub(r"\$(\w+)", lambda match: _literal(parameters[match[1]]), line)
        for line in _text(name).splitlines()
    ]
    return "\n".join(lines)


def _with(name: str, parameters: Mapping[str, Any]) -> str:
    # DuckDB would otherwise hold every win in memory once a relation is used twice.
    kind = "NOT MATERIALIZED" if name == "compare_wins" else "MATERIALIZED"
    return f"{name} AS {kind} (\n{_bound(name, parameters)}\n)"


def _query(connection: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any]) -> Statistic:
    body = _bound(f"compare_{name}", parameters)
    needed = [shared for shared in _SHARED if re.search(rf"\b{shared}\b", body)]
    if "compare_games" in needed:
        needed = list(_SHARED)
    # The relations exist already while comparing; a reader of the page needs them in the text.
    full = body
    if needed:
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
        keys: list[tuple[str, ...]] = []
        tops: list[Any] = []
        bottoms: list[Any] = []
        for j, preset in enumerate(ids):
            for column in ("hand_tai", "payout"):
                values = wide[column]
                keys += [(column, preset), (column, preset, "difference")]
                tops += [values[:, j], values[:, j] - values[:, base]]
                bottoms += [wide["wins"][:, j]] * 2
            for role, seats in (("dealer", 1), ("other", 3)):
                prefix = "dealer" if role == "dealer" else "others"
                keys.append(("net", preset, role))
                tops.append(wide[f"{prefix}_received"][:, j] - wide[f"{prefix}_paid"][:, j])
                bottoms.append(wide["hands"][:, j] * seats)
        intervals = cluster_bootstrap(np.column_stack(tops), np.column_stack(bottoms))
        return cls(
            intervals=dict(zip(keys, intervals, strict=True)),
            baseline=baseline,
        )

    def with_means(self, statistic: Statistic, column: str, mean: str) -> Statistic:
        records = statistic.records()
        reference = next(record[mean] for record in records if record["preset"] == self.baseline)
        rows = []
        for record, row in zip(records, statistic.rows, strict=True):
            preset = record["preset"]
            ends = self.intervals[column, preset] or (None, None)
            if preset == self.baseline:
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
