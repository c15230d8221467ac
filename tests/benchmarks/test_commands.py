"""How long the commands take, and how fast full play is replayed (one core)."""

from __future__ import annotations

import gzip
import io
import resource
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from ingest.formats import paipu_jsonl


def cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def paipu(*arguments: str, cwd: Path) -> None:
    subprocess.run([sys.executable, "-m", "paipu", *arguments], check=True, capture_output=True, cwd=cwd)


def test_demo(benchmark: Any, tmp_path: Path, report: list[str]) -> None:
    runs = iter(range(100))
    benchmark.pedantic(lambda: paipu("demo", f"demo{next(runs)}", cwd=tmp_path), rounds=3)
    report.append(f"paipu demo: {benchmark.stats.stats.median:.1f} s (asked: under 20)")


def test_help(benchmark: Any, tmp_path: Path, report: list[str]) -> None:
    costs = []

    def run() -> None:
        before = cpu_of_children()
        paipu("--help", cwd=tmp_path)
        costs.append(cpu_of_children() - before)

    benchmark.pedantic(run, rounds=10, warmup_rounds=1)
    report.append(f"paipu --help: {sorted(costs)[len(costs) // 2]:.3f} s CPU (asked: under 0.2)")


class SampleSeason:
    """The shipped season as a log to read."""

    name = "season.jsonl"

    def __init__(self) -> None:
        packed = (files("paipu.data") / "samples" / "season.jsonl.gz").read_bytes()
        self._content = gzip.decompress(packed)

    @property
    def head(self) -> bytes:
        return self._content[:65536]

    def open(self) -> Any:
        return io.BytesIO(self._content)


@pytest.mark.benchmark(timer=time.process_time)
def test_replay(benchmark: Any, report: list[str]) -> None:
    season = SampleSeason()

    def run() -> int:
        hands = 0
        for game in paipu_jsonl.FORMAT.read(season):
            assert not isinstance(game, dict)
            hands += len(game.hands)
        return hands

    hands = benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    rate = hands / benchmark.stats.stats.median
    report.append(f"full play read, replayed and checked: {rate:,.0f} hands/s per core (asked: 1,500)")
