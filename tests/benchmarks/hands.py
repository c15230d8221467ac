"""Random winning hands by the million for timing: valid, seeded, most of them open, few flushes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG
from ingest.record import SCHEMAS, WINS

ROW_GROUP = 131_072
_NEVER = ("heavenly_after_kong", "first_draw_after_kong", "miji", "initial_flowers", "declined_eight")
_CHOWS = np.array([9 * suit + start for suit in range(3) for start in range(7)])


def _sets(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """(is a pung (n, 5), lowest kind (n, 5), pair (n,)); plain, half flush, full flush, pungs, all chows."""
    style = rng.choice(5, n, p=[0.78, 0.08, 0.03, 0.05, 0.06])
    suit = rng.integers(0, 3, n)
    pung_share = np.array([0.22, 0.3, 0.2, 1.0, 0.0])[style][:, None]
    pung = rng.random((n, 5)) < pung_share
    one_suit = ((style == 1) | (style == 2))[:, None]
    chow = np.where(one_suit, suit[:, None] * 9 + rng.integers(0, 7, (n, 5)), _CHOWS[rng.integers(0, 21, (n, 5))])
    honor = 27 + rng.integers(0, 7, (n, 5))
    in_suit = suit[:, None] * 9 + rng.integers(0, 9, (n, 5))
    anywhere = rng.integers(0, 34, (n, 5))
    honor_share = np.array([0.25, 0.5, 0.0, 0.25, 0.0])[style][:, None]
    kind = np.where(rng.random((n, 5)) < honor_share, honor, np.where(one_suit, in_suit, anywhere))
    pair = np.where((style == 1) | (style == 2), suit * 9 + rng.integers(0, 9, n), rng.integers(0, 34, n))
    return pung, np.where(pung, kind, chow), pair


def laid_out(pung: Any, low: Any, pair: Any, melded: Any, kongs: dict[int, Any]) -> tuple[Any, Any, Any]:
    """(concealed counts (n, 34), all counts (n, 34), meld codes (n, sets), melds first). kongs: which sets, by code."""
    n, sets = low.shape
    rows = np.arange(n)
    total = np.zeros((n, 34), np.uint8)
    hand = np.zeros((n, 34), np.uint8)
    concealed = ~melded & ~kongs[KONG_CONCEALED]
    for j in range(sets):
        for step in range(3):
            kind = np.where(pung[:, j], low[:, j], low[:, j] + step)
            total[rows, kind] += 1
            hand[rows, kind] += concealed[:, j]
        for which in kongs.values():
            total[rows, low[:, j]] += which[:, j]
    total[rows, pair] += 2
    hand[rows, pair] += 2
    code = np.where(pung, PUNG + low, 1 + (low // 9) * 7 + low % 9)
    for base, which in kongs.items():
        code = np.where(which, base + low, code)
    code = np.where(concealed, 0, code)
    return hand, total, np.take_along_axis(code, np.argsort(code == 0, axis=1, kind="stable"), 1).astype(np.uint8)


def possible(total: Any, n: int) -> Any:
    """The first n hands without a fifth copy of a tile."""
    keep = np.flatnonzero((total <= 4).all(1))[:n]
    if len(keep) < n:
        raise ValueError("too few possible hands; raise the number of candidates")
    return keep


def wins_table(columns: dict[str, Any]) -> Any:
    """The columns as an Arrow table of schema WINS; what is missing is null."""
    n = len(columns["km"])
    arrays = []
    for field in WINS:
        value = columns.get(field.name)
        if value is None:
            arrays.append(pa.nulls(n, field.type))
        elif isinstance(value, np.ndarray):
            arrays.append(pa.array(value if str(field.type) == "bool" else value.astype(str(field.type))))
        else:
            arrays.append(value.cast(field.type))
    return pa.Table.from_arrays(arrays, schema=WINS)


def winning_hands(n: int, seed: int) -> Any:
    """An Arrow table of schema WINS with n random wins; the same for the same seed."""
    rng = np.random.default_rng(seed)
    candidates = int(n * 1.4) + 1000
    pung, low, pair = _sets(rng, candidates)
    n_open = rng.choice(6, candidates, p=[0.36, 0.22, 0.2, 0.13, 0.07, 0.02])
    melded = np.arange(5)[None] < n_open[:, None]
    chance = rng.random((candidates, 5))
    kong_open = melded & pung & (chance < 0.06)
    kong_added = melded & pung & (chance >= 0.06) & (chance < 0.12)
    kong_concealed = ~melded & pung & (chance < 0.05)
    kong_sets = {KONG_OPEN: kong_open, KONG_ADDED: kong_added, KONG_CONCEALED: kong_concealed}
    hand, total, code = laid_out(pung, low, pair, melded, kong_sets)
    keep = possible(total, n)
    hand, code, n_open, kongs = hand[keep], code[keep], n_open[keep], kong_concealed[keep].any(1)
    size = hand.sum(1, dtype=np.int64)
    nth = (rng.random(n) * size).astype(np.int64)
    win_tile = (hand.cumsum(1, dtype=np.int64) > nth[:, None]).argmax(1).astype(np.uint8)
    winner = rng.integers(0, 4, n).astype(np.uint8)
    dealer = rng.integers(0, 4, n).astype(np.uint8)
    kind = rng.choice(3, n, p=[0.64, 0.355, 0.005]).astype(np.uint8)
    drawn = kind == 1
    payer = (winner + rng.integers(1, 4, n)) % 4
    flowers = ((rng.random((n, 8)) < 0.2) << np.arange(8)).sum(1).astype(np.uint8)
    replacement = np.where(drawn & (rng.random(n) < 0.07), np.where(kongs, 3, 1), 0).astype(np.uint8)
    closed = n_open == 0
    first = closed & (rng.random(n) < 0.001)
    ready = np.where(closed & (rng.random(n) < 0.03), rng.integers(1, 4, n), 0).astype(np.uint8)
    powers = 10 ** np.arange(9)
    flag = {
        "last_tile": rng.random(n) < 0.02,
        "ready_open": (ready > 0) & (rng.random(n) < 0.1),
        "ready_first_turn": (ready == 2) & (rng.random(n) < 0.2),
        "heavenly": first & drawn & (winner == dealer),
        "first_draw": first & drawn & (winner != dealer),
        "before_first_draw": first & (kind == 0) & (winner != dealer),
        "discarder_first_discard": (kind == 0) & (rng.random(n) < 0.02),
        "no_calls": closed & (rng.random(n) < 0.1),
    }
    no = np.zeros(n, bool)
    columns: dict[str, Any] = {
        "game_id": pa.array([f"g{i:07d}" for i in range(-(-n // 60))]).take(pa.array(np.arange(n) // 60)),
        "hand_no": np.arange(n) % 60,
        "win_no": np.zeros(n),
        "km": hand[:, 0:9] @ powers,
        "kp": hand[:, 9:18] @ powers,
        "ks": hand[:, 18:27] @ powers,
        "kh": hand[:, 27:34] @ powers[:7],
        **{f"m{j}": code[:, j] for j in range(5)},
        "win_tile": win_tile,
        "flowers": flowers,
        "winner": winner,
        "payer": pa.array(payer.astype(np.uint8), mask=drawn),
        "win_kind": kind,
        "dealer": dealer,
        "door": (dealer + (rng.random(n) < 0.2) * rng.integers(0, 4, n)) % 4,
        "streak": rng.choice(6, n, p=[0.6, 0.22, 0.1, 0.05, 0.02, 0.01]),
        "round_wind": rng.integers(0, 4, n),
        "replacement": replacement,
        "ready": ready,
        **flag,
        **dict.fromkeys(_NEVER, no),
        "flower_mode": np.zeros(n),
        "eye_players": np.zeros(n),
    }
    return wins_table(columns)


def write_hands(path: Path, n: int, seed: int = 20260101, *, make: Callable[[int, int], Any] = winning_hands) -> Path:
    """The hands as one Parquet part, written as the store writes it."""
    with pq.ParquetWriter(path, SCHEMAS["wins"], compression="zstd") as writer:
        for start in range(0, n, 1_000_000):
            writer.write_table(make(min(1_000_000, n - start), seed + start), row_group_size=ROW_GROUP)
    return path
