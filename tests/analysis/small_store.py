"""A store of one game, made by hand: one win by discard, one drawn hand, one reject, and scores under one preset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from ingest.melds import pack_melds, parse_meld
from ingest.record import GameRows, Row, to_table
from ingest.store import Store
from ingest.tiles import count_kinds, decimal_keys, parse_tile, parse_tiles
from tests.ingest.logs import put

PLAYERS = ["paipu:Ann", "paipu:Bo", "paipu:蔡小姐", "paipu:Dee"]
GAME = "0123456789abcdef0123"
PRESET = "tw_general"


def win_row(**changes: Any) -> Row:
    """Seat 1 (south) wins 5m from seat 2; the dealer is seat 0; 14 concealed tiles and two melds."""
    km, kp, ks, kh = decimal_keys(count_kinds(parse_tiles("345m99p123789sFFF")))
    melds = pack_melds([parse_meld("chow:234p"), parse_meld("kong_concealed:EEEE")])
    row: Row = {
        "game_id": GAME,
        "hand_no": 0,
        "win_no": 0,
        **{"km": km, "kp": kp, "ks": ks, "kh": kh},
        **{f"m{i}": code for i, code in enumerate(melds)},
        "win_tile": parse_tile("5m"),
        "flowers": 0b100010,
        "winner": 1,
        "payer": 2,
        "win_kind": 0,
        "dealer": 0,
        "door": 0,
        "streak": 2,
        "round_wind": 0,
        "replacement": 0,
        "last_tile": False,
        "ready": 3,
        "eye_players": 0b1001,
        "recorded_tai": 4,
        "recorded_payments": [0, 180, -180, 0],
    }
    return row | changes


def game_rows(**game: Any) -> GameRows:
    def hand(number: int, **columns: Any) -> Row:
        keys = {"game_id": GAME, "hand_no": number, "round_wind": 0, "dealer": 0, "streak": 2 + number, "n_wins": 0}
        return {**keys, "result": "exhaustive_draw", "deltas": [0, 0, 0, 0], **columns}

    def seats(number: int, outcomes: list[str], deltas: list[int]) -> list[Row]:
        return [
            {
                "game_id": GAME,
                "hand_no": number,
                "seat": seat,
                "player": PLAYERS[seat],
                "seat_wind": seat,
                "is_dealer": seat == 0,
                "outcome": outcomes[seat],
                "delta": deltas[seat],
                "flowers": 0b10000001,
                "ready": 0,
            }
            for seat in range(4)
        ]

    paid = [0, 180, -180, 0]
    return GameRows(
        game={
            "game_id": GAME,
            "format": "paipu",
            "family": "taiwan",
            "declared": PRESET,
            "simulated": False,
            "players": PLAYERS,
            "n_hands": 2,
            "file": "season/a.jsonl",
        }
        | game,
        hands=[hand(0, result="win", n_wins=1, deltas=paid), hand(1)],
        seats=[
            *seats(0, ["bystander", "discard_win", "deal_in", "bystander"], paid),
            *seats(1, ["draw"] * 4, [0] * 4),
        ],
        wins=[win_row()],
        rejects=[
            {
                "file": "season/b.jsonl",
                "format": "paipu",
                "position": 3,
                "hand_no": 1,
                "code": "five_copies",
                "message": "five 5m; check the deal",
            }
        ],
    )


def score_row(**changes: Any) -> Row:
    row: Row = {
        "game_id": GAME,
        "hand_no": 0,
        "win_no": 0,
        "preset": PRESET,
        "preset_hash": "new",
        "legal": True,
        "outcome": "ok",
        "deposits": 0,
        "hand_tai": 4,
        "dealer_tai": 0,
        "payments": [0, 180, -180, 0],
        "items": [{"id": "flower", "count": 2, "value": 2}, {"id": "dragon_pung", "count": 1, "value": 2}],
        "undetermined": [],
    }
    return row | changes


def write_scores(store: Store, rows: list[Row], *, written: float, batch: str = "b") -> None:
    """A score part per preset and hash, with `written` (seconds) as its time."""
    for preset, hash_ in sorted({(row["preset"], row["preset_hash"]) for row in rows}):
        part = [row for row in rows if (row["preset"], row["preset_hash"]) == (preset, hash_)]
        with store.new_score_part(preset, hash_, batch) as path:
            pq.write_table(to_table("scores", part), path)
        os.utime(store.score_part(preset, hash_, batch), (written, written))


def make_store(folder: Path, *, rows: GameRows | None = None, scores: list[Row] | None = None) -> Store:
    store = Store.create(folder)
    put(store, "b", [rows or game_rows()], [])
    write_scores(store, [score_row()] if scores is None else scores, written=2_000_000_000)
    return store
