from __future__ import annotations

import copy
import json
import urllib.parse
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.formats import recognise, tenhou_json, tenhou_mjlog
from ingest.formats.tenhou_json_scores import read_score
from ingest.ids import game_id
from ingest.record import GameRows, to_table
from ingest.sources import Log
from tests.ingest.logs import Text
from tests.ingest.riichi_games import EXPECTED, FOUR, FOUR_FINAL, THREE, THREE_FINAL, Hand, changes, tiles, total

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs"
TENHOU_ID = "2018010203gm-0009-0000-0123abcd"
SOUL_ID = "230102-01234567-89ab-cdef-0123-456789abcdef"

JAPANESE = {
    "double_riichi": "両立直", "ippatsu": "一発", "pinfu": "平和", "haku": "役牌 白", "rinshan": "嶺上開花",
    "chankan": "槍槓", "aka_dora": "赤ドラ", "sanshoku_doujun": "三色同順", "tanyao": "断幺九",
    "round_wind": "場風 東", "menzen_tsumo": "門前清自摸和", "kita_dora": "抜きドラ",
}  # fmt: skip
ENGLISH = {
    "double_riichi": "Double Riichi", "ippatsu": "Ippatsu", "pinfu": "Pinfu", "haku": "White Dragon",
    "rinshan": "After a Kan", "chankan": "Robbing a Kan", "aka_dora": "Red Five", "tanyao": "All Simples",
    "sanshoku_doujun": "Mixed Triple Sequence", "round_wind": "Prevalent Wind",
    "menzen_tsumo": "Fully Concealed Hand", "kita_dora": "Kita",
}  # fmt: skip
CHINESE = {
    "double_riichi": "两立直", "ippatsu": "一发", "pinfu": "平和", "haku": "役牌 白", "rinshan": "岭上开花",
    "chankan": "枪杠", "aka_dora": "红宝牌", "sanshoku_doujun": "三色同顺", "tanyao": "断幺九",
    "round_wind": "役牌:场风牌", "menzen_tsumo": "门前清自摸和", "kita_dora": "拔北宝牌",
}  # fmt: skip


def code(tile: str) -> int:
    number, suit = int(tile[0]), "mpsz".index(tile[1]) + 1
    return 10 * suit + number if number else 50 + suit


def written(hand: Hand, names: dict[str, str]) -> list[Any]:
    """A scripted hand as the 17 parts of the format."""
    seats = len(hand.deal)
    takes: list[list[Any]] = [[] for _ in range(4)]
    drops: list[list[Any]] = [[] for _ in range(4)]
    drawn: dict[int, str] = {}
    pons: dict[str, str] = {}

    def take(seat: int, tile: str) -> None:
        takes[seat].append(code(tile))
        drawn[seat] = tile

    take(hand.dealer, hand.first)
    for what, seat, tile, *more in hand.events:
        if what == "draw":
            take(seat, tile)
        elif what in ("discard", "riichi"):
            number = 60 if drawn.pop(seat, None) == tile else code(tile)
            drops[seat].append(f"r{number}" if what == "riichi" else number)
        elif what == "kita":
            drops[seat].append("f44")
        elif what == "added_kong":
            drops[seat].append(pons[tile.replace("0", "5")].replace("p", f"k{code(tile)}"))
        else:
            own, feeder = more
            letter = {"chi": "c", "pon": "p", "open_kong": "m"}[what]
            pairs = [str(code(one)) for one in own]
            place = {3: 0, 2: 1, 1: len(own)}[(feeder - seat) % 4]
            pairs.insert(place, letter + str(code(tile)))
            takes[seat].append("".join(pairs))
            pons[tile] = "".join(pairs)
            if what == "open_kong":
                drops[seat].append(0)
    result: list[Any] = ["流局", [*hand.deltas, *[0] * (4 - seats)]]
    if hand.wins:
        result = ["和了"]
        gains = [*hand.deltas, *[0] * (4 - seats)]
        for win in reversed(hand.wins):  # the last winner's share is without honba and deposits
            payments = list(gains)
            if win is not hand.wins[0]:
                payments = [0] * 4
                payments[win.seat], payments[hand.wins[0].payer or 0] = total(win, hand), -total(win, hand)
                gains = [a - b for a, b in zip(gains, payments, strict=True)]
            han = sum(win.yaku.values())
            points = str(win.pays[0]) if win.payer is not None else f"{win.pays[0]}-{win.pays[1]}"
            head = f"{win.fu}符{han}飜" if han < 5 else {7: "跳満"}[han]
            yaku = [f"{names[yaku]}({worth}飜)" for yaku, worth in win.yaku.items()]
            info = [win.seat, win.seat if win.payer is None else win.payer, win.seat, f"{head}{points}点", *yaku]
            result[1:1] = [payments, info]
    ura = max((win.ura for win in hand.wins), default=[])
    head_parts = [[4 * hand.chang + hand.dealer, hand.honba, hand.sticks], [*hand.scores, *[0] * (4 - seats)]]
    parts = [*head_parts, list(map(code, hand.dora)), list(map(code, ura))]
    for seat in range(4):
        dealt = sorted(map(code, tiles(hand.deal[seat]))) if seat < seats else []
        parts += [dealt, takes[seat], drops[seat]]
    return [*parts, result]


