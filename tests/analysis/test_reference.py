"""The scorer against the brute-force reference (tests/reference), which shares no table and no formula with it.

PAIPU_REFERENCE_HANDS sets how many random hands are compared; the default keeps the test short.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from analysis.batch import HandBatch
from analysis.families.taiwan import REASONS
from analysis.rules.preset import Preset, load_preset, shipped_presets
from analysis.score import Plan, Scores
from ingest.formats.paipu_record import parse_record
from ingest.record import WINS
from tests.reference.random_hands import random_options, random_records
from tests.reference.taiwan import score, score_all

HANDS = int(os.environ.get("PAIPU_REFERENCE_HANDS", "3000"))
CHUNK = 5000


def batch_of(records: Iterable[dict[str, Any]]) -> HandBatch:
    rows = [{"game_id": "g", "hand_no": i, "win_no": 0} | parse_record(record) for i, record in enumerate(records)]
    return HandBatch.from_arrow(pa.Table.from_pylist(rows, schema=WINS))


def items_by_hand(scores: Scores, n: int) -> list[dict[str, int]]:
    out: list[dict[str, int]] = [{} for _ in range(n)]
    assert scores.items is not None
    for hand, number, value in zip(scores.items.hand, scores.items.number, scores.items.value, strict=True):
        out[hand][scores.items.ids[number]] = int(value)
    return out


def differences(
    record: dict[str, Any], expected: dict[str, Any], scores: Scores, i: int, items: dict[str, int]
) -> list[str]:
    """What differs between the reference's result and ours for one hand."""
    if expected["valid"] != bool(scores.legal[i]):
        return [f"valid {bool(scores.legal[i])}, reference {expected['valid']} {expected.get('reason')}"]
    if not expected["valid"]:
        reason = REASONS[scores.reason[i]]
        return [] if reason == expected["reason"] else [f"reason {reason}, reference {expected['reason']}"]
    found = []
    if items not in expected.get("alternatives", [expected["items"]]):
        found.append(f"items {items}, reference {expected['items']}")
    if scores.hand_tai[i] != expected["hand_tai"]:
        found.append(f"hand_tai {scores.hand_tai[i]}, reference {expected['hand_tai']}")
    payments = [0, 0, 0, 0]
    for seat, pay in expected["pay"].items():
        payments[int(pay.get("paid_by", seat))] -= pay["amount"]
    for seat, amount in expected.get("eye_penalty", {}).items():
        payments[int(seat)] -= amount
    payments[record["winner"]] += expected["winner_receives"]
    if scores.payments[:, i].tolist() != payments:
        found.append(f"payments {scores.payments[:, i].tolist()}, reference {payments}")
    return found


@pytest.mark.parametrize("seed", range(0, HANDS, CHUNK))
def test_random_hands_agree_under_all_presets(seed: int) -> None:
    ids = shipped_presets("taiwan")
    records = list(islice(random_records(min(CHUNK, HANDS - seed), seed), CHUNK))
    results = Plan([load_preset(preset) for preset in ids]).score(batch_of(records), items=True)
    items = [items_by_hand(scores, len(records)) for scores in results]
    for i, record in enumerate(records):
        expected = score_all(record, ids)
        for scores, found in zip(results, items, strict=True):
            wrong = differences(record, expected[scores.preset.id], scores, i, found[i])
            assert not wrong, f"{scores.preset.id}: {wrong} in {record}"


def with_options(preset: Preset, options: dict[str, Any]) -> Preset:
    """The preset with switches changed, as a club would write it."""

    def text(value: Any) -> str:
        return (
            '"none"'
            if value is None
            else str(value).lower()
            if isinstance(value, bool)
            else repr(value).replace("'", '"')
        )

    lines = [
        f'id = "{preset.id}_x"',
        f'extends = "{preset.id}"',
        "[options]",
        *(f"{k} = {text(v)}" for k, v in options.items()),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "club.toml"
        path.write_text("\n".join(lines), encoding="utf-8")
        return load_preset(path)


@pytest.mark.parametrize("seed", range(max(1, HANDS // 300)))
def test_random_options_agree(seed: int) -> None:
    presets = shipped_presets("taiwan")
    options = next(iter(random_options(1, seed)))
    preset = load_preset(presets[seed % len(presets)])
    records = list(random_records(300, 10_000 + seed))
    (scores,) = Plan([with_options(preset, options)]).score(batch_of(records), items=True)
    items = items_by_hand(scores, len(records))
    for i, record in enumerate(records):
        expected = score(record, preset.id, options=options)
        wrong = differences(record, expected, scores, i, items[i])
        assert not wrong, f"{preset.id} {options}: {wrong} in {record}"


@pytest.mark.parametrize(
    "flags", [{"heavenly": True}, {"heavenly_after_kong": True}, {"heavenly": True, "heavenly_after_kong": True}]
)
@pytest.mark.parametrize("replacement", ["kong_concealed", "flower"])
def test_a_heavenly_hand_keeps_the_bloom_only_after_a_kong(flags: dict[str, Any], replacement: str) -> None:
    record = {
        "dealer": 0, "door": 0, "streak": 0, "round": "E", "winner": 0, "win": "self_draw", "from": None,
        "hand": "123456m456p77s11p", "win_tile": "1p", "melds": ["kong_concealed:9999s"], "flowers": [1],
        "flags": {**flags, "replacement": replacement},
    }  # fmt: skip
    presets = [preset for preset in shipped_presets("taiwan") if preset.startswith("tw_")]
    for scores in Plan([load_preset(preset) for preset in presets]).score(batch_of([record]), items=True):
        (items,) = items_by_hand(scores, 1)
        assert not differences(record, score(record, scores.preset.id), scores, 0, items)


def test_payments_sum_to_zero() -> None:
    batch = batch_of(random_records(2000, 77))
    for scores in Plan([load_preset(preset) for preset in shipped_presets("taiwan")]).score(batch):
        assert np.all(scores.payments.sum(0) == 0)
