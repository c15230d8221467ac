"""Games into batches: small logs share a batch, a big log has several, and no game enters the store twice."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import pyarrow as pa

from ingest import parts
from ingest.ids import joint_content_id
from ingest.logreader import READER_FAILED
from ingest.record import GameRows, Row
from ingest.store import TABLES, Store, StoredSource

BATCH_HANDS: Final = 65_536
_BATCH_LOGS: Final = 4_096
# Rows as Python objects take twenty times the memory of Arrow, and Arrow tables of one hand ten times that of big ones.
_CHUNK_HANDS: Final = 1_024
_CHUNK_LOGS: Final = 128


class _Pending:
    """Rows on their way into a batch, as Arrow tables, and the logs that end in it: content, what to remember."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Any]] = {table: [] for table in TABLES}
        self.hands = 0
        self.logs: list[tuple[str, StoredSource | None]] = []


def _packed(pendings: list[_Pending]) -> _Pending:
    packed = _Pending()
    for table, chunks in packed.tables.items():
        if small := [chunk for pending in pendings for chunk in pending.tables[table]]:
            chunks.append(pa.concat_tables(small).combine_chunks())
    packed.hands = sum(pending.hands for pending in pendings)
    packed.logs = [log for pending in pendings for log in pending.logs]
    return packed


class BatchWriter:
    """Writes logs to the store, one after the other: `begin`, `add` and `reject`, then `end`; `flush` at the very end.

    A batch that holds one log, or a piece of one, is named by the content of the log and a number; a batch of several
    logs by the contents of all. So the same logs give the same names.
    """

    def __init__(self, store: Store, *, batch_hands: int = BATCH_HANDS) -> None:
        self._store = store
        self._batch_hands = batch_hands
        self._holders: dict[str, tuple[str, int | None]] = {}
        self._old_pieces: dict[str, list[str]] = {}
        for batch in store.batches():
            for game, file, hands in store.game_files(batch):
                if hands or game not in self._holders:
                    self._holders[game] = (file, hands)
            self._old_pieces.setdefault(batch.rpartition("-")[0], []).append(batch)
        # Changed by one append or assignment at a time, so that an interrupt never finds half a log.
        self._waiting: list[_Pending] = []
        self._start("")

    def _start(self, content: str) -> None:
        self._content = content
        self._open = _Pending()
        self._rows: list[GameRows] = []
        self._rejected: list[Row] = []
        self._row_hands = 0
        self._written = 0
        self._counts: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()

    def begin(self, content: str) -> None:
        """A log with this content_id follows."""
        self._start(content)
        # Pieces that a killed run left of this very log are written again, so their games are not duplicates.
        for batch in self._old_pieces.get(content, ()):
            for game_id, *held in self._store.game_files(batch):
                if self._holders.get(game_id) == tuple(held):
                    del self._holders[game_id]

    def add(self, game: GameRows) -> list[Row]:
        """Takes a game unless the store has it. Returns the rejects of it: its own, or that it is a duplicate.

        A game that the store has with another number of hands is a reject of its own code, not a mere duplicate:
        its log was mended or has gone on since. A game without hands (a score list) gives way to the same game with
        hands, in either order: the warehouse leaves its row out.
        """
        game_id = game.game["game_id"]
        holder = self._holders.get(game_id)
        if holder is not None and (holder[1] != 0 or not game.hands):
            return [self.reject(_duplicate(game, *holder))]
        self._holders[game_id] = (game.game["file"], game.game.get("n_hands"))
        hands = max(1, len(game.hands))
        late = []
        if self._open.hands + self._row_hands + hands > self._batch_hands:
            late = self._write_piece()
        self._rows.append(game)
        self._row_hands += hands
        if self._row_hands >= _CHUNK_HANDS:
            late += self._convert()
        return [*game.rejects, *late]

    def reject(self, row: Row) -> Row:
        """Takes a row for `rejects`."""
        self._rejected.append(row)
        if len(self._rejected) >= _CHUNK_HANDS:
            self._convert()
        return row

    def end(self) -> tuple[StoredSource, list[Row]]:
        """The log is at its end. Returns what it gave, and rejects found only now."""
        late = self._convert()
        stored = StoredSource(
            self._content,
            self._counts["games"],
            self._counts["hands"],
            self._counts["wins"],
            dict(sorted(self._codes.items())),
        )
        # A log whose reader failed is not remembered, so that a mended reader gets it again.
        self._open.logs.append((self._content, None if READER_FAILED in self._codes else stored))
        if self._written:
            self._write_piece()
            for batch in self._old_pieces.get(self._content, [])[self._written :]:
                self._store.remove(batch)
        else:
            if self._waiting_hands + self._open.hands > self._batch_hands or self._waiting_logs >= _BATCH_LOGS:
                self.flush()
            self._waiting.append(self._open)
            if len(self._waiting) >= _CHUNK_LOGS:
                self._waiting = [_packed(self._waiting)]
        self._start("")
        return stored, late

    def flush(self) -> None:
        """Write the logs that came to their end."""
        if self._waiting:
            batch = _packed(self._waiting)
            contents = [content for content, _ in batch.logs]
            self._write(f"{contents[0] if len(contents) == 1 else joint_content_id(contents)}-0000", batch)
        self._waiting = []

    @property
    def _waiting_hands(self) -> int:
        return sum(pending.hands for pending in self._waiting)

    @property
    def _waiting_logs(self) -> int:
        return sum(len(pending.logs) for pending in self._waiting)

    def _write_piece(self) -> list[Row]:
        late = self._convert()
        self._write(f"{self._content}-{self._written:04d}", _packed([self._open]))
        self._written += 1
        self._open = _Pending()
        return late

    def _write(self, batch: str, rows: _Pending) -> None:
        tables = {table: chunks[0] if chunks else parts.build(table, []) for table, chunks in rows.tables.items()}
        self._store.write_tables(batch, tables, sources=[source for _, source in rows.logs if source is not None])

    def _convert(self) -> list[Row]:
        """Rows to Arrow. Rows that do not fit the schemas are a fault of their reader: they become a reject."""
        games, rejected, failed = self._rows, self._rejected, []
        try:
            tables = _tables(games, rejected)
        except ValueError:
            good_games, good_rejected = [], []
            for game in games:
                if (error := _misfit([game], [])) is None:
                    good_games.append(game)
                else:
                    failed.append(_failed(game.game, error))
                    self._holders.pop(game.game["game_id"], None)
            for row in rejected:
                if (error := _misfit([], [row])) is None:
                    good_rejected.append(row)
                else:
                    failed.append(_failed(row, error))
            tables = _tables(good_games, [*good_rejected, *failed])
        for table, built in tables.items():
            if built.num_rows:
                self._open.tables[table].append(built)
            self._counts[table] += built.num_rows
        self._codes.update(tables["rejects"].column("code").to_pylist())
        # Rejects count too: a file of nothing else must not grow in memory.
        self._open.hands += self._row_hands + tables["rejects"].num_rows
        self._rows, self._rejected, self._row_hands = [], [], 0
        return failed


