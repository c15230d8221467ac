"""The Parquet store: a folder of part files that is never in a half state.

    <store>/<table>/<batch>.parquet                    table = games, hands, seats, wins, rejects
    <store>/scores/<preset id>/<hash>/<batch>.parquet

A batch exists for readers once its `games` part does. A new batch is written under temporary names (leading dot), its
children are renamed first and `games` last. Replacing a batch by other content goes through an intent,
`games/.<batch>.commit`: from its rename on the new content wins, and whoever comes next finishes the renames. Writers
hold an operating-system lock on the store folder, which dies with their process. No state lives anywhere else.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from ingest import parts
from ingest.errors import UsageError
from ingest.sources import display

if sys.platform != "win32":
    import fcntl

TABLES: Final = ("games", "hands", "seats", "wins", "rejects")
_CHILDREN: Final = TABLES[1:]
_SOURCES: Final = b"paipu.sources"
_KEY_FILE: Final = "anonymise.key"
_SCORE_LEFTOVER_SECONDS: Final = 3600


class StoredSource(msgspec.Struct, frozen=True):
    """A log whose last row stands in a batch: what a repeated ingest needs to skip it and still report it.

    content: content_id of the decompressed log. rejects: number of reject rows by code.
    """

    content: str
    games: int = 0
    hands: int = 0
    wins: int = 0
    rejects: dict[str, int] = msgspec.field(default_factory=dict)


class Store:
    """A store folder. Use `Store.open` or `Store.create`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock_depth = 0

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store at `path`. Raises UsageError when there is none."""
        path = _named(path)
        if not (path / "games").is_dir():
            raise UsageError(f"{path}: no store here; make one with `paipu ingest PATH… --store {path}`")
        store = cls(path)
        if store._intents():
            # A replacement was cut off after its point of no return; a reader may finish it unless a writer will.
            with suppress(UsageError, BlockingIOError), store._locked(wait=False):
                store._recover()
        return store

    @classmethod
    def create(cls, path: str | Path) -> Store:
        """The store at `path`, made if there is none. Raises UsageError when the folder cannot be made."""
        path = _named(path)
        if path.is_dir() and not (path / "games").is_dir():
            ours = {*TABLES, "scores", _KEY_FILE}
            if any(p.name not in ours and not p.name.startswith(".") for p in path.iterdir()):
                raise UsageError(f"{path}: a folder with other files in it; give an empty or new folder as --store")
        with _one_line(path):
            for table in (*_CHILDREN, "games"):
                (path / table).mkdir(parents=True, exist_ok=True)
        return cls.open(path)

    # Reading

    def batches(self) -> list[str]:
        """Names of the committed batches, sorted."""
        pending = set(self._intents())
        names = (p.name.removesuffix(".parquet") for p in (self.path / "games").glob("*.parquet"))
        return sorted(name for name in names if not name.startswith(".") and name not in pending)

    def part(self, table: str, batch: str) -> Path:
        """Where the part of a table and batch stands."""
        return self.path / table / f"{batch}.parquet"

    def parts(self, table: str) -> list[Path]:
        """Part files of the table, committed batches only."""
        return [self.part(table, batch) for batch in self.batches()]

    def read(self, table: str, batch: str, columns: Sequence[str] | None = None) -> Any:
        """Arrow table of one part. Raises UnreadableInputError for a damaged part or one of another version."""
        return parts.read(table, self.part(table, batch), columns)

    def verify(self, tables: Sequence[str] = TABLES) -> None:
        """Raises UnreadableInputError naming the first part that is missing, damaged or of another version.

        Reads footers only. Call it before an engine with its own Parquet reader gets the paths of `parts`.
        """
        for table in tables:
            for path in self.parts(table):
                parts.metadata_of(table, path)

    def sources(self) -> Iterator[StoredSource]:
        """The logs that stand in the store to their end."""
        for path in self.parts("games"):
            raw = parts.metadata_of("games", path).get(_SOURCES)
            if raw:
                yield from msgspec.json.decode(raw, type=list[StoredSource])

    def game_files(self, batch: str) -> list[tuple[str, str, int]]:
        """(game_id, file, number of hands) of each game of the batch."""
        columns = ["game_id", "file", "n_hands"]
        table = self.read("games", batch, columns)
        return list(zip(*(table.column(name).to_pylist() for name in columns), strict=True))

    # Writing

    @contextmanager
    def writing(self, *, on_wait: Callable[[], None] | None = None) -> Iterator[None]:
        """Hold the store for writing: wait for another writer (on_wait is called first), clean up after killed runs."""
        if self._lock_depth:
            self._lock_depth += 1
            try:
                yield
            finally:
                self._lock_depth -= 1
            return
        with ExitStack() as held:
            try:
                held.enter_context(self._locked(wait=False))
            except BlockingIOError:
                if on_wait:
                    on_wait()
                held.enter_context(self._locked(wait=True))
            self._lock_depth = 1
            try:
                with _one_line(self.path):
                    self._recover()
                    self._clean()
                yield
            finally:
                self._lock_depth = 0

    def write(self, batch: str, tables: Mapping[str, Any], *, sources: Sequence[StoredSource] = ()) -> None:
        """Write or replace one batch, given as Arrow tables of ingest.parts.build; all of it or nothing.

        sources: the logs that end in this batch. Raises UsageError for a full disk or a read-only folder.
        """
        about = {"games": {_SOURCES: msgspec.json.encode(list(sources))}}
        data = {table: parts.encode(table, tables[table], metadata=about.get(table)) for table in TABLES}
        with self.writing(), _one_line(self.path):
            exists = self.part("games", batch).exists()
            if exists and all(self._holds(table, batch, data[table]) for table in TABLES):
                return
            try:
                for table in TABLES:
                    _write_synced(self._temporary(table, batch), data[table])
                if exists:
                    self._temporary("games", batch).rename(self._intent(batch))
                    _sync_folder(self.path / "games")
            except BaseException:
                for table in TABLES:
                    self._temporary(table, batch).unlink(missing_ok=True)
                raise
            self._finish(batch, self._intent(batch) if exists else self._temporary("games", batch))

    def remove(self, batch: str) -> None:
        """Take a batch and its scores out of the store."""
        with self.writing(), _one_line(self.path):
            self.part("games", batch).unlink(missing_ok=True)
            _sync_folder(self.path / "games")
            self._drop_scores(batch)
            for table in _CHILDREN:
                self.part(table, batch).unlink(missing_ok=True)

    # Scores

    def score_part(self, preset_id: str, preset_hash: str, batch: str) -> Path:
        """Where the scores of a batch under a preset stand."""
        return self.path / "scores" / preset_id / preset_hash / f"{batch}.parquet"

    def score_parts(self) -> list[tuple[str, str, str, Path]]:
        """(preset id, preset hash, batch, path) of each score part of a committed batch, sorted."""
        committed = set(self.batches())
        found = [
            (path.parent.parent.name, path.parent.name, path.stem, path)
            for path in (self.path / "scores").glob("*/*/*.parquet")
            if path.stem in committed and not path.name.startswith(".")
        ]
        return sorted(found)

    @contextmanager
    def new_score_part(self, preset_id: str, preset_hash: str, batch: str) -> Iterator[Path]:
        """A path to write a score part to; it takes its place when the block ends without an error."""
        final = self.score_part(preset_id, preset_hash, batch)
        temporary = final.with_name(f".{batch}.{os.getpid()}.tmp")
        with _one_line(self.path):
            final.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield temporary
                _sync(temporary)
                temporary.replace(final)
                _sync_folder(final.parent)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

    # Anonymous players

    def player_key(self, *, make: bool = False) -> bytes | None:
        """The key that hides player names in this store, None when it keeps them. make: make one if there is none."""
        path = self.path / _KEY_FILE
        with suppress(FileNotFoundError):
            return path.read_bytes()
        if not make:
            return None
        with self.writing(), _one_line(self.path):
            temporary = self.path / f".{_KEY_FILE}.tmp"
            temporary.unlink(missing_ok=True)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
            _sync(temporary)
            temporary.replace(path)
            _sync_folder(self.path)
        return path.read_bytes()

    # How a batch gets in place

    def _temporary(self, table: str, batch: str) -> Path:
        return self.path / table / f".{batch}.tmp"

    def _intent(self, batch: str) -> Path:
        return self.path / "games" / f".{batch}.commit"

    def _intents(self) -> list[str]:
        return [p.name[1:].removesuffix(".commit") for p in (self.path / "games").glob(".*.commit")]

    def _holds(self, table: str, batch: str, data: bytes) -> bool:
        with suppress(FileNotFoundError):
            return self.part(table, batch).read_bytes() == data
        return False

    def _finish(self, batch: str, games: Path) -> None:
        """The renames of a batch whose new parts are all on disk; safe to repeat."""
        self._drop_scores(batch)
        for table in _CHILDREN:
            with suppress(FileNotFoundError):
                self._temporary(table, batch).replace(self.part(table, batch))
            _sync_folder(self.path / table)
        games.replace(self.part("games", batch))
        _sync_folder(self.path / "games")

    def _drop_scores(self, batch: str) -> None:
        for path in (self.path / "scores").glob(f"*/*/{batch}.parquet"):
            path.unlink()

    def _recover(self) -> None:
        for batch in self._intents():
            self._finish(batch, self._intent(batch))

    def _clean(self) -> None:
        committed = set(self.batches())
        for table in TABLES:
            for path in (self.path / table).iterdir():
                leftover = path.name.startswith(".") and path.suffix == ".tmp"
                orphan = table != "games" and path.suffix == ".parquet" and path.stem not in committed
                if leftover or orphan:
                    path.unlink()
        # A rescore may be writing scores beside us, so only what is surely abandoned goes.
        for path in (self.path / "scores").glob("*/*/.*.tmp"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _SCORE_LEFTOVER_SECONDS:
                    path.unlink()

    @contextmanager
    def _locked(self, *, wait: bool) -> Iterator[None]:
        """The lock itself. Raises BlockingIOError when another process holds it and wait is False."""
        if sys.platform == "win32":
            # No lock on folders there; two writers at once are the user's care.
            yield
            return
        with _one_line(self.path):
            folder = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(folder)


def _named(path: str | Path) -> Path:
    """The path, if the engines that read the store can be given its name. Raises UsageError."""
    path = Path(path)
    try:
        os.fspath(path.absolute()).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{display(path)}: a store needs a path in UTF-8; rename the folder") from None
    return path


@contextmanager
def _one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or path
        raise UsageError(
            f"{where}: cannot write the store: {error.strerror or error}; nothing half written is left"
        ) from error


def _write_synced(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Make renames in the folder durable; where folders cannot be synced (Windows) the rename alone has to do."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
