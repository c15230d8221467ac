"""`paipu rescore`: scores of every stored win under presets."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from paipu.cli.options import preset_option, store_option
from paipu.cli.words import agreeing, counted

_REFUSED: Final = "SELECT game_id, hand_no, win_no, preset, reason FROM scores WHERE NOT legal"


@click.command("rescore")
@store_option
@preset_option
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
def command(*, store: Path, presets: tuple[str, ...], jobs: int) -> None:
    """\b
    Example:
      paipu rescore
      paipu rescore --preset tw_general,my_club.toml --jobs 2
      paipu rescore --preset declared

    Score every win of the store under the presets of its family: all shipped ones, or those given by id or file;
    `declared` is the rules each log says it was played by. Only what is missing
    or was scored by other rules is done, so it is cheap to call again.
    """
    from analysis.declared import DECLARED
    from analysis.rescore import rescore
    from analysis.rules.preset import load_presets, shipped_presets
    from ingest.store import Store

    wanted = presets or (*shipped_presets(), DECLARED)
    chosen = load_presets(preset for preset in wanted if preset != DECLARED)
    opened = Store.open(store)
    with _progress() as advance:
        report = rescore(opened, chosen, declared=DECLARED in wanted, jobs=jobs, on_progress=advance)
    _say(
        f"{counted(report.wins, 'score')} written in {counted(report.batches, 'batch', 'batches')}; "
        f"{counted(report.current, 'part')} {agreeing(report.current, 'was', 'were')} up to date"
    )
    if report.illegal:
        are = agreeing(report.illegal, "is not a win", "are not wins")
        _say(f"{report.illegal} of these scores {are} under their preset; this lists them all:")
        _say(f'  paipu sql --store {shlex.quote(str(store))} "{_REFUSED}"')
    if report.undetermined:
        depend = agreeing(report.undetermined, "depends", "depend")
        _say(f"{report.undetermined} of these scores {depend} on something the log does not say")
    for name, games in report.not_shipped.items():
        declare = agreeing(games, "declares", "declare")
        them = agreeing(games, "it", "them")
        _say(f"{counted(games, 'game')} {declare} {name}, which is not shipped; score {them} with --preset FILE")


def _say(text: str) -> None:
    click.echo("".join(ch if ch.isprintable() else "\ufffd" for ch in text), err=True)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("batches", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
