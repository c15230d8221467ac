from __future__ import annotations

import csv
import io
import json
import os
import zipfile
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import polars as pl
import pytest
from rich.cells import cell_len

from ingest.errors import UsageError
from paipu.cli.options import FORMATS, resolve_output
from reports.export import atomic_file, encode_frame, write_frame

FRAME = pl.DataFrame(
    {
        "玩家": ["陳小姐", "=1+1", None],
        "delta": [-5, 120, None],
        "rate": [0.5, float("nan"), None],
        "flowers": [["f1", "f2"], [], None],
        "item": [{"id": "flower", "count": 2}, {"id": "x", "count": None}, None],
        "day": [date(2026, 1, 2), None, None],
    }
)


def test_csv_is_rfc_4180_with_empty_cells_for_the_undefined() -> None:
    data = encode_frame(FRAME, format="csv")
    assert data.count(b"\r\n") == 4
    rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
    assert rows == [
        ["玩家", "delta", "rate", "flowers", "item", "day"],
        ["陳小姐", "-5", "0.5", '["f1","f2"]', '{"id":"flower","count":2}', "2026-01-02"],
        ["'=1+1", "120", "", "[]", '{"id":"x","count":null}', ""],
        ["", "", "", "", "", ""],
    ]


@pytest.mark.parametrize("format", ["csv", "xlsx", "table", "markdown", "json", "jsonl"])
def test_the_result_of_histogram_can_be_written(format: str) -> None:
    frame = duckdb.sql("SELECT histogram(a) AS h FROM (VALUES (1), (1), (3)) t(a)").pl()
    data = encode_frame(frame, format=format)
    if format == "csv":
        assert list(csv.reader(io.StringIO(data.decode())))[1] == ['{"1":2,"3":1}']


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "-", "+cmd|' /C calc'!A0"]
)
def test_formulas_become_text_in_csv_and_xlsx(text: str) -> None:
    frame = pl.DataFrame({"=name": [text]})
    rows = list(csv.reader(io.StringIO(encode_frame(frame, format="csv").decode(), newline="")))
    assert rows == [["'=name"], [f"'{text}"]]
    with zipfile.ZipFile(io.BytesIO(encode_frame(frame, format="xlsx"))) as book:
        assert "<f>" not in book.read("xl/worksheets/sheet1.xml").decode()


@pytest.mark.parametrize("text", ["-5", "+3.25", "5m", "E", "a=b", "", "'quoted'"])
def test_other_text_is_left_alone(text: str) -> None:
    rows = list(csv.reader(io.StringIO(encode_frame(pl.DataFrame({"a": [text]}), format="csv").decode(), newline="")))
    assert rows[1] == [text]


def test_csv_with_a_byte_order_mark() -> None:
    assert encode_frame(FRAME, format="csv", bom=True) == b"\xef\xbb\xbf" + encode_frame(FRAME, format="csv")


