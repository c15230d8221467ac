from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from ingest import formats
from ingest.formats import mjai
from ingest.formats.majiang import FORMAT
from ingest.formats.support import support
from ingest.ids import game_id
from ingest.melds import format_meld
from ingest.record import REPLACEMENTS, ROBBED, WIN_KINDS, GameRows
from ingest.sources import Log
from ingest.tiles import NAMES
from tests.ingest.logs import Text, given_columns, read_all
from tests.ingest.test_mjai import FIXTURE as MJAI
from tests.ingest.test_mjai import SCORE, same_facts

FIXTURE = Path(__file__).parent / "fixtures" / "majiang_game.json"
LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "kobalab"
Paipu = dict[str, Any]


def paipu() -> Paipu:
    found: Paipu = json.loads(FIXTURE.read_text(encoding="utf-8"))
    return found


def read(content: bytes | Paipu | list[Paipu]) -> tuple[list[GameRows], list[Paipu]]:
    raw = content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    return read_all(FORMAT, raw)


@pytest.fixture(scope="module")
def game() -> GameRows:
    [found], rejects = read(paipu())
    assert rejects == []
    return found


def test_the_same_game_in_another_format_gives_the_same_rows(game: GameRows) -> None:
    [other] = mjai.FORMAT.read(Text(MJAI.read_bytes()))
    assert isinstance(other, GameRows)
    same_facts(game, other, but=SCORE)


def test_seats_begin_with_the_first_dealer(game: GameRows) -> None:
    # The file lists Dee, Ann, Bo, Cai, and says that the second of them deals first.
    assert game.game["players"] == ["majiang:Ann", "majiang:Bo", "majiang:Cai", "majiang:Dee"]
    assert game.game["final_scores"] == [-3200, 36600, 46600, 20000]
    assert game.game["final_points"] == [-53.2, 16.6, 66.6, -30.0]


def test_the_title_is_the_room_and_holds_the_time(game: GameRows) -> None:
    assert game.game["room"] == "友人戦"
    assert game.game["started_at"] == datetime(2026, 1, 31, 20, 5, 9)
    assert game.game.get("declared") is None


def test_a_game_of_tenhou_is_known_by_its_log_id() -> None:
    log_id = "2026013120gm-00a9-0000-0badcafe"
    [found], _ = read({**paipu(), "title": f"四鳳南喰赤\n{log_id}\n2026/01/31 20:05"})
    assert (found.game["log_id"], found.game["game_id"]) == (log_id, game_id("tenhou", log_id))
    assert found.game["room"] == "四鳳南喰赤"
    assert found.game["started_at"] == datetime(2026, 1, 31, 20, 5)


def test_the_recorded_scores(game: GameRows) -> None:
    assert [tuple(win[column] for column in SCORE[:3]) for win in game.wins] == [
        (6, 30, 12000), (5, 40, 8000), (1, 40, 1300), (2, 30, 2000), (2, 60, 6000), (13, None, 32000),
    ]  # fmt: skip
    assert [json.loads(win["recorded_items"]) for win in game.wins] == [
        {"double_riichi": 2, "ippatsu": 1, "pinfu": 1, "dora": 1, "aka_dora": 1},
        {"chankan": 1, "sanshoku_doujun": 2, "chanta": 2},
        {"tanyao": 1},
        {"pinfu": 1, "tanyao": 1},
        {"rinshan": 1, "menzen_tsumo": 1},
        {"daisangen": 13},
    ]


def test_yakuman_are_counted_by_their_stars() -> None:
    found = paipu()
    win = found["log"][6][-1]["hule"]
    win["hupai"] = [{"name": "大四喜", "fanshu": "**", "baojia": "-"}, {"name": "字一色", "fanshu": "*"}]
    win["damanguan"] = 3
    [game], _ = read(found)
    assert game.wins[5]["recorded_tai"] == 39
    assert json.loads(game.wins[5]["recorded_items"]) == {"daisuushii": 26, "tsuuiisou": 13}


