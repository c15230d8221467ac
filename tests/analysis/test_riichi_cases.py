"""The riichi scorer on checked cases: our own hand-computed ones and those of the rules folder, where it is beside us.

A case says in words what a hand is worth ("2/30 R2000", "Y1 T8000-16000") or what each seat gets.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.batch import NONE_SEAT, HandBatch
from analysis.families.riichi import _LARGEST_FU, Settlement, _base_table, draw_payments
from analysis.rules.preset import Preset, shipped_presets
from ingest.record import WIN_KINDS
from tests.analysis.riichi_wins import ROOT, SHARED, Scored, named, row_of, score_rows

Case = dict[str, Any]

GIVEN = SHARED / "rules" / "RIICHI_CASES.jsonl"
LIABLE = ("liable_dragons", "liable_winds", "liable_kongs")
INVALID = "not_a_winning_shape"


def read(path: Path) -> list[Case]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


OWN = read(ROOT / "tests" / "golden" / "riichi.jsonl")
CASES = OWN + read(GIVEN)


def scored_hand(case: Case, preset: Preset) -> tuple[Scored, int]:
    """(what the scorer says, winner's seat) of a case of kind hand."""
    keys = ("hand", "melds", "win_tile", "win", "round", "seat")
    flags = {name: value for name, value in case["flags"].items() if value is not None}
    record = {key: case[key] for key in keys} | {"flags": flags, "players": preset.number("players")}
    row = row_of(record) | case.get("columns", {})
    return score_rows([row], preset)[0], row["winner"]


def in_words(scored: Scored, winner: int, preset: Preset, *, drawn: bool) -> str:
    """han/fu or multiples of a yakuman, then what is paid."""
    if scored.reason:
        return "invalid" if scored.reason == INVALID else scored.reason
    value = f"{scored.han}/{scored.fu}" if scored.fu else f"Y{scored.han // 13}"
    won = scored.payments[winner]
    if not drawn:
        return f"{value} R{won}"
    shares = sorted({-share for seat, share in enumerate(scored.payments) if seat != winner and share})
    total = f"={won}" if preset.number("players") == 3 else ""
    return f"{value} T{'-'.join(map(str, shares))}{total}"


HANDS = [(case, name) for case in CASES if case["kind"] == "hand" for name in case["expected"]]
SETTLEMENTS = [(case, name) for case in CASES if case["kind"] == "settlement" for name in case["expected"]]


def label(value: Any) -> str:
    return value if isinstance(value, str) else str(value["id"])


@pytest.mark.parametrize(("case", "name"), HANDS, ids=label)
def test_hand(case: Case, name: str) -> None:
    expected, preset = case["expected"][name], named(name)
    scored, winner = scored_hand(case, preset)
    assert in_words(scored, winner, preset, drawn=case["win"] == "tsumo") == expected["result"]
    if "yaku" in expected and not scored.reason:
        # Multiples of a yakuman are written there, thirteen han for each are ours.
        unit = 1 if scored.fu else 13
        assert scored.items == {item: han * unit for item, han in (expected["yaku"] or {}).items()}


def hand_worth(val: str, winner: int, dealer: int, players: int, *, drawn: bool) -> Case:
    """A record worth "han/fu" or "Y:yakuman+yakuman" whoever wins it by whatever way."""
    record: Case = {
        "win": "tsumo" if drawn else "ron",
        "round": "W",
        "seat": "ESWN"[(winner - dealer) % players],
        "players": players,
        "flags": {},
    }
    match val:
        case "Y:daisangen":
            melds = ["pon:CCC", "pon:FFF", "pon:PPP", "chi:234s"]
            record |= {"hand": "9p", "win_tile": "9p", "melds": melds}
        case "Y:daisangen+tsuuiisou":
            record |= {"hand": "EEES", "win_tile": "S", "melds": ["pon:CCC", "pon:FFF", "pon:PPP"]}
        case "Y:daisuushii":
            record |= {"hand": "2p", "win_tile": "2p", "melds": ["pon:EEE", "pon:SSS", "pon:WWW", "pon:NNN"]}
        case "Y:suukantsu":
            kongs = ["daiminkan:2222p", "daiminkan:4444p", "kakan:5555s", "ankan:8888s"]
            record |= {"hand": "7s", "win_tile": "7s", "melds": kongs}
        case _:
            han, fu = map(int, val.split("/"))
            assert fu == 30, val
            # Open tanyao, 20 fu and 2 for the triplet (2 more if drawn): 30; the rest of the han is dora.
            indicator = {1: "E", 2: "2s", 3: "7p", 4: "1p", 5: "1p"}[han]
            second = "chi:234p" if han == 5 else "chi:345p"
            record |= {"hand": "567s88p34s", "win_tile": "5s", "melds": ["pon:222p", second]}
            record["flags"] = {"dora": indicator}
    return record


def settled(case: Case, preset: Preset) -> list[int]:
    """Points of each seat over all winners of a hand."""
    players = preset.number("players")
    own = case["own_deposits"] or {}
    rows = []
    for number, winner in enumerate(case["winners"]):
        drawn = case["loser"] is None
        record = hand_worth(winner["val"], winner["seat"], case["dealer"], players, drawn=drawn)
        rows.append(
            row_of(record)
            | {
                "win_no": number,
                "winner": winner["seat"],
                "payer": case["loser"],
                "dealer": case["dealer"],
                "streak": case["honba"],
                "sticks": case["deposits"],
                "own_stick": bool(own.get(str(winner["seat"]))),
                "winners_sticks": sum(own.get(str(other["seat"]), 0) for other in case["winners"]),
                "n_winners": len(case["winners"]),
                "kong_feeder": case.get("feeder"),
                **dict.fromkeys(LIABLE, winner["liable"]),
            }
        )
    scores = score_rows(rows, preset)
    for winner, scored in zip(case["winners"], scores, strict=True):
        if scored.reason not in ("head_bump", "triple_ron"):
            worth = winner["val"].split(":")
            assert set(worth[1].split("+")) <= set(scored.items) if len(worth) > 1 else True
            assert len(worth) > 1 or f"{scored.han}/{scored.fu}" == worth[0]
    return [sum(scored.payments[seat] for scored in scores) for seat in range(players)]


@pytest.mark.parametrize(("case", "name"), SETTLEMENTS, ids=label)
def test_settlement(case: Case, name: str) -> None:
    preset = named(name)
    if case["winners"]:
        assert settled(case, preset) == case["expected"][name]
    else:
        paid = draw_payments(
            preset,
            dealer=case["dealer"],
            tenpai=case["tenpai"],
            nagashi=case["nagashi"] or (),
            honba=case["honba"],
            deposits=case["deposits"],
        )
        assert paid == case["expected"][name]


def test_our_cases_reach_every_preset() -> None:
    assert {name.split("+")[0] for case in OWN for name in case["expected"]} == set(shipped_presets("riichi"))
    assert len({case["id"] for case in OWN}) == len(OWN)


# The tables of RIICHI 2.7: what a hand pays by fu and han, and by base value where three play.

BELOW_MANGAN = """
    25 - 1600(-) 3200(800/1600) 6400(1600/3200)         | - 2400(-) 4800(1600) 9600(3200)
    30 1000(300/500) 2000(500/1000) 3900(1000/2000) 7700(2000/3900) | 1500(500) 2900(1000) 5800(2000) 11600(3900)
    40 1300(400/700) 2600(700/1300) 5200(1300/2600) 8000(2000/4000) | 2000(700) 3900(1300) 7700(2600) 12000(4000)
    50 1600(400/800) 3200(800/1600) 6400(1600/3200) 8000(2000/4000) | 2400(800) 4800(1600) 9600(3200) 12000(4000)
    60 2000(500/1000) 3900(1000/2000) 7700(2000/3900) 8000(2000/4000) | 2900(1000) 5800(2000) 11600(3900) 12000(4000)
    70 2300(600/1200) 4500(1200/2300) 8000(2000/4000) 8000(2000/4000) | 3400(1200) 6800(2300) 12000(4000) 12000(4000)
    80 2600(700/1300) 5200(1300/2600) 8000(2000/4000) 8000(2000/4000) | 3900(1300) 7700(2600) 12000(4000) 12000(4000)
    90 2900(800/1500) 5800(1500/2900) 8000(2000/4000) 8000(2000/4000) | 4400(1500) 8700(2900) 12000(4000) 12000(4000)
    100 3200(800/1600) 6400(1600/3200) 8000(2000/4000) 8000(2000/4000) | 4800(1600) 9600(3200) 12000(4000) 12000(4000)
    110 3600(900/1800) 7100(1800/3600) 8000(2000/4000) 8000(2000/4000) | 5300(1800) 10600(3600) 12000(4000) 12000(4000)
"""
LIMITS = {5: 8000, 6: 12000, 7: 12000, 8: 16000, 10: 16000, 11: 24000, 12: 24000, 13: 32000, 40: 32000}
SELF_DRAWS_OF_THREE = """
    320 400+700 500+800 700 1000
    640 700+1300 1000+1600 1300 2000
    1280 1300+2600 2000+3200 2600 3900
    240 300+500 400+600 500 800
    480 500+1000 800+1200 1000 1500
    960 1000+2000 1500+2400 2000 2900
    1920 2000+3900 2900+4800 3900 5800
    2000 2000+4000 3000+5000 4000 6000
    3000 3000+6000 4500+7500 6000 9000
    4000 4000+8000 6000+10000 8000 12000
    6000 6000+12000 9000+15000 12000 18000
    8000 8000+16000 12000+20000 16000 24000
"""
"""Base; non-dealer with the missing share lost, halved; dealer the same, each payer."""


def paid(preset: Preset, base: int, *, dealer_wins: bool, drawn: bool) -> list[int]:
    """What seats 0 (the dealer), 1, 2 and 3 get for a base value; seat 1 discards, seat 0 or 2 wins."""
    columns = {
        "winner": 0 if dealer_wins else 2,
        "payer": NONE_SEAT if drawn else 1,
        "win_kind": WIN_KINDS.index("self_draw" if drawn else "discard"),
        "n_players": preset.number("players"),
        **dict.fromkeys(("dealer", "win_no", "streak", "sticks", "own_stick", "winners_sticks"), 0),
        "n_winners": 1,
        "kong_feeder": NONE_SEAT,
    }
    batch = HandBatch({name: np.array([value], np.uint8) for name, value in columns.items()}, {}, 1)
    nobody, none = np.array([NONE_SEAT], np.uint8), np.zeros(1, np.uint8)
    points, _ = Settlement(batch).payments(preset, np.ones(1, bool), np.array([base], np.int32), none, nobody, none)
    return points[:, 0].tolist()


def table_entries() -> list[tuple[int, int, bool, str]]:
    found = []
    for line in BELOW_MANGAN.strip().splitlines():
        fu, *rest = line.split()
        mine, dealers = rest[:4], rest[5:]
        for dealer, entries in ((False, mine), (True, dealers)):
            found += [(han, int(fu), dealer, text) for han, text in enumerate(entries, 1) if text != "-"]
    return found


@pytest.mark.parametrize(("han", "fu", "dealer", "text"), table_entries())
def test_points_by_fu_and_han(han: int, fu: int, dealer: bool, text: str) -> None:
    preset = named("tenhou_4p")
    base = int(_base_table(False, "yakuman")[han * _LARGEST_FU + fu])
    ron, shares = text.rstrip(")").split("(")
    assert max(paid(preset, base, dealer_wins=dealer, drawn=False)) == int(ron)
    if shares != "-":
        low, high = shares.split("/") if "/" in shares else (shares, shares)
        expected = [-int(high), -int(low), 0, -int(low)] if not dealer else [0, *[-int(low)] * 3]
        expected[0 if dealer else 2] = -sum(expected)
        assert paid(preset, base, dealer_wins=dealer, drawn=True) == expected


@pytest.mark.parametrize("han", LIMITS)
def test_points_of_the_limits(han: int) -> None:
    base = int(_base_table(True, "yakuman")[han * _LARGEST_FU + 30])
    assert max(paid(named("tenhou_4p"), base, dealer_wins=False, drawn=False)) == LIMITS[han]
    assert max(paid(named("tenhou_4p"), base, dealer_wins=True, drawn=False)) == LIMITS[han] * 3 // 2


@pytest.mark.parametrize("line", SELF_DRAWS_OF_THREE.strip().splitlines())
def test_self_draws_of_three_players(line: str) -> None:
    base, lost, halved, dealer_lost, dealer_halved = line.split()
    for rule, others, dealer in (("loss", lost, dealer_lost), ("north_bisection", halved, dealer_halved)):
        preset = named(f"tenhou_3p+sanma_tsumo={rule}")
        low, high = map(int, others.split("+"))
        each = int(dealer)
        assert paid(preset, int(base), dealer_wins=False, drawn=True) == [-high, -low, high + low, 0]
        assert paid(preset, int(base), dealer_wins=True, drawn=True) == [2 * each, -each, -each, 0]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # Mangan of a non-dealer: 2000 from the other, 4000 from the dealer, 2000 are missing.
        ("full", [-6000, -4000, 10000, 0]),
        ("equalize", [-4000, -4000, 8000, 0]),
        ("nondealer_pays", [-4000, -4000, 8000, 0]),
        ("dealer_pays", [-6000, -2000, 8000, 0]),
        ("add_1000", [-5000, -3000, 8000, 0]),
        ("proportional", [-5400, -2700, 8100, 0]),
        ("ron_loss", [-4000, -2000, 6000, 0]),
    ],
)
def test_other_self_draws_of_three_players(rule: str, expected: list[int]) -> None:
    preset = named(f"tenhou_3p+sanma_tsumo={rule}")
    assert paid(preset, 2000, dealer_wins=False, drawn=True) == expected
    ron = 6000 if rule == "ron_loss" else 8000
    assert paid(preset, 2000, dealer_wins=False, drawn=False) == [0, -ron, ron, 0]