def _tables(games: list[GameRows], rejected: list[Row]) -> dict[str, Any]:
    return {table: parts.build(table, rows) for table, rows in parts.rows_by_table(games, rejected).items()}


def _duplicate(game: GameRows, holder: str, held: int | None) -> Row:
    row = game.game
    known = row.get("log_id") or row["game_id"]
    hands = row.get("n_hands")
    if held is None or not hands or held == hands:
        code = "duplicate_game"
        message = f"game {known} is already in the store from {holder}; it is kept once, nothing to do"
    else:
        code = "other_game"
        message = (
            f"game {known} is in the store from {holder} with {held} hands and comes here with {hands}; "
            "the first one stays, to have this one ingest it into a new store"
        )
    return {"file": row["file"], "format": row["format"], "log_id": row.get("log_id"), "code": code, "message": message}


def _misfit(games: list[GameRows], rejected: list[Row]) -> ValueError | None:
    try:
        _tables(games, rejected)
    except ValueError as error:
        return error
    return None


def _failed(row: Row, error: ValueError) -> Row:
    log_id = row.get("log_id")
    return {
        "file": row["file"],
        "format": row["format"],
        "log_id": log_id if isinstance(log_id, str) else None,
        "code": READER_FAILED,
        "message": f"paipu's own reader gave rows that do not fit the store ({error}); please report it with the log",
    }
