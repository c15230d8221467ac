"""Store health: check queries that must return no row, rejects by code, and recorded against recomputed scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

import duckdb

from analysis.rules.preset import load_preset, shipped_presets
from analysis.warehouse import interruptible, plain_errors, sql_file, sql_names

_EXAMPLE_CHARACTERS: Final = 160
_LISTED_DIFFERENCES: Final = 50


@dataclass(frozen=True)
class Finding:
    """One line of a health report.

    name: of the check, the declared preset or the reject code. count: rows, wins or rejects concerned.
    message: key of the text that says it (reports/i18n, section check), with the values for its placeholders; a check's
    own text is under its name.
    """

    part: Literal["check", "wins", "rejects", "recorded", "difference"]
    name: str
    status: Literal["ok", "failed", "note"]
    count: int
    message: str
    values: dict[str, object] = field(default_factory=dict)


def run_checks(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """One finding per file of analysis/sql/checks: ok when its query returns no row."""
    findings = []
    for name in sql_names("checks"):
        # One pass: the number of rows and one of them.
        count, example = connection.execute(
            f"SELECT count(*), any_value(broken)::VARCHAR FROM ({sql_file('checks', name).sql}) AS broken"
        ).fetchall()[0]
        if count:
            findings.append(Finding("check", name, "failed", count, "broken", {"row": example[:_EXAMPLE_CHARACTERS]}))
        else:
            findings.append(Finding("check", name, "ok", 0, "holds"))
    return findings


def list_unaccepted(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """The wins that no preset in use accepts: the table had other rules, or wrote a tile down wrongly."""
    n, example = connection.execute(sql_file("metrics", "unaccepted_wins").sql).fetchall()[0]
    return [Finding("wins", "not_accepted", "note", n, "not_accepted", {"example": example})] if n else []


def list_rejects(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """The refused games and hands by code, the most frequent first."""
    rows = connection.execute(
        "SELECT code, count(*) AS n, min(file || ': ' || message) FROM staging.rejects "
        "GROUP BY code ORDER BY n DESC, code"
    ).fetchall()
    return [Finding("rejects", code, "note", n, "rejected", {"example": example}) for code, n, example in rows]


def compare_recorded(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """What logs recorded against the score by the rules they declare, per declared preset; then the wins that differ.

    A difference is explained when the log leaves out a fact that an item of the preset needs. Wins under a preset that
    is not shipped and not scored have nothing to be compared with.
    """
    shipped = shipped_presets()
    stakes = [{"preset": p.id, "base": p.base, "unit": p.unit} for p in map(load_preset, shipped)]
    recorded = f"WITH recorded_wins AS ({sql_file('metrics', 'recorded_wins').sql})"
    agreement = sql_file("metrics", "recorded_agreement").sql
    rows = connection.execute(f"{recorded} {agreement}", {"stakes": stakes}).fetchall()
    findings = []
    for declared, n, equal, explained, different, unscored, example in rows:
        counts: dict[str, object] = {"declared": declared, "n": n, "equal": equal, "explained": explained}
        counts |= {"different": different, "unscored": unscored, "example": example}
        if declared is None:
            findings.append(Finding("recorded", "-", "note", n, "undeclared", counts))
        elif unscored == n and declared not in shipped:
            findings.append(Finding("recorded", declared, "note", n, "not_shipped", counts))
        elif unscored:
            findings.append(Finding("recorded", declared, "failed", n, "unscored", counts))
        elif different:
            findings.append(Finding("recorded", declared, "failed", n, "different", counts))
        else:
            findings.append(Finding("recorded", declared, "ok", n, "explained" if explained else "equal", counts))
    differing = connection.execute(
        f"{recorded} SELECT game_id || ' #' || hand_no, difference FROM recorded_wins WHERE verdict = 'different' "
        f"ORDER BY ALL LIMIT {_LISTED_DIFFERENCES}",
        {"stakes": stakes},
    ).fetchall()
    for win, difference in differing:
        findings.append(Finding("difference", win, "note", 1, "difference", {"difference": difference}))
    return findings or [Finding("recorded", "-", "note", 0, "unrecorded")]


def recorded_wins(findings: list[Finding]) -> tuple[int, int]:
    """(wins with a recorded score, those of them that could be compared) of the findings of compare_recorded."""
    recorded = [finding for finding in findings if finding.part == "recorded"]
    compared = [
        finding.count - int(str(finding.values["unscored"]))
        for finding in recorded
        if finding.message in ("equal", "explained", "different", "unscored")
    ]
    return sum(finding.count for finding in recorded), sum(compared)


def health(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    """All findings on a store (a connection of analysis.warehouse.connect).

    Raises UnreadableInputError for a damaged part.
    """

    def work() -> list[Finding]:
        return [
            *run_checks(connection),
            *compare_recorded(connection),
            *list_unaccepted(connection),
            *list_rejects(connection),
        ]

    with plain_errors(connection):
        return interruptible(connection, work)
