from __future__ import annotations

import copy
import io
import json
from collections.abc import Callable
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import jsonlines
from ingest.errors import RecordError
from ingest.formats import paipu_jsonl, paipu_play
from ingest.formats.paipu_record import FLAGS, LINE_KEYS, RECORD_KEYS, WinRecord, parse_record, read_records
from ingest.jsonlines import read_lines
from ingest.melds import format_meld, meld_tiles
from ingest.record import FLOWER_MODES, READY, REPLACEMENTS, WIN_KINDS, GameRows, to_table
from ingest.tiles import KIND, NAMES, counts_of_keys, format_tiles
from tests.ingest.logs import read_all

FIXTURES = Path(__file__).parent / "fixtures"
EXAMPLES = Path(__file__).resolve().parents[3] / "shared" / "rules" / "EXAMPLES.jsonl"
SCHEMA = json.loads(files("ingest.formats").joinpath("paipu.schema.json").read_text("utf-8"))


class Text:
    """A source in memory."""

    def __init__(self, *lines: Any, name: str = "memory") -> None:
        self.name = name
        self.content = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)

    @property
    def head(self) -> bytes:
        return self.content[: 1 << 16]

    def open(self) -> BinaryIO:
        return io.BytesIO(self.content)


def lines_of(name: str) -> list[Any]:
    return [json.loads(line) for line in (FIXTURES / name).read_text("utf-8").splitlines()]


def read(*lines: Any) -> tuple[list[GameRows], list[dict[str, Any]]]:
    """Games, and all rejects whether they belong to a game or not."""
    games: list[GameRows] = []
    rejects: list[dict[str, Any]] = []
    for item in paipu_jsonl.FORMAT.read(Text(*lines)):
        if isinstance(item, dict):
            rejects.append(item)
        else:
            games.append(item)
            rejects += item.rejects
    for game in games:
        for name, rows in (("games", [game.game]), ("hands", game.hands), ("seats", game.seats), ("wins", game.wins)):
            to_table(name, rows)
    to_table("rejects", rejects)
    return games, rejects


@pytest.fixture
def game() -> Any:
    return lines_of("paipu_play.jsonl")[0]


@pytest.fixture
def record() -> Any:
    return copy.deepcopy(lines_of("paipu_wins.jsonl")[0]["record"])


# -- full play


def test_flags_come_from_play(game: Any) -> None:
    (read_game,), rejects = read(game)
    assert rejects == []
    heavenly, human, after_kong, eight, robbed = read_game.wins

    # The dealer wins with the dealt tiles.
    assert heavenly["heavenly"] is True
    assert heavenly["no_calls"] is True
    assert WIN_KINDS[heavenly["win_kind"]] == "self_draw"
    assert heavenly["door"] == 3

    # The first discard of the dealer, before the winner has drawn.
    assert human["before_first_draw"] is True
    assert human["discarder_first_discard"] is True
    assert human["payer"] == 0
    assert human["streak"] == 1
    assert human["heavenly"] is False

    # A concealed kong before the first discard, and its replacement completes the hand.
    assert after_kong["heavenly"] is False
    assert after_kong["heavenly_after_kong"] is True
    assert REPLACEMENTS[after_kong["replacement"]] == "kong_concealed"
    assert format_meld(after_kong["m0"]) == "kong_concealed:9999s"
    assert after_kong["door"] == after_kong["dealer"] == 1  # left out in the file

    assert WIN_KINDS[eight["win_kind"]] == "eight_flowers"
    assert eight["initial_flowers"] is True
    assert eight["flowers"] == 255
    assert eight["door"] is None  # null in the file

    assert WIN_KINDS[robbed["win_kind"]] == "rob_kong"
    assert (robbed["winner"], robbed["payer"]) == (1, 3)
    assert NAMES[robbed["win_tile"]] == "5m"
    assert robbed["no_calls"] is False
    assert robbed["flowers"] == 1 << 4


