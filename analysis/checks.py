"""Store health: check queries that must return no row, rejects by code, and recorded against recomputed scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import duckdb
import polars as pl

from analysis.warehouse import interruptible, plain_errors, sql_file, sql_names

Status = Literal["ok", "failed", "note"]

_EXAMPLE_CHARACTERS: Final = 160


@dataclass(frozen=True)
class Finding:
    """One line of a health report. count: rows, hands or wins concerned."""

    part: Literal["check", "rejects", "recorded"]
    name: str
    status: Status
    count: int
    detail: str


def run_checks(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """One finding per file of analysis/sql/checks: ok when its query returns no row."""
    findings = []
    for name in sql_names("checks"):
        file = sql_file("checks", name)
        # One pass: the number of rows and one of them.
        count, example = connection.execute(
            f"SELECT count(*), any_value(broken)::VARCHAR FROM ({file.sql}) AS broken"
        ).fetchall()[0]
        detail = file.description if not count else f"{file.description} Not so: {example[:_EXAMPLE_CHARACTERS]}"
        findings.append(Finding("check", name, "failed" if count else "ok", count, detail))
    return findings


def list_rejects(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """The refused games and hands by code, the most frequent first."""
    rows = connection.execute(
        "SELECT code, count(*) AS n, any_value(file || ': ' || message) FROM staging.rejects "
        "GROUP BY code ORDER BY n DESC, code"
    ).fetchall()
    return [Finding("rejects", code, "note", count, example) for code, count, example in rows]


def compare_recorded(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """Recorded hand tai against the score under the preset the game declares, per declared preset.

    A difference is explained when the log leaves out a fact that an item of the preset needs.
    """
    rows = connection.execute(sql_file("metrics", "recorded_agreement").sql).fetchall()
    findings = []
    for declared, n_recorded, n_equal, n_explained, n_different, n_unscored, example in rows:
        if declared is None:
            detail = f"no declared preset to compare: {n_recorded} wins"
            findings.append(Finding("recorded", "(none declared)", "note", n_recorded, detail))
        elif n_unscored == n_recorded:
            detail = f"no score under {declared} to compare: {n_recorded} wins; run `paipu rescore` if it is shipped"
            findings.append(Finding("recorded", declared, "note", n_recorded, detail))
        else:
            detail = f"{n_equal} of {n_recorded} recorded tai reproduced"
            if n_explained:
                detail += f"; {n_explained} differ where the log leaves out a fact"
            if n_unscored:
                detail += f"; {n_unscored} not scored yet, run `paipu rescore`"
            if n_different:
                detail += f"; {n_different} differ, for example {example}"
            findings.append(
                Finding("recorded", declared, "failed" if n_different or n_unscored else "ok", n_recorded, detail)
            )
    if not findings:
        findings.append(Finding("recorded", "(none)", "note", 0, "no recorded score in the store"))
    return findings


def health(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """All findings on a store (a connection of analysis.warehouse.connect).

    Raises UnreadableInputError for a damaged part.
    """

    def work() -> list[Finding]:
        return [*run_checks(connection), *compare_recorded(connection), *list_rejects(connection)]

    with plain_errors(connection):
        return interruptible(connection, work)


def to_frame(findings: list[Finding]) -> pl.DataFrame:
    """Findings as a frame with the columns part, name, status, count, detail."""
    return pl.DataFrame(
        [(f.part, f.name, f.status, f.count, f.detail) for f in findings],
        schema={"part": pl.String, "name": pl.String, "status": pl.String, "count": pl.Int64, "detail": pl.String},
        orient="row",
    )
