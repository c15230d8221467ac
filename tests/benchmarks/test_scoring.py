"""How fast wins are read and scored, alone and against PyPI mahjong in the same run (one core)."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig

from analysis.batch import HandBatch
from analysis.families.taiwan import COLUMNS
from analysis.rescore import BATCH_ROWS, score_batch
from analysis.rules.preset import load_preset, shipped_presets
from analysis.score import Plan
from ingest.record import SCHEMAS
from tests.benchmarks.conftest import N_HANDS
from tests.benchmarks.hands import write_hands

ROUNDS = 5


def read_and_score(path: Path, presets: list[str]) -> int:
    """Payments of every win under the presets, straight from Parquet; the number of legal wins."""
    plan = Plan([load_preset(preset) for preset in presets])
    legal = 0
    for rows in pq.ParquetFile(path, pre_buffer=False).iter_batches(
        BATCH_ROWS, columns=list(COLUMNS), use_threads=False
    ):
        for scores in plan.score(HandBatch.from_arrow(rows)):
            legal += int(scores.legal.sum())
    return legal


def seconds(run: Callable[[], Any]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


@pytest.mark.benchmark(timer=time.process_time)
def test_read_and_score_one_preset(benchmark: Any, million: Path, report: list[str]) -> None:
    legal = benchmark.pedantic(read_and_score, (million, ["tw_general"]), rounds=ROUNDS, warmup_rounds=1)
    assert legal == N_HANDS
    report.append(f"one preset: {N_HANDS / benchmark.stats.stats.median / 1e6:.2f} M wins/s per core (asked: 2)")


@pytest.mark.benchmark(timer=time.process_time)
def test_read_and_score_seven_presets(benchmark: Any, million: Path, report: list[str]) -> None:
    presets = shipped_presets("taiwan")
    benchmark.pedantic(read_and_score, (million, presets), rounds=ROUNDS, warmup_rounds=1)
    seven = benchmark.stats.stats.median
    one = sorted(seconds(lambda: read_and_score(million, ["tw_general"])) for _ in range(ROUNDS))[ROUNDS // 2]
    further = (seven - one) / (len(presets) - 1) / one
    report.append(f"seven presets: {N_HANDS / seven / 1e6:.2f} M wins/s per core (asked: 1.2)")
    report.append(f"a further preset costs {further:.1%} of the first (asked: under 15 %)")


@pytest.mark.benchmark(timer=time.process_time)
def test_scores_with_items_written(benchmark: Any, million: Path, tmp_path: Path, report: list[str]) -> None:
    """Not asked for: the same with items, undetermined items and the scores table on disk."""
    presets = shipped_presets("taiwan")

    def run() -> None:
        plan = Plan([load_preset(preset) for preset in presets])
        writers = [
            pq.ParquetWriter(tmp_path / f"{preset}.parquet", SCHEMAS["scores"], compression="zstd")
            for preset in presets
        ]
        columns = ["game_id", "hand_no", "win_no", *COLUMNS]
        for rows in pq.ParquetFile(million, pre_buffer=False).iter_batches(
            BATCH_ROWS, columns=columns, use_threads=False
        ):
            for writer, table in zip(writers, score_batch(plan, rows), strict=True):
                writer.write_table(table)
        for writer in writers:
            writer.close()

    benchmark.pedantic(run, rounds=1)
    took = benchmark.stats.stats.median
    report.append(f"seven presets with items written: {N_HANDS / took / 1e6:.2f} M wins/s per core")


def riichi_hands(n: int, seed: int) -> list[tuple[list[int], int, bool]]:
    """Complete concealed riichi hands as PyPI mahjong reads them: 136-tile ids, winning tile, self-drawn."""
    rng = random.Random(seed)
    hands = []
    while len(hands) < n:
        kinds: list[int] = []
        for _ in range(4):
            if rng.random() < 0.25:
                kinds += [rng.randrange(34)] * 3
            else:
                low = 9 * rng.randrange(3) + rng.randrange(7)
                kinds += [low, low + 1, low + 2]
        kinds += [rng.randrange(34)] * 2
        if max(kinds.count(kind) for kind in kinds) > 4:
            continue
        used = [0] * 34
        tiles = []
        for kind in kinds:
            tiles.append(4 * kind + used[kind])
            used[kind] += 1
        hands.append((tiles, rng.choice(tiles), rng.random() < 0.4))
    return hands


def test_against_pypi_mahjong(benchmark: Any, million: Path, report: list[str]) -> None:
    """Wins per second under seven presets, against hands per second of a riichi scorer on its own hands."""
    hands = riichi_hands(4000, 1)
    calculator = HandCalculator()

    def theirs() -> None:
        for tiles, win_tile, drawn in hands:
            config = HandConfig(is_tsumo=drawn, is_riichi=True)
            assert calculator.estimate_hand_value(tiles, win_tile, config=config).error is None

    presets = shipped_presets("taiwan")
    theirs()
    their_rates, our_rates = [], []

    def both() -> None:
        their_rates.append(len(hands) / seconds(theirs))
        our_rates.append(N_HANDS / seconds(lambda: read_and_score(million, presets)))

    benchmark.pedantic(both, rounds=ROUNDS)
    ratios = sorted(ours / other for ours, other in zip(our_rates, their_rates, strict=True))
    report.append(f"PyPI mahjong: {sorted(their_rates)[ROUNDS // 2]:,.0f} hands/s per core")
    report.append(f"paipu under seven presets is {ratios[ROUNDS // 2]:.0f} times as fast (asked: 70)")


def test_memory_of_ten_million_wins(benchmark: Any, tmp_path: Path, report: list[str]) -> None:
    path = write_hands(tmp_path / "ten.parquet", 10 * N_HANDS)
    code = """
        import sys
        from pathlib import Path
        from analysis.rules.preset import shipped_presets
        from tests.benchmarks.test_scoring import read_and_score
        read_and_score(Path(sys.argv[1]), shipped_presets("taiwan"))
        # Not getrusage: its peak survives exec, so it would count the process that started this one.
        print(int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) // 1024)
    """

    def run() -> int:
        root = Path(__file__).resolve().parents[2]
        command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
        return int(done.stdout)

    peak = benchmark.pedantic(run, rounds=1)
    report.append(f"peak memory at 10 M wins, seven presets: {peak} MB (asked: under 500)")
    assert peak < 500


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("preset", shipped_presets("taiwan"))
def test_each_preset_alone(benchmark: Any, million: Path, preset: str) -> None:
    benchmark.pedantic(read_and_score, (million, [preset]), rounds=1)
