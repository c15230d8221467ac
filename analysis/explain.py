"""Scores of single wins in full: items, and what each payer pays and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from analysis.batch import HandBatch
from analysis.rules.preset import Preset
from analysis.score import Plan, Scores
from analysis.undetermined import undetermined
from ingest.record import WINS, Row

_KEYS = {"game_id": "", "hand_no": 0, "win_no": 0}


class Pay(msgspec.Struct, omit_defaults=True):
    """What one payer owes for the hand, in tai and money. paid_by: the liable seat, if that pays instead."""

    hand_tai: int
    dealer_tai: int
    tai: int
    amount: int
    paid_by: int | None = None


class Win(msgspec.Struct):
    """One win under one preset. items: tai by item; pay: by payer's seat; payments: money by seat, sum zero."""

    preset: Preset
    valid: bool
    reason: str
    items: dict[str, int]
    hand_tai: int
    pay: dict[int, Pay]
    eye_penalty: dict[int, int]
    winner_receives: int
    payments: list[int]
    undetermined: list[str]

    def line(self, record_id: str | None) -> dict[str, Any]:
        """The keys of `paipu score --records --format jsonl`."""
        out: dict[str, Any] = {"id": record_id, "preset": self.preset.id, "valid": self.valid}
        if self.valid:
            out["items"] = self.items
            out["hand_tai"] = self.hand_tai
            out["pay"] = {str(seat): msgspec.to_builtins(pay) for seat, pay in self.pay.items()}
            out["winner_receives"] = self.winner_receives
            if self.eye_penalty:
                out["eye_penalty"] = {str(seat): amount for seat, amount in self.eye_penalty.items()}
        else:
            out["reason"] = self.reason
        if self.undetermined:
            out["undetermined"] = self.undetermined
        return out


def explain(rows: Sequence[Row], presets: Sequence[Preset]) -> list[list[Win]]:
    """For each hand record (columns of `wins`), its score under each preset, in the order given."""
    wins = HandBatch.from_arrow(pa.Table.from_pylist([_KEYS | row for row in rows], schema=WINS))
    plan = Plan(presets)
    results = plan.score(wins, items=True)
    gaps = undetermined(plan, wins, results)
    settlement = plan.family.settlement(wins)
    columns = [
        _wins(wins, scores, gap, settlement, plan.family.REASONS) for scores, gap in zip(results, gaps, strict=True)
    ]
    return [list(scores) for scores in zip(*columns, strict=True)]


def _wins(
    batch: HandBatch, scores: Scores, gaps: dict[int, list[str]], settlement: Any, reasons: tuple[str, ...]
) -> list[Win]:
    preset = scores.preset
    assert scores.items is not None
    items: list[dict[str, int]] = [{} for _ in range(batch.n)]
    for hand, number, value in zip(scores.items.hand, scores.items.number, scores.items.value, strict=True):
        items[hand][scores.items.ids[number]] = int(value)
    owed = settlement.amounts(preset, scores.legal, scores.hand_tai, scores.others_tai)
    penalty = settlement.eye_penalty(preset, scores.legal)
    dealer = settlement.dealer_tai(preset)
    payers = (settlement.due != 0) | (owed != 0)
    winner, liable = batch.column("winner"), batch.column("liable")
    out = []
    for i in range(batch.n):
        pay = {}
        for seat in np.flatnonzero(payers[:, i] & scores.legal[i]).tolist():
            hand_tai = int(scores.hand_tai[i])
            if scores.others_tai is not None and i in scores.others_tai[0] and seat != batch.column("payer")[i]:
                hand_tai = int(scores.others_tai[1][np.flatnonzero(scores.others_tai[0] == i)[0]])
            other_pays = liable[i] < 4 and liable[i] not in (seat, winner[i])
            pay[seat] = Pay(
                hand_tai=hand_tai,
                dealer_tai=int(dealer[seat, i]),
                tai=hand_tai + int(dealer[seat, i]),
                amount=int(owed[seat, i]),
                paid_by=int(liable[i]) if other_pays else None,
            )
        eye = {} if penalty is None else {seat: int(penalty[seat, i]) for seat in range(4) if penalty[seat, i]}
        out.append(
            Win(
                preset=preset,
                valid=bool(scores.legal[i]),
                reason=reasons[scores.reason[i]],
                items=items[i],
                hand_tai=int(scores.hand_tai[i]),
                pay=pay,
                eye_penalty=eye,
                winner_receives=int(scores.payments[winner[i], i]),
                payments=scores.payments[:, i].tolist(),
                undetermined=gaps.get(i, []),
            )
        )
    return out
