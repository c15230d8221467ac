"""The list of facts and the object that computes them for a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.batch import HandBatch
from analysis.readings import Block, Readings

Column = npt.NDArray[Any]


class Fact(NamedTuple):
    name: str
    text: str
    of_reading: bool
    compute: Callable[..., Column]


FACTS: dict[str, Fact] = {}


def hand_fact(compute: Callable[[Facts], Column]) -> Callable[[Facts], Column]:
    """Registers a fact of the hand: a function of the Facts, one value a hand."""
    name = compute.__name__
    FACTS[name] = Fact(name, (compute.__doc__ or "").strip(), False, compute)
    return compute


def reading_fact(compute: Callable[[Facts, Block], Column]) -> Callable[[Facts, Block], Column]:
    """Registers a fact of a reading: a function of the Facts and a block of readings, one value a reading."""
    name = compute.__name__
    FACTS[name] = Fact(name, (compute.__doc__ or "").strip(), True, compute)
    return compute


class Facts:
    """The facts of one batch.

    `facts[name]` is a column over readings: the first reading of each hand, then the others.
    """

    def __init__(self, batch: HandBatch, readings: Readings) -> None:
        self.batch = batch
        self.readings = readings
        self._hand: dict[str, Column] = {}
        self._reading: dict[str, Column] = {}

    def hand(self, name: str) -> Column:
        """A hand fact, one value a hand."""
        if name not in self._hand:
            self._hand[name] = FACTS[name].compute(self)
        return self._hand[name]

    def of_block(self, name: str, block: Block) -> Column:
        """A fact, one value a reading of the block."""
        if FACTS[name].of_reading:
            column = self[name]
            return column[: self.batch.n] if block.hand is None else column[self.batch.n :]
        return block.spread(self.hand(name))

    def __getitem__(self, name: str) -> Column:
        if name not in self._reading:
            fact = FACTS[name]
            if fact.of_reading:
                columns = [fact.compute(self, block) for block in self.readings.blocks]
            else:
                columns = [self.of_block(name, block) for block in self.readings.blocks]
            self._reading[name] = columns[0] if len(columns) == 1 else np.concatenate(columns)
        return self._reading[name]