def test_what_the_log_says_is_kept(game: Any) -> None:
    (read_game,), _ = read(game)
    row = read_game.game
    assert row["log_id"] == "table-3-evening-1"
    assert row["declared"] == "tw_general"
    assert row["players"] == ["paipu:Ann", "paipu:Bo", "paipu:Cai", "paipu:Dee"]
    assert row["started_at"] == datetime(2026, 1, 31, 20)
    assert (row["base"], row["unit"], row["simulated"]) == (100, 20, False)
    assert (row["venue"], row["room"], row["table_name"]) == ("Example club", "B", "3")
    first = read_game.wins[0]
    assert first["recorded_tai"] == 24
    assert json.loads(first["recorded_items"]) == {"heavenly_hand": 24}
    assert first["recorded_payments"] == [1800, -600, -600, -600]
    assert "recorded_tai" not in read_game.wins[2]
    hands = read_game.hands
    assert [hand["dealer_kept"] for hand in hands] == [True, False, True, False, False]
    assert hands[1]["scores_before"] == [1800, -600, -600, -600]
    # Deals leave 144 - 65 = 79 tiles; one kong and eight flowers are replaced; then four draws and a replacement.
    assert [hand["wall_left"] for hand in hands] == [79, 79, 78, 71, 74]
    outcomes = [seat["outcome"] for seat in read_game.seats]
    assert outcomes[:4] == ["self_draw", "drawn_against", "drawn_against", "drawn_against"]
    assert outcomes[4:8] == ["deal_in", "discard_win", "bystander", "bystander"]
    # The robbed kong stays a pung, and a concealed kong is not exposed.
    assert [seat["exposed_melds"] for seat in read_game.seats[16:]] == [0, 0, 0, 1]
    assert [seat["exposed_melds"] for seat in read_game.seats[8:12]] == [0, 0, 0, 0]


def test_one_event_per_line_is_the_same_game(game: Any) -> None:
    (whole,), _ = read(game)
    (parts,), rejects = read(*lines_of("paipu_events.jsonl"))
    assert rejects == []

    def facts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: value for key, value in row.items() if key != "game_id"} for row in rows]

    assert facts(parts.wins) == facts(whole.wins)
    assert facts(parts.hands) == facts(whole.hands)
    assert facts(parts.seats) == facts(whole.seats)


def _set(key: str, value: object) -> Callable[[Any], None]:
    def change(hand: Any) -> None:
        hand[key] = value

    return change


BAD_HANDS: dict[str, tuple[int, Callable[[Any], object], str, int | None]] = {
    "a negative seat": (1, lambda h: h["events"].__setitem__(0, ["discard", -1, "5m"]), "bad_value", 0),
    "a seat that is text": (1, lambda h: h["events"].__setitem__(0, ["discard", "0", "5m"]), "bad_value", 0),
    "an unknown event": (1, lambda h: h["events"].__setitem__(0, ["discart", 0, "5m"]), "unknown_event", 0),
    "an event without its tile": (1, lambda h: h["events"].__setitem__(0, ["discard", 0]), "bad_value", 0),
    "an event that is no array": (1, lambda h: h["events"].__setitem__(1, {"win": 1}), "bad_value", 1),
    "an unknown tile": (1, lambda h: h["events"].__setitem__(0, ["discard", 0, "5x"]), "unknown_tile", 0),
    "a tile that is not held": (1, lambda h: h["events"].__setitem__(0, ["discard", 0, "9m"]), "tile_not_held", 0),
    "a win on another tile": (1, lambda h: h["events"].__setitem__(1, ["win", 1, "6m", 0]), "win_tile", 1),
    "an end that is missing": (1, lambda h: h["events"].pop(), "no_end", None),
    "an event after the end": (1, lambda h: h["events"].append(["draw", 2, "1p"]), "wrong_turn|event_after_end", 2),
    "five copies": (1, lambda h: h["deal"].__setitem__(2, "5555m1122334455667p"), "hand_size|five_copies", None),
    "a fifth tile in the deal": (1, lambda h: h["deal"].__setitem__(2, "5555m112233445566p"), "five_copies", None),
    "three hands dealt": (1, lambda h: h["deal"].pop(), "bad_value", None),
    "payments that do not sum to zero": (1, _set("deltas", [1, 0, 0, 0]), "payments_not_zero", None),
    "a misspelt key": (1, _set("dealr", 0), "unknown_key", None),
    "no dealer": (1, lambda h: h.pop("dealer"), "bad_value", None),
    "a streak below zero": (1, _set("streak", -1), "bad_value", None),
    "a round that is no wind": (1, _set("round", "C"), "bad_value", None),
    "a wall that is short": (1, _set("wall", "123m"), "wall_size", None),
    "an unknown dead wall": (1, _set("dead_wall", "none"), "bad_dead_wall", None),
    "a dealer out of turn": (2, _set("streak", 3), "dealer_sequence", None),
    "scores that do not follow": (1, _set("scores_before", [0, 0, 0, 0]), "scores_broken", None),
    "more events than a hand has": (1, _set("events", [["eye", 0]] * (paipu_play.MAX_EVENTS + 1)), "bad_value", None),
    "a flower robbed in an ordinary win": (
        1,
        lambda h: h["events"].__setitem__(1, ["win", 1, "5m", 0, {"robbed_flower": 1}]),
        "bad_value",
        1,
    ),
}


