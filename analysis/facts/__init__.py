"""Facts: what is true of a hand before any rule looks at it. Patterns (data/patterns) are conditions over these names.

A *reading* is one way to see a win: a decomposition together with the part that the winning tile completes (SPEC 2.2).
A hand fact is the same in all readings of a hand, a reading fact is not. Facts are computed when first asked for.
"""

from __future__ import annotations

from analysis.facts.registry import FACTS, Fact, Facts

__all__ = ["FACTS", "Fact", "Facts"]

from analysis.facts import riichi, shape, situation, waits  # noqa: F401 - each module registers its facts
