from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from ingest.formats import recognise, riichi_city
from ingest.ids import game_id
from ingest.record import GameRows, to_table
from ingest.sources import Log
from tests.ingest.logs import Text
from tests.ingest.riichi_games import EXPECTED, FOUR, FOUR_FINAL, THREE, THREE_FINAL, changes, city_record

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "riichicity"


def read(record: Any) -> GameRows:
    (found,) = riichi_city.read(Text(json.dumps(record).encode()))
    assert isinstance(found, GameRows), found
    return found


def four(**head: Any) -> dict[str, Any]:
    record = copy.deepcopy(city_record(FOUR, FOUR_FINAL))
    record["data"].update(head)
    return record


def events(record: dict[str, Any], hand: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = record["data"]["handRecord"][hand]["handEventRecord"]
    return found


def change(event: dict[str, Any], **fields: Any) -> None:
    event["data"] = json.dumps(json.loads(event["data"]) | fields)


def of_kind(record: dict[str, Any], kind: int, number: int = 0, hand: int = 0) -> dict[str, Any]:
    return [event for event in events(record, hand) if event["eventType"] == kind][number]


def refused(record: dict[str, Any]) -> list[tuple[int, str]]:
    return [(row["hand_no"], row["code"]) for row in read(record).rejects]


@pytest.mark.parametrize("shift", [0, 1, 2])
@pytest.mark.parametrize(("players", "hands", "final"), [(4, FOUR, FOUR_FINAL), (3, THREE, THREE_FINAL)])
def test_a_game(shift: int, players: int, hands: Any, final: list[int]) -> None:
    """Seat 0 is the first dealer, wherever the file lists it."""
    record = city_record(hands, final, shift=shift)
    assert recognise(json.dumps(record).encode()[: 1 << 16]) is riichi_city.FORMAT
    rows = read(record)
    assert not rows.rejects
    for win, expected in zip(rows.wins, EXPECTED[players], strict=True):
        assert {key: win.get(key) for key in expected} == expected
    assert [hand["deltas"] for hand in rows.hands] == [changes(hand) for hand in hands]
    assert [hand["scores_before"][:players] for hand in rows.hands] == [hand.scores for hand in hands]
    assert rows.game["final_scores"][:players] == final
    assert rows.game["final_points"][:players] == [float(seat) for seat in range(players)]
    assert rows.game["players"] == [f"riichi_city:{100 + s}" for s in range(players)] + [None] * (4 - players)
    assert rows.game["declared"] == f"riichi_city_{players}p"
    assert json.loads(rows.game["declared_options"])["paipu"] == {}
    assert rows.game["game_id"] == game_id("riichi_city", "made0up")
    for table in ("hands", "seats", "wins"):
        to_table(table, getattr(rows, table))
    to_table("games", [rows.game])


def test_exhaustive_draw() -> None:
    rows = read(four())
    assert (rows.hands[3]["result"], rows.hands[3]["wall_left"]) == ("exhaustive_draw", 0)
    ready = [seat["tenpai_at_draw"] for seat in rows.seats if seat["hand_no"] == 3]
    assert ready == [False, True, False, False]


def test_an_indicator_turned_by_a_kong() -> None:
    """The list may hold the indicators before it too: the new one is its last."""
    record = four()
    kong = next(event for event in events(record, 1) if '"action": 6' in event["data"])
    turned = {"eventType": 7, "userId": 0, "data": json.dumps({"cards": [0x41, 0x91]})}
    events(record, 1).insert(events(record, 1).index(kong) + 2, turned)
    win = read(record).wins[1]
    assert (win["dora1"], win["dora2"]) == (28, 31)


def test_a_claimed_set_whose_tiles_are_not_told() -> None:
    record = four()
    pon = next(event for event in events(record, 2) if '"action": 5' in event["data"])
    change(pon, group_cards=None)
    assert not read(record).rejects


def test_null_is_what_is_left_out() -> None:
    record = four()
    for event in events(record):
        data = json.loads(event["data"])
        if event["eventType"] == 1:
            data |= {"ben_chang_num": None, "li_zhi_bang_num": None}
        elif event["eventType"] == 2 and not data["in_card"]:
            data["in_card"] = None
        event["data"] = json.dumps(data)
    assert not read(record).rejects


def test_own_kongs_by_their_tiles() -> None:
    """Clients number own kongs differently."""
    record = four()
    kong = next(event for event in events(record, 2) if '"action": 9' in event["data"])
    change(kong, action=8)
    assert read(record).wins[2]["robbed"] == 0


def test_rules_that_the_head_changes() -> None:
    game = read(four(isGangPay=False, initPoints=30000, round=1)).game
    assert json.loads(game["declared_options"])["paipu"] == {
        "start_points": 30000,
        "pao_daiminkan_rinshan": False,
        "length": "tonpuu",
    }


@pytest.mark.parametrize("head", [{"gamePlay": 1003}, {"gamePlay": 1002}, {"isLuck": True}, {"isShaoJi": True}])
def test_rooms_with_their_own_rules_declare_nothing(head: dict[str, Any]) -> None:
    assert read(four(**head)).game["declared"] is None


@pytest.mark.parametrize("flag", ["isGeMu", "isKaiLiZhi"])
def test_other_games_are_refused(flag: str) -> None:
    (found,) = riichi_city.read(Text(json.dumps(four(**{flag: True})).encode()))
    assert isinstance(found, dict)
    assert (found["code"], found["log_id"]) == ("other_rules", "made0up")


@pytest.mark.parametrize(
    ("number", "kind"), [(6, "kyuushu"), (5, "sanchahou"), (2, "suufon"), (3, "suukaikan"), (4, "suucha")]
)
def test_aborted_hands(number: int, kind: str) -> None:
    """What the play does not bear out is refused: only nine terminals and three winners fit this one."""
    record = four()
    if number == 6:  # the dealer's thirteen orphans, before any discard
        del events(record)[5:-2]
    else:
        del events(record)[6:-2]
    events(record).pop(-2)
    profits = [{"user_id": 100 + seat, "point_profit": 0, "user_point": 25000} for seat in range(4)]
    change(events(record)[-1], end_type=number, win_info=[], user_profit=profits)
    rows = read(record)
    if kind in ("kyuushu", "sanchahou"):
        assert rows.hands[0]["draw_kind"] == kind
        assert rows.hands[0]["deltas"] == [0, 0, 0, 0]
    else:
        assert (0, "bad_abort") in [(row["hand_no"], row["code"]) for row in rows.rejects]


def test_a_hand_ended_by_vote_has_no_result() -> None:
    record = four()
    change(of_kind(record, 5), end_type=8)
    assert refused(record) == [(0, "voted_off")]


@pytest.mark.parametrize(
    ("kind", "number", "fields", "code"),
    [
        (1, 0, {"quan_feng": 7}, "bad_header"),
        (1, 0, {"bao_pai_card": 0}, "unknown_tile"),
        (1, 1, {"hand_cards": [1]}, "tile_count"),
        (1, 1, {"hand_cards": None}, "tile_count"),
        (2, 1, {"in_card": 300}, "unknown_tile"),
        (4, 0, {"card": 0x12}, "not_in_hand"),
        (4, 0, {"action": 77}, "bad_event"),
        (4, 0, {"user_id": 5}, "bad_seat"),
        (5, 0, {"end_type": 77}, "bad_result"),
        (5, 0, {"win_info": []}, "bad_result"),
        (5, 0, {"user_profit": []}, "bad_payments"),
        (5, 0, {"user_profit": [{"user_id": 101, "point_profit": 1000, "user_point": 1}]}, "bad_scores"),
    ],
)
def test_what_cannot_be_is_refused(kind: int, number: int, fields: dict[str, Any], code: str) -> None:
    record = four()
    change(of_kind(record, kind, number), **fields)
    assert (0, code) in refused(record)
    assert [hand["hand_no"] for hand in read(record).hands] == [1, 2, 3, 4]


def test_a_dealer_who_does_not_fit_the_round() -> None:
    record = four()
    for number in range(4):
        change(of_kind(record, 1, number, hand=1), dealer_pos=0)
    assert refused(record) == [(1, "bad_header")]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"code": 0, "data": {"handRecord": [', "bad_json"),
        (b'{"code": 0, "data": {"handRecord": []}}', "no_hands"),
        (b'{"code": 0, "data": []}', "bad_json"),
        (b'{"data": {"playerCount": 4, "handRecord": [{"handEventRecord": [], "players": []}]}}', "bad_players"),
    ],
)
def test_not_a_whole_record(content: bytes, code: str) -> None:
    (found,) = riichi_city.read(Text(content))
    assert isinstance(found, dict)
    assert found["code"] == code


def test_a_hand_that_breaks_off() -> None:
    record = four()
    del events(record)[8:]
    assert refused(record) == [(0, "no_end")]


def test_several_games() -> None:
    line = json.dumps(four()).encode()
    assert len(list(riichi_city.read(Text(b"[" + line + b"," + line + b"]")))) == 2
    first, broken = riichi_city.read(Text(line + b"\n" + line[:50] + b"}\n"))
    assert isinstance(first, GameRows)
    assert isinstance(broken, dict)
    assert (broken["code"], broken["position"]) == ("bad_json", 2)


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
def test_real_records_are_read_whole() -> None:
    hands = wins = 0
    for path in sorted(LOGS.glob("*.json")):
        log = Log(path)
        if not riichi_city.sniff(log.head):
            assert "List" in path.name  # a player's list of games, without hands
            continue
        (game,) = riichi_city.read(log)
        assert isinstance(game, GameRows)
        assert not game.rejects
        hands += len(game.hands)
        wins += len(game.wins)
        for before, after in zip(game.hands, game.hands[1:], strict=False):
            scores = [a + b for a, b in zip(before["scores_before"], before["deltas"], strict=True)]
            assert scores == after["scores_before"]
            assert before["sticks_after"] == after["sticks"]
    assert (hands, wins) == (18, 15)
