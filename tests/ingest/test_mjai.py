from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest import formats
from ingest.formats.mjai import FORMAT
from ingest.formats.support import support
from ingest.ids import game_id
from ingest.melds import format_meld
from ingest.record import REPLACEMENTS, ROBBED, WIN_KINDS, GameRows
from ingest.sources import Log
from ingest.tiles import NAMES, counts_of_keys, format_tiles
from tests.ingest.logs import given_columns, read_all

FIXTURE = Path(__file__).parent / "fixtures" / "mjai_game.jsonl"
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "mjai"
Event = dict[str, Any]

RECORDED: dict[tuple[int, int], tuple[list[list[Any]], int, int, int]] = {
    (0, 1): ([["double_reach", 2], ["ippatsu", 1], ["pinfu", 1], ["dora", 1], ["akadora", 1]], 30, 6, 12000),
    (1, 0): ([["chankan", 1], ["sanshokudojun", 2], ["honchantaiyao", 2]], 40, 5, 8000),
    (3, 1): ([["tanyaochu", 1]], 40, 1, 1300),
    (3, 3): ([["pinfu", 1], ["tanyaochu", 1], ["uradora", 0]], 30, 2, 2000),
    (4, 3): ([["rinshankaiho", 1], ["menzenchin_tsumoho", 1]], 60, 2, 6000),
    (6, 2): ([["daisangen", 100]], 30, 100, 32000),
}
"""Yaku, fu, han and points of the wins of the fixture as gimite's server writes them, by hand and winner."""


def events() -> list[Event]:
    return [json.loads(line) for line in FIXTURE.read_text(encoding="utf-8").splitlines()]


def lines(game: list[Event]) -> bytes:
    return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in game)


def read(content: bytes | list[Event]) -> tuple[list[GameRows], list[Event]]:
    return read_all(FORMAT, content if isinstance(content, bytes) else lines(content))


def of_hand(game: list[Event], number: int) -> list[Event]:
    """The events of a hand, its start included; they are those of the game, not copies."""
    starts = [i for i, event in enumerate(game) if event["type"] == "start_kyoku"]
    return game[starts[number] : [*starts, len(game)][number + 1]]


def each_hand(game: list[Event]) -> list[list[Event]]:
    return [of_hand(game, number) for number in range(sum(event["type"] == "start_kyoku" for event in game))]


@pytest.fixture(scope="module")
def game() -> GameRows:
    [found], rejects = read(events())
    assert rejects == []
    return found


def hand_text(win: Event) -> str:
    return format_tiles(
        kind for kind, n in enumerate(counts_of_keys(*(win[k] for k in ("km", "kp", "ks", "kh")))) for _ in range(n)
    )


# -- the game of the fixture, told by hand


def test_the_hands_of_the_game(game: GameRows) -> None:
    told = [
        (h["round_wind"], h["dealer"], h["streak"], h["sticks"], h["sticks_after"], h["result"], h["draw_kind"])
        for h in game.hands
    ]
    assert told == [
        (0, 0, 0, 0, 0, "win", None),
        (0, 1, 0, 0, 0, "win", None),
        (0, 2, 0, 0, 0, "abortive_draw", "kyuushu"),
        (0, 2, 1, 0, 0, "win", None),
        (0, 3, 0, 0, 0, "win", None),
        (0, 3, 1, 0, 0, "exhaustive_draw", None),
        (1, 0, 2, 0, 0, "win", None),
    ]
    assert [h.get("dealer_kept") for h in game.hands] == [False, False, True, False, True, False, None]
    assert [h["n_wins"] for h in game.hands] == [1, 1, 0, 2, 1, 0, 1]
    assert [h["wall_left"] for h in game.hands] == [66, 65, 69, 63, 68, 0, 61]


