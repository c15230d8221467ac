"""How fast riichi wins are read and scored, alone and against PyPI mahjong on such wins in the same run (one core)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
from mahjong.meld import Meld

from analysis.batch import HandBatch
from analysis.families.riichi import COLUMNS
from analysis.rescore import BATCH_ROWS, score_batch
from analysis.rules.preset import load_preset, shipped_presets
from analysis.score import Plan
from ingest.melds import KONG_OPEN, meld_name, meld_tiles
from ingest.record import DORA, REPLACEMENTS, SCHEMAS, URA, WIN_KINDS
from tests.benchmarks.conftest import N_HANDS
from tests.benchmarks.hands import write_hands
from tests.benchmarks.riichi_hands import winning_hands
from tests.benchmarks.test_scoring import seconds

ROUNDS = 5
_FIVES = (4, 13, 22)
FOUR_PLAYERS = [preset for preset in shipped_presets("riichi") if load_preset(preset).options["players"] == 4]


@pytest.fixture(scope="session")
def riichi_million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hands(tmp_path_factory.mktemp("riichi") / "wins.parquet", N_HANDS, make=winning_hands)


def read_and_score(path: Path, presets: list[str]) -> int:
    """Payments of every win under the presets, straight from Parquet; the number of legal wins."""
    plan = Plan([load_preset(preset) for preset in presets])
    legal = 0
    for rows in pq.ParquetFile(path, pre_buffer=False).iter_batches(
        BATCH_ROWS, columns=list(COLUMNS), use_threads=False
    ):
        for scores in plan.score(HandBatch.from_arrow(rows)):
            legal += int(scores.legal.sum())
    return legal


@pytest.mark.benchmark(timer=time.process_time)
def test_read_and_score_one_preset(benchmark: Any, riichi_million: Path, report: list[str]) -> None:
    legal = benchmark.pedantic(read_and_score, (riichi_million, ["tenhou_4p"]), rounds=ROUNDS, warmup_rounds=1)
    assert legal > 0.9 * N_HANDS
    report.append(
        f"riichi, one preset: {N_HANDS / benchmark.stats.stats.median / 1e6:.2f} M wins/s per core (asked: 1)"
    )


@pytest.mark.benchmark(timer=time.process_time)
def test_read_and_score_all_presets_of_four_players(benchmark: Any, riichi_million: Path, report: list[str]) -> None:
    benchmark.pedantic(read_and_score, (riichi_million, FOUR_PLAYERS), rounds=3, warmup_rounds=1)
    rate = N_HANDS / benchmark.stats.stats.median / 1e6
    report.append(f"riichi, {len(FOUR_PLAYERS)} presets: {rate:.2f} M wins/s per core")


@pytest.mark.benchmark(timer=time.process_time)
def test_scores_with_items_written(benchmark: Any, riichi_million: Path, tmp_path: Path, report: list[str]) -> None:
    """Not asked for: the same with items, undetermined items and the scores table on disk."""

    def run() -> None:
        plan = Plan([load_preset("tenhou_4p")])
        columns = ["game_id", "hand_no", "win_no", *(name for name in COLUMNS if name != "win_no")]
        with pq.ParquetWriter(tmp_path / "scores.parquet", SCHEMAS["scores"], compression="zstd") as writer:
            for rows in pq.ParquetFile(riichi_million, pre_buffer=False).iter_batches(
                BATCH_ROWS, columns=columns, use_threads=False
            ):
                writer.write_table(score_batch(plan, rows)[0])

    benchmark.pedantic(run, rounds=1)
    took = benchmark.stats.stats.median
    report.append(f"riichi, one preset with items written: {N_HANDS / took / 1e6:.2f} M wins/s per core")


class Theirs:
    """A row of `wins` as PyPI mahjong reads it: 136-tile ids, melds, indicators, circumstances."""

    def __init__(self, row: dict[str, Any], options: OptionalRules) -> None:
        # Copies are given out from the last one on; the first of four fives is red.
        self._left = [[1, 2, 3] for _ in range(34)]
        for kind in range(34):
            red = kind in _FIVES and row["reds"] >> 2 * _FIVES.index(kind) & 3
            self._left[kind].insert(3 if red else 0, 0)
        kinds = []
        for start, name in ((0, "km"), (9, "kp"), (18, "ks"), (27, "kh")):
            for rank, digit in enumerate(reversed(str(row[name]))):
                kinds += [start + rank] * int(digit)
        self.tiles = [self._id(kind) for kind in kinds]
        self.win_tile = next(tile for kind, tile in zip(kinds, self.tiles, strict=True) if kind == row["win_tile"])
        self.melds = []
        for name in ("m0", "m1", "m2", "m3"):
            if code := row[name]:
                ids = [self._id(kind) for kind in meld_tiles(code)]
                self.tiles += ids
                what = meld_name(code)
                kind = Meld.KAN if code >= KONG_OPEN else Meld.PON if what == "pung" else Meld.CHI
                self.melds.append(Meld(kind, ids, opened=what != "kong_concealed"))
        self.dora = [4 * self._kind(row[name]) for name in DORA if row[name] is not None]
        self.ura = [4 * self._kind(row[name]) for name in URA if row[name] is not None]
        drawn = row["win_kind"] == WIN_KINDS.index("self_draw")
        seat = (row["winner"] - row["dealer"]) % 4
        self.config = HandConfig(
            is_tsumo=drawn,
            is_riichi=row["riichi"] > 0,
            is_daburu_riichi=row["riichi"] == 2,
            is_ippatsu=row["ippatsu"],
            is_rinshan=row["replacement"] != REPLACEMENTS.index("none"),
            is_chankan=row["win_kind"] == WIN_KINDS.index("rob_kong"),
            is_haitei=drawn and row["last_tile"],
            is_houtei=not drawn and row["last_tile"],
            is_tenhou=row["heavenly"],
            is_chiihou=row["first_draw"] and row["no_calls"],
            player_wind=27 + seat,
            round_wind=27 + row["round_wind"],
            tsumi_number=row["streak"],
            kyoutaku_number=row["sticks"],
            options=options,
        )

    def _id(self, kind: int) -> int:
        kind = self._kind(kind)
        return 4 * kind + self._left[kind].pop()

    @staticmethod
    def _kind(kind: int) -> int:
        return {31: 33, 33: 31}.get(kind, kind)

    def score(self) -> int:
        """Points won; 0 without a yaku."""
        hand = HandCalculator.estimate_hand_value(
            self.tiles,
            self.win_tile,
            self.melds,
            dora_indicators=self.dora,
            ura_dora_indicators=self.ura,
            config=self.config,
        )
        if hand.error is not None:
            assert hand.error == HandCalculator.ERR_NO_YAKU, hand.error
            return 0
        return int(hand.cost["total"])


def test_against_pypi_mahjong(benchmark: Any, riichi_million: Path, report: list[str]) -> None:
    """Wins per second under Tenhou's rules, ours from Parquet and theirs from objects made before; same results."""
    options = OptionalRules(
        has_open_tanyao=True, has_aka_dora=True, has_double_yakuman=False, limit_to_sextuple_yakuman=False
    )
    table = winning_hands(4000, 20260201)
    # Honba and deposits go to the first of several winners; mahjong knows of one.
    table = table.filter(pc.equal(table.column("win_no"), 0)).combine_chunks()
    sample = [Theirs(row, options) for row in table.to_pylist()]
    (ours,) = Plan([load_preset("tenhou_4p")]).score(HandBatch.from_arrow(table))
    assert ours.payments.max(0).tolist() == [theirs.score() for theirs in sample]
    their_rates, our_rates = [], []

    def both() -> None:
        their_rates.append(len(sample) / seconds(lambda: [theirs.score() for theirs in sample]))
        our_rates.append(N_HANDS / seconds(lambda: read_and_score(riichi_million, ["tenhou_4p"])))

    both()
    their_rates.clear()
    our_rates.clear()
    benchmark.pedantic(both, rounds=ROUNDS)
    ratios = sorted(ours / other for ours, other in zip(our_rates, their_rates, strict=True))
    report.append(f"PyPI mahjong: {sorted(their_rates)[ROUNDS // 2]:,.0f} riichi wins/s per core")
    report.append(f"paipu reads and scores them {ratios[ROUNDS // 2]:.0f} times as fast (asked: 60)")


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize("preset", FOUR_PLAYERS)
def test_each_preset_alone(benchmark: Any, riichi_million: Path, preset: str) -> None:
    benchmark.pedantic(read_and_score, (riichi_million, [preset]), rounds=1)
