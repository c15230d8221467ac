"""open_mahjong_unity records. fixtures/omu_game.json is made by us: four hands whose results follow from the rules.

Hand 0: the dealer draws the winning tile on his second turn. Hand 1: a discard wins after a pung. Hand 2: played by
chance with every kind of meld, drawn. Hand 3: a false win, then an added kong is robbed. Seat 1 deals hands 2 and 3.
"""

from __future__ import annotations

import glob
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.formats import omu
from ingest.record import SCHEMAS, GameRows, to_table
from ingest.tiles import count_kinds, counts_of_keys, parse_tiles

FIXTURE = Path(__file__).with_name("fixtures") / "omu_game.json"
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "omu"


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FIXTURE.read_text("utf-8"))
    return found


def read(doc: Any) -> GameRows:
    rows = omu.read_game(json.dumps(doc).encode())
    assert isinstance(rows, GameRows), rows
    return rows


def refused(doc: Any) -> dict[str, Any]:
    row = omu.read_game(doc if isinstance(doc, bytes) else json.dumps(doc).encode())
    assert isinstance(row, dict)
    assert row["message"]
    return row


def ticks(doc: dict[str, Any], hand: int) -> list[Any]:
    found: list[Any] = doc["game_round"][f"round_index_{hand + 1}"]["action_ticks"]
    return found


class Log:
    """A Source of bytes."""

    name = "folder/game.json"

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.head = content[:65536]

    def open(self) -> io.BytesIO:
        return io.BytesIO(self.content)


def test_format() -> None:
    log = Log(FIXTURE.read_bytes())
    assert omu.FORMAT.sniff(log.head)
    (rows,) = omu.FORMAT.read(log)
    assert isinstance(rows, GameRows)
    assert rows.rejects == []


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b'{"game_title":{"rule":"taiwan","sub_rule":"taiwan/standard"}', True),
        # The server's database sorts members by name.
        (b'{"game_round": {"round_index_1": {"seats": [0, 1, 2, 3]', True),
        (b'\xef\xbb\xbf  {"game_title": {"sub_rule": "guobiao/standard"}', True),
        (b'{"format":"paipu","version":1}', False),
        (b'[{"game_title":{"sub_rule":""}}]', False),
        (b"", False),
        (b"\x00\xff", False),
    ],
)
def test_sniff(head: bytes, expected: bool) -> None:
    assert omu.sniff(head) is expected


def test_game_row() -> None:
    game = read(document()).game
    assert game["players"] == ["omu:2001", "omu:2002", "omu:2003", "omu:2004"]
    assert (game["log_id"], game["family"], game["simulated"]) == ("5e1f" * 16, "taiwan", False)
    assert (game["base"], game["unit"], game["n_hands"]) == (5, 1, 4)
    assert str(game["started_at"]) == "2025-03-01 20:00:00"
    assert json.loads(game["declared_options"]) == document()["game_title"]["detailed_config"]
    # 75 - 25 - 25 - 25, then 6 from seat 1 to 2, the false win of seat 2 (10 to each other seat), 12 from seat 3 to 0.
    assert game["final_scores"] == [75 + 10 + 12, -25 - 6 + 10, -25 + 6 - 30, -25 + 10 - 12]


def test_declared_preset_needs_every_option() -> None:
    doc = document()
    assert read(doc).game["declared"] == "tw_sml"
    doc["game_title"]["detailed_config"]["tai_cap"] = 16
    assert read(doc).game["declared"] is None
    del doc["game_title"]["detailed_config"]["tai_cap"]
    assert read(doc).game["declared"] == "tw_sml"
    doc["game_title"]["detailed_config"]["fan_tai_overrides"] = {"pinghu": 1}
    assert read(doc).game["declared"] is None


def test_hands() -> None:
    hands = read(document()).hands
    columns = ("dealer", "streak", "round_wind", "result", "n_wins", "dealer_kept")
    assert [tuple(hand[name] for name in columns) for hand in hands] == [
        (0, 0, 0, "win", 1, True),
        (0, 1, 0, "win", 1, False),
        (1, 0, 0, "exhaustive_draw", 0, True),
        (1, 1, 0, "win", 1, False),
    ]
    assert [hand["wall_left"] for hand in hands] == [79 - 4, 79 - 2, 16, 79 - 4]
    assert hands[3]["deltas"] == [10 + 12, 10, -30, 10 - 12]
    assert hands[3]["scores_before"] == [75, -31, -19, -25]


