from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from analysis.rules.preset import load_preset
from ingest.formats import mahjong_soul, recognise
from ingest.ids import game_id
from ingest.record import GameRows, to_table
from ingest.tiles import NAMES
from tests.ingest.logs import Text
from tests.ingest.riichi_games import EXPECTED, FOUR, FOUR_FINAL, THREE, THREE_FINAL, changes, soul_messages

Message = tuple[str, dict[str, Any]]


def head(players: int, final: list[int], **config: Any) -> dict[str, Any]:
    return {
        "uuid": "230101-made-up",
        "start_time": 1700000000,
        "config": {"category": 2, "mode": {"mode": 2 if players == 4 else 12}, "meta": {"mode_id": 9}} | config,
        "accounts": [{"account_id": 100 + seat, "seat": seat, "nickname": f"n{seat}"} for seat in range(players)],
        "result": {
            "players": [
                {"seat": seat, "part_point_1": final[seat], "total_point": 1000 * seat} for seat in range(players)
            ]
        },
    }


def new_form(messages: list[Message], about: dict[str, Any]) -> dict[str, Any]:
    """As since mid-2021: actions, of which those of type 1 hold a message, with the prefix of the protocol."""
    actions: list[dict[str, Any]] = [{"passed": 0, "type": 2, "user_input": {"seat": 1}}]
    actions += [
        {"passed": 10 * number, "type": 1, "result": {"name": f".lq.{name}", "data": fields}}
        for number, (name, fields) in enumerate(messages)
    ]
    data = {"name": ".lq.GameDetailRecords", "data": {"version": 210715, "actions": actions}}
    return {"head": about, "data": data}


def old_form(messages: list[Message], about: dict[str, Any]) -> dict[str, Any]:
    return {"head": about, "records": [{"name": name, "data": fields} for name, fields in messages]}


def keyed_form(messages: list[Message], about: dict[str, Any]) -> list[Any]:
    return [{"RecordGame": about}, *({f"lq.{name}": fields} for name, fields in messages)]


def flat_form(messages: list[Message], about: dict[str, Any]) -> dict[str, Any]:
    return {"head": about, "data": [{"name": name} | fields for name, fields in messages]}


