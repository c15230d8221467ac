"""`paipu ingest`: logs into the store."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from paipu.cli.main import one_line
from paipu.cli.options import lang_option, store_option
from paipu.cli.words import counted

if TYPE_CHECKING:
    from ingest.pipeline import IngestReport, Progress

_LABELS: Final[dict[str, tuple[str, str, str]]] = {
    "files": ("牌譜檔", "牌谱文件", "logs"),
    "unchanged": ("其中早已入庫", "其中早已入库", "of these already stored"),
    "repeated": ("內容重複的檔", "内容重复的文件", "same content twice"),
    "games": ("將", "将", "games"),
    "hands": ("盤", "盘", "hands"),
    "wins": ("胡牌", "胡牌", "wins"),
    "duplicates": ("別檔已有的將", "别的文件已有的将", "games held from another log"),
    "rejected": ("拒收", "拒收", "rejected"),
    "skipped": ("非牌譜檔", "非牌谱文件", "files of no known format"),
    "unreadable": ("無法讀取", "无法读取", "unreadable"),
}
_LANGS: Final = ("zh-TW", "zh-CN", "en")
_REFRESH_SECONDS: Final = 0.1
_SHOWN_SKIPPED: Final = 5


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--format", "format_", metavar="NAME", help="Read everything as this format (see `paipu formats`).")
@click.option("--strict", is_flag=True, help="Stop at the first bad game or hand; logs before it are kept.")
@click.option("--anonymise", "--anonymize", is_flag=True, help="Store hashes for player names, for good.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that read logs.")
@store_option
@lang_option
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    format_: str | None,
    strict: bool,
    anonymise: bool,
    jobs: int,
    store: Path,
    lang: str,
) -> None:
    """\b
    Example:
      paipu ingest season.zip logs/ 'more/*.json.gz'
      paipu ingest table.csv --format mahjong16 --strict

    Read logs into the store: files, folders, patterns, gzip, and the members of zip archives. The format is told by
    the content. What the store holds already is not read again; a game found in two logs is kept once.
    """
    from ingest.pipeline import ingest
    from ingest.store import Store

    with _progress() as on_progress:
        report = ingest(
            paths,
            Store.create(store),
            strict=strict,
            format=format_,
            anonymise=anonymise,
            jobs=jobs,
            on_progress=on_progress,
            on_wait=lambda: _say(f"waiting for another paipu that writes to {store}"),
        )
    _show(report, store, lang)
    ctx.exit(report.exit_code)


def _say(text: str) -> None:
    click.echo(f"paipu: {one_line(text)}", err=True)


def _show(report: IngestReport, store: Path, lang: str) -> None:
    from rich.console import Console
    from rich.table import Table

    from ingest.pipeline import reject_line

    for problem in report.unreadable:
        _say(problem)
    for row in report.examples:
        _say(reject_line(row))
    for name in report.skipped[:_SHOWN_SKIPPED]:
        _say(f"{name}: no log of a known format, left out")
    if (more := len(report.skipped) - _SHOWN_SKIPPED) > 0:
        _say(f"… and {counted(more, 'more file')} of no known format")
    numbers = {
        "files": report.files,
        "unchanged": report.unchanged,
        "repeated": report.repeated,
        "games": report.games,
        "hands": report.hands,
        "wins": report.wins,
        "duplicates": report.duplicates,
        "rejected": sum(report.rejects.values()),
        "skipped": len(report.skipped),
        "unreadable": len(report.unreadable),
    }
    always = {"files", "games", "hands", "wins", "rejected"}
    table = Table(show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for key, number in numbers.items():
        if number or key in always:
            table.add_row(_LABELS[key][_LANGS.index(lang)], f"{number:,}")
        if key == "rejected":
            for code, count in sorted(report.rejects.items()):
                table.add_row(f"  {code}", f"{count:,}")
    Console(stderr=True).print(table)
    if sum(report.rejects.values()) > len(report.examples):
        _say(f'every reject with its reason: paipu sql --store {shlex.quote(str(store))} "SELECT * FROM rejects"')


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """A progress bar on stderr while a terminal shows it, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console

    bar = progress.Progress(
        progress.MofNCompleteColumn(),
        progress.BarColumn(),
        progress.TextColumn("{task.fields[hands]:,}"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("{task.description}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
    last = 0.0
    with bar:
        task = bar.add_task("", total=None, hands=0)

        def show(now: Progress) -> None:
            nonlocal last
            if time.monotonic() - last >= _REFRESH_SECONDS:
                last = time.monotonic()
                bar.update(task, completed=now.done, total=now.total, hands=now.hands, description=one_line(now.name))

        yield show
