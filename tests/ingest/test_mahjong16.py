from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.mahjong16 import FORMAT
from ingest.melds import PUNG, format_meld
from ingest.record import REPLACEMENTS, WIN_KINDS, GameRows, to_table
from ingest.tiles import KIND, NAMES, counts_of_keys
from tests.ingest.logs import Text

FIXTURE = Path(__file__).parent / "fixtures" / "mahjong16_two_jangs.csv"
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "taiwan"
REAL = {
    "mahjong16_taiwan_base_seed20261129_500hands.csv": (500, 486),
    "mahjong16_gametower_star31_seed20261129_250hands.csv": (250, 243),
    "mahjong16_zhaishenye_seed20261129_250hands.csv": (250, 243),
}


def read(content: str | bytes) -> tuple[list[GameRows], list[dict[str, Any]]]:
    games: list[GameRows] = []
    rejects: list[dict[str, Any]] = []
    for item in FORMAT.read(Text(content)):
        if isinstance(item, dict):
            rejects.append(item)
        else:
            games.append(item)
            rejects += item.rejects
            for name, rows in (
                ("games", [item.game]),
                ("hands", item.hands),
                ("seats", item.seats),
                ("wins", item.wins),
            ):
                to_table(name, rows)
    to_table("rejects", rejects)
    return games, rejects


@pytest.fixture
def rows() -> list[str]:
    return FIXTURE.read_text("utf-8").splitlines()


def test_a_jang_is_a_game_with_the_winds_as_seats(rows: list[str]) -> None:
    games, rejects = read("\n".join(rows[:7]))
    assert rejects == []
    (jang,) = games
    # In this jang player 2 is East, 0 South, 3 West and 1 North.
    assert jang.game["players"] == ["mahjong16:p2", "mahjong16:p0", "mahjong16:p3", "mahjong16:p1"]
    assert (jang.game["base"], jang.game["unit"], jang.game["n_hands"]) == (100, 20, 6)
    assert [hand["dealer"] for hand in jang.hands] == [0, 0, 0, 0, 1, 2]
    assert [hand["streak"] for hand in jang.hands] == [0, 1, 2, 3, 0, 0]
    assert [hand["result"] for hand in jang.hands] == ["win", "exhaustive_draw", "win", "win", "win", "win"]
    assert [hand["dealer_kept"] for hand in jang.hands] == [True, True, True, False, False, False]
    assert jang.hands[0]["deltas"] == [160, -160, 0, 0]  # 100 + 20 x (2 tai + 1 for the dealer), from player 0
    assert jang.hands[1]["scores_before"] == [1160, 840, 1000, 1000]
    assert [seat["outcome"] for seat in jang.seats[:4]] == ["discard_win", "deal_in", "bystander", "bystander"]
    assert [seat["outcome"] for seat in jang.seats[4:8]] == ["draw"] * 4
    assert {seat["seat_wind"] for seat in jang.seats if seat["is_dealer"]} == {0}


def test_tiles_and_recorded_scores(rows: list[str]) -> None:
    (jang,), _ = read("\n".join(rows[:7]))
    first, third, fourth, fifth, sixth = jang.wins
    counts = counts_of_keys(first["km"], first["kp"], first["ks"], first["kh"])
    hand = [NAMES[kind] for kind in range(34) for _ in range(counts[kind])]
    assert hand == ["1m", "2m", "3m", "3m", "4m", "5m", "9s", "9s"]  # W 萬, D 筒, B 條; the winning 4m is in it
    assert NAMES[first["win_tile"]] == "4m"
    melds = [[format_meld(win[f"m{i}"]) for i in range(5) if win[f"m{i}"]] for win in jang.wins]
    assert melds[0] == ["pung:EEE", "chow:789s", "chow:567p"]
    assert melds[2] == ["kong_open:1111s", "pung:FFF", "kong_added:CCCC"]
    assert melds[3] == ["kong_concealed:9999m", "chow:123p", "pung:NNN"]
    assert first["flowers"] == 0b11
    # zheng_hua 1 and du_ting 1; the dealer's own tai is not hand tai.
    assert first["recorded_tai"] == 2
    assert json.loads(first["recorded_items"]) == {"zheng_hua": 1, "du_ting": 1, "dealer": 1}
    assert third["recorded_tai"] == 4
    assert third["recorded_payments"] == [840, -280, -280, -280]  # 100 + 20 x (4 + 5)
    assert fourth["recorded_payments"] == [0, 120, -120, 0]  # from player 3, who does not deal
    assert WIN_KINDS[sixth["win_kind"]] == "rob_kong"
    assert (sixth["winner"], sixth["payer"]) == (3, 2)
    assert fifth["payer"] is None


