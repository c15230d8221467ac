"""The catalogue of patterns: complete, consistent, and mistakes in it are named."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from analysis.facts import FACTS
from analysis.rules.catalogue import LANGUAGES, families, load_catalogue, read_catalogue
from analysis.rules.expressions import names
from analysis.rules.preset import load_preset, shipped_presets
from ingest.errors import RulesError
from tests.analysis.examples import PRESETS

TEXT = (files("paipu.data") / "patterns" / "taiwan.toml").read_text(encoding="utf-8")
CATALOGUE = load_catalogue("taiwan")


def test_families() -> None:
    assert "taiwan" in families()
    with pytest.raises(RulesError, match="no family 'taiwn'"):
        load_catalogue("taiwn")


def test_every_item_and_option_is_used() -> None:
    """An item no preset pays, or an option nothing reads, would be dead weight."""
    paid = {item for preset in shipped_presets("taiwan") for item in load_preset(preset).values}
    assert paid == {*CATALOGUE.items, *CATALOGUE.instead}
    in_conditions = set()
    for entry in (*CATALOGUE.items.values(), *CATALOGUE.instead.values()):
        in_conditions |= names(entry.condition)
    for removal in CATALOGUE.removals:
        in_conditions |= names(removal.when) if removal.when else set()
    of_the_family = {
        "la_zhuang", "dealer_tai", "dealer_streak_cap", "eight_flowers_mode", "open_kong_replacement_win",
        "eye_penalty", "min_tai", "tai_cap",
    }  # fmt: skip
    assert set(CATALOGUE.options) == (in_conditions & set(CATALOGUE.options)) | of_the_family
    assert in_conditions <= set(CATALOGUE.options) | set(FACTS)


def test_counted_items_are_those_of_the_rules() -> None:
    """SPEC 2.4: these repeat, all others count once."""
    assert {item.id for item in CATALOGUE.items.values() if item.counted} == {
        "dragon_pung", "any_wind_pung", "any_flower", "seat_flower", "exposed_kong", "concealed_kong", "flower_kong",
    }  # fmt: skip


def test_names_are_chinese_twice_and_english_once() -> None:
    for entry in (*CATALOGUE.items.values(), *CATALOGUE.instead.values()):
        assert tuple(entry.names) == LANGUAGES
        assert re.fullmatch(r"[\u4e00-\u9fff]+", entry.names["zh-TW"]), entry.id
        assert re.fullmatch(r"[\u4e00-\u9fff]+", entry.names["zh-CN"]), entry.id
        assert entry.names["en"].isascii(), entry.id
    for language in LANGUAGES:
        shown = [CATALOGUE.name(item, language) for item in (*CATALOGUE.items, *CATALOGUE.instead)]
        assert len(set(shown)) == len(shown)


@pytest.mark.skipif(not PRESETS.exists(), reason="the rules folder is not beside the repository")
def test_every_item_of_the_given_tables_is_there() -> None:
    document = json.loads(PRESETS.read_text(encoding="utf-8"))
    given = {item for preset in document.values() for item, tai in preset["values"].items() if tai}
    assert given <= set(CATALOGUE.items)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('when = "concealed_pungs == 3"', 'when = "concealed_pung == 3"', ["item three_", "'concealed_pung'"]),
        ('when = "concealed_pungs == 3"', 'when = "open(1)"', ["item three_concealed_pungs", "Call"]),
        ('removed = ["dragon_pung"]', 'removed = ["dragon_pong"]', ["'dragon_pong', which is no item"]),
        ("when = \"implied_policy == 'highest_only'\"", 'when = "concealed"', ["may only name options"]),
        ('zh-CN = "自摸", ', "", ["item self_draw", "zh-CN"]),
        ('family = "taiwan"', "family =", ["my.toml", "line"]),
    ],
)  # fmt: skip
def test_a_mistake_in_the_catalogue_is_named(before: str, after: str, words: list[str]) -> None:
    assert before in TEXT
    with pytest.raises(RulesError) as error:
        read_catalogue(TEXT.replace(before, after, 1), "my.toml")
    for word in ("my.toml", *words):
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_every_fact_is_described() -> None:
    for fact in FACTS.values():
        if not fact.name.startswith("_"):
            assert fact.text.endswith(".") or fact.text.endswith(")"), fact.name
            assert "\n" not in fact.text.strip(), fact.name


@pytest.mark.parametrize("family", families())
def test_options_and_items_speak_three_languages(family: str) -> None:
    catalogue = load_catalogue(family)
    for entry in catalogue.options.values():
        assert set(entry.texts) == {"zh-TW", "zh-CN", "en"}
        assert all(entry.texts.values()), entry.name
        for lang in ("zh-TW", "zh-CN"):
            assert re.search("[一-鿿]", entry.texts[lang]), entry.name
        assert entry.texts["en"] not in (entry.texts["zh-TW"], entry.texts["zh-CN"]), entry.name


def test_a_missing_language_is_named() -> None:
    broken = TEXT.replace(', en = "Tai for the dealer himself"', "")
    assert broken != TEXT
    with pytest.raises(RulesError, match=r"x\.toml, option dealer_tai: no text in en"):
        read_catalogue(broken, "x.toml")
