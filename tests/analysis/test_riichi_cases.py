"""The riichi scorer on checked cases: our own hand-computed ones and those of the rules folder, where it is beside us.

A case says in words what a hand is worth ("2/30 R2000", "Y1 T8000-16000") or what each seat gets.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.families.riichi import draw_payments
from analysis.rules.preset import Preset, shipped_presets
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
