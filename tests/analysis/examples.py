"""Checked cases for the scorer's tests: our own ones and, where the rules folder stands beside us, its ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from analysis.explain import explain
from analysis.rules.preset import Preset
from ingest.formats.paipu_record import parse_record

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT.parent / "shared" / "rules"
EXAMPLES = RULES / "EXAMPLES.jsonl"
PRESETS = RULES / "PRESETS.json"
GOLDEN = ROOT / "tests" / "golden" / "taiwan.jsonl"

Case = dict[str, Any]


def read_cases(path: Path, system: str) -> list[Case]:
    """The cases of a rule system in a file; none if there is no such file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["system"] == system]


def with_stake(preset: Preset, stake: dict[str, int]) -> Preset:
    return msgspec.structs.replace(preset, base=stake["base"], unit=stake["unit"])


def score_lines(record: dict[str, Any], presets: list[Preset], stake: dict[str, int]) -> dict[str, Any]:
    """preset id → what the scorer says, in the words of the cases."""
    wins = explain([parse_record(record)], [with_stake(preset, stake) for preset in presets])[0]
    lines = {}
    for win in wins:
        line = win.line(None)
        lines[line.pop("preset")] = line
        assert line.pop("id") is None
    return lines
