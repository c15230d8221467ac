"""The ingest job: what is kept, what is reported, and that the same logs always give the same store."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ingest import formats
from ingest.errors import RecordError, UsageError
from ingest.pipeline import IngestReport, Progress, ingest
from ingest.store import Store
from tests.ingest.logs import FIVE_COPIES, jsonl, win
from tests.ingest.scripted_format import HEADER
from tests.ingest.test_store import listing

REPO = Path(__file__).resolve().parents[2]
SHARED_LOGS = REPO.parent / "shared" / "logs"


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "FORMATS", {"scripted": "tests.ingest.scripted_format", **formats.FORMATS})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store")


def script(path: Path, *steps: str) -> Path:
    path.write_bytes(HEADER + "".join(f"{step}\n" for step in steps).encode())
    return path


def column(store: Store, table: str, name: str) -> list[object]:
    return [value for batch in store.batches() for value in store.read(table, batch, [name]).column(name).to_pylist()]


def test_games_hands_and_wins_arrive(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "club.jsonl"
    log.write_bytes(jsonl(win("g1", 0), win("g1", 1), win("g2", 0)))
    report = ingest([log], store)
    assert report == IngestReport(files=1, games=2, hands=3, wins=3)
    assert report.exit_code == 0
    assert column(store, "games", "log_id") == ["g1", "g2"]
    assert column(store, "games", "file") == [str(log)] * 2
    assert column(store, "games", "format") == ["paipu"] * 2
    assert column(store, "games", "players")[0] == ["paipu:Ann", "paipu:Bo", "paipu:Cai", "paipu:Dee"]
    assert len(column(store, "seats", "seat")) == 12


def test_small_logs_share_a_batch(tmp_path: Path, store: Store) -> None:
    for n in range(10):
        (tmp_path / f"{n}.jsonl").write_bytes(jsonl(win(f"g{n}")))
    assert ingest([tmp_path], store).games == 10
    assert len(store.batches()) == 1


@pytest.mark.usefixtures("scripted")
def test_a_big_log_is_split_and_only_its_last_batch_ends_it(tmp_path: Path, store: Store) -> None:
    log = script(tmp_path / "big", *(f"game {n} 3" for n in range(10)))
    assert ingest([log], store, batch_hands=9).hands == 30
    assert [batch.rsplit("-")[1] for batch in store.batches()] == ["0000", "0001", "0002", "0003"]
    assert [store.read("hands", batch).num_rows for batch in store.batches()] == [9, 9, 9, 3]
    assert column(store, "games", "log_id") == [str(n) for n in range(10)]


@pytest.mark.usefixtures("scripted")
def test_a_split_log_cut_off_by_a_kill_is_read_to_its_end_by_the_next_run(tmp_path: Path, store: Store) -> None:
    log = script(tmp_path / "big", *(f"game {n} 3" for n in range(10)))
    ingest([log], store, batch_hands=9)
    whole = listing(store.path)
    for batch in store.batches()[2:]:
        store.remove(batch)
    report = ingest([log], store, batch_hands=9)
    assert (report.games, report.duplicates) == (10, 0)
    assert listing(store.path) == whole


def test_reading_the_same_again_changes_nothing(tmp_path: Path, store: Store) -> None:
    (tmp_path / "logs").mkdir()
    for n in range(3):
        bad = [win(f"g{n}", 1, hand=FIVE_COPIES)] if n == 1 else []
        (tmp_path / f"logs/{n}.jsonl").write_bytes(jsonl(win(f"g{n}"), *bad))
    first = ingest([tmp_path / "logs"], store)
    before = listing(store.path)
    again = ingest([tmp_path / "logs"], store)
    assert listing(store.path) == before
    assert (first.unchanged, again.unchanged) == (0, 3)
    assert (again.games, again.hands, again.wins, again.rejects) == (3, 3, 3, first.rejects)
    assert first.exit_code == again.exit_code == 1


def test_the_same_logs_give_the_same_bytes_in_another_store(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.jsonl").write_bytes(jsonl(win(f"g{n}")))
    stores = [Store.create(tmp_path / name / "store") for name in "ab"]
    for store in stores:
        ingest([tmp_path / f"{n}.jsonl" for n in range(3)], store)
    assert listing(stores[0].path) == listing(stores[1].path)
    assert listing(stores[0].path)


def test_new_logs_enter_beside_the_old_ones(tmp_path: Path, store: Store) -> None:
    (tmp_path / "1.jsonl").write_bytes(jsonl(win("g1")))
    ingest([tmp_path / "1.jsonl"], store)
    old = listing(store.path)
    (tmp_path / "2.jsonl").write_bytes(jsonl(win("g2")))
    report = ingest([tmp_path / "1.jsonl", tmp_path / "2.jsonl"], store)
    assert (report.files, report.unchanged, report.games) == (2, 1, 2)
    assert old.items() < listing(store.path).items()


def test_a_game_in_two_logs_is_kept_once_and_the_holder_is_named(tmp_path: Path, store: Store) -> None:
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_bytes(jsonl(win("g1")))
    second.write_bytes(jsonl(win("g1"), win("g2")))
    report = ingest([first, second], store)
    assert (report.games, report.duplicates, report.rejects, report.exit_code) == (2, 1, {}, 0)
    assert column(store, "games", "log_id") == ["g1", "g2"]
    assert column(store, "games", "file") == [str(first), str(second)]
    assert column(store, "rejects", "code") == ["duplicate_game"]
    assert column(store, "rejects", "file") == [str(second)]
    assert str(first) in str(column(store, "rejects", "message")[0])


def test_a_game_that_comes_with_other_hands_is_a_reject_and_no_mere_duplicate(tmp_path: Path, store: Store) -> None:
    first, mended = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    first.write_bytes(jsonl(win("g1")))
    mended.write_bytes(jsonl(win("g1"), win("g1", 1)))
    ingest([first], store)
    report = ingest([mended], store)
    assert (report.duplicates, report.rejects, report.exit_code) == (0, {"other_game": 1}, 1)
    message = str(column(store, "rejects", "message")[0])
    assert str(first) in message
    assert "with 1 hand and comes here with 2" in message
    assert "with 2" in message


def test_a_rejected_win_leaves_no_game_in_the_way_of_the_mended_log(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "1.jsonl"
    log.write_bytes(jsonl(win("g1", players=["Ann", "Ann", "Bo", "Cai"])))
    report = ingest([log], store)
    assert (report.games, report.rejects) == (0, {"bad_players": 1})
    log.write_bytes(jsonl(win("g1", players=["Ann", "Dee", "Bo", "Cai"])))
    report = ingest([log], store)
    assert (report.games, report.hands, report.wins, report.rejects) == (1, 1, 1, {})


def test_a_game_twice_in_one_log_or_from_an_earlier_run(tmp_path: Path, store: Store) -> None:
    log, later = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    log.write_bytes(jsonl(win("g1"), win("g2"), win("g1")))
    later.write_bytes(jsonl(win("g2")))
    assert ingest([log], store).duplicates == 1
    assert ingest([later], store).duplicates == 1
    assert sorted(map(str, column(store, "games", "log_id"))) == ["g1", "g2"]


def test_the_same_content_twice_in_one_run_is_read_once(tmp_path: Path, store: Store) -> None:
    data = jsonl(win("g1"))
    (tmp_path / "a.jsonl").write_bytes(data)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(data))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("a.jsonl", data)
    report = ingest([tmp_path], store)
    assert (report.files, report.repeated, report.games, report.duplicates) == (1, 2, 1, 0)


def test_a_bad_hand_is_rejected_alone(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(jsonl(win("g1", 0), win("g1", 1, hand=FIVE_COPIES), win("g1", 2)))
    report = ingest([log], store)
    assert (report.hands, report.exit_code) == (2, 1)
    (row,) = report.examples
    assert (row["file"], row["position"], row["code"]) == (str(log), 2, "five_copies")
    assert column(store, "rejects", "code") == ["five_copies"]


def test_a_log_of_rejects_only_is_remembered(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(jsonl(win("g1", hand=FIVE_COPIES)))
    assert ingest([log], store).games == 0
    assert len(store.batches()) == 1
    assert column(store, "rejects", "code") == ["five_copies"]
    assert ingest([log], store).unchanged == 1


def test_a_truncated_gzip_keeps_the_games_before_the_break(tmp_path: Path, store: Store) -> None:
    # Hashes in the ids, so that the content does not pack away and the cut takes about half of it.
    lines = [win(os.urandom(40).hex()) for _ in range(400)]
    packed = gzip.compress(jsonl(*lines))
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "b.jsonl").write_bytes(jsonl(win("other")))
    report = ingest([tmp_path], store)
    assert report.exit_code == 3
    (problem,) = report.unreadable
    assert problem.startswith(f"{tmp_path}/a.jsonl.gz: breaks off")
    assert 100 < report.games < 300
    kept = column(store, "games", "log_id")
    assert kept[-1] == "other"
    assert kept[:-1] == [line["game"] for line in lines[: len(kept) - 1]]
    before = listing(store.path)
    again = ingest([tmp_path], store)
    assert (again.exit_code, again.unreadable, again.unchanged) == (3, report.unreadable, 2)
    assert listing(store.path) == before


def test_a_gzip_without_its_end_keeps_every_win_that_can_be_read(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "1.jsonl.gz"
    lines = [{key: value for key, value in win(name).items() if key != "game"} for name in ("g1", "g2")]
    log.write_bytes(gzip.compress(jsonl(*lines))[:-8])
    report = ingest([log], store)
    assert (report.wins, len(report.unreadable)) == (2, 1)


def test_damage_before_the_format_can_be_told_is_one_line(tmp_path: Path, store: Store) -> None:
    log = tmp_path / "1.jsonl.gz"
    log.write_bytes(gzip.compress(b"a text that is no log\n" * 9)[:-9])
    report = ingest([log], store)
    (problem,) = report.unreadable
    assert "breaks off" in problem


def test_a_named_file_of_no_known_format_is_an_error_and_in_a_folder_it_is_not(tmp_path: Path, store: Store) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/readme.txt").write_text("about these logs")
    (tmp_path / "logs/empty.json").write_bytes(b"")
    (tmp_path / "logs/a.jsonl").write_bytes(jsonl(win("g1")))
    report = ingest([tmp_path / "logs"], store)
    assert (report.games, report.exit_code) == (1, 0)
    assert report.skipped == [f"{tmp_path}/logs/empty.json", f"{tmp_path}/logs/readme.txt"]
    report = ingest([tmp_path / "logs/readme.txt", tmp_path / "logs/empty.json"], store)
    assert report.exit_code == 3
    assert "unknown_format" in report.unreadable[0]
    assert "the file is empty" in report.unreadable[1]


def test_a_folder_without_any_log_is_an_error(tmp_path: Path, store: Store) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/readme.txt").write_text("nothing here")
    assert ingest([tmp_path / "logs"], store).exit_code == 3


def test_a_format_that_does_not_exist(tmp_path: Path, store: Store) -> None:
    with pytest.raises(UsageError, match="did you mean 'mahjong16'"):
        ingest([tmp_path], store, format="mahjong1")


@pytest.mark.usefixtures("scripted")
def test_format_overrides_the_content(tmp_path: Path, store: Store) -> None:
    log = script(tmp_path / "a", "game 1 1")
    assert ingest([log], store, format="paipu").games == 0
    assert set(column(store, "rejects", "format")) == {"paipu"}


@pytest.mark.usefixtures("scripted")
def test_strict_stops_at_the_first_bad_hand_and_keeps_the_logs_before(tmp_path: Path, store: Store) -> None:
    paths = [
        script(tmp_path / "1", "game 1 2"),
        script(tmp_path / "2", "game 2 2", "bad_hand 3", "game 4 2"),
        script(tmp_path / "3", "game 5 2"),
    ]
    with pytest.raises(
        RecordError, match=rf"{paths[1]}, game 3, hand 1, event 7: a fifth 5m \[five_copies\]"
    ) as caught:
        ingest(paths, store, strict=True)
    assert caught.value.exit_code == 1
    assert column(store, "games", "log_id") == ["1"]
    assert ingest(paths, store).games == 5


@pytest.mark.usefixtures("scripted")
def test_a_reader_that_fails_costs_its_log_not_the_run(tmp_path: Path, store: Store) -> None:
    paths = [
        script(tmp_path / "1", "game 1 2", "crash", "game 2 2"),
        script(tmp_path / "2", "game 3 2", "misfit 4", "game 5 2", "misfit_reject"),
        script(tmp_path / "3", "game 6 2", "raise_record_error"),
        script(tmp_path / "4", "game 7 2"),
    ]
    report = ingest(paths, store)
    assert report.exit_code == 1
    assert report.rejects == {"reader_failed": 3, "raised": 1}
    assert sorted(map(str, column(store, "games", "log_id"))) == ["1", "3", "5", "6", "7"]
    crash, misfit, misfit_reject = (row for row in report.examples if row["code"] == "reader_failed")
    assert "KeyError: 'surprise'" in crash["message"]
    assert "hands" in misfit["message"]
    assert misfit["log_id"] == "4"
    assert "rejects" in misfit_reject["message"]


@pytest.mark.usefixtures("scripted")
def test_a_bad_row_in_an_early_piece_of_a_big_log_is_reported(tmp_path: Path, store: Store) -> None:
    log = script(tmp_path / "big", "misfit 1", *(f"game {n} 3" for n in range(2, 10)))
    report = ingest([log], store, batch_hands=9)
    assert [row["log_id"] for row in report.examples] == ["1"]
    assert report.rejects == {"reader_failed": 1}
    assert len(store.batches()) > 2


@pytest.mark.usefixtures("scripted")
def test_a_log_whose_reader_failed_is_read_again(tmp_path: Path, store: Store) -> None:
    log = script(tmp_path / "1", "game 1 2", "crash", "game 2 2")
    ingest([log], store)
    before = listing(store.path)
    report = ingest([log], store)
    assert (report.unchanged, report.games, report.duplicates) == (0, 1, 0)
    assert listing(store.path) == before


@pytest.mark.usefixtures("scripted")
def test_ctrl_c_keeps_the_logs_that_came_to_their_end(tmp_path: Path, store: Store) -> None:
    paths = [script(tmp_path / "1", "game 1 2"), script(tmp_path / "2", "game 2 2", "interrupt", "game 3 2")]
    with pytest.raises(KeyboardInterrupt):
        ingest(paths, store)
    assert column(store, "games", "log_id") == ["1"]


def test_worker_processes_give_the_same_store(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for n in range(7):
        lines = [win(f"g{n}.{i}") for i in range(200)]
        (tmp_path / f"logs/{n}.jsonl").write_bytes(jsonl(*lines, *([win("bad", hand=FIVE_COPIES)] if n == 3 else [])))
    (tmp_path / "logs/8.jsonl").write_bytes((tmp_path / "logs/0.jsonl").read_bytes())
    reports, listings = [], []
    for jobs in (1, 3):
        store = Store.create(tmp_path / str(jobs) / "store")
        reports.append(ingest([tmp_path / "logs"], store, jobs=jobs, batch_hands=300))
        listings.append(listing(store.path))
    assert reports[0] == reports[1]
    assert (reports[1].games, reports[1].repeated) == (1400, 1)
    assert listings[0] == listings[1]


def test_progress_counts_up_to_the_end(tmp_path: Path, store: Store) -> None:
    for n in range(3):
        (tmp_path / f"{n}.jsonl").write_bytes(jsonl(win(f"g{n}")))
    seen: list[Progress] = []
    ingest([tmp_path / f"{n}.jsonl" for n in range(3)], store, on_progress=seen.append)
    assert seen[0][:3] == (0, 3, 0)
    assert seen[-1][:3] == (3, 3, 3)
    assert [p.done for p in seen] == sorted(p.done for p in seen)


def test_anonymise_hides_every_name_and_keeps_who_is_who(tmp_path: Path, store: Store) -> None:
    names = ["Zhuangxiaojie", "Mengfanli", "Heqiangsheng", "Tuwanwan"]
    (tmp_path / "1.jsonl").write_bytes(jsonl(win("g1", players=names)))
    (tmp_path / "2.jsonl").write_bytes(jsonl(win("g2", players=names[::-1])))
    ingest([tmp_path / "1.jsonl"], store, anonymise=True)
    ingest([tmp_path / "2.jsonl"], store)  # goes on as it began
    first, second = (players for players in column(store, "games", "players") if isinstance(players, list))
    assert sorted(first) == sorted(second)
    assert len(set(first)) == 4
    assert {player.split("~")[0] for player in first} == {"paipu:"}
    assert set(column(store, "seats", "player")) == set(first)
    for batch in store.batches():
        for table in ("games", "hands", "seats", "wins", "rejects"):
            text = json.dumps(store.read(table, batch).to_pylist(), default=str)
            assert not any(name in text for name in names)


def test_another_store_hides_names_otherwise(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(jsonl(win("g1")))
    players = []
    for name in "ab":
        store = Store.create(tmp_path / name)
        ingest([tmp_path / "1.jsonl"], store, anonymise=True)
        players.append(column(store, "games", "players")[0])
    assert players[0] != players[1]


def test_anonymise_refuses_a_store_that_holds_names(tmp_path: Path, store: Store) -> None:
    (tmp_path / "1.jsonl").write_bytes(jsonl(win("g1")))
    ingest([tmp_path / "1.jsonl"], store)
    with pytest.raises(UsageError, match="holds players' names already"):
        ingest([tmp_path / "1.jsonl"], store, anonymise=True)


def test_two_runs_at_once_keep_each_game_once(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for n in range(6):
        (tmp_path / f"logs/{n}.jsonl").write_bytes(jsonl(*(win(f"g{n}.{i}") for i in range(100))))
    code = (
        "import sys; from ingest.pipeline import ingest; from ingest.store import Store\n"
        "sys.exit(ingest(sys.argv[2:], Store.create(sys.argv[1])).exit_code)"
    )
    files = sorted((tmp_path / "logs").iterdir())
    runs = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path / "store", *order], cwd=REPO)
        for order in (files, files[::-1])
    ]
    assert [run.wait() for run in runs] == [0, 0]
    ids = column(Store.open(tmp_path / "store"), "games", "game_id")
    assert len(ids) == len(set(ids)) == 600


@pytest.mark.skipif(not SHARED_LOGS.is_dir(), reason="needs the collected logs")
@pytest.mark.parametrize("folder", ["taiwan", "omu"])
def test_real_logs_never_make_a_reader_fail(store: Store, folder: str) -> None:
    report = ingest([SHARED_LOGS / folder], store)
    assert report.hands > 500
    assert "reader_failed" not in report.rejects
    assert report.unreadable == []
