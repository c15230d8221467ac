"""Facts missing in a log: which items they could add, per preset (expected lists follow from SPEC 3)."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from analysis.explain import explain
from analysis.rules.preset import load_presets, shipped_presets
from ingest.errors import RecordError
from ingest.formats.paipu_record import parse_record
from ingest.record import READY, REPLACEMENTS, Row
from tests.analysis.examples import GOLDEN, read_cases
from tests.reference.random_hands import random_records

GAME = ("tw_flower_honor", "tw_full", "tw_general", "tw_zhengzong")
LUOHAN = ("tw_luohan_v1", "tw_luohan_v2")
COMPANY = ("tw_online",)
ALL = (*GAME, *COMPANY, *LUOHAN)


def open_hand(**record: Any) -> Row:
    """Seat 1, two exposed melds, waits 2m and 5m, no honours but those given."""
    flags = record.pop("flags", {})
    return parse_record(
        {
            "dealer": 0, "streak": 0, "door": 0, "round": "E", "winner": 1, "win": "discard", "from": 3,
            "melds": ["chow:123m", "pung:444p"], "hand": "34m22s789s678p", "win_tile": "5m", "flowers": [],
            "flags": flags,
        }
        | record
    )  # fmt: skip


def concealed_hand(**record: Any) -> Row:
    return open_hand(**{"melds": [], "hand": "34m22s789s678p123m444p"} | record)


def drawn(row: Row) -> Row:
    return row | {"win_kind": 1, "payer": None}


def found(row: Row) -> dict[str, list[str]]:
    wins = explain([row], load_presets(shipped_presets("taiwan")))[0]
    return {win.preset.id: win.undetermined for win in wins if win.undetermined}


def expected(*parts: tuple[tuple[str, ...], list[str]]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for presets, items in parts:
        for preset in presets:
            lists[preset] = sorted([*lists.get(preset, []), *items])
    return lists


def test_nothing_is_undetermined_where_the_log_says_everything() -> None:
    rows = [parse_record(case["record"]) for case in read_cases(GOLDEN, "taiwan")]
    rows += [open_hand(), drawn(open_hand()), concealed_hand(), drawn(concealed_hand())]
    for wins in explain(rows, load_presets(shipped_presets("taiwan"))):
        assert all(win.undetermined == [] for win in wins)
        assert all("undetermined" not in win.line(None) for win in wins)


def test_the_door_matters_where_winds_are_counted_from_it() -> None:
    west = {"melds": ["pung:WWW", "pung:444p"], "flowers": [3]}
    assert found(open_hand(door=None, **west)) == expected((LUOHAN, ["seat_flower", "seat_wind_pung"]))
    assert found(open_hand(door=2, **west)) == {}
    assert found(open_hand(door=None)) == {}


def test_a_door_that_would_make_more_flowers_own() -> None:
    """South holds f2; as West the same player would hold two own flowers, f3 and f7."""
    assert found(open_hand(door=None, flowers=[2, 3, 7])) == expected((LUOHAN, ["seat_flower"]))


@pytest.mark.parametrize("flag", ["last_tile"])
def test_the_last_tile(flag: str) -> None:
    assert found(open_hand(flags={flag: None})) == expected((GAME, ["last_discard_win"]))
    assert found(drawn(open_hand(flags={flag: None}))) == expected((ALL, ["last_tile_draw"]))


def test_a_replacement() -> None:
    assert found(drawn(open_hand(flags={"replacement": None}))) == expected((ALL, ["kong_bloom"]))
    assert found(drawn(open_hand(flags={"replacement": "none"}))) == {}


def test_a_declaration_of_ready() -> None:
    # Who was ready from the first turn on claimed nothing afterwards.
    assert found(open_hand(flags={"ready": None})) == expected((GAME, ["declared_ready"]))
    own_kong = {"melds": ["kong_concealed:4444p"], "hand": "34m22s789s678p123m"}
    assert found(concealed_hand(flags={"ready": None}, **own_kong)) == expected(
        (GAME, ["declared_ready"]), (LUOHAN, ["heavenly_ready", "earthly_ready"])
    )
    assert found(concealed_hand(flags={"ready": None})) == expected(
        (GAME, ["declared_ready"]), (LUOHAN, ["heavenly_ready", "earthly_ready"])
    )
    assert found(concealed_hand(flags={"ready": None}, dealer=1)) == expected(
        (GAME, ["declared_ready"]), (LUOHAN, ["earthly_ready"])
    )
    assert found(concealed_hand(flags={"ready": "normal", "ready_open": None})) == expected((GAME, ["open_ready"]))


def test_the_first_turns_raise_a_declaration_but_do_not_hide_it() -> None:
    flags = {"ready": None, "ready_first_turn": None, "discarder_first_discard": None}
    assert found(concealed_hand(flags=flags)) == expected(
        (GAME, ["declared_ready"]),
        (("tw_luohan_v1",), ["heavenly_ready", "earthly_ready", "earthly_hand", "human_hand"]),
        (("tw_luohan_v2",), ["heavenly_ready", "earthly_ready", "earthly_ready_first_turn", "human_hand"]),
    )


def test_opening_hands() -> None:
    assert found(drawn(concealed_hand(dealer=1, flags={"heavenly": None}))) == expected((ALL, ["heavenly_hand"]))
    assert found(drawn(concealed_hand(flags={"first_draw": None, "no_calls": None}))) == expected(
        ((*GAME, *COMPANY), ["earthly_hand"])
    )
    assert found(drawn(concealed_hand(flags={"first_draw": None, "no_calls": False}))) == {}
    assert found(concealed_hand(flags={"before_first_draw": None, "no_calls": None})) == expected(
        ((*GAME, *COMPANY), ["human_hand"])
    )
    assert found(open_hand(flags={"miji": None})) == expected((COMPANY, ["miji"]))


def test_a_flower_win_from_the_deal_pays_more_only_where_the_rules_say_so() -> None:
    row = open_hand(
        win="eight_flowers", **{"from": None}, flowers=[1, 2, 3, 4, 5, 6, 7, 8], flags={"initial_flowers": None},
        melds=[], hand="1379m2468p1357sESWN", win_tile=None,
    )  # fmt: skip
    assert found(row) == expected((("tw_luohan_v2",), ["eight_immortals"]))


def test_all_unknown() -> None:
    """A dealer's self-draw of which nothing but the tiles is known."""
    flags = dict.fromkeys(
        (
            "last_tile", "ready", "ready_open", "ready_first_turn", "heavenly", "heavenly_after_kong", "first_draw",
            "first_draw_after_kong", "before_first_draw", "discarder_first_discard", "no_calls", "miji", "replacement",
        )
    )  # fmt: skip
    everywhere = ["heavenly_hand", "kong_bloom", "last_tile_draw"]
    assert found(drawn(concealed_hand(dealer=1, door=None, flags=flags))) == expected(
        (ALL, everywhere),
        (GAME, ["declared_ready", "open_ready"]),
        (COMPANY, ["miji"]),
        (("tw_luohan_v1",), ["earthly_ready", "human_hand"]),
        (("tw_luohan_v2",), ["earthly_ready", "earthly_ready_first_turn"]),
    )


