"""Finding logs: folders, patterns, gzip, zip; what is unsafe or broken is refused by name and the rest is kept."""

from __future__ import annotations

import gzip
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest import sources
from ingest.errors import UnreadableInputError
from ingest.sources import Log, find_logs


def find(*paths: str | Path, store: Path | None = None) -> tuple[list[Log], list[str]]:
    problems: list[str] = []
    logs = list(find_logs(paths, store=store, on_problem=lambda error: problems.append(str(error))))
    return logs, problems


def content(log: Log) -> bytes:
    with log.open() as stream:
        return stream.read()


def zip_of(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name) if name.startswith("/") else name, data)
    return path


def test_a_folder_is_read_sorted_with_the_folders_below_and_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.json", "a/y.json", ".git/config", ".hidden", "c.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    logs, problems = find(tmp_path)
    assert [content(log) for log in logs] == [b"b.json", b"c.json", b"a/y.json", b"a/z.json"]
    assert problems == []
    assert not any(log.named for log in logs)


def test_the_store_inside_a_folder_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "store/games").mkdir(parents=True)
    (tmp_path / "store/games/x.parquet").write_bytes(b"x")
    (tmp_path / "a.json").write_bytes(b"a")
    logs, _ = find(tmp_path, store=tmp_path / "store")
    assert [log.path.name for log in logs] == ["a.json"]


def test_patterns_are_expanded_sorted(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "c.txt", "d/e.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert [log.path.name for log in find(tmp_path / "*.json")[0]] == ["a.json", "b.json"]
    assert [log.path.name for log in find(tmp_path / "**/*.json")[0]] == ["a.json", "b.json", "e.json"]
    assert find(tmp_path / "*.csv") == ([], [f"{tmp_path}/*.csv: no file matches this pattern"])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "game[1].json").write_bytes(b"one")
    (tmp_path / "game1.json").write_bytes(b"other")
    (log,) = find(tmp_path / "game[1].json")[0]
    assert content(log) == b"one"


def test_gzip_is_told_by_its_bytes_whatever_the_name(tmp_path: Path) -> None:
    (tmp_path / "packed.json").write_bytes(gzip.compress(b"inside"))
    (tmp_path / "plain.gz").write_bytes(b"plain")
    (tmp_path / "twice.gz").write_bytes(gzip.compress(gzip.compress(b"inside")))
    logs, problems = find(tmp_path)
    assert [content(log) for log in logs] == [b"inside", b"plain", b"inside"]
    assert [log.head for log in logs] == [b"inside", b"plain", b"inside"]
    assert problems == []


def test_zip_members_are_logs_and_gzip_inside_is_unpacked(tmp_path: Path) -> None:
    path = zip_of(
        tmp_path / "season.dat",
        {
            "b.json": b"B",
            "a/a.json.gz": gzip.compress(b"A"),
            "__MACOSX/._b.json": b"-",
            ".DS_Store": b"-",
            "empty/": b"",
        },
    )
    logs, problems = find(path)
    assert [(log.name, content(log)) for log in logs] == [
        (f"{path}!/a/a.json.gz", b"A"),
        (f"{path}!/b.json", b"B"),
    ]
    assert problems == []
    assert not logs[0].named


def test_of_two_members_of_one_name_the_last_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.json", b"first")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("x.json", b"last")
    (log,), (problem,) = find(path)
    assert content(log) == b"last"
    assert "x.json: the archive holds two members of this name; only the last is read" in problem


