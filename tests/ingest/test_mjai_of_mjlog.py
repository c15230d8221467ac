"""Real mjlogs written over into both mjai dialects must give the rows that the mjlogs themselves give."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ingest.formats import mjai, tenhou_mjlog
from ingest.record import GameRows
from ingest.riichi_replay import RED
from ingest.sources import Log
from ingest.tenhou import KINDS, TILES_WITH_REDS, attributes, meld, table
from ingest.tiles import NAMES
from tests.ingest.logs import Text
from tests.ingest.test_mjai import SCORE, each_hand, same_facts

LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs" / "tenhou_mjlog"
FILES = sorted(path.name for path in LOGS.glob("*") if path.suffix in (".xml", ".gz"))
TAG = re.compile(r"<([A-Za-z]+)(\d*)([^>]*)>")
REASONS = {
    "yao9": "kyushukyuhai",
    "kaze4": "sufonrenta",
    "reach4": "suchareach",
    "ron3": "sanchaho",
    "kan4": "sukaikan",
}

CUT = "pantheon_models_chips_tonpusen.xml"
"""Hands were taken out of this one, so its course is not that of a game."""

pytestmark = pytest.mark.skipif(not FILES, reason="the collected logs are not here")


def tile(packed: int) -> str:
    return f"{NAMES[packed & ~RED]}{'r' if packed & RED else ''}"


class Writer:
    """mjai events of an mjlog, in the dialect of Mortal."""

    def __init__(self, text: str) -> None:
        self.out: list[dict[str, Any]] = [{"type": "start_game", "names": []}]
        go = re.search(r"<GO([^>]*)>", text)
        changed = table(attributes(go.group(1))).options["paipu"] if go else {}
        self.reds = "red_fives" not in changed
        self.tiles = TILES_WITH_REDS if self.reds else KINDS
        self.n = 3 if re.search(r'<INIT[^>]*hai3=""', text) or 'hai3="' not in text else 4
        self.last = [-1] * 4
        for letters, digits, rest in TAG.findall(text):
            self.tag(letters, digits, attributes(rest))
        self.out += [{"type": "end_kyoku"}, {"type": "end_game"}]

    def name(self, number: str) -> str:
        return tile(self.tiles[int(number)])

    def add(self, kind: str, **values: Any) -> None:
        self.out.append({"type": kind, **values})

    def money(self, text: str) -> list[int]:
        return [100 * int(value) for value in text.split(",")[1::2]][: self.n]

    def tag(self, letters: str, digits: str, found: dict[str, str]) -> None:
        if letters == "INIT":
            seed = found["seed"].split(",")
            wind, kyoku = divmod(int(seed[0]), 4)
            self.add(
                "start_kyoku",
                bakaze="ESWN"[wind],
                kyoku=kyoku + 1,
                honba=int(seed[1]),
                kyotaku=int(seed[2]),
                oya=int(found["oya"]),
                dora_marker=self.name(seed[5]),
                scores=[100 * int(score) for score in found["ten"].split(",")][: self.n],
                tehais=[[self.name(t) for t in found[f"hai{i}"].split(",")] for i in range(self.n)],
            )
        elif letters in ("T", "U", "V", "W") and digits:
            seat = "TUVW".index(letters)
            self.last[seat] = int(digits)
            self.add("tsumo", actor=seat, pai=self.name(digits))
        elif letters in ("D", "E", "F", "G") and digits:
            seat = "DEFG".index(letters)
            self.add("dahai", actor=seat, pai=self.name(digits), tsumogiri=int(digits) == self.last[seat])
            self.last[seat] = -1
        elif letters == "REACH":
            self.add("reach" if found["step"] == "1" else "reach_accepted", actor=int(found["who"]))
        elif letters == "DORA":
            self.add("dora", dora_marker=self.name(found["hai"]))
        elif letters == "N":
            self.call(int(found["who"]), int(found["m"]))
        elif letters == "AGARI":
            self.add(
                "hora",
                actor=int(found["who"]),
                target=int(found["fromWho"]),
                deltas=self.money(found["sc"]),
                ura_markers=[self.name(t) for t in found.get("doraHaiUra", "").split(",") if t],
                pai=self.name(found["machi"]),
            )
        elif letters == "RYUUKYOKU":
            self.add("ryukyoku", deltas=self.money(found["sc"]), reason=REASONS.get(found.get("type", ""), "fanpai"))

    def call(self, who: int, field: int) -> None:
        made = meld(field, self.reds)
        pai, own = tile(made.called), [tile(t) for t in made.own]
        target = (who + made.feeder) % 4
        if made.what == "kita":
            self.add("nukidora", actor=who, pai="N")
        elif made.what == "closed_kong":
            self.add("ankan", actor=who, consumed=[pai, *own])
        elif made.what == "added_kong":
            self.add("kakan", actor=who, pai=pai, consumed=own)
        else:
            kind = {"chi": "chi", "pon": "pon", "open_kong": "daiminkan"}[made.what]
            self.add(kind, actor=who, target=target, pai=pai, consumed=own)


def games(name: str) -> tuple[list[dict[str, Any]], GameRows]:
    path = LOGS / name
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    [expected] = tenhou_mjlog.FORMAT.read(Log(path))
    if not isinstance(expected, GameRows):
        pytest.skip("no game")
    return Writer(text).out, expected


def read(events: list[dict[str, Any]]) -> GameRows:
    [found] = mjai.FORMAT.read(Text(b"".join(json.dumps(event).encode() + b"\n" for event in events)))
    assert isinstance(found, GameRows)
    return found


@pytest.mark.parametrize("name", FILES)
def test_mortals_dialect(name: str) -> None:
    events, expected = games(name)
    found = read(events)
    assert [(r["code"], r["hand_no"]) for r in found.rejects] == [(r["code"], r["hand_no"]) for r in expected.rejects]
    same_facts(found, expected, but=SCORE)


@pytest.mark.parametrize("name", FILES)
def test_without_reason_and_winning_tile(name: str) -> None:
    events, expected = games(name)
    for event in events:
        event.pop("reason", None)
        if event["type"] == "hora":
            del event["pai"]
    found = read(events)
    same_facts(found, expected, but=SCORE)


@pytest.mark.parametrize("name", [name for name in FILES if name != CUT])
def test_old_logs_without_round_and_money(name: str) -> None:
    events, expected = games(name)
    if events[1]["honba"] or events[1]["kyoku"] != 1 or events[1]["bakaze"] != "E":
        pytest.skip("the log begins in the middle of a game")
    for hand in each_hand(events):
        for key in ("bakaze", "kyoku", "honba", "kyotaku", "scores"):
            del hand[0][key]
        for event in hand[1:]:
            for key in ("deltas", "ura_markers", "tsumogiri"):
                event.pop(key, None)
    found = read(events)
    left_out = ("deltas", "delta", "scores_before", "recorded_payments", *(f"ura{i}" for i in range(1, 6)))
    same_facts(found, expected, but=(*SCORE, *left_out))
