"""Games into batches: small logs share a batch, a big log has several, and no game enters the store twice."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

import pyarrow as pa

from ingest import parts
from ingest.chunks import GAME_TABLES, GameHead, Slice
from ingest.ids import joint_content_id
from ingest.logreader import READER_FAILED
from ingest.packed import IdMap, PackedList
from ingest.record import Row
from ingest.store import TABLES, Store, StoredSource

BATCH_HANDS: Final = 65_536
DUPLICATE: Final = "duplicate_game"
"""Code of the rejects that lose nothing: the store has the game."""

_BATCH_LOGS: Final = 4_096
_REJECTS: Final = 1_024


class _Pending:
    """Rows on their way into a batch. hands: of its games, rejects counted as one each."""

    def __init__(self) -> None:
        self.slices: list[Slice] = []
        self.rejects: list[Any] = []
        self.hands = 0

    def take(self, rows: Slice) -> None:
        last = self.slices[-1] if self.slices else None
        if last is not None and last.tables is rows.tables and last.stop == rows.start:
            self.slices[-1] = last._replace(stop=rows.stop)
        else:
            self.slices.append(rows)

    def tables(self) -> dict[str, Any]:
        found: dict[str, list[Any]] = {table: [] for table in TABLES}
        for tables, starts, stops in self.slices:
            for table, start, stop in zip(GAME_TABLES, starts, stops, strict=True):
                found[table].append(tables[table].slice(start, stop - start))
        found["rejects"] = self.rejects
        return {table: pa.concat_tables(built) if built else parts.build(table, []) for table, built in found.items()}


class _Ended(NamedTuple):
    """A log that came to its end: its rows, and what to remember of it, None if it is to be read again."""

    content: str
    pending: _Pending
    remembered: StoredSource | None


class _Holders:
    """The file and the number of hands of each game that the store has."""

    def __init__(self) -> None:
        self._games = IdMap()
        self._files = PackedList[str]()
        self._last_file: str | None = None

    def get(self, game_id: str) -> tuple[str, int] | None:
        number = self._games.get(game_id)
        return None if number is None else (self._files[number >> 32], number & 0xFFFFFFFF)

    def put(self, game_id: str, file: str, hands: int) -> None:
        if file != self._last_file:
            self._files.append(file)
            self._last_file = file
        self._games[game_id] = (len(self._files) - 1) << 32 | hands

    def discard(self, game_id: str) -> None:
        self._games.discard(game_id)


class BatchWriter:
    """Writes logs to the store, one after the other: `begin`, `add` and `reject`, then `end`; `flush` at the very end.

    A batch that holds one log, or a piece of one, is named by the content of the log and a number; a batch of several
    logs by the contents of all. So the same logs give the same names.
    """

    def __init__(self, store: Store, *, batch_hands: int = BATCH_HANDS) -> None:
        self._store = store
        self._batch_hands = batch_hands
        self._holders = _Holders()
        self._old_pieces: dict[str, list[str]] = {}
        for batch in store.batches():
            self._hold(batch)
            self._old_pieces.setdefault(batch.rpartition("-")[0], []).append(batch)
        # Changed by one append or assignment at a time, so that an interrupt never finds half a log, or one twice.
        self._ended: list[_Ended] = []
        self._waiting = 0  # their hands
        self._start("")

    def _hold(self, batch: str) -> None:
        """The games of a batch of the store are not taken again."""
        for game, file, hands in self._store.game_files(batch):
            if hands or self._holders.get(game) is None:
                self._holders.put(game, file, hands)

    def _start(self, content: str) -> None:
        self._content = content
        self._open = _Pending()
        self._rejected: list[Row] = []
        self._written = 0
        self._counts = [0] * len(GAME_TABLES)
        self._codes: Counter[str] = Counter()

    def begin(self, content: str) -> None:
        """A log with this content_id follows."""
        self._start(content)
        # Pieces that a killed run left of this very log are written again, so their games are not duplicates.
        for batch in self._old_pieces.get(content, ()):
            for game_id, *held in self._store.game_files(batch):
                if self._holders.get(game_id) == tuple(held):
                    self._holders.discard(game_id)

    def add(self, game: GameHead, rows: Slice) -> list[Row]:
        """Takes a game unless the store has it. Returns the rejects of it: its own, or that it is a duplicate.

        A game that the store has with another number of hands is a reject of its own code, not a mere duplicate:
        its log was mended or has gone on since. A game without hands (a score list) gives way to the same game with
        hands, in either order: the warehouse leaves its row out.
        """
        holder = self._holders.get(game.game_id)
        if holder is not None and (holder[1] != 0 or not game.hands):
            # Its rows stay in memory with the chunk, so they count.
            self._open.hands += game.hands
            return [self.reject(_duplicate(game, *holder))]
        self._holders.put(game.game_id, game.file, game.hands)
        hands = max(1, game.hands)
        if self._open.hands + hands > self._batch_hands:
            self._write_piece()
        self._open.take(rows)
        self._open.hands += hands
        self._counts = [counted + more for counted, more in zip(self._counts, game.counts, strict=True)]
        for row in game.rejects:
            self.reject(row)
        return game.rejects

    def reject(self, row: Row) -> Row:
        """Takes a row for `rejects`."""
        self._rejected.append(row)
        self._codes[row["code"]] += 1
        self._open.hands += 1
        if len(self._rejected) >= _REJECTS:
            self._convert()
        return row

    def end(self, *, whole: bool = True) -> StoredSource:
        """The log is at its end. Returns what the store has of it, once it is written.

        whole: it was read as far as it goes; otherwise, and where its reader failed, the next run reads it again.
        """
        self._convert()
        games, hands, _, wins = self._counts
        stored = StoredSource(self._content, games, hands, wins, dict(sorted(self._codes.items())))
        ended = _Ended(self._content, self._open, stored if whole and READER_FAILED not in self._codes else None)
        old_pieces = self._old_pieces.get(self._content, [])
        # What will be read again gets a batch of its own, which gives its games back then.
        if self._written or old_pieces or ended.remembered is None:
            stale = old_pieces[self._written :]
            if whole or not stale or self._games() > len(self._store.game_files(stale[0])):
                self._write(self._piece(), [ended])
                stale = stale[1:]
            # An earlier run may have come further before it broke off.
            for batch in stale:
                if whole:
                    self._store.remove(batch)
                else:
                    self._hold(batch)
        else:
            if self._waiting + self._open.hands > self._batch_hands or len(self._ended) >= _BATCH_LOGS:
                self.flush()
            self._ended.append(ended)
            self._waiting += self._open.hands
        self._start("")
        return stored

    def flush(self) -> None:
        """Write the logs that came to their end."""
        if self._ended:
            contents = [log.content for log in self._ended]
            self._write(f"{contents[0] if len(contents) == 1 else joint_content_id(contents)}-0000", self._ended)
        self._ended = []
        self._waiting = 0

    def _piece(self) -> str:
        """The batch of the next piece of the log."""
        return f"{self._content}-{self._written:04d}"

    def _games(self) -> int:
        return sum(stop[0] - start[0] for _, start, stop in self._open.slices)

    def _write_piece(self) -> None:
        self._convert()
        self._write(self._piece(), [_Ended(self._content, self._open, None)])
        self._written += 1
        self._open = _Pending()

    def _write(self, batch: str, logs: list[_Ended]) -> None:
        together = _Pending()
        for log in logs:
            for rows in log.pending.slices:
                together.take(rows)
            together.rejects += log.pending.rejects
        remembered = [log.remembered for log in logs if log.remembered is not None]
        self._store.write(batch, together.tables(), sources=remembered)

    def _convert(self) -> None:
        if self._rejected:
            self._open.rejects.append(parts.build("rejects", self._rejected))
        self._rejected = []


def _duplicate(game: GameHead, holder: str, held: int) -> Row:
    known = game.log_id or game.game_id
    if held == game.hands or not game.hands:
        code = DUPLICATE
        message = f"game {known} is already in the store from {holder}; it is kept once, nothing to do"
    else:
        code = "other_game"
        message = (
            f"game {known} is in the store from {holder} with {held} {'hand' if held == 1 else 'hands'} and comes here "
            f"with {game.hands}; "
            "the first one stays, to have this one ingest it into a new store"
        )
    return {"file": game.file, "format": game.format, "log_id": game.log_id, "code": code, "message": message}
