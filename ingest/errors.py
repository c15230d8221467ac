"""The error tree: every failure a user can meet is one of these, with one clear line and an exit code.

Exit codes (DESIGN: conventions): 1 data problems found, 2 usage or configuration, 3 unreadable input, 4 invalid rules.
"""

from __future__ import annotations

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

    code: short machine name such as `five_copies`; message: one sentence that says what is wrong and what to do.
    hand: 0-based number of the hand in its game, event: 0-based number of the event in its hand, where known.
    """

    exit_code = 1

    def __init__(self, code: str, message: str, *, hand: int | None = None, event: int | None = None) -> None:
        if len(message) > _LONGEST:
            message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
        super().__init__(message)
        self.code = code
        self.message = message
        self.hand = hand
        self.event = event
