"""The store is never in a half state: rows come back, kills and full disks lose nothing that was reported as done."""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest import store as store_module
from ingest.errors import UnreadableInputError, UsageError
from ingest.pipeline import ingest
from ingest.record import SCHEMA_VERSION, SCHEMAS, GameRows, Row
from ingest.store import TABLES, Store, StoredSource
from tests.ingest.logs import jsonl, put, win

REPO = Path(__file__).resolve().parents[2]


def game(game_id: str, *, hands: int = 2, **more: object) -> GameRows:
    return GameRows(
        game={
            "game_id": game_id,
            "format": "test",
            "family": "taiwan",
            "simulated": True,
            "players": ["test:a", "test:b", "test:c", None],
            "n_hands": hands,
            "file": "test.log",
            **more,
        },
        hands=[
            {
                "game_id": game_id,
                "hand_no": number,
                "round_wind": 0,
                "dealer": 0,
                "streak": 0,
                "result": "exhaustive_draw",
                "n_wins": 0,
            }
            for number in range(hands)
        ],
    )


def reject(**more: object) -> Row:
    return {"file": "test.log", "code": "five_copies", "message": "a fifth 5m; correct it", **more}


def listing(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store")


def test_rows_come_back_with_the_schema_of_their_table(store: Store) -> None:
    put(store, "a-0000", [game("g1"), game("g2", hands=1)], [reject()])
    assert store.batches() == ["a-0000"]
    assert store.read("games", "a-0000").column("game_id").to_pylist() == ["g1", "g2"]
    assert store.read("hands", "a-0000").column("hand_no").to_pylist() == [0, 1, 0]
    assert store.read("rejects", "a-0000").column("code").to_pylist() == ["five_copies"]
    for table in TABLES:
        assert store.read(table, "a-0000").schema.equals(SCHEMAS[table])
        assert store.parts(table) == [store.path / table / "a-0000.parquet"]


def test_an_all_null_column_keeps_its_type(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    assert store.read("hands", "a-0000").schema.field("door").type == pa.uint8()


def test_parts_are_zstd(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    meta = pq.read_metadata(store.part("games", "a-0000"))
    assert meta.row_group(0).column(0).compression == "ZSTD"


def test_only_rejects_still_make_a_batch(store: Store) -> None:
    put(store, "a-0000", [], [reject()])
    assert store.batches() == ["a-0000"]
    assert store.read("games", "a-0000").num_rows == 0
    assert store.read("rejects", "a-0000").num_rows == 1


def test_writing_the_same_again_touches_nothing(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [reject()], sources=[StoredSource("c", games=1)])
    before = {p: p.stat().st_mtime_ns for p in store.path.rglob("*.parquet")}
    put(store, "a-0000", [game("g1")], [reject()], sources=[StoredSource("c", games=1)])
    assert {p: p.stat().st_mtime_ns for p in store.path.rglob("*.parquet")} == before


def test_replacing_a_batch_drops_its_scores(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    put(store, "b-0000", [game("g2")], [])
    for batch in ("a-0000", "b-0000"):
        with store.new_score_part("tw_general", "abc", batch) as path:
            path.write_bytes(b"scores")
    put(store, "a-0000", [game("g3")], [])
    assert store.read("games", "a-0000").column("game_id").to_pylist() == ["g3"]
    assert [batch for _, _, batch, _ in store.score_parts()] == ["b-0000"]


def test_remove_takes_everything_of_a_batch(store: Store) -> None:
    empty = listing(store.path)
    put(store, "a-0000", [game("g1")], [reject()])
    with store.new_score_part("tw_general", "abc", "a-0000") as path:
        path.write_bytes(b"scores")
    store.remove("a-0000")
    assert listing(store.path) == empty


def test_sources_come_back(store: Store) -> None:
    source = StoredSource("c1", games=1, hands=2, wins=0, rejects={"five_copies": 1})
    put(store, "a-0000", [game("g1")], [], sources=[source])
    assert list(store.sources()) == [source]


@pytest.mark.parametrize(
    ("games", "rejects", "message"),
    [
        ([game("g1", colour="red")], [], "games has no column colour"),
        ([], [{"file": "f", "code": "x"}], "rejects.message is missing"),
        ([game("g1", n_hands=-(2**40))], [], "a value does not fit its column in games"),
        ([game("g1", players=["test:a"])], [], "a value does not fit its column in games"),
        ([game("g1", final_scores=[1, 2, 3, None])], [], "games.final_scores has 1 empty seats"),
    ],
)
def test_rows_that_do_not_fit_are_refused_whole(
    store: Store, games: list[GameRows], rejects: list[Row], message: str
) -> None:
    before = listing(store.path)
    with pytest.raises(ValueError, match=message):
        put(store, "a-0000", games, rejects)
    assert listing(store.path) == before


def test_no_store(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store here"):
        Store.open(tmp_path)


def test_a_folder_of_other_files_does_not_become_a_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.odt").write_text("x")
    with pytest.raises(UsageError, match="other files"):
        Store.create(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.odt"]


def test_a_name_that_no_engine_can_be_given_is_refused(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"st\xffore")
    for make in (Store.create, Store.open):
        with pytest.raises(UsageError, match="UTF-8"):
            make(path)
    assert not path.exists()


def test_a_file_in_the_place_of_the_store(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("x")
    with pytest.raises(UsageError, match="cannot write the store"):
        Store.create(tmp_path / "store")


@pytest.mark.parametrize(
    ("table", "harm"),
    [("games", "damage"), *((table, harm) for table in ("hands", "wins", "rejects") for harm in ("damage", "delete"))],
)
def test_the_advice_for_a_broken_part_mends_the_store(table: str, harm: str, tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    log.write_bytes(jsonl(win("g1")))
    store = Store.create(tmp_path / "store")
    ingest([log], store)
    before = listing(store.path)
    (part,) = store.parts(table)
    if harm == "damage":
        part.write_bytes(part.read_bytes()[:100])
    else:
        part.unlink()
    with pytest.raises(UnreadableInputError) as caught:
        store.verify()
    named = re.search(r"remove (\S+) and ingest its logs again|(\S+): damaged.*remove this file and", str(caught.value))
    assert named is not None
    Path(named[1] or named[2]).unlink()
    ingest([log], store)
    store.verify()
    assert listing(store.path) == before


def test_a_damaged_part_is_named(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    part = store.part("hands", "a-0000")
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(UnreadableInputError, match=r"hands/a-0000\.parquet: damaged"):
        store.verify()
    with pytest.raises(UnreadableInputError, match=r"hands/a-0000\.parquet: damaged"):
        store.read("hands", "a-0000")


def test_a_missing_child_is_named(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    store.part("wins", "a-0000").unlink()
    with pytest.raises(UnreadableInputError, match=r"wins/a-0000\.parquet"):
        store.verify()


def test_a_part_of_another_version_is_named(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    part = store.part("games", "a-0000")
    table = pq.read_table(part)
    meta = {**table.schema.metadata, b"paipu.schema_version": str(SCHEMA_VERSION + 1).encode()}
    pq.write_table(table.replace_schema_metadata(meta), part)
    with pytest.raises(
        UnreadableInputError, match=rf"games/a-0000\.parquet: written with store version {SCHEMA_VERSION + 1}"
    ):
        store.verify()


def test_readers_ignore_what_a_killed_run_left_and_the_next_write_clears_it(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    clean = listing(store.path)
    for table in ("hands", "seats"):  # renamed children of a batch whose games part never came
        (store.path / table / "b-0000.parquet").write_bytes(store.part(table, "a-0000").read_bytes())
    (store.path / "games" / ".b-0000.tmp").write_bytes(b"half")
    assert Store.open(store.path).batches() == ["a-0000"]
    assert store.parts("hands") == [store.part("hands", "a-0000")]
    with store.writing():
        pass
    assert listing(store.path) == clean


def test_a_replacement_cut_off_after_its_commit_is_finished(store: Store) -> None:
    put(store, "a-0000", [game("old")], [])
    other = Store.create(store.path.parent / "other")
    put(other, "a-0000", [game("new", hands=5)], [])
    # As a kill leaves it: all new parts on disk, the intent renamed, one child in place already.
    for table in TABLES:
        data = other.part(table, "a-0000").read_bytes()
        name = "a-0000.parquet" if table == "hands" else ".a-0000.commit" if table == "games" else ".a-0000.tmp"
        (store.path / table / name).write_bytes(data)
    assert store.batches() == [], "a reader must not see old games with new hands"
    reopened = Store.open(store.path)
    assert listing(reopened.path) == listing(other.path)


def test_a_score_part_appears_only_when_it_is_whole(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])

    def interrupted() -> None:
        with store.new_score_part("tw_general", "abc", "a-0000") as path:
            path.write_bytes(b"half")
            assert store.score_parts() == []
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert store.score_parts() == []
    assert list((store.path / "scores").rglob("*.*")) == []
    with store.new_score_part("tw_general", "abc", "a-0000") as path:
        path.write_bytes(b"whole")
    assert store.score_parts() == [("tw_general", "abc", "a-0000", store.score_part("tw_general", "abc", "a-0000"))]


def test_the_player_key_is_made_once_and_private(store: Store) -> None:
    assert store.player_key() is None
    key = store.player_key(make=True)
    assert key is not None
    assert len(key) == 32
    assert Store.open(store.path).player_key(make=True) == key
    assert (store.path / "anonymise.key").stat().st_mode & 0o077 == 0


class _Killed(BaseException):
    pass


@pytest.mark.parametrize("replacing", [False, True])
def test_a_kill_before_any_single_step_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replacing: bool
) -> None:
    """As if the process died before its n-th change of the disk, for every n: nothing happens after it, no handler."""
    for fatal in range(100):
        store = Store.create(tmp_path / str(fatal))
        put(store, "kept-0000", [game("kept")], [])
        if replacing:
            put(store, "a-0000", [game("old", hands=3)], [reject()])
        steps = 0

        def step(real: Callable[..., object], fatal: int = fatal) -> Callable[..., object]:
            def wrapped(*args: object, **kwargs: object) -> object:
                nonlocal steps
                steps += 1
                if steps == fatal + 1:
                    raise _Killed
                return real(*args, **kwargs) if steps <= fatal else None

            return wrapped

        with monkeypatch.context() as patch:
            for name in ("replace", "rename", "unlink"):
                patch.setattr(Path, name, step(getattr(Path, name)))
            patch.setattr(store_module, "_write_synced", step(store_module._write_synced))
            done = True
            try:
                put(store, "a-0000", [game("new", hands=5)], [reject()])
            except _Killed:
                done = False
        seen = Store.open(store.path)
        seen.verify()
        assert seen.read("games", "kept-0000").num_rows == 1
        rows = None
        if "a-0000" in seen.batches():
            rows = (seen.read("games", "a-0000").column("game_id").to_pylist(), seen.read("hands", "a-0000").num_rows)
        assert rows in ([(["old"], 3), (["new"], 5)] if replacing else [None, (["new"], 5)])
        with seen.writing():
            pass
        assert list(seen.path.rglob(".*")) == []
        if done:
            assert rows == (["new"], 5)
            assert fatal >= 10, "five parts are written and renamed"
            return
    pytest.fail("the write never came to its end")


_WRITER = """
    import os, sys, time
    from ingest.store import Store, StoredSource
    from tests.ingest.logs import put
    from tests.ingest.test_store import game, reject
    store = Store.create(sys.argv[1])
    number = int(sys.argv[2])
    while True:
        # New batches, and every third time another content for an old one.
        for batch in (f"n{number}-0000", *(["again-0000"] if number % 3 == 0 else [])):
            put(store, batch, [game(f"{batch}.{number}.{i}", hands=number % 7 + 1) for i in range(3)], [reject()],
                        sources=[StoredSource(batch, games=3, hands=3 * (number % 7 + 1))])
            os.write(1, f"{batch} {number}\\n".encode())
            time.sleep(0.002)  # the lock is not fair; let the other one in
        number += 1
"""


def _start_writer(path: Path, number: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_WRITER), str(path), str(number)],
        cwd=REPO,
        stdout=subprocess.PIPE,
        text=True,
    )


def _consistent(store: Store) -> dict[str, int]:
    """Batch -> number its content was written with; fails on a half state."""
    store.verify()
    found = {}
    for source in store.sources():
        batch = source.content
        ids = store.read("games", batch).column("game_id").to_pylist()
        (number,) = {int(i.split(".")[1]) for i in ids}
        hands = store.read("hands", batch)
        assert set(hands.column("game_id").to_pylist()) == set(ids)
        assert hands.num_rows == source.hands == 3 * (number % 7 + 1)
        assert store.read("rejects", batch).num_rows == 1
        found[batch] = number
    return found


def test_kill_at_any_moment_loses_nothing_that_was_reported(tmp_path: Path) -> None:
    path = tmp_path / "store"
    rng = random.Random(16)
    reported: dict[str, int] = {}
    number = 0
    for _ in range(5):
        writer = _start_writer(path, number)
        assert writer.stdout is not None
        first = writer.stdout.readline()  # so that the kill falls into the writing, not into the start
        time.sleep(rng.uniform(0, 0.12))
        writer.send_signal(signal.SIGKILL)
        for line in [first, *writer.stdout.readlines()]:
            batch, text = line.split()
            reported[batch] = int(text)
            number = max(number, int(text) + 1)
        writer.wait()
        found = _consistent(Store.open(path))
        assert found.items() >= {k: v for k, v in reported.items() if k != "again-0000"}.items()
        # A replacement may have got past its commit just before the kill, without the report.
        assert found.get("again-0000", -1) >= reported.get("again-0000", -1)
    store = Store.open(path)
    with store.writing():
        pass
    assert list(path.rglob(".*")) == []
    assert {p.stem for p in (path / "hands").iterdir()} == set(store.batches())


def test_two_writers_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store"
    Store.create(path)
    writers = [_start_writer(path, start) for start in (0, 1000)]
    first = [writer.stdout.readline() for writer in writers if writer.stdout is not None]
    time.sleep(0.3)
    for writer in writers:
        writer.kill()
    lines = [line.split() for text in (*first, *(w.communicate()[0] for w in writers)) for line in text.splitlines()]
    assert {int(number) >= 1000 for _, number in lines} == {False, True}, "both must have written"
    assert {batch for batch, _ in lines} <= set(_consistent(Store.open(path)))


def test_no_lock_is_left_and_a_waiting_writer_is_told(tmp_path: Path, store: Store) -> None:
    told = []
    script = (
        "import sys, time; from ingest.store import Store\n"
        "with Store.open(sys.argv[1]).writing(): print('locked', flush=True); time.sleep(0.3)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(store.path)], cwd=REPO, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    with store.writing(on_wait=lambda: told.append("waiting")):
        assert holder.wait() == 0
    holder.stdout.close()
    assert told == ["waiting"]
    assert {p.name for p in store.path.iterdir()} == set(TABLES)


def test_full_disk_leaves_nothing_half_written(store: Store) -> None:
    put(store, "a-0000", [game("g1")], [])
    before = listing(store.path)
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The part does not fit: the write fails in the middle, as on a full disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, old[1]))
    try:
        for batch in ("b-0000", "a-0000"):
            with pytest.raises(UsageError, match=r"cannot write the store: .*; nothing half written is left"):
                put(store, batch, [game(f"g{i}", log_id=os.urandom(20).hex()) for i in range(200)], [])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert listing(store.path) == before
    put(store, "b-0000", [game("g2")], [])
    assert store.batches() == ["a-0000", "b-0000"]


def test_a_folder_without_the_right_to_write(plain_folder: Path) -> None:
    store = Store.create(plain_folder / "store")
    (store.path / "wins").chmod(0o500)
    try:
        with pytest.raises(UsageError, match=r"wins.*: cannot write the store: Permission denied"):
            put(store, "a-0000", [game("g1")], [])
    finally:
        (store.path / "wins").chmod(0o700)
    assert listing(store.path) == {}
