"""paipu simulate: reproducible files, clean failures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from paipu.cli import simulate as module
from paipu.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
SHORT = ["simulate", "--games", "5", "--seed", "s", "--rounds", "1"]


def test_gz_is_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl.gz", tmp_path / "two.jsonl.gz"
    assert run([*SHORT, "-o", str(one)]) == 0
    assert run([*SHORT, "--jobs", "2", "-o", str(two)]) == 0
    assert one.read_bytes() == two.read_bytes()
    header = one.read_bytes()[:10]
    assert header[:3] == b"\x1f\x8b\x08"
    assert header[3] == 0  # no file name
    assert header[4:8] == b"\0\0\0\0"  # no time
    games = [json.loads(line) for line in gzip.decompress(one.read_bytes()).splitlines()]
    assert [game["id"].rpartition("-")[2] for game in games] == ["0001", "0002", "0003", "0004", "0005"]
    assert all(game["simulated"] is True for game in games)


def test_stdout_is_only_the_games(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    assert run([*SHORT, "-o", "-"]) == 0
    out, err = capsysbinary.readouterr()
    plain = tmp_path / "plain.jsonl"
    assert run([*SHORT, "-o", str(plain)]) == 0
    assert out == plain.read_bytes()
    assert out.count(b"\n") == 5
    assert b"5 simulated games" in err


def test_options_reach_the_games(tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    assert run([*SHORT, "--players", "4", "--rules", "tw_full", "-o", str(target)]) == 0
    games = [json.loads(line) for line in target.open()]
    assert {game["rules"] for game in games} == {"tw_full"}
    assert {game["table"] for game in games} == {"1"}
    assert {hand["round"] for game in games for hand in game["hands"]} == {"E"}


def test_scores_follow_the_payment_rule(tmp_path: Path) -> None:
    """SPEC 2.6: base 100, 20 a tai; 1 + 2N tai more where the dealer wins or pays; all losers pay a self-draw."""
    target = tmp_path / "a.jsonl"
    assert run([*SHORT, "-o", str(target)]) == 0
    n_wins = 0
    for line in target.read_text().splitlines():
        game = json.loads(line)
        scores = [0, 0, 0, 0]
        for hand in game["hands"]:
            assert hand["scores_before"] == scores
            expected = [0, 0, 0, 0]
            event = hand["events"][-1]
            if event[0] == "win":
                n_wins += 1
                _, winner, _, payer, score = event
                assert score["tai"] == sum(score["items"].values())
                for seat in {0, 1, 2, 3} - {winner} if payer is None else {payer}:
                    dealer_tai = 1 + 2 * hand["streak"] if hand["dealer"] in (seat, winner) else 0
                    expected[seat] -= 100 + 20 * (score["tai"] + dealer_tai)
                    expected[winner] += 100 + 20 * (score["tai"] + dealer_tai)
                assert score["payments"] == expected
                assert ("self_draw" in score["items"]) == (payer is None)
            assert hand["deltas"] == expected
            scores = [a + b for a, b in zip(scores, expected, strict=True)]
        assert game["final_scores"] == scores
    assert n_wins > 10


def test_sample_season_is_what_its_readme_says(tmp_path: Path) -> None:
    folder = ROOT / "data" / "samples"
    sample = folder / "season.jsonl.gz"
    assert sample.stat().st_size < 2_000_000
    lines = gzip.decompress(sample.read_bytes()).splitlines()
    readme = (folder / "README.md").read_text(encoding="utf-8")
    (made,) = [line.split() for line in readme.splitlines() if line.startswith("    paipu simulate")]
    games = int(made[made.index("--games") + 1])
    assert len(lines) == games
    again = tmp_path / "again.jsonl"
    assert run(["simulate", "--games", "2", "--seed", made[made.index("--seed") + 1], "-o", str(again)]) == 0
    assert again.read_bytes().splitlines() == lines[:2]


@pytest.mark.parametrize(
    ("text", "exit_code"),
    [(None, 2), ('id = "x"\nsurprise = 1\n', 4)],
)
def test_bad_rules_are_one_line(
    text: str | None, exit_code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "mine.toml"
    if text is not None:
        rules.write_text(text)
    assert run([*SHORT, "--rules", str(rules), "-o", str(tmp_path / "a.jsonl")]) == exit_code
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "a.jsonl").exists()


@pytest.mark.parametrize("target", ["missing/a.jsonl", "."])
def test_unwritable_target_is_one_line(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SHORT, "-o", str(tmp_path / target)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["x.csv", "x", "x.parquet", "x.jsonl.zip"])
def test_a_name_of_another_format_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SHORT, "-o", str(tmp_path / name)]) == 2
    error = capsys.readouterr().err
    assert "should end in .jsonl or .jsonl.gz" in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_one_game_is_said_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "--games", "1", "--rounds", "1", "-o", str(tmp_path / "one.json")]) == 0
    assert capsys.readouterr().err.startswith("1 simulated game, ")


def test_interruption_keeps_the_old_file_and_leaves_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.jsonl.gz"
    target.write_bytes(b"old")

    def interrupted(_: Any) -> tuple[bytes, int]:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_play", interrupted)
    assert run([*SHORT, "-o", str(target)]) == 130
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("options", [["--rounds", "5"], ["--players", "3"], ["--games", "-1"], ["--jobs", "0"]])
def test_impossible_options_are_usage_errors(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *options, "-o", "-"]) == 2
    assert options[0] in capsys.readouterr().err


def test_a_preset_with_a_minimum_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nextends = "tw_general"\n[options]\nmin_tai = 3\n')
    assert run([*SHORT, "--rules", str(club), "-o", str(tmp_path / "a.jsonl")]) == 2
    assert "min_tai" in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()
