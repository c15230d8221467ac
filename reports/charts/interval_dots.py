"""One estimate per preset with its 95 % interval: a dot, a line and the number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def interval_dots(
    rows: Sequence[dict[str, Any]],
    *,
    title: str,
    presets: Sequence[str],
    shown: Sequence[str],
    reference: float | None = None,
) -> Any:
    """rows: preset (label), value, low, high (null = no interval), text (what stands beside the dot).

    presets: all labels in their order, which fixes the colours; shown: those of this chart.
    reference: value of a dashed line (the baseline).
    """
    lines = list(shown)
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=alt.Y("preset:N", sort=lines, title=None, scale=alt.Scale(domain=lines), axis=alt.Axis(labelLimit=210))
    )
    x = alt.X("value:Q", title=title, axis=alt.Axis(format=",~r", tickCount=5), scale=alt.Scale(zero=False, padding=48))
    category = {
        "color": alt.Color("preset:N", scale=alt.Scale(domain=list(presets)), legend=None),
        "shape": alt.Shape("preset:N", scale=alt.Scale(domain=list(presets)), legend=None),
    }
    layers = [
        base.mark_rule(strokeWidth=3, opacity=0.55).encode(
            x=alt.X("low:Q", title=title), x2="high:Q", color=category["color"]
        ),
        base.mark_point(size=110, opacity=1).encode(x=x, **category),
        # Keeps the number readable where a line passes behind it.
        base.mark_text(dy=-15, style="halo").encode(x=x, text="text:N"),
        base.mark_text(dy=-15, style="label").encode(x=x, text="text:N"),
    ]
    if reference is not None:
        line = alt.Chart(alt.InlineData(values=[{"at": reference}])).mark_rule(strokeDash=[4, 4], style="muted")
        layers.insert(0, line.encode(x=alt.X("at:Q", title=title)))
    return alt.layer(*layers).properties(width="container", height=46 * len(lines))
