"""How fast Tenhou's mjlog is read, replayed, checked and written as Parquet (CPU time of one core); peak memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest.pipeline import ingest
from ingest.store import Store

REPO = Path(__file__).resolve().parents[2]
FIXTURES = REPO / "tests/ingest/fixtures"
COPIES = 500
ARCHIVES = (10_000, 50_000)


def copies(number: int) -> Iterator[tuple[str, str]]:
    """Names and copies of our two small games under ids of their own; of the second only the hand that has an end."""
    four = (FIXTURES / "tenhou_game.xml").read_text("utf-8")
    three = re.split(r"(?<=>)\s*(?=<INIT)", (FIXTURES / "tenhou_sanma.xml").read_text("utf-8"))
    for copy in range(number):
        for text, go in ((four, "0009"), ("".join(three[:2]), "0019")):
            yield f"20200102{copy % 24:02d}gm-{go}-0000-{copy:08x}.xml", f"{text}<!-- copy {copy} -->"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name, text in copies(COPIES):
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.mark.benchmark(timer=time.process_time)
def test_mjlog(benchmark: Any, logs: Path, tmp_path: Path, report: list[str]) -> None:
    numbers = count()

    def run() -> int:
        found = ingest([logs], Store.create(tmp_path / f"store{next(numbers)}"))
        assert (found.games, found.duplicates, found.rejects, found.unreadable) == (2 * COPIES, 0, {}, [])
        return found.hands

    hands = benchmark.pedantic(run, rounds=5, warmup_rounds=1)
    assert hands == 7 * COPIES
    rate = hands / benchmark.stats.stats.median
    report.append(f"mjlog read, replayed, checked and stored: {rate:,.0f} hands/s per core (asked: 5,000)")


_PEAKS = """
import multiprocessing, re, sys
from pathlib import Path
from ingest.pipeline import ingest
from ingest.store import Store

def peak(pid):
    # Not ru_maxrss, which begins with what the process that started this one takes.
    found = re.search(r"VmHWM:\\s*(\\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0

workers = [0]

def look(now):
    if now.done % 500 == 0:
        workers.extend(peak(process.pid) for process in multiprocessing.active_children())

path, store = sys.argv[1:]
print(ingest([path], Store.create(store), jobs=2, on_progress=look).games, peak("self"), max(workers))
"""


def archive_of(files: int, folder: Path) -> Path:
    path = folder / f"{files}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in copies(files // 2):
            archive.writestr(name, text)
    return path


def test_mjlog_jobs(benchmark: Any, tmp_path: Path, report: list[str]) -> None:
    """Seconds on the clock for the whole command, with one process and with one for each core."""
    cores = os.cpu_count() or 1
    logs = archive_of(ARCHIVES[0], tmp_path)
    seconds: dict[int, list[float]] = {1: [], cores: []}

    def run() -> None:
        for jobs, took in seconds.items():
            store = tmp_path / f"{jobs}.{len(took)}"
            command = [sys.executable, "-m", "paipu", "ingest", logs, "--store", store, "--jobs", str(jobs)]
            start = time.perf_counter()
            # The benchmarks run on one core (conftest.py); this one is about all of them.
            subprocess.run(
                command, check=True, capture_output=True, cwd=REPO,
                preexec_fn=lambda: os.sched_setaffinity(0, range(cores)),
            )  # fmt: skip
            took.append(time.perf_counter() - start)

    benchmark.pedantic(run, rounds=3)
    alone, together = (sorted(took)[1] for took in seconds.values())
    report.append(
        f"{ARCHIVES[0]:,} mjlog files: {alone:.2f} s with --jobs 1, {together:.2f} s with --jobs {cores}, "
        f"{alone / together:.2f} times as fast"
    )


def test_mjlog_memory(benchmark: Any, tmp_path: Path, report: list[str]) -> None:
    peaks = []
    archives = {files: archive_of(files, tmp_path) for files in ARCHIVES}

    def run() -> None:
        for files, path in archives.items():
            command = [sys.executable, "-c", _PEAKS, path, tmp_path / f"store{files}"]
            done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPO)
            games, *kib = map(int, done.stdout.split())
            assert games == files
            peaks.append([number * 1024 / 1e6 for number in kib])

    benchmark.pedantic(run, rounds=1)
    few, many = ARCHIVES
    (main, worker), (main_many, worker_many) = peaks
    # A hundred bytes a file are four megabytes.
    assert main_many < main + 25
    assert worker_many < worker + 10
    report.append(
        f"peak memory over {few:,} and {many:,} mjlog files: {main:.0f} and {main_many:.0f} MB, "
        f"of a worker {worker:.0f} and {worker_many:.0f} MB (asked: flat)"
    )