def test_deltas_hold_the_deposits_and_lead_from_hand_to_hand(game: GameRows) -> None:
    assert [h["deltas"] for h in game.hands] == [
        [0, 12000, 0, -12000],
        [8000, 0, -8000, 0],
        [0, 0, 0, 0],
        [-4600, 2600, 0, 2000],
        [-2000, -2000, -2000, 6000],
        [3000, -1000, -1000, -1000],
        [-32600, 0, 32600, 0],
    ]
    assert game.hands[3]["scores_before"] == [33000, 37000, 17000, 13000]
    assert game.game["final_scores"] == [-3200, 36600, 46600, 20000]


def test_a_double_riichi_won_at_once(game: GameRows) -> None:
    win = game.wins[0]
    assert hand_text(win) == "234567m345p66789s"
    assert (NAMES[win["win_tile"]], win["winner"], win["payer"]) == ("9s", 1, 3)
    assert (win["riichi"], win["ippatsu"], win["reds"], win["sticks"], win["own_stick"]) == (2, True, 4, 1, True)
    assert (NAMES[win["dora1"]], NAMES[win["ura1"]]) == ("4p", "E")
    assert (win["no_calls"], win["discarder_first_discard"]) == (True, True)
    seats = [row for row in game.seats if row["hand_no"] == 0]
    assert [(row["riichi"], row["ready_turn"], row["discards"]) for row in seats] == [
        (0, None, 1), (2, 0, 1), (0, None, 1), (0, None, 1),
    ]  # fmt: skip


def test_a_robbed_kong(game: GameRows) -> None:
    win = game.wins[1]
    assert (WIN_KINDS[win["win_kind"]], ROBBED[win["robbed"]], win["payer"]) == ("rob_kong", "kong_added", 2)
    assert hand_text(win) == "123789m123p123sWW"
    assert win["recorded_payments"] == [8000, 0, -8000, 0]


def test_two_winners_come_in_turn_order_and_see_the_same_deposit(game: GameRows) -> None:
    first, second = game.wins[2:4]
    assert (first["winner"], second["winner"], first["win_no"], second["win_no"]) == (1, 3, 0, 1)
    assert first["n_winners"] == second["n_winners"] == 2
    assert (first["sticks"], first["own_stick"], first["streak"]) == (1, False, 1)
    assert [first["recorded_payments"], second["recorded_payments"]] == [[-1600, 2600, 0, 0], [-2000, 0, 0, 2000]]
    seats = [row for row in game.seats if row["hand_no"] == 3]
    assert [row["outcome"] for row in seats] == ["deal_in", "discard_win", "bystander", "discard_win"]


def test_a_replacement_tile_of_a_concealed_kong(game: GameRows) -> None:
    win = game.wins[4]
    assert (win["payer"], REPLACEMENTS[win["replacement"]]) == (None, "kong_concealed")
    assert [format_meld(win[f"m{i}"]) for i in range(5) if win[f"m{i}"]] == ["kong_concealed:1111p"]
    assert [NAMES[win["dora1"]], NAMES[win["dora2"]]] == ["E", "C"]
    assert (win["heavenly"], win["no_calls"], game.seats[4 * 4 + 3]["exposed_melds"]) == (False, False, 0)


def test_who_was_ready_at_the_draw_follows_from_the_hands(game: GameRows) -> None:
    assert [row["tenpai_at_draw"] for row in game.seats if row["hand_no"] == 5] == [True, False, False, False]


def test_the_discarder_of_the_third_dragon_is_liable(game: GameRows) -> None:
    win = game.wins[5]
    assert (win["liable_dragons"], win["liable_winds"], win["liable_kongs"]) == (0, None, None)
    assert (win["winner"], win["payer"], win["dealer"], win["streak"]) == (2, None, 0, 2)


def test_without_yaku_in_the_log_only_payments_are_recorded(game: GameRows) -> None:
    for win in game.wins:
        assert win.get("recorded_tai") is None
        assert win.get("recorded_fu") is None
        assert win.get("recorded_points") is None
        assert win.get("recorded_items") is None
        assert win["recorded_payments"] is not None


