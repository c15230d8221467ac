from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import RecordError
from ingest.melds import parse_meld
from ingest.record import READY
from ingest.tiles import KIND, parse_tiles
from ingest.validate import check_complete, check_payments, check_seat, check_win, flower_mask, tile_columns


def a_win(hand: str = "35m22s789s678p", tile: str = "4m", melds: tuple[str, ...] = ("chow:123m", "pung:444p")) -> Any:
    """The first example of the rules: a chicken hand on a closed wait."""
    return {
        **tile_columns(parse_tiles(hand), KIND[tile], [parse_meld(meld) for meld in melds]),
        "winner": 1, "payer": 3, "win_kind": 0, "dealer": 0, "door": 0, "streak": 0, "round_wind": 0, "flowers": 4,
    }  # fmt: skip


NO_MELDS = tile_columns(parse_tiles("345m22s789s678p123m44p"), KIND["4p"], [])
CONCEALED_KONG = tile_columns(parse_tiles("35m22s789s444678p"), KIND["4m"], [parse_meld("kong_concealed:EEEE")])
DEALER_DRAWS = {"dealer": 1, "win_kind": 1, "payer": None}


def code_of(row: Any) -> str:
    with pytest.raises(RecordError) as caught:
        check_win(row)
    return caught.value.code


def test_a_sound_win_passes() -> None:
    check_win(a_win())


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "code"),
    [
        ("35m22s789s678p", "4m", (), "tile_count"),
        ("35m22s789s678p1m", "4m", ("chow:123m", "pung:444p"), "tile_count"),
        ("44m22s789s678p", "4m", ("chow:234m", "pung:444m"), "five_copies"),
        ("3m", "3m", ("kong_open:3333m", "chow:123p", "chow:123p", "chow:123p", "pung:EEE"), "five_copies"),
        ("1122334455667m", "7m", ("kong_concealed:1111m",), "five_copies"),
    ],
)
def test_tiles_that_cannot_be(hand: str, tile: str, melds: tuple[str, ...], code: str) -> None:
    with pytest.raises(RecordError) as caught:
        a_win(hand, tile, melds)
    assert caught.value.code == code


def test_a_code_that_is_no_meld() -> None:
    with pytest.raises(RecordError) as caught:
        tile_columns(parse_tiles("35m22s789s678p"), KIND["4m"], [158, 1])
    assert caught.value.code == "bad_meld"


def test_a_flower_win_may_lack_its_replacement() -> None:
    columns = tile_columns(parse_tiles("135m246p79sESWNCFP"), KIND["1s"], [], complete=False)
    assert columns["win_tile"] == KIND["1s"]
    with pytest.raises(RecordError):
        tile_columns(parse_tiles("135m246p79sESWNCF"), KIND["1s"], [], complete=False)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"winner": 4}, "bad_seat"),
        ({"winner": -1}, "bad_seat"),
        ({"dealer": True}, "bad_seat"),
        ({"door": 7}, "bad_seat"),
        ({"liable": 5}, "bad_seat"),
        ({"liable": 1}, "bad_payer"),
        ({"payer": None}, "bad_payer"),
        ({"payer": 1}, "bad_payer"),
        ({"win_kind": 1}, "bad_payer"),
        ({"win_kind": 1, "payer": None, "before_first_draw": True}, "flag_conflict"),
        ({"win_kind": 3, "payer": None}, "flower_count"),
        ({"win_kind": 4, "flowers": 63}, "flower_count"),
        ({"win_kind": 5}, "bad_value"),
        ({"streak": -1}, "bad_value"),
        ({"streak": 1 << 16}, "bad_value"),
        ({"round_wind": 4}, "bad_value"),
        ({"flowers": 256}, "bad_value"),
        ({"flower_mode": 1}, "flag_conflict"),
        ({"robbed_flower": 4}, "flag_conflict"),
        ({"declined_eight": True}, "flag_conflict"),
        ({"replacement": 1}, "flag_conflict"),
        ({"heavenly": True}, "flag_conflict"),
        ({**DEALER_DRAWS, "heavenly": True}, "flag_conflict"),  # with claimed melds
        ({**DEALER_DRAWS, "heavenly_after_kong": True}, "flag_conflict"),
        ({**NO_MELDS, **DEALER_DRAWS, "heavenly": True, "first_draw": True}, "flag_conflict"),
        ({**NO_MELDS, "win_kind": 1, "payer": None, "heavenly": True}, "flag_conflict"),  # not the dealer
        ({**NO_MELDS, "win_kind": 1, "payer": None, "heavenly_after_kong": True}, "flag_conflict"),
        ({"ready": READY.index("initial")}, "flag_conflict"),
        ({"first_draw_after_kong": True}, "flag_conflict"),
        ({"first_draw": True}, "flag_conflict"),
        ({"no_calls": True}, "flag_conflict"),  # the winner has claimed himself
        ({"ready": 0, "ready_open": True}, "flag_conflict"),
    ],
)
def test_contradictions_are_named(change: dict[str, Any], code: str) -> None:
    assert code_of(a_win() | change) == code