def test_wins() -> None:
    wins = read(document()).wins
    columns = ("hand_no", "winner", "payer", "win_kind", "ready", "ready_first_turn", "no_calls", "recorded_tai")
    assert [tuple(win[name] for name in columns) for win in wins] == [
        (0, 0, None, 1, 1, True, True, 19),
        (1, 2, 1, 0, 0, False, False, 1),
        (3, 0, 3, 2, 0, False, False, 7),
    ]
    assert json.loads(wins[2]["recorded_items"]) == {
        "robbing_kong": 1,
        "concealed_hand": 1,
        "four_concealed_pungs": 1,
    }
    # The player indices of the file are counted from the dealer, seat 1.
    assert wins[2]["recorded_payments"] == [12, 0, 0, -12]
    assert wins[1]["discarder_first_discard"] is True
    tiles = [counts_of_keys(win["km"], win["kp"], win["ks"], win["kh"]) for win in wins]
    assert tiles[0] == tiles_of("123456m789p222789sCC")
    assert tiles[1] == tiles_of("123456m789p222678sCC")
    assert tiles[2] == tiles_of("333m111666p456777sNN")
    assert all(win["liable"] is None for win in wins)


def tiles_of(text: str) -> list[int]:
    return count_kinds(parse_tiles(text))


def test_seats() -> None:
    seats = read(document()).seats
    assert [seat["outcome"] for seat in seats[:4]] == ["self_draw", *["drawn_against"] * 3]
    assert [seat["outcome"] for seat in seats[12:]] == ["discard_win", "bystander", "bystander", "deal_in"]
    assert [(seat["ready"], seat["ready_turn"]) for seat in seats[:4]] == [(1, 0), *[(0, None)] * 3]
    # The robbed player keeps the pung, his only meld.
    assert [seat["exposed_melds"] for seat in seats[12:]] == [0, 0, 0, 1]
    assert [seat["seat_wind"] for seat in seats[12:]] == [3, 0, 1, 2]
    # Hand 2 with the melds of the actions: a concealed kong is not exposed.
    made = ticks(document(), 2)
    assert sum(seat["exposed_melds"] for seat in seats[8:12]) == sum(
        tick[0] in ("p", "cl", "cm", "cr", "g") for tick in made
    )
    assert {"p", "cr", "g", "ag", "jg", "gd", "bh", "bd"} <= {tick[0] for tick in made}
    assert all(seat["tenpai_at_draw"] is not None for seat in seats[8:12])


def test_rows_fit_the_schemas() -> None:
    rows = read(document())
    rows.game |= {"file": "game.json", "format": omu.NAME}  # as the log reader does
    for name, found in {"games": [rows.game], "hands": rows.hands, "seats": rows.seats, "wins": rows.wins}.items():
        assert set().union(*found) <= set(SCHEMAS[name].names)
        table = to_table(name, found)
        for field in SCHEMAS[name]:
            assert field.nullable or table.column(field.name).null_count == 0, field.name


def test_streak_without_increment_on_draws() -> None:
    doc = document()
    doc["game_title"]["detailed_config"]["draw_increments_streak"] = False
    assert [hand["streak"] for hand in read(doc).hands] == [0, 1, 0, 0]


def test_a_passed_deal_that_goes_on_is_refused() -> None:
    doc = document()
    doc["game_title"]["detailed_config"]["draw_continues_dealer"] = False
    rows = read(doc)
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == [(3, "dealer_passed")]
    assert rows.game["n_hands"] == 3


def test_streak_limit_passes_the_deal() -> None:
    doc = document()
    doc["game_title"]["detailed_config"]["dealer_streak_limit"] = 0
    assert [row["code"] for row in read(doc).rejects] == ["dealer_passed", "dealer_passed"]


def test_rounds_beyond_the_first() -> None:
    doc = document()
    for hand in doc["game_round"].values():
        hand["current_round"] += 8
    assert {hand["round_wind"] for hand in read(doc).hands} == {2}


def test_penalty_that_nobody_receives_stays_out_of_the_deltas() -> None:
    doc = document()
    assert ticks(doc, 3)[1][0] == "hu_first"
    ticks(doc, 3)[1][4] = [0, -40, 0, 0]
    rows = read(doc)
    assert rows.hands[3]["deltas"] == [12, 0, 0, -12]
    assert rows.game["final_scores"] == [75 + 12, -31, -19 - 40, -25 - 12]
    ticks(doc, 3)[1][4] = [5, -40, 0, 0]
    assert [row["code"] for row in read(doc).rejects] == ["payments_not_zero"]


