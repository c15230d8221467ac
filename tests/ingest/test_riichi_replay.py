"""The riichi replay: what follows from play (RIICHI 1.2, 1.6, 2.8 to 2.12), and what it refuses.

Most hands here show only the seats that matter; the others are hidden and discard what the test says.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code
from ingest.riichi_replay import RED, RiichiReplay
from ingest.riichi_shapes import is_complete, keys_of, waits_of
from ingest.tiles import KIND, counts_of_keys

TENPAI = "234m567p678s34s99p"
"""Waits for 2s and 5s."""


def tiles(text: str) -> list[int]:
    """Tiles of a text; 0 is a red five."""
    found: list[int] = []
    digits = ""
    for ch in text:
        if ch.isdigit():
            digits += ch
        elif ch in "mps":
            found += [KIND[f"5{ch}"] | RED if digit == "0" else KIND[digit + ch] for digit in digits]
            digits = ""
        else:
            found.append(KIND[ch])
    return found


def tile(text: str) -> int:
    [found] = tiles(text)
    return found


class Play:
    """A replay with tiles as text."""

    def __init__(self, hands: dict[int, str], *, players: int = 4, dealer: int = 0, **options: Any) -> None:
        self.players = players
        self.replay = RiichiReplay(
            players=players,
            dealer=dealer,
            round_wind=0,
            hands=[tiles(hands[seat]) if seat in hands else None for seat in range(players)],
            **options,
        )

    def turn(self, seat: int, drawn: str, discarded: str = "", *, riichi: bool = False) -> None:
        """A draw and a discard; without a second tile the drawn one. A hidden seat shows what it discards only."""
        known = self.replay.concealed(seat) is not None
        self.replay.draw(seat, tile(drawn) if known else None)
        self.replay.discard(seat, tile(discarded or drawn), riichi=riichi)

    def round(self, *texts: str, start: int = 0) -> None:
        """One tile drawn and discarded by each seat in turn."""
        for offset, text in enumerate(texts):
            self.turn((start + offset) % self.players, text)

    def win(self, winner: int, payer: int | None = None, **options: Any) -> dict[str, Any]:
        self.replay.win(winner, payer, **options)
        return self.replay.finish().wins[-1]


def refused(code: str, action: Callable[[], object]) -> None:
    with pytest.raises(RecordError) as caught:
        action()
    assert caught.value.code == code, caught.value.message


# What a winner's row says.


def test_the_dealer_wins_with_the_dealt_tiles() -> None:
    play = Play({0: TENPAI}, honba=2, sticks=1, dora_indicator=KIND["1m"])
    play.replay.draw(0, tile("0s"))
    row = play.win(0)
    assert (row["heavenly"], row["first_draw"], row["no_calls"]) == (True, False, True)
    assert (row["win_kind"], row["payer"], row["win_tile"], row["dora1"]) == (1, None, KIND["5s"], KIND["1m"])
    assert (row["streak"], row["sticks"], row["own_stick"], row["riichi"]) == (2, 1, False, 0)
    assert row["reds"] == 16
    assert counts_of_keys(row["km"], row["kp"], row["ks"], row["kh"])[KIND["5s"]] == 1
    assert sum(counts_of_keys(row["km"], row["kp"], row["ks"], row["kh"])) == 14


def test_another_wins_on_the_first_draw() -> None:
    play = Play({1: TENPAI})
    play.turn(0, "N")
    play.replay.draw(1, tile("2s"))
    row = play.win(1)
    assert (row["heavenly"], row["first_draw"], row["no_calls"]) == (False, True, True)


def test_a_call_before_is_told() -> None:
    play = Play({1: TENPAI, 3: "NN19m19p19sESWPF"})
    play.turn(0, "N")
    play.replay.pon(3, tile("N"), tiles("NN"))
    play.replay.discard(3, tile("9s"))
    play.turn(0, "W")
    play.replay.draw(1, tile("2s"))
    row = play.win(1)
    assert (row["first_draw"], row["no_calls"]) == (True, False)


def test_a_win_before_the_own_first_draw() -> None:
    play = Play({1: TENPAI})
    play.turn(0, "5s")
    row = play.win(1, 0)
    assert (row["before_first_draw"], row["discarder_first_discard"], row["win_kind"], row["payer"]) == (
        True, True, 0, 0,
    )  # fmt: skip


def test_riichi_its_deposit_and_ippatsu() -> None:
    play = Play({0: TENPAI})
    play.round("W", "1m", "1m", "1m")
    play.turn(0, "N", riichi=True)
    play.turn(1, "5s")
    row = play.win(0, 1, ura=[KIND["P"]])
    assert (row["riichi"], row["ippatsu"], row["sticks"], row["own_stick"], row["ura1"]) == (
        1,
        True,
        1,
        True,
        KIND["P"],
    )
    end = play.replay.finish()
    assert (end.paid, end.riichi, end.ready_turn) == (1, [1, 0, 0, 0], [1, None, None, None])


def test_ippatsu_ends_after_the_own_next_draw() -> None:
    play = Play({0: TENPAI})
    play.turn(0, "N", riichi=True)
    play.round("1m", "1m", "1m", start=1)
    play.turn(0, "W")
    play.turn(1, "5s")
    row = play.win(0, 1)
    assert (row["riichi"], row["ippatsu"]) == (2, False)


def test_ippatsu_lives_until_the_own_next_draw() -> None:
    play = Play({0: TENPAI})
    play.turn(0, "N", riichi=True)
    play.round("1m", "1m", "1m", start=1)
    play.replay.draw(0, tile("5s"))
    assert play.win(0)["ippatsu"] is True


def won_tile(row: dict[str, Any]) -> tuple[bool, bool, bool]:
    return row["payer_in_riichi"], row["declaration_tile"], row["discard_after_kong"]


def test_a_win_on_the_declaration_tile() -> None:
    play = Play({0: TENPAI, 2: TENPAI.replace("m", "p").replace("678p", "678m")})
    play.turn(0, "N")
    play.turn(1, "1m")
    play.turn(2, "5s", riichi=True)
    row = play.win(0, 2)
    assert won_tile(row) == (False, True, False)
    assert play.replay.finish().riichi[2] == 0


def test_both_winners_of_a_declaration_tile_are_told() -> None:
    play = Play({0: TENPAI, 1: "123m123p789m34s11p", 2: TENPAI.replace("m", "p").replace("678p", "678m")})
    play.turn(0, "N")
    play.turn(1, "1m")
    play.turn(2, "5s", riichi=True)
    for winner in (0, 1):
        play.replay.win(winner, 2)
    assert [won_tile(row) for row in play.replay.finish().wins] == [(False, True, False)] * 2


def test_the_payer_is_in_riichi() -> None:
    play = Play({0: TENPAI, 1: TENPAI})
    play.turn(0, "N")
    play.turn(1, "1m", riichi=True)
    play.round("1m", "1m", start=2)
    play.turn(0, "W")
    play.turn(1, "5s")
    assert won_tile(play.win(0, 1)) == (True, False, False)


@pytest.mark.parametrize("kong", ["closed", "open", "added"])
def test_a_win_on_the_discard_after_a_kong(kong: str) -> None:
    hand = {"closed": "111m19p19sESWPFF", "open": "111m19p19sESWPFF", "added": "11m19p19sESWPFFC"}[kong]
    play = Play({0: TENPAI, 1: hand})
    if kong == "closed":
        play.turn(0, "N")
        play.replay.draw(1, tile("1m"))
        play.replay.closed_kong(1, tiles("1m"))
    else:
        play.turn(0, "1m")
        if kong == "open":
            play.replay.open_kong(1, tile("1m"), tiles("111m"))
        else:
            play.replay.pon(1, tile("1m"), tiles("11m"))
            play.replay.discard(1, tile("C"))
            play.round("9m", "9m", "N", start=2)
            play.replay.draw(1, tile("1m"))
            play.replay.added_kong(1, tile("1m"))
    play.replay.draw(1, tile("5s"))
    play.replay.discard(1, tile("5s"))
    assert won_tile(play.win(0, 1)) == (False, False, True)


def test_a_kong_of_an_earlier_turn_is_over() -> None:
    play = Play({0: TENPAI, 1: "111m19p19sESWPFF"})
    play.turn(0, "N")
    play.replay.draw(1, tile("1m"))
    play.replay.closed_kong(1, tiles("1m"))
    play.replay.draw(1, tile("9m"))
    play.replay.discard(1, tile("9m"))
    play.round("9m", "9m", "W", "5s", start=2)
    assert won_tile(play.win(0, 1)) == (False, False, False)


def test_a_self_draw_is_no_discard() -> None:
    play = Play({0: TENPAI})
    play.turn(0, "N")
    play.round("1m", "1m", "1m", start=1)
    play.replay.draw(0, tile("5s"))
    assert won_tile(play.win(0)) == (False, False, False)


UNCONNECTED = "147m258p369sESWN"


def test_thirteen_unconnected_tiles_on_the_first_draw() -> None:
    play = Play({1: UNCONNECTED})
    play.turn(0, "N")
    play.replay.draw(1, tile("E"))
    assert play.win(1)["first_draw"] is True


@pytest.mark.parametrize("drawn", ["3m", "C"])
def test_not_unconnected(drawn: str) -> None:
    play = Play({1: UNCONNECTED})
    play.turn(0, "N")
    play.replay.draw(1, tile(drawn))
    refused("not_complete", lambda: play.win(1))


def test_unconnected_tiles_win_on_the_first_draw_alone() -> None:
    play = Play({1: UNCONNECTED})
    play.turn(0, "N")
    play.turn(1, "C")
    play.round("C", "C", "9m", start=2)
    play.replay.draw(1, tile("E"))
    refused("not_complete", lambda: play.win(1))


def test_a_call_ends_ippatsu_and_double_riichi() -> None:
    play = Play({0: TENPAI, 3: TENPAI.replace("99p", "88p"), 2: "NN19m19p19sESWPF"})
    play.turn(0, "N", riichi=True)
    play.replay.pon(2, tile("N"), tiles("NN"))
    play.replay.discard(2, tile("9s"))
    play.turn(3, "P", riichi=True)
    play.turn(0, "W")
    play.turn(1, "5s")
    play.replay.win(3, 1)
    play.replay.win(0, 1)
    by_seat = {row["winner"]: row for row in play.replay.finish().wins}
    assert (by_seat[0]["riichi"], by_seat[0]["ippatsu"]) == (2, False)
    assert (by_seat[3]["riichi"], by_seat[3]["ippatsu"]) == (1, True)


def test_a_won_declaration_tile_is_no_riichi() -> None:
    play = Play({0: TENPAI, 1: "123m456m789m1112s"}, sticks=1)
    play.turn(0, "2s", riichi=True)
    row = play.win(1, 0)
    assert row["sticks"] == 1
    end = play.replay.finish()
    assert (end.paid, end.riichi[0], end.ready_turn[0]) == (0, 0, None)


@pytest.mark.parametrize(
    ("kind", "expected"), [("closed", 3), ("added", 2), ("open", 4)]
)  # positions in record.REPLACEMENTS
def test_the_replacement_of_each_kong(kind: str, expected: int) -> None:
    play = Play({0: "CC" + ("C" if kind != "added" else "1p") + "234m567p78s99p"})
    replay = play.replay
    if kind == "closed":
        replay.draw(0, tile("C"))
        replay.closed_kong(0, tiles("CCCC"))
    else:
        play.turn(0, "1m")
        play.round("E", "S", start=1)
        play.turn(3, "C")
        if kind == "open":
            replay.open_kong(0, tile("C"), tiles("CCC"))
        else:
            replay.pon(0, tile("C"), tiles("CC"))
            replay.discard(0, tile("1p"))
            play.round("E", "S", "W", start=1)
            replay.draw(0, tile("C"))
            replay.added_kong(0, tile("C"))
    replay.draw(0, tile("6s"))
    row = play.win(0)
    assert (row["replacement"], row["win_kind"]) == (expected, 1)
    assert row["kong_feeder"] == (3 if kind == "open" else None)
    code = {"closed": KONG_CONCEALED, "added": KONG_ADDED, "open": KONG_OPEN}[kind]
    assert row["m0"] == code + KIND["C"]
    assert play.replay.finish().exposed[0] == (0 if kind == "closed" else 1)


def test_the_next_draw_is_no_replacement() -> None:
    play = Play({0: "CCC234m567p78s99p"})
    play.replay.draw(0, tile("C"))
    play.replay.closed_kong(0, tiles("C"))
    play.replay.draw(0, tile("1m"))
    play.replay.discard(0, tile("1m"))
    play.round("E", "S", "W", start=1)
    play.replay.draw(0, tile("6s"))
    row = play.win(0)
    assert (row["replacement"], row["heavenly"], row["no_calls"]) == (0, False, False)


def test_kita_its_replacement_and_its_robbery() -> None:
    play = Play({1: TENPAI, 0: "N9m19p19sESWPFC1p"}, players=3)
    play.turn(0, "1s")
    play.replay.draw(1, tile("N"))
    play.replay.kita(1)
    play.replay.draw(1, tile("5s"))
    row = play.win(1)
    assert (row["replacement"], row["norths"], row["n_players"], row["no_calls"]) == (5, 1, 3, False)

    waiting = Play({1: "19m19p19sESWPFC1m"}, players=3)
    waiting.replay.draw(0, None)
    waiting.replay.kita(0)
    row = waiting.win(1, 0)
    assert (row["win_kind"], row["robbed"], row["norths"], row["win_tile"]) == (2, 2, 0, KIND["N"])


def test_robbing_an_added_kong_keeps_ippatsu() -> None:
    play = Play({2: TENPAI})
    play.turn(0, "5s")
    play.replay.pon(1, tile("5s"), tiles("5s5s"))
    play.replay.discard(1, tile("E"))
    play.turn(2, "N", riichi=True)
    play.round("E", "E", start=3)
    play.replay.draw(1, None)
    play.replay.added_kong(1, tile("5s"))
    row = play.win(2, 1)
    assert (row["win_kind"], row["robbed"], row["ippatsu"], row["replacement"]) == (2, 0, True, 0)


def test_only_thirteen_orphans_rob_a_concealed_kong() -> None:
    play = Play({1: "19m19p19sESWNPF1m"})
    play.replay.draw(0, None)
    play.replay.closed_kong(0, tiles("C"))
    assert play.win(1, 0)["robbed"] == 1
    other = Play({1: TENPAI})
    other.replay.draw(0, None)
    other.replay.closed_kong(0, tiles("5s"))
    refused("bad_rob", lambda: other.replay.win(1, 0))


def test_the_last_tile_and_the_discard_after_it() -> None:
    drawn = Play({0: TENPAI}, live_wall=1)
    drawn.replay.draw(0, tile("5s"))
    assert drawn.win(0)["last_tile"] is True
    discarded = Play({1: TENPAI}, live_wall=1)
    discarded.turn(0, "5s")
    assert discarded.win(1, 0)["last_tile"] is True
    before = Play({1: TENPAI}, live_wall=2)
    before.turn(0, "5s")
    assert before.win(1, 0)["last_tile"] is False


# Liability (RIICHI 2.10).


def test_the_third_dragon_makes_its_discarder_liable() -> None:
    play = Play({0: "PPFFCC11m99m147s"})
    play.turn(0, "1p")
    for seat, dragon, thrown in ((1, "P", "1s"), (2, "F", "4s"), (3, "C", "7s")):
        for other in range(1, seat + 1):
            play.turn(other, dragon if other == seat else "E" if other == 1 else "S")
        play.replay.pon(0, tile(dragon), tiles(dragon * 2))
        play.replay.discard(0, tile(thrown))
    play.turn(1, "9m")
    row = play.win(0, 1)
    assert (row["liable_dragons"], row["liable_winds"], row["liable_kongs"]) == (3, None, None)


def test_a_concealed_third_set_makes_nobody_liable() -> None:
    play = Play({0: "PPFFCCC11m99m14s"})
    play.turn(0, "C", "1s")
    for seat, dragon, thrown in ((1, "P", "4s"), (2, "F", "9m")):
        for other in range(1, seat + 1):
            play.turn(other, dragon if other == seat else "E")
        play.replay.pon(0, tile(dragon), tiles(dragon * 2))
        if seat == 1:
            play.replay.discard(0, tile(thrown))
    play.replay.discard(0, tile("9m"))
    play.round("S", "S", "S", start=1)
    play.replay.draw(0, tile("9p"))
    play.replay.closed_kong(0, tiles("C"))
    play.replay.draw(0, tile("9m"))
    play.replay.discard(0, tile("9p"))
    play.turn(1, "1m")
    row = play.win(0, 1)
    assert row["liable_dragons"] is None


def test_the_fourth_kong_from_a_discard_makes_its_feeder_liable() -> None:
    play = Play({0: "111222333444m9p"})
    replay = play.replay
    for seat, text in ((1, "1m"), (2, "2m"), (3, "3m"), (1, "4m")):
        if seat == 1 and text == "1m":
            play.turn(0, "E")
        for other in range(1, seat + 1):
            play.turn(other, text if other == seat else "W" if other == 1 else "S")
        replay.open_kong(0, tile(text), tiles(text * 3))
        replay.draw(0, tile("F") if text != "4m" else tile("9p"))
        if text != "4m":
            replay.discard(0, tile("F"))
    row = play.win(0)
    assert (row["liable_kongs"], row["kong_feeder"], row["replacement"]) == (1, 1, 4)


# Ends of a hand.


def test_two_winners_stand_in_turn_order_from_the_discarder() -> None:
    play = Play({0: TENPAI, 1: TENPAI.replace("99p", "88p")})
    play.round("E", "E", "E", start=0)
    play.turn(3, "5s")
    play.replay.win(1, 3)
    play.replay.win(0, 3)
    rows = play.replay.finish().wins
    assert [(row["winner"], row["win_no"], row["n_winners"]) for row in rows] == [(0, 0, 2), (1, 1, 2)]


def test_an_exhaustive_draw_tells_who_is_ready_and_nagashi() -> None:
    play = Play({0: TENPAI, 1: "19m19p19sESWNPF5m"}, live_wall=4)
    play.round("E", "1m", "9s", "5p")
    play.replay.draw_game()
    end = play.replay.finish()
    assert (end.result, end.draw_kind, end.wall_left) == ("exhaustive_draw", None, 0)
    assert end.tenpai == [True, False, None, None]
    assert end.nagashi == 0b0111


def test_a_claimed_discard_is_no_nagashi() -> None:
    play = Play({}, live_wall=4)
    play.replay.draw(0, None)
    play.replay.discard(0, tile("E"))
    play.replay.pon(2, tile("E"), tiles("EE"))
    play.replay.discard(2, tile("1m"))
    play.round("9m", "9p", "9s", start=3)
    play.replay.draw_game()
    assert play.replay.finish().nagashi == 0b1110


def test_the_fourth_riichi_of_an_abort_is_paid() -> None:
    play = Play({})
    for seat in range(4):
        play.replay.draw(seat, None)
        play.replay.discard(seat, tile("ESWN"[seat]), riichi=True)
    play.replay.draw_game("suucha")
    end = play.replay.finish()
    assert (end.result, end.draw_kind, end.paid, end.riichi) == ("abortive_draw", "suucha", 0b1111, [2, 2, 2, 2])


def test_an_abort_by_three_winners_leaves_the_declaration_unpaid() -> None:
    play = Play({})
    play.replay.draw(0, None)
    play.replay.discard(0, tile("E"), riichi=True)
    play.replay.draw_game("sanchahou")
    end = play.replay.finish()
    assert (end.paid, end.riichi[0]) == (0, 0)


def test_the_other_aborts() -> None:
    nine = Play({0: "19m19p19sESW345m5p"})
    nine.replay.draw(0, tile("2p"))
    nine.replay.draw_game("kyuushu")
    assert nine.replay.finish().draw_kind == "kyuushu"
    winds = Play({})
    for seat in range(4):
        winds.replay.draw(seat, None)
        winds.replay.discard(seat, tile("W"))
    winds.replay.draw_game("suufon")
    assert winds.replay.finish().draw_kind == "suufon"


# What cannot have happened.


def _plays_3m(replay: RiichiReplay) -> None:
    replay.draw(0, tile("3m"))
    replay.discard(0, tile("3m"))


@pytest.mark.parametrize(
    ("code", "events"),
    [
        ("out_of_turn", lambda r: r.draw(1, None)),
        ("out_of_turn", lambda r: r.discard(0, tile("9p"))),
        ("out_of_turn", lambda r: r.pon(1, tile("9p"), tiles("99p"))),
        ("out_of_turn", lambda r: r.riichi(0)),
        ("five_copies", lambda r: [r.draw(0, tile("9p")), r.discard(0, tile("9p")), r.draw(1, tile("9p"))]),
        ("tile_missing", lambda r: r.draw(0, None)),
        ("not_in_hand", lambda r: [r.draw(0, tile("E")), r.discard(0, tile("1m"))]),
        ("not_in_hand", lambda r: [r.draw(0, tile("5p")), r.discard(0, tile("0p"))]),
        ("not_drawn", lambda r: [r.draw(0, tile("E")), r.discard(0, tile("9p"), drawn=True)]),
        ("riichi_not_ready", lambda r: [r.draw(0, tile("E")), r.discard(0, tile("2m"), riichi=True)]),
        ("riichi_not_declared", lambda r: [r.draw(0, tile("E")), r.discard(0, tile("E")), r.riichi_accepted(0)]),
        ("not_complete", lambda r: [r.draw(0, tile("E")), r.win(0, None)]),
        ("bad_payer", lambda r: [r.draw(0, tile("5s")), r.discard(0, tile("5s")), r.win(2, 1)]),
        ("hidden_hand", lambda r: [r.draw(0, tile("5s")), r.discard(0, tile("5s")), r.win(2, 0)]),
        ("win_tile", lambda r: [r.draw(0, tile("5s")), r.win(0, None, tile=tile("2s"))]),
        ("hand_mismatch", lambda r: [r.draw(0, tile("5s")), r.win(0, None, concealed=tiles(TENPAI + "2s"))]),
        ("dora_mismatch", lambda r: [r.draw(0, tile("5s")), r.win(0, None, dora=[3])]),
        ("dora_count", lambda r: r.dora(5)),
        ("no_pon", lambda r: [r.draw(0, tile("9p")), r.added_kong(0, tile("9p"))]),
        ("not_in_hand", lambda r: [r.draw(0, tile("9p")), r.closed_kong(0, tiles("9p"))]),
        ("bad_kita", lambda r: [r.draw(0, tile("N")), r.kita(0)]),
        ("wall_left", lambda r: [r.draw(0, tile("9p")), r.discard(0, tile("9p")), r.draw_game()]),
        ("bad_abort", lambda r: [r.draw(0, tile("9p")), r.draw_game("kyuushu")]),
        ("bad_abort", lambda r: [r.draw(0, tile("9p")), r.discard(0, tile("9p")), r.draw_game("suufon")]),
        ("bad_abort", lambda r: [r.draw(0, tile("9p")), r.discard(0, tile("9p")), r.draw_game("suukaikan")]),
        ("unknown_draw", lambda r: r.draw_game("tired")),
        ("no_end", lambda r: r.finish()),
        ("after_end", lambda r: [r.draw(0, tile("5s")), r.win(0, None), r.draw(1, tile("E"))]),
        ("bad_claim", lambda r: [r.draw(0, tile("E")), r.discard(0, tile("E")), r.pon(1, tile("S"), tiles("SS"))]),
        ("bad_claim", lambda r: [_plays_3m(r), r.chi(2, tile("3m"), tiles("12m"))]),
        ("bad_meld", lambda r: [_plays_3m(r), r.chi(1, tile("3m"), tiles("19m"))]),
        ("bad_meld", lambda r: [_plays_3m(r), r.chi(1, tile("3m"), tiles("1m"))]),
        ("not_in_hand", lambda r: [_plays_3m(r), r.chi(1, tile("3m"), tiles("45m"))]),
    ],
)  # fmt: skip
def test_an_impossible_event_is_refused(code: str, events: Callable[[RiichiReplay], object]) -> None:
    replay = Play({0: TENPAI, 1: "19m19p19sESWNPFC"}, dora_indicator=KIND["P"]).replay
    refused(code, lambda: events(replay))


def test_a_hand_in_riichi_does_not_change() -> None:
    play = Play({0: TENPAI})
    play.turn(0, "N", riichi=True)
    play.round("1m", "1m", "1m", start=1)
    play.replay.draw(0, tile("W"))
    refused("riichi_changed", lambda: play.replay.discard(0, tile("9p")))


def test_nobody_wins_on_what_it_discarded() -> None:
    play = Play({0: TENPAI})
    play.turn(0, "2s")
    play.turn(1, "5s")
    play.replay.win(0, 1)  # the other wait
    again = Play({0: TENPAI})
    again.turn(0, "2s")
    again.turn(1, "2s")
    refused("furiten", lambda: again.replay.win(0, 1))


def test_the_wall_runs_out() -> None:
    play = Play({}, live_wall=1)
    play.replay.draw(0, None)
    play.replay.discard(0, tile("E"))
    refused("wall_empty", lambda: play.replay.pon(1, tile("E"), tiles("EE")))
    refused("wall_empty", lambda: play.replay.draw(1, None))


def test_headers_that_cannot_be() -> None:
    hands = [None] * 4
    refused("bad_players", lambda: RiichiReplay(players=2, dealer=0, round_wind=0, hands=hands))
    refused("bad_seat", lambda: RiichiReplay(players=3, dealer=3, round_wind=0, hands=hands))
    refused("bad_round", lambda: RiichiReplay(dealer=0, round_wind=4, hands=hands))
    refused("bad_header", lambda: RiichiReplay(dealer=0, round_wind=0, honba=-1, hands=hands))
    refused("tile_count", lambda: RiichiReplay(dealer=0, round_wind=0, hands=[[1] * 4, None, None, None]))
    refused("five_copies", lambda: RiichiReplay(dealer=0, round_wind=0, hands=[[1] * 13, None, None, None]))


# Many turns at once.


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([3, 4]), st.booleans(), st.data())
def test_turns_do_what_single_events_do(seed: int, players: int, distinct: bool, data: st.DataObject) -> None:
    """Random play without claims to the end of the wall, with one discard that cannot be or none."""
    rng = random.Random(seed)
    wall = [kind for kind in range(34) for _ in range(4) if players == 4 or not 1 <= kind <= 7]
    rng.shuffle(wall)
    hands = [[wall.pop() for _ in range(13)] for _ in range(players)]
    held = [list(hand) for hand in hands]
    tiles = []
    for seat, _ in zip(cycle(range(players)), range({4: 70, 3: 55}[players]), strict=False):
        drawn = wall.pop()
        held[seat].append(drawn)
        thrown = rng.choice(held[seat])
        held[seat].remove(thrown)
        tiles += [drawn, thrown]
    if data.draw(st.booleans()):
        place = rng.randrange(1, len(tiles), 2)
        tiles[place] = rng.choice([tile for tile in range(34) if tile != tiles[place]])
    cut = rng.randrange(len(tiles) + 1)

    def outcome(feed: Callable[[RiichiReplay], None], *, distinct: bool) -> object:
        replay = RiichiReplay(players=players, dealer=0, round_wind=0, hands=hands, distinct=distinct)
        try:
            feed(replay)
            replay.draw_game()
        except RecordError as problem:
            return problem.code
        return replay.finish()

    def single(replay: RiichiReplay) -> None:
        for number, tile in enumerate(tiles):
            seat = number // 2 % players
            if number % 2:
                replay.discard(seat, tile)
            else:
                replay.draw(seat, tile)

    def at_once(replay: RiichiReplay) -> None:
        replay.in_turn(tiles[:cut])
        replay.in_turn(tiles[cut:])

    assert outcome(at_once, distinct=distinct) == outcome(single, distinct=False)


def test_turns_at_once_end_with_the_wall_and_leave_a_riichi_alone() -> None:
    hands = [[KIND[tile] for tile in ("1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "9m", "1p", "1p", "1p", "E")]]
    hands += [[kind] * 3 + [kind + 1] * 3 + [kind + 2] * 3 + [kind + 3] * 4 for kind in (10, 18, 22)]
    honors = [KIND["W"], KIND["W"], KIND["N"], KIND["N"], KIND["C"], KIND["C"]]

    def replay(live_wall: int | None = None) -> RiichiReplay:
        made = RiichiReplay(dealer=0, round_wind=0, hands=hands, live_wall=live_wall, distinct=True)
        made.draw(0, KIND["S"])
        made.riichi(0)
        made.discard(0, KIND["S"])
        made.in_turn(honors)
        return made

    changed = [KIND["P"], KIND["E"]]
    with pytest.raises(RecordError):
        replay().in_turn(changed)
    replay().in_turn([KIND["P"], KIND["P"]])
    with pytest.raises(RecordError):
        replay(live_wall=4).in_turn([KIND["P"], KIND["P"]])


# Shapes.


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("234m567p678s34s99p", "25s"),
        ("1112345678999m", "123456789m"),
        ("19m19p19sESWNPFC", "19m19p19sESWNPFC"),
        ("19m19p19sESWNPF1m", "C"),
        ("1133m5577p2299sN", "N"),
        ("2222m5577p3399sN", ""),
        ("222m444p666p88s99s", "89s"),
        ("234m567p34s99p", "25s"),
        ("234m567p3s", "3s"),
        ("123m456p78s11s", "69s"),
        ("123m456p78s1s9m", ""),
        ("1111m234p567p789s", ""),  # the pair would need a fifth tile
    ],
)
def test_waits(hand: str, expected: str) -> None:
    held = tiles(hand)
    melds = [PUNG + KIND["P"], PUNG + KIND["F"], PUNG + KIND["C"], PUNG + KIND["N"]][: (13 - len(held)) // 3]
    found = waits_of(keys_of(held), melds)
    assert sorted(found) == sorted(tiles(expected))
    for kind in range(34):
        if held.count(kind) < 4:
            assert is_complete(keys_of([*held, kind]), melds) == (kind in found)


def test_a_wait_that_the_melds_hold_is_none() -> None:
    held = keys_of(tiles("234m567p5s"))
    assert waits_of(held, [PUNG + KIND["5s"], PUNG + KIND["P"]]) == []
    assert waits_of(held, [chow_code(KIND["4s"]), PUNG + KIND["P"]]) == [KIND["5s"]]
