"""A preset with its switches resolved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.reference.presets import OPTIONS, SWITCHED_ON_VALUES, VALUES


@dataclass(frozen=True)
class Rules:
    """A preset with its switches resolved."""

    preset: str
    family: str  # game, company, luohan
    values: dict[str, int]
    la_zhuang: bool
    dealer_streak_cap: int | None
    seat_wind_ref: str
    pinghu_mode: str
    single_wait_mode: str
    single_wait_with_fully_melded: bool
    flower_kong_mode: str
    implied_policy: str
    little_four_winds_keeps_winds: bool
    eight_pairs_half: bool
    dragon_round_bonus: bool
    eye_penalty: int
    min_tai: int
    tai_cap: int | None


def rules_of(preset: str, options: Mapping[str, object] | None = None) -> Rules:
    """The preset with `options` laid over its defaults. Raises KeyError for an unknown preset, option or value name."""
    merged: dict[str, Any] = dict(OPTIONS[preset])
    for name, value in (options or {}).items():
        if name not in merged:
            raise KeyError(f"unknown option {name!r}")
        merged[name] = value
    for name, allowed in {
        "seat_wind_ref": {"dealer", "door"},
        "pinghu_mode": {"shape", "strict"},
        "single_wait_mode": {"kinds", "shape"},
        "flower_kong_mode": {"add", "replace"},
        "implied_policy": {"highest_only", "app_style"},
    }.items():
        if merged[name] not in allowed:
            raise KeyError(f"{name} is {merged[name]!r}, not one of {sorted(allowed)}")
    values = dict(VALUES[preset])
    for item, tai in SWITCHED_ON_VALUES.items():
        if merged[item]:
            values.setdefault(item, tai)
        else:
            values.pop(item, None)
    family = "luohan" if "luohan" in preset else "company" if preset == "tw_online" else "game"
    return Rules(preset=preset, family=family, values=values, **merged)