def test_a_seat_with_a_false_win_cannot_win() -> None:
    doc = document()
    ticks(doc, 3)[-2] = ["hu_third", 1, 2, ["抢杠"], [0, 7, -7, 0], 36]
    assert [row["code"] for row in read(doc).rejects] == ["barred"]


def test_two_winners() -> None:
    doc = document()
    # Without the false win seat 2 (index 1) may rob the kong too: it sits third after the robbed player.
    del ticks(doc, 3)[1]
    ticks(doc, 3).insert(-1, ["hu_third", 1, 2, ["抢杠", "门清"], [0, 7, -7, 0], 36])
    rows = read(doc)
    assert [(win["win_no"], win["winner"]) for win in rows.wins[2:]] == [(0, 0), (1, 2)]
    assert rows.hands[3]["deltas"] == [12, 0, 7, -19]
    assert rows.hands[3]["n_wins"] == 2


def test_the_last_winner_says_so() -> None:
    doc = document()
    ticks(doc, 1)[-2][-1] = 0
    assert [(row["hand_no"], row["code"]) for row in read(doc).rejects] == [(1, "no_end")]


def test_a_passed_robbery_lets_the_kong_stand() -> None:
    doc = document()
    wall = doc["game_round"]["round_index_4"]["tiles_list"]
    ticks(doc, 3)[-2:] = [["gd", wall[-1]], ["c", 41, "F"], ["liuju", "four_winds_abort"], ["end"]]
    rows = read(doc)
    assert rows.rejects == []
    assert (rows.hands[3]["result"], rows.hands[3]["draw_kind"]) == ("abortive_draw", "four_winds_abort")


def test_liable_seat_is_seen_from_who_pays() -> None:
    doc = document()
    ticks(doc, 0)[-2][4] = [75, 0, -75, 0]
    ticks(doc, 1)[-2][4] = [0, -3, 6, -3]
    wins = read(doc).wins
    assert [win["liable"] for win in wins] == [2, 3, None]


FLOWERS = [51, 52, 53, 54, 55, 56, 57, 58]


def flower_game(own: list[int], other: list[int], mode: str = "optional_standalone") -> tuple[dict[str, Any], Any]:
    """One hand in which index 1 is dealt `own` flowers and index 2 `other`; the rest of the set is filled in order."""
    doc = document()
    doc["game_title"]["detailed_config"]["eight_flowers_mode"] = mode
    hand = doc["game_round"]["round_index_1"]
    doc["game_round"] = {"round_index_1": hand}
    plain = [*range(11, 20), *range(21, 30), *range(31, 40), *range(41, 48)]
    tiles = [tile for _ in range(4) for tile in plain]
    dealt: list[list[int]] = [[], list(own), list(other), []]
    for index in range(4):
        while len(dealt[index]) < (17 if index == 0 else 16):
            dealt[index].append(tiles.pop())
        hand[f"p{index}_tiles"] = dealt[index]
    left = [flower for flower in FLOWERS if flower not in own + other]
    hand["tiles_list"] = tiles[:1] + left + tiles[1:]
    return doc, hand


def opening(hand: dict[str, Any], shown: list[tuple[int, int]]) -> list[Any]:
    wall = hand["tiles_list"]
    return [
        tick
        for n, (flower, index) in enumerate(shown)
        for tick in (["bh", flower, index, "F"], ["bd", wall[-1 - n], index])
    ]


def test_eight_flowers_in_the_opening() -> None:
    doc, hand = flower_game(FLOWERS, [])
    shown = opening(hand, [(flower, 1) for flower in FLOWERS])
    won = ["hu_self", 1, 8, ["八仙过海", "连庄拉庄"], [-14, 40, -13, -13], hand["tiles_list"][-8]]
    hand["action_ticks"] = [*shown, won, ["end"]]
    (win,) = read(doc).wins
    assert (win["win_kind"], win["payer"], win["flowers"], win["initial_flowers"]) == (3, None, 255, True)
    assert json.loads(win["recorded_items"]) == {"eight_immortals": 1}


