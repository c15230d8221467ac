"""Score lists of Tenhou (sca, scb, scc, scd, sce, scf): a line per game with names and final points, without any hand.

A game gets one row in `games` and nothing else. Its seats are the places of the line, first to last, because a list
does not say who sat where. Lists with log ids (scc, sce, scf) give the game the identity of its mjlog, so a log of the
same game replaces the line in the warehouse; a line without an id is known by its date and text.

A line has the time of day. The date comes from the log id, or from the name of the file (`scb2018010112.log.gz`); where
neither has one the start is not known.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

import msgspec

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.jsonlines import read_lines
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.tenhou import LOG_ID, PLATFORM

NAME: Final = "tenhou_scores"
_ANONYMOUS: Final = frozenset(("", "NoName"))
_LINE_LIMIT: Final = 4096
"""Longest line in bytes; a real one has about 200."""

_START = re.compile(rb"(?m)^(?:\xef\xbb\xbf)?[ \t]*(?:[A-Z]\d{3,6} ?\| ?)?\d\d:\d\d ?\|[^\n]*\|[^\n|]*\([+-]?\d")
_LOBBY = re.compile(r"[A-Z]\d+")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
_LOG = re.compile(rf"[?&;]log=({LOG_ID.pattern})")
_FILE_DATE = re.compile(r"sc[a-f](\d{8})(?:\d\d)?(?!\d)")
# Names may hold brackets, so the points are the last pair before a blank or the end.
_PLACE = re.compile(r"\s*(\S.*?)\(([+-]?\d{1,4}(?:\.\d{1,2})?)(?:,([+-]?\d{1,4})枚)?\)(?=\s|$)")
_PLAYERS: Final = {"四": 4, "三": 3}
_NO_REDS: Final = {"m": 0, "p": 0, "s": 0}


def sniff(head: bytes) -> bool:
    """Lines of columns between bars: a time of day near the front, names with points in brackets at the end."""
    return _START.search(head) is not None


def read(source: Source) -> Iterator[GameRows | Row]:
    """The games of a list in order. A line that is no game is a reject."""
    found = _FILE_DATE.search(source.name.rpartition("/")[2])
    day = found.group(1) if found else None
    seen: Counter[bytes] = Counter()
    with source.open() as stream:
        for position, raw in read_lines(stream, limit=_LINE_LIMIT):
            if raw is None or not raw.startswith(b"<"):  # a page around the list
                try:
                    yield _game(raw, day, seen)
                except RecordError as problem:
                    yield reject_row(problem, position=position)


class _Line(msgspec.Struct):
    """The columns of a line. Lists are by place."""

    hour: int
    minute: int
    rule: str
    names: list[str]
    points: list[float]
    chips: list[int | None]
    lobby: str | None = None
    log_id: str | None = None
    minutes: int | None = None


def _parse(text: str) -> _Line:
    """Raises RecordError."""
    columns = [column.strip() for column in text.removesuffix("<br>").split("|")]
    rest = columns[:-1]
    lobby = rest.pop(0) if rest and _LOBBY.fullmatch(rest[0]) else None
    time = _TIME.fullmatch(rest.pop(0)) if rest else None
    minutes = rest.pop(0) if rest and rest[0].isdecimal() and len(rest[0]) < 5 else None
    rule = rest.pop(0) if rest else ""
    if time is None or rule[:1] not in _PLAYERS or len(rest) > 1:
        raise RecordError(
            "bad_line", f"'{text[:60]}' is not a line of a score list; it should be time | minutes | rule | names"
        )
    log = _LOG.search(rest[0]) if rest else None
    if rest and log is None:
        raise RecordError(
            "bad_log_id", f"the link '{rest[0][:80]}' does not hold the id of a log; fetch the list again"
        )
    places = list(_PLACE.finditer(columns[-1]))
    expected = _PLAYERS[rule[0]]
    whole = "".join(place.group() for place in places) == columns[-1].rstrip()
    if len(places) != expected or not whole:
        raise RecordError(
            "bad_places",
            f"'{columns[-1][:60]}' are not {expected} names, each with its points in brackets; fetch the list again",
        )
    return _Line(
        int(time.group(1)),
        int(time.group(2)),
        rule,
        [html.unescape(place.group(1)) for place in places],
        [float(place.group(2)) for place in places],
        [None if place.group(3) is None else int(place.group(3)) for place in places],
        lobby=lobby,
        log_id=log.group(1) if log else None,
        minutes=None if minutes is None else int(minutes),
    )


def _game(raw: bytes | None, day: str | None, seen: Counter[bytes]) -> GameRows:
    if raw is None:
        raise RecordError("long_line", f"the line has more than {_LINE_LIMIT} bytes; fetch the list again")
    try:
        line = _parse(raw.decode())
    except UnicodeDecodeError:
        raise RecordError("bad_text", "the line is not UTF-8 text; fetch the list again") from None
    if line.log_id is not None:
        identity = game_id(PLATFORM, line.log_id)
    else:
        # Two games of one minute can have the same text when nobody has a name.
        seen[raw] += 1
        identity = game_id(NAME, b"|".join((str(day).encode(), raw, str(seen[raw]).encode())))
    return GameRows(
        game={
            "game_id": identity,
            "log_id": line.log_id,
            "family": "riichi",
            "declared": f"tenhou_{len(line.names)}p",
            "declared_options": msgspec.json.encode(_options(line)).decode(),
            "simulated": False,
            "started_at": _started_at(line, day),
            "venue": PLATFORM,
            "room": line.rule,
            "table_name": line.lobby,
            "players": _players(line.names),
            "n_hands": 0,
            "final_points": [*line.points, *[None] * (4 - len(line.points))],
        }
    )


def _players(names: list[str]) -> list[str | None]:
    """One name in two seats tells of no player: those are people without an account."""
    known = [None if name in _ANONYMOUS or names.count(name) > 1 else f"{PLATFORM}:{name}" for name in names]
    return [*known, *[None] * (4 - len(known))]


def _options(line: _Line) -> dict[str, Any]:
    paipu: dict[str, Any] = {}
    if "喰" not in line.rule:
        paipu["open_tanyao"] = False
    if "赤" not in line.rule:
        paipu["red_fives"] = _NO_REDS
    options: dict[str, Any] = {"paipu": paipu, "rule": line.rule}
    if line.minutes is not None:
        options["minutes"] = line.minutes
    if any(chips is not None for chips in line.chips):
        options["chips"] = line.chips
    return options


def _started_at(line: _Line, day: str | None) -> datetime | None:
    date = day if line.log_id is None else line.log_id[:8]
    if date is None:
        return None
    try:
        return datetime(int(date[:4]), int(date[4:6]), int(date[6:]), line.hour, line.minute)
    except ValueError:
        raise RecordError(
            "bad_date", f"'{date}' in the log id or the name of the file is not a date; correct it"
        ) from None


FORMAT = Format(
    name=NAME, title="Tenhou score lists (placements and points, no hands)", family="riichi", sniff=sniff, read=read
)
