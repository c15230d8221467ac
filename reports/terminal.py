"""A table fitted to the width of a terminal.

What does not fit on one line per row is tried in turn: cells folded between words, the table turned round, words broken
where an identifier or a phrase can be, and last each row as a record of its own, a line per column.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, chop_cells, set_cell_size

_GAP: Final = 2
_RECORDS: Final = 20
"""Records shown at most: a screen or a few; more are for a file."""
_CELL: Final = 240
_JSON_CELL: Final = 60
"""Longest cells shown, in columns of the terminal; nobody reads more of JSON than how it begins."""
_SHORTENED: Final = "long cells end in …; -o FILE.csv writes them whole"
_SAMPLE: Final = 500
"""Rows whose words are measured; a longer word further down is broken."""
_TURNED_ROWS: Final = 12
_WHOLE_WORD: Final = 40
_WHOLE_PHRASE: Final = 16
_WHOLE_PART: Final = 8
"""Words up to that width are not broken: while words stay whole, and where identifiers may be broken after a _."""

_WIDE: Final = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6"
_OPENING: Final = "（「『《【〈“‘"
_CLOSING: Final = "，。、；：！？）」』》】〉”’％…"
_WORD: Final = re.compile(r"\s*\S+(?: / \S+)*\s*")
_PHRASE: Final = re.compile(rf"[^{_CLOSING},;/|]+[{_CLOSING},;/|]*|[{_CLOSING},;/|]+")
_LETTER: Final = re.compile(rf"[{_OPENING}]*(?:[{_WIDE}]|[^{_WIDE}]+)[{_CLOSING}]*")
_PART: Final = re.compile("[^_]+_*|_+")


@dataclass(frozen=True)
class Shown:
    """A table as text. note: what is left out of it, and where to see it; empty if nothing is."""

    text: str
    note: str


def terminal_table(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    *,
    width: int,
    title: str | None = None,
    bold: bool = False,
) -> Shown:
    """The rows as a table no wider than `width`. right: columns that stand to the right. bold: the header, by ANSI."""
    head = f"{title}\n" if title else ""
    cut = [[_cut(cell, _JSON_CELL if cell[:1] in ("[", "{") else _CELL) for cell in row] for row in rows]
    note = _SHORTENED if cut != [list(row) for row in rows] else ""
    straight = [list(names), *cut]
    attempts = [(straight, right, _WHOLE_WORD)]
    if len(cut) <= _TURNED_ROWS and len(names) > 1:
        turned = [list(column) for column in zip(*straight, strict=True)]
        attempts.append((turned, [False] + [all(right[1:])] * len(cut), _WHOLE_WORD))
    attempts += [(straight, right, _WHOLE_PHRASE), (straight, right, _WHOLE_PART)]
    whole = [[_cut(cell, _CELL) for cell in row] for row in rows[:_RECORDS]]
    records = _records(names, whole, width=width, bold=bold)
    for lines, alignment, unbroken in attempts:
        widths = _widths(lines, width=width, whole=unbroken)
        if widths is None:
            continue
        # A table so folded that it is longer than its records is harder to read than they are.
        first = lines[: _RECORDS + 1]
        if _height(first, widths, unbroken) <= max(records.count("\n"), len(first)):
            return Shown(head + _table(lines, widths, alignment, whole=unbroken, bold=bold), note)
    if len(rows) > _RECORDS:
        return Shown(head + records, f"{_RECORDS} of {len(rows):,} rows shown; -o FILE.csv writes them all")
    return Shown(head + records, _SHORTENED if whole != [list(row) for row in rows] else "")


def _cut(cell: str, longest: int) -> str:
    if _cells(cell) <= longest:
        return cell
    return set_cell_size(cell, longest - 1).rstrip() + "…"


def _widths(lines: list[list[str]], *, width: int, whole: int) -> list[int] | None:
    """The widths of the columns, or None where their words do not fit side by side."""
    columns = list(zip(*lines, strict=True))
    most = [max(map(_cells, column)) for column in columns]
    room = width - _GAP * (len(columns) - 1)
    if sum(most) <= room:
        return most
    least = [
        min(widest, max((_longest(cell, whole) for cell in set(column[:_SAMPLE])), default=0))
        for widest, column in zip(most, columns, strict=True)
    ]
    if sum(least) > room:
        return None
    # Nine of ten cells of each column come first; what then is left goes to the few longer ones.
    usual = [sorted(map(_cells, column[:_SAMPLE]))[len(column[:_SAMPLE]) * 9 // 10] for column in columns]
    fitted = _shared(least, [max(a, b) for a, b in zip(least, usual, strict=True)], room)
    return _shared(fitted, most, room)


def _height(lines: list[list[str]], widths: list[int], whole: int) -> int:
    return sum(
        max(len(_fold(cell, width, whole)) for cell, width in zip(line, widths, strict=True)) for line in lines if line
    )


def _table(lines: list[list[str]], widths: list[int], right: Sequence[bool], *, whole: int, bold: bool) -> str:
    out = [_row(line, widths, right, whole=whole, bold=bold and number == 0) for number, line in enumerate(lines)]
    out.insert(1, (" " * _GAP).join("─" * column for column in widths) + "\n")
    return "".join(out)


def _shared(least: list[int], most: list[int], room: int) -> list[int]:
    """Widths between least and most that fill the room: the widest columns give way first."""
    low, high = 0, max(most)
    while low < high:
        level = (low + high + 1) // 2
        if sum(min(b, max(a, level)) for a, b in zip(least, most, strict=True)) <= room:
            low = level
        else:
            high = level - 1
    return [min(b, max(a, low)) for a, b in zip(least, most, strict=True)]


def _cells(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _row(cells: list[str], widths: list[int], right: Sequence[bool], *, whole: int, bold: bool) -> str:
    folded = [_fold(cell, width, whole) for cell, width in zip(cells, widths, strict=True)]
    out = []
    for number in range(max(map(len, folded), default=0)):
        padded = []
        for pieces, width, is_right in zip(folded, widths, right, strict=True):
            piece = pieces[number] if number < len(pieces) else ""
            blank = " " * (width - _cells(piece))
            padded.append(blank + piece if is_right else piece + blank)
        line = (" " * _GAP).join(padded).rstrip()
        out.append(f"\x1b[1m{line}\x1b[0m\n" if bold else f"{line}\n")
    return "".join(out)


def _records(names: Sequence[str], rows: list[list[str]], *, width: int, bold: bool) -> str:
    """The rows as records, one below the other, a line per column."""
    label = min(max(map(cell_len, names), default=0), max(width // 2 - _GAP, 1))
    value = max(width - label - _GAP, 1)
    out = []
    for number, row in enumerate(rows, 1):
        rule = set_cell_size(f"─ {number} ".ljust(label + _GAP + min(value, 8), "─"), width).rstrip()
        out.append(f"\x1b[1m{rule}\x1b[0m\n" if bold else f"{rule}\n")
        for name, cell in zip(names, row, strict=True):
            out.append(_row([name, cell], [label, value], [False, False], whole=_WHOLE_PHRASE, bold=False))
    return "".join(out)


def _pieces(text: str, whole: int) -> list[str]:
    """The text in pieces between which a line may end: words, or parts of words wider than `whole`.

    A range such as 100 / 140 is one word.
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if cell_len(word.strip()) <= (whole if word.isascii() else _WHOLE_PHRASE):
            found.append(word)
            continue
        for phrase in _PHRASE.findall(word):
            for part in [phrase] if cell_len(phrase) <= _WHOLE_PHRASE else _LETTER.findall(phrase):
                found += [part] if cell_len(part) <= whole else _PART.findall(part)
    return found


def _longest(text: str, whole: int) -> int:
    return max((cell_len(piece.strip()) for piece in _pieces(text, whole)), default=0)


def _fold(text: str, width: int, whole: int) -> list[str]:
    if _cells(text) <= width:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    for piece in _pieces(text, whole):
        needs = _cells(piece.rstrip())
        if line and used + needs > width:
            lines.append(line.strip())
            line, used = "", 0
        if needs > width:
            # A word wider than the column is broken wherever the line ends.
            *full, piece = chop_cells(piece, width)
            lines += full
        line += piece
        used += _cells(piece)
    return [*lines, line.strip()]
