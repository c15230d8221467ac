"""Texts of the reports in zh-TW, zh-CN and en: reports/i18n/<lang>.toml, the same keys in each file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

LANGS: Final = ("zh-TW", "zh-CN", "en")


@dataclass(frozen=True)
class Texts:
    """The texts of one language. Keys are "section.key" or deeper, as written in the file."""

    lang: str
    entries: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text with its {placeholders} filled. Raises KeyError for a key no file has."""
        text = self.entries[key]
        return text.format(**values) if values else text

    def section(self, name: str) -> dict[str, str]:
        """The texts of a section by their key within it; templates and scripts take a section as a whole."""
        prefix = f"{name}."
        return {key.removeprefix(prefix): text for key, text in self.entries.items() if key.startswith(prefix)}


@cache
def texts(lang: str) -> Texts:
    """The texts of a language. Raises ValueError for a language that is not one of LANGS."""
    if lang not in LANGS:
        raise ValueError(f"'{lang}' is not a language of paipu; use {', '.join(LANGS)}")
    data = (resources.files("reports") / "i18n" / f"{lang}.toml").read_text("utf-8")
    return Texts(lang=lang, entries=dict(_flatten(tomllib.loads(data))))


def _flatten(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            found += _flatten(value, f"{prefix}{key}.")
        else:
            found.append((prefix + key, str(value)))
    return found
