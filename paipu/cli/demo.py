"""`paipu demo`: the whole line on the sample season."""

from __future__ import annotations

import time
from importlib.resources import as_file, files
from pathlib import Path

import click

from paipu.cli.options import lang_option

_BASELINE = "tw_general"


@click.command("demo")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("paipu-demo"))
@lang_option
def command(folder: Path, lang: str) -> None:
    """\b
    Example:
      paipu demo

    Import a small simulated season, score every win under seven presets and write the comparison page, all into
    FOLDER (./paipu-demo). Safe to call again.
    """
    import paipu
    from analysis.rules.preset import shipped_presets
    from paipu.cli.options import Output
    from reports.export import make_folder
    from reports.i18n import texts
    from reports.pages.compare_table import summary_table

    words = texts(lang)
    presets = shipped_presets("taiwan")
    start = time.perf_counter()
    make_folder(folder)
    store, page = folder / "store", folder / "compare.html"
    with as_file(files("paipu.data") / "samples" / "season.jsonl.gz") as season:
        read = paipu.ingest([season], store)
    click.echo(words("demo.read", games=read.games, hands=read.hands, wins=read.wins), err=True)
    paipu.rescore(store, presets)
    click.echo(words("demo.scored", presets=len(presets)), err=True)
    comparison = paipu.compare(presets, baseline=_BASELINE, store=store, page=page, lang=lang)
    click.echo(words("demo.compared", seconds=f"{time.perf_counter() - start:.1f}") + "\n", err=True)
    Output(format="table", path=None).write(summary_table(comparison, lang=lang))
    click.echo(
        f"\n{words('demo.next', page=page)}\n"
        f'  paipu sql --store {store} "SELECT preset, avg(hand_tai) FROM scores WHERE legal GROUP BY preset"\n'
        f"  paipu ingest {words('demo.logs')} && paipu rescore",
        err=True,
    )
