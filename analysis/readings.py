"""Hands → readings: each decomposition of a hand with each part the winning tile can complete (SPEC 2.2).

The first block holds one reading of each hand, in order, even of a hand that is not complete; the second block holds
the other readings, sorted by hand. Few hands have more than one, so the first block is where the time goes.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analysis.batch import HandBatch
from analysis.shapes.meld_tables import meld_tables
from analysis.shapes.tables import CHOW_BITS, CHOW_SHIFT, ROLE_PUNG, suit_tables
from ingest.tiles import N_KINDS

U8 = npt.NDArray[np.uint8]
I64 = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]

KEYS: Final = ("km", "kp", "ks", "kh")
MELDS: Final = ("m0", "m1", "m2", "m3", "m4")

FORM_NONE, FORM_STANDARD, FORM_EIGHT_PAIRS, FORM_SEVEN_PAIRS, FORM_ORPHANS, FORM_UNCONNECTED = 0, 1, 2, 3, 4, 5
_ORPHANS: Final = np.array([0, 8, 9, 17, 18, 26, 27, 28, 29, 30, 31, 32, 33])

_SUIT_OF: Final = np.minimum(np.arange(N_KINDS) // 9, 3)
_RANK_OF: Final = np.arange(N_KINDS) - 9 * _SUIT_OF
_MELDS_OF_SUIT_SHIFT: Final = np.array([24, 27, 32, 35])
"""Where the packed meld counters (analysis/shapes/meld_tables.py) hold them."""
_LOWEST_BIT: Final = (np.arange(32) & -np.arange(32)).astype(np.uint8)


class Block:
    """Readings side by side. `hand` is None in the first block: reading i belongs to hand i."""

    def __init__(self, hand: Rows | None, suits: tuple[I64, I64, I64, I64], role: U8, form: U8) -> None:
        self.hand = hand
        self.suits = suits
        self.role = role
        self.form = form
        self.n = len(role)
        man, pin, sou, honors = suits
        total = man + pin
        total += sou
        total += honors
        self._bytes = total.view(np.uint8).reshape(-1, 8)

    def shape_byte(self, byte: int) -> U8:
        """A byte of the summed decompositions (analysis/shapes/tables.py).

        4: terminals and simples, 6: sets and pairs, 7: pungs and inner.
        """
        column: U8 = np.ascontiguousarray(self._bytes[:, byte])
        return column

    @cached_property
    def pungs_inner(self) -> U8:
        return self.shape_byte(7)

    def hands(self, rows: Rows) -> Rows:
        """The hands of the given readings."""
        return rows if self.hand is None else self.hand[rows]

    def spread(self, column: Any) -> Any:
        """A column over hands as one over the readings."""
        return column if self.hand is None else column[self.hand]

    def chow_counts(self, suit: int) -> I64:
        """Concealed chows of a suit by their lowest tile, 3 bits each."""
        return (self.suits[suit] >> CHOW_SHIFT) & CHOW_BITS


@lru_cache(maxsize=1)
def _odd_digits() -> tuple[U8, U8]:
    """Number of odd decimal digits of 0..44444 and of 0..4444."""
    value = np.arange(44445)
    odd = np.zeros(44445, np.uint8)
    for j in range(5):
        odd += ((value // 10**j) % 2).astype(np.uint8)
    return odd, odd[:4445].copy()


class Readings:
    """All readings of a batch.

    sets: sets of a complete hand (5 for 16-tile play, 4 for 13-tile play). eight_pairs, seven_pairs, orphans,
    unconnected: also look for these hands without sets. wait_shapes: tell two-sided, edge, closed and pair waits apart;
    otherwise only pung from not pung, and only where the winning tile came from another player, since nothing else can
    change a pattern.
    """

    def __init__(
        self,
        batch: HandBatch,
        *,
        sets: int,
        wait_shapes: bool,
        eight_pairs: bool = False,
        seven_pairs: bool = False,
        orphans: bool = False,
        unconnected: bool = False,
    ) -> None:
        self.batch = batch
        self.sets = sets
        self.wait_shapes = wait_shapes
        n = batch.n
        tables = suit_tables()
        self.win_tile = batch.column("win_tile")
        self.win_suit = _SUIT_OF[self.win_tile]
        self.win_rank = _RANK_OF[self.win_tile]
        self.ids = np.empty((4, n), np.intp)
        for suit, name in enumerate(KEYS):
            key = batch.column(name)
            high = key // np.uint32(100_000)
            low = key - high * np.uint32(100_000)
            index = tables.low5[low] + tables.high5[high]
            self.ids[suit] = (tables.honor_id if suit == 3 else tables.suit_id)[index]
        # The win suit's record: one flat gather instead of four masked ones.
        self.win_id = self.ids.reshape(-1)[self.win_suit * n + np.arange(n)]
        first = tables.first
        suits = (first[self.ids[0]], first[self.ids[1]], first[self.ids[2]], first[self.ids[3]])
        roles = self._roles(tables.offset[self.win_id], None)
        self.first = Block(None, suits, _LOWEST_BIT[roles], np.zeros(n, np.uint8))
        shape = self.first.shape_byte(6)
        standard = (shape & 63) == (np.uint8(sets | 8) - self.n_melds)
        form = standard.view(np.uint8)
        self.first.form = form
        self._parts: list[tuple[Rows, tuple[I64, ...], U8, U8]] = []
        self._more_roles(np.flatnonzero(((roles & (roles - np.uint8(1))) != 0) & standard), suits, roles)
        self._more_decompositions(np.flatnonzero((shape >= 64) & standard))
        for wanted, add in (
            (eight_pairs, self._eight_pairs),
            (seven_pairs, self._seven_pairs),
            (orphans, self._orphans),
            (unconnected, self._unconnected),
        ):
            if wanted:
                add(form)
        self._parts = [part for part in self._parts if len(part[0])]
        self.blocks = [self.first]
        self.other_hands: Rows = np.zeros(0, np.intp)
        if self._parts:
            hand = np.concatenate([part[0] for part in self._parts])
            order = np.argsort(hand, kind="stable")
            others = [np.concatenate([part[1][suit] for part in self._parts])[order] for suit in range(4)]
            role = np.concatenate([part[2] for part in self._parts])[order]
            other_form = np.concatenate([part[3] for part in self._parts])[order]
            self.other_hands = hand[order]
            self.blocks.append(Block(self.other_hands, (others[0], others[1], others[2], others[3]), role, other_form))

    @cached_property
    def _meld_bytes(self) -> U8:
        packed = meld_tables().packed
        total = packed[self.batch.column("m0")]
        for name in MELDS[1:]:
            codes = self.batch.column(name)
            rows = np.flatnonzero(codes != 0)
            if len(rows) == 0:
                break
            if 3 * len(rows) > 2 * len(codes):
                total += packed[codes]
            else:
                total[rows] += packed[codes[rows]]
        return total.view(np.uint8).reshape(-1, 8)

    def melds_of_suit(self, rows: Rows, suit: Rows) -> Any:
        """Melds of a suit (3 = honours), hands and suits side by side."""
        return (self._meld_bytes.view(np.int64).reshape(-1)[rows] >> _MELDS_OF_SUIT_SHIFT[suit]) & 7

    def meld_byte(self, byte: int) -> U8:
        """A byte of the summed meld counters (analysis/shapes/meld_tables.py), one a hand."""
        column: U8 = np.ascontiguousarray(self._meld_bytes[:, byte])
        return column

    @cached_property
    def melds_exposed(self) -> U8:
        return self.meld_byte(0)

    @cached_property
    def n_melds(self) -> U8:
        return self.melds_exposed & np.uint8(7)

    @cached_property
    def self_drawn(self) -> npt.NDArray[np.bool_]:
        """Drawn by the winner: self-draw and the flower wins (SPEC 2.7)."""
        kind = self.batch.column("win_kind")
        drawn: npt.NDArray[np.bool_] = (kind == 1) | (kind >= 3)
        return drawn

    def _roles(self, decomposition: I64, hands: Rows | None) -> U8:
        """Bits of the parts the winning tile can complete, given its suit's decomposition."""
        rank = self.win_rank if hands is None else self.win_rank[hands]
        roles: U8 = suit_tables().roles[decomposition * 9 + rank]
        if self.wait_shapes:
            return roles
        drawn = self.self_drawn if hands is None else self.self_drawn[hands]
        as_pung = roles & np.uint8(ROLE_PUNG)
        merged: U8 = as_pung | ((roles ^ as_pung) != 0).view(np.uint8)
        merged[drawn] = 1
        return merged

    def _more_roles(self, rows: Rows, suits: tuple[I64, ...], roles: U8, hands: Rows | None = None) -> None:
        """Appends a reading for every role after the first of the given rows."""
        left = roles[rows]
        while True:
            left = left & (left - np.uint8(1))
            more = left != 0
            rows, left = rows[more], left[more]
            if len(rows) == 0:
                return
            hand = rows if hands is None else hands[rows]
            self._parts.append(
                (
                    hand,
                    tuple(suit[rows] for suit in suits),
                    _LOWEST_BIT[left],
                    np.full(len(rows), FORM_STANDARD, np.uint8),
                )
            )

    def _more_decompositions(self, rows: Rows) -> None:
        """Appends the readings of every decomposition after the first of the given hands."""
        if len(rows) == 0:
            return
        tables = suit_tables()
        ids = [self.ids[suit][rows] for suit in range(3)]
        counts = [tables.n_decompositions[i] for i in ids]
        total = counts[0] * counts[1] * counts[2]
        hands = np.repeat(rows, total - 1)
        starts = np.cumsum(total - 1) - (total - 1)
        which = np.arange(len(hands)) - np.repeat(starts, total - 1) + 1
        chosen = []
        for suit in range(3):
            n = np.repeat(counts[suit], total - 1)
            chosen.append(np.repeat(tables.offset[ids[suit]], total - 1) + which % n)
            which = which // n
        chosen.append(tables.offset[self.ids[3][hands]])
        suits = tuple(tables.decompositions[index] for index in chosen)
        win_suit = self.win_suit[hands]
        decomposition = np.choose(win_suit, chosen)
        roles = self._roles(decomposition, hands)
        self._parts.append((hands, suits, _LOWEST_BIT[roles], np.full(len(hands), FORM_STANDARD, np.uint8)))
        self._more_roles(np.arange(len(hands)), suits, roles, hands)

    def counts(self, rows: Rows) -> U8:
        """Concealed counts of the 34 kinds, winning tile included, (len(rows), 34)."""
        out = np.empty((len(rows), N_KINDS), np.uint8)
        for suit, name in enumerate(KEYS):
            key = self.batch.column(name)[rows]
            for rank in range(7 if suit == 3 else 9):
                quotient = key // np.uint32(10)
                out[:, 9 * suit + rank] = key - quotient * np.uint32(10)
                key = quotient
        return out

    @cached_property
    def concealed_odd(self) -> tuple[Rows, U8]:
        """Hands without a meld, and how many kinds they hold an odd number of."""
        rows = np.flatnonzero(self.n_melds == 0)
        low_odd, high_odd = _odd_digits()
        odd = np.zeros(len(rows), np.uint8)
        for name in KEYS:
            key = self.batch.column(name)[rows]
            high = key // np.uint32(100_000)
            odd += low_odd[key - high * np.uint32(100_000)] + high_odd[high]
        return rows, odd

    def _eight_pairs(self, form: U8) -> None:
        """Seven pairs and a triplet, all concealed; four of a kind are two pairs (SPEC 2.1, A19)."""
        rows, odd = self.concealed_odd
        rows = rows[odd == 1]
        counts = self.counts(rows)
        self._add_form(form, rows[(counts == 3).any(1) & (counts.sum(1) == 17)], FORM_EIGHT_PAIRS)

    def _seven_pairs(self, form: U8) -> None:
        """Seven different pairs, all concealed (RIICHI 1.2)."""
        rows, odd = self.concealed_odd
        rows = rows[odd == 0]
        self._add_form(form, rows[(self.counts(rows) == 2).sum(1) == 7], FORM_SEVEN_PAIRS)

    def _orphans(self, form: U8) -> None:
        """One of each terminal and honour, and a pair of one of them (RIICHI 1.3)."""
        rows, odd = self.concealed_odd
        rows = rows[odd == 12]
        counts = self.counts(rows)
        held = counts[:, _ORPHANS]
        self._add_form(form, rows[(held >= 1).all(1) & (held.sum(1) == 14) & (counts.sum(1) == 14)], FORM_ORPHANS)

    def _unconnected(self, form: U8) -> None:
        """A pair and twelve single tiles, no two of a suit within distance 2, no meld (RIICHI 1.5)."""
        rows, odd = self.concealed_odd
        rows = rows[odd == 12]
        counts = self.counts(rows)
        held = counts[:, :27].reshape(-1, 3, 9) > 0
        near = (held[:, :, 1:] & held[:, :, :-1]).any((1, 2)) | (held[:, :, 2:] & held[:, :, :-2]).any((1, 2))
        alone = (counts.sum(1) == 14) & (counts.max(1, initial=0) == 2) & ~near
        self._add_form(form, rows[alone], FORM_UNCONNECTED)

    def _add_form(self, form: U8, rows: Rows, code: int) -> None:
        """A reading without sets: the hand's only one, or one more."""
        alone = form[rows] == FORM_NONE
        form[rows[alone]] = code
        rows = rows[~alone]
        zero = np.zeros(len(rows), np.int64)
        self._parts.append(
            (rows, (zero, zero, zero, zero), np.zeros(len(rows), np.uint8), np.full(len(rows), code, np.uint8))
        )


def tile_bits(counts: Any) -> Any:
    """Bit mask of the kinds with a true entry, (n, 34) → (n,) int64."""
    return (counts.astype(np.int64) << np.arange(N_KINDS)).sum(1)
