"""Single wins in full: reasons, settlement, options of a club. Amounts are worked out by hand from SPEC 2.6 and 2.7."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from analysis.explain import Win, explain
from analysis.rules.preset import Preset, load_preset
from ingest.errors import UsageError
from ingest.formats.paipu_record import parse_record

EIGHT = [1, 2, 3, 4, 5, 6, 7, 8]


def record(**changes: Any) -> dict[str, Any]:
    """South (seat 1) wins 5m from North (seat 3): nothing that pays under the game presets."""
    return {
        "dealer": 0, "streak": 0, "door": 0, "round": "E", "winner": 1, "win": "discard", "from": 3,
        "melds": ["chow:123m", "pung:444p"], "hand": "34m22s789s678p", "win_tile": "5m", "flowers": [3], "flags": {},
    } | changes  # fmt: skip


def drawn(**changes: Any) -> dict[str, Any]:
    return record(**{"win": "self_draw", "from": None} | changes)


def eight_flowers(**changes: Any) -> dict[str, Any]:
    return drawn(**{"win": "eight_flowers", "flowers": EIGHT} | changes)


def one(source: dict[str, Any], preset: Preset) -> Win:
    return explain([parse_record(source)], [preset])[0][0]


@pytest.fixture
def club(tmp_path: Path) -> Any:
    def make(parent: str, text: str = "") -> Preset:
        path = tmp_path / "club.toml"
        path.write_text(f'id = "club"\nextends = "{parent}"\n{text}\n', encoding="utf-8")
        return load_preset(path)

    return make


def test_no_record_and_no_preset() -> None:
    assert explain([], [load_preset("tw_full")]) == []
    with pytest.raises(UsageError, match="presets of one family"):
        explain([parse_record(record())], [])


def test_records_and_presets_keep_their_order() -> None:
    rows = [parse_record(record()), parse_record(drawn())]
    presets = [load_preset("tw_full"), load_preset("tw_general")]
    wins = explain(rows, presets)
    assert [[win.preset.id for win in several] for several in wins] == [["tw_full", "tw_general"]] * 2
    assert [[win.items for win in several] for several in wins] == [[{}, {}], [{"self_draw": 2}, {"self_draw": 1}]]


@pytest.mark.parametrize(
    ("source", "text", "reason"),
    [
        (record(hand="34m22s789s679p"), "", "not_a_winning_shape"),
        (record(), "[options]\nmin_tai = 1", "below_min_tai"),
        (drawn(streak=9, dealer=1), "[options]\nmin_tai = 2", "below_min_tai"),
        (eight_flowers(), "[values]\neight_immortals = 0", "flower_win_off"),
        (record(flowers=EIGHT), '[options]\neight_flowers_mode = "forced"', "system_auto_wins_on_eight_flowers"),
        (
            drawn(melds=["kong_open:4444p", "chow:123m"], flags={"replacement": "kong_open"}),
            '[options]\nopen_kong_replacement_win = "illegal"',
            "open_kong_replacement",
        ),
    ],
)
def test_a_win_that_is_none(club: Any, source: dict[str, Any], text: str, reason: str) -> None:
    win = one(source, club("tw_general", text))
    assert win.line("x") == {"id": "x", "preset": "club", "valid": False, "reason": reason}
    assert (win.items, win.hand_tai, win.pay, win.payments) == ({}, 0, {}, [0, 0, 0, 0])
    if reason != "not_a_winning_shape":
        assert one(source, load_preset("tw_general")).valid


def test_an_illegal_win_pays_no_eyes() -> None:
    win = one(record(hand="34m22s789s679p", eye_players=[2]), load_preset("tw_online"))
    assert (win.valid, win.eye_penalty, win.payments) == (False, {}, [0, 0, 0, 0])


def test_the_winner_pays_nothing_for_his_own_eyes() -> None:
    win = one(record(eye_players=[1, 2], flowers=[]), load_preset("tw_online"))
    assert win.eye_penalty == {2: 20}
    assert win.payments == [0, 120, -20, -100]


def test_the_least_tai_is_of_the_hand_not_of_the_dealer(club: Any) -> None:
    rules = club("tw_general", "[options]\nmin_tai = 1")
    assert one(drawn(), rules).valid
    assert not one(record(dealer=3, flowers=[]), rules).valid


def test_the_cap_is_on_the_hand_and_the_dealer_comes_on_top(club: Any) -> None:
    rules = club("tw_general", "[options]\ntai_cap = 1")
    source = drawn(dealer=1, streak=2, flags={"last_tile": True}, flowers=[])
    win = one(source, rules)
    assert win.items == {"self_draw": 1, "last_tile_draw": 1}
    assert win.hand_tai == 1
    assert {seat: (pay.tai, pay.amount) for seat, pay in win.pay.items()} == dict.fromkeys((0, 2, 3), (6, 220))


@pytest.mark.parametrize(
    ("text", "streak", "dealer_tai"),
    [
        ("", 0, 1),
        ("", 3, 7),
        ("la_zhuang = false", 3, 4),
        ("dealer_streak_cap = 2", 3, 5),
        ("dealer_streak_cap = 2", 1, 3),
        ("dealer_streak_cap = 0", 3, 1),
        ("dealer_tai = 0", 0, 0),
        ("dealer_tai = 2\nla_zhuang = false", 3, 5),
    ],
)
def test_dealer_tai(club: Any, text: str, streak: int, dealer_tai: int) -> None:
    rules = club("tw_general", f"[options]\n{text}")
    between = {
        "the dealer pays": record(dealer=3, streak=streak, flowers=[]),
        "the dealer wins": record(dealer=1, streak=streak, flowers=[]),
    }
    for source in between.values():
        pay = one(source, rules).pay[3]
        assert (pay.hand_tai, pay.dealer_tai, pay.tai, pay.amount) == (0, dealer_tai, dealer_tai, 100 + 20 * dealer_tai)
    assert one(record(dealer=0, streak=streak), rules).pay[3].dealer_tai == 0


def test_a_club_removes_more(club: Any) -> None:
    rules = club("tw_general", '[excludes]\nlast_tile_draw = ["self_draw", "last_discard_win"]')
    assert one(drawn(flags={"last_tile": True}), rules).items == {"last_tile_draw": 1}
    assert one(drawn(), rules).items == {"self_draw": 1}
    # An item that pays nothing is not there, so it removes nothing (SPEC 2.4: counted items remove).
    rules = club("tw_general", '[values]\nlast_tile_draw = 0\n[excludes]\nlast_tile_draw = ["self_draw"]')
    assert one(drawn(flags={"last_tile": True}), rules).items == {"self_draw": 1}


def test_the_reading_is_chosen_per_preset(club: Any) -> None:
    """111222333m are three pungs or three chows."""
    source = record(melds=[], hand="111222333m9p456789s", win_tile="9p", flowers=[1])
    assert one(source, load_preset("tw_full")).items == {"concealed_hand": 2, "three_concealed_pungs": 3}
    chows = club("tw_full", "[values]\nthree_concealed_pungs = 1")
    assert one(source, chows).items == {"concealed_hand": 2, "pinghu": 2}
    assert one(source, load_preset("tw_online")).items == {
        "concealed_hand": 1, "three_concealed_pungs": 2, "single_wait": 1,
    }  # fmt: skip


def test_six_plus_one_with_a_complete_hand() -> None:
    """A22: the robbed player pays the hand without flowers and 8, the others the hand with the seven own flowers."""
    source = drawn(
        win="seven_robs_one", flowers=EIGHT, flags={"mode": "six_plus_one", "robbed_flower": 8}, **{"from": 2}
    )
    win = one(source, load_preset("tw_luohan_v2"))
    assert win.items == {"self_draw": 1, "kong_bloom": 1, "seven_robs_one": 8}
    # Seat 1 is South: f1-f4 are a set (2, instead of f2), f6 is its own (1).
    assert {seat: (pay.hand_tai, pay.dealer_tai, pay.amount) for seat, pay in win.pay.items()} == {
        0: (5, 1, 220),
        2: (10, 0, 300),
        3: (5, 0, 200),
    }
    assert win.payments == [-220, 720, -300, -200]
    # Where a flower win stands for itself, the hand does not matter.
    assert one(source, load_preset("tw_general")).payments == [0, 260, -260, 0]


def test_seven_already_held_with_a_complete_hand() -> None:
    source = drawn(win="seven_robs_one", flowers=EIGHT, flags={"mode": "already7", "robbed_flower": 8}, **{"from": 2})
    assert one(source, load_preset("tw_luohan_v2")).payments == [0, 300, -300, 0]


def test_a_liable_seat_pays_for_all_and_its_own_eyes_beside() -> None:
    source = drawn(liable=2, eye_players=[0, 2], streak=1)
    win = one(source, load_preset("tw_online"))
    assert {seat: (pay.amount, pay.paid_by) for seat, pay in win.pay.items()} == {
        0: (180, 2),
        2: (120, None),
        3: (120, 2),
    }
    assert win.eye_penalty == {0: 20, 2: 20}
    assert win.payments == [-20, 460, -440, 0]
    assert win.winner_receives == 460


def test_a_liable_seat_instead_of_the_discarder() -> None:
    win = one(record(liable=2), load_preset("tw_general"))
    assert win.payments == [0, 100, -100, 0]
    assert win.line(None)["pay"] == {"3": {"hand_tai": 0, "dealer_tai": 0, "tai": 0, "amount": 100, "paid_by": 2}}


def test_money_of_any_size_is_exact() -> None:
    huge = msgspec.structs.replace(load_preset("tw_full"), base=2**31 - 1, unit=2**31 - 1)
    source = drawn(dealer=1, streak=65_535, eye_players=[0], flowers=[])
    win = one(source, huge)
    assert win.items == {"self_draw": 2, "no_honors_no_flowers": 2}
    each = (2**31 - 1) * (1 + 4 + 1 + 2 * 65_535)
    assert win.payments == [-each, 3 * each, -each, -each]
    eyes = msgspec.structs.replace(load_preset("tw_online"), base=0, unit=2**31 - 1)
    assert one(record(eye_players=[0, 2], flowers=[]), eyes).payments == [1 - 2**31, 2 * (2**31 - 1), 1 - 2**31, 0]


def test_the_largest_preset_does_not_overflow(club: Any) -> None:
    catalogue = load_preset("tw_full").catalogue()
    values = "\n".join(f"{item} = 500" for item in catalogue.items if item != "eight_flowers_held")
    money = "[payment]\nbase = 1000000\nunit = 1000000"
    rules = club("tw_full", f"[options]\ndealer_tai = 1000\neye_penalty = 1000\n[values]\n{values}\n{money}")
    source = drawn(
        dealer=1, streak=1000, flowers=EIGHT, hand="99sCC", win_tile="C", flags={"replacement": "kong_added"},
        melds=["kong_added:1111s", "kong_added:EEEE", "pung:FFF", "pung:PPP"], eye_players=[0],
    )  # fmt: skip
    win = one(source, rules)
    counted = {"any_flower": 8, "seat_flower": 2, "flower_kong": 2, "exposed_kong": 2}
    assert {item: win.items[item] // 500 for item in counted} == counted
    assert win.hand_tai == sum(win.items.values()) > 10_000
    each = 1_000_000 * (1 + win.hand_tai + 1000 + 2000)
    assert win.payments == [-each - 10**9, 3 * each + 10**9, -each, -each]
