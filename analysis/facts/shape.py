"""Facts of the shape: sets, suits, honours, terminals."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.facts.registry import Column, Facts, hand_fact, reading_fact
from analysis.readings import FORM_EIGHT_PAIRS, FORM_NONE, FORM_STANDARD, KEYS, MELDS, Block, Rows
from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import PAIR_SHIFT, ROLE_CLOSED, ROLE_EDGE, ROLE_PAIR, ROLE_PUNG

_U8 = np.uint8
_SEVEN = np.uint8(7)
_WIND_PUNGS = np.bitwise_count(np.arange(128, dtype=np.uint8) & _U8(15))
_DRAGON_PUNGS = np.bitwise_count(np.arange(128, dtype=np.uint8) >> _U8(4))
_CHOW_STARTS = sum(1 << (3 * i) for i in range(21))


@reading_fact
def complete(_facts: Facts, block: Block) -> Column:
    """The tiles are a complete hand in this reading."""
    return block.form != FORM_NONE


@reading_fact
def standard_form(_facts: Facts, block: Block) -> Column:
    """Sets and a pair."""
    return block.form == FORM_STANDARD


@reading_fact
def eight_pairs_form(_facts: Facts, block: Block) -> Column:
    """Seven pairs and a triplet (嚦咕嚦咕)."""
    return block.form == FORM_EIGHT_PAIRS


@reading_fact
def n_pungs(facts: Facts, block: Block) -> Column:
    """Pungs and kongs of the whole hand."""
    melded = facts.of_block("melded_pungs", block)
    return (block.pungs_inner & _SEVEN) + melded


@reading_fact
def concealed_pungs(facts: Facts, block: Block) -> Column:
    """Concealed kongs, and pungs in the hand that no tile of another player completed (SPEC 2.3)."""
    completed = (block.role == ROLE_PUNG) & ~facts.of_block("self_drawn", block) & (block.form == FORM_STANDARD)
    triplet = block.form == FORM_EIGHT_PAIRS
    held = np.where(triplet, _U8(1), block.pungs_inner & _SEVEN) if triplet.any() else block.pungs_inner & _SEVEN
    return held + facts.of_block("concealed_kongs", block) - completed.view(_U8)


@reading_fact
def all_chows(facts: Facts, block: Block) -> Column:
    """Every set is a chow."""
    return (facts.of_block("n_pungs", block) == 0) & (block.form == FORM_STANDARD)


@reading_fact
def no_chows(facts: Facts, block: Block) -> Column:
    """Every set is a pung or kong."""
    return (facts.of_block("n_pungs", block) == facts.readings.sets) & (block.form == FORM_STANDARD)


@reading_fact
def outside(facts: Facts, block: Block) -> Column:
    """Every set and the pair hold a terminal or an honour."""
    inner = (block.pungs_inner >> _U8(3)) + facts.of_block("melded_inner", block)
    return (inner == 0) & (block.form == FORM_STANDARD)


@reading_fact
def shape_wait(facts: Facts, block: Block) -> Column:
    """The winning tile completes an edge, closed or pair wait in this reading."""
    assert facts.readings.wait_shapes, "readings were made without wait shapes"
    waits: Column = ((block.role & _U8(ROLE_EDGE | ROLE_CLOSED | ROLE_PAIR)) != 0) & (block.form == FORM_STANDARD)
    pairs = np.flatnonzero(block.form == FORM_EIGHT_PAIRS)
    if len(pairs):
        hands = block.hands(pairs)
        counts = facts.readings.counts(hands)[np.arange(len(hands)), facts.readings.win_tile[hands]]
        waits[pairs] = counts != 3
    return waits


@reading_fact
def chow_starts(facts: Facts, block: Block) -> Column:
    """Which chows are there, melds included: bit 21*suit + 3*(lowest number - 1)."""
    counts = block.chow_counts(0)
    for suit in (1, 2):
        counts |= block.chow_counts(suit) << (21 * suit)
    starts = (counts | counts >> 1 | counts >> 2) & _CHOW_STARTS
    starts |= facts.of_block("_melded_chows", block)
    starts *= block.form == FORM_STANDARD
    return starts


@reading_fact
def one_suit_straight(facts: Facts, block: Block) -> Column:
    """Chows 123, 456 and 789 of one suit."""
    starts = facts.of_block("chow_starts", block)
    return (starts & (starts >> 9) & (starts >> 18) & (1 | 1 << 21 | 1 << 42)) != 0


@reading_fact
def same_chow_three_suits(facts: Facts, block: Block) -> Column:
    """The same chow in three suits."""
    starts = facts.of_block("chow_starts", block)
    return (starts & (starts >> 21) & (starts >> 42)) != 0


def pung_kinds(facts: Facts, block: Block, rows: Rows) -> Any:
    """Pungs and kongs of the three suits in the given readings, melds included: bit = kind."""
    kinds = block.suits[0][rows] & 511
    for suit in (1, 2):
        kinds |= (block.suits[suit][rows] & 511) << (9 * suit)
    hands = block.hands(rows)
    for name in MELDS:
        kinds |= meld_tables().pungs[facts.batch.column(name)[hands]]
    return kinds


@reading_fact
def same_pung_three_suits(facts: Facts, block: Block) -> Column:
    """The same pung or kong in three suits."""
    found = np.zeros(block.n, bool)
    rows = np.flatnonzero(
        (facts.of_block("n_pungs", block) >= 3) & (facts.of_block("suits", block) == 3) & (block.form == FORM_STANDARD)
    )
    pungs = pung_kinds(facts, block, rows)
    found[rows] = (pungs & (pungs >> 9) & (pungs >> 18) & 511) != 0
    return found


@reading_fact
def honor_pungs(facts: Facts, block: Block) -> Column:
    """Honour pungs, bit 0-6 = E S W N C F P; in seven pairs and a triplet the triplet."""
    held = block.suits[3].astype(_U8) & _U8(127)
    pungs: Column = held | block.spread(facts.readings.meld_byte(5))
    triplets = np.flatnonzero(block.form == FORM_EIGHT_PAIRS)
    if len(triplets):
        honors = facts.readings.counts(block.hands(triplets))[:, 27:] == 3
        pungs[triplets] = (honors << np.arange(7)).sum(1)
    return pungs


@reading_fact
def honor_pair(_facts: Facts, block: Block) -> Column:
    """The pair, 1-7 = E S W N C F P, 0 if it is not an honour."""
    pair: Column = (block.suits[3] >> PAIR_SHIFT).astype(_U8) & _U8(15)
    pair[block.form != FORM_STANDARD] = 0
    return pair


@reading_fact
def wind_pungs(facts: Facts, block: Block) -> Column:
    """Number of wind pungs."""
    return _WIND_PUNGS[facts.of_block("honor_pungs", block)]


@reading_fact
def dragon_pungs(facts: Facts, block: Block) -> Column:
    """Number of dragon pungs."""
    return _DRAGON_PUNGS[facts.of_block("honor_pungs", block)]


@reading_fact
def wind_pair(facts: Facts, block: Block) -> Column:
    """The pair is a wind."""
    pair = facts.of_block("honor_pair", block)
    return (pair > 0) & (pair < 5)


@reading_fact
def dragon_pair(facts: Facts, block: Block) -> Column:
    """The pair is a dragon."""
    return facts.of_block("honor_pair", block) >= 5


@hand_fact
def melded_pungs(facts: Facts) -> Column:
    """Pungs and kongs among the melds, concealed kongs included."""
    return facts.readings.meld_byte(1) & _SEVEN


@hand_fact
def concealed_kongs(facts: Facts) -> Column:
    """Concealed kongs."""
    return facts.readings.meld_byte(1) >> _U8(3)


@hand_fact
def exposed_kongs(facts: Facts) -> Column:
    """Open and added kongs."""
    return facts.readings.meld_byte(2) & _SEVEN


@hand_fact
def melded_inner(facts: Facts) -> Column:
    """Melds without a terminal or honour."""
    return facts.readings.meld_byte(2) >> _U8(3)


@hand_fact
def exposed_melds(facts: Facts) -> Column:
    """Exposed melds: chows, pungs, open and added kongs."""
    return facts.readings.melds_exposed >> _U8(3)


@hand_fact
def concealed(facts: Facts) -> Column:
    """No exposed meld; concealed kongs are allowed (SPEC 2.3)."""
    return facts.hand("exposed_melds") == 0


@hand_fact
def all_exposed(facts: Facts) -> Column:
    """Every set is an exposed meld (全求, SPEC 2.3)."""
    return facts.hand("exposed_melds") == facts.readings.sets


@hand_fact
def _melded_chows(facts: Facts) -> Column:
    table = meld_tables().chows
    total = table[facts.batch.column("m0")]
    for name in MELDS[1:]:
        codes = facts.batch.column(name)
        rows = np.flatnonzero(codes != 0)
        if len(rows) == 0:
            break
        total[rows] |= table[codes[rows]]
    return total


@hand_fact
def suits(facts: Facts) -> Column:
    """How many of the three suits are there."""
    three, four = facts.readings.meld_byte(3), facts.readings.meld_byte(4)
    man = (facts.batch.column(KEYS[0]) != 0) | ((three & _SEVEN) != 0)
    pin = (facts.batch.column(KEYS[1]) != 0) | (three > 7)
    sou = (facts.batch.column(KEYS[2]) != 0) | ((four & _SEVEN) != 0)
    return man.view(_U8) + pin.view(_U8) + sou.view(_U8)


@hand_fact
def honors(facts: Facts) -> Column:
    """There are honour tiles."""
    return (facts.batch.column(KEYS[3]) != 0) | (facts.readings.meld_byte(4) > 7)


def _tile_class(facts: Facts, *, terminal: bool) -> Column:
    """Whether terminals (or simples) are there. Needs the tiles themselves where the suits have no decomposition."""
    held = (facts.readings.first.shape_byte(4) >> _U8(2 if terminal else 5)) & _SEVEN
    melds = facts.readings.meld_byte(6)
    melded = (melds & _SEVEN if terminal else melds >> _U8(3)) != 0
    found: Column = (held != 0) | melded
    rows = np.flatnonzero(facts.readings.first.form != FORM_STANDARD)
    if len(rows):
        counts = facts.readings.counts(rows)[:, :27].reshape(-1, 3, 9)
        kinds = counts[:, :, [0, 8]] if terminal else counts[:, :, 1:8]
        found[rows] = kinds.any((1, 2)) | melded[rows]
    return found


@hand_fact
def terminals(facts: Facts) -> Column:
    """There are ones or nines."""
    return _tile_class(facts, terminal=True)


@hand_fact
def simples(facts: Facts) -> Column:
    """There are tiles from two to eight."""
    return _tile_class(facts, terminal=False)
