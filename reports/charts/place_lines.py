"""Places of the players under each preset: who moves when the rules change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt


def place_lines(rows: Sequence[dict[str, Any]], *, presets: Sequence[str]) -> Any:
    """rows: player (label), preset (label), place (integers, 1 on top, no two players alike), mover (place changes)."""
    last = max((row["place"] for row in rows), default=1)
    # Room beside the first and the last preset for the names, in pixels; longer ones end in an ellipsis.
    room = "min(110, width / 4)"
    steps = max(1, len(presets) - 1)
    axis = alt.Axis(
        orient="top",
        labelLimit=240,
        labelAngle=alt.ExprRef(f"width - 2 * {room} < {90 * steps} ? -90 : -30") if len(presets) > 3 else 0,
        labelAlign="left" if len(presets) > 3 else "center",
        labelBaseline="middle" if len(presets) > 3 else "bottom",
        domain=False,
        ticks=False,
        grid=True,
    )
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        x=alt.X(
            "preset:N",
            sort=list(presets),
            title=None,
            scale=alt.Scale(domain=list(presets), padding=alt.ExprRef(f"{steps} * {room} / (width - 2 * {room})")),
            axis=axis,
        ),
        y=alt.Y(
            "place:Q",
            title=None,
            scale=alt.Scale(domain=[last + 0.5, 0.5], nice=False, zero=False),
            axis=None,
        ),
    )
    limit = alt.ExprRef(f"{room} - 10")
    first, end = f"datum.preset == {json.dumps(presets[0])}", f"datum.preset == {json.dumps(presets[-1])}"
    return alt.layer(
        base.transform_filter("!datum.mover").mark_line(style="muted", strokeWidth=1.5).encode(detail="player:N"),
        base.transform_filter("datum.mover").mark_line(style="more", strokeWidth=3).encode(detail="player:N"),
        base.mark_point(style="ink", size=45, opacity=1),
        base.transform_filter(first)
        .mark_text(align="right", dx=-9, style="label", limit=limit)
        .encode(text="player:N"),
        base.transform_filter(end).mark_text(align="left", dx=9, style="label", limit=limit).encode(text="player:N"),
    ).properties(width="container", height=30 * last + 20)
