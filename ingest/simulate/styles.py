"""Who plays: styles of play, and the roster of made-up players that carry them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Style:
    """What a bot likes. Shanten limits are counted after the move in question: 0 is ready, 9 means always.

    open_at: opens a concealed hand for speed when the claim brings it this near.
    value_calls: pungs dragons and own winds even when that is no faster.
    flush_from, flush_cost: tiles of one suit and honours (of 17) from which it plays for a flush (18 = never), if that
        is no more than flush_cost further from ready.
    pungs_from: pairs and triplets from which it plays for all pungs; 9 = never.
    kongs: takes kongs that do not slow the hand.
    fold_from: gives up against a dangerous opponent when its own hand is this far or further; 9 = never.
    ready_rate: share of ready hands it declares, if at least ready_tiles winning tiles are unseen.
    ready_with_calls: declares with claimed melds too. show_rate: share of declarations with the tiles shown.
    """

    name: str
    open_at: int
    value_calls: bool
    flush_from: int
    pungs_from: int
    kongs: bool
    fold_from: int
    ready_rate: float
    ready_tiles: int
    ready_with_calls: bool = False
    show_rate: float = 0.0
    flush_cost: int = 1


FAST: Final = Style(
    name="fast",
    open_at=9,
    value_calls=True,
    flush_from=18,
    pungs_from=9,
    kongs=True,
    fold_from=4,
    ready_rate=0.1,
    ready_tiles=3,
    ready_with_calls=True,
)
FLUSH: Final = Style(
    name="flush",
    open_at=2,
    value_calls=True,
    flush_from=10,
    flush_cost=2,
    pungs_from=7,
    kongs=True,
    fold_from=3,
    ready_rate=0.25,
    ready_tiles=4,
    show_rate=0.25,
)
PUNGS: Final = Style(
    name="pungs",
    open_at=3,
    value_calls=True,
    flush_from=14,
    pungs_from=5,
    kongs=True,
    fold_from=2,
    ready_rate=0.15,
    ready_tiles=3,
    ready_with_calls=True,
)
CONCEALED: Final = Style(
    name="concealed",
    open_at=0,
    value_calls=False,
    flush_from=15,
    pungs_from=9,
    kongs=True,
    fold_from=1,
    ready_rate=0.7,
    ready_tiles=3,
    show_rate=0.1,
)
STYLES: Final = (FAST, FLUSH, PUNGS, CONCEALED)


@dataclass(frozen=True, kw_only=True)
class Player:
    """A simulated player. slip: share of discards chosen carelessly; watchful: counts the tiles on the table."""

    name: str
    style: Style
    slip: float = 0.0
    watchful: bool = True


_NAMES: Final = (
    *("Ann", "Bao", "Cai", "Dee", "Eli", "Fay", "Gus", "Hua", "Ivo", "Jun", "Kit", "Lin", "Mei"),
    *("Ned", "Ona", "Pei", "Quy", "Rex", "Sue", "Tao", "Uma", "Vic", "Wen", "Xia", "Yan", "Zoe"),
)


def roster(n: int) -> tuple[Player, ...]:
    """The first n players of the standing roster; a player is the same in every season.

    Each style comes once with a careful and once with a careless player per eight, so that a season holds
    differences of style and of skill.
    """
    players = []
    for i in range(n):
        name = f"Sim {_NAMES[i % len(_NAMES)]}" + (f" {i // len(_NAMES) + 1}" if i >= len(_NAMES) else "")
        careless = i // 4 % 2 == 1
        style = STYLES[i % 4]
        players.append(Player(name=name, style=style, slip=0.3 if careless else 0.02, watchful=not careless))
    return tuple(players)
