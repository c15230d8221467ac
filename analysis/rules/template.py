"""The text of a new preset file, to be edited by a club."""

from __future__ import annotations

import re
from typing import Final

from analysis.rules.catalogue import as_toml
from analysis.rules.preset import Preset

_HOW: Final = {
    "zh-TW": "與你們的打法不同的，拿掉前面的 # 再修改。",
    "zh-CN": "与你们的打法不同的，去掉前面的 # 再修改。",
    "en": "Take the # away in front of what your table does otherwise.",
}


def preset_id(name: str) -> str:
    """An id made of a name: small letters, digits and _, beginning with a letter."""
    made = re.sub(r"[^a-z0-9_]+", "_", name.lower()).strip("_")[:50].rstrip("_")
    return made if re.match(r"[a-z]", made) else f"club_{made}".rstrip("_")


def new_preset(name: str, parent: Preset, *, extends: str, lang: str = "zh-TW") -> str:
    """A preset called `name` that extends `parent` and changes nothing yet; every rule stands in it as a comment.

    extends: how the file names the parent, an id or a path. lang: of the comments.
    """
    catalogue = parent.catalogue()
    shown = as_toml(name)
    lines = [
        f'id = "{preset_id(name)}"',
        f"names = {{ zh-TW = {shown}, zh-CN = {shown}, en = {shown} }}",
        'source = "house rules"',
        f"extends = {as_toml(extends)}",
        "",
        f"# {_HOW[lang]}",
        "",
        "[options]",
    ]
    for option in catalogue.options.values():
        value = parent.options[option.name]
        lines += [f"# {option.texts[lang]}", f"# {option.name} = {as_toml(value)}"]
    lines += ["", "[values]"]
    for item in (*catalogue.items, *catalogue.instead):
        lines.append(f"# {item} = {parent.values.get(item, 0)}  # {catalogue.name(item, lang)}")
    lines += ["", "[payment]", f"# base = {parent.base}", f"# unit = {parent.unit}", ""]
    return "\n".join(lines)
