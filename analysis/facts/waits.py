"""Facts of the wait: which tiles would have completed the hand before the winning tile came (SPEC 2.3, A09).

A kind of which the winner holds all four copies is no wait; tiles seen elsewhere do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.facts.registry import Column, Facts, hand_fact
from analysis.readings import FORM_STANDARD, MELDS, Readings, Rows, tile_bits
from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import N_PAIRS_SHIFT, WAIT_PAIR_SHIFT, WAIT_SHANPON_BIT, suit_tables
from ingest.melds import N_CODES

_SUIT_MASK = 511
# Nine tiles, one bit each → one bit every three, to meet octal counts.
_SPREAD: Any = sum(((np.arange(512) >> tile) & 1) << (3 * tile) for tile in range(9))
_OCTAL_ONES = sum(1 << (3 * tile) for tile in range(9))


def _not_exhausted(readings: Readings, rows: Rows, suit: Any, octal: Any, wait: Any) -> Any:
    """The waits (9 bits, one suit) of the given hands without kinds held four times in hand and melds, as octal ones.

    octal: concealed counts of that suit before the win.
    """
    table = meld_tables().octal.reshape(-1)
    for name in MELDS:
        codes = readings.batch.column(name)[rows]
        if not codes.any():
            break
        octal = octal + table[suit * N_CODES + codes]
    return _SPREAD[wait] & ~(octal >> 2) & _OCTAL_ONES


def _has_pair(records: Any) -> Any:
    """Whether suits, given by their records in the tables, hold the pair."""
    return ((suit_tables().first[records] >> N_PAIRS_SHIFT) & 7) != 0


@hand_fact
def _waits_in_suit(facts: Facts) -> Column:
    """Waits as a standard hand in the winning tile's suit, 9 bits."""
    win_id = facts.readings.win_id
    packed = suit_tables().waits[win_id * 9 + facts.readings.win_rank]
    # With the pair in its suit, the winning tile completed sets and a pair there; otherwise sets alone.
    return (packed >> (_has_pair(win_id).view(np.uint8) * np.uint8(WAIT_PAIR_SHIFT))) & np.uint32(_SUIT_MASK)


@hand_fact
def _waits_across(facts: Facts) -> Column:
    """The pair is in another suit and waits too."""
    win_id = facts.readings.win_id
    packed = suit_tables().waits[win_id * 9 + facts.readings.win_rank]
    return ((packed >> np.uint32(WAIT_SHANPON_BIT)) != 0) & ~_has_pair(win_id)


class _Waits:
    """Waits as a standard hand: those of the winning tile's suit, and rows whose pair in another suit waits too."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.in_suit = facts.hand("_waits_in_suit")
        self.cross = facts.hand("_waits_across")

    def live(self, rows: Rows) -> Any:
        """Waits of the winning tile's suit, octal ones."""
        readings = self.facts.readings
        octal = suit_tables().octal[readings.win_id[rows]].astype(np.int64) - (1 << (3 * readings.win_rank[rows]))
        return _not_exhausted(readings, rows, readings.win_suit[rows], octal, self.in_suit[rows])

    def pair_suit(self, rows: Rows) -> Any:
        in_suits = [_has_pair(self.facts.readings.ids[suit][rows]) for suit in range(4)]
        return np.argmax(np.stack(in_suits), axis=0)

    def live_cross(self, rows: Rows) -> tuple[Any, Any]:
        """(suit, waits as octal ones) of the suit that holds the pair, for rows of `cross`."""
        readings = self.facts.readings
        tables = suit_tables()
        suit = self.pair_suit(rows)
        record = readings.ids[suit, rows]
        octal = tables.octal[record].astype(np.int64)
        return suit, _not_exhausted(readings, rows, suit, octal, tables.pair_waits[record])


@hand_fact
def one_wait(facts: Facts) -> Column:
    """Exactly one kind completes the hand as sets and a pair."""
    waits = _Waits(facts)
    number = np.bitwise_count(waits.in_suit)
    rows = np.flatnonzero((number > 1) & (facts.readings.n_melds != 0))
    if len(rows):
        number[rows] = np.bitwise_count(waits.live(rows))
    single = number == 1
    rows = np.flatnonzero(single & waits.cross)
    if len(rows):
        single[rows] = waits.live_cross(rows)[1] == 0
    return single & (facts.readings.first.form == FORM_STANDARD)


def _standard_waits(facts: Facts, rows: Rows) -> Any:
    """Waits of complete standard hands as 34-bit masks."""
    waits = _Waits(facts)

    def place(suit: Any, octal_ones: Any) -> Any:
        out = np.zeros(len(suit), np.int64)
        for tile in range(9):
            out |= ((octal_ones >> (3 * tile)) & 1) << (9 * suit + tile)
        return out

    mask = place(facts.readings.win_suit[rows], waits.live(rows))
    cross = np.flatnonzero(waits.cross[rows])
    if len(cross):
        suit, octal_ones = waits.live_cross(rows[cross])
        mask[cross] |= place(suit, octal_ones)
    return mask


@hand_fact
def one_wait_with_pairs(facts: Facts) -> Column:
    """Exactly one kind completes the hand, as sets and a pair or as seven pairs and a triplet."""
    readings = facts.readings
    single = facts.hand("one_wait").copy()
    rows, odd = readings.concealed_odd
    rows = rows[(odd == 1) | (odd == 3)]
    counts = readings.counts(rows)
    counts[np.arange(len(rows)), readings.win_tile[rows]] -= 1
    n_odd = (counts & 1).sum(1)
    triplets, singles = counts == 3, counts == 1
    n_triplets = triplets.sum(1)
    # Sixteen tiles: eight pairs wait on each pair; a triplet and a single on the single; two triplets on either.
    waits = np.where(
        n_odd == 0,
        tile_bits(counts == 2),
        np.where(
            (n_odd == 2) & (n_triplets == 1),
            tile_bits(singles),
            np.where((n_odd == 2) & (n_triplets == 2), tile_bits(triplets), 0),
        ),
    )
    waits[counts.sum(1) != 16] = 0
    standard = readings.first.form[rows] == FORM_STANDARD
    both = np.flatnonzero(standard)
    if len(both):
        waits[both] |= _standard_waits(facts, rows[both])
    # A hand that only seven pairs complete may still wait on other tiles as a standard hand.
    only = np.flatnonzero(readings.first.form[rows] > FORM_STANDARD)
    for position in only:
        waits[position] |= _waits_by_trial(counts[position])
    known = readings.first.form[rows] != 0
    single[rows[known]] = np.bitwise_count(waits[known]) == 1
    return single


def _waits_by_trial(counts: Any) -> int:
    """Standard waits of sixteen concealed tiles by trying every kind; for the very few hands no table answers."""
    tables = suit_tables()
    power = 5 ** np.arange(9)
    mask = 0
    for kind in range(34):
        if counts[kind] == 4:
            continue
        trial = counts.astype(np.int64)
        trial[kind] += 1
        ids = [int(tables.suit_id[int(trial[9 * suit : 9 * suit + 9] @ power)]) for suit in range(3)]
        ids.append(int(tables.honor_id[int(trial[27:] @ power[:7])]))
        shape = sum(int(tables.first[record]) for record in ids) >> 48
        if 0 not in ids[:3] and ids[3] and shape & 63 == 5 | 8:
            mask |= 1 << kind
    return mask
