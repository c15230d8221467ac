"""`paipu compare`: the same wins under several presets, as one HTML page and a summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from ingest.errors import UsageError
from paipu.cli.options import BINARY_FORMATS, FORMATS, lang_option, resolve_output, store_option

if TYPE_CHECKING:
    import duckdb

    from analysis.compare import Comparison
    from analysis.rules.preset import Preset

_MEMORY: Final = "1GB"
"""Of DuckDB: joins over the wins of a large store spill to disk beyond it."""


@click.command("compare")
@click.option(
    "--presets", required=True, metavar="A,B,…", help="Presets to compare: ids or files, separated by commas."
)
@click.option("--baseline", metavar="A", help="The preset the others are compared with.  [default: the first]")
@click.option("--scale", is_flag=True, help="Scale every preset to the baseline's mean payout, so that shapes compare.")
@click.option("-o", "--output", "output", metavar="FILE", help="Write the HTML page to this file; - is stdout.")
@click.option(
    "--csv",
    "csv_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write each statistic as a CSV file into this folder, the totals per game too.",
)
@click.option(
    "--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True, help="Format of the summary."
)
@store_option
@lang_option
def command(
    presets: str,
    baseline: str | None,
    scale: bool,
    output: str | None,
    csv_folder: Path | None,
    format_: str,
    store: Path,
    lang: str,
) -> None:
    """\b
    Example:
      paipu compare --presets tw_general,tw_full,tw_online --baseline tw_general -o compare.html

    Compare presets on the same wins. Scores that are missing or stale are computed first.

    Prints a summary: mean tai (han, fan) and mean payout per win with 95 % intervals, and the share of wins that
    change. The page (-o) has every figure with its chart, its SQL and its data; it needs no network. Play is held
    fixed: players would play differently under other rules. Presets of families with as many sets in a hand
    can be mixed; each is shown in its own unit.
    """
    chosen, base = _choose(presets, baseline)
    # Before the work, not after it.
    summary = resolve_output(format_, None, bom=False, default="table")
    if output == "-" and format_ in BINARY_FORMATS:
        raise UsageError(f"stdout takes the page, so the {format_} summary has no place; give -o FILE.html")

    from analysis.compare import ComparedPreset, compare
    from analysis.warehouse import connect
    from reports.pages.compare import compare_page, item_names, summary_frame
    from reports.pages.compare_table import summary_table

    _rescore(store, chosen)
    connection = connect(store, memory_limit=_MEMORY)
    try:
        comparison = compare(connection, [ComparedPreset.of(preset) for preset in chosen], baseline=base, scale=scale)
        if csv_folder is not None:
            _write_csv(connection, comparison, csv_folder)
    finally:
        connection.close()
    if output is not None:
        _write_page(compare_page(comparison, lang=lang, item_names=item_names(chosen, lang)), output)
    if output != "-":
        readable = summary.format == "table"
        summary.write(summary_table(comparison, lang=lang) if readable else summary_frame(comparison))
    if len(chosen) == 1:
        click.echo(f"paipu: {base} alone has nothing to be compared with; name more --presets", err=True)


def _choose(presets: str, baseline: str | None) -> tuple[list[Preset], str]:
    """The presets in the order given, each once, and the baseline's id."""
    from analysis.rules.preset import load_presets

    refs = [ref.strip() for ref in presets.split(",") if ref.strip()]
    if not refs:
        raise UsageError("--presets names no preset; paipu rules list shows them all")
    first = baseline.strip() if baseline else refs[0]
    # A baseline that is not among them is compared too.
    wanted = refs if first in refs else [first, *refs]
    chosen = load_presets(wanted)
    if len(chosen) < len(wanted):
        click.echo("paipu: a preset is named twice; it is compared once", err=True)
    [base] = load_presets([first])
    return chosen, base.id


def _rescore(store_folder: Path, presets: list[Preset]) -> None:
    from analysis.rescore import rescore
    from ingest.store import Store

    rescore(Store.open(store_folder), presets)


def _write_page(page: str, output: str) -> None:
    from reports.export import atomic_file

    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(page.encode())
        return
    with atomic_file(Path(output)) as stream:
        stream.write(page.encode())


def _write_csv(connection: duckdb.DuckDBPyConnection, comparison: Comparison, folder: Path) -> None:
    from analysis.compare import game_totals
    from reports.export import write_frame
    from reports.pages.compare_view import statistic_frame

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder '{folder}': {error.strerror or error}") from error
    for statistic in (*comparison.statistics.values(), game_totals(connection, comparison)):
        write_frame(statistic_frame(statistic), format="csv", output=folder / f"{statistic.name}.csv")