def test_what_the_log_says_and_does_not_say(rows: list[str]) -> None:
    (jang,), _ = read("\n".join(rows[:7]))
    first, third, fourth, fifth, _ = jang.wins
    assert [win["last_tile"] for win in jang.wins] == [False, False, True, True, False]
    assert REPLACEMENTS[fifth["replacement"]] == "kong_concealed"
    assert third["replacement"] == 0  # no kong is tagged, and no flower could be replaced
    assert first["replacement"] == 0  # a discard replaces nothing
    assert first["no_calls"] is False
    assert third["no_calls"] is None
    assert all("ready" not in win for win in jang.wins)
    # 60 tiles were left: more were drawn than flowers could need before the first discard.
    assert third["heavenly"] is False
    assert fifth["first_draw"] is None
    assert fourth["discarder_first_discard"] is None
    assert {win["door"] for win in jang.wins} == {0}


def test_a_dealers_early_self_draw_may_be_heavenly(rows: list[str]) -> None:
    def heavenly(remain: str, tags: str) -> tuple[object, object]:
        row = rows[3].split(",")
        row[12], row[14] = remain, tags
        (jang,), _ = read("\n".join([*rows[:3], ",".join(row), *rows[4:7]]))
        return jang.wins[1]["heavenly"], jang.wins[1]["heavenly_after_kong"]

    assert heavenly("79", "dealer=5|tian_hu=16") == (True, False)
    assert heavenly("75", "dealer=5") == (None, False)
    assert heavenly("70", "dealer=5") == (False, False)  # nine draws, but there are eight flowers


def test_seats_that_the_rows_leave_open_are_not_guessed(rows: list[str]) -> None:
    games, rejects = read("\n".join(rows))
    assert [len(game.hands) for game in games] == [6, 0]
    assert [(row["code"], row["position"], row["hand_no"]) for row in rejects] == [
        ("seats_unknown", 8, 0),
        ("seats_unknown", 9, 1),
    ]


def _cell(number: int, column: str, value: str) -> Callable[[list[str]], list[str]]:
    def change(rows: list[str]) -> list[str]:
        at = rows[0].split(",").index(column)
        cells = rows[number].split(",")
        cells[at] = value
        return [*rows[:number], ",".join(cells), *rows[number + 1 :]]

    return change


@pytest.mark.parametrize(
    ("number", "column", "value", "code"),
    [
        (1, "win_tile", "10W", "unknown_tile|bad_win_tile"),
        (1, "win_tile", "F1", "bad_win_tile"),
        (1, "win_tile", "", "bad_win_tile"),
        (1, "winner_hand", "1W 2W 3W 3W 5W 9B", "tile_count"),
        (1, "winner_hand", "1W 2W 3W 3W 6W 9B 9B", "not_complete"),
        (1, "winner_hand", "4W 4W 4W 4W 5W 9B 9B", "five_copies"),
        (1, "winner_melds", "PONG:E E S | CHI:8B 9B 7B | CHI:6D 7D 5D", "bad_meld"),
        (1, "winner_melds", "PENG:E E E | CHI:8B 9B 7B | CHI:6D 7D 5D", "bad_meld"),
        (1, "winner_melds", "PONG:E E E | CHI:8W 9W 1D | CHI:6D 7D 5D", "bad_meld"),
        (1, "winner_flowers", "F1 F1", "flower_twice"),
        (1, "winner_flowers", "F9", "unknown_tile"),
        (1, "winner", "-1", "bad_seat"),
        (1, "winner", "4", "bad_seat"),
        (1, "winner", "x", "bad_value"),
        (1, "ron_from", "2", "bad_payer"),
        (1, "ron_from", "", "bad_value"),
        (1, "win_source", "STEAL", "bad_value"),
        (1, "result", "WON", "bad_value"),
        (1, "quan_feng", "ES", "bad_value"),
        (1, "delta_p0", "-161", "payments_not_zero"),
        (1, "delta_p0", "1e3", "bad_value"),
        (1, "breakdown_tags", "zheng_hua|dealer=1", "bad_value"),
        (1, "remain_tiles", "145", "bad_value"),
        (1, "base_points", "-5", "bad_value"),
        (2, "delta_p0", "5", "payments_not_zero"),
        (3, "breakdown_tags", "menqing_zimo=3|dealer=3", "streak_conflict"),
        (1, "winner_wind", "N", "wind_conflict"),
    ],
)
def test_a_bad_row_is_rejected_alone(number: int, column: str, value: str, code: str, rows: list[str]) -> None:
    (jang,), rejects = read("\n".join(_cell(number, column, value)(rows)[:7]))
    assert rejects[0]["code"] in code.split("|")
    assert (rejects[0]["position"], rejects[0]["hand_no"]) == (number + 1, number - 1)
    # Where the row does not even say who dealt, the streak of the next ones is open until the deal has passed.
    assert {reject["code"] for reject in rejects[1:]} <= {"streak_unknown"}
    assert len(jang.hands) + len(rejects) == 6
    assert len(jang.hands) >= 4