def test_an_archive_behind_other_bytes(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x.json": b"X", "y.json": b"Y"})
    path.write_bytes(path.read_bytes()[:30] + path.read_bytes())
    logs, problems = find(path)
    assert [content(log) for log in logs] == [b"X", b"Y"]
    assert problems == []


def test_a_directory_that_points_beside_a_member_is_damage(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x.json": b"X"})
    path.write_bytes(b"PX" + path.read_bytes()[2:])
    with path.open("r+b") as file:
        file.write(b"PK\x05\x06")
    (log,) = find(path)[0]
    with pytest.raises(UnreadableInputError, match=r"x\.json: a damaged zip archive"):
        content(log)


def test_head_is_64_kib(tmp_path: Path) -> None:
    data = os.urandom(200_000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    (log,) = find(tmp_path / "a.gz")[0]
    assert log.head == data[: 64 * 1024]
    assert content(log) == data


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/etc/passwd", "absolute path"),
        ("C:\\Windows\\x", "absolute path"),
        ("../x.json", r"leaves the archive"),
        ("a/../../x.json", r"leaves the archive"),
        ("a\\..\\..\\x.json", r"leaves the archive"),
    ],
)
def test_unsafe_member_names_are_refused_and_the_others_kept(tmp_path: Path, name: str, reason: str) -> None:
    path = zip_of(tmp_path / "a.zip", {name: b"bad", "good.json": b"good"})
    logs, (problem,) = find(path)
    assert [content(log) for log in logs] == [b"good"]
    assert problem.startswith(f"{path}!/{name}: refused")
    assert reason in problem


def test_encrypted_members_are_refused_and_the_others_kept(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"secret.json": b"bad", "x.json": b"good"}, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    for signature, flags_at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + flags_at] |= 1  # the first member, in its own header and in the directory
    path.write_bytes(data)
    logs, (problem,) = find(path)
    assert [content(log) for log in logs] == [b"good"]
    assert "secret.json: refused, an encrypted archive member" in problem


def test_zip_bomb_is_refused_before_it_is_unpacked_and_the_others_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_MEMBER_BYTES", 1 << 20)
    path = zip_of(tmp_path / "a.zip", {"bomb.json": bytes(2 << 20), "x.json": b"good"})
    logs, (problem,) = find(path)
    assert [content(log) for log in logs] == [b"good"]
    assert "bomb.json: unpacks to more than 200 times its size" in problem


def test_many_small_bombs_in_one_zip_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_ARCHIVE_BYTES", 1 << 20)
    path = zip_of(tmp_path / "a.zip", {f"{n}.json": bytes(1 << 19) for n in range(20)})
    logs, (problem,) = find(path)
    assert logs == []
    assert f"{path}: unpacks to more than 200 times its size" in problem


@pytest.mark.parametrize("packed", ["gz", "gz in zip", "gz in gz"])
def test_gzip_bomb_breaks_off_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str) -> None:
    monkeypatch.setattr(sources, "MAX_MEMBER_BYTES", 1 << 20)
    bomb = gzip.compress(bytes(8 << 20))
    path = tmp_path / "a"
    if packed == "gz in zip":
        zip_of(path, {"bomb.gz": bomb})
    else:
        path.write_bytes(bomb if packed == "gz" else gzip.compress(bomb))
    (log,) = find(path)[0]
    with pytest.raises(UnreadableInputError, match="unpacks to more than 200 times its size"):
        content(log)


def test_well_packed_logs_are_no_bomb(tmp_path: Path) -> None:
    line = b'["draw",0,"5m"],["discard",0,"5m"],'
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(line * 1_000_000))  # 35 MB of the same, far below the limit of one member
    (log,) = find(path)[0]
    assert len(content(log)) == len(line) * 1_000_000


def test_an_archive_inside_an_archive_is_refused(tmp_path: Path) -> None:
    inner = zip_of(tmp_path / "inner.zip", {"x.json": b"x"})
    path = zip_of(tmp_path / "outer.zip", {"inner.zip": inner.read_bytes()})
    (log,) = find(path)[0]
    with pytest.raises(UnreadableInputError, match=r"inner\.zip: an archive inside an archive"):
        log.open()


def test_a_truncated_gzip_gives_what_came_before_the_break(tmp_path: Path) -> None:
    lines = [os.urandom(30).hex().encode() + b"\n" for _ in range(5000)]
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"".join(lines))[:-5000])
    (log,) = find(path)[0]
    read = []
    with log.open() as stream, pytest.raises(UnreadableInputError, match=r"a\.gz: breaks off"):
        read.extend(stream)
    assert 0 < len(read) < len(lines)
    assert read == lines[: len(read)]
    assert log.head == b"".join(lines)[: 64 * 1024]


