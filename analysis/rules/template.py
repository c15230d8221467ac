"""The text of a new preset file, to be edited by a club."""

from __future__ import annotations

import re

from analysis.rules.preset import Preset


def new_preset(name: str, parent: Preset) -> str:
    """A preset called `name` that extends `parent` and changes nothing yet; every rule stands in it as a comment."""
    catalogue = parent.catalogue()
    preset_id = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")
    if not re.match(r"[a-z]", preset_id):
        preset_id = f"club_{preset_id}".rstrip("_")
    lines = [
        f'id = "{preset_id}"',
        f'names = {{ zh-TW = "{name}", zh-CN = "{name}", en = "{name}" }}',
        'source = "house rules"',
        f'extends = "{parent.id}"',
        "",
        "# Take the # away in front of what your table does otherwise.",
        "",
        "[options]",
    ]
    for option in catalogue.options.values():
        value = parent.options[option.name]
        lines += [f"# {option.text}", f"# {option.name} = {_toml(value)}"]
    lines += ["", "[values]"]
    for item in (*catalogue.items, *catalogue.instead):
        lines.append(f"# {item} = {parent.values.get(item, 0)}  # {catalogue.name(item, 'zh-TW')}")
    lines += ["", "[payment]", f"# base = {parent.base}", f"# unit = {parent.unit}", ""]
    return "\n".join(lines)


def _toml(value: object) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else f'"{value}"'