def test_a_row_that_is_missing_shows_in_the_order_of_dealers(rows: list[str]) -> None:
    (jang,), rejects = read("\n".join([*rows[:5], *rows[6:7], *rows[1:2]]))
    assert "dealer_sequence" in {reject["code"] for reject in rejects}
    assert len(jang.hands) + len(rejects) == 6


def test_a_log_that_begins_in_the_middle_has_an_unknown_streak_until_a_tag_or_a_new_dealer(rows: list[str]) -> None:
    begin = _cell(2, "quan_feng", "S")(rows)
    (jang,), rejects = read("\n".join([begin[0], begin[2], *(_cell(3, "quan_feng", "S")(rows))[3:4], *rows[4:7]]))
    assert [reject["code"] for reject in rejects][:1] == ["streak_unknown"]
    assert jang.hands[0]["streak"] == 2  # dealer=5 is 2 x 2 + 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"1,2,3", "bad_row"),
        (b'"1,2', "bad_row"),
        (b"\xff\xfe", "bad_encoding"),
        (b"x" * (2 << 20), "line_too_long"),
    ],
)
def test_a_line_that_is_no_row(line: bytes, code: str, rows: list[str]) -> None:
    games, (reject,) = read("\n".join(rows[:7]).encode() + b"\n" + line)
    assert (reject["code"], reject["position"]) == (code, 8)
    assert len(games[0].hands) == 6


@pytest.mark.parametrize("content", ["", "hand_index,result\n1,WIN\n", "\n\n"])
def test_a_header_that_lacks_columns(content: str) -> None:
    games, (reject,) = read(content)
    assert games == []
    assert reject["code"] == "bad_header"


def test_older_files_have_no_jang_index(rows: list[str]) -> None:
    def without(line: str) -> str:
        cells = line.split(",")
        return ",".join([cells[0], *cells[6:]])

    east = [without(row) for row in rows[:7]]
    # A round wind that falls back to East begins the next jang.
    south = [without(row) for row in _cell(6, "quan_feng", "S")(rows)[6:7]]
    games, _ = read("\n".join([*east[:6], *south, *east[1:7]]))
    assert [len(game.hands) + len(game.rejects) for game in games] == [6, 6]


def test_the_same_rows_are_the_same_game(rows: list[str]) -> None:
    (first,), _ = read("\n".join(rows[:7]))
    (again,), _ = read("\ufeff" + "\r\n".join(rows[:7]))
    assert first.game["game_id"] == again.game["game_id"]


def test_sniffing() -> None:
    assert FORMAT.sniff(FIXTURE.read_bytes())
    for other in (
        b"",
        b"{}",
        b"hand_index,result,winner\n",
        b"a,b\ndealer_pid,winner_total_tai,breakdown_tags,quan_feng",
    ):
        assert not FORMAT.sniff(other)


@pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not here")
@pytest.mark.parametrize("name", REAL)
def test_real_files_are_read_whole(name: str) -> None:
    hands, wins = REAL[name]
    content = (LOGS / name).read_bytes()
    assert FORMAT.sniff(content[: 1 << 16])
    games, rejects = read(content)
    assert rejects == []
    assert sum(len(game.hands) for game in games) == hands
    assert sum(len(game.wins) for game in games) == wins
    for game in games:
        assert sorted(game.game["players"]) == [f"mahjong16:p{pid}" for pid in range(4)]
        for win in game.wins:
            # Each payer pays 100 + 20 per tai, with 2n+1 more where the dealer wins or pays (FORMATS, mahjong16).
            for seat, paid in enumerate(win["recorded_payments"]):
                if seat == win["winner"]:
                    continue
                dealer_tai = 2 * win["streak"] + 1 if win["dealer"] in (seat, win["winner"]) else 0
                due = 100 + 20 * (win["recorded_tai"] + dealer_tai) if win["payer"] in (None, seat) else 0
                assert paid == -due


@pytest.mark.skipif(not LOGS.exists(), reason="the real logs are not here")
def test_seat_winds_of_the_log_are_counted_from_door() -> None:
    games, _ = read((LOGS / "mahjong16_taiwan_base_seed20261129_500hands.csv").read_bytes())
    told = 0
    for game in games:
        for win in game.wins:
            seat_wind = KIND["E"] + (win["winner"] - win["door"]) % 4
            counts = counts_of_keys(win["km"], win["kp"], win["ks"], win["kh"])
            melds = {win[f"m{i}"] for i in range(5)}
            pung = counts[seat_wind] >= 3 or any(seat_wind + base in melds for base in (PUNG, 56, 90, 124))
            assert pung == ("men_feng_ke" in json.loads(win["recorded_items"]))
            told += pung
    assert told == 27
