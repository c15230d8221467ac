from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from analysis.warehouse import VIEWS
from paipu.cli.main import run
from tests.analysis.small_store import make_store


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = make_store(tmp_path / "store").path
    monkeypatch.setenv("PAIPU_STORE", str(path))
    return path


def stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def out(capfd: pytest.CaptureFixture[str], *args: str) -> Any:
    assert run(["sql", *args]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    return captured.out


def test_a_query_from_the_command_line_a_file_and_stdin(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT winner_player, hand FROM wins"
    expected = [{"winner_player": "paipu:Bo", "hand": "345m99p123789sFFF"}]
    assert json.loads(out(capfd, sql, "--format", "json")) == expected
    (tmp_path / "q.sql").write_bytes(b"\xef\xbb\xbf" + sql.encode() + b";\n")
    assert json.loads(out(capfd, "-f", str(tmp_path / "q.sql"), "--format", "json")) == expected
    for args in (("-",), ("-f", "-")):
        stdin(monkeypatch, sql.encode())
        assert json.loads(out(capfd, *args, "--format", "json")) == expected


def test_a_result_goes_to_the_file_in_its_format(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert out(capfd, "FROM score_items", "-o", str(tmp_path / "x.parquet")) == ""
    assert pl.read_parquet(tmp_path / "x.parquet")["value"].sum() == 4
    assert out(capfd, "FROM wins", "-o", str(tmp_path / "x.csv"), "--bom") == ""
    assert (tmp_path / "x.csv").read_bytes().startswith(b"\xef\xbb\xbfgame_id,")


def test_the_views_and_columns_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    for args in (["--tables"], [".tables"]):
        rows = json.loads(out(capfd, *args, "--format", "json"))
        assert [row["view"] for row in rows] == list(VIEWS)
    columns = json.loads(out(capfd, "--describe", "wins", "--format", "json"))
    assert {"view": "wins", "column": "win_tile", "type": "VARCHAR", "description": "Winning tile"} in columns
    assert {row["view"] for row in columns} == {"wins"}
    everything = json.loads(out(capfd, "--format", "json", "--describe"))
    assert {row["view"] for row in everything} == set(VIEWS)


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["SELECT winer FROM wins"], 2, ["winer", '"winner"', "line 1, column 8"]),
        (["COPY wins TO 'x.csv'"], 2, ["only queries", "COPY"]),
        (["FROM read_text('/etc/passwd')"], 2, ["/etc/passwd", "the store's views and nothing else"]),
        ([], 2, ["give one of"]),
        (["SELECT 1", "--tables"], 2, ["give one of"]),
        (["--describe", "winz"], 2, ["did you mean 'wins'?"]),
        (["-f", "no.sql"], 3, ["no.sql"]),
        (["SELECT 1", "-o", "no/x.csv"], 2, ["there is no folder 'no'"]),
        (["SELECT 1", "--store", "nowhere"], 2, ["no store here", "paipu ingest"]),
    ],
)
def test_a_mistake_is_one_line(
    args: list[str],
    code: int,
    words: list[str],
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["sql", *args]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("paipu: ")
    assert captured.err.count("\n") == 1
    assert [word for word in words if word not in captured.err] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_a_query_that_is_not_text_is_unreadable(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin(monkeypatch, b"\xff\xfe\x00")
    assert run(["sql", "-"]) == 3
    assert capfd.readouterr().err == "paipu: cannot read the query from stdin: it is not UTF-8 text\n"


def test_db_build_writes_one_file_and_says_what(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "season.duckdb"
    assert run(["db", "build", str(file)]) == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "wins 1, " in captured.err
    with duckdb.connect(str(file), read_only=True) as built:
        assert built.execute("SELECT n_wins FROM players WHERE player = 'paipu:Bo'").fetchall() == [(1,)]