@pytest.mark.parametrize("case", BAD_HANDS)
def test_a_bad_hand_is_rejected_alone(case: str, game: Any) -> None:
    number, change, code, event = BAD_HANDS[case]
    change(game["hands"][number])
    (read_game,), (reject,) = read(b"", game)
    assert reject["code"] in code.split("|")
    assert (reject["position"], reject["hand_no"], reject["event_no"]) == (2, number, event)
    assert reject["log_id"] == "table-3-evening-1"
    assert "\n" not in reject["message"]
    assert [hand["hand_no"] for hand in read_game.hands] == [n for n in range(5) if n != number]
    assert {win["hand_no"] for win in read_game.wins} == {n for n in range(5) if n != number}
    assert read_game.game["n_hands"] == 4


def test_a_misspelt_event_gets_the_near_miss(game: Any) -> None:
    game["hands"][1]["events"][0][0] = "discart"
    _, (reject,) = read(game)
    assert "did you mean 'discard'?" in reject["message"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"players": ["Ann", "Bo", "Cai"]}, "bad_value"),
        ({"players": ["Ann", "Ann", "Cai", "Dee"]}, "bad_players"),
        ({"players": ["Ann", 7, "Cai", "Dee"]}, "bad_value"),
        ({"version": 2}, "bad_value"),
        ({"format": "other"}, "bad_value"),
        ({"venu": "x"}, "unknown_key"),
        ({"stake": {"base": -1, "unit": 20}}, "bad_value"),
        ({"started_at": "yesterday"}, "bad_value"),
        ({"hands": {}}, "bad_value"),
    ],
)
def test_a_bad_header_rejects_the_game(change: dict[str, Any], code: str, game: Any) -> None:
    good = copy.deepcopy(game)
    games, (reject,) = read(game | change, good)
    assert reject["code"] == code
    assert reject["position"] == 1
    assert len(games) == 1


def test_final_scores_that_do_not_follow_are_reported_and_not_kept(game: Any) -> None:
    game["hands"] = game["hands"][:2]
    (kept,), rejects = read(game | {"final_scores": [1320, -120, -600, -600]})
    assert rejects == []
    assert kept.game["final_scores"] == [1320, -120, -600, -600]
    (kept,), (reject,) = read(game | {"final_scores": [0, 0, 0, 0]})
    assert reject["code"] == "final_scores"
    assert kept.game["final_scores"] is None
    assert len(kept.hands) == 2


@pytest.mark.parametrize(
    ("dealer", "streak", "fine"),
    [(0, 1, True), (0, 0, True), (1, 0, True), (1, 1, False), (2, 0, False), (0, 2, False)],
)
def test_a_draw_may_keep_or_pass_the_deal(dealer: int, streak: int, fine: bool, game: Any) -> None:
    drawn = copy.deepcopy(game["hands"][1]) | {"streak": 0, "events": [["draw_game", "four_kongs"]], "deltas": None}
    nxt = copy.deepcopy(game["hands"][1])
    if dealer:
        nxt["deal"] = [nxt["deal"][(seat - dealer) % 4] for seat in range(4)]
        nxt["events"] = [["draw_game", "four_kongs"]]
    nxt |= {"dealer": dealer, "streak": streak, "deltas": None}
    for hand in (drawn, nxt):
        hand.pop("scores_before")
    (kept,), rejects = read(game | {"hands": [drawn, nxt]})
    assert [reject["code"] for reject in rejects] == ([] if fine else ["dealer_sequence"])
    assert kept.hands[0]["result"] == "abortive_draw"
    assert kept.hands[0]["dealer_kept"] == ((dealer == 0) if fine else None)


