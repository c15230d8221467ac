"""SQL over the store: an in-memory DuckDB with documented, read-only views over the Parquet parts.

`staging.<table>` is the store as written, with the types of ingest.record.SCHEMAS also where there is no part yet. The
views for people (analysis/sql/core) stand in the main schema: codes as text, seats with their players. Each SQL file is
headed by its grain, its computed columns and the checks that guard it.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.rules.catalogue import families, load_catalogue
from analysis.sql.literals import identifier, literal
from ingest.errors import UsageError
from ingest.parts import damaged
from ingest.record import SCHEMAS
from ingest.store import TABLES, Store

T = TypeVar("T")

VIEWS: Final = ("games", "hands", "seats", "wins", "rejects", "scores", "score_items", "score_payments", "players")
"""The views for people, in the order they are listed in."""

_QUERIES: Final = ("SELECT", "EXPLAIN")
# PIVOT is parsed into several statements; so is COPY (PIVOT …), which writes.
_QUERY_WORDS: Final = ("pivot", "select", "with", "from")
_ERRORS_OF_SQL: Final = (
    duckdb.ParserException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ConversionException,
    duckdb.OutOfRangeException,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
)
_SIGNAL_SECONDS: Final = 0.1
_COMMENTS: Final = re.compile(r"^(\s|--[^\n]*(\n|$)|/\*.*?\*/)+", re.DOTALL)


@dataclass(frozen=True)
class SqlFile:
    """A SQL file and its header. columns: descriptions of the columns it computes; checks: names of its check files."""

    name: str
    description: str
    grain: tuple[str, ...]
    columns: dict[str, str]
    checks: tuple[str, ...]
    sql: str


def sql_file(folder: str, name: str) -> SqlFile:
    """The file analysis/sql/<folder>/<name>.sql."""
    text = (resources.files("analysis.sql") / folder / f"{name}.sql").read_text("utf-8")
    return _parse(name, text)


def sql_names(folder: str) -> list[str]:
    """Names of the SQL files of a folder, sorted."""
    found = (resources.files("analysis.sql") / folder).iterdir()
    return sorted(entry.name.removesuffix(".sql") for entry in found if entry.name.endswith(".sql"))


def _parse(name: str, text: str) -> SqlFile:
    header: list[str] = []
    lines = text.splitlines()
    while lines and lines[0].startswith("--"):
        header.append(lines.pop(0)[2:])
    fields: dict[str, str] = {}
    columns: dict[str, str] = {}
    for line in header[1:]:
        key, _, value = line.strip().partition(":")
        if line.startswith("   "):
            columns[key] = value.strip()
        else:
            fields[key] = value.strip()
    return SqlFile(
        name=name,
        description=header[0].strip() if header else "",
        grain=_words(fields.get("grain", "")),
        columns=columns,
        checks=_words(fields.get("checks", "")),
        sql="\n".join(lines).strip(),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


@dataclass(frozen=True)
class Column:
    """A documented column of a view."""

    view: str
    name: str
    type: str
    description: str


def connect(store_dir: str | Path, *, lang: str = "zh-TW", memory_limit: str = "60%") -> duckdb.DuckDBPyConnection:
    """A connection to the store's views that can read the store's parts and nothing else, and write nothing.

    lang: of score_items.item_name. memory_limit: of DuckDB, as its setting; a larger query spills to the temporary
    folder. Raises UsageError when there is no store, UnreadableInputError when a part is damaged or of another version.
    """
    store = Store.open(store_dir)
    connection = _open(store, lang=lang, memory_limit=memory_limit)
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def _open(store: Store, *, lang: str, memory_limit: str = "60%") -> duckdb.DuckDBPyConnection:
    store.verify()
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = {literal(memory_limit)}")
    # Not the working folder, which is DuckDB's default. DuckDB makes it when it spills and removes it.
    spill = Path(tempfile.gettempdir()) / f"paipu-spill-{os.getpid()}"
    connection.execute(f"SET temp_directory = {literal(spill)}")
    # It would draw on stdout, between the data.
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET autoinstall_known_extensions = false")
    scores = current_score_parts(store)
    # Paths, not folders: DuckDB writes a file under another name first, so even these cannot be replaced.
    allowed = [path for table in TABLES for path in _absolute(store.parts(table))] + _absolute(scores)
    connection.execute(f"SET allowed_paths = {literal(allowed)}")
    with plain_errors(connection):
        _make_views(connection, store, scores, lang)
    return connection


def _make_views(connection: duckdb.DuckDBPyConnection, store: Store, scores: Sequence[Path], lang: str) -> None:
    connection.execute("CREATE SCHEMA staging")
    for table in SCHEMAS:
        paths = scores if table == "scores" else store.parts(table)
        connection.execute(f"CREATE VIEW staging.{table} AS {staging_sql(table, _absolute(paths))}")
        _comment(
            connection,
            f"staging.{table}",
            f"The store's table {table} as written",
            {field.name: _description(field) for field in SCHEMAS[table]},
        )
    connection.execute("CREATE TABLE staging.item_names (family VARCHAR, item VARCHAR, name VARCHAR)")
    connection.executemany("INSERT INTO staging.item_names VALUES (?, ?, ?)", _item_names(lang))
    connection.execute("COMMENT ON TABLE staging.item_names IS 'Names of the items of each family, in one language'")
    connection.execute(sql_file("staging", "macros").sql)
    for name in VIEWS:
        file = sql_file("core", name)
        connection.execute(f"CREATE VIEW {name} AS {file.sql}")
        _comment(connection, name, view_description(file), _column_descriptions(connection, file))


def _item_names(lang: str) -> list[tuple[str, str, str]]:
    named = []
    for family in families():
        catalogue = load_catalogue(family)
        named += [(family, item.id, item.names[lang]) for item in catalogue.items.values()]
        named += [(family, item.id, item.names[lang]) for item in catalogue.instead.values()]
    return named


def _absolute(paths: Sequence[Path]) -> list[Path]:
    return [path.absolute() for path in paths]


def current_score_parts(store: Store) -> list[Path]:
    """Score parts of each preset's current rules: of several hashes of an id, the one written last."""
    written: dict[str, dict[str, float]] = {}
    found = store.score_parts()
    for preset, hash_, _, path in found:
        hashes = written.setdefault(preset, {})
        with contextlib.suppress(FileNotFoundError):
            hashes[hash_] = max(hashes.get(hash_, 0.0), path.stat().st_mtime)
    current = {preset: max(hashes, key=lambda h: (hashes[h], h)) for preset, hashes in written.items() if hashes}
    return [path for preset, hash_, _, path in found if current.get(preset) == hash_]


