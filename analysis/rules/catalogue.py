"""The catalogue of a family: its options, patterns and removals, read from data/patterns/<family>.toml."""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from analysis.facts import FACTS
from analysis.rules.expressions import names, parse
from ingest.errors import RulesError

LANGUAGES: Final = ("zh-TW", "zh-CN", "en")
OptionValue = Any
"""bool, int, str, None, a tuple of texts, or for season options anything TOML can hold."""

_LARGEST: Final = 1000
"""Largest number an option can be: tai and streaks stay far inside the integers of the settlement."""


class Option(msgspec.Struct, frozen=True):
    """A switch of a preset.

    texts: what it means, by language. kind: choice among `values`, integer, list of `values`, suits (a whole number for
    m, p and s), or season: kept for reports and no rule of scoring. pays: tai of the item of the same name where the
    option is on and no value is given; 0 if there is no such item.
    """

    name: str
    texts: dict[str, str]
    kind: str
    values: tuple[bool | int | str, ...]
    default: OptionValue
    none: bool
    pays: int

    def read(self, value: object) -> OptionValue:
        """The value as written in a preset. Raises ValueError with what would be allowed."""
        if self.kind == "season":
            return value
        if self.kind == "list":
            if isinstance(value, list) and all(word in self.values for word in value):
                return tuple(sorted(value, key=self.values.index))
            raise ValueError(f"a list of {', '.join(str(word) for word in self.values)}")
        if self.kind == "suits":
            if isinstance(value, dict) and set(value) == set("mps") and all(n in range(5) for n in value.values()):
                return {suit: int(value[suit]) for suit in "mps"}
            raise ValueError("a table such as { m = 1, p = 1, s = 1 }")
        if self.kind == "choice":
            if self.none and value == "none":
                return None
            if self.values[0] in (True, False) and value in ("on", "off"):
                value = value == "on"
            for allowed in self.values:
                if value == allowed and type(value) is type(allowed):
                    return allowed
            raise ValueError(" or ".join([*(as_toml(v) for v in self.values), *(['"none"'] if self.none else [])]))
        if self.none and value == "none":
            return None
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
            return value
        raise ValueError(f"a whole number from 0 to {_LARGEST}" + (', or "none"' if self.none else ""))


class Item(msgspec.Struct, frozen=True):
    """A pattern that can pay. `condition` is yes/no, or a number of times when `counted`.

    kind: what its value adds to: tai (fan, han), yakuman or bonus (han that make no win). value: unless a preset says
    otherwise. open_less: paid that much less in a hand with exposed melds. local: only where `local_yaku` names it.
    """

    id: str
    names: dict[str, str]
    condition: ast.expr
    counted: bool
    kind: str = "tai"
    value: int = 0
    open_less: int = 0
    local: bool = False


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
    payment: dict[str, int]
    hash: str

    def name(self, item: str, language: str) -> str:
        """The name of an item or stand-in value in a language."""
        entry = self.items.get(item) or self.instead[item]
        return entry.names[language]


def as_text(value: object) -> str:
    """The value of an option as people read it."""
    return value if isinstance(value, str) else "none" if value is None else as_toml(value)


def as_toml(value: object) -> str:
    """The value of an option as a preset file writes it."""
    match value:
        case None:
            return '"none"'
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case list() | tuple():
            return f"[{', '.join(as_toml(each) for each in value)}]"
        case dict():
            return f"{{ {', '.join(f'{key} = {as_toml(each)}' for key, each in value.items())} }}"
        case _:
            # JSON escapes are TOML escapes too; it leaves only DEL, which TOML does not allow as it is.
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def families() -> list[str]:
    """Families with a catalogue."""
    return sorted(
        path.name.removesuffix(".toml")
        for path in (files("paipu.data") / "patterns").iterdir()
        if path.name.endswith(".toml")
    )


def families_of_same_tiles(family: str) -> list[str]:
    """Families that play with as many sets as this one: their presets can score each other's wins."""
    sets = load_catalogue(family).sets
    return [other for other in families() if load_catalogue(other).sets == sets]


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
    options = {name: _option(name, entry, f"{where}, option {name}") for name, entry in raw["options"].items()}
    known = _condition_names(options)
    items = {}
    for name, entry in raw["items"].items():
        counted = "count" in entry
        condition = _condition(entry["count" if counted else "when"], f"{where}, item {name}", known)
        items[name] = Item(
            id=name,
            names=_in_all_languages(entry, "names", f"{where}, item {name}"),
            condition=condition,
            counted=counted,
            **{key: entry[key] for key in ("kind", "value", "open_less", "local") if key in entry},
        )
    instead = {
        name: Instead(
            name,
            _in_all_languages(entry, "names", f"{where}, {name}"),
            tuple(entry["of"]),
            _condition(entry["when"], f"{where}, {name}", known),
        )
        for name, entry in raw.get("instead", {}).items()
    }
    removals = []
    for entry in raw.get("removes", []):
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
        "items": {name: [ast.dump(item.condition), item.kind, item.open_less] for name, item in items.items()},
        "instead": {name: [entry.of, ast.dump(entry.condition)] for name, entry in instead.items()},
        "removes": [[r.item, r.removed, ast.dump(r.when) if r.when else None] for r in removals],
    }
    digest = hashlib.blake2b(msgspec.json.encode(rules, order="sorted"), digest_size=10).hexdigest()
    return Catalogue(
        raw["family"], raw["sets"], options, items, instead, tuple(removals), raw.get("payment", {}), digest
    )


def _option(name: str, entry: dict[str, Any], where: str) -> Option:
    values = tuple(entry.get("values", ()))
    kind = entry.get("kind", "choice" if values else "integer")
    default = entry["default"] if "default" in entry else values[0]
    return Option(
        name,
        _in_all_languages(entry, "text", where),
        kind,
        values,
        None if default == "none" else tuple(default) if kind == "list" else default,
        entry.get("none", False),
        entry.get("pays", 0),
    )


def _condition_names(options: dict[str, Option]) -> set[str]:
    return set(options).union(*(suit_options(name) for name, option in options.items() if option.kind == "suits"))


def suit_options(name: str) -> list[str]:
    """What conditions call the numbers of an option of kind suits: red_fives_m …"""
    return [f"{name}_{suit}" for suit in "mps"]


def _in_all_languages(entry: dict[str, Any], key: str, where: str) -> dict[str, str]:
    missing = [language for language in LANGUAGES if language not in entry.get(key, {})]
    if missing:
        raise RulesError(f"{where}: no {key} in {', '.join(missing)}")
    return dict(entry[key])


def _condition(text: str, where: str, options: set[str]) -> ast.expr:
    tree = parse(" ".join(text.split()), where)
    unknown = sorted(names(tree) - options - set(FACTS))
    if unknown:
        raise RulesError(f"{where}: '{unknown[0]}' is neither a fact nor an option")
    return tree
