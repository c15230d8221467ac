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
_CHUNK_HANDS: Final = (
    1_024  # rows as Python objects take twenty times the memory of Arrow, so they do not wait for long
)


class _Pending:
    """Rows on their way into a batch, as Arrow tables."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Any]] = {table: [] for table in TABLES}
        self.hands = 0
        self.content = ""
        self.source: StoredSource | None = None


def _joined(pending: list[_Pending]) -> dict[str, Any]:
    return {
        table: pa.concat_tables(chunks)
        if (chunks := [c for p in pending for c in p.tables[table]])
        else parts.build(table, [])
        for table in TABLES
    }


class BatchWriter:
    """Writes logs to the store, one after the other: `begin`, `add` and `reject`, then `end`; `flush` at the very end.

    A batch that holds one log, or a piece of one, is named by the content of the log and a number; a batch of several
    logs by the contents of all. So the same logs give the same names.
    """

    def __init__(self, store: Store, *, batch_hands: int = BATCH_HANDS) -> None:
        self._store = store
        self._batch_hands = batch_hands
        self._holders: dict[str, str] = {}
        for batch in store.batches():
            self._holders.update(store.game_files(batch))
        # One append moves a finished log in here, so that an interrupt never finds half of it.
        self._waiting: list[_Pending] = []
        self._waiting_hands = 0
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
        for batch in self._pieces():
            for game_id, _ in self._store.game_files(batch):
                self._holders.pop(game_id, None)

    def add(self, game: GameRows) -> list[Row]:
        """Takes a game unless the store has it. Returns the rejects of it: its own, or that it is a duplicate."""
        game_id = game.game["game_id"]
        holder = self._holders.get(game_id)
        if holder is not None:
            return [self.reject(_duplicate(game, holder))]
        self._holders[game_id] = game.game["file"]
        hands = max(1, len(game.hands))
        if self._open.hands + self._row_hands + hands > self._batch_hands:
            self._write_piece()
        self._rows.append(game)
        self._row_hands += hands
        if self._row_hands >= _CHUNK_HANDS:
            return [*game.rejects, *self._convert()]
        return game.rejects

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
        if READER_FAILED not in self._codes:
            # Otherwise the log is not remembered, and a mended reader gets it again.
            self._open.source = stored
        if self._written:
            self._write_piece()
            for batch in self._pieces()[self._written :]:
                self._store.remove(batch)
        else:
            if self._waiting_hands + self._open.hands > self._batch_hands or len(self._waiting) >= _BATCH_LOGS:
                self.flush()
            self._open.content = self._content
            self._waiting.append(self._open)
            self._waiting_hands += self._open.hands
        self._start("")
        return stored, late

    def flush(self) -> None:
        """Write the logs that came to their end."""
        if self._waiting:
            contents = [pending.content for pending in self._waiting]
            name = contents[0] if len(contents) == 1 else joint_content_id(contents)
            self._write(f"{name}-0000", self._waiting)
        self._waiting, self._waiting_hands = [], 0

    def _pieces(self) -> list[str]:
        return [batch for batch in self._store.batches() if batch.startswith(f"{self._content}-")]

    def _write_piece(self) -> None:
        self._convert()
        self._write(f"{self._content}-{self._written:04d}", [self._open])
        self._written += 1
        self._open = _Pending()

    def _write(self, batch: str, pending: list[_Pending]) -> None:
        self._store.write_tables(batch, _joined(pending), sources=[p.source for p in pending if p.source is not None])

    def _convert(self) -> list[Row]:
        """Rows to Arrow. A game that does not fit the schemas is a fault of its reader: it becomes a reject."""
        games, rejected, failed = self._rows, self._rejected, []
        try:
            tables = _tables(games, rejected)
        except ValueError:
            good = []
            for game in games:
                try:
                    _tables([game], [])
                    good.append(game)
                except ValueError as error:
                    failed.append(_misfit(game, error))
                    self._holders.pop(game.game["game_id"], None)
            games = good
            rejected = [*rejected, *failed]
            tables = _tables(games, rejected)
        for table, built in tables.items():
            if built.num_rows:
                self._open.tables[table].append(built)
            self._counts[table] += built.num_rows
        self._codes.update(tables["rejects"].column("code").to_pylist())
        # Rejects count too: a file of nothing else must not grow in memory.
        self._open.hands += self._row_hands + len(rejected)
        self._rows, self._rejected, self._row_hands = [], [], 0
        return failed


def _tables(games: list[GameRows], rejected: list[Row]) -> dict[str, Any]:
    return {table: parts.build(table, rows) for table, rows in parts.rows_by_table(games, rejected).items()}


def _duplicate(game: GameRows, holder: str) -> Row:
    row = game.game
    known = row.get("log_id") or row["game_id"]
    return {
        "file": row["file"],
        "format": row["format"],
        "log_id": row.get("log_id"),
        "code": "duplicate_game",
        "message": f"game {known} is already in the store from {holder}; it is kept once, nothing to do",
    }


def _misfit(game: GameRows, error: ValueError) -> Row:
    row = game.game
    return {
        "file": row["file"],
        "format": row["format"],
        "log_id": row.get("log_id"),
        "code": READER_FAILED,
        "message": f"paipu's own reader gave rows that do not fit the store ({error}); please report it with the log",
    }
