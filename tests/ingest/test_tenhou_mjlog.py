"""Tenhou mjlog. The fixtures are made by us; their results follow from the rules (RIICHI 2.3 to 2.8).

tenhou_game.xml, six hands: 0 the dealer wins by double riichi, ippatsu, self-draw and pinfu (5 han, 4000 from each);
1 a double ron, dealer 2 han 30 fu with one honba and South's 1 han 40 fu; 2 an added kong is robbed, 3 han 30 fu with
two honba; 3 an exhaustive draw with two ready; 4 a concealed kong, its new dora, and the win on the replacement (3 han
60 fu, dealer); 5 nine terminals. tenhou_sanma.xml: a win with one north set aside, then a hand that breaks off.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import RecordError
from ingest.formats import tenhou_mjlog
from ingest.melds import KONG_CONCEALED, format_meld
from ingest.pipeline import ingest
from ingest.record import SCHEMAS, GameRows, to_table
from ingest.store import Store
from ingest.tenhou import KINDS, TILES_WITH_REDS, agari_row, meld, table
from ingest.tiles import KIND, NAMES

FIXTURES = Path(__file__).with_name("fixtures")
GAME = (FIXTURES / "tenhou_game.xml").read_bytes()
SANMA = (FIXTURES / "tenhou_sanma.xml").read_bytes()
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "tenhou_mjlog"
NAME = "2020010203gm-0009-0000-0badcafe.xml"


def read(content: bytes | str, name: str = NAME) -> GameRows:
    rows = tenhou_mjlog.read_game(content.encode() if isinstance(content, str) else content, file=name)
    assert isinstance(rows, GameRows), rows
    for table_name, found in (("hands", rows.hands), ("seats", rows.seats), ("wins", rows.wins)):
        to_table(table_name, found)
    return rows


def refused(content: str, hand: int) -> str:
    """The code of the one hand that is refused; the others are kept."""
    rows = read(content)
    assert [row["hand_no"] for row in rows.rejects] == [hand], rows.rejects
    assert len(rows.hands) == 5
    assert rows.rejects[0]["message"]
    code: str = rows.rejects[0]["code"]
    return code


def test_the_row_of_the_game() -> None:
    game = read(GAME).game
    assert game["log_id"] == "2020010203gm-0009-0000-0badcafe"
    assert game["players"] == ["tenhou:Ann", "tenhou:Bo", "tenhou:Cai", "tenhou:Dee"]
    assert (game["family"], game["declared"], game["simulated"], game["n_hands"]) == ("riichi", "tenhou_4p", False, 6)
    assert game["started_at"] == datetime(2020, 1, 2, 3)
    assert (game["room"], game["table_name"]) == ("四般南喰赤－", None)
    assert game["final_scores"] == [37700, 12300, 34500, 15500]
    assert game["final_points"] == [47.0, -38.0, 15.0, -24.0]
    assert json.loads(game["declared_options"]) == {"paipu": {}, "type": 9, "lobby": "0"}


def test_the_hands() -> None:
    hands = read(GAME).hands
    assert [hand["result"] for hand in hands] == ["win", "win", "win", "exhaustive_draw", "win", "abortive_draw"]
    assert [hand["draw_kind"] for hand in hands] == [None] * 5 + ["kyuushu"]
    assert [hand["n_wins"] for hand in hands] == [1, 2, 1, 0, 1, 0]
    assert [(hand["round_wind"], hand["dealer"], hand["streak"]) for hand in hands] == [
        (0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 0), (0, 2, 1), (0, 2, 2),
    ]  # fmt: skip
    assert [hand.get("dealer_kept") for hand in hands] == [True, True, False, False, True, None]
    assert [hand["deltas"] for hand in hands] == [
        [12000, -4000, -4000, -4000],
        [3200, 1300, 0, -4500],
        [0, -4500, 0, 4500],
        [1500, -1500, 1500, -1500],
        [-4000, -4000, 12000, -4000],
        [0, 0, 0, 0],
    ]
    for before, after in pairwise(hands):
        assert [a + b for a, b in zip(before["scores_before"], before["deltas"], strict=True)] == after["scores_before"]
        assert before["sticks_after"] == after["sticks"] == 0
    assert [hand["wall_left"] for hand in hands] == [65, 66, 63, 0, 68, 69]
    assert hands[3]["nagashi"] == 0


def test_wins_of_the_dealer_in_a_row() -> None:
    wins = read(GAME).wins
    assert [(win["hand_no"], win["dealer_wins"]) for win in wins] == [(0, 1), (1, 2), (1, 2), (2, 0), (4, 1)]


def test_double_riichi_and_its_deposit() -> None:
    rows = read(GAME)
    row = rows.wins[0]
    assert (row["riichi"], row["ippatsu"], row["win_kind"], row["first_draw"], row["heavenly"]) == (
        2, True, 1, False, False,
    )  # fmt: skip
    assert (row["sticks"], row["own_stick"], row["ura1"]) == (1, True, KIND["E"])
    assert json.loads(row["recorded_items"]) == {
        "double_riichi": 2, "ippatsu": 1, "menzen_tsumo": 1, "pinfu": 1,
    }  # fmt: skip
    assert (row["recorded_tai"], row["recorded_fu"], row["recorded_points"]) == (5, 20, 12000)
    assert row["recorded_payments"] == [13000, -4000, -4000, -4000]
    seat = rows.seats[0]
    assert (seat["riichi"], seat["ready_turn"], seat["delta"], seat["outcome"]) == (2, 0, 12000, "self_draw")


def test_two_winners_of_one_tile() -> None:
    first, second = read(GAME).wins[1:3]
    assert [(row["winner"], row["payer"], row["win_no"], row["n_winners"]) for row in (first, second)] == [
        (0, 3, 0, 2),
        (1, 3, 1, 2),
    ]
    assert first["recorded_payments"] == [3200, 0, 0, -3200]
    assert second["recorded_payments"] == [0, 1300, 0, -1300]
    assert NAMES[first["win_tile"]] == NAMES[second["win_tile"]] == "6s"


def test_a_robbed_kong() -> None:
    row = read(GAME).wins[3]
    assert (row["winner"], row["payer"], row["win_kind"], row["robbed"], row["streak"]) == (3, 1, 2, 0, 2)
    assert json.loads(row["recorded_items"])["chankan"] == 1


def test_who_was_ready_at_the_draw() -> None:
    seats = [row for row in read(GAME).seats if row["hand_no"] == 3]
    assert [row["tenpai_at_draw"] for row in seats] == [True, False, True, False]
    assert [row["seat_wind"] for row in seats] == [3, 0, 1, 2]
    assert [row["outcome"] for row in seats] == ["draw"] * 4


def test_a_concealed_kong_and_its_dora() -> None:
    row = read(GAME).wins[4]
    assert row["m0"] == KONG_CONCEALED + KIND["9m"]
    assert (row["replacement"], row["dora1"], row["dora2"], row["kong_feeder"]) == (3, KIND["S"], KIND["1p"], None)
    assert row.get("dora3") is None
    assert row.get("ura1") is None
    assert (row["recorded_fu"], row["recorded_points"]) == (60, 11700)


def test_three_players_and_a_broken_end() -> None:
    rows = read(SANMA)
    assert rows.game["declared"] == "tenhou_3p"
    assert rows.game["players"] == ["tenhou:Ann", "tenhou:Bo", "tenhou:Cai", None]
    assert rows.game["final_scores"] is None
    assert len(rows.seats) == 3
    assert rows.hands[0]["deltas"] == [0, 2600, -2600, 0]
    assert rows.hands[0]["scores_before"] == [35000, 35000, 35000, 0]
    row = rows.wins[0]
    assert (row["n_players"], row["norths"], row["dealer"]) == (3, 1, 0)
    assert json.loads(row["recorded_items"]) == {"haku": 1, "kita_dora": 1}
    [reject] = rows.rejects
    assert (reject["hand_no"], reject["code"]) == (1, "no_end")


# What real files do.


@pytest.mark.parametrize(
    "change",
    [
        lambda text: re.sub(r" (\w+=)", r"\n   \1", text),
        lambda text: text.replace("><", ">\n  <"),
        lambda text: text.replace("><", ">\n<").replace("\n", "\n\t \n", 40),
        lambda text: text.replace("/>", " />"),
        lambda text: text.replace("/><", "/>7<"),
        lambda text: re.sub(r'(<INIT)( seed="[^"]*")( ten="[^"]*")', r"\1\3\2", text),
        lambda text: re.sub(r"<SHUFFLE[^>]*>", "", text),
        lambda text: re.sub(r"<SHUFFLE[^>]*>", '<SHUFFLE seed="mt19937ar-sha512-n288-base64,ab/c+d=" ref=""/>', text),
        lambda text: text.replace("<INIT", '<BYE who="1" /><UN n1="%42%6F" /><INIT', 1),
        lambda text: "\ufeff" + text,
        lambda text: "<!-- a page around it: <INIT seed= -->\n" + text,
        lambda text: text.replace("-15,210,15,210,-15", "-15,210,15,210,-15,0,1,0,-1,0,2,0,-2"),
        lambda text: text.replace("155,-24.0", "155,-24.0,1,0,-1,0,2,0,-2,0"),
    ],
)  # fmt: skip
def test_the_same_game_in_other_clothes(change: Any) -> None:
    plain, other = read(GAME), read(change(GAME.decode()))
    assert not other.rejects
    assert (other.hands, other.seats, other.wins) == (plain.hands, plain.seats, plain.wins)
    assert other.game["players"] == plain.game["players"]
    assert other.game["final_points"] == plain.game["final_points"]


def test_names_that_are_no_players() -> None:
    text = GAME.decode().replace("%41%6E%6E", "NoName").replace("%42%6F", "").replace("%43%61%69", "%44%65%65")
    assert read(text).game["players"] == [None] * 4


def test_programs_at_the_table() -> None:
    assert read(GAME.decode().replace('sx="F,M,M,F"', 'sx="C,C,C,C"')).game["simulated"] is True
    assert read(GAME.decode().replace('sx="F,M,M,F"', 'sx="M,C,C,C"')).game["simulated"] is False


def test_a_log_without_its_id_is_known_by_its_content() -> None:
    first, second = read(GAME, "a.xml"), read(GAME + b" ", "a.xml")
    assert first.game["log_id"] is None
    assert first.game["started_at"] is None
    assert first.game["game_id"] != second.game["game_id"]
    assert read(GAME, "b.xml").game["game_id"] == first.game["game_id"]
    assert read(GAME, "x/" + NAME).game["game_id"] == read(GAME + b" ", NAME + ".gz").game["game_id"]


def test_the_id_in_a_comment() -> None:
    assert read(b"<!-- /0/?log=2019010203gm-0009-0000-0000beef -->" + GAME, "a.xml").game["log_id"] == (
        "2019010203gm-0009-0000-0000beef"
    )


def test_a_log_without_its_beginning_has_no_rules() -> None:
    rows = read(GAME[GAME.index(b"<INIT") :])
    assert rows.game["declared"] is None
    assert rows.game["players"] == [None] * 4
    assert {row["reds"] for row in rows.wins} == {None}
    assert len(rows.hands) == 6


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.95])
def test_the_hands_before_a_break_are_kept(share: float) -> None:
    whole = read(GAME)
    cut = GAME[: int(len(GAME) * share)]
    rows = read(cut)
    assert 0 < len(rows.hands) < 6
    ended = {"dealer_kept": None}  # the next hand is not there to tell
    assert [row | ended for row in rows.hands] == [row | ended for row in whole.hands[: len(rows.hands)]]
    assert [row["code"] for row in rows.rejects] in ([], ["no_end"], ["tile_count"], ["bad_tag"])


def test_nothing_to_read() -> None:
    row = tenhou_mjlog.read_game(GAME[: GAME.index(b"<INIT")], file="a.xml")
    assert isinstance(row, dict)
    assert row["code"] == "no_hands"


@pytest.mark.parametrize(
    ("options", "go"),
    [
        ({}, 'type="9"'),
        ({"open_tanyao": False}, 'type="13"'),
        ({"red_fives": {"m": 0, "p": 0, "s": 0}}, 'type="11"'),
        ({"length": "tonpuu"}, 'type="1"'),
    ],
)
def test_what_the_type_of_the_table_says(options: dict[str, Any], go: str) -> None:
    rows = read(GAME.decode().replace('type="9"', go, 1))
    assert json.loads(rows.game["declared_options"])["paipu"] == options


def test_other_start_points() -> None:
    found = table({"type": "169"}, start=[30000] * 4)
    assert (found.options["paipu"], found.room) == ({"start_points": 30000}, "四鳳南喰赤－")
    assert table({"type": "185"}, start=[35000, 35000, 35000, 0]).options["paipu"] == {}


def test_reds_are_counted_only_where_the_table_has_them() -> None:
    text = GAME.decode()
    hand = text.index("<INIT")
    start = text.index("hai0=", hand)
    # A 5p of the first winner becomes the red one.
    plain = next(str(tile) for tile in (53, 54, 55) if f",{tile}," in text[start : start + 60])
    stop = text.index("<INIT", hand + 1)
    first = re.sub(r"(?<=[\",<DEFGTUVW])52(?=[\",/])", "X", text[hand:stop])
    first = re.sub(rf"(?<=[\",DEFGTUVW]){plain}(?=[\",/])", "52", first).replace("X", plain)
    changed = text[:hand] + first + text[stop:]
    assert read(changed).wins[0]["reds"] == 4
    assert read(changed.replace('type="9"', 'type="11"', 1)).wins[0]["reds"] == 0


# What cannot be right.


@pytest.mark.parametrize(
    ("code", "hand", "old", "new"),
    [
        ("scores_mismatch", 0, 'sc="240,130', 'sc="250,130'),
        ("sticks_mismatch", 0, 'ba="0,1"', 'ba="0,2"'),
        ("sticks_mismatch", 1, 'AGARI ba="1,0"', 'AGARI ba="2,0"'),
        ("out_of_turn", 0, "<U", "<V"),
        ("bad_seats", 0, 'oya="0" hai0', 'oya="1" hai0'),
        ("unknown_draw", 5, "yao9", "yao8"),
        ("bad_nagashi", 3, 'RYUUKYOKU ba="0,0" sc', 'RYUUKYOKU type="nm" ba="0,0" sc'),
        ("bad_abort", 5, "yao9", "kaze4"),
        ("unknown_yaku", 1, 'yaku="18,1"', 'yaku="55,1"'),
        ("dora_mismatch", 4, "<DORA", "<NOTHING"),
        ("not_tenpai", 3, "402,15,178,-15", "402,-15,178,15"),
        ("unknown_tile", 0, "<D12", "<D212"),
    ],
)
def test_a_damaged_hand_is_refused_and_the_rest_kept(code: str, hand: int, old: str, new: str) -> None:
    text = GAME.decode()
    starts = [found.start() for found in re.finditer("<INIT", text)]
    place = text.index(old, starts[hand])
    assert refused(text[:place] + new + text[place + len(old) :], hand) == code


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(GAME) - 1), st.binary(min_size=0, max_size=3), st.integers(0, 3))
def test_damage_never_makes_the_reader_fail(place: int, put: bytes, cut: int) -> None:
    rows = tenhou_mjlog.read_game(GAME[:place] + put + GAME[place + cut :], file="a.xml")
    if isinstance(rows, GameRows):
        for name, found in (("games", [rows.game]), ("hands", rows.hands), ("seats", rows.seats), ("wins", rows.wins)):
            to_table(name, found)
            for row in found:
                assert set(row) <= set(SCHEMAS[name].names)


# Melds and tiles (FORMATS 1.1).


def test_dragons_are_white_green_red() -> None:
    assert [NAMES[KINDS[tile]] for tile in (108, 112, 116, 120, 124, 128, 132)] == ["E", "S", "W", "N", "P", "F", "C"]
    assert [tile for tile in range(136) if TILES_WITH_REDS[tile] != KINDS[tile]] == [16, 52, 88]


@pytest.mark.parametrize(
    ("field", "what", "text", "feeder"),
    [
        (0x8000 - 0x8000 + (0 << 10) + 7, "chi", "chow:123m", 3),
        ((3 * 20 + 1) << 10 | 7, "chi", "chow:789s", 3),
        ((3 * 27) << 9 | 8 | 1, "pon", "pung:EEE", 1),
        ((3 * 31) << 9 | 8 | 2, "pon", "pung:PPP", 2),
        ((3 * 33) << 9 | 0x10 | 3, "added_kong", "kong_added:CCCC", 3),
        (4 * 32 << 8 | 2, "open_kong", "kong_open:FFFF", 2),
        (4 * 4 << 8, "closed_kong", "kong_concealed:5555m", 0),
    ],
)
def test_meld_fields(field: int, what: str, text: str, feeder: int) -> None:
    found = meld(field)
    assert (found.what, format_meld(found.code), found.feeder) == (what, text, feeder)


def test_kita_and_fields_that_are_none() -> None:
    assert meld(120 << 8 | 0x20).what == "kita"
    for field in (124 << 8 | 0x20, 63 << 10 | 7, 105 << 9 | 8, 140 << 8 | 1, 1 << 16, -1):
        with pytest.raises(RecordError) as caught:
            meld(field)
        assert caught.value.code == "bad_meld"


def test_a_win_from_its_record_alone() -> None:
    """The same rows as by replay, but for what no yaku tells."""
    rows = read(GAME)
    found = re.findall(r"<AGARI([^>]*)/>", GAME.decode())
    for text, played, hand in zip(found, rows.wins, (0, 1, 1, 2, 4), strict=True):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', text))
        alone = agari_row(attributes, players=4, dealer=rows.hands[hand]["dealer"], round_wind=0)
        for name, value in alone.items():
            if value is not None and name not in ("first_draw", "before_first_draw", "sticks"):
                assert played.get(name) == value, name
        assert alone["riichi"] == played["riichi"]
        assert alone["replacement"] == played["replacement"]


# The whole way into a store.


def test_gzip_and_archives_and_broken_ends(tmp_path: Path) -> None:
    packed = gzip.compress(GAME)
    logs = tmp_path / "logs"
    logs.mkdir()
    with zipfile.ZipFile(logs / "scraw2020.zip", "w") as archive:
        archive.writestr("2020/2020010203gm-0009-0000-00000001.xml", GAME)
        archive.writestr("2020/2020010203gm-0009-0000-00000002.mjlog", gzip.compress(GAME + b" "))
    (logs / "2020010203gm-0009-0000-00000003.mjlog").write_bytes(packed[: len(packed) * 2 // 3])
    store = Store.create(tmp_path / "store")
    report = ingest([logs], store)
    assert len(report.unreadable) == 1
    assert set(report.rejects) <= {"no_end", "bad_tag", "tile_count"}
    assert report.games == 3
    assert 12 < report.hands < 18


def test_sniffing() -> None:
    assert tenhou_mjlog.sniff(GAME[:65536])
    assert tenhou_mjlog.sniff(GAME[GAME.index(b"<INIT") :])
    assert not tenhou_mjlog.sniff(b"<mjloggm>")
    assert not tenhou_mjlog.sniff(b'Get: <INIT seed="0,0,0,3,3,79" ten="250,250,250,250" oya="2" hai="78,112"/>')


# Real files.


def _real() -> list[Path]:
    return sorted(path for path in LOGS.glob("*") if path.suffix != ".txt") if LOGS.is_dir() else []


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
def test_every_real_hand_is_read_and_its_circumstances_are_the_recorded_ones() -> None:
    hands = wins = 0
    for path in _real():
        content = path.read_bytes()
        rows = read(gzip.decompress(content) if path.suffix == ".gz" else content, path.name)
        assert not rows.rejects, path.name
        hands += len(rows.hands)
        wins += len(rows.wins)
        for before, after in pairwise(rows.hands):
            changed = [a + b for a, b in zip(before["scores_before"], before["deltas"], strict=True)]
            assert (changed, before["sticks_after"]) == (after["scores_before"], after["sticks"]), path.name
        for hand in rows.hands:
            assert sum(hand["deltas"]) == 1000 * (hand["sticks"] - hand["sticks_after"])
        for row in rows.wins:
            items = json.loads(row["recorded_items"])
            if max(items.values()) >= 13:
                continue
            assert row["riichi"] == (2 if "double_riichi" in items else 1 if "riichi" in items else 0)
            assert row["ippatsu"] == ("ippatsu" in items)
            assert (row["replacement"] > 0) == ("rinshan" in items)
            assert row["last_tile"] == ("haitei" in items or "houtei" in items)
            assert (row["robbed"] == 0) == ("chankan" in items)
            assert items.get("aka_dora", 0) == row["reds"] % 4 + row["reds"] // 4 % 4 + row["reds"] // 16
    assert (hands, wins) == (181, 158)


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
def test_a_real_win_from_its_record_alone_is_the_replayed_one() -> None:
    """Melds in order, the kong of a rinshan, liability: all that the record gives agrees with the play."""
    compared = 0
    for path in LOGS.glob("*.xml"):
        content = path.read_bytes()
        rows = read(content, path.name)
        dealers = {hand["hand_no"]: (hand["dealer"], hand["round_wind"]) for hand in rows.hands}
        for text in re.findall(r"<AGARI\b([^>]*)>", content.decode()):
            record = dict(re.findall(r'(\w+)="([^"]*)"', text))
            paid = [100 * int(change) for change in record["sc"].split(",")[1:8:2]]
            [played, *_] = [
                row
                for row in rows.wins
                if (row["winner"], row["recorded_payments"]) == (int(record["who"]), paid)
                and str(row["recorded_points"]) == record["ten"].split(",")[1]
                and KINDS[int(record["machi"])] == row["win_tile"]
            ]
            dealer, round_wind = dealers[played["hand_no"]]
            alone = agari_row(record, players=played["n_players"], dealer=dealer, round_wind=round_wind)
            for name, value in alone.items():
                # A second winner's record has no deposits; a first draw after a call is not told.
                if value is not None and name not in ("sticks", "first_draw", "before_first_draw"):
                    assert played.get(name) == value, (path.name, played["hand_no"], name)
            compared += 1
    assert compared == 144


@pytest.mark.skipif(not LOGS.is_dir(), reason="needs the collected logs")
@pytest.mark.parametrize("name", ["dnovikoff_pao.xml", "rmss_pao.xml"])
def test_real_liability_is_the_recorded_one(name: str) -> None:
    content = (LOGS / name).read_bytes()
    [told] = re.findall(rb'paoWho="(\d)"', content)
    assert [row["liable_dragons"] for row in read(content).wins if row["recorded_fu"] is None] == [int(told)]


class _Log:
    """A Source of bytes."""

    name = NAME

    def __init__(self, content: bytes) -> None:
        self.content = content

    @property
    def head(self) -> bytes:
        return self.content[:65536]

    def open(self) -> io.BytesIO:
        return io.BytesIO(self.content)


def test_reading_a_source() -> None:
    [rows] = tenhou_mjlog.read(_Log(GAME))
    assert isinstance(rows, GameRows)
    assert len(rows.hands) == 6


def test_a_number_of_absurd_length_costs_its_hand() -> None:
    content = re.sub(r'm="\d+"', f'm="{"9" * 5000}"', GAME.decode(), count=1)
    rows = read(content)
    assert [row["code"] for row in rows.rejects] == ["bad_number"]
    assert len(rows.hands) == 5