def test_nothing_is_declared_and_names_are_players(game: GameRows) -> None:
    assert game.game.get("declared") is None
    assert game.game["players"] == ["mjai:Ann", "mjai:Bo", "mjai:Cai", "mjai:Dee"]
    assert game.game["simulated"] is None


# -- dialects


def gimite(game: list[Event]) -> list[Event]:
    """The fixture with what gimite's server adds to the end of hands."""
    game = copy.deepcopy(game)
    for number, hand in enumerate(each_hand(game)):
        scores = list(hand[0]["scores"])
        last = None
        for event in hand:
            if event["type"] in ("tsumo", "dahai", "kakan"):
                last = event["pai"]
            elif event["type"] == "reach_accepted":
                scores[event["actor"]] -= 1000
                deltas = [0] * 4
                deltas[event["actor"]] = -1000
                event |= {"deltas": deltas, "scores": list(scores)}
            elif event["type"] in ("hora", "ryukyoku"):
                scores = [a + b for a, b in zip(scores, event["deltas"], strict=True)]
                event["scores"] = list(scores)
                if event["type"] == "hora":
                    yakus, fu, fan, points = RECORDED[number, event["actor"]]
                    event["uradora_markers"] = event.pop("ura_markers")
                    event |= {"pai": last, "yakus": yakus, "fu": fu, "fan": fan, "hora_points": points}
                else:
                    ready = number == 5
                    event |= {"reason": "fanpai" if ready else "kyushukyuhai", "tenpais": [ready, False, False, False]}
    return game


def same_facts(found: GameRows, expected: GameRows, *, but: tuple[str, ...] = ()) -> None:
    """All rows are those of the other reading, but for identities and the named columns."""
    left_out = {"game_id", "player", *but}
    for table in ("hands", "seats", "wins"):
        rows, other = getattr(found, table), getattr(expected, table)
        assert [{k: v for k, v in row.items() if k not in left_out and v is not None} for row in rows] == [
            {k: v for k, v in row.items() if k not in left_out and v is not None} for row in other
        ]


SCORE = ("recorded_tai", "recorded_fu", "recorded_points", "recorded_items")


def test_the_score_of_gimites_dialect(game: GameRows) -> None:
    [found], rejects = read(gimite(events()))
    assert rejects == []
    same_facts(found, game, but=SCORE)
    told = [tuple(win[column] for column in SCORE[:3]) for win in found.wins]
    assert told == [(6, 30, 12000), (5, 40, 8000), (1, 40, 1300), (2, 30, 2000), (2, 60, 6000), (13, None, 32000)]
    assert [json.loads(win["recorded_items"]) for win in found.wins] == [
        {"double_riichi": 2, "ippatsu": 1, "pinfu": 1, "dora": 1, "aka_dora": 1},
        {"chankan": 1, "sanshoku_doujun": 2, "chanta": 2},
        {"tanyao": 1},
        {"pinfu": 1, "tanyao": 1},
        {"rinshan": 1, "menzen_tsumo": 1},
        {"daisangen": 13},
    ]


def test_yaku_by_the_names_of_the_clients(game: GameRows) -> None:
    log = gimite(events())
    names = {"pinfu": "平和", "tanyaochu": "断幺九", "uradora": "裏ドラ"}
    [win] = [e for e in of_hand(log, 3) if e["type"] == "hora" and e["actor"] == 3]
    win["yaku"] = [[names[name], han] for name, han in win.pop("yakus")]
    win["han"] = win.pop("fan")
    [found], _ = read(log)
    assert json.loads(found.wins[3]["recorded_items"]) == {"pinfu": 1, "tanyao": 1}
    assert found.wins[3]["recorded_tai"] == 2


@pytest.mark.parametrize(
    ("yakus", "expected"), [([["sangenpai", 3]], {"haku": 1, "hatsu": 1, "chun": 1}), (None, None)]
)
def test_dragons_counted_in_one_entry_are_told_by_the_hand(yakus: Any, expected: Any) -> None:
    log = gimite(events())
    [win] = [e for e in of_hand(log, 6) if e["type"] == "hora"]
    win["yakus"] = yakus
    win["fan"] = 3
    [found], rejects = read(log)
    assert rejects == []
    items = found.wins[5].get("recorded_items")
    assert (None if items is None else json.loads(items)) == expected
    assert found.wins[5]["recorded_tai"] == 3