def game(
    hands: list[Hand] = FOUR, final: list[int] = FOUR_FINAL, names: dict[str, str] = JAPANESE, **head: Any
) -> dict[str, Any]:
    players = len(final)
    pairs = [value for seat, score in enumerate(final) for value in (score, float(seat))]
    about = {
        "title": ["", ""],
        "name": [f"n{seat}" for seat in range(players)] + [""] * (4 - players),
        "rule": {"disp": "般南喰赤" if players == 4 else "三般南喰赤", "aka51": 1, "aka52": 1, "aka53": 1},
        "sc": pairs,
    }
    return about | head | {"log": [written(hand, names) for hand in hands]}


def read(record: Any) -> GameRows:
    (found,) = tenhou_json.read(Text(json.dumps(record)))
    assert isinstance(found, GameRows), found
    return found


def refused(record: Any) -> list[tuple[int, str]]:
    return [(row["hand_no"], row["code"]) for row in read(record).rejects]


@pytest.mark.parametrize("names", [JAPANESE, ENGLISH, CHINESE], ids=["ja", "en", "zh"])
@pytest.mark.parametrize(("players", "hands", "final"), [(4, FOUR, FOUR_FINAL), (3, THREE, THREE_FINAL)])
def test_a_game(players: int, hands: list[Hand], final: list[int], names: dict[str, str]) -> None:
    record = game(hands, final, names)
    assert recognise(json.dumps(record).encode()[: 1 << 16]) is tenhou_json.FORMAT
    rows = read(record)
    assert not rows.rejects
    for win, expected in zip(rows.wins, EXPECTED[players], strict=True):
        told = expected | ({"recorded_fu": None} if win["recorded_tai"] > 4 else {})
        assert {key: win.get(key) for key in told} == told
        assert set(json.loads(win["recorded_items"])) <= set(JAPANESE)
    assert [hand["deltas"] for hand in rows.hands] == [changes(hand) for hand in hands]
    assert [hand["scores_before"][:players] for hand in rows.hands] == [hand.scores for hand in hands]
    assert rows.game["final_scores"][:players] == final
    assert rows.game["final_points"][:players] == [float(seat) for seat in range(players)]
    assert rows.game["players"] == [f"tenhou:n{seat}" for seat in range(players)] + [None] * (4 - players)
    assert rows.game["declared"] == f"tenhou_{players}p"
    assert json.loads(rows.game["declared_options"])["paipu"] == {}
    for table in ("hands", "seats", "wins"):
        to_table(table, getattr(rows, table))
    to_table("games", [rows.game])


def test_exhaustive_draw() -> None:
    rows = read(game())
    assert (rows.hands[3]["result"], rows.hands[3]["wall_left"]) == ("exhaustive_draw", 0)
    ready = [seat["tenpai_at_draw"] for seat in rows.seats if seat["hand_no"] == 3]
    assert ready == [False, True, False, False]


