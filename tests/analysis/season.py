"""A made-up season with three presets whose payments follow from small tables: the ground for the comparison's tests.

Nothing of the scorer is used. A win has random items; a preset is a table of values, base, unit, cap and minimum.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import duckdb

from analysis.compare import ComparedPreset
from ingest.record import Row, to_table


@dataclass(frozen=True)
class Rules:
    base: int
    unit: int
    values: dict[str, int]
    cap: int | None = None
    minimum: int = 0
    eye_penalty: bool = False


RULES = {
    "plain": Rules(100, 20, {"self_draw": 1, "all_pungs": 4, "half_flush": 4, "dragon_pung": 1, "seat_flower": 1}),
    "floral": Rules(
        100,
        20,
        {"self_draw": 1, "all_pungs": 4, "half_flush": 5, "dragon_pung": 1, "any_flower": 1},
        eye_penalty=True,
    ),
    "dear": Rules(
        200,
        50,
        {"self_draw": 2, "all_pungs": 4, "half_flush": 4, "dragon_pung": 2, "seat_flower": 1},
        cap=6,
        minimum=1,
    ),
}
PRESETS = [
    ComparedPreset(
        id=name,
        hash=f"hash-{name}",
        family="taiwan",
        base=rules.base,
        unit=rules.unit,
        priced=True,
        sets=5,
        names={"zh-TW": {"plain": "一般台式", "floral": "見花見字", "dear": "貴台"}[name], "en": name.title()},
    )
    for name, rules in RULES.items()
]
PLAYERS = ["paipu:Ann", "paipu:Bo", "paipu:Cai", "paipu:Dee", "paipu:Eve", "paipu:小方"]


def _payments(rules: Rules, tai: int, win: Row, dealer_tai: dict[int, int]) -> list[int]:
    payers = [win["payer"]] if win["payer"] is not None else [seat for seat in range(4) if seat != win["winner"]]
    paid = [0, 0, 0, 0]
    for payer in payers:
        amount = rules.base + rules.unit * (tai + dealer_tai[payer])
        paid[payer] -= amount
        paid[win["winner"]] += amount
    if rules.eye_penalty:
        for seat in range(4):
            if win["eye_players"] >> seat & 1 and seat != win["winner"]:
                paid[seat] -= rules.unit
                paid[win["winner"]] += rules.unit
    return paid


def _score(name: str, rules: Rules, win: Row, facts: dict[str, int]) -> Row:
    items = [
        {"id": item, "count": facts[item], "value": facts[item] * value}
        for item, value in rules.values.items()
        if facts.get(item)
    ]
    total = sum(item["value"] for item in items)
    tai = min(total, rules.cap) if rules.cap is not None else total
    key = {name: win[name] for name in ("game_id", "hand_no", "win_no")}
    head = {**key, "preset": name, "preset_hash": f"hash-{name}", "undetermined": facts.get("open", [])}
    if total < rules.minimum:
        zero = {"hand_tai": 0, "dealer_tai": 0, "payments": [0] * 4, "items": []}
        return {**head, "legal": False, "outcome": "no_win", "deposits": 0, "reason": "below_min_tai", **zero}
    streak = 1 + 2 * win["streak"]
    dealer_tai = {seat: streak if win["dealer"] in (seat, win["winner"]) else 0 for seat in range(4)}
    payers = [win["payer"]] if win["payer"] is not None else [seat for seat in range(4) if seat != win["winner"]]
    return {
        **head,
        "legal": True,
        "outcome": "ok",
        "deposits": 0,
        "hand_tai": tai,
        "dealer_tai": max(dealer_tai[payer] for payer in payers),
        "payments": _payments(rules, tai, win, dealer_tai),
        "items": items,
    }


def season(*, games: int = 40, seed: int = 7, hands: int = 8) -> dict[str, list[Row]]:
    """Rows of games, hands, wins and scores; about one hand in five is a draw."""
    rng = random.Random(seed)
    rows: dict[str, list[Row]] = {"games": [], "hands": [], "wins": [], "scores": []}
    for number in range(games):
        game_id = f"{number:020x}"
        rows["games"].append(
            {
                "game_id": game_id,
                "format": "paipu",
                "family": "taiwan",
                "simulated": True,
                "players": rng.sample(PLAYERS, 4),
                "n_hands": hands,
                "file": "season.jsonl",
            }
        )
        dealer = streak = 0
        for hand_no in range(hands):
            drawn = rng.random() < 0.2
            key = {"game_id": game_id, "hand_no": hand_no, "round_wind": 0, "dealer": dealer, "streak": streak}
            rows["hands"].append({**key, "result": "exhaustive_draw" if drawn else "win", "n_wins": int(not drawn)})
            if drawn:
                continue
            winner = rng.randrange(4)
            self_draw = rng.random() < 0.4
            win: Row = {
                **key,
                "win_no": 0,
                **dict.fromkeys(["km", "kp", "ks", "kh", "m0", "m1", "m2", "m3", "m4", "win_tile", "flowers"], 0),
                "winner": winner,
                "payer": None if self_draw else (winner + rng.randint(1, 3)) % 4,
                "win_kind": 1 if self_draw else 0,
                "eye_players": rng.choice([0, 0, 0, 1, 6]),
            }
            flowers = rng.choice([0, 0, 1, 2, 3])
            facts: dict[str, Any] = {
                "self_draw": int(self_draw),
                "all_pungs": int(rng.random() < 0.15),
                "half_flush": int(rng.random() < 0.2),
                "dragon_pung": rng.choice([0, 0, 1, 2]),
                "seat_flower": rng.randint(0, min(flowers, 2)),
                "any_flower": flowers,
                "open": ["single_wait"] if rng.random() < 0.1 else [],
            }
            rows["wins"].append(win)
            rows["scores"] += [_score(name, rules, win, facts) for name, rules in RULES.items()]
            if winner == dealer:
                streak += 1
            else:
                dealer, streak = (dealer + 1) % 4, 0
    return rows


def connect(rows: dict[str, list[Row]]) -> duckdb.DuckDBPyConnection:
    """A connection with the views that the comparison reads."""
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA staging")
    for name, table_rows in rows.items():
        connection.register(f"{name}_rows", to_table(name, table_rows))
        connection.execute(f"CREATE VIEW staging.{name} AS SELECT * FROM {name}_rows")
    return connection
