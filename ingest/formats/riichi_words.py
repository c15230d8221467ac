"""What a riichi log says about a win against what its play shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ingest.errors import RecordError
from ingest.formats.yaku_names import YAKUMAN
from ingest.record import WIN_KINDS, Row
from ingest.riichi_rows import DEPOSIT

_SELF_DRAW: Final = WIN_KINDS.index("self_draw")
_ROB: Final = WIN_KINDS.index("rob_kong")


def check_situations(row: Row, items: Mapping[str, int]) -> None:
    """Situations that the recorded yaku name must be there in the play.

    Raises RecordError `situation_differs`. A situation the yaku do not name may still be there: next to a yakuman, or
    where the rules have no yaku for it.
    """
    self_draw = row["win_kind"] == _SELF_DRAW
    for yaku, holds in (
        ("haitei", self_draw and row["last_tile"]),
        ("houtei", not self_draw and row["last_tile"]),
        ("rinshan", row["replacement"]),
        ("chankan", row["win_kind"] == _ROB),
        ("menzen_tsumo", self_draw),
        ("tenhou", row["heavenly"]),
        ("chiihou", row["first_draw"]),
    ):
        if yaku in items and not holds:
            raise RecordError("situation_differs", f"the yaku {yaku} of seat {row['winner']} is not in its play")


def take_words(row: Row, items: Mapping[str, int]) -> None:
    """check_situations for a replayed win, and its riichi: the word for it decides between riichi and double riichi.

    Raises RecordError `riichi_differs`, `ippatsu_differs` or `situation_differs`.
    """
    check_situations(row, items)
    if not items or not YAKUMAN.isdisjoint(items):
        return
    said = 2 if "double_riichi" in items else 1 if "riichi" in items else 0
    if bool(said) != bool(row["riichi"]):
        raise RecordError("riichi_differs", f"the riichi of seat {row['winner']} in its yaku is not that of its play")
    # Whether a north set aside before the riichi spoils the double one is the platform's to say.
    row["riichi"] = said
    if "ippatsu" in items and not row["ippatsu"]:
        raise RecordError("ippatsu_differs", f"seat {row['winner']} has ippatsu in its yaku and not in its play")


def split_payments(rows: Sequence[Row], changes: Sequence[int], *, honba: int, players: int) -> None:
    """Fill `recorded_payments` of the wins of a hand from the changes of score of the whole hand.

    With several winners each payment is points of the hand, and honba and deposits to the first in turn order after the
    payer; they are filled only when that adds up to the changes, so not next to a liable seat.
    """
    if len(rows) == 1:
        rows[0]["recorded_payments"] = list(changes)
        return
    if any(row.get("recorded_points") is None or row["payer"] is None for row in rows):
        return
    in_turn = sorted(rows, key=lambda row: (row["winner"] - row["payer"]) % players)
    each = []
    total = [0] * 4
    for number, row in enumerate(in_turn):
        points = row["recorded_points"] + (100 * (players - 1) * honba if number == 0 else 0)
        payments = [0] * 4
        payments[row["payer"]] = -points
        payments[row["winner"]] = points + (DEPOSIT * row["sticks"] if number == 0 else 0)
        each.append(payments)
        total = [a + b for a, b in zip(total, payments, strict=True)]
    if total == list(changes):
        for row, payments in zip(in_turn, each, strict=True):
            row["recorded_payments"] = payments