@pytest.mark.parametrize(
    ("word", "codes"), [("全員聴牌", [(0, "not_tenpai")]), ("全員不聴", []), ("流し満貫", [(0, "no_nagashi")])]
)
def test_other_words_for_a_draw(word: str, codes: list[tuple[int, str]]) -> None:
    record = game([FOUR[3]])
    record["log"][0][-1] = [word] if word != "流し満貫" else [word, [-2000, 8000, -2000, -4000]]
    rows = read(record)
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == codes
    if not codes:
        assert rows.hands[0]["deltas"] == [0, 0, 0, 0]


def test_nobody_ready_is_not_everybody_ready_whatever_the_word() -> None:
    record = game([FOUR[3]])
    parts = record["log"][0]
    parts[4][0], parts[7][0] = parts[7][0], parts[4][0]
    parts[-1] = ["全員聴牌", [0, 0, 0, 0]]
    rows = read(record)
    assert not rows.rejects
    assert [seat["tenpai_at_draw"] for seat in rows.seats] == [False] * 4


def dealt(*hands: str) -> list[list[int]]:
    return [sorted(map(code, tiles(hand))) for hand in hands]


def single(
    result: list[Any], hands: list[list[int]], takes: list[list[Any]], drops: list[list[Any]], **head: Any
) -> dict[str, Any]:
    """A game of one hand, East 1 without deposits, the indicator 1p."""
    seats = [part for lists in zip(hands, takes, drops, strict=True) for part in lists]
    parts = [[0, 0, 0], [25000] * 4, [21], [], *seats, result]
    return {"name": ["a", "b", "c", "d"], "rule": {"disp": "鳳南喰赤", "aka": 1}} | head | {"log": [parts]}


@pytest.mark.parametrize("text", ["515151a51", "151515a15", "515115a15", "151515a51"])
@pytest.mark.parametrize("own", ["0", "5"])
def test_red_fives_of_a_concealed_kong_are_those_of_the_hand(text: str, own: str) -> None:
    hands = dealt(f"{own}55m23456p456s11z", "234678m234p67s99s", "289m369p147s2235z", "147m258p369s2267z")
    takes: list[list[Any]] = [[15, 44, 27], [43], [43], [44]]
    result = ["和了", [6000, -2000, -2000, -2000], [0, 0, 0, "40符3飜2000点∀", "門前清自摸和(1飜)"]]
    (win,) = read(single(result, hands, takes, [[text, 60], [60], [60], [60]])).wins
    assert win["reds"] == (own == "0")


def test_whole_payments_may_be_written_with_a_fraction() -> None:
    record = game()
    for hand in record["log"]:
        hand[-1][1] = [float(change) for change in hand[-1][1]]
    assert [hand["deltas"] for hand in read(record).hands] == [changes(hand) for hand in FOUR]
    record["log"][0][-1][1][0] += 0.5
    assert refused(record) == [(0, "bad_result")]


def test_an_answer_of_a_server_with_the_game_inside() -> None:
    answer = {"is_error": False, "log": game()}
    assert recognise(json.dumps(answer).encode()) is tenhou_json.FORMAT
    assert len(read(answer).hands) == 5


def test_four_winds() -> None:
    hands = dealt("1199m1199p12356z", "234567m234p67s99s", "258m369p147s1235z", "147m258p369s1267z")
    record = single(["四風連打"], hands, [[44], [44], [44], [44]], [[60], [60], [60], [60]])
    assert [hand["draw_kind"] for hand in read(record).hands] == ["suufon"]
    record["log"][0][6][0] = 41
    assert refused(record) == [(0, "bad_abort")]


def test_nine_terminals() -> None:
    hands = dealt("1199m1199p12356z", "234567m234p67s99s", "258m369p147s1235z", "147m258p369s1267z")
    rows = read(single(["九種九牌"], hands, [[44], [], [], []], [[], [], [], []]))
    assert [(hand["draw_kind"], hand["deltas"]) for hand in rows.hands] == [("kyuushu", [0, 0, 0, 0])]
    assert refused(single(["九種九牌"], hands, [[44], [44], [], []], [[60], [60], [], []])) == [(0, "bad_abort")]