def test_a_game_without_id_is_known_by_its_content(game: Any) -> None:
    del game["id"]
    (first,), _ = read(game)
    (again,), _ = read(game)
    (other,), _ = read(game | {"table": "4"})
    assert first.game["game_id"] == again.game["game_id"] != other.game["game_id"]


# -- lines


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"format":"paipu","hands":[{"round"', "bad_json"),
        (b"[1,2]", "bad_json"),
        (b'"text"', "bad_json"),
        (b"{" * 5000, "bad_json"),
        (b"\xff\xfe{", "bad_encoding"),
        (b'{"id":"x"}', "unknown_line"),
        (b'{"system":"mcr","id":"x"}', "other_system"),
        (b'{"type":"event","e":["eye",0]}', "stray_line"),
        (b'{"type":7}', "stray_line"),
        (b'{"record":{}}', "missing_key"),
        (b'{"record":null}', "bad_value"),
    ],
)
def test_a_bad_line_is_rejected_alone(line: bytes, code: str, game: Any) -> None:
    games, (reject,) = read(line, game)
    assert reject["code"] == code
    assert reject["position"] == 1
    assert len(games) == 1


def test_an_endless_line_is_skipped_and_not_kept_in_memory(game: Any) -> None:
    class Endless(io.RawIOBase):
        """200 bytes of a line, 10,000 times over, then a good line."""

        def __init__(self) -> None:
            self.left = 10_000
            self.rest = io.BytesIO(b"\n" + json.dumps(game).encode())

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if self.left:
                self.left -= 1
                buffer[:200] = b"x" * 200
                return 200
            return self.rest.readinto(buffer)

    lines = list(read_lines(io.BufferedReader(Endless()), limit=100_000))
    assert lines[0] == (1, None)
    assert [number for number, _ in lines] == [1, 2]
    assert json.loads(lines[1][1] or b"") == game


def test_a_line_too_long_is_one_clear_reject(monkeypatch: pytest.MonkeyPatch, game: Any) -> None:
    monkeypatch.setattr(jsonlines.read_lines, "__kwdefaults__", {"limit": 20_000})
    games, (reject,) = read(b'{"x":"' + b"a" * 50_000 + b'"}', game)
    assert reject["code"] == "line_too_long"
    assert len(games) == 1


