"""`paipu ingest` and `paipu formats` as a user meets them: exit codes, one line per problem, nothing on stdout."""

from __future__ import annotations

import contextlib
import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from ingest.formats.support import support
from paipu.cli.main import run
from tests.ingest.logs import FIVE_COPIES, jsonl, win

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAIPU_LANG", "en")


_TELLS_WHEN_A_LOG_IS_DONE = """
import sys
from ingest import pipeline
from paipu.cli.main import run

if __name__ == "__main__":
    real = pipeline.ingest
    def told(now):
        if now.done:
            print("done", flush=True)
    pipeline.ingest = lambda *args, **options: real(*args, **{**options, "on_progress": told})
    sys.exit(run())
"""


def paipu(*args: str, program: Sequence[str] = ("-m", "paipu"), **kwargs: Any) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, *program, *args],
        env={**os.environ, "PYTHONPATH": str(REPO)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


def _running(group: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def rows(text: str) -> dict[str, str]:
    """Label -> number of the summary."""
    lines = [line.strip("│ ").split("│") for line in text.splitlines() if line.startswith("│")]
    return {label.strip(): number.strip() for label, number in lines}


def test_a_good_log(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_bytes(jsonl(win("g1", 0), win("g1", 1), win("g2", 0)))
    assert run(["ingest", "a.jsonl"]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert rows(err) == {"logs": "1", "games": "2", "hands": "3", "wins": "3", "rejected": "0"}
    assert Path("paipu-store/games").is_dir()


def test_rejects_are_listed_and_the_exit_code_is_1(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_bytes(jsonl(win("g1", 0), win("g1", 1, hand=FIVE_COPIES)))
    assert run(["ingest", "a.jsonl", "--store", "s"]) == 1
    err = capfd.readouterr().err
    assert err.startswith("paipu: a.jsonl, line 2, game g1, hand 1: ")
    assert err.splitlines()[0].endswith("[five_copies]")
    assert rows(err)["five_copies"] == "1"
    assert run(["ingest", "a.jsonl", "--store", "s"]) == 1, "the rejects are still there"
    assert rows(capfd.readouterr().err)["of these already stored"] == "1"


def test_duplicates_alone_are_no_failure(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_bytes(jsonl(win("g1")))
    Path("b.jsonl").write_bytes(jsonl(win("g1"), win("g2")))
    assert run(["ingest", "a.jsonl", "b.jsonl", "--store", "s"]) == 0
    assert rows(capfd.readouterr().err)["games held from another log"] == "1"


def test_strict(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_bytes(jsonl(win("g1", hand=FIVE_COPIES), win("g2", hand=FIVE_COPIES)))
    assert run(["ingest", "--strict", "a.jsonl"]) == 1
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("paipu: a.jsonl, line 1")


@pytest.mark.parametrize(
    ("make", "args", "code", "line"),
    [
        (lambda: None, ["nothing.jsonl"], 3, "paipu: nothing.jsonl: no such file or folder"),
        (lambda: Path("a").write_bytes(b""), ["a"], 3, "paipu: a: the file is empty"),
        (lambda: Path("a").write_bytes(b"\x00\x01"), ["a"], 3, "paipu: a: unknown_format"),
        (lambda: Path("d").mkdir(), ["d"], 3, "paipu: d: no files in this folder"),
        (lambda: None, ["*.zip"], 3, "paipu: *.zip: no file matches this pattern"),
        (
            lambda: Path("a.gz").write_bytes(gzip.compress(os.urandom(9999))[:5000]),
            ["a.gz", "--format", "paipu"],
            3,
            "paipu: a.gz: breaks off",
        ),
        (
            lambda: None,
            ["x", "--format", "mahjong"],
            2,
            "paipu: there is no format 'mahjong'; did you mean 'mahjong16'?",
        ),
        (lambda: Path("s").write_bytes(b""), ["x", "--store", "s"], 2, "paipu: Invalid value for '--store'"),
        (lambda: None, [], 2, "paipu: Missing argument 'PATH...'"),
    ],
)
def test_one_line_and_the_right_exit_code(
    capfd: pytest.CaptureFixture[str], make: Callable[[], object], args: list[str], code: int, line: str
) -> None:
    make()
    assert run(["ingest", *args]) == code
    out, err = capfd.readouterr()
    assert out == ""
    messages = [text for text in err.splitlines() if text.startswith("paipu: ")]
    assert messages
    assert messages[0].startswith(line)
    assert "Traceback" not in err


def test_a_name_with_a_terminal_escape_is_shown_without_it(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a\x1b[31m.jsonl").write_bytes(b"nothing")
    assert run(["ingest", "a\x1b[31m.jsonl"]) == 3
    assert "\x1b" not in capfd.readouterr().err


@pytest.mark.parametrize(("lang", "label"), [("zh-TW", "牌譜檔"), ("zh-CN", "牌谱文件"), ("en", "logs")])
def test_summary_in_each_language(capfd: pytest.CaptureFixture[str], lang: str, label: str) -> None:
    Path("a.jsonl").write_bytes(jsonl(win("g1")))
    assert run(["ingest", "a.jsonl", "--lang", lang]) == 0
    assert rows(capfd.readouterr().err)[label] == "1"


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    Path("a.jsonl").write_bytes(jsonl(*(win(os.urandom(20).hex()) for _ in range(400))))
    process = paipu(
        "ingest", "a.jsonl", "--store", "s", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    )
    _, err = process.communicate()
    assert process.returncode == 2
    (line,) = err.splitlines()
    assert "cannot write the store" in line
    assert [p for p in (tmp_path / "s").rglob("*") if p.is_file()] == []
    assert run(["ingest", "a.jsonl", "--store", "s"]) == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_is_130_one_line_and_keeps_what_was_finished(capfd: pytest.CaptureFixture[str], jobs: str) -> None:
    Path("1.jsonl").write_bytes(jsonl(win("g1")))
    slow = jsonl(*(win(f"slow{n}") for n in range(100)))
    with gzip.open("2.jsonl.gz", "wb", compresslevel=1) as file:
        for n in range(400):
            file.write(slow.replace(b"slow", b"slow%d." % n))
    Path("told.py").write_text(_TELLS_WHEN_A_LOG_IS_DONE)
    args = ["ingest", "1.jsonl", "2.jsonl.gz", "--store", "s", "--jobs", jobs]
    process = paipu(*args, program=["told.py"], start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "done\n"
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == "paipu: interrupted; what was finished is kept\n"
    deadline = time.monotonic() + 5
    while _running(process.pid):
        assert time.monotonic() < deadline, "a worker is still running"
        time.sleep(0.05)
    assert run(["ingest", "1.jsonl", "--store", "s"]) == 0
    assert rows(capfd.readouterr().err)["of these already stored"] == "1"


def test_formats_lists_each_format(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["formats", "--format", "csv"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "format,family,title,columns"
    assert [line.split(",")[0] for line in lines[1:]] == list(support())


def test_the_table_in_the_docs_is_what_formats_prints(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["formats", "--columns", "--format", "markdown"]) == 0
    table = capfd.readouterr().out
    assert table.count("\n") > 80
    assert (REPO / "docs/formats.md").read_text(encoding="utf-8").endswith(f"\n\n{table}")
