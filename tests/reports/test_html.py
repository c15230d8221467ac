from __future__ import annotations

import base64
import json
import re

import polars as pl
import pytest

from reports.html import cell, csv_link, script_json, vega_bundle
from reports.theme import DARK, LIGHT, SYMBOLS, Theme, vega_config

# Okabe & Ito, Color Universal Design (2008).
OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}


def test_json_has_no_nan_and_cannot_end_its_element() -> None:
    text = script_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": "</script><b>"})
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "c": "</script><b>"}
    assert "<" not in text


def test_bundle_has_no_address_to_load_from() -> None:
    bundle = vega_bundle()
    assert "vegaEmbed" in bundle
    assert "</script" not in bundle
    assert 500_000 < len(bundle) < 1_200_000
    # Names of XML namespaces look like addresses, but nothing is loaded from them.
    assert set(re.findall(r"https?://[\w.]+", bundle)) == {"http://www.w3.org"}


def test_csv_link_round_trips_with_a_byte_order_mark() -> None:
    frame = pl.DataFrame({"名": ["混一色", "=1+1"], "n": [3, None]})
    head, _, data = csv_link(frame).partition(",")
    assert head == "data:text/csv;charset=utf-8;base64"
    text = base64.b64decode(data)
    assert text.startswith(b"\xef\xbb\xbf")
    assert text.decode("utf-8-sig").splitlines() == ["名,n", "混一色,3", "'=1+1,"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (float("nan"), ""), (1234567, "1,234,567"), (0.123456, "0.1235"), (1234.567, "1,234.57"), ("x", "x")],
)
def test_cells(value: object, text: str) -> None:
    assert cell(value) == text


def _luminance(colour: str) -> float:
    """WCAG 2.2 relative luminance."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_has_the_contrast_of_wcag_aa(theme: Theme) -> None:
    assert _contrast(theme.ink, theme.paper) >= 7
    assert _contrast(theme.muted, theme.paper) >= 4.5
    # The links and the two directions of a waterfall.
    assert _contrast(theme.more, theme.paper) >= 4.5
    assert _contrast(theme.less, theme.paper) >= 3


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_presets_have_okabe_ito_colours_and_each_its_symbol(theme: Theme) -> None:
    first_seven = [colour.lower() for colour in theme.category[:7]]
    assert len(set(first_seven)) == 7
    assert set(first_seven) <= OKABE_ITO | {"#ffffff"}  # white stands in for black on dark paper
    assert len(set(SYMBOLS)) == len(SYMBOLS) >= 7


def test_the_two_configurations_have_the_same_roles() -> None:
    light, dark = vega_config(LIGHT, lang="en"), vega_config(DARK, lang="en")
    assert light["style"].keys() == dark["style"].keys()
    assert light["style"] != dark["style"]
