"""Rule families: what only one of them has, behind one interface."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ingest.errors import RulesError

Family = Any
"""A module with COLUMNS, REASONS, OUTCOMES, readings(), gap_answers(), evaluate(), Settlement; see taiwan.py."""

_MODULES = {"riichi": "analysis.families.riichi", "taiwan": "analysis.families.taiwan"}


def family_of(name: str) -> Family:
    """The module of a family."""
    if name not in _MODULES:
        raise RulesError(f"no scorer for family '{name}'")
    return import_module(_MODULES[name])
