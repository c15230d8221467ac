"""The generator of random wins: legal tile counts, reproducible, and every item of every preset within reach."""

from collections import Counter
from typing import Any

from tests.reference.presets import VALUES
from tests.reference.random_hands import random_options, random_records
from tests.reference.removals import removals
from tests.reference.rules import rules_of
from tests.reference.splits import parse_tiles
from tests.reference.taiwan import score, score_all


def tiles_of(record: dict[str, Any]) -> list[int]:
    melds = [kind for meld in record["melds"] for kind in parse_tiles(meld.partition(":")[2])]
    return [*parse_tiles(record["hand"]), *parse_tiles(record["win_tile"]), *melds]


def test_tiles_are_possible() -> None:
    for record in random_records(2000, 5):
        assert len(parse_tiles(record["hand"])) + 1 + 3 * len(record["melds"]) == 17
        assert max(Counter(tiles_of(record)).values()) <= 4
        if record["win"] == "rob_kong":
            assert tiles_of(record).count(parse_tiles(record["win_tile"])[0]) == 1


def test_same_seed_same_records() -> None:
    assert list(random_records(50, 3)) == list(random_records(50, 3))
    assert list(random_records(50, 3)) != list(random_records(50, 4))


def test_every_item_and_every_reason_occurs() -> None:
    never: dict[str, set[str]] = {preset: set(table) - {"initial_flower_win"} for preset, table in VALUES.items()}
    reasons: set[str] = set()
    for record in random_records(1500, 1):
        for preset, result in score_all(record).items():
            never[preset] -= result.get("items", {}).keys()
            reasons.add(result.get("reason", ""))
    assert never == {preset: set() for preset in VALUES}
    assert reasons == {"", "open_kong_replacement", "system_auto_wins_on_eight_flowers", "not_a_winning_shape"}


def test_results_are_consistent() -> None:
    for record, options in zip(random_records(400, 2), random_options(400, 2), strict=True):
        for preset in VALUES:
            result = score(record, preset, options=options)
            if not result["valid"]:
                continue
            cap = rules_of(preset, options).tai_cap
            total = sum(result["items"].values())
            assert result["hand_tai"] == (total if cap is None else min(total, cap))
            received = [entry["amount"] for entry in result["pay"].values()] + [*result.get("eye_penalty", {}).values()]
            assert result["winner_receives"] == sum(received)
            for item, removed in removals(rules_of(preset, options)).items():
                assert item not in result["items"] or not removed & result["items"].keys()
