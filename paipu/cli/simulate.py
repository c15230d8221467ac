"""paipu simulate: games played by programs, written as full-play paipu JSONL."""

from __future__ import annotations

import contextlib
import functools
import gzip
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from ingest.errors import UsageError
from ingest.interrupts import deaf_children
from paipu.cli.words import counted

if TYPE_CHECKING:
    from analysis.rules.preset import Preset
    from ingest.record import Row
    from ingest.simulate import Recorded, Settle

_CHUNK = 4  # games per task: short enough to stop soon and to move the progress bar


@click.command(context_settings={"show_default": True})
@click.option("--games", type=click.IntRange(min=0), default=60, help="Games to play.")
@click.option("--seed", default="1", metavar="TEXT", help="Name of the season; the same seed gives the same games.")
@click.option("--rounds", type=click.IntRange(1, 4), default=4, help="Wind rounds per game.")
@click.option("--players", type=click.IntRange(4, 1000), default=8, help="Players of the season.")
@click.option("--rules", default="tw_general", metavar="PRESET", help="Rules to score by: a preset id or file.")
@click.option("--no-flower-wins", is_flag=True, help="Play without eight flowers and seven robs one.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes; the games are the same for any number.")
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="Write to this .jsonl or .jsonl.gz file; - is stdout."
)
def command(
    *, games: int, seed: str, rounds: int, players: int, rules: str, no_flower_wins: bool, jobs: int, output: str
) -> None:
    """\b
    Example:
      paipu simulate --games 60 --seed 42 -o season.jsonl.gz

    Play games of Taiwanese 16-tile mahjong by program, four styles of play against each other, and write every tile and
    score of them as paipu JSONL, one game per line. The games are marked as simulated.
    """
    _check_name(output)
    load_rules(rules)  # whatever is wrong with them is said before any process starts
    tasks = [
        _Task(seed, first, min(_CHUNK, games - first), rounds, players, rules, not no_flower_wins)
        for first in range(0, games, _CHUNK)
    ]
    n_hands = 0
    with _writing(output) as stream, _progress(games) as advance, _workers(jobs) as run:
        for lines, hands in run(tasks):
            stream.write(lines)
            n_hands += hands
            advance(lines.count(b"\n"))
    click.echo(f"{counted(games, 'simulated game')}, {counted(n_hands, 'hand')}", err=True)


def _check_name(output: str) -> None:
    """Raises UsageError for a name that promises another format than paipu JSONL; devices may have any."""
    path = Path(output)
    if output == "-" or (path.exists() and not path.is_file()) or path.is_dir():
        return
    if path.suffix.lower() not in (".jsonl", ".json", ".gz"):
        raise UsageError(f"'{output}' should end in .jsonl or .jsonl.gz: simulate writes paipu JSONL and nothing else")


class _Task(NamedTuple):
    seed: str
    first: int
    games: int
    rounds: int
    players: int
    rules: str
    flower_wins: bool


def load_rules(rules: str) -> Preset:
    """The preset to play by. Raises UsageError or RulesError."""
    from analysis.rules.preset import load_preset

    preset = load_preset(rules)
    if preset.family != "taiwan":
        raise UsageError(f"'{rules}' is a preset of the family {preset.family}; simulate plays Taiwanese rules only")
    if preset.number("min_tai") > 0:
        # The players call every complete hand; under a minimum some of their wins would be none.
        raise UsageError(f"'{rules}' has a min_tai; simulate plays without a minimum only")
    return preset


def settle_with(preset: Preset) -> Settle:
    """A scorer of the wins of a game under a preset."""
    from analysis.batch import HandBatch
    from analysis.score import Plan
    from ingest.record import to_table
    from ingest.simulate import Recorded

    plan = Plan([preset])

    def settle(wins: Sequence[Row]) -> list[Recorded]:
        (scores,) = plan.score(HandBatch.from_arrow(to_table("wins", list(wins))), items=True)
        assert scores.items is not None
        items: list[dict[str, int]] = [{} for _ in wins]
        for hand, number, value in zip(scores.items.hand, scores.items.number, scores.items.value, strict=True):
            items[hand][scores.items.ids[number]] = int(value)
        return [
            Recorded(tai=int(tai), items=item_values, payments=[int(money) for money in payments])
            for tai, item_values, payments in zip(scores.hand_tai, items, scores.payments.T, strict=True)
        ]

    return settle


@functools.cache
def _table(rules: str) -> tuple[Preset, Settle]:
    """Once per process: the compiled rules."""
    preset = load_rules(rules)
    return preset, settle_with(preset)


def _play(task: _Task) -> tuple[bytes, int]:
    """The JSON lines of some games, and how many hands they have."""
    import msgspec

    from ingest.simulate import HouseRules, simulate

    preset, settle = _table(task.rules)
    house = HouseRules(flower_wins=task.flower_wins, open_kong_wins=preset.options["open_kong_replacement_win"] == "ok")
    lines = []
    n_hands = 0
    for game in simulate(
        task.games,
        task.seed,
        first=task.first,
        rounds=task.rounds,
        players=task.players,
        rules=preset.id,
        stake=(preset.base, preset.unit),
        settle=settle,
        house=house,
    ):
        lines.append(msgspec.json.encode(game) + b"\n")
        n_hands += len(game["hands"])
    return b"".join(lines), n_hands


@contextlib.contextmanager
def _workers(jobs: int) -> Iterator[Callable[[list[_Task]], Iterator[tuple[bytes, int]]]]:
    """A map over tasks that keeps their order."""
    if jobs == 1:
        yield lambda tasks: map(_play, tasks)
        return
    import multiprocessing

    with deaf_children():
        pool = multiprocessing.get_context("spawn").Pool(jobs)
    with pool:
        yield lambda tasks: pool.imap(_play, tasks)


@contextlib.contextmanager
def _writing(output: str) -> Iterator[BinaryIO]:
    """The stream to write to. A file appears only when it is whole; a .gz says neither time nor name of its making."""
    if output == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"cannot write '{path}': {'it is a folder' if path.is_dir() else 'its folder does not exist'}")
    # A device or pipe cannot be replaced by a new file.
    partial = path if path.exists() and not path.is_file() else path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with contextlib.ExitStack() as stack:
            stream: Any = stack.enter_context(partial.open("wb"))
            if path.suffix == ".gz":
                stream = stack.enter_context(
                    gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=9)
                )
            yield stream
        if partial != path:
            partial.replace(path)
    except BaseException:
        if partial != path:
            partial.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _progress(games: int) -> Iterator[Callable[[int], None]]:
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=games)
        yield lambda done: bar.advance(task, done)
