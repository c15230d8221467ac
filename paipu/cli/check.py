"""`paipu check`: store health."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from paipu.cli.options import Output, lang_option, output_options, store_option

if TYPE_CHECKING:
    from analysis.checks import Finding
    from reports.i18n import Texts


@click.command("check")
@store_option
@lang_option
@output_options()
@click.pass_context
def command(context: click.Context, store: Path, lang: str, output: Output) -> None:
    """\b
    Example:
      paipu check
      paipu check --format json

    Check the store: that its tables fit together and payments sum to zero, which hands were rejected and why, and
    whether each recorded score is reproduced under the preset its game declares.

    Exit code 1 if a check fails, a win waits to be scored, or a recorded score comes out otherwise although the log
    says all that is needed; else 0. Scores recorded under rules that paipu does not know are not compared; how many
    were is said at the end.
    """
    import polars as pl

    from analysis.checks import health, recorded_wins
    from analysis.warehouse import connect
    from reports.i18n import texts

    words = texts(lang)
    connection = connect(store)
    try:
        findings = health(connection)
    finally:
        connection.close()
    rows = [(f.part, f.name, f.status, f.count, _detail(f, words)) for f in findings]
    schema = {"part": pl.String, "name": pl.String, "status": pl.String, "count": pl.Int64, "detail": pl.String}
    output.write(pl.DataFrame(rows, schema=schema, orient="row"))
    recorded, compared = recorded_wins(findings)
    if compared < recorded:
        click.echo(f"paipu: {words('check.compared_line', compared=compared, recorded=recorded)}", err=True)
    failed = sum(finding.status == "failed" for finding in findings)
    if failed:
        click.echo(f"paipu: {words('check.failed_line', failed=failed, total=len(findings))}", err=True)
        context.exit(1)


def _detail(finding: Finding, words: Texts) -> str:
    if finding.part != "check":
        return words(f"check.{finding.message}", **finding.values)
    rule = words(f"check.{finding.name}")
    return f"{rule} {words('check.broken', **finding.values)}" if finding.status == "failed" else rule
