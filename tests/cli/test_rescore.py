from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from analysis.rules.preset import shipped_presets
from paipu.cli.main import run
from tests.analysis.small_store import game_rows, make_store
from tests.analysis.test_rescore import make_store as make_scorable_store

WINS = 15


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = make_scorable_store(tmp_path / "store", wins=WINS).path
    monkeypatch.setenv("PAIPU_STORE", str(path))
    return path


def said(capfd: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(["rescore", *args]) == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    return captured.err


def test_all_shipped_presets_then_nothing(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    presets = len(shipped_presets("taiwan"))
    first = said(capfd)
    assert f"{2 * WINS * presets:,} scores written in 2 batches; 0 parts were up to date" in first
    assert "depend on something the log does not say" in first
    assert f"0 scores written in 0 batches; {2 * presets + 2} parts were up to date" in said(capfd)


def test_a_club_that_changes_its_rules(store: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    club = tmp_path / "club.toml"
    for tai, parts in ((2, 0), (3, 2)):
        club.write_text(f'id = "club"\nextends = "tw_full"\n[values]\nself_draw = {tai}\n')
        report = said(capfd, "--preset", f"tw_general,{club}")
        assert f"in 2 batches; {parts} parts were up to date" in report
    assert {path.name for path in (store / "scores").iterdir()} == {"club", "tw_general"}
    assert len(list((store / "scores" / "club").iterdir())) == 2


def test_what_presets_refuse_can_be_listed(store: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Nothing reaches a minimum of 1000 tai."""
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nextends = "tw_full"\n[options]\nmin_tai = 1000\n')
    notes = said(capfd, "--preset", str(club)).splitlines()
    assert f"{2 * WINS:,} of these scores are not wins under their preset" in notes
    why = next(note for note in notes if note.startswith("  why: paipu sql"))
    command, *options, query = shlex.split(why.partition("paipu ")[2])
    assert run([command, *options, query, "--format", "json"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert sum(row["wins"] for row in rows) == 2 * WINS
    assert {(row["preset"], row["reason"]) for row in rows} <= {
        ("club", "below_min_tai"),
        ("club", "not_a_winning_shape"),
    }


def test_declared_rules_that_are_not_shipped(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = make_store(tmp_path / "s", rows=game_rows(declared="club"), scores=[]).path
    for args in (["--preset", "declared"], []):
        notes = said(capfd, "--store", str(path), *args)
        assert "1 game declares club, which does not come with paipu" in notes
        assert "give it with --preset FILE" in notes
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nextends = "tw_full"\n')
    assert "declares" not in said(capfd, "--store", str(path), "--preset", f"declared,{club}")
    assert "declares" not in said(capfd, "--store", str(path), "--preset", "declared")


def test_the_store_is_named_by_an_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small = make_store(tmp_path / "small", scores=[]).path
    assert "1 score written in 1 batch; 0 parts were up to date" in said(
        capfd, "--store", str(small), "--preset", "tw_full"
    )


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--store", "nowhere"], 2, ["nowhere", "no store here", "paipu ingest"]),
        (["--preset", "tw_fulll"], 2, ["did you mean tw_full?"]),
        (["--preset", "bad.toml"], 4, ["bad.toml, line 3", "'valuse'"]),
        (["--preset", "a.toml,b.toml"], 2, ["two different presets are called 'club'"]),
        (["--jobs", "0"], 2, ["--jobs"]),
        (["--jobs", "two"], 2, ["--jobs"]),
        (["extra"], 2, ["extra"]),
    ],
)
def test_a_mistake_is_one_line(
    store: Path, args: list[str], code: int, words: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    head = 'id = "club"\nextends = "tw_full"\n'
    Path("bad.toml").write_text(f"{head}[valuse]\n")
    Path("a.toml").write_text(head)
    Path("b.toml").write_text(f"{head}[values]\nself_draw = 9\n")
    assert run(["rescore", *args]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("paipu: ")
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err
    assert not (store / "scores").exists()


def test_a_damaged_part_is_unreadable_input(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (store / "wins" / "b0.parquet").write_bytes(b"PAR1 nothing")
    assert run(["rescore", "--preset", "tw_full"]) == 3
    error = capfd.readouterr().err
    assert "b0.parquet" in error
    assert error.count("\n") == 1


def test_what_scores_depend_on_can_be_listed(store: Path, capfd: pytest.CaptureFixture[str]) -> None:
    notes = said(capfd).splitlines()
    depend = next(note for note in notes if "depend on something the log does not say" in note)
    what = next(note for note in notes if note.startswith("  on what: paipu sql"))
    command, *options, query = shlex.split(what.partition("paipu ")[2])
    assert run([command, *options, query, "--format", "json"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert {"preset", "item", "wins"} == set(rows[0])
    assert sum(row["wins"] for row in rows) >= int(depend.split()[0].replace(",", ""))
