from __future__ import annotations

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from analysis.checks import run_checks
from analysis.warehouse import connect
from ingest import formats
from ingest.formats.support import support
from ingest.formats.tenhou_scores import FORMAT
from ingest.ids import game_id
from ingest.pipeline import ingest
from ingest.record import GameRows, to_table
from ingest.sources import Log
from ingest.store import Store
from tests.ingest.logs import given_columns, jsonl, win

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "tenhou_index"
PHOENIX = (
    '12:20 | 13 | 四鳳東喰赤－ | <a href="http://tenhou.net/0/?log=2012040412gm-00e1-0000-d0129be5">牌譜</a> | '
    "Ann(+46.0) Bo(+2.0) Cai(-19.0) Dee(-29.0)<br>"
)
GENERAL = "00:00 | 17 | 三般南喰赤－ | Ann(+56.0) Bo(+1.0) Cai(-57.0)"


def read(folder: Path, text: str, name: str = "scores.log") -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    games, rejects = [], []
    for item in FORMAT.read(Log(path)):
        if isinstance(item, GameRows):
            assert [item.hands, item.seats, item.wins, item.rejects] == [[], [], [], []]
            games.append(item.game)
        else:
            rejects.append(item)
    to_table("games", games)
    to_table("rejects", rejects)
    return games, rejects


def test_a_line_with_a_log_id_is_the_game_of_that_log(tmp_path: Path) -> None:
    [game], rejects = read(tmp_path, PHOENIX + "\n")
    assert not rejects
    assert game["game_id"] == game_id("tenhou", "2012040412gm-00e1-0000-d0129be5")
    assert game["log_id"] == "2012040412gm-00e1-0000-d0129be5"
    assert game["started_at"] == datetime(2012, 4, 4, 12, 20)
    assert game["room"] == "四鳳東喰赤－"
    assert game["declared"] == "tenhou_4p"
    assert json.loads(game["declared_options"]) == {"paipu": {}, "rule": "四鳳東喰赤－", "minutes": 13}
    assert game["players"] == ["tenhou:Ann", "tenhou:Bo", "tenhou:Cai", "tenhou:Dee"]
    assert game["final_points"] == [46.0, 2.0, -19.0, -29.0]
    assert game["n_hands"] == 0


def test_three_players_leave_the_fourth_seat_empty(tmp_path: Path) -> None:
    [game], _ = read(tmp_path, GENERAL)
    assert game["declared"] == "tenhou_3p"
    assert game["players"][3] is None
    assert game["final_points"] == [56.0, 1.0, -57.0, None]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("scores.log", None),
        ("scb20180101.log", datetime(2018, 1, 1)),
        ("scb2018010100.log", datetime(2018, 1, 1)),
        ("scb201801.log", None),
    ],
)
def test_the_date_comes_from_the_name_of_the_file(tmp_path: Path, name: str, start: datetime | None) -> None:
    [game], _ = read(tmp_path, GENERAL, name)
    assert game["started_at"] == start


def test_the_lobby_chips_and_rule_marks_are_read(tmp_path: Path) -> None:
    games, rejects = read(
        tmp_path,
        "L1001 | 15:24 | 四般南喰赤－ | Ann(+57.0) Bo(+25.0) Cai(-23.0) Dee(-59.0)\n"
        "00:31 | 06 | 三若東喰赤祝５ | Ann(+68.0,+10枚) Bo(-16.0,0枚) Cai(-52.0,-10枚)\n"
        "00:32 | 06 | 四般東－－－ | Ann(+55.0) Bo(+13.0) Cai(-23.0) Dee(-45.0)\n"
        'C0431 | 21:00 | 四般南喰－－ | <a href="http://tenhou.net/0/?log=2020010121gm-0009-10431-0123abcd">牌譜</a>'
        " | Ann(+57.0) Bo(+25.0) Cai(-23.0) Dee(-59.0)<br>\n",
    )
    assert not rejects
    assert [game["table_name"] for game in games] == ["L1001", None, None, "C0431"]
    options = [json.loads(game["declared_options"]) for game in games]
    assert [set(found) - {"paipu", "rule"} for found in options] == [set(), {"minutes", "chips"}, {"minutes"}, set()]
    assert options[1]["chips"] == [10, 0, -10]
    no_reds = {"red_fives": {"m": 0, "p": 0, "s": 0}}
    assert [found["paipu"] for found in options] == [{}, {}, {"open_tanyao": False} | no_reds, no_reds]


def test_names_keep_brackets_and_lose_escapes_and_nobody_has_no_name(tmp_path: Path) -> None:
    [game], _ = read(
        tmp_path, "00:00 | 25 | 四般南喰赤－ | m9(-D-)(+52.0) a&amp;b(1.0)(+6.0) NoName(-24.0) NoName(-34.0)"
    )
    assert game["players"] == ["tenhou:m9(-D-)", "tenhou:a&b(1.0)", None, None]
    assert game["final_points"] == [52.0, 6.0, -24.0, -34.0]