def staging_sql(table: str, paths: Sequence[Path]) -> str:
    """SELECT over the parts of a table with the types of its schema; no row when there is no part.

    Of a game that is there without hands and with them, only the row with hands.
    """
    fields = list(SCHEMAS[table])
    if not paths:
        columns = ", ".join(f"NULL::{sql_type(field.type)} AS {identifier(field.name)}" for field in fields)
        return f"SELECT {columns} WHERE false"
    columns = ", ".join(
        f"{identifier(field.name)}::INTEGER AS {identifier(field.name)}"
        if pa.types.is_unsigned_integer(field.type)
        else identifier(field.name)
        for field in fields
    )
    parts = f"read_parquet({literal(paths)}, hive_partitioning = false)"
    if table != "games":
        return f"SELECT {columns} FROM {parts}"
    # A game of a score list has no hands; its own log may have come to the store too (ingest/batches.py).
    bare = f"SELECT game_id FROM {parts} WHERE n_hands = 0"
    full = f"SELECT game_id FROM {parts} WHERE n_hands > 0 AND game_id IN ({bare})"
    return f"SELECT {columns} FROM {parts} WHERE n_hands > 0 OR game_id NOT IN ({full})"


_SQL_TYPES: Final = {
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.uint8(): "INTEGER",
    pa.uint16(): "INTEGER",
    pa.uint32(): "INTEGER",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.timestamp("ms"): "TIMESTAMP",
}