def test_more_dragons_than_the_hand_has_are_refused() -> None:
    log = gimite(events())
    [win] = [e for e in of_hand(log, 6) if e["type"] == "hora"]
    win["yakus"] = [["sangenpai", 2]]
    _, [reject] = read(log)
    assert reject["code"] == "bad_yaku"


def test_scores_left_out_of_the_start_follow_from_later_ones(game: GameRows) -> None:
    log = gimite(events())
    for hand in each_hand(log):
        del hand[0]["scores"]
    log[0]["logs"] = [None] * 4
    [found], rejects = read(log)
    assert rejects == []
    same_facts(found, game, but=SCORE)
    assert found.game["simulated"] is True


def golden(game: list[Event]) -> bytes:
    """The fixture as gimite's old tools print it: hands dealt one by one, boards between events, no money."""
    out = ["# Original file: test.mjlog"]
    for event in copy.deepcopy(game):
        kind = event["type"]
        dealt: list[Event] = []
        if kind == "start_kyoku":
            dealt = [{"type": "haipai", "actor": i, "pais": hand} for i, hand in enumerate(event["tehais"])]
            event = {"type": kind, "oya": event["oya"], "dora_marker": event["dora_marker"]}
        for key in ("deltas", "ura_markers", "tsumogiri"):
            event.pop(key, None)
        if kind == "ryukyoku":
            event["reason"] = "fanpai"
        for part in (event, *dealt):
            out += [json.dumps(part), "E-1 kyoku 0 honba  dora_marker: 6s  ", " {0} tehai: 1m [9m(3)/9m 9m]", "-" * 80]
    return "\n".join(out).encode()


def test_old_logs_leave_the_round_to_the_course_of_the_game(game: GameRows) -> None:
    log = golden(events()).replace(b'"reason": "fanpai"', b'"reason": "kyushukyuhai"', 1)
    assert FORMAT.sniff(log[:65536])
    [found], rejects = read(log)
    assert rejects == []
    same_facts(found, game, but=("deltas", "delta", "scores_before", "recorded_payments", "ura1"))
    assert [hand["deltas"] for hand in found.hands] == [None] * 7


def test_an_old_log_without_its_beginning_does_not_tell_the_round() -> None:
    log = golden(events())
    cut = log[log.index(b"\n", log.index(b"start_game")) :]
    games, rejects = read(cut)
    assert games == []
    assert {reject["code"] for reject in rejects} == {"round_unknown"}


def test_arrays_of_events_are_lines_of_events(game: GameRows) -> None:
    log = events()
    arrays = [log[i : i + 7] for i in range(0, len(log), 7)]
    content = b"".join(json.dumps(array).encode() + b"\n" for array in arrays)
    assert FORMAT.sniff(content)
    [found], rejects = read(content)
    assert rejects == []
    same_facts(found, game)


def test_seat_0_is_the_first_dealer_whatever_his_id(game: GameRows) -> None:
    log = events()
    for event in log:
        for key in ("actor", "target", "oya"):
            if key in event:
                event[key] = (event[key] + 1) % 4
        for key in ("names", "scores", "deltas", "tehais"):
            if key in event:
                event[key] = event[key][-1:] + event[key][:-1]
    [found], rejects = read(log)
    assert rejects == []
    same_facts(found, game)
    assert found.game["players"] == game.game["players"]
    assert found.game["final_scores"] == game.game["final_scores"]


