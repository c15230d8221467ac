"""A million random wins as one Parquet part, made once for all benchmarks; one core for everything measured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from tests.benchmarks.hands import write_hands

N_HANDS = 1_000_000


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    yield
    os.sched_setaffinity(0, cores)


@pytest.fixture(scope="session")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hands(tmp_path_factory.mktemp("hands") / "wins.parquet", N_HANDS)


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Lines to show after the benchmark, past pytest's capture."""
    lines: list[str] = []
    yield lines
    with capsys.disabled():
        for line in lines:
            print(f"\n  {line}", end="")
