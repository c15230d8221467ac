"""The log formats paipu reads. A new one: a module beside this file, a line in FORMATS, a table in support.toml."""

from __future__ import annotations

import difflib
import importlib
from typing import Final

from ingest.errors import UsageError
from ingest.formats.base import Format

FORMATS: Final[dict[str, str]] = {
    "paipu": "ingest.formats.paipu_jsonl",
    "omu": "ingest.formats.omu",
    "tenhou_mjlog": "ingest.formats.tenhou_mjlog",
    "mahjong16": "ingest.formats.mahjong16",
    "mjai": "ingest.formats.mjai",
    "majiang": "ingest.formats.majiang",
    "tenhou_scores": "ingest.formats.tenhou_scores",
    "tenhou_client": "ingest.formats.tenhou_client",
    "tenhou_json": "ingest.formats.tenhou_json",
    "mahjong_soul": "ingest.formats.mahjong_soul",
    "riichi_city": "ingest.formats.riichi_city",
}
"""Name -> module with its `FORMAT`, imported when first needed. Content is offered to them in this order."""


def load(name: str) -> Format:
    """The format of this name. Raises UsageError."""
    if name not in FORMATS:
        close = difflib.get_close_matches(name, FORMATS, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"the formats are {', '.join(FORMATS)}"
        raise UsageError(f"there is no format '{name}'; {hint}")
    found = importlib.import_module(FORMATS[name]).FORMAT
    assert isinstance(found, Format)
    return found


def recognise(head: bytes) -> Format | None:
    """The format whose content begins like this, None when no format knows it."""
    return next((found for name in FORMATS if (found := load(name)).sniff(head)), None)
