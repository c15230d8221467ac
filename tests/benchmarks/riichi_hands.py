"""Random riichi wins by the million for timing: valid, seeded, open, in riichi and with dora as often as in play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN
from ingest.record import DORA, REPLACEMENTS, ROBBED, URA
from tests.benchmarks.hands import laid_out, possible, wins_table

_CHOWS = np.array([9 * suit + start for suit in range(3) for start in range(7)])
_INNER_CHOWS = np.array([9 * suit + start for suit in range(3) for start in range(1, 6)])
_INNER = np.array([9 * suit + i for suit in range(3) for i in range(1, 8)])
_FIVES = (4, 13, 22)


def _sets(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """(is a pung (n, 4), lowest kind (n, 4), pair (n,)); plain, simples, half flush, full flush, pungs, all chows."""
    style = rng.choice(6, n, p=[0.45, 0.3, 0.06, 0.02, 0.05, 0.12])[:, None]
    suit = rng.integers(0, 3, (n, 1))
    pung = rng.random((n, 4)) < np.array([0.25, 0.12, 0.3, 0.2, 1.0, 0.0])[style]
    one_suit = (style == 2) | (style == 3)
    simples = style == 1
    chow = np.where(
        one_suit,
        suit * 9 + rng.integers(0, 7, (n, 4)),
        np.where(simples, _INNER_CHOWS[rng.integers(0, 15, (n, 4))], _CHOWS[rng.integers(0, 21, (n, 4))]),
    )
    honor = 27 + rng.integers(0, 7, (n, 4))
    plain = np.where(simples, _INNER[rng.integers(0, 21, (n, 4))], rng.integers(0, 34, (n, 4)))
    kind = np.where(one_suit, suit * 9 + rng.integers(0, 9, (n, 4)), plain)
    share = np.array([0.3, 0.0, 0.6, 0.0, 0.3, 0.0])[style]
    kind = np.where(rng.random((n, 4)) < share, honor, kind)
    pair = np.where(one_suit, suit * 9 + rng.integers(0, 9, (n, 1)), rng.integers(0, 34, (n, 1)))
    pair = np.where(simples, _INNER[rng.integers(0, 21, (n, 1))], pair)
    return pung, np.where(pung, kind, chow), pair[:, 0]


def winning_hands(n: int, seed: int) -> Any:
    """An Arrow table of schema WINS with n random wins of four players; the same for the same seed.

    Three in a hundred are seven pairs, one in two thousand thirteen orphans.
    """
    rng = np.random.default_rng(seed)
    candidates = int(n * 1.25) + 1000
    pung, low, pair = _sets(rng, candidates)
    n_open = rng.choice(5, candidates, p=[0.6, 0.2, 0.13, 0.06, 0.01])
    # Who calls has a yaku: most open hands that are not simples call a dragon first.
    simples = np.where(pung, (low < 27) & (low % 9 % 8 != 0), (low % 9 != 0) & (low % 9 != 6)).all(1)
    calls_dragon = (n_open > 0) & ~simples & (rng.random(candidates) < 0.9)
    pung[calls_dragon, 0] = True
    low[calls_dragon, 0] = rng.integers(31, 34, int(calls_dragon.sum()))
    melded = np.arange(4)[None] < n_open[:, None]
    chance = rng.random((candidates, 4))
    kong_open = melded & pung & (chance < 0.04)
    kong_added = melded & pung & (chance >= 0.04) & (chance < 0.1)
    kong_concealed = ~melded & pung & (chance < 0.04)
    kong_sets = {KONG_OPEN: kong_open, KONG_ADDED: kong_added, KONG_CONCEALED: kong_concealed}
    hand, total, code = laid_out(pung, low, pair, melded, kong_sets)
    keep = possible(total, n)
    hand, total, code = hand[keep], total[keep], code[keep]
    pairs = np.flatnonzero(rng.random(n) < 0.03)
    orphans = np.flatnonzero(rng.random(n) < 0.0005)
    special = np.zeros((n, 34), np.uint8)
    chosen = rng.random((len(pairs), 34)).argsort(1)[:, :7]
    special[pairs[:, None], chosen] = 2
    ends = np.array([0, 8, 9, 17, 18, 26, *range(27, 34)])
    special[orphans] = 0
    special[orphans[:, None], ends] = 1
    special[orphans, ends[rng.integers(0, 13, len(orphans))]] += 1
    is_special = special.any(1)
    hand[is_special] = total[is_special] = special[is_special]
    code[is_special] = 0
    return _table(rng, hand, total, code)


def _table(rng: np.random.Generator, hand: Any, total: Any, code: Any) -> Any:
    """Circumstances of hands: concealed counts, all counts, meld codes."""
    n = len(hand)
    size = hand.sum(1, dtype=np.int64)
    nth = (rng.random(n) * size).astype(np.int64)
    win_tile = (hand.cumsum(1, dtype=np.int64) > nth[:, None]).argmax(1).astype(np.uint8)
    winner = rng.integers(0, 4, n).astype(np.uint8)
    dealer = rng.integers(0, 4, n).astype(np.uint8)
    kind = rng.choice(3, n, p=[0.6, 0.397, 0.003]).astype(np.uint8)
    drawn = kind == 1
    payer = ((winner + rng.integers(1, 4, n)) % 4).astype(np.uint8)
    concealed_kong = (code >= KONG_CONCEALED) & (code < KONG_ADDED)
    closed = ((code == 0) | concealed_kong).all(1)
    n_kongs = (code >= KONG_OPEN).sum(1)
    riichi = np.where(closed & (rng.random(n) < 0.75), np.where(rng.random(n) < 0.01, 2, 1), 0).astype(np.uint8)
    last = code[np.arange(n), np.maximum((code != 0).sum(1) - 1, 0)]
    rinshan = drawn & (last >= KONG_OPEN) & (rng.random(n) < 0.15)
    replacement = np.where(rinshan, np.digitize(last, [KONG_CONCEALED, KONG_ADDED]), -1)
    names = [REPLACEMENTS.index(name) for name in ("kong_open", "kong_concealed", "kong_added")]
    first = closed & (n_kongs == 0) & (riichi == 0) & (rng.random(n) < 0.001)
    shown = 1 + np.minimum(n_kongs + (rng.random(n) < 0.05), 4)
    indicators = {name: rng.integers(0, 34, n).astype(np.uint8) for name in (*DORA, *URA)}
    hidden = {
        **{name: shown <= i for i, name in enumerate(DORA)},
        **{name: (shown <= i) | (riichi == 0) for i, name in enumerate(URA)},
    }
    reds = np.zeros(n, np.uint8)
    for shift, five in enumerate(_FIVES):
        reds += (rng.random(n) * 4 < total[:, five]).astype(np.uint8) << np.uint8(2 * shift)
    powers = 10 ** np.arange(9)
    sticks = rng.choice(4, n, p=[0.75, 0.2, 0.04, 0.01]) + (riichi > 0)
    several = rng.random(n) < 0.01
    columns: dict[str, Any] = {
        "game_id": pa.array([f"g{i:07d}" for i in range(-(-n // 10))]).take(pa.array(np.arange(n) // 10)),
        "hand_no": np.arange(n) % 10,
        "win_no": several & ~drawn & (rng.random(n) < 0.5),
        "km": hand[:, 0:9] @ powers,
        "kp": hand[:, 9:18] @ powers,
        "ks": hand[:, 18:27] @ powers,
        "kh": hand[:, 27:34] @ powers[:7],
        **{f"m{j}": code[:, j] if j < 4 else np.zeros(n, np.uint8) for j in range(5)},
        "win_tile": win_tile,
        "flowers": np.zeros(n),
        "winner": winner,
        "payer": pa.array(payer, mask=drawn),
        "win_kind": kind,
        "robbed": pa.array(np.full(n, ROBBED.index("kong_added"), np.uint8), mask=kind != 2),
        "dealer": dealer,
        "streak": rng.choice(5, n, p=[0.6, 0.25, 0.1, 0.04, 0.01]),
        "round_wind": rng.integers(0, 2, n),
        "replacement": np.where(rinshan, np.array([*names, 0])[replacement], 0),
        "last_tile": ~rinshan & (kind != 2) & (rng.random(n) < 0.02),
        "riichi": riichi,
        "ippatsu": (riichi > 0) & ~rinshan & (rng.random(n) < 0.2),
        "ready_open": np.zeros(n, bool),
        "heavenly": first & drawn & (winner == dealer),
        "first_draw": first & drawn & (winner != dealer),
        "before_first_draw": first & (kind == 0) & (winner != dealer),
        "discarder_first_discard": (kind == 0) & (rng.random(n) < 0.01),
        "no_calls": closed & (n_kongs == 0) & (first | (rng.random(n) < 0.1)),
        "n_players": np.full(n, 4),
        "n_winners": np.where(several & ~drawn, 2, 1),
        **{name: pa.array(indicators[name], mask=hidden[name]) for name in (*DORA, *URA)},
        "reds": reds,
        "norths": np.zeros(n),
        "sticks": sticks,
        "own_stick": riichi > 0,
        "winners_sticks": riichi > 0,
    }
    return wins_table(columns)
