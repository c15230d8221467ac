"""Writes a frame in every output format, to a file (atomically) or to stdout.

An unknown value (null) and an undefined rate (NaN) are an empty cell or JSON null. Text cells that a spreadsheet would
run as a formula get a leading apostrophe in csv and xlsx; numbers are left alone.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec
import polars as pl
from rich.cells import cell_len

from ingest.errors import UsageError
from reports.terminal import Shown, terminal_table

_FORMULA: Final = re.compile("^[=+\\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"^[+-]?\d+(\.\d+)?$")
_XLSX_ROWS: Final = 1_048_575
_XLSX_CELL: Final = 32_767
_EXACT_FLOAT: Final = 2**53

_json = msgspec.json.Encoder(decimal_format="number", enc_hook=str)


def write_frame(
    frame: pl.DataFrame, *, format: str, output: Path | str | None = None, title: str | None = None, bom: bool = False
) -> None:
    """Write `frame` as table, csv, json, jsonl, markdown, parquet or xlsx to a file, or to stdout (None or "-").

    title: heading of a table, markdown or worksheet. bom: begin a csv with a byte-order mark.
    A file is replaced as a whole or not at all. Raises UsageError when it cannot be written or the frame does not fit
    the format.
    """
    if output is None or output == "-":
        _to_stdout(frame, format=format, title=title, bom=bom)
        return
    with atomic_file(Path(output)) as stream:
        stream.write(encode_frame(frame, format=format, title=title, bom=bom))


def write_objects(
    objects: Iterable[Mapping[str, Any]], *, format: str, output: Path | str | None = None, bom: bool = False
) -> None:
    """Write objects whose keys may differ: jsonl one by one as they come, json as they are, else as `write_frame`.

    In formats of cells a nested value becomes JSON text and a missing key an empty cell.
    """
    if format in ("json", "jsonl"):
        with contextlib.ExitStack() as stack:
            stream = None if output in (None, "-") else stack.enter_context(atomic_file(Path(str(output))))
            for piece in _json_pieces(objects, lines=format == "jsonl"):
                if stream is None:
                    _write_stdout(piece)
                else:
                    stream.write(piece)
        return
    rows = [{key: _cell(value) for key, value in item.items()} for item in objects]
    write_frame(pl.DataFrame(rows, infer_schema_length=None), format=format, output=output, bom=bom)


def _json_pieces(objects: Iterable[Mapping[str, Any]], *, lines: bool) -> Iterator[bytes]:
    first = True
    for item in objects:
        yield (b"" if lines else b"[" if first else b",\n ") + _json.encode(item) + (b"\n" if lines else b"")
        first = False
    if not lines:
        yield b"[]\n" if first else b"]\n"


def _cell(value: Any) -> Any:
    return _json.encode(value).decode() if isinstance(value, Mapping | list) else value


def encode_frame(
    frame: pl.DataFrame,
    *,
    format: str,
    title: str | None = None,
    bom: bool = False,
    width: int | None = None,
) -> bytes:
    """The bytes of the frame in a format. width: of a table; None is as wide as the longest row."""
    if format == "parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer, compression="zstd")
        return buffer.getvalue()
    frame = _plain(frame)
    match format:
        case "table":
            return _table(frame, title=title, width=width).text.encode()
        case "csv":
            return (b"\xef\xbb\xbf" if bom else b"") + _csv(frame)
        case "json":
            rows = b",\n ".join(_json.encode(row) for row in frame.iter_rows(named=True))
            return b"[" + rows + b"]\n"
        case "jsonl":
            return b"".join(_json.encode(row) + b"\n" for row in frame.iter_rows(named=True))
        case "markdown":
            return _markdown(frame, title=title).encode()
        case "xlsx":
            return _xlsx(frame, title=title)
        case _:
            raise UsageError(f"'{format}' is not a format; use table, csv, json, jsonl, markdown, parquet or xlsx")


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the name `path` only when the block ends well; otherwise nothing is left behind.

    Raises UsageError when the folder is missing, closed or full.
    """
    name = ""
    try:
        if path.is_dir():
            raise UsageError(f"'{path}' is a folder; give the name of a file")
        if path.exists() and not path.is_file():
            # A pipe or device such as /dev/stderr cannot be renamed over.
            with path.open("wb") as stream:
                yield stream
            return
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            yield stream
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
        name = ""
    except OSError as error:
        raise UsageError(_why(error, path)) from error
    finally:
        if name:
            with contextlib.suppress(OSError):
                os.unlink(name)


