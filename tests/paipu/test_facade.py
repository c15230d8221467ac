"""paipu from Python: the same steps as the commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import paipu
from analysis.rules.preset import shipped_presets
from ingest.errors import PaipuError, RecordError, UsageError
from tests.analysis.examples import ROOT
from tests.ingest.logs import FIVE_COPIES, jsonl, win


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "wins.jsonl"
    path.write_bytes(jsonl(win("a", 0), win("a", 1), win("b", 0)))
    return path


def test_from_log_to_page(log: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    read = paipu.ingest([log], store)
    assert (read.games, read.wins, read.exit_code) == (2, 3, 0)
    assert paipu.ingest([str(log)], str(store)).unchanged == 1
    done = paipu.rescore(store, ["tw_general", "tw_full"])
    assert (done.wins, list(done.presets)) == (6, ["tw_general", "tw_full"])
    with paipu.connect(store) as connection:
        rows = connection.execute("SELECT preset, count(*) FROM scores GROUP BY preset ORDER BY preset").fetchall()
    assert rows == [("tw_full", 3), ("tw_general", 3)]
    page = tmp_path / "compare.html"
    comparison = paipu.compare(["tw_full", "tw_online"], baseline="tw_general", store=store, page=page, lang="en")
    assert comparison is not None
    text = page.read_text(encoding="utf-8")
    assert all(preset in text for preset in ("tw_general", "tw_full", "tw_online"))
    # What was missing was scored on the way.
    assert paipu.rescore(store, ["tw_general", "tw_full", "tw_online"]).wins == 0
    assert paipu.rescore(store).wins == 3 * (len(shipped_presets("taiwan")) - 3)


def test_options_of_ingest_are_those_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "wins.jsonl"
    path.write_bytes(jsonl(win("a", 0, hand=FIVE_COPIES), win("a", 1)))
    with pytest.raises(RecordError, match="5 copies"):
        paipu.ingest([path], tmp_path / "strict", strict=True)
    assert paipu.ingest([path], tmp_path / "lax").rejects == {"five_copies": 1}


def test_score() -> None:
    hand = "35m22s789s678p +4m chow:123m pung:444p f3"
    wins = paipu.score(hand, winner=1, payer=3)
    assert [win.preset.id for win in wins] == shipped_presets("taiwan")
    assert {win.preset.id: win.items for win in wins if win.items} == {
        "tw_flower_honor": {"any_flower": 1},
        "tw_online": {"single_wait": 1},
        "tw_luohan_v1": {"single_wait": 1},
        "tw_luohan_v2": {"single_wait": 1},
    }
    (win,) = paipu.score(
        hand, presets=["tw_general"], win="self_draw", winner=2, dealer=2, streak=1, round="S", last_tile=True
    )
    assert win.items == {"self_draw": 1, "last_tile_draw": 1}
    assert win.payments == [-200, -200, 600, -200]


def test_a_file_as_a_preset(tmp_path: Path) -> None:
    club = tmp_path / "club.toml"
    club.write_text('id = "club"\nextends = "tw_general"\n[values]\nself_draw = 7\n')
    (win,) = paipu.score("35m22s789s678p +4m chow:123m pung:444p", presets=[str(club)], win="self_draw")
    assert win.items == {"self_draw": 7}


@pytest.mark.parametrize("call", ["rescore", "connect"])
def test_there_is_no_store(call: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store here"):
        getattr(paipu, call)(tmp_path / "none")


def test_every_mistake_is_one_family_of_errors(log: Path, tmp_path: Path) -> None:
    hand = "35m22s789s678p +4m chow:123m pung:444p"
    paipu.ingest([log], tmp_path / "store")
    for attempt in (
        lambda: paipu.score("35m +4m", payer=3),
        lambda: paipu.score("35x +4m", payer=3),
        lambda: paipu.score(hand),
        lambda: paipu.score(hand, payer=3, last_tle=True),
        lambda: paipu.score(hand, payer=3, presets=["tw_none"]),
        lambda: paipu.rescore(tmp_path / "store", ["tw_none"]),
        lambda: paipu.compare(["tw_none"], store=tmp_path / "store"),
        lambda: paipu.ingest([log], tmp_path / "store", format="none"),
    ):
        with pytest.raises(PaipuError) as error:
            attempt()
        assert "\n" not in str(error.value)


def test_importing_paipu_imports_nothing_heavy() -> None:
    code = "import sys, json, paipu; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert not loaded & {"numpy", "pyarrow", "duckdb", "polars", "altair", "msgspec"}


def test_one_riichi_hand() -> None:
    """Riichi, self-draw, pinfu: three han and 20 fu are 700 and 1300 (RIICHI 2.7); a hundred more for each honba."""
    (win,) = paipu.score("234m567p45678sWW +3s", presets=["tenhou_4p"], win="tsumo", winner=1, streak=1, riichi=1)
    assert win.items == {"menzen_tsumo": 1, "riichi": 1, "pinfu": 1}
    assert (win.hand_tai, win.fu, win.payments) == (3, 20, [-1400, 3000, -800, -800])
