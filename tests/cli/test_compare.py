from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.rules.catalogue import load_catalogue
from ingest.store import Store
from ingest.tiles import count_kinds, decimal_keys, parse_tiles
from paipu.cli.main import run
from tests.analysis.small_store import game_rows, make_store, win_row


@pytest.fixture
def store(tmp_path: Path) -> str:
    rows = game_rows()
    km, kp, ks, kh = decimal_keys(count_kinds(parse_tiles("345m99p123sFFF")))
    rows.wins = [win_row(km=km, kp=kp, ks=ks, kh=kh)]
    return str(make_store(tmp_path / "s", rows=rows, scores=[]).path)


def test_compare_scores_what_is_missing_and_writes_page_summary_and_csv(
    store: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page, folder = tmp_path / "compare.html", tmp_path / "csv"
    arguments = ["compare", "--presets", "tw_general,tw_full", "--baseline", "tw_full", "--store", store]
    arguments += ["-o", str(page), "--csv", str(folder), "--format", "json", "--lang", "en"]
    assert run(arguments) == 0
    rows = json.loads(capfd.readouterr().out)
    assert [(row["preset"], row["wins"]) for row in rows] == [("tw_general", 1), ("tw_full", 1)]
    assert rows[1]["difference"] is None
    # SPEC 3.1: 發 1, 圈風 (a kong of E in the E round) 1, 宣告聽牌 1, own flowers f2 and f6 2; base 100, 20 a tai.
    assert (rows[0]["mean_tai"], rows[0]["mean_payout"]) == (5, 200)
    # One game: estimates, but nothing to resample.
    assert rows[0]["payout_low"] is None
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert '<html lang="en">' in text
    assert load_catalogue("taiwan").name("dragon_pung", "en") in text
    assert {path.stem for path in folder.iterdir()} >= {"mean_tai", "mean_payout", "bridge", "standings", "games"}


def test_page_on_stdout_stands_alone(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--presets", "tw_general,tw_online", "--store", store, "-o", "-"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("<!doctype html>")
    assert out.rstrip().endswith("</html>")


def test_a_preset_named_twice_is_compared_once(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--presets", "tw_general, tw_general", "--store", store, "--format", "csv"]) == 0
    captured = capfd.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert "named twice" in captured.err


def test_a_baseline_outside_the_presets_is_compared_too(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "--presets", "tw_full", "--baseline", "tw_general", "--store", store, "--format", "jsonl"]
    assert run(arguments) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["preset"] for row in rows] == ["tw_general", "tw_full"]
    assert [row["difference"] is None for row in rows] == [True, False]


def test_presets_with_the_same_rules_can_be_compared(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--presets", "tw_general,tw_zhengzong", "--store", store, "--format", "json"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert [row["wins"] for row in rows] == [1, 1]
    assert rows[1]["difference"] == rows[1]["payout_changed"] == 0


def test_a_preset_file_that_went_back_to_older_rules(
    store: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    club = tmp_path / "club.toml"
    means = []
    for unit in (10, 30, 10):
        names = '{ zh-TW = "俱樂部", zh-CN = "俱乐部", en = "Club" }'
        text = f'id = "club"\nnames = {names}\nsource = "us"\nextends = "tw_general"\n'
        text += f"[payment]\nbase = 50\nunit = {unit}\n"
        club.write_text(text, encoding="utf-8")
        assert run(["compare", "--presets", str(club), "--store", store, "--format", "json"]) == 0
        means.append(json.loads(capfd.readouterr().out)[0]["mean_payout"])
    # Five tai.
    assert means == [100, 200, 100]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--presets", "tw_generel"], "did you mean tw_general"),
        (["--presets", "tw_general", "--baseline", "tw_ful"], "did you mean tw_full"),
        (["--presets", " , "], "names no preset"),
        ([], "--presets"),
        (["--presets", "tw_general", "-o", "/no/such/folder/x.html"], "no folder"),
        (["--presets", "tw_general", "-o", "-", "--format", "xlsx"], "stdout takes the page"),
    ],
)
def test_wrong_usage_is_one_line(store: str, options: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--store", store, *options]) == 2
    captured = capfd.readouterr()
    assert words in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


def test_no_store_and_an_empty_store_say_what_to_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--presets", "tw_general", "--store", str(tmp_path / "none")]) == 2
    assert "none" in capfd.readouterr().err
    Store.create(tmp_path / "empty")
    assert run(["compare", "--presets", "tw_general", "--store", str(tmp_path / "empty")]) == 2
    error = capfd.readouterr().err
    assert "no win" in error
    assert "paipu ingest" in error
    assert len(error.splitlines()) == 1
