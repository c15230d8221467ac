"""The catalogue of a family: its options, patterns and removals, read from data/patterns/<family>.toml."""

from __future__ import annotations

import ast
import hashlib
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from analysis.facts import FACTS
from analysis.rules.expressions import names, parse
from ingest.errors import RulesError

LANGUAGES: Final = ("zh-TW", "zh-CN", "en")
OptionValue = bool | int | str | None

_LARGEST: Final = 1000
"""Largest number an option can be: tai and streaks stay far inside the integers of the settlement."""


class Option(msgspec.Struct, frozen=True):
    """A switch of a preset. `values` lists what a choice may be; an integer option has none.

    pays: tai of the item of the same name where the option is on and no value is given; 0 if there is no such item.
    """

    name: str
    text: str
    values: tuple[bool | str, ...]
    default: OptionValue
    none: bool
    pays: int

    def read(self, value: object) -> OptionValue:
        """The value as written in a preset. Raises ValueError with what would be allowed."""
        if self.values:
            if self.values[0] in (True, False) and value in ("on", "off"):
                value = value == "on"
            for allowed in self.values:
                if value == allowed and type(value) is type(allowed):
                    return allowed
            raise ValueError(" or ".join(_toml(v) for v in self.values))
        if self.none and value == "none":
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
            return value
        raise ValueError(f"a whole number from 0 to {_LARGEST}" + (', or "none"' if self.none else ""))


class Item(msgspec.Struct, frozen=True):
    """A pattern that can pay. `condition` is yes/no, or a number of times when `counted`."""

    id: str
    names: dict[str, str]
    condition: ast.expr
    counted: bool


class Removal(msgspec.Struct, frozen=True):
    """A counted item removes others, if the condition over the options holds (SPEC 2.4)."""

    item: str
    removed: tuple[str, ...]
    when: ast.expr | None


class Instead(msgspec.Struct, frozen=True):
    """A value that stands in for the value of other items where a condition holds."""

    id: str
    names: dict[str, str]
    of: tuple[str, ...]
    condition: ast.expr


class Catalogue(msgspec.Struct, frozen=True):
    family: str
    sets: int
    options: dict[str, Option]
    items: dict[str, Item]
    instead: dict[str, Instead]
    removals: tuple[Removal, ...]
    hash: str

    def name(self, item: str, language: str) -> str:
        """The name of an item or stand-in value in a language."""
        entry = self.items.get(item) or self.instead[item]
        return entry.names[language]


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def families() -> list[str]:
    """Families with a catalogue."""
    return sorted(
        path.name.removesuffix(".toml")
        for path in (files("paipu.data") / "patterns").iterdir()
        if path.name.endswith(".toml")
    )


@lru_cache
def load_catalogue(family: str) -> Catalogue:
    """The catalogue of a family. Raises RulesError for an unknown family or a mistake in its file."""
    resource = files("paipu.data") / "patterns" / f"{family}.toml"
    if not resource.is_file():
        raise RulesError(f"there is no family '{family}'; families are {', '.join(families())}")
    text = resource.read_text(encoding="utf-8")
    return read_catalogue(text, f"{family}.toml")


def read_catalogue(text: str, where: str) -> Catalogue:
    """The catalogue in a TOML text; `where` names it in errors."""
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"{where}: {error}") from None
    options = {name: _option(name, entry) for name, entry in raw["options"].items()}
    items = {}
    for name, entry in raw["items"].items():
        counted = "count" in entry
        condition = _condition(entry["count" if counted else "when"], f"{where}, item {name}", set(options))
        items[name] = Item(name, _names(entry, f"{where}, item {name}"), condition, counted)
    instead = {
        name: Instead(
            name,
            _names(entry, f"{where}, {name}"),
            tuple(entry["of"]),
            _condition(entry["when"], f"{where}, {name}", set(options)),
        )
        for name, entry in raw.get("instead", {}).items()
    }
    removals = []
    for entry in raw["removes"]:
        for item in (entry["item"], *entry["removed"]):
            if item not in items:
                raise RulesError(f"{where}: removes names '{item}', which is no item")
        when = entry.get("when")
        tree = None if when is None else parse(when, f"{where}, removes of {entry['item']}")
        if tree is not None and not names(tree) <= set(options):
            raise RulesError(f"{where}, removes of {entry['item']}: '{when}' may only name options")
        removals.append(Removal(entry["item"], tuple(entry["removed"]), tree))
    # Names are not rules: a corrected translation must not make every stored score stale.
    rules = {
        "sets": raw["sets"],
        "items": {name: ast.dump(item.condition) for name, item in items.items()},
        "instead": {name: [entry.of, ast.dump(entry.condition)] for name, entry in instead.items()},
        "removes": [[r.item, r.removed, ast.dump(r.when) if r.when else None] for r in removals],
    }
    digest = hashlib.blake2b(msgspec.json.encode(rules, order="sorted"), digest_size=10).hexdigest()
    return Catalogue(raw["family"], raw["sets"], options, items, instead, tuple(removals), digest)


def _option(name: str, entry: dict[str, Any]) -> Option:
    values = tuple(entry.get("values", ()))
    default = values[0] if values else entry["default"]
    return Option(
        name,
        entry["text"],
        values,
        None if default == "none" else default,
        entry.get("none", False),
        entry.get("pays", 0),
    )


def _names(entry: dict[str, Any], where: str) -> dict[str, str]:
    missing = [language for language in LANGUAGES if language not in entry.get("names", {})]
    if missing:
        raise RulesError(f"{where}: no name in {', '.join(missing)}")
    return dict(entry["names"])


def _condition(text: str, where: str, options: set[str]) -> ast.expr:
    tree = parse(" ".join(text.split()), where)
    unknown = sorted(names(tree) - options - set(FACTS))
    if unknown:
        raise RulesError(f"{where}: '{unknown[0]}' is neither a fact nor an option")
    return tree
