"""One word for one thing: the terms of Taiwanese tables in Chinese, riichi's only where hands of riichi are meant."""

from __future__ import annotations

import re

import pytest

from analysis.families import family_of
from analysis.rules.catalogue import families
from reports.i18n import LANGS, texts

CHINESE = ("zh-TW", "zh-CN")
RIICHI = ("compare.points.", "compare.of_", "compare.outcomes.", "compare.reasons.", "score.riichi.", "family.riichi.")


def taiwanese(lang: str) -> dict[str, str]:
    return {key: text for key, text in texts(lang).entries.items() if not key.startswith(RIICHI)}


@pytest.mark.parametrize("lang", CHINESE)
@pytest.mark.parametrize(
    ("word", "instead"),
    [("和牌", "胡牌"), ("能和", "能胡"), ("台型", "台種"), ("親家", "莊家"), ("亲家", "庄家"), ("炮和", "炮胡")],
)
def test_a_word_that_taiwanese_tables_do_not_use(lang: str, word: str, instead: str) -> None:
    assert {key: text for key, text in taiwanese(lang).items() if word in text} == {}, f"say {instead}"


@pytest.mark.parametrize("lang", CHINESE)
def test_a_deal_is_one_word(lang: str) -> None:
    """盤; 局 only in 流局, 牌局 and 對局, which mean something else."""
    for key, text in taiwanese(lang).items():
        assert not re.search("(?<![流牌對对])局", text), key


@pytest.mark.parametrize("lang", CHINESE)
def test_no_sentence_is_left_in_english(lang: str) -> None:
    for key, text in texts(lang).entries.items():
        words = re.findall(r"[A-Za-z]{2,}", re.sub(r"\{\w+\}|paipu [\w{}. -]+|cluster bootstrap|tau-b", "", text))
        assert set(words) <= {"SQL", "CSV", "Wilson", "Kendall", "paipu"}, key


@pytest.mark.parametrize("lang", LANGS)
def test_every_reason_of_a_refusal_has_words(lang: str) -> None:
    for family in families():
        for reason in family_of(family).REASONS[1:]:
            text = texts(lang)(f"compare.reasons.{reason}")
            assert "_" not in text
