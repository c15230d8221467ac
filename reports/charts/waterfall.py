"""The way from the baseline's mean payout to another preset's, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def waterfall(rows: Sequence[dict[str, Any]], *, title: str) -> Any:
    """rows, top to bottom: label, kind (total or step), start, end, text. A step's bar runs from start to end.

    The ends are dots, not bars, so the axis need not begin at 0 and small steps stay visible.
    """
    marks = [value for row in rows for value in (row["start"], row["end"])]
    # In pixels, since the numbers stand beside the bars and have one size on every screen.
    scale = alt.Scale(domain=[min(marks), max(marks)], padding=58, nice=False, zero=False)
    x = {"title": title, "scale": scale, "axis": alt.Axis(format=",~r", tickCount=4)}
    drawn = [
        {
            **row,
            "right": max(row["start"], row["end"]),
            "next": rows[place + 1]["label"] if place + 1 < len(rows) else None,
        }
        for place, row in enumerate(rows)
    ]
    base = alt.Chart(alt.InlineData(values=drawn)).encode(
        y=alt.Y("label:N", sort=[row["label"] for row in rows], title=None, axis=alt.Axis(labelLimit=210))
    )
    step, total = "datum.kind == 'step'", "datum.kind == 'total'"
    return alt.layer(
        base.transform_filter("isValid(datum.next)")
        .mark_rule(style="muted", strokeDash=[2, 2])
        .encode(x=alt.X("end:Q", **x), y2="next:N"),
        base.transform_filter(f"{step} && datum.end >= datum.start")
        .mark_bar(height=16, style="more")
        .encode(x=alt.X("start:Q", **x), x2="end:Q"),
        base.transform_filter(f"{step} && datum.end < datum.start")
        .mark_bar(height=16, style="less")
        .encode(x=alt.X("start:Q", **x), x2="end:Q"),
        base.transform_filter(total).mark_point(shape="diamond", size=130, style="ink").encode(x=alt.X("end:Q", **x)),
        base.transform_filter(total)
        .mark_text(align="left", dx=11, fontWeight="bold", style="label")
        .encode(x=alt.X("right:Q", **x), text="text:N"),
        base.transform_filter(step)
        .mark_text(align="left", dx=6, style="label")
        .encode(x=alt.X("right:Q", **x), text="text:N"),
    ).properties(width="container", height=27 * len(rows))
