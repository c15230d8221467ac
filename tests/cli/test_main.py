from __future__ import annotations

import contextlib
import errno
import importlib
import os
import resource
import signal
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ingest.errors import RecordError, RulesError, UnreadableInputError, UsageError
from paipu.cli import main as main_module
from paipu.cli.main import COMMANDS, cli, run
from paipu.cli.options import LANGS, default_lang

ROOT = Path(__file__).resolve().parents[2]


def paipu(*args: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "paipu", *args], cwd=ROOT, capture_output=True, text=True, check=False, **kwargs
    )


@pytest.fixture
def command_that(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts a command `fail` in place that runs the given function."""

    def install(function: Any) -> None:
        module = types.ModuleType("paipu_test_command")
        vars(module)["command"] = click.Command("fail", callback=function)
        monkeypatch.setitem(sys.modules, "paipu_test_command", module)
        monkeypatch.setitem(main_module.COMMANDS, "fail", ("paipu_test_command", "Fails."))

    return install


def raiser(error: BaseException) -> Any:
    def function() -> None:
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageError("a.toml: no\nsuch thing"), 2, "paipu: a.toml: no such thing"),
        (UnreadableInputError("a.gz: cut off"), 3, "paipu: a.gz: cut off"),
        (RulesError("x.toml:3: bad"), 4, "paipu: x.toml:3: bad"),
        (RecordError("five_copies", "five 5m; a set has four"), 1, "paipu: five 5m; a set has four"),
        (UsageError("bad\x1b[31mname"), 2, "paipu: bad\ufffd[31mname"),
        (RuntimeError("Query interrupted"), 130, "paipu: interrupted; what was finished is kept"),
        (KeyboardInterrupt(), 130, "paipu: interrupted; what was finished is kept"),
        (MemoryError(), 2, "paipu: not enough memory; ask for less at a time"),
        (
            OSError(errno.ENOSPC, "No space left on device", "/d/x"),
            2,
            "paipu: the disk is full (/d/x); free some space and run it again",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "/d/x"), 2, "paipu: Permission denied: /d/x"),
        (
            ZeroDivisionError("x"),
            70,
            "paipu: internal error (ZeroDivisionError: x); run with PAIPU_DEBUG=1 for details",
        ),
        (click.BadParameter("no"), 2, "paipu: Invalid value: no; see 'paipu fail --help'"),
    ],
)
def test_every_failure_is_one_line_and_a_code(
    error: BaseException,
    code: int,
    line: str,
    command_that: Any,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PAIPU_DEBUG", raising=False)
    monkeypatch.setattr(main_module, "_silence_stdout", lambda: None)
    command_that(raiser(error))
    assert run(["fail"]) == code
    out, err = capfd.readouterr()
    assert out == ""
    assert err == line + "\n"


def test_debug_shows_the_traceback(
    command_that: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIPU_DEBUG", "1")
    command_that(raiser(ZeroDivisionError("x")))
    assert run(["fail"]) == 70
    assert "Traceback" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["sqk"], "paipu: there is no command 'sqk', did you mean 'sql'; see 'paipu --help'"),
        (["--nope"], "paipu: No such option '--nope'; see 'paipu --help'"),
        (["sql", "--formt", "csv"], "paipu: No such option '--formt'"),
        (["sql", "--format", "doc", "x"], "paipu: Invalid value for '--format'"),
    ],
)
def test_wrong_usage_is_one_line(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_version_and_help_go_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("paipu ")
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for code in ("0", "1", "2", "3", "4", "70", "130", "141"):
        assert f"    {code} " in text, f"exit code {code} is not in the help"
    for name in COMMANDS:
        assert f"  {name} " in text


def test_no_arguments_show_the_help_and_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert "Usage: paipu" in capsys.readouterr().err


def test_help_is_instant_and_imports_nothing_heavy() -> None:
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert paipu("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    assert min(spent) < 0.2
    times = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "paipu", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    imported = {line.rpartition("|")[2].strip().split(".")[0] for line in times.splitlines()}
    assert "click" in imported
    assert not imported & {"polars", "pyarrow", "duckdb", "numpy", "altair", "rich", "msgspec", "jinja2"}


def leaves(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from leaves(child, f"{path} {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_and_describes_its_options(name: str) -> None:
    module, help_line = COMMANDS[name]
    assert help_line.endswith(".")
    for path, command in leaves(importlib.import_module(module).command, name):
        help_text = (command.help or "").lstrip("\b\n ")
        assert help_text.startswith("Example"), f"{path}: the help does not start with an example"
        assert f"paipu {path}" in help_text, f"{path}: the example does not show the command"
        silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help and not p.hidden]
        assert silent == [], f"{path}: options without help"


def test_a_closed_pipe_is_quiet() -> None:
    program = "import click\nfrom paipu.cli.main import run\nimport sys\nfrom paipu.cli import main\n"
    program += "import types\nmodule = types.ModuleType('m')\nsys.modules['m'] = module\n"
    program += "module.command = click.Command('fill', callback=lambda: [print('x' * 1000) for _ in range(10000)])\n"
    program += "main.COMMANDS['fill'] = ('m', 'Fill.')\nsys.exit(run(['fill']))"
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(30) == 141


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_a_running_query(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "paipu", "sql", "--store", str(tmp_path), "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write("SELECT count(*) FROM range(1000000000000) AS r(i) WHERE hash(i) % 7 = 1")
    process.stdin.close()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(2.5)
    for _ in range(20):  # a library that is being imported may swallow one
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
            break
    else:
        process.kill()
    process.kill()  # does nothing to a process that has ended
    assert process.stdout is not None
    assert process.stderr is not None
    out, err = process.stdout.read(), process.stderr.read()
    assert (process.returncode, out, err) == (130, "", "paipu: interrupted; what was finished is kept\n")


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "zh-TW"),
        ({"LANG": "C"}, "zh-TW"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_TW.Big5"}, "zh-TW"),
        ({"LANG": "zh_HK"}, "zh-TW"),
        ({"LANG": "zh_TW", "LC_ALL": "en_US"}, "en"),
    ],
)
def test_the_language_follows_the_locale(
    environment: dict[str, str], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(key, raising=False)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert default_lang() == lang
    assert lang in LANGS


def test_the_group_names_what_it_is() -> None:
    assert (cli.help or "").lstrip("\b\n ").startswith("Example")


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "1>&- 2>&-"])
def test_a_closed_stream_is_no_error(closed: str) -> None:
    command = f'exec "{sys.executable}" -c "from paipu.cli.main import main; main()" formats {closed}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