def test_a_damaged_zip_member_is_named(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x.json": b"x" * 100}, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"x" * 100, b"x" * 99 + b"y"))
    (log,) = find(path)[0]
    with pytest.raises(UnreadableInputError, match=r"x\.json: a damaged zip archive"):
        content(log)


def test_a_truncated_zip_is_named(tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x.json": b"x" * 100})
    path.write_bytes(path.read_bytes()[:-10])
    assert find(path)[0] == []
    assert find(path)[1][0].startswith(f"{path}: a damaged zip archive")


def test_missing_empty_and_special_paths_each_get_a_line(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "x.json").write_bytes(b"x")
    logs, problems = find(tmp_path / "nothing", tmp_path / "empty", tmp_path / "pipe", tmp_path / "x.json")
    assert [content(log) for log in logs] == [b"x"]
    assert [problem.split(": ", 1)[1] for problem in problems] == [
        "no such file or folder",
        "no files in this folder",
        "not a regular file; save its content to a file first",
    ]


def test_special_files_inside_a_folder_are_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "x.json").write_bytes(b"x")
    assert [log.path.name for log in find(tmp_path)[0]] == ["x.json"]


def test_links_to_folders_do_not_lead_round_in_circles(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/x.json").write_bytes(b"x")
    (tmp_path / "a/round").symlink_to(tmp_path)
    assert len(find(tmp_path)[0]) == 1


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xb5P.json"  # big5, as old Windows archives carry it
    Path(os.fsdecode(path)).write_bytes(b"x")
    (log,) = find(tmp_path)[0]
    assert log.name == f"{tmp_path}/\\xb5P.json"
    assert content(log) == b"x"


def test_what_may_not_be_read_is_named_and_the_rest_kept(plain_folder: Path) -> None:
    (plain_folder / "closed").mkdir()
    (plain_folder / "x.json").write_bytes(b"x")
    (plain_folder / "closed.json").write_bytes(b"x")
    (plain_folder / "closed").chmod(0)
    (plain_folder / "closed.json").chmod(0)
    try:
        logs, problems = find(plain_folder)
    finally:
        (plain_folder / "closed").chmod(0o700)
    assert [log.path.name for log in logs] == ["x.json"]
    assert sorted(problems) == [
        f"{plain_folder}/closed.json: permission denied",
        f"{plain_folder}/closed: permission denied",
    ]


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_named_whatever_packed_it(compression: int, tmp_path: Path) -> None:
    path = zip_of(tmp_path / "a.zip", {"x.json": os.urandom(2000)}, compression)
    packed = bytearray(path.read_bytes())
    packed[60] ^= 0xFF
    path.write_bytes(packed)
    (log,), _ = find(path)
    with pytest.raises(UnreadableInputError, match=r"x\.json: breaks off or is damaged|x\.json: a damaged zip"):
        content(log)


def test_an_archive_without_members_is_said(tmp_path: Path) -> None:
    assert find(zip_of(tmp_path / "a.zip", {})) == ([], [f"{tmp_path}/a.zip: the archive is empty"])


def test_an_empty_path_is_not_the_current_folder() -> None:
    assert find("") == ([], ["an empty path; name a file or folder"])


def test_archives_with_impossible_names_and_numbers_cost_nobody_else(tmp_path: Path) -> None:
    """A name of nothing, one that is no UTF-8 though it says so, and an offset beyond all files."""

    def changed(name: str, change: Callable[[bytearray, int], None]) -> Path:
        path = zip_of(tmp_path / name, {"x.json": b"y"})
        raw = bytearray(path.read_bytes())
        change(raw, raw.index(b"PK\x01\x02"))
        path.write_bytes(raw)
        return path

    def no_name(raw: bytearray, at: int) -> None:
        raw[at + 46] = 0

    def not_utf8(raw: bytearray, at: int) -> None:
        raw[at + 9] |= 0x08  # says that it is
        raw[at + 46] = 0xFF

    def far_away(raw: bytearray, at: int) -> None:
        extra = struct.pack("<HHQ", 1, 8, 1 << 63)
        raw[at + 30 : at + 32] = struct.pack("<H", len(extra))
        raw[at + 42 : at + 46] = b"\xff" * 4
        raw[at + 52 : at + 52] = extra
        end = raw.index(b"PK\x05\x06")
        raw[end + 12 : end + 16] = struct.pack("<I", end - at)

    good = zip_of(tmp_path / "0.zip", {"x.json": b"x"})
    changed("1.zip", no_name)
    changed("2.zip", not_utf8)
    distant = changed("3.zip", far_away)
    logs, problems = find(tmp_path)
    assert [log.path for log in logs] == [good, distant]
    assert ["without a name" in problems[0], "a damaged zip archive" in problems[1], len(problems)] == [True, True, 2]
    assert content(logs[0]) == b"x"
    with pytest.raises(UnreadableInputError, match="a damaged zip archive"):
        content(logs[1])
