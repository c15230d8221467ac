"""From paths to logs: files, folders, globs, gzip and the members of zip archives, each as one `Log` to read.

What a file is, is told by its first bytes, never by its suffix. Nothing is unpacked to disk.
"""

from __future__ import annotations

import glob
import gzip
import io
import lzma
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from ingest.errors import UnreadableInputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES: Final = 1 << 16
MAX_RATIO: Final = 200
"""Logs are text and pack 5 to 40 times; what unpacks to more than this times its size …"""
MAX_MEMBER_BYTES: Final = 256 << 20
"""… and to more than this in one gzip or zip member …"""
MAX_ARCHIVE_BYTES: Final = 1 << 30
"""… or to more than this over a whole zip, is refused as a decompression bomb."""

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_GZIP_DEPTH: Final = 2
# A member's own header; of its fields the lengths of the name and of the extra field that stand before the content.
_HEADER: Final = struct.Struct("<26x2H")
# zipfile raises the last three for a member whose compression or encryption it does not know, and for a directory of
# impossible names and numbers.
_BROKEN: Final = (
    EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError
)  # fmt: skip


@dataclass(frozen=True)
class Log:
    """One log: a file, or the member of a zip; a gzip inside either is unpacked while reading.

    named: the user gave this very file, so a content that is no log is an error and not a file to pass over.
    """

    path: Path
    member: zipfile.ZipInfo | None = None
    named: bool = False

    @property
    def name(self) -> str:
        """Path as given, `archive.zip!/member` for a member; bytes that are not UTF-8 are written as \\xNN."""
        shown = display(self.path)
        return shown if self.member is None else f"{shown}!/{self.member.filename.encode('utf-8', 'replace').decode()}"

    @property
    def head(self) -> bytes:
        """The first 64 KiB, fewer where the content is shorter or breaks off."""
        with self.open() as stream:
            found = b""
            try:
                while len(found) < HEAD_BYTES and (
                    piece := cast(io.BufferedReader, stream).read1(HEAD_BYTES - len(found))
                ):
                    found += piece
            except UnreadableInputError:
                if not found:
                    raise
            return found

    def open(self) -> BinaryIO:
        """The content from its beginning. Raises UnreadableInputError here, or from a read where it breaks off."""
        try:
            raw, size = self._raw()
        except _BROKEN as error:
            raise UnreadableInputError(f"{self.name}: {_reason(error)}") from error
        stream = io.BufferedReader(_Guarded(raw, self.name), 1 << 16)
        try:
            for _ in range(_GZIP_DEPTH):
                if stream.peek(2)[:2] != _GZIP:
                    break
                unpacked = gzip.GzipFile(fileobj=stream, mode="rb")
                stream = io.BufferedReader(
                    _Guarded(cast(BinaryIO, unpacked), self.name, also=stream, packed=size), 1 << 16
                )
            if stream.peek(4)[:4] in _ZIP:
                raise UnreadableInputError(f"{self.name}: an archive inside an archive; unpack the outer one first")
        except BaseException:
            stream.close()
            raise
        return stream

    def _raw(self) -> tuple[BinaryIO, int]:
        """The packed bytes and how many there are."""
        if self.member is None:
            return self.path.open("rb"), self.path.stat().st_size
        return _open_member(self.path, self.member), self.member.compress_size


def _open_member(archive: Path, member: zipfile.ZipInfo) -> BinaryIO:
    """The content of a member. An open ZipFile would keep 600 bytes a member in every process that reads."""
    file = archive.open("rb")
    try:
        file.seek(member.header_offset)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or header[:4] != _ZIP[0]:
            raise zipfile.BadZipFile("bad magic number for file header")
        file.seek(sum(_HEADER.unpack(header)), os.SEEK_CUR)
        return cast(BinaryIO, zipfile.ZipExtFile(file, "r", member, close_fileobj=True))
    except BaseException:
        file.close()
        raise


