from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.rules.catalogue import load_catalogue
from ingest.record import GameRows
from ingest.riichi_record import parse_riichi_record
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


def test_only_the_table_is_in_the_language(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "--presets", "tw_general,tw_full", "--store", store, "--lang", "zh-CN"]
    assert run(arguments) == 0
    table = capfd.readouterr().out.splitlines()
    assert table[0].split()[:3] == ["规则", "n（胡）", "不成立"]
    assert "平均每胡收入（钱）" in table[0]
    assert table[2].startswith("tw_general（基准）")
    for name, first in {"csv": "preset,wins,illegal,", "markdown": "| preset | wins | illegal |"}.items():
        assert run([*arguments, "--format", name]) == 0
        assert capfd.readouterr().out.startswith(first)


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


def test_a_preset_alone_is_remarked(store: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--presets", "tw_general", "--store", store, "--format", "csv"]) == 0
    captured = capfd.readouterr()
    assert len(captured.out.splitlines()) == 2
    assert captured.err == "paipu: tw_general alone has nothing to be compared with; name more --presets\n"


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


@pytest.fixture
def riichi_store(tmp_path: Path) -> str:
    """A child's riichi, tanyao, pinfu by discard with one red five, and an open tanyao with two dora."""
    closed = {"hand": "234m340p678s56s88p", "win_tile": "4s", "round": "E", "seat": "S", "win": "ron"}
    called = {"hand": "33p456s22s", "win_tile": "3p", "melds": ["chi:234m", "pon:777p"], "round": "E", "seat": "W"}
    wins = [
        {**closed, "flags": {"riichi": 1, "dora": "9p", "ura": "9s"}},
        {**called, "win": "ron", "flags": {"dora": "1s"}},
    ]
    names = ["tenhou:Ann", "tenhou:Bo", "tenhou:Cai", "tenhou:Dee"]
    rows = GameRows(
        game={"game_id": "f" * 20, "format": "tenhou_json", "family": "riichi", "simulated": False, "players": names}
        | {"n_hands": 2, "file": "made.json"},
    )
    for number, obj in enumerate(wins):
        key = {"game_id": "f" * 20, "hand_no": number}
        hand = {"round_wind": 0, "dealer": 0, "streak": 0, "sticks": 0, "sticks_after": 0, "result": "win", "n_wins": 1}
        rows.hands.append(key | hand)
        rows.wins.append(key | {"win_no": 0} | parse_riichi_record(obj))
    return str(make_store(tmp_path / "r", rows=rows, scores=[]).path)


def test_riichi_presets_are_compared_in_points(
    riichi_store: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "riichi.html"
    arguments = ["compare", "--presets", "tenhou_4p,m_league,ema_2025", "--baseline", "tenhou_4p"]
    arguments += ["--store", riichi_store, "-o", str(page), "--format", "json", "--lang", "zh-TW"]
    assert run(arguments) == 0
    rows = {row["preset"]: row for row in json.loads(capfd.readouterr().out)}
    # RIICHI 2.5: 4 han 30 fu 7,700, a mangan where it is rounded up, 3 han 3,900 without red fives. The open hand has
    # tanyao and two dora, 3 han 30 fu: 3,900.
    assert {name: row["mean_payout"] for name, row in rows.items()} == {
        "tenhou_4p": (7700 + 3900) / 2,
        "m_league": (8000 + 3900) / 2,
        "ema_2025": (3900 + 3900) / 2,
    }
    assert [row["mean_han"] for row in rows.values()] == [3.5, 3.5, 3]
    text = page.read_text(encoding="utf-8")
    assert load_catalogue("riichi").name("aka_dora", "zh-TW") in text


def test_scaled_riichi_presets_have_one_mean(riichi_store: str, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "--presets", "tenhou_4p,ema_2025", "--scale", "--store", riichi_store, "--format", "json"]
    assert run(arguments) == 0
    rows = json.loads(capfd.readouterr().out)
    assert [row["mean_payout"] for row in rows] == [5800, 5800]
    assert [row["scaled_by"] for row in rows] == [1, 5800 / 3900]


@pytest.mark.parametrize(
    ("presets", "words"),
    [("tenhou_4p,tw_general", "cannot score the same wins"), ("tenhou_4p,tenhou_3p", "is for 4 players")],
)
def test_presets_of_unlike_hands_or_tables_are_one_line(
    riichi_store: str, presets: str, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", "--store", riichi_store, "--presets", presets]) == 2
    error = capfd.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