@pytest.mark.parametrize("at", range(len(lines_of("paipu_events.jsonl"))))
def test_each_line_may_be_cut_in_half(at: int) -> None:
    """Whatever line is lost: one reject says so, and at most the hand that it stands in is lost."""
    lines: list[Any] = lines_of("paipu_events.jsonl")
    broken = [json.dumps(line).encode() for line in lines]
    broken[at] = broken[at][: len(broken[at]) // 2]
    games, rejects = read(*broken)
    assert [reject["code"] for reject in rejects].count("bad_json") == 1
    assert next(reject for reject in rejects if reject["code"] == "bad_json")["position"] == at + 1
    if at == 0:
        assert games == []
    else:
        assert len(games[0].hands) >= 4


def test_an_event_line_is_named_in_the_reject() -> None:
    lines: list[Any] = lines_of("paipu_events.jsonl")
    at = next(number for number, line in enumerate(lines) if line.get("e") == ["discard", 0, "5m"])
    lines[at]["e"] = ["discard", 0, "9m"]
    (game,), (reject,) = read(*lines)
    assert (reject["code"], reject["position"], reject["hand_no"], reject["event_no"]) == (
        "tile_not_held",
        at + 1,
        1,
        0,
    )
    assert len(game.hands) == 4


# -- wins only


def test_wins_only_rows() -> None:
    games, rejects = read(*lines_of("paipu_wins.jsonl"))
    assert rejects == []
    first, club, flowers = games
    (win,) = first.wins
    assert counts_of_keys(win["km"], win["kp"], win["ks"], win["kh"])[KIND["8s"]] == 3
    assert win["flowers"] == 0b100001
    assert REPLACEMENTS[win["replacement"]] == "flower"
    assert win["door"] == win["dealer"] == 0
    assert win["last_tile"] is False  # left out: did not happen
    assert [format_meld(win[m]) for m in ("m0", "m1")] == ["pung:CCC", "kong_concealed:1111m"]
    assert first.game["base"] == 100

    assert club.game["log_id"] == "club-7"
    assert club.game["players"] == ["paipu:Ann", "paipu:Bo", None, "paipu:Dee"]
    (hand,) = club.hands
    assert (hand["hand_no"], hand["n_wins"]) == (3, 2)
    assert hand["deltas"] == [-260, 0, 140, 120]
    assert hand["dealer_kept"] is False
    assert [seat["outcome"] for seat in club.seats] == ["deal_in", "bystander", "discard_win", "discard_win"]
    assert [row["win_no"] for row in club.wins] == [0, 1]
    assert club.wins[0]["last_tile"] is None  # null: not known
    assert club.wins[0]["door"] is None
    assert READY[club.wins[0]["ready"]] == "normal"
    assert READY[club.wins[1]["ready"]] == "none"
    assert club.wins[0]["recorded_tai"] == 2

    (robbed,) = flowers.wins
    assert WIN_KINDS[robbed["win_kind"]] == "seven_robs_one"
    assert FLOWER_MODES[robbed["flower_mode"]] == "already7"
    assert robbed["robbed_flower"] == 4


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"winnner": 0}, "unknown_key", "did you mean 'winner'?"),
        ({"flags": {"last_tiles": True}}, "unknown_key", "did you mean 'last_tile'?"),
        ({"flags": {"last_tile": 1}}, "bad_value", "true, false or null"),
        ({"flags": {"ready": "initail"}}, "bad_value", "did you mean 'initial'?"),
        ({"flags": {"replacement": True}}, "bad_value", "one of"),
        ({"flags": []}, "bad_value", "object"),
        ({"win": "selfdraw"}, "bad_value", "did you mean 'self_draw'?"),
        ({"winner": -1}, "bad_seat", "0, 1, 2 and 3"),
        ({"winner": "0"}, "bad_seat", "0, 1, 2 and 3"),
        ({"from": 1}, "bad_payer", "null"),
        ({"win": "discard"}, "bad_payer", "from"),
        ({"round": "C"}, "bad_value", "E, S, W, N"),
        ({"hand": "234m567p867s"}, "tile_count", "10"),
        ({"hand": "234m567p868q"}, "unknown_tile", "q"),
        ({"hand": 5}, "bad_value", "text"),
        ({"hand": "234m567p888s8s"}, "five_copies", "8s"),
        ({"win_tile": "88s"}, "unknown_tile", "one tile"),
        ({"win_tile": "f1"}, "unknown_tile", "flower"),
        ({"win_tile": None}, "bad_value", "text"),
        ({"melds": ["pung:CCC", "pong:111m"]}, "bad_meld", "pung"),
        ({"melds": "pung:CCC"}, "bad_value", "list"),
        ({"flowers": [1, 1]}, "flower_twice", "f1"),
        ({"flowers": [9]}, "bad_flower", "1 to 8"),
        ({"eye_players": [4]}, "bad_seat", "0, 1, 2 and 3"),
        ({"streak": 1.5}, "bad_value", "streak"),
    ],
)
def test_what_is_wrong_with_a_record_is_said(change: dict[str, Any], code: str, words: str, record: Any) -> None:
    with pytest.raises(RecordError) as caught:
        parse_record(record | change)
    assert caught.value.code == code
    assert words in caught.value.message


@pytest.mark.parametrize("key", ["dealer", "streak", "round", "winner", "win", "hand", "win_tile"])
def test_a_key_that_every_record_needs(key: str, record: Any) -> None:
    del record[key]
    with pytest.raises(RecordError) as caught:
        parse_record(record)
    assert caught.value.code == "missing_key"
    assert f"'{key}'" in caught.value.message


