"""Presets: the rules of one table as data. Loading, checking, content hash."""

from __future__ import annotations

import difflib
import hashlib
import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from analysis.rules.catalogue import LANGUAGES, Catalogue, OptionValue, families, load_catalogue, suit_options
from ingest.errors import RulesError, UsageError

_KEYS: Final = (
    "id",
    "names",
    "family",
    "source",
    "notes",
    "extends",
    "options",
    "values",
    "excludes",
    "payment",
    "unconfirmed",
)
_PAYMENT: Final = ("base", "unit")
_ID: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NOTHING_TAKEN: Final = ("riichi",)
"""Families in which no item has a negative value."""
_RESERVED: Final = ("declared",)
_SCORER_VERSION: Final = 1
"""Raised when the code of facts, readings or settlements changes a score: stored scores are then stale."""
_LARGEST: Final = 500
"""Largest tai of one item: even with every item at once the sum stays inside the 16 bits that the scorer adds in."""


_MOST_YAKUMAN: Final = 6
"""Largest multiple of one yakuman: all that one hand can have stay inside the 8 bits they are added in."""


class Preset(msgspec.Struct, frozen=True):
    """The rules of one table.

    values: tai of each item that pays (no zeros). options: every option of the family. excludes: what an item removes
    beyond the family's list. base, unit: 底 and 台 in money. hash: of the rules, not of names or sources.
    """

    id: str
    names: dict[str, str]
    family: str
    source: str
    values: dict[str, int]
    options: dict[str, OptionValue]
    excludes: dict[str, tuple[str, ...]]
    base: int
    unit: int
    hash: str
    extends: str | None = None
    notes: str = ""
    unconfirmed: dict[str, str] = {}
    """Option → why its value is not certain."""

    def number(self, option: str) -> int:
        """The value of an option that is a whole number."""
        value = self.options[option]
        assert isinstance(value, int), option
        return value

    def limit(self, option: str) -> int | None:
        """The value of an option that is a whole number or none."""
        return None if self.options[option] is None else self.number(option)

    def words(self, option: str) -> tuple[str, ...]:
        """The value of an option that is a list."""
        value = self.options[option]
        assert isinstance(value, tuple), option
        return value

    def in_conditions(self) -> dict[str, Any]:
        """Options by the names that conditions use."""
        named = dict(self.options)
        for name, option in self.catalogue().options.items():
            if option.kind == "suits":
                named |= dict(zip(suit_options(name), named.pop(name).values(), strict=True))
        return named

    def catalogue(self) -> Catalogue:
        return load_catalogue(self.family)


def shipped_presets(family: str | None = None) -> list[str]:
    """Ids of the presets that come with paipu, of one family or of all, in the order in which people look for them."""
    folder = files("paipu.data") / "presets"
    ids = (folder / "order.txt").read_text(encoding="utf-8").split()
    if family is None:
        return ids
    return [id for id in ids if tomllib.loads((folder / f"{id}.toml").read_text(encoding="utf-8"))["family"] == family]


def load_preset(ref: str | Path) -> Preset:
    """A shipped preset by id, or a preset file by path.

    Raises UsageError if there is none, RulesError if it is not valid (file, line and key are named) or if other rules
    have the id of a shipped preset.
    """
    text, where, folder = _read(ref, None)
    preset = _build(text, where, folder, ())
    if folder is not None and preset.id in shipped_presets() and preset.hash != load_preset(preset.id).hash:
        raise _PresetText(text, where).error(
            f"'{preset.id}' is a preset that comes with paipu, and has other rules; give this one another id", "id"
        )
    return preset


def load_presets(refs: Iterable[str]) -> list[Preset]:
    """Presets in the order given. Two different ones under one id are an error: nobody could tell them apart."""
    presets: dict[str, Preset] = {}
    for ref in refs:
        preset = load_preset(ref)
        if presets.setdefault(preset.id, preset).hash != preset.hash:
            raise UsageError(f"two different presets are called '{preset.id}'; give one of them another id")
    return list(presets.values())


