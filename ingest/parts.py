"""One Parquet part: rows in, bytes out, with the one schema of its table; and the check of a part found on disk."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import UnreadableInputError
from ingest.record import SCHEMA_VERSION, SCHEMAS, GameRows, Row, to_table

ROW_GROUP: Final = 131_072
_VERSION: Final = b"paipu.schema_version"
_TABLE: Final = b"paipu.table"


@cache
def _fields(table: str) -> tuple[frozenset[str], list[int], list[int]]:
    """Names of the columns, positions of those that are never null, and of the lists by seat without empty seats."""
    schema = SCHEMAS[table]
    required = [position for position, field in enumerate(schema) if not field.nullable]
    seats = [
        position
        for position, field in enumerate(schema)
        if pa.types.is_fixed_size_list(field.type) and not field.type.value_field.nullable
    ]
    return frozenset(schema.names), required, seats


def build(table: str, rows: list[Row]) -> Any:
    """Arrow table of the rows. Raises ValueError for an unknown column, a missing value or one that does not fit."""
    known, required, seats = _fields(table)
    if not known.issuperset(chain.from_iterable(rows)):
        for row in (row for row in rows if not known.issuperset(row)):
            raise ValueError(f"{table} has no column {', '.join(sorted(set(row) - known))}")
    try:
        built = to_table(table, rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, UnicodeError) as error:
        raise ValueError(f"a value does not fit its column in {table}: {error}") from error
    # Arrow does not enforce either of these when it builds a table.
    for position in required:
        if missing := built.column(position).null_count:
            raise ValueError(f"{table}.{built.column_names[position]} is missing in {missing} of {len(rows)} rows")
    for position in seats:
        if missing := sum(chunk.flatten().null_count for chunk in built.column(position).chunks):
            raise ValueError(f"{table}.{built.column_names[position]} has {missing} empty seats")
    return built


def rows_by_table(games: Sequence[GameRows], rejects: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows of the tables games, hands, seats, wins and rejects."""
    return {
        "games": [g.game for g in games],
        "hands": [r for g in games for r in g.hands],
        "seats": [r for g in games for r in g.seats],
        "wins": [r for g in games for r in g.wins],
        "rejects": [*(r for g in games for r in g.rejects), *rejects],
    }


def encode(table: str, built: Any, *, metadata: dict[bytes, bytes] | None = None) -> bytes:
    """Parquet bytes of a part; equal rows give equal bytes, however the table is chunked."""
    built = built.combine_chunks().replace_schema_metadata({**file_metadata(table), **(metadata or {})})
    sink = pa.BufferOutputStream()
    pq.write_table(built, sink, compression="zstd", row_group_size=ROW_GROUP)
    return bytes(sink.getvalue())


def to_ipc(built: Any) -> bytes:
    """A table as bytes for another process."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, built.schema) as stream:
        stream.write_table(built)
    return bytes(sink.getvalue())


def from_ipc(content: bytes) -> Any:
    """The table of `to_ipc`."""
    return pa.ipc.open_stream(content).read_all()


def file_metadata(table: str) -> dict[bytes, bytes]:
    """The metadata that every part of a table carries."""
    return {_VERSION: str(SCHEMA_VERSION).encode(), _TABLE: table.encode()}


def metadata_of(table: str, path: Path) -> dict[bytes, bytes]:
    """The metadata of a part. Raises UnreadableInputError for a damaged part or one of another schema version."""
    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise damaged(path) from error
    found: dict[bytes, bytes] = schema.metadata or {}
    version = found.get(_VERSION, b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise UnreadableInputError(
            f"{path}: written with store version {version}, this paipu reads version {SCHEMA_VERSION}; "
            "ingest the logs again into a new --store"
        )
    if not schema.equals(SCHEMAS[table]):
        raise UnreadableInputError(
            f"{path}: not a part of the table {table} as this paipu writes it; ingest the logs again into a new --store"
        )
    return found


def read(table: str, path: Path, columns: Sequence[str] | None = None) -> Any:
    """Arrow table of a part. Raises UnreadableInputError as `metadata_of`."""
    metadata_of(table, path)
    try:
        # ParquetFile, not read_table: the latter would take parent folders for partitions.
        with pq.ParquetFile(path) as part:
            return part.read(columns=None if columns is None else list(columns))
    except (OSError, pa.ArrowException) as error:
        raise damaged(path) from error


def damaged(path: Path) -> UnreadableInputError:
    """What to say of a part that is missing or not readable as Parquet: the file to remove and the command to run."""
    what = "damaged, not readable as Parquet" if path.exists() else "missing"
    folder = path.parent
    if folder.name in SCHEMAS:
        # A batch counts as stored as long as its part of games stands.
        games = folder.parent / "games" / path.name
        advice = f"remove {'this file' if games == path else games} and ingest its logs again"
    else:
        advice = "remove this file and run paipu rescore"
    return UnreadableInputError(f"{path}: {what}; {advice}")