def test_equal_lines_of_one_list_are_two_games_and_the_same_in_another_copy(tmp_path: Path) -> None:
    first, _ = read(tmp_path, f"{GENERAL}\n{GENERAL}\n", "scb20180101.log")
    again, _ = read(tmp_path, f"{GENERAL}\r\n{GENERAL}\r\n", "scb2018010100.log")
    other_day, _ = read(tmp_path, GENERAL, "scb20180102.log")
    ids = [game["game_id"] for game in first]
    assert len(set(ids)) == 2
    assert [game["game_id"] for game in again] == ids
    assert other_day[0]["game_id"] not in ids


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("00:00 | 17 | 三般南喰赤－ | Ann(+56.0) Bo(+1.0)", "bad_places"),
        ("00:00 | 17 | 三般南喰赤－ | Ann(+56.0) Bo(+1.0) Cai(-57.0) Dee(0.0)", "bad_places"),
        ("00:00 | 17 | 三般南喰赤－ | Ann(+56.0) Bo(+1.0) Cai(-57.", "bad_places"),
        ("25:00 | 17 | 三般南喰赤－ | Ann(+56.0) Bo(+1.0) Cai(-57.0)", "bad_line"),
        ("00:00 | 17 | 南喰赤－ | Ann(+56.0) Bo(+1.0) Cai(-57.0)", "bad_line"),
        ("00:00 | 17", "bad_line"),
        ("nothing", "bad_line"),
        (PHOENIX.replace("2012040412gm", "201204"), "bad_log_id"),
        (PHOENIX.replace("2012040412gm", "2012990412gm"), "bad_date"),
        (GENERAL + "x" * 5000, "long_line"),
    ],
)
def test_a_line_that_is_no_game_is_rejected_alone(tmp_path: Path, line: str, code: str) -> None:
    games, [reject] = read(tmp_path, f"{PHOENIX}\n{line}\n{GENERAL}\n")
    assert len(games) == 2
    assert (reject["code"], reject["position"]) == (code, 2)


def test_a_list_is_recognised_inside_a_page_but_not_the_index_of_lists() -> None:
    assert FORMAT.sniff(PHOENIX.encode())
    assert FORMAT.sniff(b"<html><body>\n" + PHOENIX.encode())
    assert not FORMAT.sniff(b"list([\n    {file:'sca20180926.log.gz',size:35919}\n]);")


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format whose games have hands, with the identity that the score list gives."""
    monkeypatch.setattr("ingest.formats.paipu_jsonl.FORMAT_NAME", "tenhou")


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("list_first", [True, False])
def test_the_log_of_a_listed_game_takes_its_place(tmp_path: Path, list_first: bool) -> None:
    store = Store.create(tmp_path / "store")
    scores, log = tmp_path / "scores.log", tmp_path / "log.jsonl"
    scores.write_text(f"{PHOENIX}\n{GENERAL}\n", encoding="utf-8")
    log.write_bytes(jsonl(win("2012040412gm-00e1-0000-d0129be5")))
    reports = [ingest([path], store) for path in ([scores, log] if list_first else [log, scores])]
    assert [report.exit_code for report in reports] == [0, 0]
    with connect(store.path) as connection:
        games = connection.execute("SELECT log_id, n_hands FROM games ORDER BY n_hands").fetchall()
        assert games == [(None, 0), ("2012040412gm-00e1-0000-d0129be5", 1)]
        assert connection.execute("SELECT count(*) FROM hands").fetchone() == (1,)
        assert [finding.name for finding in run_checks(connection) if finding.status == "failed"] == []


@pytest.mark.usefixtures("played")
def test_the_log_of_a_listed_game_is_kept_once_however_often_either_comes(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    game = win("2012040412gm-00e1-0000-d0129be5")
    for n, content in enumerate([PHOENIX.encode(), jsonl(game), PHOENIX.encode() + b"\n\n", jsonl(game) + b"\n"]):
        (tmp_path / f"{n}.log").write_bytes(content)
        report = ingest([tmp_path / f"{n}.log"], store)
        assert (report.games, report.duplicates, report.exit_code) == ((1, 0, 0) if n < 2 else (0, 1, 0))
    with connect(store.path) as connection:
        assert connection.execute("SELECT n_hands FROM games").fetchall() == [(1,)]


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("sca.log", 5),
        ("scb.log", 20),
        ("scc20120404.html", 1),
        ("scd.log", 20),
        ("sce.log", 11),
        ("sce20180101.html", 2),
    ],
)
def test_real_lists_are_read_whole(name: str, n: int) -> None:
    log = Log(LOGS / name)
    assert formats.recognise(log.head) is FORMAT
    items = list(FORMAT.read(log))
    games = [item.game for item in items if isinstance(item, GameRows)]
    assert len(games) == len(items) == n
    for game in games:
        points = [value for value in game["final_points"] if value is not None]
        assert sum(points) == pytest.approx(0)
        assert points == sorted(points, reverse=True)


def test_the_matrix_says_what_a_list_gives(tmp_path: Path) -> None:
    games, _ = read(tmp_path, f"{PHOENIX}\nL1001 | {GENERAL}\n")
    assert given_columns([GameRows(game=game) for game in games]) == {
        column for column, level in support()["tenhou_scores"].items() if level != "null"
    }


def test_a_gzip_list_is_read(tmp_path: Path) -> None:
    path = tmp_path / "scc20120404.html.gz"
    path.write_bytes(gzip.compress(PHOENIX.encode()))
    store = Store.create(tmp_path / "store")
    assert ingest([path], store).games == 1