def test_a_log_of_one_players_view_keeps_what_it_shows(game: GameRows) -> None:
    log = gimite(events())
    for hand in each_hand(log):
        concealed = copy.deepcopy(hand[0]["tehais"])
        for event in hand[1:]:
            kind, actor = event["type"], event.get("actor")
            if kind == "tsumo":
                concealed[actor].append(event["pai"])
            elif kind in ("dahai", "kakan"):
                concealed[actor].remove(event["pai"])
            for tile in event.get("consumed", []) if kind in ("pon", "ankan") else []:
                concealed[actor].remove(tile)
            if kind == "hora":
                held = list(concealed[actor])
                if event["target"] == actor:
                    held.remove(event["pai"])
                event["hora_tehais"] = held
            if kind == "tsumo" and actor != 1:
                event["pai"] = "?"
        hand[0]["tehais"] = [tiles if i == 1 else ["?"] * 13 for i, tiles in enumerate(hand[0]["tehais"])]
    [found], rejects = read(log)
    assert rejects == []
    same_facts(found, game, but=(*SCORE, "tenpai_at_draw"))
    assert [row["tenpai_at_draw"] for row in found.seats if row["hand_no"] == 5] == [True, False, False, False]


SANMA: list[Event] = [
    {"type": "start_game", "names": ["Ann", "Bo", "Cai"], "aka_flag": False},
    {"type": "start_kyoku", "bakaze": "E", "dora_marker": "W", "kyoku": 1, "honba": 0, "kyotaku": 0, "oya": 0,
     "scores": [35000, 35000, 35000],
     "tehais": [["1m", "1m", "1m", "1p", "2p", "3p", "4p", "5p", "7s", "8s", "9s", "E", "E"],
                ["9m", "9m", "9m", "2s", "2s", "3s", "3s", "4s", "4s", "6p", "6p", "6p", "N"],
                ["1m", "9m", "2p", "2p", "8p", "8p", "1s", "1s", "5s", "5s", "W", "W", "S"]]},
    {"type": "tsumo", "actor": 0, "pai": "N"},
    {"type": "nukidora", "actor": 0, "pai": "N"},
    {"type": "tsumo", "actor": 0, "pai": "6p"},
    {"type": "hora", "actor": 0, "target": 0, "deltas": [7800, -3900, -3900], "ura_markers": []},
    {"type": "end_kyoku"},
    {"type": "start_kyoku", "bakaze": "E", "dora_marker": "1s", "kyoku": 1, "honba": 1, "kyotaku": 0, "oya": 0,
     "scores": [42800, 31100, 31100],
     "tehais": [["1m", "1m", "1m", "1p", "2p", "3p", "4p", "5p", "7s", "8s", "9s", "E", "N"],
                ["9m", "9m", "9m", "1p", "2p", "3p", "5p", "6p", "7p", "S", "S", "S", "N"],
                ["1m", "9m", "2p", "2p", "8p", "8p", "1s", "1s", "5s", "5s", "W", "W", "E"]]},
    {"type": "tsumo", "actor": 0, "pai": "C"},
    {"type": "kita", "actor": 0},
    {"type": "hora", "actor": 1, "target": 0, "deltas": [-2200, 2200, 0], "ura_markers": []},
    {"type": "end_kyoku"},
    {"type": "end_game"},
]  # fmt: skip


def test_three_players_with_norths_set_aside() -> None:
    [found], rejects = read(copy.deepcopy(SANMA))
    assert rejects == []
    assert found.game["players"] == ["mjai:Ann", "mjai:Bo", "mjai:Cai", None]
    assert json.loads(found.game["declared_options"])["paipu"] == {"red_fives": {"m": 0, "p": 0, "s": 0}}
    first, second = found.wins
    assert (first["n_players"], first["norths"], REPLACEMENTS[first["replacement"]]) == (3, 1, "kita")
    assert first["recorded_payments"] == [7800, -3900, -3900, 0]
    assert (WIN_KINDS[second["win_kind"]], ROBBED[second["robbed"]], NAMES[second["win_tile"]]) == (
        "rob_kong", "kita", "N",
    )  # fmt: skip
    assert [row["seat"] for row in found.seats] == [0, 1, 2, 0, 1, 2]
    assert found.game["final_scores"] == [40600, 33300, 31100, 0]


