"""How fast Tenhou's mjlog is read, replayed, checked and written as Parquet (CPU time of one core)."""

from __future__ import annotations

import re
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest.pipeline import ingest
from ingest.store import Store

FIXTURES = Path(__file__).resolve().parents[1] / "ingest" / "fixtures"
COPIES = 500


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Copies of our two small games under ids of their own; of the second only the hand that has an end."""
    folder = tmp_path / "logs"
    folder.mkdir()
    four = (FIXTURES / "tenhou_game.xml").read_text("utf-8")
    three = re.split(r"(?<=>)\s*(?=<INIT)", (FIXTURES / "tenhou_sanma.xml").read_text("utf-8"))
    for number in range(COPIES):
        for text, go in ((four, "0009"), ("".join(three[:2]), "0019")):
            name = f"20200102{number % 24:02d}gm-{go}-0000-{number:08x}.xml"
            (folder / name).write_text(f"{text}<!-- copy {number} -->", "utf-8")
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