def test_open_melds_of_a_winner() -> None:
    deal = {
        "zhuangfeng": 1, "jushu": 1, "changbang": 0, "lizhibang": 0, "defen": [25000] * 4, "baopai": "z1",
        "shoupai": ["m1257p199s19z1234", "m46p055s234z55667", "m199p19s199z12345", "m147p2288s5588z22"],
    }  # fmt: skip
    hand = [
        {"qipai": deal},
        {"zimo": {"l": 0, "p": "p5"}},
        {"dapai": {"l": 0, "p": "p5_"}},
        {"fulou": {"l": 1, "m": "p0555-"}},
        {"gangzimo": {"l": 1, "p": "z7"}},
        {"kaigang": {"baopai": "s1"}},
        {"dapai": {"l": 1, "p": "z7"}},
        {"zimo": {"l": 2, "p": "z1"}},
        {"dapai": {"l": 2, "p": "z5"}},
        {"fulou": {"l": 1, "m": "z555+"}},
        {"dapai": {"l": 1, "p": "z7"}},
        {"zimo": {"l": 2, "p": "m2"}},
        {"dapai": {"l": 2, "p": "m2_"}},
        {"zimo": {"l": 3, "p": "m3"}},
        {"dapai": {"l": 3, "p": "m3_"}},
        {"zimo": {"l": 0, "p": "m0"}},
        {"dapai": {"l": 0, "p": "m0_"}},
        {"fulou": {"l": 1, "m": "m40-6"}},
        {"dapai": {"l": 1, "p": "z6"}},
        {"zimo": {"l": 2, "p": "m4"}},
        {"dapai": {"l": 2, "p": "m4_"}},
        {"zimo": {"l": 3, "p": "m8"}},
        {"dapai": {"l": 3, "p": "m8_"}},
        {"zimo": {"l": 0, "p": "m8"}},
        {"dapai": {"l": 0, "p": "m8_"}},
        {"zimo": {"l": 1, "p": "z5"}},
        {"gang": {"l": 1, "m": "z555+5"}},
        {"gangzimo": {"l": 1, "p": "z6"}},
        {
            "hule": {
                "l": 1, "shoupai": "s234z6z6,p0555-,z555+5,m40-6", "baojia": None, "fubaopai": None, "fu": 50,
                "fanshu": 5, "defen": 8000, "fenpei": [-4000, 8000, -2000, -2000],
                "hupai": [{"name": "翻牌 白", "fanshu": 1}, {"name": "嶺上開花", "fanshu": 1},
                          {"name": "ドラ", "fanshu": 1}, {"name": "赤ドラ", "fanshu": 2}],
            }
        },
    ]  # fmt: skip
    found = paipu()
    found["log"] = [hand]
    [game], rejects = read(found)
    assert rejects == []
    [win] = game.wins
    # The dealer of the second deal is seat 1, so place 1 is seat 2.
    assert (win["winner"], win["dealer"], win["round_wind"]) == (2, 1, 1)
    assert [format_meld(win[f"m{i}"]) for i in range(4) if win[f"m{i}"]] == [
        "kong_open:5555p",
        "kong_added:PPPP",
        "chow:456m",
    ]
    assert win["reds"] == 1 + 4
    assert REPLACEMENTS[win["replacement"]] == "kong_added"
    assert win["kong_feeder"] is None
    assert win["recorded_payments"] == [-2000, -4000, 8000, -2000]
    assert json.loads(win["recorded_items"]) == {"haku": 1, "rinshan": 1, "dora": 1, "aka_dora": 2}
    assert [NAMES[win["dora1"]], NAMES[win["dora2"]]] == ["E", "1s"]


def test_white_green_and_red_are_in_this_order() -> None:
    found = paipu()
    found["log"][0][0]["qipai"]["baopai"] = "z5"
    [game], _ = read(found)
    assert NAMES[game.wins[0]["dora1"]] == "P"


@pytest.mark.parametrize("layout", ["array", "lines", "pretty", "bom"])
def test_layouts_of_a_file(game: GameRows, layout: str) -> None:
    one, two = paipu(), paipu() | {"title": "other"}
    texts = {
        "array": json.dumps([one, two]),
        "lines": f"{json.dumps(one)}\n{json.dumps(two)}\n",
        "pretty": json.dumps([one, two], indent=2),
        "bom": "\ufeff" + json.dumps([one, two]),
    }
    content = texts[layout].encode()
    assert FORMAT.sniff(content[:65536])
    games, rejects = read(content)
    assert rejects == []
    assert len({found.game["game_id"] for found in games}) == 2
    for found in games:
        same_facts(found, game)


