"""One self-contained HTML page: the shell, the Vega bundle once, charts as JSON. Nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import jinja2
import vl_convert

from reports.export import encode_frame
from reports.theme import DARK, LIGHT, css_variables, font_stack, vega_config

if TYPE_CHECKING:
    import polars as pl


def environment() -> jinja2.Environment:
    """Templates of reports/templates; text is escaped, an unknown name is an error."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(template: str, *, lang: str, charts: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """Render a page template that extends page.html.j2.

    charts: Altair charts by the id of the element they are drawn in.
    """
    specs = {name: chart_spec(chart) for name, chart in charts.items()}
    return (
        environment()
        .get_template(template)
        .render(
            **context,
            lang=lang,
            font=font_stack(lang),
            light_css=css_variables(LIGHT),
            dark_css=css_variables(DARK),
            bundle=vega_bundle() if specs else "",
            payload=script_json(
                {
                    "charts": specs,
                    "light": vega_config(LIGHT, lang=lang),
                    "dark": vega_config(DARK, lang=lang),
                }
            ),
        )
    )


def chart_spec(chart: Any) -> dict[str, Any]:
    """The chart's Vega-Lite JSON without the address of its schema, which the page has no use for."""
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("$schema", None)
    # The page brings its own two configurations.
    spec.pop("config", None)
    return spec


def script_json(value: Any) -> str:
    """JSON for a script element. NaN and infinity become null; `<` cannot end the element."""
    text = json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, about 0.9 MB.

    The addresses of the editor and of the schema documents are taken out: nothing in the page follows them, and a
    reader who searches an offline page for links shall find none.
    """
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # XML namespaces are names, not addresses, and must stay.
    script = re.sub(r"https?://vega\.github\.io(?=/schema/)", "", script)
    script = re.sub(r"https?://(?!www\.w3\.org/)[^\s\"'`)]*", "about:blank", script)
    return script.replace("</script", "<\\/script")


def csv_link(frame: pl.DataFrame) -> str:
    """A data: address of the frame as CSV, with a byte-order mark so that spreadsheets read the Chinese."""
    data = encode_frame(frame, format="csv", bom=True)
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(data).decode("ascii")


def cells(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Table cells as text: integers with separators, other numbers with four digits, unknown empty."""
    return [[cell(value) for value in row] for row in rows]


def cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"
    return str(value)
