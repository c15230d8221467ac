"""The reference scorer against the checked cases of the rules document."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.reference.presets import OPTIONS, VALUES
from tests.reference.taiwan import score, score_all

RULES = Path(__file__).resolve().parents[3] / "shared" / "rules"
EXAMPLES = RULES / "EXAMPLES.jsonl"
PRESETS = RULES / "PRESETS.json"

#: Override names of the cases -> (our option, value translation).
OVERRIDES: dict[str, tuple[str, dict[object, object]]] = {
    "la": ("la_zhuang", {}),
    "pinghu": ("pinghu_mode", {}),
    "seatmode": ("seat_wind_ref", {}),
    "flower_kong_mode": ("flower_kong_mode", {}),
    "single_with_full": ("single_wait_with_fully_melded", {}),
    "streak_cap": ("dealer_streak_cap", {}),
    "implied": ("implied_policy", {"app": "app_style", "highest": "highest_only"}),
}
#: Items that the table of the document has and PRESETS.json has not.
ONLY_IN_TABLES = {"all_honors_overlap", "initial_flower_win"}
#: PRESETS.json option -> (our option, value translation).
PRESET_OPTIONS: dict[str, tuple[str, dict[object, object]]] = {
    "pull_dealer(拉莊)": ("la_zhuang", {}),
    "seat_wind_reference": ("seat_wind_ref", {}),
    "pinghu_mode": ("pinghu_mode", {}),
    "flower_kong_mode": ("flower_kong_mode", {}),
    "eight_pairs_half_enabled": ("eight_pairs_half", {}),
    "single_wait_with_fully_melded": ("single_wait_with_fully_melded", {}),
    "little_four_winds_keeps_seat_round_wind": ("little_four_winds_keeps_winds", {}),
    "dealer_streak_cap": ("dealer_streak_cap", {}),
    "eye_penalty_tai": ("eye_penalty", {}),
    "implied_policy": ("implied_policy", {"highest": "highest_only"}),
    "dragon_round_bonus_enabled": ("dragon_round_bonus", {}),
}


def cases(system: str) -> list[dict[str, Any]]:
    if not EXAMPLES.exists():
        return []
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["system"] == system]


def stake_of(case: dict[str, Any]) -> tuple[int, int]:
    return case["stake"]["base"], case["stake"]["unit"]


def check(result: dict[str, Any], expected: dict[str, Any]) -> None:
    allowed = result.pop("alternatives", None)
    if allowed and expected.get("items") in allowed:
        result["items"] = expected["items"]
    assert result == expected


needs_examples = pytest.mark.skipif(not EXAMPLES.exists(), reason="the rules folder is not beside the repository")
needs_presets = pytest.mark.skipif(not PRESETS.exists(), reason="the rules folder is not beside the repository")


@needs_examples
@pytest.mark.parametrize("case", cases("taiwan"), ids=lambda case: str(case["id"]))
def test_checked_hands(case: dict[str, Any]) -> None:
    results = score_all(case["record"], case["expected"], stake=stake_of(case))
    assert results.keys() == VALUES.keys()
    for preset, expected in case["expected"].items():
        check(results[preset], expected)


@needs_examples
@pytest.mark.parametrize("case", cases("taiwan_toggle"), ids=lambda case: str(case["id"]))
def test_checked_switches(case: dict[str, Any]) -> None:
    records = {line["id"]: line["record"] for line in cases("taiwan")}
    options: dict[str, object] = {}
    for name, value in case["override"].items():
        option, translation = OVERRIDES[name]
        options[option] = translation.get(value, value)
    result = score(records[case["based_on"]], case["preset"], stake=stake_of(case), options=options)
    check(result, case["expected"])


@needs_presets
@pytest.mark.parametrize("preset", list(VALUES))
def test_typed_tables_equal_the_document(preset: str) -> None:
    document = json.loads(PRESETS.read_text(encoding="utf-8"))
    assert document.keys() == VALUES.keys()
    entry = document[preset]
    typed = {item: tai for item, tai in VALUES[preset].items() if item not in ONLY_IN_TABLES}
    assert typed == {item: tai for item, tai in entry["values"].items() if tai}
    for name, (option, translation) in PRESET_OPTIONS.items():
        value = entry["options"][name]
        assert OPTIONS[preset][option] == translation.get(value, value), name