@pytest.mark.parametrize("junk", [None, 3, "x", [], True])
def test_a_record_is_an_object(junk: object) -> None:
    with pytest.raises(RecordError):
        parse_record(junk)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hand_no": 2}, "hand_order"),
        ({"hand_no": -1}, "bad_value"),
        ({"rules": "tw_full"}, "rules_conflict"),
        ({"rules": 7}, "bad_value"),
        ({"record": {"hand": "3m4m567m234p678p99s778s"}}, "not_complete"),
        ({"players": ["Ann", "Bo", "Cai", "Eve"]}, "players_conflict"),
        ({"record": {"dealer": 0}}, "hand_conflict"),
        ({"record": {"winner": 2}}, "hand_conflict"),
        ({"recorded": {"payments": [1, 0, 0, 0]}}, "payments_not_zero"),
        ({"recorded": {"tai": "3"}}, "bad_value"),
        ({"recorded": {"items": {"a": None}}}, "bad_value"),
        ({"stake": {"base": 1}}, "bad_value"),
        ({"stakes": None}, "unknown_key"),
    ],
)
def test_a_bad_line_of_a_game_leaves_the_others(change: dict[str, Any], code: str) -> None:
    _, first, second, _ = lines_of("paipu_wins.jsonl")
    first["rules"] = "tw_general"
    inner = change.pop("record", {})
    second = {**second, **change, "record": second["record"] | inner}
    (game,), (reject,) = read(first, second)
    assert reject["code"] == code
    assert reject["position"] == 2
    assert len(game.wins) == 1


def test_a_game_of_wins_declares_its_rules_on_any_of_its_lines() -> None:
    _, first, second, _ = lines_of("paipu_wins.jsonl")
    for lines in ((first | {"rules": "my_club"}, second), (first, second | {"rules": "my_club"})):
        (game,), rejects = read(*lines)
        assert rejects == []
        assert game.game["declared"] == "my_club"
    (game,), _ = read(first, second)
    assert game.game.get("declared") is None


def test_a_win_that_is_no_complete_hand_is_for_the_scorer_and_not_for_the_store(record: Any) -> None:
    """234m 567p 88s and 1s with two melds: no set holds the 1s (SPEC 2.1)."""
    line = {"id": "typo", "hand_no": 4, "record": record | {"win_tile": "1s"}}
    games, (reject,) = read(line)
    assert games == []
    assert (reject["code"], reject["hand_no"], reject["position"]) == ("not_complete", 4, 1)
    (win,) = read_records(io.BytesIO(json.dumps(line).encode()))
    assert isinstance(win, WinRecord)


def test_scattered_lines_of_a_game_are_said_to_be_so() -> None:
    other, first, second, _ = lines_of("paipu_wins.jsonl")
    later = second | {"hand_no": 4}
    games, (reject,) = read(first, other, later)
    assert [game.game["log_id"] for game in games] == ["club-7", "w1"]
    assert (reject["code"], reject["position"], reject["log_id"]) == ("other_game", 3, "club-7")
    assert "line 3" in reject["message"]
    assert "must stand together" in reject["message"]
    # The very same lines again are a duplicate, which the ingest job knows.
    games, rejects = read(first, other, first)
    assert (len(games), rejects) == (3, [])


def test_read_records_gives_wins_and_rejects_in_order() -> None:
    lines = [json.dumps(line) for line in lines_of("paipu_wins.jsonl")[:1]]
    lines += ['{"id":"mcr-1","system":"mcr","record":{}}', "{", ""]
    results = list(read_records(io.BytesIO("\n".join(lines).encode()), name="f.jsonl"))
    assert isinstance(results[0], WinRecord)
    assert results[0].id == "w1"
    assert results[0].stake == (100, 20)
    assert [row["code"] for row in results[1:] if isinstance(row, dict)] == ["other_system", "bad_json"]
    assert isinstance(results[1], dict)
    assert (results[1]["file"], results[1]["log_id"], results[1]["position"]) == ("f.jsonl", "mcr-1", 2)