def called_around_riichi(result: list[Any]) -> dict[str, Any]:
    """Seat 3 declares riichi with its first discard; seat 0 has made a pon with its second tile, perhaps before."""
    hands = dealt("1199m1199p23655z", "147m258p369s1237z", "258m147p258s1234z", "234567m234p67s99s")
    takes: list[list[Any]] = [[41, "4545p45", 41], [45, 36, 39], [46, 38], [43]]
    return single(result, hands, takes, [[60, 46, 60], [60, 60, 60], [60, 60], ["r60"]])


@pytest.mark.parametrize(
    ("names", "riichi", "ippatsu"),
    [
        (["立直(1飜)", "平和(1飜)"], 1, False),
        (["立直(1飜)", "一発(1飜)", "平和(1飜)"], 1, True),
        (["両立直(2飜)", "平和(1飜)"], 2, False),
        (["国士無双(役満)"], None, None),
    ],
)
def test_a_call_whose_time_is_not_stored(names: list[str], riichi: int | None, ippatsu: bool | None) -> None:
    """The recorded yaku tell riichi from double riichi, and ippatsu; next to a yakuman nothing does."""
    rows = read(called_around_riichi(["和了", [0, 0, -2000, 3000], [3, 2, 3, "30符2飜2000点", *names]]))
    assert rows.rejects == []
    assert (rows.wins[0]["riichi"], rows.wins[0]["ippatsu"]) == (riichi, ippatsu)
    assert rows.wins[0]["no_calls"] is False


@pytest.mark.parametrize(
    ("takes", "drops", "expected"),
    [
        ([35], [60], (False, False, False)),
        ([35], ["r60"], (False, True, False)),
        ([46, 35], ["r60", 60], (True, False, False)),
        ([41, 35], ["414141a41", 60], (False, False, True)),
        ([41, 46, 35], ["414141a41", 60, 60], (False, False, False)),
    ],
)
def test_what_the_won_discard_was(takes: list[Any], drops: list[Any], expected: tuple[bool, bool, bool]) -> None:
    """Of seat 0's discard: whether it was in riichi, declared it, or had just made a kong."""
    hands = dealt("123456789m1p111z", "234m567p678s34s99p", "147m258p369s2345z", "258m369p147s2234z")
    turns = sum(drop != "414141a41" for drop in drops) - 1
    others = [[39] * turns, [47] * turns, [45] * turns]
    deposit = 1000 * expected[0]
    result = ["和了", [-1000, 1000 + deposit, 0, 0], [1, 0, 1, "30符1飜1000点", "平和(1飜)"]]
    (win,) = read(single(result, hands, [takes, *others], [drops, *[[60] * turns] * 3])).wins
    assert (win["payer_in_riichi"], win["declaration_tile"], win["discard_after_kong"]) == expected


def test_double_riichi_of_a_loser_may_stay_open() -> None:
    rows = read(called_around_riichi(["三家和了"]))
    assert [seat["riichi"] for seat in rows.seats] == [0, 0, 0, None]


def test_liability_is_read_from_the_calls() -> None:
    """The third dragon set is a pon of seat 3's discard; self-drawn later, seat 3 pays all."""
    hands = dealt("55566677z23m99s9p", "147m258p369s1234z", "258m369p147s1234z", "369m147p258s1234z")
    takes: list[list[Any]] = [[41, "p474747", 11], [39, 38], [22, 23], [47, 44]]
    result = ["和了", [48000, 0, 0, -48000], [0, 0, 3, "役満16000点∀", "大三元(役満)"]]
    (win,) = read(single(result, hands, takes, [[60, 29], [60, 60], [60, 60], [60, 60]])).wins
    assert (win["liable_dragons"], win["liable_winds"], win["liable_kongs"]) == (3, None, None)
    assert (win["recorded_tai"], win["recorded_fu"], win["recorded_points"]) == (13, None, 48000)


