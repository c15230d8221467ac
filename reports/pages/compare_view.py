"""What every part of the comparison page shares: its comparison, words, names and the look of its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from analysis.compare import ComparedPreset, Comparison, Statistic
from reports.i18n import Texts, texts

OUTCOMES: Final = ("ok", "approximate", "no_yaku", "removed", "no_win", "not_rescorable")
SCALED: Final = ("mean_payout", "spread", "roles", "standings")
_OF_ONE_FAMILY: Final = ("changed", "bridge")


class Words:
    """The texts of a page: `compare.of_<family>.<key>` if there is one, else, where hands are paid in points,
    `compare.points.<key>` if there is one, else `compare.<key>`.

    {tai} and {money} are the words for them of the page's family, which is `mixed` if there are several.
    """

    def __init__(self, lang: str, *, points: bool, family: str) -> None:
        self._texts: Texts = texts(lang)
        self._before = [f"compare.of_{family}.", *(["compare.points."] if points else [])]
        self._values = {"tai": self.unit(family, "tai"), "money": self.unit(family, "money")}

    def __call__(self, key: str, /, **values: object) -> str:
        key = self._key(key)
        text = self._texts(key, **(self._values | values))
        # A word of the family begins a heading; on an axis it stays small.
        begins = self._texts.entries[key].startswith("{tai}") and not key.endswith("axis")
        return text[:1].upper() + text[1:] if begins else text

    def _key(self, key: str) -> str:
        special = (key.replace("compare.", before, 1) for before in self._before)
        return next((one for one in special if one in self._texts.entries), key)

    def find(self, key: str, default: str) -> str:
        """The text of a key that may not exist."""
        return self._texts.entries.get(key, default)

    def unit(self, family: str, word: str) -> str:
        """Word of a family: name, tai or money. A family without words has those of several families."""
        entries = self._texts.entries
        return entries.get(f"family.{family}.{word}", entries[f"family.mixed.{word}"])


class View:
    """A comparison in one language: the names of its presets and items and the words for its units."""

    def __init__(self, comparison: Comparison, *, lang: str, item_names: Mapping[str, str]) -> None:
        self.comparison = comparison
        self.lang = lang
        self.mixed = len(comparison.families) > 1
        self.points = self.mixed or not comparison.base_preset.priced
        # Scaled money is the baseline's.
        family = "mixed" if self.mixed else comparison.base_preset.family
        self.t = Words(lang, points=self.points, family=family)
        self._item_names = _told_apart(
            {row["item"] for row in comparison.statistics["items"].records()}
            | {row["item"] for row in comparison.statistics["bridge"].records() if row["item"] is not None},
            item_names,
        )
        self.names = _unique_names(comparison.presets, lang=lang, t=self.t)
        self.labels = [self.names[preset.id] for preset in comparison.presets]
        self.players = sorted({row["player"] for row in comparison.statistics["standings"].records()})

    @property
    def baseline(self) -> str:
        return self.names[self.comparison.baseline]

    def item(self, item: str) -> str:
        return self._item_names.get(item, item)

    def reason(self, reason: str) -> str:
        return self.t.find(f"compare.reasons.{reason}", reason)

    def unit(self, preset: ComparedPreset) -> str:
        """Word for the money that the page shows of a preset."""
        shown = self.comparison.base_preset if self.comparison.scales else preset
        return self.t.unit(shown.family, "money")

    def factors(self) -> str:
        scales = self.comparison.scales or {}
        return join(
            (
                self.t("compare.factor", name=self.names[preset], factor=factor_text(factor))
                for preset, factor in scales.items()
                if preset != self.comparison.baseline
            ),
            self.lang,
        )

    def words(self, name: str) -> dict[str, str]:
        """Words of a section that is about the baseline's family alone, or in its money."""
        family = self.comparison.base_preset.family
        if name in _OF_ONE_FAMILY:
            return {word: self.t.unit(family, word) for word in ("tai", "money")}
        return {"money": self.t.unit(family, "money")} if self.comparison.scales and name in SCALED else {}

    def with_unit(self, value: str, unit: str) -> str:
        return self.t("compare.with_unit", value=value, unit=unit)


def statistic_frame(statistic: Statistic) -> pl.DataFrame:
    """A statistic as a frame, columns as in its SQL file."""
    return pl.DataFrame(list(statistic.rows), schema=list(statistic.columns), orient="row", infer_schema_length=None)


def outcome_counts(comparison: Comparison) -> dict[str, dict[str, int]]:
    """All recorded wins by preset and outcome, 0 where an outcome does not occur."""
    counts = {preset.id: dict.fromkeys(OUTCOMES, 0) for preset in comparison.presets}
    for row in comparison.statistics["outcomes"].records():
        counts[row["preset"]][row["outcome"]] += row["wins"]
    return counts


def number(value: float | None, *, sign: bool = False) -> str:
    """Two decimals below 100, one above, none for a whole number; empty when unknown."""
    if value is None:
        return ""
    digits = 0 if isinstance(value, int) else 2 if abs(value) < 100 else 1
    return f"{value:{'+' if sign and value else ''},.{digits}f}".replace("-", "−")


def percent(value: float | None) -> str:
    """One decimal, but never 0.0 % for something that happened nor 100.0 % for nearly all."""
    if value is None:
        return ""
    shown = f"{value:.1%}"
    if shown == "0.0%" and value > 0:
        shown = "<0.1%"
    if shown == "100.0%" and value < 1:
        shown = ">99.9%"
    return shown.replace("%", " %")


def interval_text(low: float | None, high: float | None, *, sign: bool = False) -> str:
    return "" if low is None or high is None else f"{number(low, sign=sign)} – {number(high, sign=sign)}"


def factor_text(factor: float) -> str:
    """Four digits that count."""
    return f"{factor:.4g}"


def join(words: Iterable[str], lang: str) -> str:
    return (", " if lang == "en" else "、").join(words)


def _unique_names(presets: Sequence[ComparedPreset], *, lang: str, t: Words) -> dict[str, str]:
    """Names of the presets; where two share a name, the id is added."""
    names = [preset.name(lang) for preset in presets]
    return {
        preset.id: name if names.count(name) == 1 else t("compare.label", name=name, id=preset.id)
        for preset, name in zip(presets, names, strict=True)
    }


def _told_apart(items: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Names of the items; where two items share a name, the id is added, since charts go by the label."""
    told = {item: names.get(item, item) for item in items}
    counts = Counter(told.values())
    return {**names, **{item: name if counts[name] == 1 else f"{name} {item}" for item, name in told.items()}}