def test_seven_robs_one_already7() -> None:
    doc, hand = flower_game(FLOWERS[:7], [58])
    wall = hand["tiles_list"]
    shown = opening(hand, [(flower, 1) for flower in FLOWERS[:7]])
    hand["action_ticks"] = [
        *shown,
        ["bh", 58, 2, "F", 1, 2, 58],
        ["bd", wall[-8], 1],
        ["hu_third", 1, 8, ["七抢一"], [0, 13, -13, 0], 58],
        ["end"],
    ]
    (win,) = read(doc).wins
    assert (win["win_kind"], win["winner"], win["payer"]) == (4, 1, 2)
    assert (win["flower_mode"], win["robbed_flower"], win["flowers"], win["initial_flowers"]) == (1, 8, 255, True)
    assert read(doc).seats[2]["flowers"] == 0


def test_seven_robs_one_six_plus_one() -> None:
    doc, hand = flower_game(FLOWERS[:6], [58])
    wall = hand["tiles_list"]
    discard = hand["p0_tiles"][0]
    hand["action_ticks"] = [
        *opening(hand, [*((flower, 1) for flower in FLOWERS[:6]), (58, 2)]),
        ["c", discard, "F"],
        ["d", wall[0]],
        ["c", wall[0], "T"],
        ["d", wall[1]],
    ]
    assert wall[1] == 57
    # Index 2 draws the seventh flower in this wall, so index 2 cannot win: only index 1 with six of them could.
    hand["action_ticks"] += [["bh", 57, 2, "T", 2, 1, 51], ["bd", wall[-8], 2], ["end"]]
    assert [row["code"] for row in read(doc).rejects] == ["not_eight_flowers"]
    # Let index 1 draw it instead.
    hand["tiles_list"][0], hand["tiles_list"][1] = 57, wall[0]
    hand["action_ticks"][-7:] = [
        ["c", discard, "F"],
        ["d", 57],
        ["bh", 57, 1, "T", 1, 2, 58],
        ["bd", hand["tiles_list"][-8], 1],
        ["hu_third", 1, 8, ["七抢一"], [0, 13, -13, 0], 57],
        ["end"],
    ]
    (win,) = read(doc).wins
    assert (win["win_kind"], win["winner"], win["payer"], win["replacement"]) == (4, 1, 2, 1)
    assert (win["flower_mode"], win["robbed_flower"], win["flowers"], win["initial_flowers"]) == (2, 8, 255, False)


# -- damaged files


def test_other_rules() -> None:
    doc = document()
    doc["game_title"].update(rule="guobiao", sub_rule="guobiao/standard")
    row = refused(doc)
    assert (row["code"], row["log_id"]) == ("other_rules", "5e1f" * 16)
    assert "guobiao" in row["message"]
    # Old files carry the kind of room in `rule`.
    doc["game_title"].update(rule="custom", sub_rule="taiwan/standard")
    assert read(doc).rejects == []


@pytest.mark.parametrize(
    "content",
    [b"", b"{", FIXTURE.read_bytes()[:3000], b"[]", b"null", b'{"game_title":{},"game_round":[]}', b"\xff\xfe{}"],
)
def test_not_a_whole_record(content: bytes) -> None:
    assert refused(content)["code"] == "bad_json"


def test_deep_nesting_is_one_line() -> None:
    assert refused(b'{"game_title":' + b"[" * 200_000)["code"] == "bad_json"


def test_same_player_twice() -> None:
    doc = document()
    doc["game_title"]["p1_uid"] = 2001
    assert refused(doc)["code"] == "bad_players"


def test_a_damaged_hand_is_refused_and_the_rest_kept() -> None:
    doc = document()
    ticks(doc, 1)[3] = ["d", 19]
    rows = read(doc)
    (row,) = rows.rejects
    assert (row["hand_no"], row["event_no"], row["code"]) == (1, 3, "wall_order")
    assert [hand["hand_no"] for hand in rows.hands] == [0, 2, 3]
    # Who won is known, so the streak is; the money is not.
    assert [hand["streak"] for hand in rows.hands] == [0, 0, 1]
    assert [hand["scores_before"] is None for hand in rows.hands] == [False, True, True]
    assert rows.game["final_scores"] is None


def test_an_unreadable_hand_leaves_the_streak_open_until_the_deal_passes() -> None:
    doc = document()
    doc["game_round"]["round_index_1"] = {"current_round": 1}
    rows = read(doc)
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == [(0, "bad_json"), (1, "streak_unknown")]
    assert [(hand["hand_no"], hand["streak"]) for hand in rows.hands] == [(2, 0), (3, 1)]


