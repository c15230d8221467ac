"""What two presets do differently."""

from __future__ import annotations

from typing import NamedTuple

from analysis.rules.catalogue import as_text
from analysis.rules.preset import Preset
from ingest.errors import UsageError


class Difference(NamedTuple):
    """One rule that differs. part: value, option, excludes or payment; None where a preset does not have it."""

    part: str
    key: str
    a: str | None
    b: str | None


def diff(a: Preset, b: Preset) -> list[Difference]:
    """Differences in values, options, exclusions and payment, in catalogue order. Names and sources are no rules.

    Raises UsageError for presets of different families.
    """
    if a.family != b.family:
        raise UsageError(f"{a.id} is of family {a.family}, {b.id} of {b.family}; only presets of one family compare")
    catalogue = a.catalogue()
    found = []
    for item in (*catalogue.items, *catalogue.instead):
        found.append(Difference("value", item, _text(a.values.get(item)), _text(b.values.get(item))))
    for option in catalogue.options:
        found.append(Difference("option", option, as_text(a.options[option]), as_text(b.options[option])))
    for item in catalogue.items:
        found.append(Difference("excludes", item, _list(a.excludes.get(item)), _list(b.excludes.get(item))))
    found.append(Difference("payment", "base", str(a.base), str(b.base)))
    found.append(Difference("payment", "unit", str(a.unit), str(b.unit)))
    return [difference for difference in found if difference.a != difference.b]


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _list(items: tuple[str, ...] | None) -> str | None:
    return None if items is None else ", ".join(items)