def test_a_gap_in_one_record_does_not_touch_another() -> None:
    wins = explain([open_hand(), open_hand(flags={"last_tile": None}), open_hand()], load_presets(["tw_full"]))
    assert [win[0].undetermined for win in wins] == [[], ["last_discard_win"], []]


ANSWERS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        (
            "last_tile", "ready_open", "ready_first_turn", "heavenly", "heavenly_after_kong", "first_draw", "no_calls",
            "first_draw_after_kong", "before_first_draw", "discarder_first_discard", "miji", "initial_flowers",
        ),
        (False, True),
    ),
    "replacement": REPLACEMENTS,
    "ready": READY,
    "door": (0, 1, 2, 3),
}  # fmt: skip


def with_gaps(source: dict[str, Any], answers: dict[str, Any]) -> dict[str, Any]:
    door = {"door": answers["door"]} if "door" in answers else {}
    return (
        source | door | {"flags": source["flags"] | {name: value for name, value in answers.items() if name != "door"}}
    )


def possible(source: dict[str, Any], answers: dict[str, Any]) -> bool:
    claimed = any(not meld.startswith("kong_concealed") for meld in source["melds"])
    return not (claimed and answers.get("ready") in ("initial", "first_discard"))


def test_random_gaps_against_every_way_to_fill_them() -> None:
    rng = random.Random(5)
    presets = load_presets(shipped_presets("taiwan"))
    gaps: list[Row] = []
    filled: list[list[Row]] = []
    for source in random_records(250, 41):
        names = rng.sample(sorted(ANSWERS), rng.randint(1, 3))
        gaps.append(parse_record(with_gaps(source, dict.fromkeys(names))))
        filled.append([])
        for values in itertools.product(*(ANSWERS[name] for name in names)):
            answers = dict(zip(names, values, strict=True))
            try:
                row = parse_record(with_gaps(source, answers))
            except RecordError:
                continue
            if possible(source, answers):
                filled[-1].append(row)
    every = iter(explain([row for rows in filled for row in rows], presets))
    seen = set()
    for wins, rows in zip(explain(gaps, presets), filled, strict=True):
        variants = list(itertools.islice(every, len(rows)))
        for number, win in enumerate(wins):
            more = {
                item
                for variant in variants
                for item, tai in variant[number].items.items()
                if item not in win.items or tai > win.items[item]
            }
            assert set(win.undetermined) == more, win.preset.id
            seen |= more
    assert len(seen) >= 12
