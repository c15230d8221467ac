"""Values of a preset that are allowed but can hardly be meant."""

from __future__ import annotations

from typing import Final

from analysis.rules.preset import Preset, load_preset, shipped_presets
from analysis.score import Plan

_MOST_TIMES: Final = 8
"""No item that pays several times pays more often: there are eight flowers."""


def remarks(preset: Preset) -> list[str]:
    """One sentence for each value of no use; none for a sound preset."""
    return [*_cap(preset), *_minimum(preset), *_negative(preset), *_off(preset)]


def _off(preset: Preset) -> list[str]:
    """Items with a value of the preset's own that its options switch off."""
    items = preset.catalogue().items
    paying = {term.item for term in Plan([preset]).plans[0].terms}
    return [
        f"{name} = {value} is of no effect: the options switch it off"
        for name, value in preset.values.items()
        if name in items and value != items[name].value and name not in paying
    ]


def _cap(preset: Preset) -> list[str]:
    if preset.options.get("tai_cap") == 0:
        return ['tai_cap = 0 makes every win worth nothing; write tai_cap = "none" for no limit']
    return []


def _minimum(preset: Preset) -> list[str]:
    minimum = preset.options.get("min_tai")
    items = preset.catalogue().items
    times = {name: _MOST_TIMES if name in items and items[name].counted else 1 for name in preset.values}
    most = sum(times[name] * tai for name, tai in preset.values.items() if tai > 0)
    if isinstance(minimum, int) and minimum > most:
        return [f"min_tai = {minimum} is more than all items together ({most}), so no hand can win"]
    return []


def _negative(preset: Preset) -> list[str]:
    """Items that take tai away, but for those that do so in presets that come with paipu."""
    negative = [name for name, tai in preset.values.items() if tai < 0]
    if not negative:
        return []
    usual = {
        name for known in shipped_presets(preset.family) for name, tai in load_preset(known).values.items() if tai < 0
    }
    return [
        f"{name} = {preset.values[name]} takes tai away; write 0 for an item that pays nothing"
        for name in negative
        if name not in usual
    ]