def test_a_missing_hand() -> None:
    doc = document()
    del doc["game_round"]["round_index_2"]
    rows = read(doc)
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == [
        (1, "missing_hand"),
        (2, "streak_unknown"),
        (3, "streak_unknown"),
    ]


@pytest.mark.parametrize(
    ("position", "tick", "code"),
    [
        (1, ["zz", 1], "unknown_event"),
        (1, ["d"], "unknown_event"),
        (1, [], "unknown_event"),
        (1, ["d", 60], "unknown_tile"),
        (1, ["d", "21"], "unknown_tile"),
        (3, ["c", 41, "T"], "bad_event"),
        (1, ["state", "ready", 7, "public", "T"], "bad_seat"),
        (1, ["state", "ready", 1, "soon", "T"], "bad_event"),
        (1, ["cl", 41, 1, 39, 40], "unknown_tile"),
        (1, ["cl", 33, 1, 34, 35], "bad_meld"),
        (1, ["p", 41, 1, 41, 42], "bad_meld"),
        (1, ["liuju", "tea"], "bad_event"),
        (1, ["liuju"], "draw_too_early"),
        (1, ["end"], "no_end"),
        (1, ["hu_self", 0, 1, [], [3, -1, -1], 11], "bad_payments"),
        (1, ["hu_self", 0, 1, [], [3, -1, -1, 0], 11], "payments_not_zero"),
        (1, ["hu_self", 0, 1], "bad_event"),
        (1, ["hu_self", 0, 1 << 40, [], [3, -1, -1, -1], 11], "bad_event"),
        (1, ["hu_self", 0, 1, [], [1 << 62, -(1 << 62), 0, 0], 11], "bad_payments"),
        (1, ["hu_first", 1, 1, [], [-6, 6, 0, 0], 41, 0, 2, 1], "bad_event"),
    ],
)
def test_bad_actions(position: int, tick: list[Any], code: str) -> None:
    doc = document()
    ticks(doc, 0)[position] = tick
    rows = read(doc)
    assert (rows.rejects[0]["code"], rows.rejects[0]["event_no"]) == (code, position)


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("seats", [0, 2, 1, 3], "bad_seats"),
        ("seats", [1, 2, 3, 0], "bad_seats"),
        ("seats", [0, 1, 2], "bad_seats"),
        ("current_round", 0, "bad_round"),
        ("current_round", 2, "bad_seats"),
        ("current_round", 9, "round_jump"),
        ("dealer_index", 4, "bad_header"),
        ("tiles_list", [11], "wall_size"),
        ("p1_tiles", [], "hand_size"),
        ("action_ticks", [], "no_end"),
        ("action_ticks", 5, "bad_json"),
    ],
)
def test_bad_headers(field: str, value: Any, code: str) -> None:
    doc = document()
    doc["game_round"]["round_index_2"][field] = value
    rows = read(doc)
    assert (rows.rejects[0]["hand_no"], rows.rejects[0]["code"]) == (1, code)


