"""Facts of the wait: which tiles would have completed the hand before the winning tile came (SPEC 2.3, A09).

A kind of which the winner holds all four copies is no wait; tiles seen elsewhere do not matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.facts.registry import Column, Facts, hand_fact
from analysis.readings import FORM_NONE, FORM_STANDARD, MELDS, Readings, Rows, tile_bits
from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import N_PAIRS_SHIFT, WAIT_ELSEWHERE_BIT, suit_tables
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


@hand_fact
def _waits(facts: Facts) -> Column:
    """Waits as a standard hand: 9 bits of the winning tile's suit, bit 9 if the pair in another suit waits too."""
    return suit_tables().waits[facts.readings.win_id * 9 + facts.readings.win_rank]


def _live_in_suit(facts: Facts, rows: Rows) -> Any:
    """Waits of the winning tile's suit, octal ones."""
    readings = facts.readings
    octal = suit_tables().octal[readings.win_id[rows]].astype(np.int64) - (1 << (3 * readings.win_rank[rows]))
    return _not_exhausted(readings, rows, readings.win_suit[rows], octal, facts.hand("_waits")[rows] & _SUIT_MASK)


def _live_elsewhere(facts: Facts, rows: Rows) -> Any:
    """Waits of the suit that holds the pair, octal ones; for standard hands whose winning tile is in another suit."""
    readings = facts.readings
    tables = suit_tables()
    _, in_pin, in_sou, in_honors = ((suit[rows] >> N_PAIRS_SHIFT) & 7 for suit in readings.first.suits)
    suit = in_pin + 2 * in_sou + 3 * in_honors
    record = readings.ids[suit, rows]
    return _not_exhausted(readings, rows, suit, tables.octal[record].astype(np.int64), tables.pair_waits[record])


@hand_fact
def one_wait(facts: Facts) -> Column:
    """Exactly one kind completes the hand as sets and a pair."""
    waits = facts.hand("_waits")
    number = np.bitwise_count(waits & np.uint16(_SUIT_MASK))
    rows = np.flatnonzero((number > 1) & (facts.readings.n_melds != 0))
    # Only melds of the suit can hold the missing copies.
    rows = rows[facts.readings.melds_of_suit(rows, facts.readings.win_suit[rows]) != 0]
    if len(rows):
        number[rows] = np.bitwise_count(_live_in_suit(facts, rows))
    single = (number == 1) & (facts.readings.first.form == FORM_STANDARD)
    rows = np.flatnonzero(single & (waits >> np.uint16(WAIT_ELSEWHERE_BIT) != 0))
    if len(rows):
        single[rows] = _live_elsewhere(facts, rows) == 0
    return single


@hand_fact
def one_wait_with_pairs(facts: Facts) -> Column:
    """Exactly one kind completes the hand, as sets and a pair or as seven pairs and a triplet."""
    readings = facts.readings
    single = facts.hand("one_wait").copy()
    rows, odd = readings.concealed_odd
    # A standard hand with several waits keeps them, and with one wait it waits on the winning tile.
    form = readings.first.form[rows]
    open_question = ((odd == 1) | (odd == 3)) & np.where(form == FORM_STANDARD, single[rows], form != FORM_NONE)
    rows = rows[open_question]
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
    waits[standard] |= 1 << readings.win_tile[rows[standard]].astype(np.int64)
    # A hand that only seven pairs complete may still wait on other tiles as a standard hand.
    for position in np.flatnonzero(~standard):
        waits[position] |= _waits_by_trial(counts[position])
    single[rows] = np.bitwise_count(waits) == 1
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
