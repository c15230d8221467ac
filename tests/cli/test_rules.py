from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

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
    parent = "" if text.startswith("extends") else 'extends = "tw_general"\n'
    Path(name).write_text(f'id = "club"\n{parent}{text}\n', encoding="utf-8")
    return name


def test_list(capfd: pytest.CaptureFixture[str]) -> None:
    found = rows(capfd, "list")
    assert [row["id"] for row in found] == shipped_presets()
    assert {(row["family"], row["base"], row["unit"]) for row in found} == {("taiwan", 100, 20), ("riichi", 0, 1)}
    assert all(row["source"] and row["hash"] for row in found)
    names = {row["id"]: row["name"] for row in rows(capfd, "list", "--lang", "zh-TW")}
    assert names["tw_general"] == "一般台式"
    assert names["tw_flower_honor"] == "見花見字"


def test_list_of_a_family(capfd: pytest.CaptureFixture[str]) -> None:
    assert [row["id"] for row in rows(capfd, "list", "--family", "taiwan")] == shipped_presets("taiwan")
    assert {row["family"] for row in rows(capfd, "list", "--family", "riichi")} == {"riichi"}
    assert run(["rules", "list", "--family", "poker"]) == 2
    assert capfd.readouterr().err == "paipu: there is no family 'poker'; families are riichi, taiwan\n"


def test_the_table_is_narrow_unless_it_shall_be_long(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "list"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "name", "family", "base", "unit"]
    assert max(map(cell_len, lines)) < 80
    assert run(["rules", "list", "--long"]) == 0
    assert capfd.readouterr().out.splitlines()[0].split()[-2:] == ["source", "hash"]