def camel(value: Any) -> Any:
    """As programs write it that turn the protocol into JSON: camel case, without what is 0, false or empty."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, item in value.items():
        if item not in (0, False, "", [], None) or key in ("scores", "froms", "delta_scores"):
            first, *rest = key.split("_")
            found[first + "".join(part[:1].upper() + part[1:] for part in rest)] = camel(item)
    return found


def camel_form(messages: list[Message], about: dict[str, Any]) -> dict[str, Any]:
    return new_form([(name, camel(fields)) for name, fields in messages], camel(about))


FORMS = [new_form, old_form, keyed_form, flat_form, camel_form]


def read(record: Any) -> GameRows:
    (found,) = mahjong_soul.read(Text(json.dumps(record).encode()))
    assert isinstance(found, GameRows), found
    return found


def refused(messages: list[Message]) -> list[tuple[int, str]]:
    return [(row["hand_no"], row["code"]) for row in read(old_form(messages, head(4, FOUR_FINAL))).rejects]


def four() -> list[Message]:
    return copy.deepcopy(list(soul_messages(FOUR)))


def at(messages: list[Message], name: str, number: int = 0) -> dict[str, Any]:
    return [fields for found, fields in messages if found == name][number]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("players", "hands", "final"), [(4, FOUR, FOUR_FINAL), (3, THREE, THREE_FINAL)])
def test_a_game_in_every_layout(form: Any, players: int, hands: Any, final: list[int]) -> None:
    record = form(list(soul_messages(hands)), head(players, final))
    assert recognise(json.dumps(record).encode()[: 1 << 16]) is mahjong_soul.FORMAT
    rows = read(record)
    assert not rows.rejects
    for win, expected in zip(rows.wins, EXPECTED[players], strict=True):
        assert {key: win.get(key) for key in expected} == expected
    assert [hand["deltas"] for hand in rows.hands] == [changes(hand) for hand in hands]
    assert [hand["scores_before"][:players] for hand in rows.hands] == [hand.scores for hand in hands]
    assert rows.game["final_scores"][:players] == final
    assert rows.game["players"] == [f"mahjong_soul:{100 + s}" for s in range(players)] + [None] * (4 - players)
    assert rows.game["declared"] == f"mahjong_soul_{players}p"
    assert json.loads(rows.game["declared_options"])["paipu"] == {}
    assert rows.game["game_id"] == game_id("mahjong_soul", "230101-made-up")
    for table in ("hands", "seats", "wins"):
        to_table(table, getattr(rows, table))
    to_table("games", [rows.game])


def test_recorded_yaku_and_payments() -> None:
    rows = read(new_form(four(), head(4, FOUR_FINAL)))
    assert json.loads(rows.wins[0]["recorded_items"]) == {"double_riichi": 2, "ippatsu": 1, "pinfu": 1}
    assert rows.wins[1]["recorded_payments"] == [-700, -1300, -700, 2700]


def test_exhaustive_draw() -> None:
    rows = read(new_form(four(), head(4, FOUR_FINAL)))
    hand = rows.hands[3]
    assert (hand["result"], hand["draw_kind"], hand["wall_left"], hand["nagashi"]) == ("exhaustive_draw", None, 0, 0)
    seats = [seat for seat in rows.seats if seat["hand_no"] == 3]
    assert [seat["tenpai_at_draw"] for seat in seats] == [False, True, False, False]
    assert [seat["discards"] for seat in seats] == [18, 17, 17, 18]


def test_yakuman_count_thirteen_each() -> None:
    messages = four()
    hule = at(messages, "RecordHule", 2)["hules"][0]
    hule |= {"yiman": True, "count": 3, "fans": [{"id": 39, "val": 1}, {"id": 50, "val": 2}, {"id": 31, "val": 1}]}
    win = read(old_form(messages, head(4, FOUR_FINAL))).wins[2]
    assert json.loads(win["recorded_items"]) == {"tsuuiisou": 13, "daisuushii": 26}
    assert (win["recorded_tai"], win["recorded_fu"]) == (39, None)


def heavenly(won: str) -> list[Message]:
    """The dealer wins with the fourteen tiles it was dealt, of which the record counts `won` as drawn."""
    hands = [
        "1m 2m 3m 4m 0m 6m 7p 7p 7p 2s 3s 4s 5z 5z",
        "1p 1p 4p 4p 9p 9p 1s 1s 9s 9s 2z 2z 6z",
        "2p 2p 5p 5p 8p 8p 5s 5s 8s 8s 3z 3z 6z",
        "3p 3p 6p 6p 6s 6s 7s 7s 1z 1z 4z 4z 6z",
    ]
    start: dict[str, Any] = four()[0][1] | {"doras": ["9m"]}
    start |= {f"tiles{seat}": hand.split() for seat, hand in enumerate(hands)}
    held = hands[0].split()
    held.remove(won)
    hule = {"seat": 0, "hand": held, "hu_tile": won, "zimo": True, "yiman": True, "count": 1, "doras": ["9m"]}
    hule |= {"fans": [{"id": 35, "val": 1}], "point_zimo_xian": 16000}
    return [("RecordNewRound", start), ("RecordHule", {"hules": [hule], "delta_scores": [48000, *[-16000] * 3]})]


@pytest.mark.parametrize("won", ["5z", "2s", "0m"])
def test_any_of_the_tiles_dealt_may_be_that_of_a_heavenly_hand(won: str) -> None:
    rows = read(old_form(heavenly(won), head(4, FOUR_FINAL)))
    assert not rows.rejects
    (win,) = rows.wins
    assert (win["heavenly"], win["reds"], win["recorded_points"]) == (True, 1, 48000)
    assert NAMES[win["win_tile"]] == won.replace("0", "5").replace("5z", "P")


def test_a_heavenly_hand_of_other_tiles_is_refused() -> None:
    messages = heavenly("5z")
    at(messages, "RecordHule")["hules"][0]["hu_tile"] = "6z"
    assert refused(messages) == [(0, "win_tile")]


def test_the_oldest_records_name_the_yaku_without_numbers() -> None:
    messages = four()
    names = {18: "两立直", 30: "一发", 14: "平和"}
    hule = at(messages, "RecordHule")["hules"][0]
    hule["fans"] = [{"name": names[fan["id"]], "val": fan["val"]} for fan in hule["fans"]]
    win = read(old_form(messages, head(4, FOUR_FINAL))).wins[0]
    assert json.loads(win["recorded_items"]) == {"double_riichi": 2, "ippatsu": 1, "pinfu": 1}
    hule["fans"][0]["name"] = "?"
    assert (0, "unknown_yaku") in refused(messages)


@pytest.mark.parametrize(
    ("number", "kind"), [(1, "kyuushu"), (3, "sanchahou"), (4, "sanchahou"), (5, "sanchahou")], ids=str
)
def test_aborted_hands(number: int, kind: str) -> None:
    """Above 2 the number does not tell: without four riichi or four kongs it was three winners."""
    messages = four()[:1]
    if number != 1:
        messages.append(("RecordDiscardTile", {"seat": 0, "tile": "3z", "is_liqi": False}))
    messages.append(("RecordLiuJu", {"type": number}))
    rows = read(old_form(messages, head(4, FOUR_FINAL)))
    assert [hand["draw_kind"] for hand in rows.hands] == [kind]
    assert rows.hands[0]["deltas"] == [0, 0, 0, 0]


def test_rules_of_a_friendly_room() -> None:
    switches = {
        "have_liujumanguan": True, "have_biao_dora": True, "have_gang_biao_dora": True, "have_li_dora": True,
        "have_gang_li_dora": True, "have_yifa": False, "have_toutiao": True,
    }  # fmt: skip
    detail = switches | {"dora_count": 0, "shiduan": 0, "init_point": 25000, "disable_leijiyiman": True, "fanfu": 2}
    about = head(4, FOUR_FINAL, category=1, mode={"mode": 1, "detail_rule": detail})
    game = read(new_form(four(), about)).game
    assert game["declared"] == "mahjong_soul_4p"
    assert json.loads(game["declared_options"])["paipu"] == {
        "red_fives": {"m": 0, "p": 0, "s": 0},
        "open_tanyao": False,
        "ippatsu": False,
        "counted_yakuman": "sanbaiman",
        "multi_ron": "head_bump",
        "min_han": 2,
        "length": "tonpuu",
    }


def test_local_yaku_of_a_room_are_rules_of_ours() -> None:
    detail = {"dora_count": 3, "shiduan": 1, "guyi_mode": 1}
    about = head(4, FOUR_FINAL, category=1, mode={"mode": 2, "detail_rule": detail})
    paipu = json.loads(read(new_form(four(), about)).game["declared_options"])["paipu"]
    assert paipu["renhou"] == "yakuman"
    options = load_preset("mahjong_soul_4p").catalogue().options
    assert {"kanburi", "tsubame_gaeshi", "daisharin"} <= set(options["local_yaku"].read(paipu["local_yaku"]))


def test_a_room_without_its_rules_declares_nothing() -> None:
    assert read(new_form(four(), head(4, FOUR_FINAL, category=1))).game["declared"] is None
    assert read(new_form(four(), {})).game["declared"] is None


def test_reds_are_not_known_where_the_set_has_none() -> None:
    about = head(4, FOUR_FINAL, category=1, mode={"mode": 2, "detail_rule": {"dora_count": 0, "shiduan": 1}})
    assert read(new_form(four(), about)).wins[2]["reds"] is None


@pytest.mark.parametrize("switch", ["chuanma", "dora3_mode"])
def test_other_games_are_refused(switch: str) -> None:
    about = head(4, FOUR_FINAL, mode={"mode": 1, "detail_rule": {switch: 1}})
    (found,) = mahjong_soul.read(Text(json.dumps(new_form(four(), about)).encode()))
    assert isinstance(found, dict)
    assert (found["code"], found["log_id"]) == ("other_rules", "230101-made-up")
    messages = four()
    at(messages, "RecordHule")["hules"][0]["fans"] = [{"id": 1006, "val": 2}]
    assert (0, "other_rules") in refused(messages)


def test_a_damaged_hand_is_refused_and_the_rest_kept() -> None:
    messages = four()
    at(messages, "RecordDiscardTile", 2)["tile"] = "7s"
    rows = read(old_form(messages, head(4, FOUR_FINAL)))
    assert [(row["hand_no"], row["code"], row["event_no"]) for row in rows.rejects] == [(0, "not_drawn", 5)]
    assert [hand["hand_no"] for hand in rows.hands] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("message", "number", "change", "code"),
    [
        ("RecordNewRound", 0, {"ju": 4}, "bad_seat"),
        ("RecordNewRound", 0, {"tiles1": ["1m"]}, "tile_count"),
        ("RecordNewRound", 0, {"tiles0": ["1m"] * 13}, "bad_deal"),
        ("RecordNewRound", 0, {"scores": [1, 2]}, "bad_scores"),
        ("RecordNewRound", 0, {"doras": ["8z"]}, "unknown_tile"),
        ("RecordDealTile", 0, {"seat": 2}, "out_of_turn"),
        ("RecordDealTile", 0, {"tile": None}, "unknown_tile"),
        ("RecordDealTile", 0, {"seat": "x"}, "bad_value"),
        ("RecordHule", 0, {"delta_scores": [0, 7700, -7700, 0]}, "bad_payments"),
        ("RecordHule", 0, {"old_scores": [25000, 25000, 25000, 25000]}, "bad_scores"),
        ("RecordHule", 0, {"hules": []}, "bad_result"),
    ],
)
def test_what_cannot_be_is_refused(message: str, number: int, change: dict[str, Any], code: str) -> None:
    messages = four()
    at(messages, message, number).update(change)
    assert (0, code) in refused(messages)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hand": ["1m"] * 13}, "hand_mismatch"),
        ({"hu_tile": "5s"}, "win_tile"),
        ({"fans": [{"id": 30, "val": 1}]}, "riichi_differs"),
        ({"fans": [{"id": 2, "val": 1}, {"id": 6, "val": 1}]}, "situation_differs"),
        ({"fans": [{"id": 999, "val": 1}]}, "unknown_yaku"),
    ],
)
def test_a_win_that_is_not_that_of_the_play(change: dict[str, Any], code: str) -> None:
    messages = four()
    at(messages, "RecordHule")["hules"][0].update(change)
    assert (0, code) in refused(messages)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"head": {}, "records": [{"name": ".lq.RecordNewRound"', "bad_json"),
        (b'{"head": {"uuid": "u"}, "data": {"name": ".lq.GameDetailRecords", "data": "CgQ="}}', "encoded"),
        (b'{"head": {"uuid": "u"}, "data": {"name": ".lq.GameDetailRecords", "data": {}}}', "no_hands"),
        (b'[{"RecordDealTile": {"seat": 1}}]', "bad_record"),
        (b"[1]", "bad_json"),
    ],
)
def test_not_a_whole_record(content: bytes, code: str) -> None:
    (found,) = mahjong_soul.read(Text(content))
    assert isinstance(found, dict)
    assert found["code"] == code


def test_a_hand_that_breaks_off() -> None:
    assert refused(four()[:4]) == [(0, "no_end")]


def test_one_game_per_line() -> None:
    line = json.dumps(old_form(four(), head(4, FOUR_FINAL))).encode()
    first, broken = mahjong_soul.read(Text(line + b"\n" + line[:50] + b"}\n"))
    assert isinstance(first, GameRows)
    assert isinstance(broken, dict)
    assert (broken["code"], broken["position"]) == ("bad_json", 2)


@pytest.mark.parametrize(
    "head",
    [b'{"nested": {"lq": {"nested": {"RecordNewRound": {"fields": {}}}}}}', b'{"log": [[{"qipai": {}}]]}', b"{}"],
)
def test_the_schema_and_other_logs_are_not_records(head: bytes) -> None:
    assert not mahjong_soul.sniff(head)