def test_a_pretty_printed_game_alone(game: GameRows) -> None:
    [found], rejects = read(json.dumps(paipu(), indent=2).encode())
    assert rejects == []
    same_facts(found, game)


def test_places_around_the_user_are_no_names() -> None:
    [found], _ = read(paipu() | {"player": ["私", "下家", "対面", "上家"]})
    assert found.game["players"] == [None, None, None, "majiang:私"]


def test_a_second_line_of_a_name_is_the_rank_and_no_name() -> None:
    [found], _ = read(paipu() | {"player": ["Dee\n(七段 R2100)", "NoName\n(新人 R1500)", "Bo ", "Cai\n"]})
    assert found.game["players"] == [None, "majiang:Bo", "majiang:Cai", "majiang:Dee"]


def test_logs_made_of_those_of_tenhou_call_an_exhaustive_draw_otherwise(game: GameRows) -> None:
    told = paipu()
    edit(5, "pingju", name="流局")(told)
    [found], rejects = read(told)
    assert rejects == []
    same_facts(found, game)


def edit(number: int, kind: str, **values: Any) -> Callable[[Paipu], None]:
    """Sets values of the first event of a kind in a hand."""

    def apply(found: Paipu) -> None:
        next(event for event in found["log"][number] if kind in event)[kind].update(values)

    return apply


@pytest.mark.parametrize(
    ("change", "hand", "event", "code"),
    [
        (edit(0, "zimo", p="x1"), 0, 1, "unknown_tile"),
        (edit(0, "zimo", p="z8"), 0, 1, "unknown_tile"),
        (edit(0, "zimo", l=5), 0, 1, "bad_seat"),
        (edit(0, "zimo", l=2), 0, 1, "out_of_turn"),
        (edit(0, "dapai", p="s8"), 0, 2, "not_in_hand"),
        (edit(1, "fulou", m="s333"), 1, 3, "bad_meld"),
        (edit(1, "fulou", m="s333="), 1, 3, "bad_claim"),
        (edit(1, "fulou", m="s3333333-"), 1, 3, "bad_meld"),
        (edit(4, "gang", m="p11-1"), 4, 2, "no_pon"),
        (edit(0, "hule", shoupai="m234567p340s66789s9*"), 0, 9, "hand_mismatch"),
        (edit(0, "hule", shoupai="m234567p340s6678z1*"), 0, 9, "win_tile"),
        (edit(0, "hule", shoupai="m234567p345s6678s9*"), 0, 9, "hand_mismatch"),
        (edit(0, "hule", hupai=[{"name": "立直", "fanshu": "many"}]), 0, 9, "bad_yaku"),
        (edit(0, "hule", fenpei=[0, 13000, 0, -11000]), 0, None, "payments_do_not_sum"),
        (edit(0, "hule", fenpei=[0, 0]), 0, 9, "bad_value"),
        (edit(5, "pingju", name="地震"), 5, 141, "unknown_draw"),
        (edit(5, "pingju", name="四風連打"), 5, 141, "bad_abort"),
        (edit(5, "pingju", shoupai=["m1", "m1", "", ""]), 5, 141, "not_tenpai"),
        (edit(3, "qipai", jushu=4), 3, None, "bad_header"),
        (edit(3, "qipai", defen=[17000, 13000, 33000, 36000]), 3, None, "scores_jump"),
        (edit(3, "qipai", shoupai=["m1"] * 4), 3, None, "tile_count"),
        (lambda found: found["log"][3].pop(0), 3, None, "no_deal"),
        (lambda found: found["log"].__setitem__(3, {"qipai": 1}), 3, None, "bad_json"),
        (lambda found: found["log"][3].insert(1, {"news": {}}), 3, 1, "unknown_event"),
        (lambda found: found["log"][3].pop(), 3, None, None),
    ],
)
def test_a_hand_that_cannot_be_is_rejected_alone(
    change: Callable[[Paipu], Any], hand: int, event: int | None, code: str | None
) -> None:
    found = paipu()
    change(found)
    [game], rejects = read(found)
    if code is None:
        # One of two winners less: the hand stands, but the scores of the next do not follow from it.
        assert [(reject["code"], reject["hand_no"]) for reject in rejects] == [("scores_jump", hand + 1)]
        return
    assert [(reject["code"], reject["hand_no"]) for reject in rejects] == [(code, hand)]
    if event is not None:
        assert rejects[0]["event_no"] == event
    assert hand not in {row["hand_no"] for row in game.hands}


