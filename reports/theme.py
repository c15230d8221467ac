"""Colours, type and Vega-Lite configurations of the reports: Okabe-Ito, one set for light and one for dark.

A chart names colours by role (`style="muted"`, the category and symbol ranges), never by value, so the same chart can
be drawn with either configuration. Presets also differ by symbol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, kw_only=True)
class Theme:
    """One colour scheme. `category` is the Okabe-Ito palette in the order that reads best on `paper`."""

    paper: str
    ink: str
    muted: str
    grid: str
    more: str
    less: str
    category: tuple[str, ...]


LIGHT: Final = Theme(
    paper="#ffffff",
    ink="#1f2328",
    muted="#59636e",
    grid="#e3e6ea",
    more="#0072B2",
    less="#D55E00",
    category=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7a7a7a"),
)
DARK: Final = Theme(
    paper="#16191d",
    ink="#e8eaed",
    muted="#a3acb6",
    grid="#2e343b",
    more="#56B4E9",
    less="#E69F00",
    category=("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#ffffff", "#9a9a9a"),
)
SYMBOLS: Final = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "triangle-left",
)
"""One fewer than the colours: where presets outnumber them, the pairs of both still differ."""

_SANS: Final = "system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', Arial"
_CJK: Final = {
    "zh-TW": "'Noto Sans TC', 'Noto Sans CJK TC', 'PingFang TC', 'Microsoft JhengHei'",
    "zh-CN": "'Noto Sans SC', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei'",
    "en": "'Noto Sans TC', 'Noto Sans CJK TC', 'PingFang TC', 'Microsoft JhengHei'",
}


def font_stack(lang: str) -> str:
    """CSS font list; the Chinese fonts follow the Latin ones so that digits stay Latin."""
    return f"{_SANS}, {_CJK[lang]}, sans-serif"


def vega_config(theme: Theme, *, lang: str) -> dict[str, Any]:
    """Vega-Lite `config` of a scheme."""
    return {
        "background": "transparent",
        "font": font_stack(lang),
        "view": {"stroke": None},
        "axis": {
            "labelColor": theme.ink,
            "titleColor": theme.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": theme.grid,
            "domainColor": theme.grid,
            "tickColor": theme.grid,
            "labelLimit": 170,
            "titlePadding": 8,
        },
        # Numbers that would touch each other or the chart's edge are left out.
        "axisXQuantitative": {"labelOverlap": "greedy", "labelSeparation": 10, "labelBound": True},
        "axisY": {"domain": False, "ticks": False, "labelPadding": 8},
        "legend": {
            "labelColor": theme.ink,
            "titleColor": theme.muted,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "symbolSize": 90,
            "labelLimit": 200,
            "orient": "top",
        },
        "text": {"color": theme.ink, "fontSize": 12},
        "point": {"filled": True, "size": 90},
        "range": {
            "category": list(theme.category),
            "symbol": list(SYMBOLS),
        },
        "style": {
            "ink": {"color": theme.ink},
            "muted": {"color": theme.muted},
            "more": {"color": theme.more},
            "less": {"color": theme.less},
            "label": {"color": theme.ink},
            "halo": {"stroke": theme.paper, "color": theme.paper, "strokeWidth": 4},
        },
    }


def css_variables(theme: Theme) -> str:
    """CSS custom properties of a scheme."""
    return (
        f"--paper:{theme.paper};--ink:{theme.ink};--muted:{theme.muted};--grid:{theme.grid};"
        f"--more:{theme.more};--less:{theme.less};"
    )
