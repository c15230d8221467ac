"""Games into batches: small logs share a batch, a big log has several, and no game enters the store twice."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

import pyarrow as pa

from ingest import parts
from ingest.ids import joint_content_id
from ingest.logreader import READER_FAILED
from ingest.packed import IdMap, Texts
from ingest.record import GameRows, Row
from ingest.store import TABLES, Store, StoredSource

BATCH_HANDS: Final = 65_536
DUPLICATE: Final = "duplicate_game"
"""Code of the rejects that lose nothing: the store has the game."""

_BATCH_LOGS: Final = 4_096
# Rows as Python objects take twenty times the memory of Arrow, and Arrow tables of one hand ten times that of big ones.
_CHUNK_HANDS: Final = 1_024
_CHUNK_LOGS: Final = 128
# Arrow takes as long for the columns of one small log as for a hundred of them.
_SMALL_HANDS: Final = 256


class _Pending:
    """Rows on their way into a batch, as Arrow tables, and the logs that end in it: content, what to remember."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Any]] = {table: [] for table in TABLES}
        self.hands = 0
        self.logs: list[tuple[str, StoredSource | None]] = []

    def take(self, tables: dict[str, Any]) -> None:
        for table, built in tables.items():
            if built.num_rows:
                self.tables[table].append(built)


class _Fitted(NamedTuple):
    """Rows in Arrow, and the rejects for those that do not fit the schemas, which are among them."""

    tables: dict[str, Any]
    failed: list[Row]


class _Small(NamedTuple):
    """A log that came to its end and is not yet in Arrow. size: its hands and rejects."""

    content: str
    games: list[GameRows]
    rejected: list[Row]
    size: int


class _Ended(NamedTuple):
    """Logs that came to their end, in order: those in Arrow, then the small ones."""

    waiting: list[_Pending]
    small: list[_Small]


class LogResult(NamedTuple):
    """What a log gave, and its rejects that were found only when its rows were turned into Arrow."""

    stored: StoredSource
    late: list[Row]


def _packed(pendings: list[_Pending]) -> _Pending:
    packed = _Pending()
    for table, chunks in packed.tables.items():
        if small := [chunk for pending in pendings for chunk in pending.tables[table]]:
            chunks.append(pa.concat_tables(small).combine_chunks())
    packed.hands = sum(pending.hands for pending in pendings)
    packed.logs = [log for pending in pendings for log in pending.logs]
    return packed