def _read(ref: str | Path, folder: Path | None) -> tuple[str, str, Path | None]:
    """(text, name for messages, folder to look for `extends` in) of a preset reference."""
    name = str(ref)
    is_path = isinstance(ref, Path) or name.endswith(".toml") or "/" in name or "\\" in name
    candidates = [Path(name)] if is_path and folder is None else []
    if folder is not None:
        candidates.append(folder / (name if is_path else f"{name}.toml"))
    for path in candidates:
        if path.is_dir():
            raise UsageError(f"{path}: a folder, not a preset file")
        if path.is_file():
            try:
                # Editors on Windows begin a text with a byte-order mark.
                return path.read_text(encoding="utf-8-sig"), str(path), path.parent
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None
            except UnicodeDecodeError:
                raise RulesError(f"{path}: is not a text in UTF-8; save it as UTF-8") from None
    if is_path and folder is None:
        beside = {path.name: str(path) for path in Path(name).parent.glob("*.toml")}
        close = difflib.get_close_matches(Path(name).name, beside, 1, 0.6)
        hint = f"; did you mean {beside[close[0]]}?" if close else ""
        raise UsageError(f"there is no preset file '{name}'{hint}")
    resource = files("paipu.data") / "presets" / f"{name}.toml"
    if not is_path and resource.is_file():
        return resource.read_text(encoding="utf-8"), f"{name}.toml", None
    near = _near(name, shipped_presets())
    if not near and folder is None:
        # A file of one's own needs its whole name.
        close = difflib.get_close_matches(name, [path.stem for path in Path().glob("*.toml")], 1, 0.6)
        near = f"; did you mean {close[0]}.toml?" if close else ""
    raise UsageError(f"there is no preset '{name}'{near}; paipu rules list shows them all")


