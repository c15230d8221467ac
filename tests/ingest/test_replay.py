"""The replay of a hand: what is possible, and every flag of a win derived from play (SPEC sections 1 to 3)."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.hand_checks import is_complete, is_eight_pairs_half, is_standard, wait_kinds
from ingest.melds import parse_meld
from ingest.record import SCHEMAS
from ingest.replay import HandReplay
from ingest.rows import HandHeader, hand_row, seat_rows, win_rows
from ingest.tiles import KIND, count_kinds, counts_of_keys, format_tiles, parse_tile, parse_tiles
from tests.ingest.toy_play import Event, apply, random_play, replay_of, start

# Sixteen tiles that wait for 6s and 9s only, and the same with the tile that completes them.
READY_69S = "123456m789p22278sCC"
DEALER_WIN = READY_69S + "9s"
# Tiles without a set, pair or neighbour for the hands that only look on.
IDLE = "147m258p369sESWNFPP"
IDLE_15 = "47m258p369sESWNFPP"


def t(name: str) -> int:
    return parse_tile(name)


def tiles_of(row: dict[str, Any]) -> list[int]:
    return counts_of_keys(row["km"], row["kp"], row["ks"], row["kh"])


def discard(replay: HandReplay, seat: int, name: str) -> None:
    replay.discard(seat, t(name))


def draw(replay: HandReplay, seat: int, name: str) -> None:
    replay.draw(seat, t(name))


def code_of(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(RecordError) as caught:
        call(*args, **kwargs)
    assert caught.value.message
    return caught.value.code


# -- complete hands and waits


def brute_force(counts: list[int], sets: int, pair: bool) -> bool:
    if not sets and pair:
        return not any(counts)
    for kind in range(34):
        if not counts[kind]:
            continue
        options = []
        if not pair and counts[kind] >= 2:
            options.append(([kind, kind], sets, True))
        if sets and counts[kind] >= 3:
            options.append(([kind] * 3, sets - 1, pair))
        if sets and kind < 27 and kind % 9 <= 6:
            options.append(([kind, kind + 1, kind + 2], sets - 1, pair))
        for tiles, left, had in options:
            rest = counts.copy()
            for tile in tiles:
                rest[tile] -= 1
            if min(rest) >= 0 and brute_force(rest, left, had):
                return True
        return False
    return False


@given(st.integers(0, 10**9), st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_complete_and_waits_agree_with_brute_force(seed: int, n_melds: int) -> None:
    rng = random.Random(seed)
    counts = [0] * 34
    wanted = 16 - 3 * n_melds
    kinds = [*rng.sample(range(27), 8), 27, 28]
    while sum(counts) < wanted:
        kind = rng.choice(kinds)
        if counts[kind] < 4:
            counts[kind] += 1
    expected = []
    for kind in range(34):
        if counts[kind] < 4:
            counts[kind] += 1
            if brute_force(counts, 5 - n_melds, False):
                expected.append(kind)
            assert is_standard(counts, n_melds) is (kind in expected)
            counts[kind] -= 1
    melds = [parse_meld("pung:PPP"), parse_meld("pung:FFF"), parse_meld("pung:CCC"), parse_meld("pung:NNN")][:n_melds]
    assert wait_kinds(counts, melds) == expected


def waits(text: str, *melds: str, eight_pairs: bool = False) -> str:
    found = wait_kinds(count_kinds(parse_tiles(text)), [parse_meld(meld) for meld in melds], eight_pairs=eight_pairs)
    return format_tiles(found)


@pytest.mark.parametrize(
    ("hand", "melds", "expected"),
    [
        (READY_69S, (), "69s"),
        ("1m", ("pung:EEE", "pung:SSS", "chow:123p", "chow:123s", "pung:CCC"), "1m"),
        ("3456m", ("pung:EEE", "pung:SSS", "chow:123p", "chow:123s"), "36m"),
        ("1113m", ("pung:EEE", "pung:SSS", "chow:123p", "chow:123s"), "23m"),
        # The own pung and the kong of 2p hold all four copies of the only tile that would complete the hand.
        ("13p55s", ("kong_concealed:2222p", "pung:SSS", "chow:123s", "pung:CCC"), ""),
        ("147m258p369sESWNCFP", (), ""),
    ],
)
def test_waits(hand: str, melds: tuple[str, ...], expected: str) -> None:
    assert waits(hand, *melds) == expected


def test_eight_pairs_and_a_half() -> None:
    # SPEC 2.1: seven pairs and a triplet, four of a kind may be two pairs, never with a meld.
    pairs = count_kinds(parse_tiles("1133557799m2244p666s"))
    assert is_eight_pairs_half(pairs, 0)
    assert is_complete(pairs, 0)
    assert not is_standard(pairs, 0)
    assert is_eight_pairs_half(count_kinds(parse_tiles("1111557799m2244p666s")), 0)
    assert not is_eight_pairs_half(count_kinds(parse_tiles("113355779m2244p6666s")), 0)
    assert not is_eight_pairs_half(count_kinds(parse_tiles("1133557799m6666s")), 1)
    assert waits("1133557799m2244p66s", eight_pairs=True) == "13579m24p6s"
    assert waits("1133557799m2244p66s") == ""


# -- opening situations


def test_heavenly_hand() -> None:
    row = start(hands={0: DEALER_WIN}).win(0, t("9s"), None)
    assert (row["heavenly"], row["heavenly_after_kong"], row["first_draw"]) == (True, False, False)
    assert (row["win_kind"], row["payer"], row["replacement"], row["last_tile"]) == (1, None, 0, False)
    assert row["no_calls"] is True
    assert tiles_of(row) == count_kinds(parse_tiles(DEALER_WIN))


def test_opening_flowers_are_no_replacement() -> None:
    replay = start(hands={0: "123456m789p22278sf3CC"}, end="9s")
    replay.flower(0, t("f3"))
    replay.replace(0, t("9s"))
    row = replay.win(0, t("9s"), None)
    assert (row["heavenly"], row["replacement"], row["flowers"]) == (True, 0, 0b100)


def test_heavenly_after_kong() -> None:
    replay = start(hands={0: "1111m456m789p78sCC222s"}, end="9s")
    replay.kong_concealed(0, t("1m"))
    replay.replace(0, t("9s"))
    row = replay.win(0, t("9s"), None)
    assert (row["heavenly"], row["heavenly_after_kong"], row["replacement"]) == (False, True, 3)
    assert row["m0"] == parse_meld("kong_concealed:1111m")


def test_first_draw() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="9s")
    discard(replay, 0, "1m")
    draw(replay, 1, "9s")
    row = replay.win(1, t("9s"), None)
    assert (row["first_draw"], row["first_draw_after_kong"], row["heavenly"]) == (True, False, False)
    assert (row["no_calls"], row["before_first_draw"], row["discarder_first_discard"]) == (True, False, False)


def test_first_draw_through_a_flower() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="f2", end="6s")
    discard(replay, 0, "1m")
    draw(replay, 1, "f2")
    replay.flower(1, t("f2"))
    replay.replace(1, t("6s"))
    row = replay.win(1, t("6s"), None)
    assert (row["first_draw"], row["replacement"], row["flowers"]) == (True, 1, 0b10)


def test_first_draw_after_kong() -> None:
    replay = start(hands={0: IDLE_15 + "89m", 1: "111m456m789p78sCC222s"}, front="1m", end="9s")
    discard(replay, 0, "P")
    draw(replay, 1, "1m")
    replay.kong_concealed(1, t("1m"))
    replay.replace(1, t("9s"))
    row = replay.win(1, t("9s"), None)
    assert (row["first_draw"], row["first_draw_after_kong"], row["no_calls"]) == (False, True, False)


def go_round(replay: HandReplay, *turns: tuple[int, str]) -> None:
    for seat, tile in turns:
        draw(replay, seat, tile)
        discard(replay, seat, tile)


def test_second_draw_is_not_the_first() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="1p2p3p4p9s")
    discard(replay, 0, "1m")
    go_round(replay, (1, "1p"), (2, "2p"), (3, "3p"), (0, "4p"))
    draw(replay, 1, "9s")
    row = replay.win(1, t("9s"), None)
    assert (row["first_draw"], row["no_calls"], row["replacement"]) == (False, True, 0)


def test_win_on_the_dealers_first_discard() -> None:
    replay = start(hands={0: "147m258p369sESWNFP6s1m", 2: READY_69S})
    discard(replay, 0, "6s")
    row = replay.win(2, t("6s"), 0)
    assert (row["win_kind"], row["payer"], row["win_tile"]) == (0, 0, t("6s"))
    assert (row["before_first_draw"], row["discarder_first_discard"], row["no_calls"]) == (True, True, True)
    assert tiles_of(row) == count_kinds(parse_tiles(READY_69S + "6s"))


def test_the_dealer_has_drawn_from_the_start() -> None:
    # SPEC 3: 人胡 is never the dealer's.
    replay = start(hands={0: READY_69S + "E"}, front="9s")
    discard(replay, 0, "E")
    go_round(replay, (1, "9s"))
    row = replay.win(0, t("9s"), 1)
    assert (row["before_first_draw"], row["discarder_first_discard"], row["no_calls"]) == (False, True, True)


def test_a_claim_spoils_no_calls_but_not_the_first_draw() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S, 2: "PP147m258p369sESWNC"}, front="1p2p9s")
    discard(replay, 0, "P")
    replay.pung(2, t("P"))
    discard(replay, 2, "C")
    go_round(replay, (3, "1p"), (0, "2p"))
    draw(replay, 1, "9s")
    row = replay.win(1, t("9s"), None)
    assert (row["first_draw"], row["no_calls"]) == (True, False)


# -- replacements, kongs, the end of the wall


def kong_table(front: str, end: str) -> HandReplay:
    """Seat 1 holds three 1m and waits for 6s 9s with them as a set; the dealer has the fourth unless it is drawn."""
    return start(hands={0: IDLE_15 + ("89m" if front else "19m"), 1: "111m456m789p78sCC222s"}, front=front, end=end)


def test_open_kong_chain_stays_an_open_kong() -> None:
    # OMU_RECORD 6.3: the flower replaced after an open kong is still the open kong's replacement.
    replay = kong_table("", "f5f69s")
    discard(replay, 0, "1m")
    replay.kong_open(1, t("1m"))
    replay.replace(1, t("f5"))
    for shown, taken in (("f5", "f6"), ("f6", "9s")):
        replay.flower(1, t(shown))
        replay.replace(1, t(taken))
    row = replay.win(1, t("9s"), None)
    assert (row["replacement"], row["m0"]) == (4, parse_meld("kong_open:1111m"))
    assert (row["first_draw"], row["no_calls"], row["flowers"]) == (False, False, 0b110000)


def test_a_flower_after_a_concealed_kong_is_a_flower() -> None:
    replay = kong_table("1m", "f59s")
    discard(replay, 0, "P")
    draw(replay, 1, "1m")
    replay.kong_concealed(1, t("1m"))
    replay.replace(1, t("f5"))
    replay.flower(1, t("f5"))
    replay.replace(1, t("9s"))
    assert replay.win(1, t("9s"), None)["replacement"] == 1


def added_kong_table(*, third: str = "") -> HandReplay:
    """Seat 2 holds a pung of 6s and has just drawn the fourth; seats 1 (and 3) wait for it."""
    hands = {0: "147m258p39sESWNFPP6s", 1: READY_69S, 2: "66s147m258p3sESWNFPE"}
    if third:
        hands[3] = third
    hands[0] += "1m"
    replay = start(hands=hands, front="1p3p4p6s", end="9m")
    discard(replay, 0, "6s")
    replay.pung(2, t("6s"))
    discard(replay, 2, "P")
    go_round(replay, (3, "1p"), (0, "3p"), (1, "4p"))
    draw(replay, 2, "6s")
    replay.kong_added(2, t("6s"))
    return replay


def test_added_kong_and_its_replacement() -> None:
    replay = added_kong_table()
    replay.replace(2, t("9m"))
    discard(replay, 2, "9m")
    assert code_of(replay.win, 1, t("6s"), 2) == "win_tile"
    replay.draw_game("four_winds_abort")
    end = replay.finish()
    assert (end.result, end.draw_kind, end.exposed) == ("abortive_draw", "four_winds_abort", [0, 0, 1, 0])
    assert end.tenpai == [False, True, False, False]


def test_robbed_kong_with_two_winners() -> None:
    replay = added_kong_table(third="666p333m111p45777sNN")
    first = replay.win(1, t("6s"), 2)
    second = replay.win(3, t("6s"), 2)
    for row in (first, second):
        assert (row["win_kind"], row["payer"], row["win_tile"]) == (2, 2, t("6s"))
        assert (row["last_tile"], row["before_first_draw"], row["discarder_first_discard"]) == (False, False, False)
    end = replay.finish()
    # In turn order after the robbed player: seat 3, then seat 1.
    assert [(row["win_no"], row["winner"]) for row in end.wins] == [(0, 3), (1, 1)]
    assert end.exposed == [0, 0, 1, 0]


def test_last_tile() -> None:
    # 79 tiles after the deal and 77 kept: two draws.
    hands = {0: IDLE + "1m", 2: READY_69S}
    replay = start(hands=hands, front="1p9s", reserve=77)
    discard(replay, 0, "1m")
    draw(replay, 1, "1p")
    discard(replay, 1, "1p")
    draw(replay, 2, "9s")
    assert replay.win(2, t("9s"), None)["last_tile"] is True
    assert replay.finish().wall_left == 77


def test_last_discard_and_exhaustive_draw() -> None:
    hands = {0: IDLE + "1m", 1: READY_69S}
    for wins in (True, False):
        replay = start(hands=hands, front="1p9s", reserve=77)
        discard(replay, 0, "1m")
        draw(replay, 1, "1p")
        discard(replay, 1, "1p")
        assert code_of(replay.draw_game) == "draw_too_early"
        draw(replay, 2, "9s")
        discard(replay, 2, "9s")
        if wins:
            row = replay.win(1, t("9s"), 2)
            assert (row["last_tile"], row["win_kind"], row["discarder_first_discard"]) == (True, 0, True)
            continue
        assert code_of(replay.draw, 3, t("2p")) == "dead_wall"
        replay.draw_game()
        end = replay.finish()
        assert (end.result, end.draw_kind, end.wall_left) == ("exhaustive_draw", None, 77)
        assert end.tenpai == [False, True, False, False]
        assert end.discards == [1, 1, 1, 0]


@pytest.mark.parametrize(
    ("mode", "reserve", "draws_after"),
    # 79 tiles, one kong takes one: 78 left. A fixed tail of 76 leaves two draws; the kong keeps one more; the live
    # wall refills the replacement wall, which stays 76.
    [("fixed_tail_16", 76, 2), ("kong_expands_tail", 76, 1), ("fixed_replacement_wall_16", 76, 2)],
)
def test_dead_wall_modes(mode: str, reserve: int, draws_after: int) -> None:
    replay = start(hands={0: "1111m369s258pESWNFPP"}, front="1p2p3p", end="9m", reserve=reserve, dead_wall=mode)
    replay.kong_concealed(0, t("1m"))
    replay.replace(0, t("9m"))
    discard(replay, 0, "9m")
    turns = [(1, "1p"), (2, "2p"), (3, "3p")]
    go_round(replay, *turns[:draws_after])
    seat, tile = turns[draws_after]
    assert code_of(replay.draw, seat, t(tile)) == "dead_wall"


def test_replacement_wall_shrinks_when_the_live_wall_is_empty() -> None:
    # 79 tiles, 78 kept: one draw, then a flower is still replaced from the replacement wall, and that is the last tile.
    replay = start(
        hands={0: IDLE + "1m", 1: READY_69S}, front="f1", end="9s", reserve=78, dead_wall="fixed_replacement_wall_16"
    )
    discard(replay, 0, "1m")
    draw(replay, 1, "f1")
    replay.flower(1, t("f1"))
    replay.replace(1, t("9s"))
    row = replay.win(1, t("9s"), None)
    assert (row["last_tile"], row["replacement"]) == (True, 1)


def test_no_replacement_from_a_fixed_tail() -> None:
    # SPEC 2.8: the last tile is a flower, so there is no replacement; the hand is drawn.
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="f1", end="9s", reserve=78)
    discard(replay, 0, "1m")
    draw(replay, 1, "f1")
    replay.flower(1, t("f1"))
    assert replay.can_replace() is False
    assert code_of(replay.replace, 1, t("9s")) == "dead_wall"
    replay.draw_game("terminal_flower")
    end = replay.finish()
    assert (end.result, end.draw_kind, end.flowers) == ("exhaustive_draw", "terminal_flower", [0, 1, 0, 0])
    assert end.tenpai is not None
    assert end.tenpai[1] is True


# -- flower wins


FLOWERS_1_TO_7 = "f1f2f3f4f5f6f7"


def show(replay: HandReplay, seat: int, flowers: str, taken: str) -> None:
    for flower, tile in zip(parse_tiles(flowers), parse_tiles(taken), strict=True):
        replay.flower(seat, flower)
        replay.replace(seat, tile)


def test_eight_flowers_from_the_deal() -> None:
    replay = start(hands={3: FLOWERS_1_TO_7 + "f8" + "147m258p36s"}, end="EESSWWNN")
    show(replay, 3, FLOWERS_1_TO_7 + "f8", "EESSWWNN")
    row = replay.flower_win(3)
    assert (row["win_kind"], row["payer"], row["flowers"]) == (3, None, 255)
    assert (row["initial_flowers"], row["flower_mode"], row["declined_eight"]) == (True, 0, False)
    assert replay.finish().result == "win"


def seven_flowers(front: str, end: str) -> HandReplay:
    """Seat 1 holds f1 to f7 after the opening; the dealer has discarded."""
    replay = start(hands={0: IDLE + "1m", 1: FLOWERS_1_TO_7 + "147m258p369s"}, front=front, end="EEESSSW" + end)
    show(replay, 1, FLOWERS_1_TO_7, "EEESSSW")
    discard(replay, 0, "1m")
    return replay


@pytest.mark.parametrize("replaced", [False, True])
def test_seven_robs_one_already7(replaced: bool) -> None:
    replay = seven_flowers("1pf8", "W")
    go_round(replay, (1, "1p"))
    draw(replay, 2, "f8")
    replay.flower(2, t("f8"))
    if replaced:
        replay.replace(1, t("W"))
    row = replay.flower_win(1, payer=2, robbed_flower=8)
    assert (row["win_kind"], row["payer"], row["winner"]) == (4, 2, 1)
    assert (row["flower_mode"], row["robbed_flower"], row["flowers"], row["initial_flowers"]) == (1, 8, 255, False)
    assert row["replacement"] == (1 if replaced else 0)
    assert sum(tiles_of(row)) == (17 if replaced else 16)
    end = replay.finish()
    assert end.flowers == [0, 255, 0, 0]


def test_seven_robs_one_six_plus_one() -> None:
    six = "f1f2f3f4f5f6"
    hands = {0: IDLE + "1m", 1: six + "123456m789p2s", 2: "f8147m258p369sESWNFC"}
    replay = start(hands=hands, front="f7", end="22s78sCC" + "E" + "9s")
    show(replay, 1, six, "22s78sCC")
    show(replay, 2, "f8", "E")
    discard(replay, 0, "1m")
    draw(replay, 1, "f7")
    replay.flower(1, t("f7"))
    replay.replace(1, t("9s"))
    row = replay.flower_win(1, payer=2, robbed_flower=8)
    assert (row["win_kind"], row["payer"], row["flower_mode"], row["robbed_flower"]) == (4, 2, 2, 8)
    # The replacement completes the hand: 123 456m 789p 222 789s CC (SPEC 2.7: it is a self-draw then).
    assert is_complete(tiles_of(row), 0)
    assert (row["replacement"], row["win_tile"], row["flowers"]) == (1, t("9s"), 255)


def test_flower_wins_that_cannot_be() -> None:
    replay = seven_flowers("1p2pf8", "")
    assert code_of(replay.flower_win, 1) == "wrong_turn"
    draw(replay, 1, "1p")
    assert code_of(replay.flower_win, 1) == "not_eight_flowers"
    discard(replay, 1, "1p")
    go_round(replay, (2, "2p"))
    draw(replay, 3, "f8")
    replay.flower(3, t("f8"))
    assert code_of(replay.flower_win, 1, payer=3) == "robbed_flower"
    assert code_of(replay.flower_win, 1, payer=3, robbed_flower=7) == "not_eight_flowers"
    assert code_of(replay.flower_win, 2, payer=3, robbed_flower=8) == "not_eight_flowers"
    assert code_of(replay.flower_win, 1, payer=1, robbed_flower=8) in ("bad_seat", "wrong_turn")


def test_ordinary_win_with_eight_flowers_declines_the_flower_win() -> None:
    replay = start(hands={0: "123456m78pf1f2f3f4f5f6f7f8" + "9p"}, end="222s78sCC9s")
    show(replay, 0, "f1f2f3f4f5f6f7f8", "222s78sCC9s")
    row = replay.win(0, t("9s"), None)
    assert (row["declined_eight"], row["heavenly"], row["flowers"]) == (True, True, 255)


# -- ready, 眼牌, Miji


def test_initial_ready_and_its_first_turn() -> None:
    replay = start(hands={0: "147m258p369sESWNFP6s1m", 1: READY_69S})
    replay.ready(1)
    discard(replay, 0, "6s")
    row = replay.win(1, t("6s"), 0)
    assert (row["ready"], row["ready_open"], row["ready_first_turn"]) == (1, False, True)
    assert replay.finish().ready_turn == [None, 0, None, None]


def test_ready_with_the_first_discard() -> None:
    replay = start(hands={0: IDLE + "1m", 1: "123456m789p2228sCCE"}, front="7s1p2p3p9s")
    discard(replay, 0, "1m")
    draw(replay, 1, "7s")
    replay.ready(1, open=True)
    discard(replay, 1, "E")
    go_round(replay, (2, "1p"), (3, "2p"), (0, "3p"))
    draw(replay, 1, "9s")
    row = replay.win(1, t("9s"), None)
    assert (row["ready"], row["ready_open"], row["ready_first_turn"]) == (2, True, True)
    end = replay.finish()
    assert (end.ready, end.ready_turn) == ([0, 2, 0, 0], [None, 0, None, None])


def test_normal_ready_after_its_first_turn() -> None:
    replay = start(hands={0: IDLE + "1m", 1: "123456m789p2228sCCE"}, front="1p2p3p4p7s5p6p1s3s1s5p9s")
    discard(replay, 0, "1m")
    go_round(replay, (1, "1p"), (2, "2p"), (3, "3p"), (0, "4p"))
    draw(replay, 1, "7s")
    replay.ready(1)
    discard(replay, 1, "E")
    go_round(replay, (2, "5p"), (3, "6p"), (0, "1s"), (1, "3s"), (2, "1s"), (3, "5p"))
    draw(replay, 0, "9s")
    discard(replay, 0, "9s")
    row = replay.win(1, t("9s"), 0)
    # It is seat 0's second discard after the declaration.
    assert (row["ready"], row["ready_first_turn"], row["discarder_first_discard"]) == (3, False, False)
    assert replay.finish().ready_turn == [None, 1, None, None]


def test_dealers_first_declaration_is_with_the_first_discard() -> None:
    # AMBIGUITIES A42: the dealer has no initial ready.
    replay = start(hands={0: READY_69S + "E"}, front="1p2p3p9s")
    replay.ready(0)
    discard(replay, 0, "E")
    go_round(replay, (1, "1p"), (2, "2p"), (3, "3p"))
    draw(replay, 0, "9s")
    assert replay.win(0, t("9s"), None)["ready"] == 2


def test_a_ready_hand_is_frozen() -> None:
    replay = start(hands={0: IDLE + "1m", 1: "CC123456m789p222s78s"}, front="1p")
    replay.ready(1)
    discard(replay, 0, "1m")
    assert code_of(replay.chow, 1, t("1m"), (t("2m"), t("3m"))) == "ready_hand_changed"
    draw(replay, 1, "1p")
    assert code_of(discard, replay, 1, "C") == "ready_hand_changed"
    assert code_of(replay.ready, 1) == "ready_twice"


def test_stated_ready_state_can_be_taken_back() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="1p")
    replay.set_ready(1, 1)
    discard(replay, 0, "1m")
    draw(replay, 1, "1p")
    discard(replay, 1, "C")
    replay.set_ready(1, 0)
    replay.draw_game("four_winds_abort")
    end = replay.finish()
    assert (end.ready[1], end.ready_turn[1]) == (0, None)


def test_stated_ready_state_belongs_to_the_discard_before_it() -> None:
    replay = start(hands={0: READY_69S + "E", 1: IDLE}, front="9s")
    discard(replay, 0, "E")
    replay.set_ready(0, 2)
    draw(replay, 1, "9s")
    discard(replay, 1, "9s")
    row = replay.win(0, t("9s"), 1)
    assert (row["ready"], row["ready_first_turn"]) == (2, True)
    assert replay.finish().ready_turn[0] == 0


def test_eye_players_and_miji() -> None:
    replay = start(hands={0: "147m258p369sESWNFP6s1m", 1: READY_69S})
    replay.eye(3)
    replay.miji(1)
    discard(replay, 0, "6s")
    row = replay.win(1, t("6s"), 0)
    assert (row["eye_players"], row["miji"]) == (0b1000, True)


def test_miji_comes_too_late_after_a_meld_of_another_player() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S, 2: "PP147m258p369sESWNC"})
    discard(replay, 0, "P")
    replay.pung(2, t("P"))
    assert code_of(replay.miji, 1) == "miji_too_late"


# -- what cannot happen


def after_discard() -> HandReplay:
    """Seat 0 has discarded 3m; seat 1 holds 12m 45m, seat 2 a pair of 3m, seat 3 nothing of use."""
    hands = {0: "3m147m258p369sESWNFPP", 1: "1245m147p258sCCESWN", 2: "33m69m147p258s39sESWN"}
    replay = start(hands=hands, front="9p")
    discard(replay, 0, "3m")
    return replay


def test_claims() -> None:
    assert code_of(after_discard().chow, 2, t("3m"), (t("1m"), t("2m"))) == "bad_claim"
    assert code_of(after_discard().chow, 1, t("3m"), (t("1m"), t("5m"))) == "bad_meld"
    assert code_of(after_discard().chow, 1, t("4m"), (t("2m"), t("5m"))) == "bad_claim"
    assert code_of(after_discard().pung, 0, t("3m")) == "bad_claim"
    assert code_of(after_discard().pung, 3, t("3m")) == "tile_not_held"
    assert code_of(after_discard().kong_open, 2, t("3m")) == "tile_not_held"
    assert code_of(after_discard().draw, 2, t("9p")) == "wrong_turn"
    assert code_of(after_discard().draw, 1, t("9m")) == "wall_order"
    assert code_of(after_discard().discard, 1, t("C")) == "wrong_turn"
    assert code_of(after_discard().win, 2, t("3m"), 0) == "not_complete"
    assert code_of(after_discard().win, 2, t("6m"), 0) == "win_tile"
    assert code_of(after_discard().win, 2, t("3m"), 1) == "win_tile"
    assert code_of(after_discard().win, 0, t("3m"), None) == "wrong_turn"
    replay = after_discard()
    replay.chow(1, t("3m"), (t("4m"), t("5m")))
    assert code_of(replay.draw, 2, t("9p")) == "wrong_turn"
    assert code_of(replay.kong_concealed, 1, t("C")) == "kong_after_claim"
    assert code_of(replay.win, 1, t("3m"), None) == "win_after_claim"
    assert code_of(discard, replay, 1, "9m") == "tile_not_held"
    discard(replay, 1, "C")


def test_a_seat_that_called_a_false_win_is_out() -> None:
    replay = after_discard()
    replay.false_win(2)
    assert code_of(replay.pung, 2, t("3m")) == "barred"
    assert code_of(replay.win, 2, t("3m"), 0) == "barred"
    draw(replay, 1, "9p")


def test_events_of_the_wrong_kind() -> None:
    replay = start(hands={0: IDLE + "1m", 1: READY_69S}, front="9p")
    assert code_of(replay.flower, 0, t("f1")) == "tile_not_held"
    assert code_of(replay.flower, 0, t("1m")) == "not_a_flower"
    assert code_of(replay.replace, 0, t("1m")) == "no_replacement_due"
    assert code_of(replay.draw, 0, t("9p")) == "wrong_turn"
    assert code_of(replay.discard, -1, t("1m")) == "bad_seat"
    assert code_of(replay.discard, 0, 99) == "tile_not_held"
    assert code_of(replay.kong_added, 0, t("1m")) == "bad_meld"
    assert code_of(replay.finish) == "no_end"


def test_nothing_follows_the_end() -> None:
    replay = start(hands={0: DEALER_WIN})
    replay.win(0, t("9s"), None)
    assert code_of(replay.discard, 0, t("9s")) == "event_after_end"
    assert code_of(replay.draw, 1, t("9s")) == "event_after_end"
    assert code_of(replay.win, 1, t("9s"), None) == "event_after_end"
    assert code_of(replay.draw_game) == "event_after_end"
    assert code_of(replay.eye, 1) == "event_after_end"


def test_the_deal_is_checked() -> None:
    deal, wall, _ = random_play(1)

    def build(**changes: Any) -> HandReplay:
        given: dict[str, Any] = {"dealer": 0, "door": 0, "round_wind": 0, "streak": 0, "deal": deal, "wall": wall}
        return HandReplay(**(given | changes))

    build()
    assert code_of(build, dealer=4) == "bad_seat"
    assert code_of(build, dealer=1) == "hand_size"
    assert code_of(build, round_wind=7) == "bad_round"
    assert code_of(build, streak=-1) == "bad_streak"
    assert code_of(build, deal=deal[:3]) == "hand_size"
    assert code_of(build, wall=wall[1:]) == "wall_size"
    assert code_of(build, dead_wall="none") == "bad_dead_wall"
    plain = [kind for kind in wall if kind < 34]
    other = next(kind for kind in plain if kind != plain[0])
    spoilt = [other if kind == plain[0] else kind for kind in wall]
    assert code_of(build, wall=spoilt) == "five_copies"
    assert code_of(build, deal=[[*deal[0][:-1], 42], *deal[1:]]) == "unknown_tile"


def test_five_copies_without_a_wall() -> None:
    deal = [parse_tiles(text) for text in (IDLE + "1m", READY_69S, "147m258p36sESWNFCCE", "258m1477p3588sSWNFF")]
    replay = HandReplay(dealer=0, door=None, round_wind=0, streak=0, deal=deal)
    discard(replay, 0, "1m")
    assert sum(hand.count(KIND["1m"]) for hand in deal) == 4
    assert code_of(draw, replay, 1, "1m") == "five_copies"


# -- whole hands


@pytest.mark.parametrize("seed", range(25))
def test_random_hands_are_consistent(seed: int) -> None:
    deal, wall, events = random_play(seed)
    ends = []
    for known in (wall, None):
        replay = replay_of(deal, known)
        apply(replay, events)
        ends.append(replay.finish())
    assert ends[0] == ends[1]
    draws = sum(name in ("draw", "replace") for name, _ in events)
    assert ends[0].wall_left == 79 - draws
    for seat in range(4):
        assert ends[0].discards[seat] == sum(name == "discard" and args[0] == seat for name, args in events)


def outcome(deal: list[list[int]], wall: list[int] | None, events: list[Event]) -> str:
    replay = replay_of(deal, wall)
    try:
        apply(replay, events)
        replay.finish()
    except RecordError as problem:
        return problem.code
    return ""


@given(st.integers(0, 400), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_a_lost_event_is_noticed(seed: int, rng: random.Random) -> None:
    deal, wall, events = random_play(seed)
    position = rng.randrange(len(events))
    assert outcome(deal, wall, events[:position] + events[position + 1 :])
    assert outcome(deal, None, events[:position] + events[position + 1 :]) or events[position][0] in ("flower", "draw")


@given(st.integers(0, 400), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_no_mutation_raises_anything_else(seed: int, rng: random.Random) -> None:
    deal, wall, events = random_play(seed)
    for _ in range(rng.randrange(1, 3)):
        position = rng.randrange(len(events))
        name, args = events[position]
        change = rng.randrange(5)
        if change == 0:
            events[position] = (name, (rng.randrange(-2, 6), *args[1:])) if name != "draw_game" else (name, args)
        elif change == 1 and len(args) > 1:
            events[position] = (name, (args[0], rng.randrange(-3, 45), *args[2:]))
        elif change == 2:
            events[position] = rng.choice(events)
        elif change == 3:
            events.insert(
                position, (rng.choice(("eye", "miji", "ready", "flower_win", "false_win")), (rng.randrange(4),))
            )
        else:
            seat, tile = rng.randrange(4), rng.randrange(-1, 43)
            method = rng.choice(("pung", "kong_open", "kong_added", "kong_concealed", "flower", "replace", "draw"))
            events.insert(position, (method, (seat, tile)))
    outcome(deal, wall, events)
    outcome(deal, None, events)


def test_rows_fit_the_schemas() -> None:
    replay = start(hands={0: "147m258p369sESWNFP6s1m", 2: READY_69S})
    discard(replay, 0, "6s")
    replay.win(2, t("6s"), 0)
    end = replay.finish()
    header = HandHeader(
        game_id="g",
        hand_no=0,
        players=["a:1", "a:2", "a:3", "a:4"],
        round_wind=0,
        dealer=0,
        door=0,
        streak=0,
        deltas=[-5, 0, 5, 0],
    )
    tables = {"hands": [hand_row(header, end)], "seats": seat_rows(header, end), "wins": win_rows(header, end)}
    for name, rows in tables.items():
        unknown = set(rows[0]) - set(SCHEMAS[name].names)
        assert not unknown
        table = pa.Table.from_pylist(rows, schema=SCHEMAS[name])
        for field in SCHEMAS[name]:
            assert field.nullable or table.column(field.name).null_count == 0
    assert [row["outcome"] for row in tables["seats"]] == ["deal_in", "bystander", "discard_win", "bystander"]
    assert [row["seat_wind"] for row in tables["seats"]] == [0, 1, 2, 3]