def test_options_are_explained_in_the_language_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    for lang, word in (("zh-TW", "起胡台數"), ("zh-CN", "起胡台数"), ("en", "Smallest hand tai")):
        (row,) = [row for row in rows(capfd, "show", "tw_full", "--lang", lang) if row["key"] == "min_tai"]
        assert word in row["text"]
        (row,) = rows(capfd, "diff", "tw_full", club('extends = "tw_full"\n[options]\nmin_tai = 3'), "--lang", lang)
        assert word in row["text"]
        assert run(["rules", "new", f"{lang}.toml", "--lang", lang]) == 0
        capfd.readouterr()
        assert word in Path(f"{lang}.toml").read_text(encoding="utf-8")


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
    assert run(["rules", "diff", "tw_general", "tw_zhengzong", "--format", "json"]) == 0
    captured = capfd.readouterr()
    assert (json.loads(captured.out), captured.err) == ([], "paipu: no difference: both score alike\n")
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[options]\ntai_cap = 0", "tai_cap = 0 makes every win worth nothing"),
        ("[options]\nmin_tai = 1000", "min_tai = 1000 is more than all items together"),
        ("[values]\nself_draw = -1", "self_draw = -1 takes tai away"),
    ],
)
def test_check_remarks_on_values_of_no_use(text: str, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", club(text)]) == 0
    captured = capfd.readouterr()
    assert captured.out.startswith("club.toml: valid")
    assert captured.err.startswith(f"paipu: club.toml: {words}")
    assert captured.err.count("\n") == 1


def test_presets_that_come_with_paipu_need_no_remark(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", *shipped_presets()]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "line"), [("id = my_club", 1), ('id = "a"\nnames = { en = Club }', 2), ('id = "a"\nsource = 家規', 2)]
)
def test_a_text_without_quotes(text: str, line: int, capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.toml").write_text(f"{text}\n", encoding="utf-8")
    assert run(["rules", "check", "a.toml"]) == 4
    error = capfd.readouterr().err
    assert f"line {line}" in error
    assert "texts need quotes" in error
    Path("a.toml").write_text('id = "a"\n[payment\n', encoding="utf-8")
    assert run(["rules", "check", "a.toml"]) == 4
    assert "quotes" not in capfd.readouterr().err


def test_the_id_of_a_shipped_preset_is_taken(capfd: pytest.CaptureFixture[str]) -> None:
    """Under one id people would take the file's scores for those of the preset that everybody has."""
    text = 'extends = "tw_full"\nid = "tw_general"\n'
    Path("mine.toml").write_text(text)
    for command in (["rules", "check", "mine.toml"], ["score", "--preset", "mine.toml", "123m +4m"]):
        assert run(command) == 4
        error = capfd.readouterr().err
        assert error.startswith("paipu: mine.toml, line 2: 'tw_general' is a preset that comes with paipu")
        assert "another id" in error
        assert error.count("\n") == 1
    # A copy of the preset itself is the preset.
    Path("mine.toml").write_text(text.replace("tw_full", "tw_general"))
    assert load_preset("mine.toml").hash == load_preset("tw_general").hash


def test_a_file_of_ones_own_is_suggested(capfd: pytest.CaptureFixture[str]) -> None:
    club("", "my_club.toml")
    for ref in ("my_clb", "my_club", "my_clb.toml"):
        assert run(["rules", "show", ref]) == 2
        assert "did you mean my_club.toml?" in capfd.readouterr().err
    assert run(["simulate", "--rules", "my_clb", "-o", "a.jsonl"]) == 2
    assert "did you mean my_club.toml?" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["x.toml", "2024 club.toml", "我的.toml", 'a"b.toml', "sub/x.toml"])
@pytest.mark.parametrize("parent", ["tw_general", "tw_luohan_v2"])
def test_new_then_check(name: str, parent: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path("sub").mkdir()
    assert run(["rules", "new", name, "--extends", parent]) == 0
    captured = capfd.readouterr()
    assert captured.out == ""
    assert f"paipu rules check {shlex.quote(name)}" in captured.err
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
        (["new", "tw_full.toml"], 2, ["tw_full", "paipu itself uses"]),
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


def test_the_id_of_declared_rules_is_taken(capfd: pytest.CaptureFixture[str]) -> None:
    Path("d.toml").write_text('extends = "tw_full"\nid = "declared"\n')
    assert run(["rules", "check", "d.toml"]) == 4
    assert "d.toml, line 2: 'declared' stands for the rules each log was played by" in capfd.readouterr().err
    assert run(["rules", "new", "declared.toml"]) == 2
    assert not Path("declared.toml").exists()


@pytest.mark.parametrize("value", [-1, 13, 300])
def test_a_yakuman_counts_in_yakuman(value: int, capfd: pytest.CaptureFixture[str]) -> None:
    Path("y.toml").write_text(f'extends = "tenhou_4p"\nid = "y"\n[values]\ndaisangen = {value}\n')
    assert run(["rules", "check", "y.toml"]) == 4
    assert "line 4: daisangen counts in yakuman, 0 to 6" in capfd.readouterr().err


def test_a_value_that_the_options_switch_off(capfd: pytest.CaptureFixture[str]) -> None:
    Path("y.toml").write_text('extends = "tenhou_4p"\nid = "y"\n[values]\nkanburi = 3\n')
    assert run(["rules", "check", "y.toml"]) == 0
    assert "y.toml: kanburi = 3 is of no effect: the options switch it off" in capfd.readouterr().err
    Path("y.toml").write_text(Path("y.toml").read_text() + '[options]\nlocal_yaku = ["kanburi"]\n')
    assert run(["rules", "check", "y.toml"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("preset", shipped_presets())
def test_every_preset_can_be_shown(preset: str, capfd: pytest.CaptureFixture[str]) -> None:
    shown = rows(capfd, "show", preset, "--lang", "en")
    rules = load_preset(preset)
    assert {row["key"] for row in shown if row["part"] in ("value", "off")} == set(rules.values)
    assert {row["key"] for row in shown if row["part"] == "option"} == set(rules.options)


def test_han_are_not_negative(capfd: pytest.CaptureFixture[str]) -> None:
    Path("y.toml").write_text('extends = "tenhou_4p"\nid = "y"\n[values]\ndora = -1\n')
    assert run(["rules", "check", "y.toml"]) == 4
    assert "line 4: dora must not be negative" in capfd.readouterr().err
