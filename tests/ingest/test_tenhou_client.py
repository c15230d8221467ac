"""Logs of Tenhou's client protocol. fixtures/tenhou_client.txt is the game of tenhou_game.xml as Cai's client saw it,
with a lost connection in its third hand, so what it tells must be what the mjlog tells, or null.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import tenhou_client, tenhou_mjlog
from ingest.record import GameRows, Row, to_table
from ingest.tenhou import agari_row, table

FIXTURES = Path(__file__).with_name("fixtures")
LOG = (FIXTURES / "tenhou_client.txt").read_bytes()
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "tenhou_client_logs"
RECONNECTED = 2
"""Number of the hand whose beginning is lost."""


def read_all(content: bytes) -> list[GameRows | Row]:
    return list(tenhou_client.read_games(content, file="client.log"))


def read(content: bytes = LOG) -> GameRows:
    [rows] = read_all(content)
    assert isinstance(rows, GameRows), rows
    for name, found in (("games", [rows.game]), ("hands", rows.hands), ("seats", rows.seats), ("wins", rows.wins)):
        to_table(name, found)
    return rows


@pytest.fixture(scope="module")
def whole() -> GameRows:
    """The same game with everything known."""
    rows = tenhou_mjlog.read_game(
        (FIXTURES / "tenhou_game.xml").read_bytes(), file="2020010203gm-0009-0000-0badcafe.xml"
    )
    assert isinstance(rows, GameRows)
    return rows


def test_the_game_is_that_of_the_mjlog(whole: GameRows) -> None:
    game = read().game
    for name in ("game_id", "log_id", "family", "declared", "players", "started_at", "room", "n_hands"):
        assert game[name] == whole.game[name], name
    assert (game["final_scores"], game["final_points"]) == (whole.game["final_scores"], whole.game["final_points"])


def test_hands_from_the_deal_on_have_all_their_facts(whole: GameRows) -> None:
    rows = read()
    assert not rows.rejects
    for found, expected in zip(rows.hands, whole.hands, strict=True):
        if found["hand_no"] != RECONNECTED:
            assert found == expected
    seen = [row for row in rows.seats if row["hand_no"] != RECONNECTED]
    assert seen == [row for row in whole.seats if row["hand_no"] != RECONNECTED]
    assert [row for row in rows.wins if row["hand_no"] != RECONNECTED] == [
        row for row in whole.wins if row["hand_no"] != RECONNECTED
    ]


def test_a_hand_after_a_reconnection_has_its_result_only(whole: GameRows) -> None:
    rows = read()
    hand = rows.hands[RECONNECTED]
    assert (hand["result"], hand["n_wins"], hand["dealer"], hand["streak"], hand["sticks_after"]) == ("win", 1, 0, 2, 0)
    for name in ("deltas", "scores_before", "sticks", "wall_left", "nagashi"):
        assert hand[name] is None
    seats = [row for row in rows.seats if row["hand_no"] == RECONNECTED]
    assert [row["outcome"] for row in seats] == ["bystander", "deal_in", "bystander", "discard_win"]
    assert {row[name] for row in seats for name in ("riichi", "discards", "exposed_melds", "delta")} == {None}
    [row] = [row for row in rows.wins if row["hand_no"] == RECONNECTED]
    [expected] = [row for row in whole.wins if row["hand_no"] == RECONNECTED]
    assert (row["win_kind"], row["robbed"], row["riichi"], row["ippatsu"]) == (2, 0, 0, False)
    assert row["no_calls"] is None
    for name, value in row.items():
        if value is not None:
            assert value == expected.get(name), name


def test_a_connection_lost_for_good() -> None:
    cut = LOG[: LOG.index(b"REINIT") - 6]
    rows = read(cut)
    assert len(rows.hands) == 2
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == [(2, "no_end")]
    assert rows.game["final_points"] is None


def test_several_games_in_one_log() -> None:
    other = LOG.replace(b"0badcafe", b"0badbeef").replace(b"0A1B2C3D", b"0A1B2C3E")
    first, second = read_all(LOG + other)
    assert isinstance(first, GameRows)
    assert isinstance(second, GameRows)
    assert (first.hands[0]["game_id"], len(first.hands)) != (second.hands[0]["game_id"], len(second.hands))
    assert [len(first.hands), len(second.hands)] == [6, 6]
    assert second.game["log_id"] == "2020010203gm-0009-0000-0badbeef"


def test_a_log_without_a_hand() -> None:
    [row] = read_all(LOG[: LOG.index(b"<INIT") - 5])
    assert isinstance(row, dict)
    assert row["code"] == "no_hands"


def test_times_before_the_lines_do_not_matter() -> None:
    stamped = b"\n".join(b"2018-01-17 11:44:58 INFO: " + line for line in LOG.splitlines())
    assert tenhou_client.sniff(stamped)
    assert read(stamped).hands == read().hands


@pytest.mark.parametrize(("discard", "code"), [("F", "riichi_changed"), ("f", "out_of_turn")])
def test_capitals_are_discards_from_the_hand(discard: str, code: str) -> None:
    """The dealer is in riichi and hidden: no discard by hand, and no win after passing the tile on."""
    changed = LOG.decode().replace('Get: <AGARI ba="0,1"', f'Get: <{discard}132/> \nGet: <AGARI ba="0,1"', 1)
    rows = read(changed.encode())
    assert [(row["hand_no"], row["code"]) for row in rows.rejects] == [(0, code)]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(LOG) - 1), st.binary(min_size=0, max_size=3), st.integers(0, 3))
def test_damage_never_makes_the_reader_fail(place: int, put: bytes, cut: int) -> None:
    for rows in read_all(LOG[:place] + put + LOG[place + cut :]):
        if isinstance(rows, GameRows):
            for name, found in (("hands", rows.hands), ("seats", rows.seats), ("wins", rows.wins)):
                to_table(name, found)


def test_sniffing() -> None:
    assert tenhou_client.sniff(LOG[:65536])
    assert not tenhou_client.sniff((FIXTURES / "tenhou_game.xml").read_bytes())
    assert not tenhou_client.sniff(b'Send: <HELO name="NoName"/>\n')


# Real files.


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
@pytest.mark.parametrize(
    ("name", "hands", "wins", "rejects"),
    [
        ("82093_2018-01-17_11_44_58.log", 9, 8, {}),
        ("82093_2018-01-17_12_04_35.log", 12, 11, {}),
        ("f5182_2018-01-22_12_36_49.log", 0, 0, {"no_hands": 1}),  # left before the first deal
        ("first.log", 0, 0, {"no_end": 1}),  # the connection is lost in the first hand
        ("kokushi.log", 6, 2, {"no_end": 10}),  # the player leaves a test table again and again
        ("second.log", 1, 1, {}),  # begins with a reconnection
    ],
)
def test_real_logs(name: str, hands: int, wins: int, rejects: dict[str, int]) -> None:
    found = read_all((LOGS / name).read_bytes())
    games = [rows for rows in found if isinstance(rows, GameRows)]
    codes = Counter(row["code"] for rows in found for row in (rows.rejects if isinstance(rows, GameRows) else [rows]))
    assert (sum(len(rows.hands) for rows in games), sum(len(rows.wins) for rows in games)) == (hands, wins)
    assert codes == rejects
    for rows in games:
        for row in rows.wins:
            items = json.loads(row["recorded_items"])
            if max(items.values()) < 13:
                assert row["riichi"] == (2 if "double_riichi" in items else 1 if "riichi" in items else 0)
                assert row["ippatsu"] == ("ippatsu" in items)


def _recorded_wins() -> list[dict[str, Any]]:
    with gzip.open(LOGS / "wins_recorded.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
def test_every_recorded_win_becomes_a_row() -> None:
    wins = _recorded_wins()
    rows = [
        agari_row(
            win,
            players=4,
            dealer=win["oya"],
            round_wind=int(win["seed"].split(",")[0]) // 4,
            reds=table({"type": str(win["go"])}).reds,
        )
        | {"game_id": "0", "hand_no": 0, "win_no": 0}
        for win in wins
    ]
    assert len(rows) == 2744
    to_table("wins", rows)
    for win, row in zip(wins, rows, strict=True):
        assert sum(row["recorded_payments"]) == 1000 * row["sticks"]
        items = json.loads(row["recorded_items"])
        assert items.get("aka_dora", 0) == row["reds"] % 4 + row["reds"] // 4 % 4 + row["reds"] // 16 or (
            max(items.values()) >= 13
        )
        assert (row["payer"] is None) == (win["who"] == win["fromWho"])
        assert ("paoWho" in win) == (row.get("liable_dragons") is not None or row.get("liable_winds") is not None)