def test_without_any_call_the_lists_decide() -> None:
    """No call by anybody: the first discard is a double riichi, and a win before the next one is ippatsu."""
    record = game([FOUR[0]])
    win = record["log"][0][-1][2]
    win[4:] = ["国士無双(役満)"]  # next to a yakuman no ordinary yaku is named
    row = read(record).wins[0]
    assert (row["riichi"], row["ippatsu"]) == (2, True)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["平和(1飜)"], "riichi_differs"),
        (["両立直(2飜)", "海底摸月(1飜)"], "situation_differs"),
        (["両立直(2飜)", "河底撈魚(1飜)"], "situation_differs"),
        (["両立直(2飜)", "嶺上開花(1飜)"], "situation_differs"),
        (["両立直(2飜)", "槍槓(1飜)"], "situation_differs"),
        (["両立直(2飜)", 1], "bad_result"),
        (["両立直"], "bad_result"),
        (["両立直(many)"], "bad_result"),
    ],
)
def test_recorded_yaku_against_the_play(names: list[Any], code: str) -> None:
    record = game([FOUR[0]])
    record["log"][0][-1][2][4:] = names
    assert refused(record) == [(0, code)]


@pytest.mark.parametrize(
    ("text", "yaku", "expected"),
    [
        ("満貫8000点", ["立直(1飜)", "ドラ(4飜)", "裏ドラ(0飜)"], (5, None, 8000, {"riichi": 1, "dora": 4})),
        ("30符4飜7700点", ["立直(1飜)", "平和(1飜)", "赤ドラ(2飜)"], (4, 30, 7700, None)),
        ("役満32000点", ["大三元(役満)"], (13, None, 32000, {"daisangen": 13})),
        ("役満64000点", ["国士無双１３面(役満)"], (26, None, 64000, {"kokushi_13": 26})),
        ("役満64000点", ["大三元(役満)", "字一色(役満)"], (26, None, 64000, {"daisangen": 13, "tsuuiisou": 13})),
        ("Yakuman 32000点", ["Big Three Dragons(役満)"], (13, None, 32000, {"daisangen": 13})),
        ("数え役満32000点", ["立直(1飜)", "ドラ(12飜)"], (13, None, 32000, {"riichi": 1, "dora": 12})),
        ("30Fu2Han2000Points", ["Riichi(1Han)", "Pinfu(1Han)"], (2, 30, 2000, {"riichi": 1, "pinfu": 1})),
    ],
)
def test_score_texts(text: str, yaku: list[str], expected: tuple[Any, ...]) -> None:
    score = read_score([1, 2, 1, text, *yaku], dealer_wins=False, self_draw=False, players=4)
    han, fu, points, items = expected
    assert (score.han, score.fu, score.points) == (han, fu, points)
    if items is not None:
        assert score.items == items


@pytest.mark.parametrize(
    ("text", "dealer_wins", "players", "points"),
    [
        ("30符2飜500-1000点", False, 4, 2000),
        ("30符2飜500-1000点", False, 3, 1500),
        ("40符2飜1300点∀", True, 4, 3900),
        ("満貫4000点∀", True, 3, 8000),
    ],
)
def test_points_of_a_self_draw_are_those_of_all_payers(text: str, dealer_wins: bool, players: int, points: int) -> None:
    score = read_score([1, 1, 1, text], dealer_wins=dealer_wins, self_draw=True, players=players)
    assert score.points == points


@pytest.mark.parametrize(
    ("head", "declared", "paipu"),
    [
        ({"rule": {"disp": "鳳東喰赤", "aka": 1}}, "tenhou_4p", {"length": "tonpuu"}),
        (
            {"rule": {"disp": "般南"}},
            "tenhou_4p",
            {"open_tanyao": False, "red_fives": {"m": 0, "p": 0, "s": 0}},
        ),
        ({"rule": {}, "ref": TENHOU_ID}, "tenhou_4p", {}),
        ({"rule": {"disp": "玉の間南喰赤", "aka": 1}, "ref": SOUL_ID}, "mahjong_soul_4p", {}),
        ({"rule": {"disp": "Gold Room South Red Fives", "aka": 1}}, "mahjong_soul_4p", {}),
        ({"rule": {"disp": "友人戦南喰赤", "aka": 1}, "ref": SOUL_ID}, None, {}),
        ({"title": ["Mリーグ", "day 1"], "rule": {"disp": "", "aka": 1}}, "m_league", {}),
        ({"title": ["M.LEAGUE", ""], "rule": {"disp": "半荘", "aka": 1}}, "m_league", {}),
        ({"rule": {"disp": "my own program", "aka": 1}}, None, {}),
    ],
)
def test_what_the_head_declares(head: dict[str, Any], declared: str | None, paipu: dict[str, Any]) -> None:
    row = read(game(**head)).game
    assert row["declared"] == declared
    assert json.loads(row["declared_options"])["paipu"] == paipu


