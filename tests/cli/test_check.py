from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.warehouse import sql_file, sql_names
from ingest.record import GameRows
from ingest.store import Store
from paipu.cli.main import run
from reports.i18n import LANGS, texts
from tests.analysis.small_store import game_rows, make_store, score_row, win_row
from tests.ingest.logs import put


def check(store: Store, capfd: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit code, and the report's lines by name."""
    code = run(["check", "--store", str(store.path), "--lang", "en", "--format", "json"])
    return code, {row["name"]: row for row in json.loads(capfd.readouterr().out)}


def broken(lines: dict[str, dict[str, Any]]) -> set[str]:
    return {name for name, row in lines.items() if row["status"] == "failed"}


def test_a_sound_store_passes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines = check(make_store(tmp_path / "s"), capfd)
    assert (code, broken(lines)) == (0, set())
    assert lines["tw_general"]["detail"] == "Every recorded score is reproduced: 1."
    assert lines["five_copies"] == {
        "part": "rejects",
        "name": "five_copies",
        "status": "note",
        "count": 1,
        "detail": "For example season/b.jsonl: five 5m; check the deal",
    }


def test_an_empty_store_passes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, lines = check(Store.create(tmp_path / "s"), capfd)
    assert (code, broken(lines)) == (0, set())


def hands_of(rows: GameRows, **changes: Any) -> GameRows:
    rows.hands[0].update(changes)
    return rows


def wins_of(*wins: dict[str, Any]) -> GameRows:
    rows = game_rows()
    rows.wins[:] = wins
    return rows


def other_game() -> GameRows:
    rows = game_rows()
    for row in rows.hands:
        row["game_id"] = "ffff"
    return rows


def seats_of(**changes: Any) -> GameRows:
    rows = game_rows()
    rows.seats[0].update(changes)
    return rows


@pytest.mark.parametrize(
    ("rows", "scores", "names"),
    [
        (hands_of(game_rows(), deltas=[0, 180, -170, 0]), None, {"hands_sum_to_zero"}),
        (hands_of(game_rows(), n_wins=2), None, {"hands_count_their_wins"}),
        (game_rows(n_hands=3), None, {"games_have_their_hands"}),
        (seats_of(delta=1), None, {"seats_add_up_to_hands"}),
        (seats_of(player="paipu:Eve"), None, {"seats_hold_the_players"}),
        (seats_of(seat=1), None, {"seats_grain", "seats_hold_the_players"}),
        (seats_of(hand_no=9), None, {"seats_belong_to_hands"}),
        (wins_of(win_row(payer=1)), None, {"wins_are_not_paid_by_the_winner"}),
        (wins_of(win_row(payer=None)), None, {"wins_are_not_paid_by_the_winner"}),
        (wins_of(win_row(recorded_payments=[0, 1, 0, 0])), None, {"wins_recorded_payments_add_up"}),
        (wins_of(win_row(), win_row()), None, {"wins_grain", "hands_count_their_wins"}),
        (
            wins_of(win_row(), win_row(hand_no=7)),
            [score_row(), score_row(hand_no=7)],
            {"wins_belong_to_hands"},
        ),
        (game_rows(), [score_row(), score_row()], {"scores_grain"}),
        (game_rows(), [score_row(), score_row(win_no=1)], {"scores_belong_to_wins"}),
        (game_rows(), [score_row(payments=[0, 1, 0, 0])], {"scores_sum_to_zero"}),
        (game_rows(), [score_row(items=[])], {"score_items_add_up"}),
        (
            wins_of(win_row(recorded_tai=None), win_row(win_no=1, recorded_tai=None)),
            None,
            {"scores_cover_the_wins", "hands_count_their_wins"},
        ),
        (other_game(), None, {"hands_belong_to_games", "games_have_their_hands"}),
    ],
)
def test_each_check_finds_its_fault(
    rows: GameRows,
    scores: list[dict[str, Any]] | None,
    names: set[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, lines = check(make_store(tmp_path / "s", rows=rows, scores=scores), capfd)
    assert code == 1
    assert names <= broken(lines)
    for name in names:
        assert lines[name]["count"] > 0
        assert "Not so: " in lines[name]["detail"]


def test_games_and_hands_that_are_there_twice(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store = make_store(tmp_path / "s")
    put(store, "again", [game_rows()], [])
    code, lines = check(store, capfd)
    assert code == 1
    assert {"games_grain", "hands_grain", "seats_grain", "wins_grain"} <= broken(lines)


def test_wins_that_no_preset_accepts_are_noted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    refused = {
        "legal": False,
        "outcome": "no_win",
        "reason": "below_min_tai",
        "hand_tai": 0,
        "items": [],
        "payments": [0] * 4,
    }
    other = score_row(preset="tw_full")
    code, lines = check(
        make_store(
            tmp_path / "a", rows=wins_of(win_row(recorded_tai=None)), scores=[score_row(**refused), other | refused]
        ),
        capfd,
    )
    assert code == 0
    assert lines["not_accepted"] == {
        "part": "wins",
        "name": "not_accepted",
        "status": "note",
        "count": 1,
        "detail": "Wins that no scored preset accepts, for example "
        "season/a.jsonl, game 0123456789abcdef0123, hand 0: below_min_tai",
    }
    _, lines = check(make_store(tmp_path / "b", scores=[score_row(**refused), other]), capfd)
    assert "not_accepted" not in lines


STAKE = {"base": 100, "unit": 20}


@pytest.mark.parametrize(
    ("rows", "score", "code", "detail"),
    [
        (game_rows(declared=None), {}, 0, "No declared preset to compare. Wins: 1."),
        (game_rows(declared="club"), {}, 0, "club does not come with paipu"),
        (game_rows(declared="tw_full"), {}, 1, "1 of 1 wins are not scored yet; run paipu rescore --preset tw_full"),
        (game_rows(), {"hand_tai": 3}, 1, "1 differ, for example 0123456789abcdef0123 #0: 4 [0, 180, -180, 0] ≠ 3"),
        (
            game_rows(),
            {"hand_tai": 3, "undetermined": ["last_tile_draw"]},
            0,
            "1 differ where the log leaves out a fact",
        ),
        (game_rows(), {"legal": False, "reason": "below_min_tai"}, 1, "≠ below_min_tai"),
        (game_rows(), {"payments": [0, 90, -90, 0]}, 0, "Every recorded score is reproduced: 1."),
        (game_rows(**STAKE), {"payments": [0, 90, -90, 0]}, 1, "4 [0, 180, -180, 0] ≠ 4 [0, 90, -90, 0]"),
        (game_rows(**STAKE), {}, 0, "Every recorded score is reproduced: 1."),
    ],
)
def test_recorded_scores_are_compared(
    rows: GameRows,
    score: dict[str, Any],
    code: int,
    detail: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """tw_general is played for 100 and 20 (SPEC 3): other stakes change the money, not the tai."""
    found, lines = check(make_store(tmp_path / "s", rows=rows, scores=[score_row(**score)]), capfd)
    assert found == code
    assert [row["detail"] for row in lines.values() if row["part"] == "recorded" and detail in row["detail"]]
    assert {row["part"] for row in lines.values() if row["status"] == "failed"} <= {"recorded"}


@pytest.mark.parametrize(("lang", "word"), [("zh-TW", "重算相同"), ("zh-CN", "重算相同"), ("en", "reproduced")])
def test_the_report_speaks_the_language(
    lang: str, word: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = make_store(tmp_path / "s")
    assert run(["check", "--store", str(store.path), "--lang", lang]) == 0
    assert word in capfd.readouterr().out


def test_every_check_has_a_text_in_every_language() -> None:
    for lang in LANGS:
        assert set(sql_names("checks")) <= set(texts(lang).section("check"))
    english = texts("en").section("check")
    for name in sql_names("checks"):
        assert english[name] == sql_file("checks", name).description.replace("`", "")
