"""`paipu formats`: the log formats, and what each of them gives for each column of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from paipu.cli.options import Output, output_options

if TYPE_CHECKING:
    import polars as pl


@click.command()
@click.option("--columns", is_flag=True, help="Per column of the store: which format fills it.")
@output_options()
def command(columns: bool, output: Output) -> None:
    """\b
    Example:
      paipu formats
      paipu formats --columns --format markdown

    List the log formats. With --columns, say for each column of the store whether the log gives it (filled), paipu
    works it out from the log (derived), or the format does not tell (null).
    """
    output.write(_columns() if columns else _formats())


def _formats() -> pl.DataFrame:
    import polars as pl

    from ingest import formats
    from ingest.formats.support import support

    stated = support()
    rows = []
    for name in formats.FORMATS:
        known = [level for level in stated[name].values() if level != "null"]
        rows.append(
            {
                "format": name,
                "family": formats.load(name).family,
                "title": formats.load(name).title,
                "columns": f"{len(known)} of {len(stated[name])}",
            }
        )
    return pl.DataFrame(rows)


def _columns() -> pl.DataFrame:
    import polars as pl

    from ingest import formats
    from ingest.formats.support import support
    from ingest.record import SCHEMAS

    stated = support()
    return pl.DataFrame(
        [
            {"table": table, "column": column}
            | {name: stated[name][table, column] for name in formats.FORMATS}
            | {"description": SCHEMAS[table].field(column).metadata[b"description"].decode()}
            for table, column in next(iter(stated.values()))
        ]
    )
