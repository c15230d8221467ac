"""The scorer on checked cases, from Python and through the command. Expected values come from the rules alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from analysis.rules.preset import load_preset, shipped_presets
from tests.analysis.examples import EXAMPLES, GOLDEN, ROOT, Case, read_cases, score_lines

OWN = read_cases(GOLDEN, "taiwan")
GIVEN = read_cases(EXAMPLES, "taiwan")
SWITCHED = read_cases(EXAMPLES, "taiwan_toggle")

needs_examples = pytest.mark.skipif(not EXAMPLES.exists(), reason="the rules folder is not beside the repository")

#: Override of a switched case → the lines a club writes under [options].
OVERRIDES: dict[str, Any] = {
    "la": ("la_zhuang", {}),
    "pinghu": ("pinghu_mode", {}),
    "seatmode": ("seat_wind_ref", {}),
    "flower_kong_mode": ("flower_kong_mode", {}),
    "single_with_full": ("single_wait_with_fully_melded", {}),
    "streak_cap": ("dealer_streak_cap", {None: "none"}),
    "implied": ("implied_policy", {"app": "app_style", "highest": "highest_only"}),
}


def named(case: Case) -> str:
    return str(case["id"])


def check_case(case: Case) -> None:
    presets = [load_preset(preset) for preset in case["expected"]]
    assert score_lines(case["record"], presets, case["stake"]) == case["expected"]


@pytest.mark.parametrize("case", OWN, ids=named)
def test_our_cases(case: Case) -> None:
    check_case(case)


@needs_examples
@pytest.mark.parametrize("case", GIVEN, ids=named)
def test_given_cases(case: Case) -> None:
    assert set(case["expected"]) == set(shipped_presets("taiwan"))
    check_case(case)


def test_our_cases_reach_every_preset_and_way_to_win() -> None:
    assert {case["record"]["win"] for case in OWN} >= {"discard", "self_draw", "eight_flowers", "seven_robs_one"}
    assert {preset for case in OWN for preset in case["expected"]} == set(shipped_presets("taiwan"))


@needs_examples
@pytest.mark.parametrize("case", SWITCHED, ids=named)
def test_switched_cases(case: Case, tmp_path: Path) -> None:
    record = next(line["record"] for line in GIVEN if line["id"] == case["based_on"])
    options = []
    for name, value in case["override"].items():
        option, words = OVERRIDES[name]
        options.append(f"{option} = {json.dumps(words.get(value, value))}")
    club = tmp_path / "club.toml"
    club.write_text("\n".join(['id = "club"', f'extends = "{case["preset"]}"', "[options]", *options]))
    assert score_lines(record, [load_preset(club)], case["stake"]) == {"club": case["expected"]}


def command(records: Path, *args: str) -> list[dict[str, Any]]:
    """Lines of `paipu score --records` in a process of its own, from a folder that is not ours."""
    done = subprocess.run(
        [sys.executable, "-m", "paipu", "score", "--records", str(records), "--format", "jsonl", *args],
        cwd=records.parent,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_command(cases: Iterable[Case], tmp_path: Path) -> None:
    cases = list(cases)
    records = tmp_path / "records.jsonl"
    records.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    lines = command(records, "--preset", ",".join(shipped_presets("taiwan")))
    assert [(line["id"], line["preset"]) for line in lines] == [
        (case["id"], preset) for case in cases for preset in shipped_presets("taiwan")
    ]
    found = {(line.pop("id"), line.pop("preset")): line for line in lines}
    for case in cases:
        for preset, expected in case["expected"].items():
            assert found[case["id"], preset] == expected, (case["id"], preset)


def test_our_cases_through_the_command(tmp_path: Path) -> None:
    check_command(OWN, tmp_path)


@needs_examples
def test_given_cases_through_the_command(tmp_path: Path) -> None:
    check_command(GIVEN, tmp_path)
