"""One winning hand as a person types it: `35m22s789s678p +4m chow:123m pung:444p f3`."""

from __future__ import annotations

from typing import Any

from ingest.errors import UsageError
from ingest.tiles import FIRST_FLOWER, format_tiles, parse_tiles


def parse_hand_text(text: str, *, win_tile: bool = True) -> dict[str, Any]:
    """The keys hand, win_tile, melds and flowers of a wins-only record.

    Parts are separated by blanks: concealed tiles without the winning one, `+tile` the winning tile, melds as
    `chow:123m`, flowers `f1` to `f8` anywhere. win_tile: False for a flower win, which needs none; it is None then.
    Raises UsageError, RecordError for a tile that does not exist.
    """
    concealed: list[int] = []
    melds: list[str] = []
    won: list[int] = []
    for part in text.split():
        if ":" in part:
            melds.append(part)
        elif part.startswith("+"):
            won += parse_tiles(part[1:])
        else:
            concealed += parse_tiles(part)
    if len(won) > 1 or (win_tile and not won):
        raise UsageError(f"the hand '{text}' needs one winning tile, written with a plus: +4m")
    return {
        "hand": format_tiles(kind for kind in concealed if kind < FIRST_FLOWER),
        "win_tile": format_tiles(won) if won else None,
        "melds": melds,
        "flowers": [kind - FIRST_FLOWER + 1 for kind in concealed if kind >= FIRST_FLOWER],
    }
