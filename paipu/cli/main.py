"""The `paipu` command: a lazy group, and the one place where errors become exit codes.

A command's module is imported only when the command is run.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from ingest.errors import PaipuError

# name -> (its module, one-line help). The help stands here so that `paipu --help` imports no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "ingest": ("paipu.cli.ingest", "Read logs into the store: files, folders, .gz and .zip."),
    "formats": ("paipu.cli.formats", "List the log formats and what each of them records."),
    "rescore": ("paipu.cli.rescore", "Score every stored win under rule presets; only what is missing or stale."),
    "score": ("paipu.cli.score", "Score one hand, or a file of winning hands, under presets."),
    "rules": ("paipu.cli.rules", "List, show, compare, check and write rule presets."),
    "sql": ("paipu.cli.sql", "Query the store with read-only SQL."),
    "db": ("paipu.cli.db", "Write the store's tables to one DuckDB file."),
    "compare": ("paipu.cli.compare", "Compare presets on the same wins: one offline HTML page."),
    "check": ("paipu.cli.check", "Check the store: sums, rejects, recorded against recomputed scores."),
    "simulate": ("paipu.cli.simulate", "Play games by program and write them as paipu JSONL."),
    "demo": ("paipu.cli.demo", "Run the whole line on the sample season."),
}

EXIT_OK = 0
EXIT_INTERRUPTED = 130
EXIT_PIPE_CLOSED = 141
EXIT_INTERNAL = 70

_EPILOG = """\b
Exit codes:
  0    all is well
  1    problems found in the data
  2    wrong usage or configuration
  3    input that cannot be read
  4    rules that are not valid
  70   internal error of paipu
  130  interrupted (Ctrl-C)
  141  the reader of the output went away

\b
Environment:
  PAIPU_STORE  store folder     PAIPU_LANG  zh-TW, zh-CN or en
  NO_COLOR     no colours       PAIPU_DEBUG=1  traceback of internal errors
"""


class LazyGroup(click.Group):
    """Knows its commands by name; imports one only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:
            close = difflib.get_close_matches(cmd_name, COMMANDS, n=1)
            hint = f"did you mean '{close[0]}'" if close else f"the commands are {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command '{cmd_name}', {hint}")
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # The table's name wins over the name of the function behind it.
        _, command, rest = super().resolve_command(ctx, args)
        return (args[0] if command is not None else None), command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("paipu")
    except metadata.PackageNotFoundError:
        return "(run from its source tree)"


def _print_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"paipu {_version()}")
        ctx.exit()


@click.group(
    cls=LazyGroup, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """\b
    Example:
      paipu ingest logs/
      paipu rescore
      paipu compare --presets tw_general,tw_full --baseline tw_general -o compare.html

    Turn mahjong game logs into Parquet, score every win under several rule presets, and ask questions with SQL and
    charts.
    """


def one_line(text: str) -> str:
    """Text on one line without control characters (a file name may hold a terminal escape)."""
    return "".join(ch if ch.isprintable() else "\ufffd" for ch in " ".join(text.split()))


def _complain(message: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        click.echo(f"paipu: {one_line(message)}", err=True)


def _usage_line(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see '{context.command_path} --help'" if context is not None else message


def _silence_stdout() -> None:
    # Otherwise the interpreter flushes once more at exit and prints its own complaint.
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _trace() -> None:
    if os.environ.get("PAIPU_DEBUG") == "1":
        import traceback

        traceback.print_exc()


def _interrupted() -> int:
    with contextlib.suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would break the way out
    _complain("interrupted; what was finished is kept")
    return EXIT_INTERRUPTED


def _internal(error: BaseException) -> int:
    _trace()
    _complain(f"internal error ({type(error).__name__}: {error}); run with PAIPU_DEBUG=1 for details")
    return EXIT_INTERNAL


def _os_error(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk is full{f' ({error.filename})' if error.filename else ''}; free some space and run it again"
    return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"


def run(args: Sequence[str] | None = None) -> int:
    """Run a command line (default: that of the process) and return its exit code. Raises nothing a user can cause."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # Started with the stream closed. Its number is taken at once, so that no file of ours gets it.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character shows its code instead of ending the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        with cli.make_context("paipu", list(sys.argv[1:] if args is None else args)) as ctx:
            cli.invoke(ctx)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return error.exit_code
    except click.ClickException as error:
        _complain(_usage_line(error))
        return error.exit_code if isinstance(error, click.UsageError) else 2
    except PaipuError as error:
        _complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        _silence_stdout()
        return EXIT_PIPE_CLOSED
    except MemoryError:
        _complain("not enough memory; ask for less at a time")
        return 2
    except OSError as error:
        _silence_stdout()
        _trace()
        _complain(_os_error(error))
        return 2
    except SystemExit:
        raise
    except RuntimeError as error:
        if "Query interrupted" in str(error):  # DuckDB's words for Ctrl-C
            return _interrupted()
        return _internal(error)
    except BaseException as error:  # a panic of a library written in Rust is no Exception
        return _internal(error)
    return EXIT_OK


def main() -> NoReturn:
    """Entry point of the console command."""
    if "_PAIPU_COMPLETE" in os.environ:
        cli.main(prog_name="paipu")
    sys.exit(run())