@pytest.mark.parametrize(
    "change",
    [{"qijia": 4}, {"player": ["Ann"]}, {"point": ["a", "b", "c", "d"]}, {"log": 5}, {"defen": [1, 2]}],
)
def test_a_game_that_cannot_be_is_one_reject(change: Paipu) -> None:
    games, rejects = read([paipu() | change, paipu()])
    assert len(games) == 1
    assert [reject["position"] for reject in rejects] == [1]


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
def test_real_games_are_read_whole() -> None:
    log = Log(LOGS / "script.json.gz")
    assert formats.recognise(log.head) is FORMAT
    games, rejects = read(gzip.decompress((LOGS / "script.json.gz").read_bytes()))
    assert rejects == []
    assert (len(games), sum(len(g.hands) for g in games), sum(len(g.wins) for g in games)) == (18, 171, 153)
    for game in games:
        last = game.hands[-1]
        after = [a + b for a, b in zip(last["scores_before"], last["deltas"], strict=True)]
        # Deposits that are left go to the first.
        after[after.index(max(after))] += 1000 * last["sticks_after"]
        assert after == game.game["final_scores"]


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
def test_what_the_play_says_is_what_the_recorded_yaku_say() -> None:
    games, _ = read(gzip.decompress((LOGS / "script.json.gz").read_bytes()))
    seen = set()
    for win in (win for game in games for win in game.wins):
        items = json.loads(win["recorded_items"])
        seen |= set(items)
        self_draw = WIN_KINDS[win["win_kind"]] == "self_draw"
        last = win["last_tile"] and not win["replacement"]
        told = {
            "riichi": win["riichi"] == 1,
            "double_riichi": win["riichi"] == 2,
            "ippatsu": win["ippatsu"],
            "chankan": win["robbed"] is not None and ROBBED[win["robbed"]] == "kong_added",
            "rinshan": win["replacement"] > 0,
            "haitei": last and self_draw,
            "houtei": last and WIN_KINDS[win["win_kind"]] == "discard",
            "tenhou": win["heavenly"] and win["no_calls"],
            "chiihou": win["first_draw"] and win["no_calls"],
        }
        if win["recorded_tai"] >= 13:
            told = {name: told[name] for name in ("tenhou", "chiihou")}
        assert {name for name, holds in told.items() if holds} == {name for name in items if name in told}
    assert {"riichi", "double_riichi", "ippatsu", "chankan", "rinshan", "haitei", "houtei", "tenhou", "chiihou"} <= seen


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
def test_the_matrix_says_what_real_games_give() -> None:
    games, _ = read(gzip.decompress((LOGS / "script.json.gz").read_bytes()))
    dated, _ = read(paipu())
    stated = {column for column, level in support()["majiang"].items() if level != "null"}
    rare = {("wins", f"{kind}{i}") for kind in ("dora", "ura") for i in range(3, 6)} | {
        ("wins", name) for name in ("liable_winds", "liable_kongs", "kong_feeder")
    }
    of_tenhou, _ = read(paipu() | {"title": "2026013120gm-00a9-0000-0badcafe"})
    assert given_columns([*games, *dated, *of_tenhou]) | rare == stated


@pytest.mark.skipif(not LOGS.is_dir(), reason="the collected logs are not here")
def test_scored_hands_without_play_are_no_log() -> None:
    assert not FORMAT.sniff(Log(LOGS / "hule.json.gz").head)
