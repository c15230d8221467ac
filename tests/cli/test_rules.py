from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.rules.preset import load_preset, shipped_presets
from paipu.cli.main import run


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAIPU_LANG", "en")


def rows(capfd: pytest.CaptureFixture[str], *args: str) -> list[dict[str, Any]]:
    assert run(["rules", *args, "--format", "json"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    found: list[dict[str, Any]] = json.loads(captured.out)
    return found


def club(text: str, name: str = "club.toml") -> str:
    Path(name).write_text(f'id = "club"\nextends = "tw_general"\n{text}\n', encoding="utf-8")
    return name


def test_list(capfd: pytest.CaptureFixture[str]) -> None:
    found = rows(capfd, "list")
    assert [row["id"] for row in found] == shipped_presets()
    assert {(row["family"], row["base"], row["unit"]) for row in found} == {("taiwan", 100, 20), ("riichi", 0, 1)}
    names = {row["id"]: row["name"] for row in rows(capfd, "list", "--lang", "zh-TW")}
    assert names["tw_general"] == "一般台式"
    assert names["tw_flower_honor"] == "見花見字"


def test_show(capfd: pytest.CaptureFixture[str]) -> None:
    found = rows(capfd, "show", "tw_online", "--lang", "zh-TW")
    shown = {(row["part"], row["key"]): row["value"] for row in found}
    assert shown["value", "miji"] == "8"
    assert shown["option", "dealer_streak_cap"] == "18"
    assert shown["option", "tai_cap"] == "none"
    assert shown["option", "little_four_winds_keeps_winds"] == "false"
    assert shown["payment", "unit"] == "20"
    assert ("value", "half_melded") not in shown
    texts = {row["key"]: row["text"] for row in found}
    assert texts["five_concealed_pungs"] == "五暗刻"
    assert all(row["text"] for row in found if row["part"] == "option")
    own = club('[excludes]\nall_pungs = ["self_draw"]')
    assert {"part": "excludes", "key": "all_pungs", "value": "self_draw", "text": ""} in rows(capfd, "show", own)


def test_diff(capfd: pytest.CaptureFixture[str]) -> None:
    """The two luohan editions differ in what SPEC 3.7 lists."""
    found = rows(capfd, "diff", "tw_luohan_v1", "tw_luohan_v2")
    assert {(row["key"], row["tw_luohan_v1"], row["tw_luohan_v2"]) for row in found} == {
        ("earthly_ready_first_turn", None, "8"),
        ("human_hand", "8", "16"),
        ("four_concealed_pungs", "5", "6"),
        ("five_concealed_pungs", "13", "16"),
        ("initial_flower_win", "8", "12"),
        ("single_wait_with_eight_pairs", "false", "true"),
        ("opening_hands", "ready_old", "ready_new"),
    }
    assert rows(capfd, "diff", "tw_general", "tw_zhengzong") == []
    assert rows(capfd, "diff", "tw_general", club("[values]\nself_draw = 2")) == [
        {"part": "value", "key": "self_draw", "tw_general": "1", "club": "2", "text": "Self-draw"}
    ]


def test_diff_of_two_files_with_one_id(capfd: pytest.CaptureFixture[str]) -> None:
    a, b = club("[payment]\nunit = 30", "a.toml"), club("[payment]\nunit = 50", "b.toml")
    (row,) = rows(capfd, "diff", a, b)
    assert (row["club (a)"], row["club (b)"]) == ("30", "50")


def test_check(capfd: pytest.CaptureFixture[str]) -> None:
    good, bad = club("[values]\nself_draw = 2"), club("[values]\nself_drw = 2", "bad.toml")
    assert run(["rules", "check", good, "tw_full"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines()[0].startswith("club.toml: valid, club, ")
    assert load_preset(good).hash in captured.out
    assert run(["rules", "check", bad, good, "none.toml"]) == 4
    captured = capfd.readouterr()
    assert captured.out.count("valid") == 1
    first, second = captured.err.splitlines()
    assert first == "paipu: bad.toml, line 4: unknown item 'self_drw'; did you mean self_draw?"
    assert second == "paipu: there is no preset file 'none.toml'"


@pytest.mark.parametrize("name", ["x.toml", "2024 club.toml", "我的.toml", 'a"b.toml', "sub/x.toml"])
@pytest.mark.parametrize("parent", ["tw_general", "tw_luohan_v2"])
def test_new_then_check(name: str, parent: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("sub").mkdir()
    assert run(["rules", "new", name, "--extends", parent]) == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    assert f"paipu rules check {name}" in captured.err
    assert run(["rules", "check", name]) == 0
    assert load_preset(name).hash == load_preset(parent).hash
    assert run(["rules", "new", name, "--extends", parent]) == 2
    assert "exists already" in capfd.readouterr().err


def test_new_from_a_file(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The parent's id is not the name of its file, and it stands in another folder."""
    Path("season").mkdir()
    parent = club("[values]\nself_draw = 5", "our rules.toml")
    for name, ref in (("a.toml", parent), ("season/b.toml", parent), ("c.toml", str(tmp_path / parent))):
        assert run(["rules", "new", name, "--extends", ref]) == 0
        assert load_preset(name).values["self_draw"] == 5
    assert run(["rules", "check", "a.toml", "season/b.toml", "c.toml"]) == 0


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["foo"], 2, ["foo", "--help"]),
        (["list", "extra"], 2, ["extra"]),
        (["show"], 2, ["PRESET"]),
        (["show", "tw_fulll"], 2, ["did you mean tw_full?"]),
        (["show", "bad.toml"], 4, ["bad.toml, line 3", "'valuse'"]),
        (["diff", "tw_full"], 2, ["'B'"]),
        (["diff", "tw_full", "tw_none"], 2, ["no preset 'tw_none'"]),
        (["diff", "tw_full", "bad.toml"], 4, ["bad.toml, line 3"]),
        (["check"], 2, ["FILE"]),
        (["new"], 2, ["FILE"]),
        (["new", "x"], 2, ["ends in .toml"]),
        (["new", "x.txt"], 2, ["ends in .toml"]),
        (["new", "."], 2, ["directory"]),
        (["new", "no/x.toml"], 2, ["no folder 'no'"]),
        (["new", "tw_full.toml"], 2, ["tw_full", "comes with paipu"]),
        (["new", "y.toml", "--extends", "tw_ful"], 2, ["did you mean tw_full?"]),
        (["new", "y.toml", "--extends", "bad.toml"], 4, ["bad.toml, line 3"]),
        (["list", "--format", "toml"], 2, ["--format"]),
        (["list", "--lang", "de"], 2, ["--lang"]),
    ],
)
def test_a_mistake_is_one_line(args: list[str], code: int, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    club("[valuse]\nself_draw = 2", "bad.toml")
    assert run(["rules", *args]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("paipu: ")
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err
    assert sorted(path.name for path in Path().iterdir()) == ["bad.toml"]


@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "markdown", "parquet", "xlsx"])
@pytest.mark.parametrize("args", [["list"], ["show", "tw_full"], ["diff", "tw_full", "tw_online"]])
def test_every_format(args: list[str], format_: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", *args, "--format", format_, "-o", "out"]) == 0
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")
    data = Path("out").read_bytes()
    assert data
    if format_ not in ("parquet", "xlsx"):
        assert "tw_full" in data.decode()


def test_no_subcommand_shows_them_all(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 2
    shown = capfd.readouterr().err
    for name in ("list", "show", "diff", "check", "new"):
        line = next(line for line in shown.splitlines() if line.split()[:1] == [name])
        assert "Example" not in line
