"""A share per line as a bar from 0 with its interval and its count in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def share_bars(rows: Sequence[dict[str, Any]], *, title: str, presets: Sequence[str], top: float | None = None) -> Any:
    """rows: line (unique label of the bar, \\n breaks it), preset (label), share, low, high, text.

    top: end of the axis; by default there is room for the words behind the longest bar.
    """
    high = max((row["high"] if row["high"] is not None else row["share"] for row in rows), default=1.0)
    end = top if top is not None else high * 1.45 or 1.0
    lines = max((row["line"].count("\n") + 1 for row in rows), default=1)
    axis_y = alt.Axis(labelExpr="split(datum.label, '\\n')", labelLimit=220)
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=alt.Y("line:N", sort=[row["line"] for row in rows], title=None, axis=axis_y)
    )
    scale = alt.Scale(domain=[0, end], nice=False)
    ticks = alt.Undefined if top is None else [0, 0.25, 0.5, 0.75, 1]
    axis = alt.Axis(format="~%", tickCount=5, values=ticks)
    return (
        alt.layer(
            base.mark_bar(height=16).encode(
                x=alt.X("share:Q", title=title, scale=scale, axis=axis),
                color=alt.Color("preset:N", scale=alt.Scale(domain=list(presets)), legend=None),
            ),
            base.mark_rule(style="ink", strokeWidth=1.5).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
            base.mark_text(align="left", dx=7, style="label").encode(x=alt.X("end:Q", title=title), text="text:N"),
        )
        .transform_calculate(end="isValid(datum.high) ? datum.high : datum.share")
        .properties(width="container", height=(20 + 16 * lines) * len(rows))
    )