def test_three_players_in_lists_of_four() -> None:
    log = copy.deepcopy(SANMA)
    log[0]["names"].append("")
    for event in log:
        for key in ("scores", "deltas"):
            if key in event:
                event[key].append(0)
        if "tehais" in event:
            event["tehais"].append([])
    [found], rejects = read(log)
    assert rejects == []
    [other], _ = read(copy.deepcopy(SANMA))
    same_facts(found, other)


# -- files


def test_several_games_of_a_file(game: GameRows) -> None:
    other = events()
    other[0]["names"] = ["Eve", "Fay", "Guy", "Hal"]
    games, rejects = read(lines(events()) + lines(other))
    assert rejects == []
    assert [len(found.hands) for found in games] == [7, 7]
    assert games[0].game["game_id"] == game.game["game_id"] != games[1].game["game_id"]
    for found in games:
        same_facts(found, game)


def test_a_game_without_its_start_has_nameless_players(game: GameRows) -> None:
    [found], rejects = read(events()[1:])
    assert rejects == []
    assert found.game["players"] == [None] * 4
    same_facts(found, game)


def test_a_log_that_breaks_off_keeps_its_whole_hands() -> None:
    log = events()
    end = log.index(of_hand(log, 3)[8])
    [found], [reject] = read(log[:end])
    assert len(found.hands) == 3
    assert (reject["code"], reject["hand_no"]) == ("no_end", 3)
    assert found.game["final_scores"] is None


def test_a_game_without_a_whole_hand_leaves_the_store_free_for_it() -> None:
    games, [reject] = read(events()[:6])
    assert games == []
    assert reject["code"] == "no_end"


@pytest.mark.parametrize(
    "names", [["Ann", "Ann", "Bo", "NoName"], ["Ann", "Ann", "Bo", ""], ["Ann", "Ann", "Bo", None]]
)
def test_a_name_in_two_seats_and_no_name_are_nobody(names: list[str | None]) -> None:
    log = events()
    log[0]["names"] = names
    [found], _ = read(log)
    assert found.game["players"] == [None, None, "mjai:Bo", None]


def test_a_tenhou_address_identifies_the_game() -> None:
    log = events()
    log[0]["uri"] = "http://tenhou.net/0/?log=2018010122gm-00a9-0000-cae7ad45&tw=0"
    [found], _ = read(log)
    assert found.game["game_id"] == game_id("tenhou", "2018010122gm-00a9-0000-cae7ad45")
    assert found.game["log_id"] == "2018010122gm-00a9-0000-cae7ad45"


def test_the_matrix_says_what_the_dialects_give_together() -> None:
    log = gimite(events())
    log[0]["uri"] = "http://tenhou.net/0/?log=2018010122gm-00a9-0000-cae7ad45&tw=0"
    read_games = [game for part in (events(), log, SANMA) for game in read(part)[0]]
    stated = {column for column, level in support()["mjai"].items() if level != "null"}
    # A fixture with five indicators would need four kongs.
    rare = {("wins", f"{kind}{i}") for kind in ("dora", "ura") for i in range(2, 6)} | {
        ("wins", name) for name in ("liable_winds", "liable_kongs", "kong_feeder")
    }
    assert given_columns(read_games) | rare == stated


# -- what cannot be right


def change(number: int, kind: str, **values: Any) -> Callable[[list[Event]], None]:
    """Sets values of the first event of a kind in a hand."""

    def apply(log: list[Event]) -> None:
        next(event for event in of_hand(log, number) if event["type"] == kind).update(values)

    return apply


def drop(number: int, kind: str) -> Callable[[list[Event]], None]:
    def apply(log: list[Event]) -> None:
        found = next(event for event in of_hand(log, number) if event["type"] == kind)
        del log[next(i for i, event in enumerate(log) if event is found)]

    return apply


