"""paipu from Python: the same steps as the command line.

Example:
    import paipu

    paipu.ingest(["logs/"], store="paipu-store")
    paipu.rescore("paipu-store", ["tw_general", "tw_full"])
    paipu.connect("paipu-store").sql("SELECT preset, avg(hand_tai) FROM scores GROUP BY preset").pl()
    paipu.score("35m22s789s678p +4m chow:123m pung:444p", winner=1, payer=3)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

    from analysis.compare import Comparison
    from analysis.explain import Win
    from analysis.rescore import RescoreReport
    from ingest.pipeline import IngestReport

# Imports stand inside the functions: `import paipu` and `paipu --help` stay instant.

DEFAULT_STORE = Path("paipu-store")


def ingest(paths: Iterable[str | Path], store: str | Path = DEFAULT_STORE, **options: Any) -> IngestReport:
    """Read logs into the store; options as in `paipu ingest` (strict, format, anonymise, jobs). Raises PaipuError."""
    from ingest.pipeline import ingest as run
    from ingest.store import Store

    return run([str(path) for path in paths], Store.create(store), **options)


def rescore(store: str | Path = DEFAULT_STORE, presets: Sequence[str] | None = None, *, jobs: int = 1) -> RescoreReport:
    """Score every win of the store under presets (ids or files, None = all shipped ones). Raises PaipuError."""
    from analysis.rescore import rescore as run
    from analysis.rules.preset import load_presets, shipped_presets
    from ingest.store import Store

    return run(Store.open(store), load_presets(presets or shipped_presets()), jobs=jobs)


def connect(store: str | Path = DEFAULT_STORE) -> duckdb.DuckDBPyConnection:
    """A read-only DuckDB connection with the documented views of the store. Raises PaipuError."""
    from analysis.warehouse import connect as run

    return run(Path(store))


def compare(
    presets: Sequence[str],
    *,
    baseline: str | None = None,
    scale: bool = False,
    store: str | Path = DEFAULT_STORE,
    page: str | Path | None = None,
    lang: str = "zh-TW",
) -> Comparison:
    """The same wins under several presets; `page` writes the HTML report. The first preset is the baseline by default.

    scale: multiply the money of each preset so that its mean payout is the baseline's. Missing scores are computed
    first. Raises PaipuError.
    """
    from analysis.compare import ComparedPreset
    from analysis.compare import compare as run
    from analysis.rules.preset import load_presets
    from reports.export import atomic_file
    from reports.pages.compare import compare_page, item_names

    refs = list(presets) if baseline is None or baseline in presets else [baseline, *presets]
    chosen = load_presets(refs)
    base = load_presets([baseline or refs[0]])[0].id
    rescore(store, refs)
    connection = connect(store)
    try:
        comparison = run(connection, [ComparedPreset.of(preset) for preset in chosen], baseline=base, scale=scale)
    finally:
        connection.close()
    if page is not None:
        names = item_names(chosen, lang)
        with atomic_file(Path(page)) as stream:
            stream.write(compare_page(comparison, lang=lang, item_names=names).encode("utf-8"))
    return comparison


def score(
    hand: str,
    *,
    presets: Sequence[str] | None = None,
    win: str = "discard",
    winner: int = 1,
    payer: int | None = None,
    dealer: int = 0,
    streak: int = 0,
    round: str = "E",  # the record's own name for the round wind
    **circumstances: Any,
) -> list[Win]:
    """One hand (text as in `paipu score`) under presets, by default the Taiwanese ones. Raises PaipuError.

    circumstances: flags of a record. Riichi presets: win is ron or tsumo, streak the honba, dealer 0.
    """
    from analysis.explain import explain
    from analysis.rules.preset import load_presets, shipped_presets
    from ingest.formats.paipu_record import parse_record
    from ingest.hand_text import parse_hand_text, parse_riichi_hand_text

    rules = load_presets(presets or shipped_presets("taiwan"))
    if rules[0].family == "riichi":
        seat = "ESWN"[(winner - dealer) % 4]
        row = parse_riichi_hand_text(hand, win=win, seat=seat, round_wind=round, honba=streak, flags=circumstances)
        return explain([row], rules)[0]
    record = {
        **parse_hand_text(hand, win_tile=win not in ("eight_flowers", "seven_robs_one")),
        "dealer": dealer,
        "streak": streak,
        "round": round,
        "winner": winner,
        "win": win,
        "from": payer,
        "flags": circumstances,
    }
    return explain([parse_record(record)], rules)[0]
