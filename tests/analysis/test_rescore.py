"""The batch rescorer: only what is missing, the same whatever the number of processes, nothing lost when killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis.rescore as rescore_module
from analysis.explain import explain
from analysis.rescore import rescore
from analysis.rules.preset import Preset, load_preset, load_presets, shipped_presets
from ingest.errors import UnreadableInputError
from ingest.formats.paipu_record import parse_record
from ingest.record import SCORES, GameRows, Row
from ingest.store import Store
from tests.analysis.examples import ROOT
from tests.ingest.logs import put
from tests.reference.random_hands import random_records

WINS_PER_BATCH = 60


def rows_of(n: int, seed: int) -> list[Row]:
    """Random wins, some of whose flags are not known."""
    records = list(random_records(n, seed))
    for number, record in enumerate(records):
        if number % 5 == 0:
            record["flags"] |= {"last_tile": None, "miji": None}
        if number % 7 == 0:
            record["door"] = None
    return [parse_record(record) for record in records]


def make_store(path: Path, *, batches: int = 2, wins: int = WINS_PER_BATCH, family: str = "taiwan") -> Store:
    store = Store.create(path)
    for batch in range(batches):
        put(store, f"b{batch}", [game(f"{batch:020x}", rows_of(wins, 100 + batch), family)], [])
    return store


def game(game_id: str, wins: Sequence[Row], family: str = "taiwan") -> GameRows:
    return GameRows(
        game={
            "game_id": game_id, "format": "paipu", "family": family, "simulated": True,
            "players": ["paipu:Ann", "paipu:Bo", "paipu:Cai", "paipu:Dee"], "n_hands": len(wins), "file": "x.jsonl",
        },
        wins=[{"game_id": game_id, "hand_no": number, "win_no": 0} | win for number, win in enumerate(wins)],
    )  # fmt: skip


def contents(store: Store) -> dict[tuple[str, str, str], bytes]:
    return {(preset, hash_, batch): path.read_bytes() for preset, hash_, batch, path in store.score_parts()}


def temporary_files(store: Store) -> list[Path]:
    return list(store.path.rglob("*.tmp"))


def club(folder: Path, self_draw: int) -> Preset:
    path = folder / "club.toml"
    path.write_text(f'id = "club"\nextends = "tw_general"\n[values]\nself_draw = {self_draw}\n', encoding="utf-8")
    return load_preset(path)


def test_every_row_is_what_explain_says(tmp_path: Path) -> None:
    presets = load_presets(shipped_presets("taiwan"))
    store = make_store(tmp_path / "s", batches=1, wins=400)
    report = rescore(store, presets)
    assert report.wins == 400 * len(presets)
    wins = pq.read_table(store.part("wins", "b0")).to_pylist()
    expected = explain(wins, presets)
    illegal = undetermined = 0
    for number, preset in enumerate(presets):
        table = pq.read_table(store.score_part(preset.id, preset.hash, "b0"))
        assert table.schema.equals(SCORES, check_metadata=False)
        for row, several in zip(table.to_pylist(), expected, strict=True):
            win = several[number]
            illegal += not win.valid
            undetermined += bool(win.undetermined)
            assert (row["preset"], row["preset_hash"]) == (preset.id, preset.hash)
            assert row["legal"] is win.valid
            assert row["reason"] == (win.reason or None)
            assert row["hand_tai"] == win.hand_tai
            assert row["dealer_tai"] == max((pay.dealer_tai for pay in win.pay.values()), default=0)
            assert row["payments"] == win.payments
            assert {item["id"]: item["value"] for item in row["items"]} == win.items
            assert all(item["count"] > 0 and item["value"] % item["count"] == 0 for item in row["items"])
            assert row["undetermined"] == win.undetermined
        assert [row["hand_no"] for row in table.select(["hand_no"]).to_pylist()] == list(range(400))
    assert (report.refused, report.undetermined) == (Counter(no_win=illegal), undetermined)
    assert illegal
    assert undetermined


def test_payments_of_every_row_sum_to_zero(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    rescore(store, load_presets(shipped_presets("taiwan")))
    paid = 0
    for *_, path in store.score_parts():
        payments = np.array(pq.read_table(path, columns=["payments"]).column(0).to_pylist())
        assert (payments.sum(1) == 0).all()
        paid += np.abs(payments).sum()
    assert paid


def test_only_what_is_missing_or_stale_is_done(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    presets = [load_preset("tw_general"), load_preset("tw_full"), club(tmp_path, 2)]
    calls: list[tuple[int, int]] = []
    first = rescore(store, presets, on_progress=lambda done, total: calls.append((done, total)))
    assert (first.batches, first.current, first.wins) == (2, 0, 2 * 3 * WINS_PER_BATCH)
    assert first.presets == {preset.id: preset.hash for preset in presets}
    assert calls == [(1, 2), (2, 2)]
    before = contents(store)
    assert len(before) == 6

    second = rescore(store, presets)
    assert (second.batches, second.current, second.wins) == (0, 6, 0)

    changed = club(tmp_path, 3)
    assert changed.hash != presets[2].hash
    third = rescore(store, [*presets[:2], changed])
    assert (third.batches, third.current, third.wins) == (2, 4, 2 * WINS_PER_BATCH)
    after = contents(store)
    assert {key: value for key, value in after.items() if key in before} == before
    assert {key for key in after if key not in before} == {("club", changed.hash, batch) for batch in ("b0", "b1")}

    put(store, "b2", [game("f" * 20, rows_of(10, 7))], [])
    fourth = rescore(store, presets[:2])
    assert (fourth.batches, fourth.current, fourth.wins) == (1, 4, 20)
    assert rescore(store, presets[:2]).wins == 0


def test_a_batch_that_was_replaced_is_scored_anew(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    presets = [load_preset("tw_general")]
    rescore(store, presets)
    put(store, "b0", [game("f" * 20, rows_of(5, 9))], [])
    report = rescore(store, presets)
    assert (report.batches, report.wins) == (1, 5)


def test_some_presets_at_a_time_make_the_same_parts(tmp_path: Path) -> None:
    """What other presets are scored beside must not matter, even if they read the hands in more ways."""
    together, apart = make_store(tmp_path / "a"), make_store(tmp_path / "b")
    chosen = load_presets(["tw_general", "tw_online", "tw_luohan_v2", "tw_full"])
    rescore(together, chosen)
    for preset in chosen:
        rescore(apart, [preset])
    assert contents(together) == contents(apart)
    assert len(contents(together)) == 8


def test_two_processes_make_the_same_parts_byte_for_byte(tmp_path: Path) -> None:
    alone, shared = make_store(tmp_path / "a", batches=3), make_store(tmp_path / "b", batches=3)
    presets = load_presets(["tw_general", "tw_luohan_v1"])
    one = rescore(alone, presets)
    two = rescore(shared, presets, jobs=2)
    assert one == two
    assert contents(alone) == contents(shared)


def test_a_batch_larger_than_memory_allows_is_scored_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, pieces = make_store(tmp_path / "a", batches=1), make_store(tmp_path / "b", batches=1)
    presets = load_presets(["tw_general", "tw_luohan_v2"])
    rescore(whole, presets)
    monkeypatch.setattr(rescore_module, "BATCH_ROWS", 7)
    rescore(pieces, presets)
    for (*key, path), (*other_key, other) in zip(whole.score_parts(), pieces.score_parts(), strict=True):
        assert key == other_key
        assert pq.read_table(path).equals(pq.read_table(other))


def test_a_store_without_batches_and_one_without_wins(tmp_path: Path) -> None:
    presets = load_presets(["tw_general", "tw_full"])
    empty = Store.create(tmp_path / "empty")
    assert rescore(empty, presets).batches == 0
    assert empty.score_parts() == []
    no_wins = make_store(tmp_path / "s", batches=1, wins=0)
    report = rescore(no_wins, presets)
    assert (report.batches, report.wins) == (1, 0)
    for *_, path in no_wins.score_parts():
        table = pq.read_table(path)
        assert (table.num_rows, table.schema.names) == (0, SCORES.names)
    assert rescore(no_wins, presets).current == 2


def test_wins_of_another_family_are_left_alone(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", batches=1, wins=10, family="riichi")
    put(store, "mixed", [game("a" * 20, rows_of(6, 1)), game("b" * 20, rows_of(8, 2), "riichi")], [])
    preset = load_preset("tw_general")
    assert rescore(store, [preset]).wins == 6
    rows = pq.read_table(store.score_part(preset.id, preset.hash, "mixed")).to_pylist()
    assert {row["game_id"] for row in rows} == {"a" * 20}


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    path = store.part("wins", "b1")
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(UnreadableInputError, match=r"wins.b1\.parquet"):
        rescore(store, [load_preset("tw_general")])


KILLED = """
import json, os, signal, sys
from analysis import rescore as module
from analysis.rules.preset import load_presets
from ingest.store import Store

