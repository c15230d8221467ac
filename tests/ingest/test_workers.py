"""Logs read in chunks and in several processes: the store is the same, and a process that dies costs one log."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ingest import chunks, formats, workers
from ingest.pipeline import IngestReport, ingest
from ingest.store import Store
from tests.ingest import scripted_format
from tests.ingest.scripted_format import HEADER
from tests.ingest.test_store import listing


@pytest.fixture(autouse=True)
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "FORMATS", {"scripted": scripted_format.__name__, **formats.FORMATS})
    monkeypatch.setattr(workers, "_work", scripted_format.work)


def write(path: Path, *steps: str) -> Path:
    path.write_bytes(HEADER + "".join(f"{step}\n" for step in steps).encode())
    return path


def games_of(store: Store) -> list[object]:
    return [
        value for batch in store.batches() for value in store.read("games", batch, ["log_id"]).column(0).to_pylist()
    ]


def hands_of(store: Store) -> dict[object, int]:
    found: dict[object, int] = {}
    for batch in store.batches():
        for game in store.read("hands", batch, ["game_id"]).column(0).to_pylist():
            found[game] = found.get(game, 0) + 1
    return found


def a_season(folder: Path) -> list[Path]:
    """Logs of all sizes, among them games that come twice, rejects, and logs of the same content."""
    rng = random.Random(5)
    paths = []
    for number in range(60):
        steps = []
        for _ in range(rng.choice([0, 1, 1, 2, 30])):
            game = rng.randrange(400)
            kinds = [
                f"game {game} {rng.choice([1, 3, 8])}",
                f"bad code{game % 3}",
                f"bad_hand {game}",
                f"misfit {game}",
            ]
            steps += rng.choices(kinds, weights=[7, 1, 1, 1])
        paths.append(write(folder / f"{number:02d}", *steps))
    for number in range(60, 66):
        paths.append(folder / str(number))
        paths[-1].write_bytes(rng.choice(paths[:60]).read_bytes())
    return paths


def run(folder: Path, paths: list[Path], *, jobs: int = 1) -> tuple[IngestReport, Store]:
    store = Store.create(folder)
    return ingest(paths, store, jobs=jobs, batch_hands=100), store


def test_chunks_and_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = a_season(tmp_path)
    report, store = run(tmp_path / "store", paths)
    assert len(store.batches()) > 4
    assert min(report.duplicates, report.repeated, report.rejects["other_game"], report.rejects["reader_failed"]) > 0
    # Every game is kept as it came first.
    assert len(games_of(store)) == len(set(games_of(store))) == report.games
    assert sum(hands_of(store).values()) == report.hands
    others = [run(tmp_path / "processes", paths, jobs=3)]
    for hands in (1, 7):
        monkeypatch.setattr(chunks, "_HANDS", hands)
        others.append(run(tmp_path / f"chunks{hands}", paths))
    for other, found in others:
        assert other == report
        assert listing(found.path) == listing(store.path)


@pytest.mark.parametrize("dies_at", [0, 21, 63])
def test_a_process_that_dies_costs_the_log_it_was_reading(tmp_path: Path, dies_at: int) -> None:
    """Sixty-four logs for two processes are read in blocks of four."""
    paths = [
        write(tmp_path / f"{n:02d}", f"game {n} 2", *(["die"] if n == dies_at else []), f"game {n}b 1")
        for n in range(64)
    ]
    report, store = run(tmp_path / "store", paths, jobs=2)
    (problem,) = report.unreadable
    assert problem.startswith(f"{paths[dies_at]}: the process that read it was ended")
    assert report.exit_code == 3
    assert games_of(store) == [name for n in range(64) if n != dies_at for name in (str(n), f"{n}b")]
    # Where it does not die, the log is read then.
    again, _ = run(tmp_path / "store", paths)
    assert (again.games, again.unchanged, again.unreadable) == (128, 63, [])


def test_two_processes_that_die_cost_two_logs(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{n:02d}", "die" if n in (8, 9, 40) else f"game {n} 1") for n in range(64)]
    report, store = run(tmp_path / "store", paths, jobs=2)
    assert [problem.partition(":")[0] for problem in report.unreadable] == [str(paths[n]) for n in (8, 9, 40)]
    assert games_of(store) == [str(n) for n in range(64) if n not in (8, 9, 40)]


def test_a_process_that_dies_inside_a_big_log_leaves_it_to_the_next_run(tmp_path: Path) -> None:
    """Three chunks of a log are sent, and a batch of it is full, before it ends; no game stands twice."""
    early, late = tmp_path / "early", tmp_path / "late"
    names = [f"b{n}" for n in range(130)]
    games = [f"game {name} 100" for name in names]
    steps = [*games[:45], f"die_if {early}", *games[45:], f"die_if {late}", "game end 1"]
    paths = [write(tmp_path / "0", "game 0 1"), write(tmp_path / "1", *steps)]
    store = Store.create(tmp_path / "store")

    def read() -> tuple[IngestReport, list[object]]:
        return ingest(paths, store, jobs=2, batch_hands=9000), games_of(store)

    late.touch()
    report, kept = read()
    assert (len(report.unreadable), report.exit_code) == (1, 3)
    assert sorted(kept, key=str) == sorted(["0", *names[:123]])
    early.touch()
    paths.append(write(tmp_path / "2", "game 2 1"))
    report, kept = read()
    assert len(report.unreadable) == 1
    assert {"0", "2", *names[:41]} < set(kept)
    assert len(kept) == len(set(kept))
    early.unlink()
    late.unlink()
    report, kept = read()
    assert (report.games, report.duplicates, report.unreadable) == (133, 0, [])
    assert sorted(kept, key=str) == sorted(["0", "2", "end", *names])


def test_a_process_that_dies_earlier_than_before_takes_nothing_away(tmp_path: Path) -> None:
    """Another log was refused a game that the dead one holds, so it has to stay."""
    early, late = tmp_path / "early", tmp_path / "late"
    games = [f"game b{n} 100" for n in range(130)]
    steps = [*games[:45], f"die_if {early}", *games[45:], f"die_if {late}", "game end 1"]
    paths = [write(tmp_path / "0", *steps), write(tmp_path / "1", "game b60 100", "game own 1")]
    store = Store.create(tmp_path / "store")
    late.touch()
    assert ingest(paths, store, jobs=2).duplicates == 1
    kept = games_of(store)
    assert len(kept) == len(set(kept)) == 124
    early.touch()
    assert len(ingest(paths, store, jobs=2).unreadable) == 1
    assert sorted(games_of(store), key=str) == sorted(kept, key=str)
    early.unlink()
    late.unlink()
    report = ingest(paths, store, jobs=2)
    assert (report.duplicates, report.unreadable) == (1, [])
    assert len(games_of(store)) == len(set(games_of(store))) == 132


def test_games_of_a_log_that_died_are_no_duplicates_of_themselves(tmp_path: Path) -> None:
    late = tmp_path / "late"
    late.touch()
    games = [f"game b{n} 100" for n in range(60)]
    paths = [write(tmp_path / "0", "game 0 1"), write(tmp_path / "1", *games, f"die_if {late}")]
    store = Store.create(tmp_path / "store")
    assert len(ingest(paths, store, jobs=2).unreadable) == 1
    assert len(games_of(store)) == 42
    late.unlink()
    report = ingest(paths, store, jobs=2)
    assert (report.games, report.duplicates, report.rejects) == (61, 0, {})
    assert len(games_of(store)) == len(set(games_of(store))) == 61