def _near(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {close[0]}?" if close else ""


def _quotes(text: str, problem: str) -> str:
    """A hint where a TOML parser stopped at a word that stands without quotes."""
    place = re.fullmatch(r"Invalid value \(at line (\d+), column (\d+)\)", problem)
    if place is None:
        return ""
    word = text.split("\n")[int(place[1]) - 1][int(place[2]) - 1 :][:1]
    return '; texts need quotes, such as "my_club"' if word.isalpha() else ""


class _PresetText:
    """A preset file, to name the line of a key in an error."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self._lines = text.splitlines()

    def error(self, message: str, key: str = "", table: str = "") -> RulesError:
        current = ""
        number = 0
        for i, line in enumerate(self._lines, 1):
            stripped = line.strip()
            header = re.match(r"\[([^\[\]]+)\]", stripped)
            if header:
                current = header[1].strip()
                if key == current and not table:
                    number = i
            elif current == table and re.match(rf"[\"']?{re.escape(key)}[\"']?\s*[=.]", stripped):
                number = i
                break
            elif table and not current and re.match(rf"{table}\s*[=.].*\b{re.escape(key)}\b", stripped):
                number = i
        place = f"{self.where}, line {number}" if number else self.where
        return RulesError(f"{place}: {message}")


def _build(text: str, where: str, folder: Path | None, chain: tuple[str, ...]) -> Preset:
    source = _PresetText(text, where)
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError(f"{where}: {error}{_quotes(text, str(error))}") from None
    except (ValueError, RecursionError):
        raise RulesError(f"{where}: holds a number or a nesting beyond all measure") from None
    for key in raw:
        if key not in _KEYS:
            raise source.error(f"unknown key '{key}'{_near(key, _KEYS)}", key)
    preset_id = raw.get("id")
    if not isinstance(preset_id, str) or not _ID.fullmatch(preset_id):
        raise source.error("id must be a name of up to 64 small letters, digits and _, such as my_club", "id")
    if preset_id in _RESERVED:
        raise source.error(f"'{preset_id}' stands for the rules each log was played by; give another id", "id")
    for key in ("source", "notes", "extends", "family"):
        if key in raw and not isinstance(raw[key], str):
            raise source.error(f"{key} must be a text", key)
    parent = _parent(raw, source, folder, (*chain, where))
    family = raw.get("family", parent.family if parent else None)
    if family is None:
        raise source.error("a preset names its family, or extends another preset")
    if parent and parent.family != family:
        raise source.error(f"'{parent.id}' is a preset of family {parent.family}, not {family}", "extends")
    if family not in families():
        raise source.error(f"there is no family '{family}'; families are {', '.join(families())}", "family")
    catalogue = load_catalogue(family)
    for table in ("names", "options", "values", "excludes", "payment", "unconfirmed"):
        if not isinstance(raw.get(table, {}), dict):
            raise source.error(f"{table} must be a table: write [{table}] on a line of its own", table)
    names = _names(raw, source, preset_id)
    options = dict(parent.options) if parent else {name: option.default for name, option in catalogue.options.items()}
    for name, value in raw.get("options", {}).items():
        if name not in catalogue.options:
            raise source.error(f"unknown option '{name}'{_near(name, catalogue.options)}", name, "options")
        try:
            options[name] = catalogue.options[name].read(value)
        except ValueError as allowed:
            raise source.error(f"option {name} must be {allowed}, not {value!r}", name, "options") from None
    values = dict(parent.values) if parent else {name: item.value for name, item in catalogue.items.items()}
    known = [*catalogue.items, *catalogue.instead]
    for name, value in raw.get("values", {}).items():
        if name not in known:
            raise source.error(f"unknown item '{name}'{_near(name, known)}", name, "values")
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _LARGEST:
            raise source.error(f"{name} must be a whole number of tai up to {_LARGEST}, not {value!r}", name, "values")
        item = catalogue.items.get(name)
        if item is not None and item.kind == "yakuman" and not 0 <= value <= _MOST_YAKUMAN:
            raise source.error(f"{name} counts in yakuman, 0 to {_MOST_YAKUMAN}, not {value}", name, "values")
        if value < 0 and family in _NOTHING_TAKEN:
            raise source.error(f"{name} must not be negative: no riichi rule takes han away", name, "values")
        values[name] = value
    excludes = dict(parent.excludes) if parent else {}
    for name, removed in raw.get("excludes", {}).items():
        if not isinstance(removed, list):
            raise source.error(f'{name} must list items, such as ["concealed_hand"]', name, "excludes")
        if name in removed:
            raise source.error(f"{name} cannot exclude itself", name, "excludes")
        for item in (name, *removed):
            if not isinstance(item, str) or item not in catalogue.items:
                raise source.error(f"unknown item '{item}'{_near(str(item), catalogue.items)}", name, "excludes")
        excludes[name] = tuple(removed)
    # Points are paid as they are: no base, a unit of one.
    money = {"base": parent.base, "unit": parent.unit} if parent else dict(catalogue.payment)
    for name, value in raw.get("payment", {}).items():
        if name not in _PAYMENT:
            raise source.error(f"unknown key '{name}' in [payment]{_near(name, _PAYMENT)}", name, "payment")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000:
            raise source.error(f"{name} must be a whole number from 0 to 1000000, not {value!r}", name, "payment")
        money[name] = value
    unconfirmed = dict(parent.unconfirmed) if parent else {}
    for name, reason in raw.get("unconfirmed", {}).items():
        if name not in catalogue.options or not isinstance(reason, str):
            raise source.error(f"unconfirmed gives a text for an option, not for '{name}'", name, "unconfirmed")
        unconfirmed[name] = reason
    base, unit = money.get("base"), money.get("unit")
    if base is None or unit is None:
        raise source.error("[payment] must give base and unit")
    for name, option in catalogue.options.items():
        # Where the parent has it on without a value, it pays nothing on purpose.
        if option.pays and options[name] and not (parent and parent.options[name]):
            values.setdefault(name, option.pays)
    values = {name: values[name] for name in known if values.get(name)}
    rules = {
        "scorer": _SCORER_VERSION,
        "catalogue": catalogue.hash,
        "values": values,
        "options": {name: value for name, value in options.items() if catalogue.options[name].kind != "season"},
        "excludes": excludes,
        "payment": [base, unit],
    }
    digest = hashlib.blake2b(msgspec.json.encode(rules, order="sorted"), digest_size=10).hexdigest()
    return Preset(
        id=preset_id,
        names=names,
        family=family,
        source=raw.get("source", parent.source if parent else ""),
        values=values,
        options=options,
        excludes=excludes,
        base=base,
        unit=unit,
        hash=digest,
        extends=raw.get("extends"),
        notes=raw.get("notes", ""),
        unconfirmed=unconfirmed,
    )


def _parent(raw: dict[str, Any], source: _PresetText, folder: Path | None, chain: tuple[str, ...]) -> Preset | None:
    if "extends" not in raw:
        return None
    try:
        text, where, parent_folder = _read(raw["extends"], folder)
    except UsageError as error:
        raise source.error(str(error), "extends") from None
    # One file can be named in many ways; shipped presets have no folder and never lead back here.
    if parent_folder is not None and any(Path(name).resolve() == Path(where).resolve() for name in chain):
        raise source.error(f"extends goes in a circle: {' → '.join((*chain, where))}", "extends")
    return _build(text, where, parent_folder, chain)


def _names(raw: dict[str, Any], source: _PresetText, preset_id: str) -> dict[str, str]:
    given = raw.get("names", {})
    for language, name in given.items():
        if language not in LANGUAGES:
            raise source.error(f"unknown language '{language}' in names; languages are {', '.join(LANGUAGES)}", "names")
        if not isinstance(name, str):
            raise source.error("names must be texts", "names")
    # A club gives one name; it serves in every language until others are added.
    fallback = next(iter(given.values()), preset_id)
    return {language: given.get(language, fallback) for language in LANGUAGES}
