"""The real input of the main job, from the log files to SQL and the comparison page."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from analysis.rescore import RescoreReport, rescore
from analysis.rules.preset import load_preset, load_presets, shipped_presets
from analysis.warehouse import connect
from ingest.pipeline import IngestReport, ingest
from ingest.store import Store
from paipu.cli.main import run

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "omu"

pytestmark = pytest.mark.skipif(not LOGS.exists(), reason="the log folder is not beside the repository")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, IngestReport, RescoreReport]:
    store = Store.create(tmp_path_factory.mktemp("omu") / "store")
    read = ingest([LOGS], store)
    return store, read, rescore(store, load_presets(shipped_presets("taiwan")))


def query(store: Store, sql: str) -> list[Any]:
    connection = connect(store.path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def hands_in_the_files() -> int:
    total = 0
    for path in LOGS.glob("*.json.gz"):
        record = json.loads(gzip.decompress(path.read_bytes()))
        total += sum(key.startswith("round_index_") for key in record["game_round"])
    return total


def test_every_hand_is_stored_or_rejected_for_a_named_reason(scored: tuple[Store, IngestReport, RescoreReport]) -> None:
    store, read, _ = scored
    files = len(list(LOGS.glob("*.json.gz")))
    assert files == 108
    assert (read.files, read.games, read.unreadable, read.skipped) == (files, files, [], [])
    assert read.hands + sum(read.rejects.values()) == hands_in_the_files()
    assert query(store, "SELECT count(*) FROM rejects WHERE code = '' OR message = ''") == [(0,)]
    assert query(store, "SELECT count(*) FROM hands") == [(read.hands,)]


def test_every_win_is_scored_under_every_preset(scored: tuple[Store, IngestReport, RescoreReport]) -> None:
    store, read, report = scored
    assert report.wins == read.wins * len(shipped_presets("taiwan"))
    rows = query(store, "SELECT preset, count(*), sum(legal::INT) FROM scores GROUP BY preset ORDER BY preset")
    assert [(preset, n) for preset, n, _ in rows] == [
        (preset, read.wins) for preset in sorted(shipped_presets("taiwan"))
    ]
    # The play was checked by a server whose wins are wins under any of these; what is refused has its reason.
    refused = query(store, "SELECT DISTINCT reason FROM scores WHERE NOT legal")
    assert {reason for (reason,) in refused} <= {"system_auto_wins_on_eight_flowers", "open_kong_replacement"}
    assert all(legal >= 0.99 * n for _, n, legal in rows)


def test_full_play_leaves_nothing_undetermined(scored: tuple[Store, IngestReport, RescoreReport]) -> None:
    assert scored[2].undetermined == 0


def test_payments_sum_to_zero_and_follow_the_rules(scored: tuple[Store, IngestReport, RescoreReport]) -> None:
    store = scored[0]
    assert query(store, "SELECT count(*) FROM scores WHERE list_sum(payments) <> 0") == [(0,)]
    assert query(store, "SELECT count(*) FROM scores WHERE NOT legal AND list_max(payments) <> 0") == [(0,)]
    base = load_preset("tw_general").base
    # A discard win is one payment of base + 20 for each tai, the dealer's included.
    wrong = query(
        store,
        f"""SELECT count(*) FROM scores JOIN wins USING (game_id, hand_no, win_no)
        WHERE legal AND payer IS NOT NULL AND NOT list_contains(['tw_online', 'tw_luohan_v1', 'tw_luohan_v2'], preset)
        AND list_max(payments) <> {base} + 20 * (hand_tai + dealer_tai)""",
    )
    assert wrong == [(0,)]


def test_tai_is_the_sum_of_the_items(scored: tuple[Store, IngestReport, RescoreReport]) -> None:
    wrong = query(
        scored[0],
        """SELECT count(*) FROM scores WHERE legal
        AND hand_tai <> coalesce(list_sum(list_transform(items, lambda item: item.value)), 0)""",
    )
    assert wrong == [(0,)]


def test_the_wins_appear_in_the_sql_command_and_on_the_comparison_page(
    scored: tuple[Store, IngestReport, RescoreReport], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store, read, _ = scored
    at = ["--store", str(store.path)]
    assert run(["sql", "SELECT count(*) AS n FROM scores WHERE preset = 'tw_full'", "--format", "json", *at]) == 0
    assert json.loads(capfd.readouterr().out) == [{"n": read.wins}]
    page = tmp_path / "compare.html"
    presets = ["--presets", "tw_general,tw_full", "--baseline", "tw_general"]
    assert run(["compare", *presets, "-o", str(page), *at]) == 0
    text = page.read_text(encoding="utf-8")
    assert f"{read.wins}" in text
    assert "系統滿台" in text
