"""The ingest job: logs → checked games → batches of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from ingest import formats
from ingest.batches import BATCH_HANDS, DUPLICATE, BatchWriter
from ingest.chunks import Chunk, GameHead
from ingest.errors import RecordError, UnreadableInputError, UsageError
from ingest.logreader import Closed, Opened, Reading
from ingest.packed import IdMap, PackedList
from ingest.record import Row
from ingest.sources import Log, display, find_logs
from ingest.store import Store, StoredSource
from ingest.workers import read_logs

_SHOWN_REJECTS = 20


class IngestReport(msgspec.Struct):
    """What a run found. games, hands, wins and rejects count what these logs have in the store.

    files: logs read or unchanged. unchanged: logs the store held already. repeated: logs whose content came twice in
    this run. skipped: files of no known format inside folders and archives. unreadable: one line each.
    examples: the first rows of `rejects`.
    """

    files: int = 0
    unchanged: int = 0
    repeated: int = 0
    games: int = 0
    hands: int = 0
    wins: int = 0
    duplicates: int = 0
    rejects: dict[str, int] = msgspec.field(default_factory=dict)
    examples: list[Row] = msgspec.field(default_factory=list)
    skipped: list[str] = msgspec.field(default_factory=list)
    unreadable: list[str] = msgspec.field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """3 when something could not be read, else 1 when something was rejected, else 0; duplicates do not count."""
        return 3 if self.unreadable else 1 if self.rejects else 0

    def count(self, stored: StoredSource) -> None:
        """Adds a log."""
        self.files += 1
        self.games += stored.games
        self.hands += stored.hands
        self.wins += stored.wins
        self.duplicates += stored.rejects.get(DUPLICATE, 0)
        for code, number in stored.rejects.items():
            if code != DUPLICATE:
                self.rejects[code] = self.rejects.get(code, 0) + number


class Progress(NamedTuple):
    """Where a run is: logs done of all logs, hands read, and the log being read."""

    done: int
    total: int
    hands: int
    name: str


def ingest(
    paths: Iterable[str | Path],
    store: Store,
    *,
    strict: bool = False,
    format: str | None = None,
    anonymise: bool = False,
    jobs: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
    on_wait: Callable[[], None] | None = None,
    batch_hands: int = BATCH_HANDS,
) -> IngestReport:
    """Read the logs under the paths into the store. Logs the store holds already are not read again.

    format: read everything as this format, whatever it looks like. strict: stop at the first bad game or hand.
    anonymise: store hashes for player names; a store that began so goes on so. jobs: processes that read.
    on_wait: called once when another process is writing to the store and has to be waited for.

    Raises UsageError (unknown format, store that cannot be written), RecordError in strict mode. Before it lets a
    RecordError or KeyboardInterrupt through, it writes the logs that came to their end.
    """
    if format is not None:
        formats.load(format)
    run = _Run(store, strict=strict, on_progress=on_progress)
    with store.writing(on_wait=on_wait):
        run.stored = _Stored(store)
        reading = Reading(format=format, player_key=_player_key(store, anonymise), known=run.stored.contents)
        for log in find_logs(paths, store=store.path, on_problem=run.unreadable):
            run.logs.append(log)
        run.writer = BatchWriter(store, batch_hands=batch_hands)
        try:
            with closing(read_logs(run.logs, reading, jobs=jobs)) as chunks:
                run.take(chunks)
        except (KeyboardInterrupt, RecordError):
            run.writer.flush()
            raise
        run.writer.flush()
    return run.finished()


def _player_key(store: Store, anonymise: bool) -> bytes | None:
    key = store.player_key()
    if anonymise and key is None:
        if store.batches():
            raise UsageError(f"{display(store.path)}: holds players' names already; --anonymise needs a new --store")
        key = store.player_key(make=True)
    return key


class _Stored:
    """What the store holds of each log; logs with the same counts share them."""

    def __init__(self, store: Store) -> None:
        self.contents = IdMap()
        numbers: dict[bytes, int] = {}
        for source in store.sources():
            counts = msgspec.json.encode(msgspec.structs.replace(source, content=""))
            self.contents[source.content] = numbers.setdefault(counts, len(numbers))
        self._counts = [msgspec.json.decode(counts, type=StoredSource) for counts in numbers]

    def __getitem__(self, content: str) -> StoredSource:
        return self._counts[self.contents[content]]


class _Run:
    """State of one run."""

    stored: _Stored
    writer: BatchWriter

    def __init__(self, store: Store, *, strict: bool, on_progress: Callable[[Progress], None] | None) -> None:
        self.logs = PackedList[Log]()
        self._report = IngestReport()
        self._strict = strict
        self._on_progress = on_progress
        self._read = IdMap()
        self._done = 0
        self._hands = 0

    def unreadable(self, error: UnreadableInputError) -> None:
        self._report.unreadable.append(str(error))

    def take(self, chunks: Iterable[Chunk]) -> None:
        """Takes the messages of all logs, in their order."""
        logs = iter(self.logs)
        log = None
        reading = False
        for chunk in chunks:
            slices = chunk.slices()
            for message in chunk.messages:
                if log is None:
                    log = next(logs)
                    self._progress(log)
                match message:
                    case Opened(content, state):
                        reading = self._opened(log, content, state)
                    case GameHead():
                        rows = next(slices)
                        if reading:
                            self._hands += message.hands
                            self._rejected(self.writer.add(message, rows))
                            self._progress(log)
                    case Closed(problem, died):
                        if problem is not None:
                            self._report.unreadable.append(problem)
                        if reading:
                            self._report.count(self.writer.end(whole=not died))
                        self._done += 1
                        self._progress(log)
                        log, reading = None, False
                    case _ if reading:
                        self._rejected([self.writer.reject(message)])

    def _opened(self, log: Log, content: str, state: str) -> bool:
        """Whether the log is one to read."""
        if state == "known":
            self._report.unchanged += 1
            self._report.count(self.stored[content])
        elif state != "new":
            self._not_a_log(log, state)
        elif content in self._read:
            self._report.repeated += 1
        else:
            self._read.add(content)
            self.writer.begin(content)
            return True
        return False

    def finished(self) -> IngestReport:
        report = self._report
        if report.skipped and not report.files and not report.unreadable:
            report.unreadable.append(f"no log of a known format among {len(report.skipped)} files; see `paipu formats`")
        return report

    def _not_a_log(self, log: Log, state: str) -> None:
        if not log.named:
            self._report.skipped.append(log.name)
        elif state == "empty":
            self._report.unreadable.append(f"{log.name}: the file is empty")
        else:
            self._report.unreadable.append(
                f"{log.name}: unknown_format, no format of `paipu formats` begins like this; give --format if it is one"
            )

    def _rejected(self, rows: list[Row]) -> None:
        for row in rows:
            if row["code"] == DUPLICATE:
                continue
            if self._strict:
                raise RecordError(row["code"], reject_line(row), hand=row.get("hand_no"), event=row.get("event_no"))
            if len(self._report.examples) < _SHOWN_REJECTS:
                self._report.examples.append(row)

    def _progress(self, log: Log) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(self._done, len(self.logs), self._hands, log.name))


def reject_line(row: Row) -> str:
    """One line for a row of `rejects`: file, line, game, hand and event where known, then what is wrong."""
    where = [str(row["file"])]
    for key, word in (("position", "line"), ("log_id", "game"), ("hand_no", "hand"), ("event_no", "event")):
        if row.get(key) is not None:
            where.append(f"{word} {row[key]}")
    return f"{', '.join(where)}: {row['message']} [{row['code']}]"
