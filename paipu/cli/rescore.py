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

_OUTCOMES: Final = {
    "no_win": ("is not a win under its preset", "are not wins under their preset"),
    "no_yaku": ("has no yaku under its preset", "have no yaku under their preset"),
    "removed": ("is taken away by a rule on several winners", "are taken away by a rule on several winners"),
    "not_rescorable": ("cannot be scored by its preset", "cannot be scored by their preset"),
}
_REFUSED: Final = "SELECT preset, reason, count(*) AS wins FROM scores WHERE NOT legal GROUP BY ALL ORDER BY ALL"
_UNDETERMINED: Final = (
    "SELECT preset, item, count(*) AS wins FROM (SELECT preset, unnest(undetermined) AS item FROM scores) "
    "GROUP BY ALL ORDER BY ALL"
)


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
    for outcome, (one, many) in _OUTCOMES.items():
        if n := report.refused[outcome]:
            _say(f"{n:,} of these scores {agreeing(n, one, many)}")
    if report.refused:
        _say(f'  why: paipu sql --store {shlex.quote(str(store))} "{_REFUSED}"')
    if report.undetermined:
        depend = agreeing(report.undetermined, "depends", "depend")
        _say(f"{report.undetermined:,} of these scores {depend} on something the log does not say")
        _say(f'  on what: paipu sql --store {shlex.quote(str(store))} "{_UNDETERMINED}"')
    for name, games in report.not_shipped.items():
        declare = agreeing(games, "declares", "declare")
        _say(
            f"{counted(games, 'game')} {declare} {name}, which does not come with paipu; write its rules as a preset "
            "of that id (paipu rules new) and give it with --preset FILE"
        )


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
