"""`paipu db`: the store as one DuckDB file."""

from __future__ import annotations

from pathlib import Path

import click

from paipu.cli.options import lang_option, store_option


@click.group("db")
def command() -> None:
    """\b
    Example:
      paipu db build season.duckdb

    Write the store's tables to one DuckDB file, for other programs.
    """


@command.command("build", short_help="Write all views as tables into a DuckDB file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@lang_option
def build(file: Path, store: Path, lang: str) -> None:
    """\b
    Example:
      paipu db build season.duckdb

    Write all views of `paipu sql` as tables into FILE, with a comment on every table and column. A FILE that is there
    is replaced once the new one is complete.
    """
    from analysis.warehouse import build_database

    counts = build_database(store, file, lang=lang)
    click.echo(f"{file}: {', '.join(f'{name} {count:,}' for name, count in counts.items())}", err=True)
