"""Rules that the checked cases do not reach; the expected values are worked out by hand from the rules document."""

from typing import Any

import pytest

from tests.reference.taiwan import score

CONCEALED = {"hand": "123456m789p22267sCC", "win_tile": "8s", "melds": []}


def record(**changes: Any) -> dict[str, Any]:
    plain = {
        "dealer": 0,
        "streak": 0,
        "door": 0,
        "round": "E",
        "winner": 1,
        "win": "discard",
        "from": 3,
        "flowers": [],
        "flags": {},
    }
    return {**plain, **CONCEALED, **changes}


def due(result: dict[str, Any]) -> dict[str, int]:
    return {seat: entry["amount"] for seat, entry in result["pay"].items()}


def test_eight_immortals_that_complete_the_hand_add_it_in_luohan() -> None:
    win = record(win="eight_flowers", **{"from": None}, flowers=list(range(1, 9)))
    result = score(win, "tw_luohan_v2")
    assert result["items"] == {
        "eight_immortals": 8,
        "self_draw": 1,
        "concealed_hand": 1,
        "concealed_self_draw_bonus": 1,
        "kong_bloom": 1,
    }
    assert due(result) == {"0": 360, "2": 340, "3": 340}
    assert score(win, "tw_zhengzong")["items"] == {"eight_immortals": 8}


def test_six_plus_one_with_a_complete_hand_is_settled_per_payer() -> None:
    flags = {"mode": "six_plus_one", "robbed_flower": 4}
    result = score(record(win="seven_robs_one", flowers=list(range(1, 9)), flags=flags), "tw_luohan_v1")
    assert result["hand_tai"] == 12
    assert result["items"]["seven_robs_one"] == 8
    # 4 for the self-drawn concealed hand, 2 for the plant set, 1 for summer, the own season.
    assert [result["pay"][seat]["hand_tai"] for seat in "023"] == [7, 7, 12]
    assert due(result) == {"0": 260, "2": 240, "3": 340}
    assert result["winner_receives"] == 840


def test_already_seven_with_a_complete_hand_is_paid_by_the_robbed_player_alone() -> None:
    flags = {"mode": "already7", "robbed_flower": 4}
    result = score(record(win="seven_robs_one", flowers=list(range(1, 9)), flags=flags), "tw_luohan_v1")
    assert result["hand_tai"] == 12
    assert due(result) == {"3": 340}


def test_six_plus_one_without_a_hand_is_flat() -> None:
    flags = {"mode": "six_plus_one", "robbed_flower": 4, "initial_flowers": True}
    win = record(win="seven_robs_one", flowers=list(range(1, 9)), flags=flags, win_tile="1m")
    assert score(win, "tw_luohan_v2")["items"] == {"seven_robs_one": 12}
    assert due(score(win, "tw_luohan_v1")) == {"3": 260}


def test_liable_seat_pays_for_every_loser_what_that_loser_would_have_paid() -> None:
    result = score(record(win="self_draw", **{"from": None}, liable=2, streak=1), "tw_general")
    assert due(result) == {"0": 220, "2": 160, "3": 160}
    assert {seat: entry.get("paid_by") for seat, entry in result["pay"].items()} == {"0": 2, "2": None, "3": 2}


def test_single_wait_by_shape_sees_the_pair_wait_in_a_compound_shape() -> None:
    win = record(hand="123m456p7888s", win_tile="7s", melds=["chow:123m", "pung:444p"])
    assert "single_wait" not in score(win, "tw_online")["items"]
    assert score(win, "tw_online", options={"single_wait_mode": "shape"})["items"] == {"single_wait": 1}


def test_a_kind_held_four_times_is_no_wait() -> None:
    # 6-9s, but all four 9s are in the hand and the kong.
    win = record(hand="123m456p78s11m", win_tile="6s", melds=["kong_open:9999s", "chow:123p"])
    assert score(win, "tw_online")["items"] == {"single_wait": 1}


