"""The error tree: every failure a user can meet is one of these, with one clear line and an exit code.

Exit codes (DESIGN: conventions): 1 data problems found, 2 usage or configuration, 3 unreadable input, 4 invalid rules.
"""

from __future__ import annotations

from typing import Final

UPDATE: Final = "update paipu, or report it with the log"
"""Advice for what a log may hold and paipu does not know."""

_ADVICE: Final = {
    "the log contradicts itself: export it again and, if nothing changes, leave the hand out or report it": (
        "after_end", "bad_abort", "bad_claim", "bad_kita", "bad_nagashi", "bad_payer", "bad_payments", "bad_rob",
        "bad_seats", "dealer_kept", "dealer_order", "dora_count", "dora_mismatch", "five_copies", "five_kongs",
        "furiten", "hand_mismatch", "ippatsu_differs", "meld_mismatch", "no_nagashi", "no_pon", "no_replacement",
        "not_complete", "not_drawn", "not_in_hand", "not_tenpai", "out_of_turn", "payments_do_not_sum",
        "riichi_changed", "riichi_differs", "riichi_not_declared", "riichi_not_ready", "riichi_open", "riichi_twice",
        "scores_jump", "scores_mismatch", "situation_differs", "sticks_mismatch", "tile_count", "tile_missing",
        "tile_twice", "wall_empty", "wall_left", "win_tile",
    ),
    # Of 16-tile logs, which people write too.
    "the log contradicts itself: correct it, or export it again": (
        "barred", "dead_wall", "miji_too_late", "no_replacement_due", "not_eight_flowers", "payments_not_zero",
        "ready_hand_changed", "replacement_missing", "streak_conflict", "tiles_lost", "wall_order", "win_twice",
        "wind_conflict", "wrong_turn",
    ),
    "correct the record": (
        "dealer_sequence", "final_scores", "flag_conflict", "hand_conflict", "players_conflict", "rules_conflict",
        "scores_broken",
    ),
    "export the log again and, if nothing changes, report it": (
        "bad_deal", "bad_dora", "bad_event", "bad_go", "bad_hand", "bad_header", "bad_json", "bad_meld", "bad_number",
        "bad_pairing", "bad_players", "bad_ready", "bad_record", "bad_result", "bad_round", "bad_scores", "bad_seat",
        "bad_tag", "bad_value", "bad_win", "bad_yaku", "no_deal", "unknown_tile",
    ),
    "give paipu the whole log, if there is one": (
        "dealer_passed", "honba_unknown", "missing_hand", "no_end", "no_hands", "round_jump", "round_unknown",
        "stray_event", "streak_unknown",
    ),
    UPDATE: ("bad_dead_wall", "unknown_draw", "unknown_event", "unknown_yaku"),
    "no real game is that long: check what wrote it": ("too_long", "too_many_events", "too_many_hands"),
    "paipu does not read such games: leave the log out": ("other_rules",),
}  # fmt: skip
"""What to do -> the codes of messages that say only what is wrong."""

ADVICE: Final = {code: advice for advice, codes in _ADVICE.items() for code in codes}
"""What to do about a record, by the code of its error."""

_LONGEST = 400
"""Longest message of a record in characters; what a log holds may be of any length."""


class PaipuError(Exception):
    """Base of all errors shown to the user as one line. `exit_code` is what the command line returns."""

    exit_code = 2


class UsageError(PaipuError):
    """An option, path or configuration that cannot be used."""

    exit_code = 2


class UnreadableInputError(PaipuError):
    """A file that cannot be read at all: missing, truncated, not a known format, an unsafe archive member."""

    exit_code = 3


class RulesError(PaipuError):
    """A preset or pattern catalogue that is not valid. The message names file, line and key."""

    exit_code = 4


class RecordError(PaipuError):
    """One game or hand that breaks the rules of a record. Readers turn it into a row of `rejects`.

    code: short machine name such as `five_copies`; message: what is wrong and, after a semicolon, what to do or what is
    allowed. A message without a semicolon gets the advice of its code, so that it is one sentence with both.
    hand: 0-based number of the hand in its game, event: 0-based number of the event in its hand, where known.
    """

    exit_code = 1

    def __init__(self, code: str, message: str, *, hand: int | None = None, event: int | None = None) -> None:
        message = "".join(ch if ch.isprintable() else "\ufffd" for ch in message)
        advice = ADVICE.get(code)
        if advice is not None and "; " not in message:
            message = f"{message}; {advice}"
        if len(message) > _LONGEST:  # the advice is in the half that stays at the end
            message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
        super().__init__(message)
        self.code = code
        self.message = message
        self.hand = hand
        self.event = event
