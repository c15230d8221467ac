"""Each game by the rules that its log declares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from analysis.declared import COLUMNS, DECLARED, declared_games, declared_hash
from analysis.rescore import rescore
from analysis.rules.preset import load_preset
from ingest.formats.paipu_record import parse_record
from ingest.parts import read
from tests.analysis.small_store import game_rows, make_store


def games(*rows: dict[str, Any]) -> pa.Table:
    blank = dict.fromkeys(COLUMNS) | {"family": "riichi"}
    return pa.Table.from_pylist([blank | row for row in rows])


def test_games_of_the_same_rules_are_one_group() -> None:
    no_reds = json.dumps({"paipu": {"red_fives": {"m": 0, "p": 0, "s": 0}}, "go": 11})
    found = list(
        declared_games(
            games(
                {"game_id": "a", "declared": "tenhou_4p"},
                {"game_id": "b", "declared": "tenhou_4p", "declared_options": no_reds},
                {"game_id": "c", "declared": "tenhou_4p", "declared_options": '{"go": 9}'},
                {"game_id": "d"},
            )
        )
    )
    assert [group.game_ids.to_pylist() for group in found] == [["a", "c"], ["b"]]
    plain, changed = (group.preset for group in found)
    assert (plain.id, plain.hash) == (DECLARED, declared_hash())
    assert plain.options == load_preset("tenhou_4p").options
    assert changed.options["red_fives"] == {"m": 0, "p": 0, "s": 0}


@pytest.mark.parametrize(
    "row",
    [
        {"declared": "tw_sml"},
        {"declared": "tenhou_4p", "declared_options": '{"paipu": {"reds": 3}}'},
        {"declared": "tenhou_4p", "declared_options": '{"paipu": {"ippatsu": 3}}'},
    ],
)
def test_rules_that_paipu_does_not_know_are_left_out(row: dict[str, Any]) -> None:
    assert list(declared_games(games({"game_id": "a"} | row))) == []


def test_a_game_is_scored_for_its_own_stake(tmp_path: Path) -> None:
    """A hand of no tai off the dealer: a base of 10 and one tai of 5 for the dealer (SPEC 2.6)."""
    record = {
        "dealer": 0,
        "streak": 0,
        "round": "E",
        "winner": 1,
        "win": "discard",
        "from": 0,
        "hand": "35m22s789s678p",
        "win_tile": "4m",
        "melds": ["chow:123m", "pung:444p"],
    }
    rows = game_rows(declared="tw_general", base=10, unit=5)
    rows.wins[0].update(parse_record(record))
    store = make_store(tmp_path / "s", rows=rows, scores=[])
    rescore(store, [], declared=True)
    (batch,) = store.batches()
    (row,) = read("scores", store.score_part(DECLARED, declared_hash(), batch)).to_pylist()
    assert (row["preset"], row["legal"], row["hand_tai"], row["dealer_tai"]) == (DECLARED, True, 0, 1)
    assert row["payments"] == [-15, 15, 0, 0]
