"""The batch rescorer: every win of a store under several presets, only what is missing or stale.

score_batch is a pure function RecordBatch → Arrow tables; the rest finds the work and puts the parts in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from analysis.batch import HandBatch
from analysis.declared import COLUMNS as DECLARED_COLUMNS
from analysis.declared import DECLARED, declared_games, declared_hash, not_shipped
from analysis.rules.catalogue import families_of_same_tiles
from analysis.rules.preset import Preset
from analysis.score import Plan, Scores
from analysis.undetermined import undetermined
from ingest.interrupts import deaf_children
from ingest.parts import file_metadata
from ingest.record import ITEMS_TYPE, SCHEMAS
from ingest.store import Store

BATCH_ROWS: Final = 65_536
ROW_GROUP: Final = 131_072
_KEYS: Final = ("game_id", "hand_no", "win_no")
_LEGAL: Final = ("ok", "approximate")


class RescoreReport(msgspec.Struct):
    """What a rescore did. wins: scored wins, once for each preset; undetermined: of those. refused: those that are not
    wins, by outcome (docs/scoring.md).

    not_shipped: games by the preset they declare, where nothing could score them by it: it is neither shipped nor given
    nor scored before.
    """

    presets: dict[str, str]
    batches: int = 0
    current: int = 0
    wins: int = 0
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    undetermined: int = 0
    not_shipped: dict[str, int] = {}


def score_batch(plan: Plan, batch: Any) -> list[Any]:
    """Scores tables (schema SCORES), one a preset of the plan, of a RecordBatch of `wins`."""
    hands = HandBatch.from_arrow(batch)
    results = plan.score(hands, items=True)
    gaps = undetermined(plan, hands, results)
    return [_table(batch, scores, gap, plan) for scores, gap in zip(results, gaps, strict=True)]


def _table(batch: Any, scores: Scores, gaps: dict[int, list[str]], plan: Plan) -> Any:
    n = batch.num_rows
    assert scores.items is not None
    reasons = pa.array([None, *plan.family.REASONS[1:]], pa.string())
    outcome = pa.array(plan.family.OUTCOMES, pa.string()).take(pa.array(scores.reason))
    doubtful = pa.array(np.isin(np.arange(n), list(gaps)) & scores.legal)
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(scores.items.hand, minlength=n), out=offsets[1:])
    ids = pa.array(list(scores.items.ids), pa.string()).take(pa.array(scores.items.number))
    items = pa.StructArray.from_arrays(
        [ids, pa.array(scores.items.times), pa.array(scores.items.value)], fields=list(ITEMS_TYPE.value_type)
    )
    money = pa.FixedSizeListArray.from_arrays(
        pa.array(scores.payments.T.astype(np.int64).reshape(-1)), type=SCHEMAS["scores"].field("payments").type
    )
    columns = [
        *(batch.column(name) for name in _KEYS),
        pa.repeat(scores.preset.id, n),
        pa.repeat(scores.preset.hash, n),
        pa.array(scores.legal),
        pc.if_else(doubtful, "approximate", outcome),
        reasons.take(pa.array(scores.reason)),
        pa.array(scores.hand_tai),
        pa.nulls(n, pa.int16()) if scores.fu is None else pc.if_else(scores.fu > 0, scores.fu, None),
        pa.nulls(n, pa.string()) if scores.limit is None else _limits(scores.limit, plan.family.LIMITS),
        pa.array(scores.dealer_tai),
        money,
        pa.array(np.zeros(n, np.int32) if scores.deposits is None else scores.deposits.astype(np.int32)),
        pa.ListArray.from_arrays(pa.array(offsets), items).cast(ITEMS_TYPE),
        _lists(gaps, n),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMAS["scores"])


def _limits(limit: Any, names: tuple[str, ...]) -> Any:
    return pa.array([None, *names[1:]], pa.string()).take(pa.array(limit))


def _lists(gaps: dict[int, list[str]], n: int) -> Any:
    offsets = np.zeros(n + 1, np.int32)
    for hand, items in gaps.items():
        offsets[hand + 1] = len(items)
    np.cumsum(offsets, out=offsets)
    flat = [item for hand in sorted(gaps) for item in gaps[hand]]
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat, pa.string()))


def rescore(
    store: Store,
    presets: Sequence[Preset],
    *,
    declared: bool = False,
    jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> RescoreReport:
    """Scores of every win of the store under the presets, where they are missing or made by other rules.

    declared: also each game by the rules that its log declares, under the preset id `declared`.
    jobs: processes, each takes whole batches. on_progress: called with (batches done, batches to do).
    A win is scored under presets of its family, and of families that play with as many sets.
    """
    store.verify(("games", "wins"))
    report = RescoreReport({preset.id: preset.hash for preset in presets})
    work = []
    foreign: Counter[str] = Counter()
    for batch in store.batches():
        games = store.read("games", batch, ["family", "declared"])
        families = set(games.column("family").to_pylist())
        if declared:
            foreign += not_shipped(games.column("declared").to_pylist())
        ours = [preset for preset in presets if families.intersection(families_of_same_tiles(preset.family))]
        wanted = [preset for preset in ours if not store.score_part(preset.id, preset.hash, batch).exists()]
        by_own = declared and not store.score_part(DECLARED, declared_hash(), batch).exists()
        report.current += len(ours) - len(wanted) + (declared and not by_own)
        if wanted or by_own:
            work.append((store, batch, wanted, by_own))
    for done, (outcomes, undetermined_wins) in enumerate(_run(work, jobs), 1):
        report.batches += 1
        report.wins += outcomes.total()
        report.refused += Counter({name: n for name, n in outcomes.items() if name not in _LEGAL})
        report.undetermined += undetermined_wins
        if on_progress:
            on_progress(done, len(work))
    _make_current(store, presets)
    scored = {preset_id for preset_id, *_ in store.score_parts()}
    report.not_shipped = {name: n for name, n in sorted(foreign.items()) if name not in scored}
    return report


_Task = tuple[Store, str, list[Preset], bool]
"""Store, batch, presets to score it under, and whether each game by its own rules too."""


def _make_current(store: Store, presets: Sequence[Preset]) -> None:
    """SQL shows the rules of an id that were written last; a preset that went back to older rules is that again."""
    parts = store.score_parts()
    for preset in presets:
        same_id = [(hash_, path) for id_, hash_, _, path in parts if id_ == preset.id]
        ours = [path for hash_, path in same_id if hash_ == preset.hash]
        if ours and len(ours) < len(same_id):
            ours[-1].touch()


def _run(work: list[_Task], jobs: int) -> Iterator[tuple[Counter[str], int]]:
    if jobs <= 1 or len(work) <= 1:
        yield from map(_score_part, work)
        return
    with ProcessPoolExecutor(min(jobs, len(work)), mp_context=get_context("spawn")) as pool:
        with deaf_children():
            results = pool.map(_score_part, work)
        try:
            yield from results
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _score_part(task: _Task) -> tuple[Counter[str], int]:
    """Scores one batch of the store; returns (wins by outcome, undetermined wins) over the presets."""
    store, batch, presets, by_own = task
    outcomes: Counter[str] = Counter()
    doubtful = 0
    games = store.read("games", batch, list(DECLARED_COLUMNS))
    # Presets that score the same games are scored together.
    work = []
    for family in sorted({preset.family for preset in presets}):
        scorable = pa.array(families_of_same_tiles(family))
        ours = games.filter(pc.is_in(games.column("family"), value_set=scorable)).column("game_id").combine_chunks()
        work.append((Plan([preset for preset in presets if preset.family == family]), ours))
    parts = [(preset.id, preset.hash) for preset in presets]
    if by_own:
        work += [(Plan([preset]), ids) for ids, preset in declared_games(games)]
        parts.append((DECLARED, declared_hash()))
    with ExitStack() as stack:
        writers = {}
        for preset_id, preset_hash in parts:
            path = stack.enter_context(store.new_score_part(preset_id, preset_hash, batch))
            writers[preset_id] = stack.enter_context(pq.ParquetWriter(path, _with_version(), compression="zstd"))
        for plan, ours in work:
            whole = len(ours) == games.num_rows
            reader = stack.enter_context(pq.ParquetFile(store.part("wins", batch), pre_buffer=False))
            for rows in reader.iter_batches(BATCH_ROWS, columns=list(dict.fromkeys((*_KEYS, *plan.family.COLUMNS)))):
                wins = rows if whole else rows.filter(pc.is_in(rows.column("game_id"), value_set=ours))
                if wins.num_rows == 0:
                    continue
                for table in score_batch(plan, wins):
                    preset_id = table.column("preset")[0].as_py()
                    writers[preset_id].write_table(table, row_group_size=ROW_GROUP)
                    for found in pc.value_counts(table.column("outcome")).to_pylist():
                        outcomes[found["values"]] += found["counts"]
                    doubtful += pc.sum(pc.greater(pc.list_value_length(table.column("undetermined")), 0)).as_py()
    return outcomes, doubtful


def _with_version() -> Any:
    return SCHEMAS["scores"].with_metadata(file_metadata("scores"))
