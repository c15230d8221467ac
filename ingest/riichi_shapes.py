"""Waits of a riichi hand. Exact, memoised per suit; for the checks of the replay (the scorer has its own)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingest.hand_checks import wait_kinds

TERMINALS_AND_HONORS: Final = (0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33)


def waits(counts: Sequence[int], melds: Sequence[int]) -> list[int]:
    """Kinds that complete a hand of 13 tiles (3 less a meld): four sets and a pair, seven pairs or thirteen orphans.

    counts: concealed tiles of the 34 kinds; melds: meld codes. A kind of which the hand holds four is no wait.
    Whether the hand has a yaku is left to the scorer.
    """
    found = wait_kinds(counts, melds)
    if melds:
        return found
    if counts.count(2) == 6:
        single = counts.index(1) if 1 in counts else -1
        if single >= 0 and single not in found:
            found.append(single)
        return found
    orphans = [counts[kind] for kind in TERMINALS_AND_HONORS]
    if sum(orphans) == 13:
        missing = orphans.count(0)
        if missing == 0:
            return list(TERMINALS_AND_HONORS)
        if missing == 1:
            return [TERMINALS_AND_HONORS[orphans.index(0)]]
    return found
