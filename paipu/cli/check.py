"""`paipu check`: store health."""

from __future__ import annotations

from pathlib import Path

import click

from paipu.cli.options import Output, output_options, store_option


@click.command("check")
@store_option
@output_options()
@click.pass_context
def command(context: click.Context, store: Path, output: Output) -> None:
    """\b
    Example:
      paipu check
      paipu check --format json

    Check the store: that its tables fit together and payments sum to zero, which hands were rejected and why, and
    whether each recorded score is reproduced under the preset its game declares.

    Exit code 0 only if every check passes and every recorded score is reproduced or its difference is explained,
    else 1.
    """
    from analysis.checks import health, to_frame
    from analysis.warehouse import connect

    connection = connect(store)
    try:
        findings = health(connection)
    finally:
        connection.close()
    output.write(to_frame(findings))
    failed = [finding for finding in findings if finding.status == "failed"]
    if failed:
        click.echo(f"paipu: {len(failed)} of {len(findings)} checks failed", err=True)
        context.exit(1)