def make_folder(path: Path) -> None:
    """The folder and those above it, if they are not there. Raises UsageError when it cannot be made."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(_why(error, path)) from error


def _why(error: OSError, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return f"cannot write '{path}': there is no folder '{path.parent}'; make it first"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"cannot write '{path}': the disk is full; free some space and run it again"
    return f"cannot write '{path}': {error.strerror or error}"


def _to_stdout(frame: pl.DataFrame, *, format: str, title: str | None, bom: bool) -> None:
    terminal = sys.stdout.isatty()
    width: int | None = None
    if terminal:
        with contextlib.suppress(OSError):
            width = os.get_terminal_size(sys.stdout.fileno()).columns or None
    sys.stdout.flush()
    if terminal and format == "table":
        bold = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        shown = _table(_plain(frame), title=title, width=width, bold=bold)
        # The terminal's own encoding; files and pipes always get UTF-8.
        sys.stdout.write(shown.text)
        sys.stdout.flush()
        if shown.note:
            sys.stderr.write(f"paipu: {shown.note}\n")
        return
    data = encode_frame(frame, format=format, title=title, bom=bom)
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        sys.stdout.write(data.decode())
        sys.stdout.flush()
        return
    _write_stdout(data)
    binary.flush()


def _write_stdout(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        # Unbuffered (PYTHONUNBUFFERED), a write to a pipe may take only a part.
        rest = rest[sys.stdout.buffer.write(rest) or 0 :]


def _is_nested(kind: Any) -> bool:
    return isinstance(kind, pl.List | pl.Array | pl.Struct | pl.Map)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Types every format can hold: NaN and infinity to null, 128-bit integers to 64 bits or text, enums to text."""
    columns: list[pl.Expr] = []
    for name, kind in frame.schema.items():
        column = pl.col(name)
        if kind.is_float():
            columns.append(pl.when(column.is_finite()).then(column))
        elif kind in (pl.Int128, pl.UInt128):
            narrow = frame[name].cast(pl.Int64, strict=False)
            columns.append(column.cast(pl.Int64 if narrow.null_count() == frame[name].null_count() else pl.String))
        elif kind in (pl.Categorical, pl.Null) or isinstance(kind, pl.Enum):
            columns.append(column.cast(pl.String))
        else:
            columns.append(column)
    return frame.select(columns) if columns else frame


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Nested and binary columns as JSON text, for formats of cells."""
    columns = []
    for column in frame.get_columns():
        if _is_nested(column.dtype) or column.dtype == pl.Binary:
            cells = [None if cell is None else _json.encode(_listed(cell)).decode() for cell in column]
            column = pl.Series(column.name, cells, dtype=pl.String)
        columns.append(column)
    return pl.DataFrame(columns)


def _listed(cell: Any) -> Any:
    return cell.to_list() if isinstance(cell, pl.Series) else cell


def neutral(text: str) -> str:
    """The text with an apostrophe in front where a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def _neutralised(frame: pl.DataFrame) -> pl.DataFrame:
    columns = []
    for column in frame.get_columns():
        if column.dtype == pl.String:
            column = pl.Series(
                column.name, [None if cell is None else neutral(cell) for cell in column], dtype=pl.String
            )
        columns.append(column.alias(neutral(column.name)))
    return pl.DataFrame(columns)


def _csv(frame: pl.DataFrame) -> bytes:
    return _neutralised(_flat(frame)).write_csv(line_terminator="\r\n", datetime_format="%Y-%m-%dT%H:%M:%S%.f").encode()


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.1f}"
    return "".join(ch if ch.isprintable() else " " for ch in str(value))


def _short(value: Any) -> str:
    """As `_text`, with at most four decimals, or four digits of what is smaller than that."""
    if not isinstance(value, float):
        return _text(value)
    if 0 < abs(value) < 0.1:
        return f"{value:.4g}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def _table(frame: pl.DataFrame, *, title: str | None, width: int | None, bold: bool = False) -> Shown:
    frame = _flat(frame)
    rows = [[_short(value) for value in row] for row in frame.iter_rows()]
    right = [kind.is_numeric() for kind in frame.dtypes]
    if width is None:
        return Shown(_aligned(list(frame.columns), rows, right, title=title), "")
    return terminal_table(frame.columns, rows, right, width=width, title=title, bold=bold)


def _aligned(names: list[str], rows: list[list[str]], right: list[bool], *, title: str | None) -> str:
    """Columns as wide as their widest cell, on one line per row: for files and pipes."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(names, *rows, strict=True)]

    def line(cells: list[str]) -> str:
        padded = []
        for cell, cells_wide, is_right in zip(cells, widths, right, strict=True):
            blank = " " * (cells_wide - cell_len(cell))
            padded.append(blank + cell if is_right else cell + blank)
        return "  ".join(padded).rstrip() + "\n"

    head = f"{title}\n" if title else ""
    return head + line(names) + line(["─" * cells_wide for cells_wide in widths]) + "".join(map(line, rows))


def _markdown(frame: pl.DataFrame, *, title: str | None) -> str:
    frame = _flat(frame)

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells) + " |\n"

    head = line(list(frame.columns))
    rule = "|" + "|".join(" ---: " if kind.is_numeric() else " --- " for kind in frame.dtypes) + "|\n"
    body = "".join(line([_text(value) for value in row]) for row in frame.iter_rows())
    return (f"## {title}\n\n" if title else "") + head + rule + body


def _xlsx(frame: pl.DataFrame, *, title: str | None) -> bytes:
    if frame.height > _XLSX_ROWS:
        raise UsageError(
            f"{frame.height:,} rows do not fit a worksheet ({_XLSX_ROWS:,}); use csv or parquet, or add a LIMIT"
        )
    frame = _neutralised(_flat(frame)).with_columns(pl.col(pl.String).str.slice(0, _XLSX_CELL))
    for column in frame.get_columns():
        if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone:
            # A worksheet knows no time zones; the wall time stays.
            frame = frame.with_columns(column.dt.replace_time_zone(None))
        # A worksheet holds every number as a double: larger integers would change their last digits.
        if column.dtype in (pl.Int64, pl.UInt64) and not column.is_between(-_EXACT_FLOAT, _EXACT_FLOAT).all():
            frame = frame.with_columns(column.cast(pl.String))
    buffer = io.BytesIO()
    sheet = re.sub(r"[\[\]:*?/\\']", " ", title or "paipu")[:31].strip() or "paipu"
    frame.write_excel(buffer, worksheet=sheet, autofit=True, float_precision=6, freeze_panes=(1, 0))
    return buffer.getvalue()
