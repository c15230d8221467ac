"""Counted words of the English notes on stderr."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """`1 part`, `2 parts`. many: the plural, if it is not made with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def agreeing(number: int, one: str, many: str) -> str:
    """The verb for that number of things: is or are, was or were."""
    return one if number == 1 else many