@pytest.mark.parametrize(
    "change",
    [
        {**NO_MELDS, **DEALER_DRAWS, "heavenly": True},
        {**CONCEALED_KONG, **DEALER_DRAWS, "heavenly_after_kong": True},
        {**NO_MELDS, "win_kind": 1, "payer": None, "first_draw": True, "ready": READY.index("initial")},
        {**NO_MELDS, "before_first_draw": True, "discarder_first_discard": True},
        {**CONCEALED_KONG, "ready": READY.index("initial")},
        {"ready": READY.index("first_discard")},  # declared with the first discard, which came after a claim
    ],
)
def test_opening_situations_of_concealed_hands_pass(change: dict[str, Any]) -> None:
    check_win(a_win() | change)


@pytest.mark.parametrize(
    ("hand", "tile", "melds"),
    [
        ("35m22s789s678p", "4m", ("chow:123m", "pung:444p")),
        ("2m", "2m", ("chow:123m", "pung:444p", "kong_concealed:EEEE", "kong_added:CCCC", "kong_open:1111s")),
        ("1133557799m1133p33s", "3s", ()),  # seven pairs and a triplet of 3s
        ("111133557799m22p33s", "3s", ()),  # four of a kind are two pairs
    ],
)
def test_complete_hands(hand: str, tile: str, melds: tuple[str, ...]) -> None:
    check_complete(a_win(hand, tile, melds))


@pytest.mark.parametrize(
    ("hand", "tile", "melds"),
    [
        ("35m22s789s678p", "6m", ("chow:123m", "pung:444p")),
        ("35m22s789s688p", "4m", ("chow:123m", "pung:444p")),
        ("2m", "3m", ("chow:123m", "pung:444p", "kong_concealed:EEEE", "kong_added:CCCC", "kong_open:1111s")),
        ("1133557799m1133p3sE", "S", ()),
        ("113355m11p33s", "3s", ("pung:EEE", "chow:789s")),  # pairs with melds
    ],
)
def test_incomplete_hands(hand: str, tile: str, melds: tuple[str, ...]) -> None:
    with pytest.raises(RecordError) as caught:
        check_complete(a_win(hand, tile, melds))
    assert caught.value.code == "not_complete"


def test_a_flower_win_needs_no_complete_hand() -> None:
    check_complete(a_win("35m22s789s688p") | {"win_kind": 3})


def test_unknown_facts_contradict_nothing() -> None:
    check_win(a_win() | dict.fromkeys(("door", "liable", "no_calls", "replacement", "heavenly", "ready", "ready_open")))


def test_flowers_are_a_mask_of_different_numbers() -> None:
    assert flower_mask([1, 8]) == 0b1000_0001
    for wrong, code in (([1, 1], "flower_twice"), ([0], "bad_flower"), ([9], "bad_flower"), ([True], "bad_flower")):
        with pytest.raises(RecordError) as caught:
            flower_mask(wrong)
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("payments", "code"),
    [
        ([0, 0, 0, 1], "payments_not_zero"),
        ([0, 0, 0], "bad_payments"),
        ([0, 0, 0, "0"], "bad_payments"),
        ([0.5, -0.5, 0, 0], "bad_payments"),
        ("0000", "bad_payments"),
        ([1 << 70, -(1 << 70), 0, 0], "bad_payments"),
    ],
)
def test_payments(payments: Any, code: str) -> None:
    assert check_payments([100, -100, 0, 0], "deltas") == [100, -100, 0, 0]
    with pytest.raises(RecordError) as caught:
        check_payments(payments, "deltas")
    assert caught.value.code == code


def test_seats() -> None:
    assert [check_seat(seat, "seat") for seat in range(4)] == [0, 1, 2, 3]
    for wrong in (-1, 4, None, "1", 1.0, False):
        with pytest.raises(RecordError):
            check_seat(wrong, "seat")


def test_a_message_is_short_whatever_the_record_holds() -> None:
    with pytest.raises(RecordError) as caught:
        check_seat(10**4000, "dealer")
    assert len(caught.value.message) < 500
    assert caught.value.message.startswith("dealer is 1000")
    assert caught.value.message.endswith("0, 1, 2 and 3")