def test_scores_at_the_start() -> None:
    record = game([FOUR[0]])
    record["log"][0][1] = [30000] * 4
    assert json.loads(read(record).game["declared_options"])["paipu"] == {"start_points": 30000}


def test_identity_and_time() -> None:
    row = read(game(ref=TENHOU_ID)).game
    assert (row["log_id"], row["game_id"]) == (TENHOU_ID, game_id("tenhou", TENHOU_ID))
    assert row["started_at"] == datetime(2018, 1, 2, 3)
    soul = read(game(ref=SOUL_ID, playerMapping=[{"account_id": seat + 7} for seat in range(4)])).game
    assert soul["game_id"] == game_id("mahjong_soul", SOUL_ID)
    assert soul["started_at"] == datetime(2023, 1, 2)
    assert soul["players"] == [f"mahjong_soul:{seat + 7}" for seat in range(4)]
    assert read(game()).game["game_id"] != read(game(final=[1, 2, 3, 4])).game["game_id"]


def test_nobody_is_no_player() -> None:
    assert read(game(name=["NoName", "", "x", "y"])).game["players"] == [None, None, "tenhou:x", "tenhou:y"]
    assert read(game(name=["x", "x", "Ａさん", "y"])).game["players"] == [None, None, None, "tenhou:y"]


def test_a_dialect_is_refused() -> None:
    record = game([FOUR[0]])
    record["log"][0][0] = [0, 0, 0, 250, 250, 250, 250]
    del record["log"][0][1]
    for form in (record, game([FOUR[0]])):
        if form is not record:
            form["log"][0][4] = ["3s"] * 13
        content = json.dumps(form)
        assert tenhou_json.sniff(content.encode())
        (found,) = tenhou_json.read(Text(content))
        assert isinstance(found, dict)
        assert found["code"] == "dialect"


def test_several_games_in_one_file() -> None:
    line = json.dumps(game())
    link = "https://tenhou.net/6/#json=" + urllib.parse.quote(line)
    assert tenhou_json.sniff(link.encode())
    for text in (f"[{line}, {line}]", f"{line}\n{line}\n", f"{link}\n{link}\n"):
        games = list(tenhou_json.read(Text(text)))
        assert [len(found.hands) for found in games if isinstance(found, GameRows)] == [5, 5]


def change_part(part: int, value: Any) -> dict[str, Any]:
    record = copy.deepcopy(game())
    record["log"][0][part] = value
    return record


@pytest.mark.parametrize(
    ("part", "value", "code"),
    [
        (0, [3, 0], "bad_header"),
        (0, [99, 0, 0], "bad_header"),
        (1, [25000, 25000], "bad_header"),
        (1, ["25000"] * 4, "bad_header"),
        (2, [99], "bad_dora"),
        (2, [21, 22], "bad_dora"),
        (4, [11], "bad_deal"),
        (4, [11, 11, 11, 11, 11, 43, *[44] * 7], "five_copies"),
        (4, [99] * 13, "unknown_tile"),
        (5, [42, 25], "bad_pairing"),
        (5, [None], "bad_event"),
        (5, ["c111213"], "not_in_hand"),
        (6, [28], "not_in_hand"),
        (6, ["x"], "bad_event"),
        (6, [43, 43], "bad_pairing"),
        (8, [38], "furiten"),
        (8, ["4444p44"], "not_in_hand"),
        (9, ["r14"], "riichi_not_ready"),
        (9, ["11a111111"], "not_in_hand"),
        (9, ["f44"], "bad_kita"),
        (16, [], "bad_result"),
        (16, ["?"], "bad_result"),
        (16, ["和了"], "bad_result"),
        (16, ["和了", [0, 8700, -7700, 0], [1, 2]], "bad_result"),
        (16, ["和了", [0, 8700, -7700, 0], [1, 0, 1]], "not_complete"),
        (16, ["和了", [0, 7700, -7700, 0], [1, 2, 1]], "bad_payments"),
        (16, ["和了", [0, 8700, -7700, 0], [0, 2, 0]], "not_complete"),
        (16, ["和了", [0, 8700, -7700, 0], [1, 1, 1]], "bad_pairing"),
        (16, ["流局", [0, 0, 0, 0]], "wall_left"),
        (16, ["九種九牌"], "bad_abort"),
        (16, ["四家立直"], "bad_abort"),
        (16, ["四槓散了"], "bad_abort"),
    ],
)
def test_what_cannot_be_is_refused(part: int, value: Any, code: str) -> None:
    record = change_part(part, value)
    assert refused(record) == [(0, code)]
    assert [hand["hand_no"] for hand in read(record).hands] == [1, 2, 3, 4]