def test_json_keeps_lists_and_structs_and_has_no_nan() -> None:
    expected = [
        {
            "玩家": "陳小姐",
            "delta": -5,
            "rate": 0.5,
            "flowers": ["f1", "f2"],
            "item": {"id": "flower", "count": 2},
            "day": "2026-01-02",
        },
        {"玩家": "=1+1", "delta": 120, "rate": None, "flowers": [], "item": {"id": "x", "count": None}, "day": None},
        {"玩家": None, "delta": None, "rate": None, "flowers": None, "item": None, "day": None},
    ]
    assert json.loads(encode_frame(FRAME, format="json")) == expected
    lines = encode_frame(FRAME, format="jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == expected
    assert json.loads(encode_frame(FRAME.clear(), format="json")) == []


def test_table_aligns_chinese_by_its_width() -> None:
    frame = pl.DataFrame({"name": ["陳小姐", "Bo"], "tai": [3, 12]})
    assert encode_frame(frame, format="table").decode().splitlines() == [
        "name    tai",
        "──────  ───",
        "陳小姐    3",
        "Bo       12",
    ]


def test_table_folds_to_a_terminal_without_losing_text() -> None:
    frame = pl.DataFrame({"name": ["陳小姐" * 10], "text": ["words " * 20], "n": [7]})
    text = encode_frame(frame, format="table", width=60).decode()
    assert max(cell_len(line) for line in text.splitlines()) <= 60
    assert text.count("陳") == 10
    assert text.count("words") == 20
    assert "\x1b" not in text


def test_table_hides_terminal_escapes() -> None:
    assert "\x1b" not in encode_frame(pl.DataFrame({"a": ["\x1b[31mred"]}), format="table").decode()


def test_markdown_escapes_its_bars() -> None:
    frame = pl.DataFrame({"a|b": ["x|y", "two\nlines"], "n": [1, None]})
    assert encode_frame(frame, format="markdown", title="T").decode() == (
        "## T\n\n| a\\|b | n |\n| --- | ---: |\n| x\\|y | 1 |\n| two lines |  |\n"
    )


def test_parquet_reads_back_as_it_was() -> None:
    assert pl.read_parquet(encode_frame(FRAME, format="parquet")).equals(FRAME)


def test_xlsx_takes_every_type() -> None:
    frame = pl.DataFrame(
        {
            "big": [2**53 + 1, None],
            "huge": pl.Series([2**100, None], dtype=pl.Int128),
            "money": [Decimal("1.50"), None],
            "when": pl.Series([datetime(2026, 1, 2, 3, 4), None], dtype=pl.Datetime("us", "Asia/Taipei")),
            "long": ["x" * 40_000, None],
            "flag": [True, None],
            "nothing": [None, None],
            "list": [[1], None],
            "inf": [float("inf"), None],
        }
    )
    with zipfile.ZipFile(io.BytesIO(encode_frame(frame, format="xlsx", title="a/b: [c]"))) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        strings = book.read("xl/sharedStrings.xml").decode()
        assert 'name="a b   c"' in book.read("xl/workbook.xml").decode()
    assert "#NUM!" not in sheet
    assert str(2**53 + 1) in strings
    assert str(2**100) in strings
    assert "<v>1.50</v>" in sheet


def test_the_header_of_a_worksheet_stays_in_sight() -> None:
    with zipfile.ZipFile(io.BytesIO(encode_frame(FRAME.drop("flowers", "item"), format="xlsx"))) as book:
        assert '<pane ySplit="1" topLeftCell="A2"' in book.read("xl/worksheets/sheet1.xml").decode()


def test_more_rows_than_a_worksheet_holds_are_refused() -> None:
    with pytest.raises(UsageError, match="do not fit a worksheet"):
        encode_frame(pl.DataFrame({"a": pl.arange(0, 1_048_576, eager=True)}), format="xlsx")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_writes_a_file_and_takes_no_rows(format: str, tmp_path: Path) -> None:
    for frame in (FRAME, FRAME.clear(), pl.DataFrame({"a": [], "b": []})):
        write_frame(frame, format=format, output=tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == encode_frame(frame, format=format) or format == "xlsx"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text("old")

    def fail() -> None:
        with atomic_file(file) as stream:
            stream.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        write_frame(FRAME, format="csv", output=tmp_path / "none" / "x.csv")
    with pytest.raises(UsageError, match="is a folder"):
        write_frame(FRAME, format="csv", output=tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="the disk is full"):
        write_frame(FRAME, format="csv", output=Path("/dev/full"))


@pytest.mark.parametrize(
    ("format", "output", "expected"),
    [
        (None, None, "table"),
        (None, "-", "table"),
        ("csv", "-", "csv"),
        (None, "a.CSV", "csv"),
        (None, "a.md", "markdown"),
        (None, "a.ndjson", "jsonl"),
        (None, "a.xlsx", "xlsx"),
        ("json", "a.csv", "json"),
    ],
)
def test_the_format_is_told_by_the_file(format: str | None, output: str | None, expected: str) -> None:
    assert resolve_output(format, output, bom=False, default="table").format == expected


def test_what_cannot_be_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="cannot tell the format"):
        resolve_output(None, "a.doc", bom=False, default="table")
    with pytest.raises(UsageError, match="--bom is for csv"):
        resolve_output("json", None, bom=True, default="table")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    for format in ("parquet", "xlsx"):
        with pytest.raises(UsageError, match="not for a terminal"):
            resolve_output(format, "-", bom=False, default="table")


def test_formats_of_the_options_are_those_of_the_writer() -> None:
    for format in FORMATS:
        assert encode_frame(FRAME, format=format)
    with pytest.raises(UsageError, match="not a format"):
        encode_frame(FRAME, format="doc")