@pytest.mark.parametrize(("preset", "tai"), [("tw_luohan_v1", 9), ("tw_luohan_v2", 10)])
def test_single_wait_of_eight_pairs_is_only_in_the_new_edition(preset: str, tai: int) -> None:
    win = record(hand="1133m5577p2299sCCCE", win_tile="E", round="N")
    result = score(win, preset)
    assert result["hand_tai"] == tai
    assert result["items"]["eight_pairs_half"] == 8
    assert "concealed_hand" not in result["items"]


def test_all_honors_in_eight_pairs_has_no_deduction() -> None:
    win = record(hand="EEEESSWWNNCCFFPP", win_tile="P", round="W", dealer=1, door=1)
    assert score(win, "tw_luohan_v1")["items"] == {
        "eight_pairs_half": 8,
        "all_honors": 16,
        "dragon_pung": 1,
        "dragon_round_bonus": 1,
    }


@pytest.mark.parametrize(
    ("preset", "items"),
    [
        ("tw_luohan_v2", {"heavenly_hand": 16, "kong_bloom": 1}),
        ("tw_luohan_v1", {"self_draw": 1, "concealed_hand": 1, "concealed_self_draw_bonus": 1, "kong_bloom": 1}),
        ("tw_general", {"self_draw": 1, "concealed_hand": 1, "concealed_self_draw_bonus": 1, "kong_bloom": 1}),
    ],
)
def test_heavenly_hand_after_a_kong_is_only_in_the_new_edition(preset: str, items: dict[str, int]) -> None:
    flags = {"heavenly_after_kong": True, "replacement": "kong_concealed"}
    win = record(
        win="self_draw", winner=0, hand="123456m22267sCC", melds=["kong_concealed:9999p"], flags=flags, **{"from": None}
    )
    assert score(win, preset)["items"] == items


def test_heavenly_hand_has_no_kong_bloom_for_replaced_flowers() -> None:
    win = record(
        win="self_draw", winner=0, flags={"heavenly": True, "replacement": "flower"}, flowers=[2], **{"from": None}
    )
    assert score(win, "tw_luohan_v2")["items"] == {"heavenly_hand": 16}


@pytest.mark.parametrize(
    ("preset", "items"),
    [
        ("tw_zhengzong", {"little_four_winds": 8}),
        ("tw_flower_honor", {"little_four_winds": 8, "any_wind_pung": 3}),
    ],
)
def test_app_style_swaps_the_winds_beside_little_four_winds(preset: str, items: dict[str, int]) -> None:
    win = record(hand="123m45pWWWNN", win_tile="6p", melds=["pung:EEE", "pung:SSS"], winner=0)
    assert score(win, preset, options={"implied_policy": "app_style"})["items"] == items


def test_the_extra_patterns_drop_what_they_contain() -> None:
    win = record(hand="999m111999p9s", win_tile="9s", melds=["pung:111m", "pung:111s"])
    assert score(win, "tw_full")["items"] == {
        "all_terminals": 13,
        "three_concealed_pungs": 3,
        "no_honors_no_flowers": 2,
    }


@pytest.mark.parametrize(("preset", "valid"), [("tw_luohan_v1", False), ("tw_online", True), ("tw_general", True)])
def test_open_kong_replacement(preset: str, valid: bool) -> None:
    win = record(
        win="self_draw",
        hand="123456m22267sCC",
        melds=["kong_open:9999p"],
        flags={"replacement": "kong_open"},
        **{"from": None},
    )
    result = score(win, preset)
    assert result["valid"] is valid
    if not valid:
        assert result == {"valid": False, "reason": "open_kong_replacement"}
    assert ("kong_bloom" in result.get("items", {})) is (preset == "tw_general")


def test_minimum_and_cap() -> None:
    win = record(win="self_draw", **{"from": None}, streak=1)
    assert score(win, "tw_general", options={"min_tai": 4}) == {"valid": False, "reason": "below_min_tai"}
    capped = score(win, "tw_general", options={"min_tai": 3, "tai_cap": 2})
    assert (capped["hand_tai"], due(capped)) == (2, {"0": 200, "2": 140, "3": 140})


def test_unknown_switches_are_refused() -> None:
    with pytest.raises(KeyError, match="pinghu"):
        score(record(), "tw_general", options={"pinghu": "strict"})
