"""`paipu sql`: read-only SQL over the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ingest.errors import UnreadableInputError, UsageError
from paipu.cli.options import Output, lang_option, output_options, store_option

if TYPE_CHECKING:
    import duckdb
    import polars as pl


@click.command("sql")
@click.argument("query", required=False)
@click.option("-f", "--file", "file", metavar="FILE", help="Read the query from this file; - is stdin.")
@click.option("--tables", is_flag=True, help="List the views and what a row of each is.")
@click.option(
    "--describe", metavar="[VIEW]", is_flag=False, flag_value="", help="List the columns of a view, or of all."
)
@store_option
@lang_option
@output_options()
def command(
    query: str | None, file: str | None, tables: bool, describe: str | None, store: Path, lang: str, output: Output
) -> None:
    """\b
    Example:
      paipu sql "SELECT winner_player, count(*) AS wins FROM wins GROUP BY ALL ORDER BY wins DESC"
      paipu sql --describe wins
      paipu sql -f season.sql -o season.xlsx

    Query the store with SQL (DuckDB). QUERY - reads it from stdin.

    The views are games, hands, seats, wins, rejects, scores, score_items, score_payments and players; staging.games,
    staging.wins … hold the store as it is on disk. A query reads these and nothing else, and writes nothing.
    """
    from analysis.warehouse import connect
    from analysis.warehouse import query as run_query

    listing = tables or describe is not None
    if sum((query is not None, file is not None, tables, describe is not None)) != 1:
        raise UsageError("give one of: a query, -f FILE, --tables, --describe [VIEW]")
    text = "" if listing else _query_text(query, file)
    connection = connect(store, lang=lang)
    try:
        if tables or text.strip() == ".tables":
            frame = _tables(connection)
        elif describe is not None:
            frame = _columns(connection, describe or None)
        else:
            frame = run_query(connection, text)
    finally:
        connection.close()
    output.write(frame)


def _query_text(query: str | None, file: str | None) -> str:
    if query is not None and query != "-":
        return query
    name = "stdin" if file in (None, "-") else str(file)
    try:
        data = sys.stdin.buffer.read() if file in (None, "-") else Path(str(file)).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UnreadableInputError(f"cannot read the query from {name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"cannot read the query from {name}: it is not UTF-8 text") from error


def _tables(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    import polars as pl

    from analysis.warehouse import VIEWS, sql_file, view_description

    rows = [(name, view_description(sql_file("core", name))) for name in VIEWS]
    return pl.DataFrame(rows, schema={"view": pl.String, "description": pl.String}, orient="row")


def _columns(connection: duckdb.DuckDBPyConnection, view: str | None) -> pl.DataFrame:
    import difflib

    import polars as pl

    from analysis.warehouse import VIEWS, view_columns

    if view is not None and view not in VIEWS:
        close = difflib.get_close_matches(view, VIEWS, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"the views are {', '.join(VIEWS)}"
        raise UsageError(f"there is no view '{view}'; {hint}")
    rows = [(c.view, c.name, c.type, c.description) for c in view_columns(connection) if view in (None, c.view)]
    schema = {"view": pl.String, "column": pl.String, "type": pl.String, "description": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")
