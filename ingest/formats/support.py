"""The support matrix: what each format gives for each column of the store. Its data is support.toml."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Final, Literal

from ingest.record import SCHEMAS

Support = Literal["filled", "derived", "null"]
"""filled: the log says it. derived: worked out from the log by paipu. null: the format does not tell."""

TABLES: Final = ("games", "hands", "seats", "wins")


def support() -> dict[str, dict[tuple[str, str], Support]]:
    """Format name -> (table, column) -> support, for every column of TABLES in the order of the schemas."""
    with files("ingest.formats").joinpath("support.toml").open("rb") as file:
        stated: dict[str, dict[str, dict[str, list[str]]]] = tomllib.load(file)
    return {name: _columns(tables) for name, tables in stated.items()}


def _columns(tables: dict[str, dict[str, list[str]]]) -> dict[tuple[str, str], Support]:
    found: dict[tuple[str, str], Support] = {}
    for table in TABLES:
        lists = tables.get(table, {})
        for column in SCHEMAS[table].names:
            found[table, column] = (
                "filled"
                if column in lists.get("filled", ())
                else "derived"
                if column in lists.get("derived", ())
                else "null"
            )
    return found
