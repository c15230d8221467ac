"""How many wins have how many tai under one preset, with the baseline as ticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt


def tai_histogram(
    rows: Sequence[dict[str, Any]],
    *,
    preset: str,
    presets: Sequence[str],
    bins: Sequence[str],
    top: float,
    x_title: str,
    y_title: str,
) -> Any:
    """rows: tai (label of the bin), share, wins, baseline (its share, null on the baseline's own chart).

    bins: all labels in order; top: end of the share axis, the same for every preset so that charts compare.
    """
    base = alt.Chart(alt.InlineData(values=[{**row, "preset": preset} for row in rows])).encode(
        x=alt.X(
            "tai:N",
            sort=list(bins),
            title=x_title,
            scale=alt.Scale(domain=list(bins)),
            axis=alt.Axis(labelAngle=0, labelOverlap="parity", labelSeparation=3, grid=False),
        )
    )
    y = {
        "title": y_title,
        "scale": alt.Scale(domain=[0, top], nice=True),
        "axis": alt.Axis(format="~%", tickCount=4, grid=True),
    }
    return alt.layer(
        base.mark_bar().encode(
            y=alt.Y("share:Q", **y),
            color=alt.Color("preset:N", scale=alt.Scale(domain=list(presets)), legend=None),
            tooltip=[
                alt.Tooltip("tai:N", title=x_title),
                alt.Tooltip("share:Q", title=y_title, format=".1%"),
                alt.Tooltip("wins:Q", title="n", format=","),
            ],
        ),
        # A rim of the paper's colour, or the ticks would be lost on black bars.
        base.transform_filter("isValid(datum.baseline)")
        .mark_tick(style="halo", thickness=5, bandSize=14)
        .encode(y=alt.Y("baseline:Q", **y)),
        base.transform_filter("isValid(datum.baseline)")
        .mark_tick(style="ink", thickness=2, bandSize=14)
        .encode(y=alt.Y("baseline:Q", **y)),
    ).properties(width="container", height=170)