def test_a_win_without_its_score() -> None:
    """A converter may leave the score out; the facts stay, without what only the yaku tell."""
    win = read(change_part(16, ["和了", [0, 8700, -7700, 0], [1, 2, 1]])).wins[0]
    assert (win["recorded_tai"], win["recorded_points"], win["recorded_items"]) == (None, None, None)
    assert (win["riichi"], win["ippatsu"]) == (2, True)


def test_an_open_kong_without_its_placeholder() -> None:
    record = game()
    drops = record["log"][1][15]
    assert drops == [0]
    drops.clear()
    assert read(record).rejects == []


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"name": [], "rule": {}, "log": []}', "no_hands"),
        ('{"log": [[[0, 0, 0]', "bad_json"),
        ('{"log": {}}', "bad_json"),
        ("1", "bad_json"),
    ],
)
def test_not_a_whole_game(content: str, code: str) -> None:
    (found,) = tenhou_json.read(Text(content))
    assert isinstance(found, dict)
    assert found["code"] == code


# What is wrong in the collected files, each by its name.
TRUE_REJECTS = {
    # A made-up hand: the winner receives no deposit although a riichi was accepted before.
    "mjai-reviewer_confusing_nakis_1.json": "bad_payments",
}


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
@pytest.mark.parametrize("folder", ["tenhou6_json", "mahjong_soul"])
def test_real_logs_are_read_whole(folder: str) -> None:
    hands = 0
    for path in sorted((LOGS / folder).glob("*.json")):
        log = Log(path)
        if not tenhou_json.sniff(log.head):
            continue
        for found in tenhou_json.read(log):
            if isinstance(found, dict):
                assert (path.name[:7], found["code"]) == ("whong09", "dialect")
                continue
            assert {row["code"] for row in found.rejects} <= {TRUE_REJECTS.get(path.name)}, path.name
            hands += len(found.hands)
            for before, after in zip(found.hands, found.hands[1:], strict=False):
                scores = [a + b for a, b in zip(before["scores_before"], before["deltas"], strict=True)]
                assert scores == after["scores_before"]
                assert before["sticks_after"] == after["sticks"]
    assert hands >= {"tenhou6_json": 97, "mahjong_soul": 16}[folder]


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
def test_the_facts_are_those_of_the_same_games_with_their_order() -> None:
    """Tenhou's mjlog of the same games stores every turn; the lists must lead to the same rows."""
    compared = 0
    for path in sorted((LOGS / "tenhou6_json").glob("*.json")):
        other = LOGS / "tenhou_mjlog" / f"{path.stem}.xml"
        if not other.exists():
            continue
        ours = tenhou_json.read_game(json.loads(path.read_bytes()))
        theirs = tenhou_mjlog.read_game(other.read_bytes(), file=other.name)
        assert isinstance(ours, GameRows)
        assert isinstance(theirs, GameRows)
        for table in ("hands", "seats", "wins"):
            for mine, full in zip(getattr(ours, table), getattr(theirs, table), strict=True):
                for key in mine.keys() - {"game_id", "player", "recorded_items", "recorded_fu"}:
                    if not (key == "ippatsu" and mine[key] is None):
                        assert mine[key] == full[key], (path.name, table, mine["hand_no"], key)
                    compared += 1
    assert compared > 1000