@pytest.mark.parametrize(
    ("edit", "hand", "event", "code"),
    [
        (change(0, "tsumo", pai="1x"), 0, 0, "unknown_tile"),
        (change(0, "tsumo", actor=2), 0, 0, "out_of_turn"),
        (change(0, "tsumo", actor=7), 0, 0, "bad_seat"),
        (change(0, "dahai", pai="?"), 0, 1, "hidden_tile"),
        (change(0, "dahai", pai="8s"), 0, 1, "not_in_hand"),
        (change(1, "dahai", type="toss"), 1, 1, "unknown_event"),
        (change(1, "pon", target=3), 1, 2, "bad_claim"),
        (change(0, "hora", target=2), 0, 10, "bad_payer"),
        (change(1, "hora", pai="4s"), 1, 12, "win_tile"),
        (change(0, "hora", deltas=[0, 13000, 0, -11000]), 0, None, "payments_do_not_sum"),
        (change(0, "hora", deltas=[13000, -13000]), 0, 10, "bad_value"),
        (change(5, "ryukyoku", reason="boredom"), 5, 140, "unknown_draw"),
        (change(5, "ryukyoku", reason="sufonrenta"), 5, 140, "bad_abort"),
        (change(3, "start_kyoku", bakaze="5m"), 3, None, "bad_round"),
        (change(3, "start_kyoku", kyoku=2), 3, None, "bad_round"),
        (change(3, "start_kyoku", honba=-1), 3, None, "bad_json"),
        (change(3, "start_kyoku", honba=2000), 3, None, "bad_header"),
        (change(3, "start_kyoku", scores=[33000, 37000, 18000, 12000]), 3, None, "scores_jump"),
        (change(3, "start_kyoku", tehais="none"), 3, None, "bad_json"),
        (drop(1, "kakan"), 1, 11, "bad_payer"),
    ],
)
def test_a_hand_that_cannot_be_is_rejected_alone(
    edit: Callable[[list[Event]], None], hand: int, event: int | None, code: str
) -> None:
    log = events()
    edit(log)
    [found], rejects = read(log)
    assert [(reject["code"], reject["hand_no"], reject["event_no"]) for reject in rejects] == [(code, hand, event)]
    assert hand not in {row["hand_no"] for row in found.hands}


def test_a_line_that_cannot_be_read_costs_its_hand() -> None:
    raw = lines(events()).splitlines(keepends=True)
    at = next(i for i, line in enumerate(raw) if b"kakan" in line)
    raw[at] = raw[at][:20] + b"\n"
    [found], [reject] = read(b"".join(raw))
    assert (reject["code"], reject["hand_no"], reject["position"]) == ("bad_json", 1, at + 1)
    assert [hand["hand_no"] for hand in found.hands] == [0, 2, 3, 4, 5, 6]


def test_the_line_of_a_bad_event_is_named() -> None:
    log = events()
    pon = next(i for i, event in enumerate(log) if event["type"] == "pon")
    log[pon]["target"] = 3
    _, [reject] = read(log)
    assert reject["position"] == pon + 1


def test_hands_that_were_picked_out_of_a_game_need_not_follow_each_other() -> None:
    log = events()
    kept = [log[0], *of_hand(log, 0), *of_hand(log, 4)]
    [found], rejects = read(kept)
    assert rejects == []
    assert len(found.hands) == 2


@pytest.mark.parametrize(
    ("reason", "kind"),
    [("kyushukyuhai", "kyuushu"), ("yao9", "kyuushu"), (None, "kyuushu"), ("KYUSHUKYUHAI", "kyuushu")],
)
def test_reasons_of_a_draw(reason: str | None, kind: str) -> None:
    log = events()
    change(2, "ryukyoku", reason=reason)(log)
    [found], _ = read(log)
    assert found.hands[2]["draw_kind"] == kind


@pytest.mark.parametrize("reason", ["fanpai", "exhaustive_draw", "荒牌平局"])
def test_names_of_an_exhaustive_draw(reason: str) -> None:
    log = events()
    change(5, "ryukyoku", reason=reason)(log)
    [found], rejects = read(log)
    assert rejects == []
    assert found.hands[5]["result"] == "exhaustive_draw"