path, where, presets = sys.argv[1], sys.argv[2], load_presets(json.loads(sys.argv[3]))
calls = 0
score = module.score_batch

def score_and_die(plan, batch):
    global calls
    calls += 1
    if calls == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return score(plan, batch)

def die(done, total):
    if done == 2:
        os.kill(os.getpid(), signal.SIGKILL)

if where == "inside":
    module.score_batch = score_and_die
module.rescore(Store.open(path), presets, on_progress=die)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize(("where", "kept"), [("inside", 1), ("between", 2)])
def test_killed_in_the_middle_and_run_again(tmp_path: Path, where: str, kept: int) -> None:
    presets = ["tw_general", "tw_online"]
    whole, killed = make_store(tmp_path / "a", batches=3), make_store(tmp_path / "b", batches=3)
    rescore(whole, load_presets(presets))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(killed.path), where, json.dumps(presets)],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    complete = contents(whole)
    left = contents(killed)
    assert len(left) == kept * len(presets)
    assert all(complete[key] == part for key, part in left.items())
    report = rescore(killed, load_presets(presets))
    assert (report.batches, report.current) == (3 - kept, kept * len(presets))
    assert contents(killed) == complete


def test_a_failure_leaves_no_half_written_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path / "s", batches=1)

    def fail(plan: Any, batch: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(rescore_module, "score_batch", fail)
    with pytest.raises(KeyboardInterrupt):
        rescore(store, [load_preset("tw_general")])
    assert store.score_parts() == []
    assert temporary_files(store) == []
