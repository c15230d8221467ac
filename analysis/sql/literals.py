"""Names and values as SQL text, for statements that take no parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any) -> str:
    """A truth value, integer, text, path, list or struct. Raises TypeError for anything else."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str() | Path():
            return "'" + str(value).replace("'", "''") + "'"
        case dict():
            return "{" + ", ".join(f"'{key}': {literal(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(literal(item) for item in value) + "]"
    raise TypeError(f"no SQL literal for {type(value).__name__}")
