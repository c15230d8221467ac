"""A share per line as a bar from 0 with its interval and its count in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

_WORDS = 95
"""Room for what stands behind a bar, in pixels."""


def share_bars(rows: Sequence[dict[str, Any]], *, title: str, presets: Sequence[str], top: float | None = None) -> Any:
    """rows: line (unique label of the bar, \\n breaks it), preset (label), share, low, high, text.

    top: least end of the axis. There is always room for the words behind the longest bar.
    """
    high = max((row["high"] if row["high"] is not None else row["share"] for row in rows), default=1.0)
    lines = max((row["line"].count("\n") + 1 for row in rows), default=1)
    axis_y = alt.Axis(labelExpr="split(datum.label, '\\n')", labelLimit=260)
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=alt.Y("line:N", sort=[row["line"] for row in rows], title=None, axis=axis_y)
    )
    end = alt.ExprRef(f"max({top or 0}, {high or 1.0} * width / max(40, width - {_WORDS}))")
    scale = alt.Scale(domainMin=0, domainMax=end, nice=False)
    ticks = alt.Undefined if top is None else [0, 0.25, 0.5, 0.75, 1]
    axis = alt.Axis(format="~%", tickCount=5, values=ticks)
    return (
        alt.layer(
            base.mark_bar(height=16).encode(
                x=alt.X("share:Q", title=title, scale=scale, axis=axis),
                color=alt.Color("preset:N", scale=alt.Scale(domain=list(presets)), legend=None),
            ),
            # A rim of the paper's colour, or the line would be lost on black bars.
            base.mark_rule(style="halo", strokeWidth=4).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
            base.mark_rule(style="ink", strokeWidth=1.5).encode(x=alt.X("low:Q", title=title), x2="high:Q"),
            base.mark_text(align="left", dx=7, style="label").encode(x=alt.X("end:Q", title=title), text="text:N"),
        )
        .transform_calculate(end="isValid(datum.high) ? datum.high : datum.share")
        .properties(width="container", height=(20 + 16 * lines) * len(rows))
    )
