"""One winning hand as a person types it: `35m22s789s678p +4m chow:123m pung:444p f3`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ingest.errors import UsageError
from ingest.record import Row
from ingest.riichi_record import parse_riichi_record
from ingest.tiles import FIRST_FLOWER, format_tiles, parse_tiles

_RIICHI_MELDS: Final = {
    "chow": "chi",
    "pung": "pon",
    "kong_open": "daiminkan",
    "kong_added": "kakan",
    "kong_concealed": "ankan",
}
_RIICHI_WINS: Final = {"discard": "ron", "ron": "ron", "self_draw": "tsumo", "tsumo": "tsumo"}


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
    if not any(kind < FIRST_FLOWER for kind in concealed):
        raise UsageError(f"the hand '{text}' has no concealed tiles; write them too, as 35m22s789s678p")
    return {
        "hand": format_tiles(kind for kind in concealed if kind < FIRST_FLOWER),
        "win_tile": format_tiles(won) if won else None,
        "melds": melds,
        "flowers": [kind - FIRST_FLOWER + 1 for kind in concealed if kind >= FIRST_FLOWER],
    }


def parse_riichi_hand_text(
    text: str, *, win: str, seat: str, round_wind: str, honba: int, flags: Mapping[str, Any]
) -> Row:
    """Columns of `wins` of a riichi hand; the text as for parse_hand_text, 0 a red five.

    win: ron or tsumo. seat, round_wind: E, S, W or N; the dealer is E. flags: of ingest.riichi_record. Raises
    UsageError, RecordError.
    """
    if win not in _RIICHI_WINS:
        raise UsageError(f"'{win}' is not a way to win in riichi; use ron or tsumo")
    melds = [meld.partition(":") for meld in parse_hand_text(text)["melds"]]
    # Tiles as they were typed, since parsing forgets which fives are red.
    typed = [part for part in text.split() if ":" not in part]
    record = {
        "hand": "".join(part for part in typed if not part.startswith("+")),
        "win_tile": next(part[1:] for part in typed if part.startswith("+")),
        "melds": [f"{_RIICHI_MELDS.get(name, name)}:{tiles}" for name, _, tiles in melds],
        "win": _RIICHI_WINS[win],
        "round": round_wind,
        "seat": seat,
        "flags": {
            name: int(value) if value is True else value.replace(",", "") if isinstance(value, str) else value
            for name, value in flags.items()
        },
    }
    row = parse_riichi_record(record)
    return row | {"streak": honba, "dealer_wins": None if honba else row["dealer_wins"]}
