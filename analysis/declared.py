"""The rules each log says it was played by: its declared preset, changed as the log's own header says."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import pyarrow as pa

from analysis.rules.preset import Preset, load_preset, shipped_presets

DECLARED: Final = "declared"
"""Preset id under which every game is scored by its own rules."""
COLUMNS: Final = ("game_id", "family", "declared", "declared_options", "base", "unit")
_OWN_OPTIONS: Final = "paipu"
"""Key of games.declared_options that holds options in our words."""


class DeclaredGames(NamedTuple):
    """Games that declare the same rules: their ids (Arrow) and the preset, called `declared`."""

    game_ids: Any
    preset: Preset


@lru_cache
def declared_hash() -> str:
    """Changes whenever any shipped preset does: then the declared scores are stale."""
    hashes = sorted(load_preset(preset).hash for preset in shipped_presets())
    return hashlib.blake2b("".join(hashes).encode(), digest_size=10).hexdigest()


def declared_games(games: Any) -> Iterator[DeclaredGames]:
    """Groups of the games table (columns COLUMNS) by the rules they declare; games that declare none are left out."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for game in games.to_pylist():
        if game["declared"]:
            own = json.loads(game["declared_options"] or "{}").get(_OWN_OPTIONS, {})
            key = (game["declared"], json.dumps(own, sort_keys=True), game["base"], game["unit"])
            groups.setdefault(key, []).append(game["game_id"])
    for (declared, own, base, unit), ids in groups.items():
        preset = _preset(declared, own, base, unit)
        if preset is not None:
            yield DeclaredGames(pa.array(ids, pa.string()), preset)


def not_shipped(declared: Iterable[str | None]) -> Counter[str]:
    """Games by the preset they declare, where that does not come with paipu. declared: of each game."""
    counts = Counter(name for name in declared if name)
    return Counter({name: n for name, n in counts.items() if name not in shipped_presets()})


def _preset(declared: str, own: str, base: int | None, unit: int | None) -> Preset | None:
    """The preset with the log's own options and stake; None where paipu does not know the rules."""
    # Only an id: what a log says is no path to look at.
    if declared not in shipped_presets():
        return None
    preset = load_preset(declared)
    options = dict(preset.options)
    known = preset.catalogue().options
    for name, value in json.loads(own).items():
        if name not in known:
            return None
        try:
            options[name] = known[name].read("none" if value is None else value)
        except ValueError:
            return None
    return msgspec.structs.replace(
        preset,
        id=DECLARED,
        hash=declared_hash(),
        options=options,
        base=preset.base if base is None else base,
        unit=preset.unit if unit is None else unit,
    )