@st.composite
def any_record(draw: st.DrawFn) -> dict[str, Any]:
    """A record of random tiles, no kind more than four times; it need not be a winning hand."""
    left = [4] * 34
    melds = []
    for code in draw(st.lists(st.integers(1, 157), max_size=5)):
        tiles = meld_tiles(code)
        if all(left[kind] >= tiles.count(kind) for kind in tiles):
            melds.append(code)
            for kind in tiles:
                left[kind] -= 1
    pool = draw(st.permutations([kind for kind in range(34) for _ in range(left[kind])]))
    concealed = pool[: 17 - 3 * len(melds)]
    winner = draw(st.integers(0, 3))
    drawn = draw(st.booleans())
    maybe = st.sampled_from([True, False, None])
    claimed = any(not format_meld(code).startswith("kong_concealed") for code in melds)
    return {
        "dealer": draw(st.integers(0, 3)),
        "streak": draw(st.integers(0, 65535)),
        "door": draw(st.sampled_from([0, 1, 2, 3, None])),
        "round": draw(st.sampled_from("ESWN")),
        "winner": winner,
        "win": "self_draw" if drawn else draw(st.sampled_from(["discard", "rob_kong"])),
        "from": None if drawn else draw(st.sampled_from([seat for seat in range(4) if seat != winner])),
        "hand": format_tiles(concealed[1:]),
        "win_tile": NAMES[concealed[0]],
        "melds": [format_meld(code) for code in melds],
        "flowers": draw(st.lists(st.integers(1, 8), unique=True).map(sorted)),
        "flags": {
            "last_tile": draw(maybe),
            "miji": draw(maybe),
            "ready": draw(st.sampled_from([*READY[1 + claimed :], None])),
            "ready_open": draw(maybe),
            "replacement": draw(st.sampled_from([*REPLACEMENTS[:-1], None])) if drawn else "none",
        },
        "eye_players": draw(st.one_of(st.none(), st.lists(st.integers(0, 3), unique=True).map(sorted))),
    }


def write_record(row: dict[str, Any]) -> dict[str, Any]:
    """A record object from a row of `wins`, the inverse of parse_record for the keys that any_record makes."""
    counts = counts_of_keys(row["km"], row["kp"], row["ks"], row["kh"])
    counts[row["win_tile"]] -= 1
    bits = {name: row[name] for name in ("flowers", "eye_players")}
    flags = {name: row[name] for name in ("last_tile", "miji", "ready_open")}
    for name, choices in (("ready", READY), ("replacement", REPLACEMENTS)):
        flags[name] = None if row[name] is None else choices[row[name]]
    return {
        **{name: row[name] for name in ("dealer", "streak", "door", "winner")},
        "round": "ESWN"[row["round_wind"]],
        "win": WIN_KINDS[row["win_kind"]],
        "from": row["payer"],
        "hand": format_tiles(kind for kind in range(34) for _ in range(counts[kind])),
        "win_tile": NAMES[row["win_tile"]],
        "melds": [format_meld(row[f"m{i}"]) for i in range(5) if row[f"m{i}"]],
        "flowers": [n + 1 for n in range(8) if bits["flowers"] >> n & 1],
        "flags": flags,
        "eye_players": None if bits["eye_players"] is None else [n for n in range(4) if bits["eye_players"] >> n & 1],
    }


@given(any_record())
def test_a_record_is_read_without_loss(record: dict[str, Any]) -> None:
    assert write_record(parse_record(record)) == record
    jsonschema.Draft202012Validator(SCHEMA).validate({"record": record})


WORDS = st.text(alphabet='0159mpszESf東 \n"', max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(RECORD_KEYS)), JSON))
def test_no_json_value_breaks_the_record_reader(change: dict[str, Any]) -> None:
    line = {"record": lines_of("paipu_wins.jsonl")[0]["record"] | change}
    games, rejects = read(line)
    assert len(games) + len(rejects) == 1


@given(st.dictionaries(st.sampled_from(sorted(paipu_play.Hand.__struct_fields__)), JSON, min_size=1))
def test_no_json_value_breaks_the_hand_reader(change: dict[str, Any]) -> None:
    game = lines_of("paipu_play.jsonl")[0]
    game["hands"] = [game["hands"][0] | change, game["hands"][0]]
    games, _ = read(game)
    assert len(games) == 1


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples of the rules are not here")
def test_every_taiwanese_example_reads() -> None:
    lines = [json.loads(line) for line in EXAMPLES.read_text("utf-8").splitlines()]
    taiwan = [line for line in lines if line["system"] == "taiwan"]
    results = list(read_records(io.BytesIO(EXAMPLES.read_bytes())))
    wins = [result for result in results if isinstance(result, WinRecord)]
    assert [win.id for win in wins] == [line["id"] for line in taiwan]
    assert {row["code"] for row in results if isinstance(row, dict)} == {"other_system"}
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in taiwan:
        validator.validate(line)


# -- sniffing and the schema


@pytest.mark.parametrize("name", ["paipu_play.jsonl", "paipu_events.jsonl", "paipu_wins.jsonl"])
def test_own_files_are_recognised_and_valid(name: str) -> None:
    assert paipu_jsonl.FORMAT.sniff((FIXTURES / name).read_bytes())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines_of(name):
        validator.validate(line)