class _Holders:
    """The file and the number of hands of each game that the store has."""

    def __init__(self) -> None:
        self._games = IdMap()
        self._files = Texts()
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
            for game, file, hands in store.game_files(batch):
                if hands or self._holders.get(game) is None:
                    self._holders.put(game, file, hands)
            self._old_pieces.setdefault(batch.rpartition("-")[0], []).append(batch)
        # Changed by one append or assignment at a time, so that an interrupt never finds half a log, or one twice.
        self._ended = _Ended([], [])
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
                    self._holders.discard(game_id)

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
        self._holders.put(game_id, game.game["file"], len(game.hands))
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

    def end(self) -> list[LogResult]:
        """The log is at its end. Returns the results of this log and of logs before it that are known by now."""
        size = self._row_hands + len(self._rejected) + sum(len(game.rejects) for game in self._rows)
        small = not self._written and not self._open.hands and size < _SMALL_HANDS
        results = self._make_room(size) if small else self._settle()
        if small:
            self._ended.small.append(_Small(self._content, self._rows, self._rejected, size))
            self._start("")
            if sum(log.size for log in self._ended.small) >= _CHUNK_HANDS:
                results += self._settle()
            return results
        late = self._convert()
        stored = _stored(self._content, self._counts, self._codes)
        # A log whose reader failed is not remembered, so that a mended reader gets it again.
        self._open.logs.append((self._content, None if READER_FAILED in self._codes else stored))
        if self._written:
            self._write_piece()
            for batch in self._old_pieces.get(self._content, [])[self._written :]:
                self._store.remove(batch)
        else:
            results += self._make_room(self._open.hands)
            self._ended.waiting.append(self._open)
            self._pack()
        self._start("")
        return [*results, LogResult(stored, late)]

    def flush(self) -> list[LogResult]:
        """Write the logs that came to their end. Returns the results of those that `end` did not return."""
        results = self._settle()
        if self._ended.waiting:
            batch = _packed(self._ended.waiting)
            contents = [content for content, _ in batch.logs]
            self._write(f"{contents[0] if len(contents) == 1 else joint_content_id(contents)}-0000", batch)
        self._ended = _Ended([], [])
        return results

    def _make_room(self, size: int) -> list[LogResult]:
        """Writes what waits if a log of this size does not fit into one batch with it."""
        if self._waiting_hands + size > self._batch_hands or self._waiting_logs >= _BATCH_LOGS:
            return self.flush()
        return []

    def _pack(self) -> None:
        if len(self._ended.waiting) >= _CHUNK_LOGS:
            self._ended = _Ended([_packed(self._ended.waiting)], self._ended.small)

    def _settle(self) -> list[LogResult]:
        """The small logs to Arrow, together if their rows fit the schemas, else each for itself."""
        small = self._ended.small
        if not small:
            return []
        try:
            games = [game for log in small for game in log.games]
            groups = [(small, _Fitted(_tables(games, [row for log in small for row in log.rejected]), []))]
        except ValueError:
            groups = [([log], self._fitted(log.games, log.rejected)) for log in small]
        pendings: list[_Pending] = []
        results: list[LogResult] = []
        for logs, fitted in groups:
            pending = _Pending()
            pending.take(fitted.tables)
            pending.hands = sum(log.size for log in logs) + len(fitted.failed)
            for log in logs:
                counts, codes = _counted(fitted.tables) if len(logs) == 1 else _counted_rows(log)
                stored = _stored(log.content, counts, codes)
                pending.logs.append((log.content, None if READER_FAILED in codes else stored))
                results.append(LogResult(stored, fitted.failed))
            pendings.append(pending)
        self._ended = _Ended([*self._ended.waiting, *pendings], [])
        self._pack()
        return results

    @property
    def _waiting_hands(self) -> int:
        return sum(pending.hands for pending in self._ended.waiting) + sum(log.size for log in self._ended.small)

    @property
    def _waiting_logs(self) -> int:
        return sum(len(pending.logs) for pending in self._ended.waiting) + len(self._ended.small)

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
        """Rows of the log to Arrow. Returns the rejects that were found only now."""
        tables, failed = self._fitted(self._rows, self._rejected)
        self._open.take(tables)
        counts, codes = _counted(tables)
        self._counts.update(counts)
        self._codes.update(codes)
        # Rejects count too: a file of nothing else must not grow in memory.
        self._open.hands += self._row_hands + counts["rejects"]
        self._rows, self._rejected, self._row_hands = [], [], 0
        return failed

    def _fitted(self, games: list[GameRows], rejected: list[Row]) -> _Fitted:
        """Rows in Arrow. Rows that do not fit the schemas are a fault of their reader: they become a reject."""
        failed: list[Row] = []
        try:
            return _Fitted(_tables(games, rejected), failed)
        except ValueError:
            good_games, good_rejected = [], []
            for game in games:
                if (error := _misfit([game], [])) is None:
                    good_games.append(game)
                else:
                    failed.append(_failed(game.game, error))
                    self._holders.discard(game.game["game_id"])
            for row in rejected:
                if (error := _misfit([], [row])) is None:
                    good_rejected.append(row)
                else:
                    failed.append(_failed(row, error))
            return _Fitted(_tables(good_games, [*good_rejected, *failed]), failed)


def _counted(tables: dict[str, Any]) -> tuple[Counter[str], Counter[str]]:
    """Rows by table, and rejects by code."""
    counts = Counter({table: built.num_rows for table, built in tables.items()})
    return counts, Counter(tables["rejects"].column("code").to_pylist())


def _counted_rows(log: _Small) -> tuple[Counter[str], Counter[str]]:
    """As `_counted`, from rows that fit the schemas."""
    rows = parts.rows_by_table(log.games, log.rejected)
    return Counter({table: len(found) for table, found in rows.items()}), Counter(
        row["code"] for row in rows["rejects"]
    )


def _stored(content: str, counts: Counter[str], codes: Counter[str]) -> StoredSource:
    return StoredSource(content, counts["games"], counts["hands"], counts["wins"], dict(sorted(codes.items())))


def _tables(games: list[GameRows], rejected: list[Row]) -> dict[str, Any]:
    return {table: parts.build(table, rows) for table, rows in parts.rows_by_table(games, rejected).items()}


def _duplicate(game: GameRows, holder: str, held: int) -> Row:
    row = game.game
    known = row.get("log_id") or row["game_id"]
    hands = row.get("n_hands")
    if not hands or held == hands:
        code = DUPLICATE
        message = f"game {known} is already in the store from {holder}; it is kept once, nothing to do"
    else:
        code = "other_game"
        message = (
            f"game {known} is in the store from {holder} with {held} {'hand' if held == 1 else 'hands'} and comes here "
            f"with {hands}; "
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
