"""Scores of single wins in full: items, and what each payer pays and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pyarrow as pa

from analysis.batch import HandBatch
from analysis.rules.preset import Preset
from analysis.score import Plan, Scores
from analysis.undetermined import undetermined
from ingest.record import WINS, Row

_KEYS = {"game_id": "", "hand_no": 0, "win_no": 0}


class Pay(msgspec.Struct):
    """What one payer owes, in tai and money; in riichi the amount alone. paid_by: the liable seat, if that pays."""

    hand_tai: int | None = None
    dealer_tai: int | None = None
    tai: int | None = None
    amount: int = 0
    paid_by: int | None = None

    def known(self) -> dict[str, int]:
        """The fields that say something."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}


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
    fu: int | None = None

    def line(self, record_id: str | None) -> dict[str, Any]:
        """The keys of `paipu score --records --format jsonl`."""
        out: dict[str, Any] = {"id": record_id, "preset": self.preset.id, "valid": self.valid}
        if self.valid:
            out["items"] = self.items
            out["hand_tai"] = self.hand_tai
            if self.fu is not None:
                out["fu"] = self.fu
            out["pay"] = {str(seat): pay.known() for seat, pay in self.pay.items()}
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
    settlement = plan.family.Settlement(wins)
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
    winner = batch.column("winner")
    bills = settlement.bills(scores)
    return [
        Win(
            preset=preset,
            valid=bool(scores.legal[i]),
            reason=reasons[scores.reason[i]],
            items=items[i],
            hand_tai=int(scores.hand_tai[i]),
            fu=None if scores.fu is None else int(scores.fu[i]),
            pay={seat: Pay(**bill) for seat, bill in bills[i].pay.items()},
            eye_penalty=bills[i].eye_penalty,
            winner_receives=int(scores.payments[winner[i], i]),
            payments=scores.payments[:, i].tolist(),
            undetermined=gaps.get(i, []),
        )
        for i in range(batch.n)
    ]
