"""Share of wins in which each item pays, one symbol per preset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def item_frequency(rows: Sequence[dict[str, Any]], *, presets: Sequence[str], title: str) -> Any:
    """rows: item (label), preset (label), share, wins; items in the order wanted, top to bottom."""
    order = list(dict.fromkeys(row["item"] for row in rows))
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=alt.Y("item:N", sort=order, title=None, axis=alt.Axis(labelLimit=190, grid=True, tickBand="center"))
    )
    x = {"title": title, "axis": alt.Axis(format="~%", tickCount=5), "scale": alt.Scale(zero=True)}
    legend = alt.Legend(title=None)
    return alt.layer(
        base.mark_rule(style="muted").encode(x=alt.X("min(share):Q", **x), x2="max(share):Q"),
        # Hollow: presets that agree lie on top of each other and must all stay visible.
        base.mark_point(filled=False, strokeWidth=2, size=75, opacity=1).encode(
            x=alt.X("share:Q", **x),
            color=alt.Color("preset:N", scale=alt.Scale(domain=list(presets)), legend=legend),
            shape=alt.Shape("preset:N", scale=alt.Scale(domain=list(presets)), legend=legend),
            tooltip=[
                alt.Tooltip("item:N", title=" "),
                alt.Tooltip("preset:N", title=" "),
                alt.Tooltip("share:Q", title="%", format=".1%"),
                alt.Tooltip("wins:Q", title="n", format=","),
            ],
        ),
    ).properties(width="container", height=24 * len(order))
