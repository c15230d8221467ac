"""docs/rules.md names every option and every shipped preset."""

from __future__ import annotations

from pathlib import Path

from analysis.rules.catalogue import load_catalogue
from analysis.rules.preset import shipped_presets

RULES = (Path(__file__).resolve().parents[2] / "docs" / "rules.md").read_text("utf-8")


def test_every_option_is_documented_with_its_meaning() -> None:
    for option in load_catalogue("taiwan").options.values():
        row = next((line for line in RULES.splitlines() if line.startswith(f"| `{option.name}` |")), "")
        assert row.endswith(f"| {option.texts['en']} |"), option.name


def test_every_preset_is_documented() -> None:
    for preset in shipped_presets():
        assert f"`{preset}`" in RULES