def sql_type(kind: Any) -> str:
    """DuckDB's type for an Arrow type of the schemas. Unsigned ones become signed, or `seat - dealer` would fail."""
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"{sql_type(kind.value_type)}[]"
    if pa.types.is_struct(kind):
        return f"STRUCT({', '.join(f'{identifier(field.name)} {sql_type(field.type)}' for field in kind)})"
    return _SQL_TYPES[kind]


def _description(field: Any) -> str:
    return str(field.metadata[b"description"].decode())


def view_description(file: SqlFile) -> str:
    """One line on a view: what a row is and what makes it unique."""
    return f"{file.description} Grain: {', '.join(file.grain)}."


def _column_descriptions(connection: duckdb.DuckDBPyConnection, file: SqlFile) -> dict[str, str]:
    """Of the file's header, else of the store's schema of the same name, else of the keys every table has."""
    table = {"score_items": "scores", "score_payments": "scores"}.get(file.name, file.name)
    stored = {field.name: _description(field) for field in SCHEMAS.get(table, ())}
    names = [row[0] for row in connection.execute(f"DESCRIBE {file.name}").fetchall()]
    missing = [name for name in names if name not in file.columns and name not in stored]
    unknown = [name for name in file.columns if name not in names]
    if missing or unknown:
        raise AssertionError(f"analysis/sql/core/{file.name}.sql: columns without text {missing}, text for {unknown}")
    return {name: file.columns.get(name) or stored[name] for name in names}


def _comment(
    connection: duckdb.DuckDBPyConnection, view: str, description: str, columns: dict[str, str], *, kind: str = "VIEW"
) -> None:
    statements = [f"COMMENT ON {kind} {view} IS {literal(description)}"]
    statements += [f"COMMENT ON COLUMN {view}.{identifier(name)} IS {literal(text)}" for name, text in columns.items()]
    connection.execute(";\n".join(statements))


def view_columns(connection: duckdb.DuckDBPyConnection) -> list[Column]:
    """The documented columns of the views for people, in order."""
    rows = connection.execute(
        "SELECT table_name, column_name, data_type, comment FROM duckdb_columns() "
        "WHERE schema_name = 'main' AND NOT internal AND database_name = 'memory' ORDER BY table_name, column_index"
    ).fetchall()
    columns = [Column(*row) for row in rows]
    return sorted((c for c in columns if c.view in VIEWS), key=lambda column: VIEWS.index(column.view))


def query(connection: duckdb.DuckDBPyConnection, sql: str) -> pl.DataFrame:
    """The result of one read-only query as a polars frame; columns of equal names get _2, _3 ….

    Raises UsageError with DuckDB's reason, on one line, for anything that is not a query or does not run.
    KeyboardInterrupt stops a running query.
    """
    with plain_errors(connection, sql):
        statements = connection.extract_statements(sql)
        if not statements:
            raise UsageError("the query is empty; write a SELECT, or see the views with --describe")
        if len(statements) > 1:
            raise UsageError(f"{len(statements)} statements at once; run one query at a time")
        _require_query(statements[0])
        return _frame(interruptible(connection, lambda: _arrow(connection, sql)))