@given(st.randoms(use_true_random=False), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_a_lost_action_is_noticed(rng: random.Random, hand: int) -> None:
    doc = document()
    made = ticks(doc, hand)
    moving = [n for n, tick in enumerate(made) if tick[0] != "state" and "错和" not in str(tick)]
    del made[rng.choice(moving)]
    assert hand in [row["hand_no"] for row in read(doc).rejects]


@given(st.randoms(use_true_random=False), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_two_swapped_tiles_of_the_wall_are_noticed(rng: random.Random, hand: int) -> None:
    doc = document()
    header = doc["game_round"][f"round_index_{hand + 1}"]
    drawn = sum(tick[0] == "d" for tick in header["action_ticks"])
    wall = header["tiles_list"]
    a, b = rng.randrange(drawn), rng.randrange(len(wall))
    same = wall[a] == wall[b]
    wall[a], wall[b] = wall[b], wall[a]
    assert ([row["hand_no"] for row in read(doc).rejects] == [hand]) is not same


junk = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@given(st.randoms(use_true_random=False), junk)
@settings(max_examples=250, deadline=None)
def test_junk_anywhere_is_a_reject_or_nothing(rng: random.Random, value: Any) -> None:
    doc = document()
    node: Any = doc
    for _ in range(rng.randrange(1, 6)):
        inner = [
            key for key in (node if isinstance(node, dict) else range(len(node))) if isinstance(node[key], dict | list)
        ]
        if not inner:
            break
        node = node[rng.choice(inner)]
    if node:
        node[rng.choice(list(node) if isinstance(node, dict) else range(len(node)))] = value
    rows = omu.read_game(json.dumps(doc).encode())
    rejects = rows.rejects if isinstance(rows, GameRows) else [rows]
    assert all(row["code"] and row["message"] and "\n" not in row["message"] for row in rejects)


def test_event_numbers_belong_to_the_error() -> None:
    problem = RecordError("x", "y", hand=1, event=2)
    assert (problem.hand, problem.event) == (1, 2)


# -- the real files


@pytest.fixture(scope="module")
def real_games() -> list[GameRows]:
    paths = sorted(glob.glob(str(LOGS / "*.json.gz")))
    if not paths:
        pytest.skip("the shared logs are not here")
    games = []
    for path in paths:
        rows = omu.read_game(gzip.decompress(Path(path).read_bytes()))
        assert isinstance(rows, GameRows), rows
        rows.game["file"] = Path(path).name
        games.append(rows)
    return games


def test_real_files_replay_completely(real_games: list[GameRows]) -> None:
    assert [row for rows in real_games for row in rows.rejects] == []
    assert sum(rows.game["n_hands"] for rows in real_games) == 613
    for rows in real_games:
        assert rows.game["final_scores"] is not None
        for hand in rows.hands:
            assert sum(hand["deltas"]) == 0
        for win in rows.wins:
            assert sum(win["recorded_payments"]) == 0
        for hand, after in zip(rows.hands, rows.hands[1:], strict=False):
            same = (hand["dealer"], hand["round_wind"]) == (after["dealer"], after["round_wind"])
            assert hand["dealer_kept"] is same


def test_real_files_declare_the_room_they_come_from(real_games: list[GameRows]) -> None:
    for rows in real_games:
        room = rows.game["file"].split("_")[0]
        if room in ("sml", "cml", "star31", "shenlaiye"):
            assert rows.game["declared"] == f"tw_{room}"


def test_derived_flags_explain_the_recorded_items(real_games: list[GameRows]) -> None:
    """The server scored from its own state; what we derive from play has to say the same."""
    for rows in real_games:
        options = json.loads(rows.game["declared_options"])
        for win in rows.wins:
            if win["win_kind"] > 2:
                continue
            items = json.loads(win["recorded_items"])
            opening = not {"heavenly_hand", "earthly_hand", "human_hand"}.isdisjoint(items)
            by_self = win["win_kind"] == 1
            where = (rows.game["file"], win["hand_no"])
            assert ("self_draw" in items) is by_self, where
            assert ("robbing_kong" in items) is (win["win_kind"] == 2), where
            assert ("heavenly_hand" in items) is win["heavenly"], where
            assert ("kong_bloom" in items) is (by_self and win["replacement"] > 0 and not win["heavenly"]), where
            assert ("last_tile_draw" in items) is (by_self and win["last_tile"]), where
            if options["last_tile_claim_enabled"]:
                assert ("last_discard_win" in items) is (win["win_kind"] == 0 and win["last_tile"]), where
            if not options["earthly_win_allows_open_calls"]:
                assert ("earthly_hand" in items) is (win["first_draw"] and win["no_calls"]), where
            if options["human_win_definition"] == "discarder_first_discard":
                assert ("human_hand" in items) is win["discarder_first_discard"], where
            elif options["human_win_definition"] == "before_first_draw":
                early = win["before_first_draw"] and win["no_calls"]
                assert ("human_hand" in items) is early, where
            ready = ("", "heavenly_ready", "earthly_ready", "declared_ready")[win["ready"]] if not opening else ""
            assert items.keys() & {"heavenly_ready", "earthly_ready", "declared_ready"} == ({ready} - {""}), where


def test_stated_ready_hands_are_ready_at_a_draw(real_games: list[GameRows]) -> None:
    checked = 0
    for rows in real_games:
        for seat in rows.seats:
            if seat["ready"] and seat["tenpai_at_draw"] is not None:
                assert seat["tenpai_at_draw"], (rows.game["file"], seat["hand_no"], seat["seat"])
                checked += 1
    assert checked > 20