class _Guarded(io.RawIOBase):
    """A stream that says UnreadableInputError, with the log's name, for whatever breaks below it."""

    def __init__(self, below: BinaryIO, name: str, *, also: BinaryIO | None = None, packed: int | None = None) -> None:
        self._below = below
        self._name = name
        self._also = also
        self._packed = packed
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        try:
            piece = self._below.read1(len(view)) if hasattr(self._below, "read1") else self._below.read(len(view))
        except _BROKEN as error:
            raise UnreadableInputError(f"{self._name}: {_reason(error)}") from error
        self._given += len(piece)
        if self._packed is not None and self._given > max(MAX_MEMBER_BYTES, MAX_RATIO * self._packed):
            raise UnreadableInputError(f"{self._name}: {_BOMB}; unpack it yourself if you trust it")
        view[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self._below.close()
            if self._also is not None:
                self._also.close()
        super().close()


_BOMB: Final = f"unpacks to more than {MAX_RATIO} times its size, which no log does (a decompression bomb?)"


def find_logs(
    paths: Iterable[str | Path], *, store: Path | None = None, on_problem: Callable[[UnreadableInputError], None]
) -> Iterator[Log]:
    """The logs under the paths: in the order given, folders and globs sorted. What cannot be read goes to on_problem.

    store: a folder to pass over when it lies inside one of the paths.
    """
    for path in paths:
        if path == "":
            # An unset variable of a shell; as a Path it would be the current folder.
            on_problem(UnreadableInputError("an empty path; name a file or folder"))
            continue
        empty = Path(path).is_dir()
        for log in _find(Path(path), store, on_problem):
            empty = False
            yield log
        if empty:
            on_problem(UnreadableInputError(f"{display(Path(path))}: no files in this folder"))


def display(path: Path) -> str:
    """The path as text that can be printed and stored."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _find(path: Path, store: Path | None, on_problem: Callable[[UnreadableInputError], None]) -> Iterator[Log]:
    try:
        if path.is_dir():
            for file in _walk(path, store, on_problem):
                yield from _expand(file, False, on_problem)
        elif path.is_file():
            yield from _expand(path, True, on_problem)
        elif path.exists():
            on_problem(UnreadableInputError(f"{display(path)}: not a regular file; save its content to a file first"))
        elif glob.has_magic(str(path)):
            matches = sorted(glob.glob(str(path), recursive=True))
            if not matches:
                on_problem(UnreadableInputError(f"{display(path)}: no file matches this pattern"))
            for match in matches:
                if Path(match).is_file():
                    yield from _expand(Path(match), False, on_problem)
                elif not re.search(r"\*\*", str(path)):
                    # `**` already lists what lies inside the folders it matches.
                    yield from _find(Path(match), store, on_problem)
        else:
            on_problem(UnreadableInputError(f"{display(path)}: no such file or folder"))
    except OSError as error:
        on_problem(UnreadableInputError(f"{display(path)}: {_reason(error)}"))


def _walk(folder: Path, store: Path | None, on_problem: Callable[[UnreadableInputError], None]) -> Iterator[Path]:
    own = store.resolve() if store is not None else None

    def failed(error: OSError) -> None:
        on_problem(UnreadableInputError(f"{display(Path(error.filename))}: {_reason(error)}"))

    for root, folders, files in os.walk(folder, onerror=failed):
        here = Path(root)
        folders[:] = sorted(
            d for d in folders if not d.startswith(".") and (own is None or (here / d).resolve() != own)
        )
        for name in sorted(files):
            if not name.startswith(".") and (here / name).is_file():
                yield here / name


def _expand(path: Path, named: bool, on_problem: Callable[[UnreadableInputError], None]) -> Iterator[Log]:
    try:
        with path.open("rb") as file:
            start = file.read(4)
        if start not in _ZIP:
            yield Log(path, named=named)
            return
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except _BROKEN as error:
        on_problem(UnreadableInputError(f"{display(path)}: {_reason(error)}"))
        return
    unpacked = sum(info.file_size for info in members)
    if named and not members:
        on_problem(UnreadableInputError(f"{display(path)}: the archive is empty"))
    if unpacked > max(MAX_ARCHIVE_BYTES, MAX_RATIO * path.stat().st_size):
        on_problem(UnreadableInputError(f"{display(path)}: {_BOMB}; unpack it yourself if you trust it"))
        return
    for info in sorted(members, key=lambda member: member.filename):
        parts = re.split(r"[/\\]", info.filename)
        if info.filename.endswith("/") or parts[0] == "__MACOSX" or (parts[-1].startswith(".") and parts[-1] != ".."):
            continue
        log = Log(path, info)
        if problem := _unsafe(info, parts):
            on_problem(UnreadableInputError(f"{log.name}: {problem}"))
        elif archive.getinfo(info.filename) is not info:
            on_problem(
                UnreadableInputError(f"{log.name}: the archive holds two members of this name; only the last is read")
            )
        else:
            yield log


def _unsafe(info: zipfile.ZipInfo, parts: list[str]) -> str | None:
    if parts == [""]:
        return "refused, an archive member without a name; pack the archive again"
    if parts[0] == "" or re.match(r"[A-Za-z]:", parts[0]):
        return "refused, an archive member with an absolute path; pack the archive again with plain names"
    if ".." in parts:
        return (
            "refused, an archive member whose path leaves the archive ('..'); pack the archive again with plain names"
        )
    if info.flag_bits & 1:
        return "refused, an encrypted archive member; unpack the archive with its password first"
    if info.file_size > max(MAX_MEMBER_BYTES, MAX_RATIO * info.compress_size):
        return f"{_BOMB}; unpack it yourself if you trust it"
    return None


def _reason(error: BaseException) -> str:
    # bz2 has no error of its own: it raises an OSError without a number.
    bare = isinstance(error, OSError) and error.errno is None
    if bare or isinstance(error, (EOFError, zlib.error, lzma.LZMAError)):
        return "breaks off or is damaged here, what came before is kept; get the file again"
    if isinstance(error, (zipfile.BadZipFile, ValueError)):
        return f"a damaged zip archive ({error}); get the file again"
    if isinstance(error, (NotImplementedError, RuntimeError)):
        return f"a zip member that cannot be unpacked ({error}); unpack the archive yourself"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
