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
    from reports.pages.compare import summary_frame

    presets = shipped_presets("taiwan")
    start = time.perf_counter()
    make_folder(folder)
    store, page = folder / "store", folder / "compare.html"
    with as_file(files("paipu.data") / "samples" / "season.jsonl.gz") as season:
        read = paipu.ingest([season], store)
    click.echo(f"1. Read {read.games} simulated games, {read.hands} hands, {read.wins} wins", err=True)
    paipu.rescore(store, presets)
    click.echo(f"2. Scored every win under {len(presets)} presets", err=True)
    comparison = paipu.compare(presets, baseline=_BASELINE, store=store, page=page, lang=lang)
    click.echo(f"3. Compared them, in {time.perf_counter() - start:.1f} s in all:\n", err=True)
    Output(format="table", path=None).write(summary_frame(comparison))
    click.echo(
        f"\nOpen {page} in a browser. Then ask your own questions:\n"
        f'  paipu sql --store {store} "SELECT preset, avg(hand_tai) FROM scores WHERE legal GROUP BY preset"\n'
        "  paipu ingest YOUR-LOGS && paipu rescore",
        err=True,
    )
