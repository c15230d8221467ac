"""Tenhou's mjlog: one game per file as XML tags, with every tile of every player. Full play.

Read by regular expression: real files have line breaks inside tags, comments, missing tags and broken ends, and an XML
parser is five times slower. The hands before a break are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.record import GameRows, Row
from ingest.rejects import reject_row
from ingest.riichi_rows import RiichiHeader, add_hand, link_hands
from ingest.tenhou import LOG_ID, PLATFORM, attributes, table
from ingest.tenhou_play import (
    TAG,
    GameFacts,
    Names,
    Played,
    Start,
    Tag,
    first_scores,
    game_row,
    play,
    read_start,
    what_is_left,
)

NAME: Final = "tenhou_mjlog"
SIZE_LIMIT: Final = 16 * 1024 * 1024
"""Largest file that is read, in bytes. A long game is about 60 KB."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_START = re.compile(r"<INIT\b([^>]*)>")
_ROOT = re.compile(rb"<mjloggm\s+ver=")
_FULL_DEAL = re.compile(rb"<INIT\s[^>]*\bhai[0-3]=")


def sniff(head: bytes) -> bool:
    """The root tag, or a deal of several hands where the beginning is lost."""
    return _ROOT.search(head) is not None or _FULL_DEAL.search(head) is not None


def read(source: Source) -> Iterator[GameRows | Row]:
    """The one game of a file; of one that breaks off, the hands before the break."""
    yield read_game(what_is_left(source, limit=SIZE_LIMIT), file=source.name)


def read_game(content: bytes, *, file: str) -> GameRows | Row:
    """The game, or a row of `rejects` when nothing of it can be read."""
    log_id: str | None = None
    try:
        if len(content) > SIZE_LIMIT:
            raise RecordError("too_long", f"the file is longer than {SIZE_LIMIT >> 20} MB")
        text = content.decode("utf-8", "replace")
        # A comment may quote the address of the log; the name of the file is the usual place of the id.
        found = LOG_ID.search(file.rpartition("/")[2])
        if found is None and "gm-" in text[:4096]:  # quickly seen, while a seed is long to search
            found = LOG_ID.search(text, 0, 4096)
        log_id = found.group() if found else None
        if "<!--" in text:
            text = _COMMENT.sub("", text)
        return _Game(text, content, log_id, file).rows()
    except RecordError as problem:
        return reject_row(problem, log_id=log_id)


class _Game:
    """Reads the hands of a game in order."""

    def __init__(self, text: str, content: bytes, log_id: str | None, file: str) -> None:
        self.log_id = log_id
        self.file = file
        self.id = game_id(PLATFORM, log_id) if log_id else game_id(NAME, content)
        starts = list(_START.finditer(text))
        if not starts:
            raise RecordError("no_hands", "the log holds no hand: it breaks off before the first deal")
        stops = [*(start.start() for start in starts[1:]), len(text)]
        self.hands = [(start.group(1), text[start.end() : stop]) for start, stop in zip(starts, stops, strict=True)]
        tags: list[Tag] = TAG.findall(text, 0, starts[0].start())
        first = {letters: rest for letters, _, rest in reversed(tags)}
        go = attributes(first["GO"]) if "GO" in first else None
        self.names = Names()
        for letters, _, rest in tags:
            if letters == "UN":
                self.names.take(rest)
        start = self.hands[0][0]
        three = not attributes(start).get("hai3")
        self.table = table(go, players=3 if three else 4, start=first_scores(start))
        self.players = self.names.players(players=self.table.players)
        self.result = GameRows(game={})
        self.owari: str | None = None

    def rows(self) -> GameRows:
        for hand_no, (deal, text) in enumerate(self.hands):
            try:
                self._hand(hand_no, deal, text)
            except RecordError as problem:
                self.result.rejects.append(reject_row(problem, log_id=self.log_id, hand_no=hand_no))
        link_hands(self.result)
        self.result.game = self._game_row()
        return self.result

    def _hand(self, hand_no: int, deal: str, text: str) -> None:
        start = read_start(deal, players=self.table.players)
        if start.rotation:
            raise RecordError("bad_seats", f"seat {start.rotation} deals, which does not fit the round of the seed")
        played = play(start, text, players=self.table.players, reds=self.table.reds)
        self.owari = played.owari or self.owari
        add_hand(self.result, self._header(hand_no, start, played), played.end)

    def _header(self, hand_no: int, start: Start, played: Played) -> RiichiHeader:
        return RiichiHeader(
            game_id=self.id,
            hand_no=hand_no,
            players=self.players,
            round_wind=start.round_wind,
            dealer=start.dealer,
            honba=start.honba,
            sticks=start.sticks,
            deltas=played.deltas,
            scores_before=start.scores,
        )

    def _game_row(self) -> Row:
        return game_row(
            GameFacts(
                id=self.id,
                format=NAME,
                log_id=self.log_id,
                table=self.table,
                players=self.players,
                bots=self.names.bots,
                n_hands=len(self.result.hands),
                owari=self.owari,
                file=self.file,
            )
        )


FORMAT = Format(NAME, "Tenhou mjlog (XML, full play)", "riichi", sniff, read)