def test_nagashi_with_ready_hands_that_are_not_shown() -> None:
    log = events()
    change(5, "ryukyoku", reason="流し満貫", tenpais=[False] * 4)(log)
    [found], rejects = read(log)
    assert rejects == []
    assert [row["tenpai_at_draw"] for row in found.seats if row["hand_no"] == 5] == [True, False, False, False]


def four_winds(reason: str, deltas: list[int]) -> list[Event]:
    """The first discards are four equal winds, and the dealer declares riichi on the first of them."""
    rest = ["1m", "1m", "1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "8m", "8m"]
    hands = [[tile.replace("m", suit) for tile in rest] for suit in "mps"]
    hands.append(["1s", "9m", "9m", "9m", "9p", "9p", "9p", "9s", "9s", "9s", "P", "P"])
    start = of_hand(events(), 0)[0] | {"tehais": [[*hand, "E"] for hand in hands], "dora_marker": "C"}
    log = [events()[0], start]
    for actor in range(4):
        log.append({"type": "tsumo", "actor": actor, "pai": ("9m", "S", "W", "P")[actor]})
        if actor == 0:
            log.append({"type": "reach", "actor": 0})
        log.append({"type": "dahai", "actor": actor, "pai": "E", "tsumogiri": False})
        if actor == 0:
            log.append({"type": "reach_accepted", "actor": 0})
    return [*log, {"type": "ryukyoku", "reason": reason, "deltas": deltas}, {"type": "end_kyoku"}]


@pytest.mark.parametrize(
    ("reason", "deltas"),
    [("sufonrenta", [0, 0, 0, 0]), ("sufuurenta", [-1000, 0, 0, 0]), ("四風連打", [0, 0, 0, 0])],
)
def test_payments_of_a_draw_may_hold_the_deposits(reason: str, deltas: list[int]) -> None:
    [found], rejects = read(four_winds(reason, deltas))
    assert rejects == []
    [hand] = found.hands
    assert (hand["draw_kind"], hand["deltas"], hand["sticks_after"]) == ("suufon", [-1000, 0, 0, 0], 1)


def test_payments_of_a_draw_that_are_neither_with_nor_without_the_deposits() -> None:
    _, [reject] = read(four_winds("sufuurenta", [-2000, 0, 0, 0]))
    assert reject["code"] == "payments_do_not_sum"


def test_an_unnamed_draw_after_a_discard_with_tiles_left_is_that_of_three_winners() -> None:
    log = events()
    hand = of_hand(log, 3)
    log = [log[0], *hand[:-3], {"type": "ryukyoku", "deltas": [0, 0, 0, 0]}, {"type": "end_kyoku"}]
    [found], rejects = read(log)
    assert rejects == []
    assert (found.hands[0]["draw_kind"], found.hands[0]["sticks_after"]) == ("sanchahou", 1)


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
@pytest.mark.parametrize(
    ("name", "hands", "wins", "rejects"),
    [
        ("riichienv_126_204_0_mjai.jsonl", 12, 9, []),
        ("riichienv_example_before_injection.jsonl", 12, 12, []),
        # These break off inside their only hand.
        ("mjaiapp_data_base_akadora.log", 0, 0, ["no_end"]),
        ("gimite_kuikae.mjson", 0, 0, ["no_end"]),
    ],
)
def test_real_logs(name: str, hands: int, wins: int, rejects: list[str]) -> None:
    log = Log(LOGS / name)
    assert formats.recognise(log.head) is FORMAT
    games, found = read((LOGS / name).read_bytes())
    assert [reject["code"] for reject in found] == rejects
    assert (sum(len(g.hands) for g in games), sum(len(g.wins) for g in games)) == (hands, wins)
    for game in games:
        assert sum(game.game["final_scores"]) == 100_000
        for before, after in zip(game.hands, game.hands[1:], strict=False):
            after_scores = [a + b for a, b in zip(before["scores_before"], before["deltas"], strict=True)]
            assert after_scores == after["scores_before"]
            assert before["sticks_after"] == after["sticks"]