def _arrow(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    with warnings.catch_warnings():
        # It copies the rows; the relation API would not, but cannot be interrupted.
        warnings.simplefilter("ignore", UserWarning)
        return connection.execute(sql).to_arrow_table()


def interruptible(connection: duckdb.DuckDBPyConnection, work: Callable[[], T]) -> T:
    """The result of `work`, which uses the connection; Ctrl-C stops it."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        try:
            # In turns: a signal that another thread receives does not end a wait of this one.
            while not future.done():
                wait([future], timeout=_SIGNAL_SECONDS)
            return future.result()
        except KeyboardInterrupt:
            while not future.done():
                with contextlib.suppress(KeyboardInterrupt):
                    connection.interrupt()
                    wait([future], timeout=_SIGNAL_SECONDS)
            raise


def _require_query(statement: Any) -> None:
    kind = str(statement.type).rpartition(".")[2]
    words = _COMMENTS.sub("", statement.query).lower()
    analyze = kind == "EXPLAIN" and re.search(r"\banalyze\b", words)  # runs what it explains, whatever that is
    pivot = kind == "MULTI" and words.startswith(_QUERY_WORDS)
    if (kind not in _QUERIES or analyze) and not pivot:
        raise UsageError(
            f"only queries can be run here (SELECT, WITH, FROM, PIVOT, DESCRIBE, SUMMARIZE, EXPLAIN), not {kind}; "
            "to write a result use -o FILE"
        )


@contextlib.contextmanager
def plain_errors(connection: duckdb.DuckDBPyConnection, sql: str = "") -> Iterator[None]:
    """Turns DuckDB's errors into one line: UsageError, or UnreadableInputError that names a damaged part."""
    try:
        yield
    except duckdb.Error as error:
        broken = None if isinstance(error, _ERRORS_OF_SQL) else _damaged_part(connection)
        if broken is not None:
            raise damaged(Path(broken)) from error
        raise UsageError(explain_error(str(error), sql)) from error


def _damaged_part(connection: duckdb.DuckDBPyConnection) -> str | None:
    """The first part that pyarrow cannot read either; DuckDB does not say which file it was."""
    paths: list[str] = connection.execute("SELECT current_setting('allowed_paths')").fetchall()[0][0] or []
    for path in paths:
        try:
            with pq.ParquetFile(path) as part:
                for _ in part.iter_batches():
                    pass
        except (OSError, pa.ArrowException):
            return path
    return None


def explain_error(message: str, sql: str) -> str:
    """DuckDB's message on one line: the reason, the near miss, and the line and column instead of a drawn arrow."""
    body, mark, drawing = message.partition("\n\nLINE ")
    # DuckDB's advice on memory names settings that are locked here.
    text = " ".join(body.partition("\n\nPossible solutions")[0].split())
    if mark:
        shown, _, arrow = drawing.partition("\n")
        number, _, window = shown.partition(": ")
        place = _index_at_width(window, len(arrow) - len(arrow.lstrip(" ")) - len(f"LINE {number}: "))
        line = sql.split("\n")[int(number) - 1]
        # DuckDB shows a window of a long line; find where it stands.
        middle = window.removeprefix("...").removesuffix("...")
        place += max(line.find(middle), 0) - (len(window) - len(window.removeprefix("...")))
        text += f" (line {number}, column {max(place, 0) + 1})"
    if text.startswith("Out of Memory Error"):
        text += "; ask for less at a time"
    if text.startswith("Permission Error"):
        text += "; a query reads the store's views and nothing else"
    return text


def _index_at_width(text: str, width: int) -> int:
    """Characters of `text` that fill `width` cells of a terminal, where Chinese takes two."""
    for index, character in enumerate(text):
        if width <= 0:
            return index
        width -= 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return len(text)


def _frame(table: Any) -> pl.DataFrame:
    names: list[str] = []
    for name in table.column_names:
        count, unique = 1, name
        while unique in names:
            count += 1
            unique = f"{name}_{count}"
        names.append(unique)
    for name, column in zip(names, table.columns, strict=True):
        if _holds_interval(column.type) and not pa.types.is_interval(column.type):
            raise UsageError(f"the column {name} holds intervals inside a list or struct; cast them to VARCHAR")
    return pl.DataFrame(pl.from_arrow(pa.Table.from_arrays([_readable(c) for c in table.columns], names=names)))


def _holds_interval(kind: Any) -> bool:
    inner = [kind.field(i).type for i in range(kind.num_fields)]
    return pa.types.is_interval(kind) or any(_holds_interval(part) for part in inner)


def _readable(column: Any) -> Any:
    """Intervals, which polars cannot hold, as text; sums (decimals without a fraction) as integers if they fit."""
    if pa.types.is_interval(column.type):
        return pa.array([None if value is None else _interval_text(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_decimal(column.type) and column.type.scale == 0:
        with contextlib.suppress(pa.ArrowInvalid):
            return column.cast(pa.int64())
    return column


def _interval_text(value: Any) -> str:
    parts = ((value.months, "months"), (value.days, "days"), (value.nanoseconds / 1e9, "seconds"))
    return " ".join(f"{amount:g} {unit}" for amount, unit in parts if amount) or "0 seconds"


def build_database(store_dir: str | Path, file: Path, *, lang: str = "zh-TW") -> dict[str, int]:
    """Write the views as tables, with their comments, into a new DuckDB file. Returns the rows of each table.

    The file takes its name when it is complete. Raises UsageError when it cannot be written.
    """
    store = Store.open(store_dir)
    if not file.parent.is_dir():
        raise UsageError(f"cannot write '{file}': there is no folder '{file.parent}'; make it first")
    if file.is_dir():
        raise UsageError(f"'{file}' is a folder; give the name of a file")
    counts: dict[str, int] = {}
    connection = _open(store, lang=lang)
    temporary = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with plain_errors(connection):
            connection.execute(f"ATTACH {literal(temporary)} AS built")
            for name in VIEWS:
                counts[name] = interruptible(connection, partial(_copy, connection, name))
            connection.execute("DETACH built")
        os.replace(temporary, file)
    except OSError as error:
        raise UsageError(f"cannot write '{file}': {error.strerror or error}") from error
    finally:
        connection.close()
        for leftover in (temporary, temporary.with_name(f"{temporary.name}.wal")):
            with contextlib.suppress(OSError):
                leftover.unlink(missing_ok=True)
    return counts


def _copy(connection: duckdb.DuckDBPyConnection, view: str) -> int:
    """Copy a view with its comments into the attached database `built`; the number of rows."""
    file = sql_file("core", view)
    connection.execute(f"CREATE TABLE built.{view} AS FROM {view}")
    _comment(connection, f"built.{view}", view_description(file), _column_descriptions(connection, file), kind="TABLE")
    count: int = connection.execute(f"SELECT count(*) FROM built.{view}").fetchall()[0][0]
    return count


def tables_markdown() -> str:
    """docs/tables.md: the store's tables and the views of SQL with every column, from the schemas and the SQL files."""
    out = [
        "# Tables",
        "",
        "Made from the schemas (ingest/record.py) and the SQL files (analysis/sql/core): edit those, then run",
        "`python -m analysis.warehouse > docs/tables.md`.",
        "",
        "## Views of `paipu sql`",
        "",
        "Codes are text here, seats carry their players. Null always means that the log does not say.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        Store.create(Path(folder) / "store")
        connection = connect(Path(folder) / "store")
        columns = view_columns(connection)
        connection.close()
    for name in VIEWS:
        file = sql_file("core", name)
        out += ["", f"### {name}", "", view_description(file), "", "| column | type | meaning |", "| --- | --- | --- |"]
        out += [f"| {c.name} | {c.type} | {c.description} |" for c in columns if c.view == name]
        if file.checks:
            out += ["", f"Checked by `paipu check`: {', '.join(file.checks)}."]
    out += ["", "## The store (`staging.<table>` in SQL, Parquet on disk)"]
    for table, schema in SCHEMAS.items():
        out += [
            "",
            f"### staging.{table}",
            "",
            "| column | type | may be null | meaning |",
            "| --- | --- | --- | --- |",
        ]
        for field in schema:
            out.append(
                f"| {field.name} | {sql_type(field.type)} | {'yes' if field.nullable else ''} | {_description(field)} |"
            )
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(tables_markdown(), end="")