@pytest.mark.parametrize("head", [b"", b"{}", b"[]", b'{"record":1}', b"hand_index,result", b"\x1f\x8b", b"<mjloggm>"])
def test_other_content_is_not_recognised(head: bytes) -> None:
    assert not paipu_jsonl.FORMAT.sniff(head)


def test_the_schema_is_a_schema_and_knows_the_readers_keys() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    parts = SCHEMA["$defs"]
    assert set(parts["hand"]["properties"]) == set(paipu_play.Hand.__struct_fields__)
    assert set(parts["game"]["properties"]) == set(paipu_play.Game.__struct_fields__)
    assert set(parts["record"]["properties"]) == RECORD_KEYS
    assert set(parts["flags"]["properties"]) == FLAGS
    assert set(parts["win"]["properties"]) == LINE_KEYS
    assert set(parts["event"]["prefixItems"][0]["enum"]) == set(paipu_play.EVENT_TYPES)
    header = next(rule["then"] for rule in parts["eventLine"]["allOf"] if "players" in rule["then"]["properties"])
    assert set(header["properties"]) - {"type"} == set(paipu_play.Header.__struct_fields__)


# What only a replay can find is no business of a schema.
_SCHEMA_SEES = [
    case for case, (_, _, code, _) in BAD_HANDS.items() if code in ("bad_value", "unknown_key", "unknown_event")
]


@pytest.mark.parametrize("case", [*_SCHEMA_SEES, "an unknown tile"])
def test_the_schema_refuses_a_broken_hand(case: str, game: Any) -> None:
    number, change, _, _ = BAD_HANDS[case]
    change(game["hands"][number])
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(game)


@pytest.mark.parametrize(
    "change",
    [
        {"winnner": 0},
        {"win": "discard"},
        {"from": 1},
        {"winner": 4},
        {"hand": "12q"},
        {"win_tile": "88s"},
        {"win_tile": None},
        {"melds": ["pung:CC"]},
        {"flowers": [1, 1]},
        {"flags": {"last_tiles": True}},
        {"flags": {"last_tile": 1}},
    ],
)
def test_the_schema_refuses_a_broken_record(change: dict[str, Any], record: Any) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid({"record": record})
    assert not validator.is_valid({"record": record | change})


@pytest.mark.parametrize(
    "line",
    [{}, {"type": "hands"}, {"type": "event"}, {"type": "event", "e": ["draw", 4, "1m"]}, {"type": "end_hand", "x": 1}],
)
def test_the_schema_refuses_other_lines(line: dict[str, Any]) -> None:
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(line)


# -- the document

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "format-paipu.md"


def document_lines() -> list[Any]:
    blocks = DOCUMENT.read_text("utf-8").split("```json\n")[1:]
    return [json.loads(line) for block in blocks for line in block.split("```")[0].splitlines()]


def test_the_examples_of_the_document_are_valid_and_read() -> None:
    lines = document_lines()
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines:
        validator.validate(line)
    games, rejects = read(*lines)
    assert rejects == []
    assert [len(game.wins) for game in games] == [1, 1, 1, 1, 1]


def test_the_document_names_every_key_flag_and_event() -> None:
    text = DOCUMENT.read_text("utf-8")
    named = [
        *RECORD_KEYS,
        *FLAGS,
        *LINE_KEYS,
        *paipu_play.Hand.__struct_fields__,
        *paipu_play.Game.__struct_fields__,
    ]
    assert [key for key in named if f"`{key}`" not in text] == []
    assert [kind for kind in paipu_play.EVENT_TYPES if f'`["{kind}"' not in text] == []


def test_a_line_that_is_no_text_and_of_the_wrong_type_costs_itself() -> None:
    bad = b'{"format":"paipu","version":1,"id":"g","rules":"tw_general","hands":[{"round":5,"dealer":0,"room":"\xff"}]}'
    good = (FIXTURES / "paipu_play.jsonl").read_bytes().splitlines()[0]
    games, rejects = read_all(paipu_jsonl.FORMAT, bad + b"\n" + good + b"\n")
    assert len(games) == 1
    assert [row["position"] for row in rejects] == [1]
