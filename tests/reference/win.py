"""A wins-only record (SPEC 1), parsed once for all presets."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.reference.rules import Rules
from tests.reference.splits import Reading, parse_tiles, readings, wait_kinds

WINDS = "ESWN"
FLOWER_WINS = {"eight_flowers": "eight_immortals", "seven_robs_one": "seven_robs_one"}


@dataclass(frozen=True)
class Meld:
    """An exposed set or a concealed kong; `kind` of a chow is its lowest tile."""

    name: str  # chow, pung, kong_open, kong_added, kong_concealed
    kind: int
    tiles: tuple[int, ...]


class Win:
    """A record, parsed once; the readings and waits are shared by all presets."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.dealer = int(record["dealer"])
        self.streak = int(record.get("streak") or 0)
        door = record.get("door")
        self.door = self.dealer if door is None else int(door)
        self.round = WINDS.index(record["round"])
        self.winner = int(record["winner"])
        self.how = str(record["win"])
        self.payer: int | None = record.get("from")
        self.hand = parse_tiles(record.get("hand") or "")
        win_tile = parse_tiles(record.get("win_tile") or "")
        self.win_tile: int | None = win_tile[0] if win_tile else None
        self.melds = [self._meld(text) for text in record.get("melds") or []]
        self.flowers = [int(flower) for flower in record.get("flowers") or []]
        self.flags: dict[str, Any] = dict(record.get("flags") or {})
        self.eye_players = [int(seat) for seat in record.get("eye_players") or []]
        self.liable: int | None = record.get("liable")

    @staticmethod
    def _meld(text: str) -> Meld:
        name, _, tiles = text.partition(":")
        kinds = sorted(parse_tiles(tiles))
        return Meld(name, kinds[0], tuple(kinds))

    def flag(self, name: str) -> bool:
        return bool(self.flags.get(name))

    @property
    def is_flower_win(self) -> bool:
        return self.how in FLOWER_WINS

    @property
    def self_drawn(self) -> bool:
        """Drawn by the winner. The tile that completes a hand at a flower win replaced a flower (SPEC 2.7, A22)."""
        return self.how == "self_draw" or self.is_flower_win

    @property
    def from_other(self) -> bool:
        return self.how in {"discard", "rob_kong"}

    @property
    def concealed(self) -> bool:
        return all(meld.name == "kong_concealed" for meld in self.melds)

    @property
    def all_melded(self) -> bool:
        return len(self.melds) == 5 and all(meld.name != "kong_concealed" for meld in self.melds)

    @cached_property
    def meld_tiles(self) -> list[int]:
        return [kind for meld in self.melds for kind in meld.tiles]

    @cached_property
    def all_tiles(self) -> list[int]:
        won = [] if self.win_tile is None else [self.win_tile]
        return [*self.hand, *won, *self.meld_tiles]

    @cached_property
    def readings(self) -> list[Reading]:
        if self.win_tile is None or len(self.hand) + 1 != 17 - 3 * len(self.melds):
            return []
        return readings([*self.hand, self.win_tile], self.win_tile)

    @cached_property
    def _waits(self) -> tuple[set[int], set[int]]:
        return wait_kinds(self.hand, [*self.hand, *self.meld_tiles])

    def waits(self, rules: Rules) -> set[int]:
        standard, eight_pairs = self._waits
        return standard | eight_pairs if rules.eight_pairs_half else standard

    def seat_wind(self, rules: Rules) -> int:
        """0..3 for E, S, W, N (A05)."""
        reference = self.door if rules.seat_wind_ref == "door" else self.dealer
        return (self.winner - reference) % 4
