from __future__ import annotations

import numpy as np
import pytest

from analysis.stats.cluster_bootstrap import cluster_bootstrap
from analysis.stats.kendall import kendall_tau
from analysis.stats.wilson import wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # Newcombe (1998), Statistics in Medicine 17: table I, method 3 (Wilson without continuity correction).
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_published_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing_is_undefined() -> None:
    assert wilson(0, 0) is None


def test_wilson_mirrors_successes_and_failures() -> None:
    low, high = wilson(3, 17) or (0, 0)
    assert wilson(14, 17) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_wilson_refuses_impossible_counts(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="trials"):
        wilson(successes, n)


def test_bootstrap_is_the_normal_interval_for_many_even_clusters() -> None:
    # 400 clusters of one observation each: the standard error of the mean is known.
    values = np.random.default_rng(3).normal(10.0, 4.0, 400)
    [interval] = cluster_bootstrap(values[:, None], np.ones(400))
    half = 1.959964 * values.std() / 20
    assert interval is not None
    assert interval[0] == pytest.approx(values.mean() - half, abs=0.08 * half)
    assert interval[1] == pytest.approx(values.mean() + half, abs=0.08 * half)


def test_bootstrap_sees_that_wins_of_a_game_are_not_independent() -> None:
    # Ten equal wins per game hold no more news than one: the interval is that of the games, sqrt(10) times as wide as
    # if the wins were independent.
    level = np.random.default_rng(5).normal(0.0, 1.0, 100)
    games = cluster_bootstrap((10 * level)[:, None], np.full(100, 10))[0]
    wins = cluster_bootstrap(np.repeat(level, 10)[:, None], np.ones(1000))[0]
    assert games is not None
    assert wins is not None
    assert (games[1] - games[0]) / (wins[1] - wins[0]) == pytest.approx(10**0.5, rel=0.1)


def test_bootstrap_keeps_the_pairing_of_columns() -> None:
    # Two columns that differ by exactly 2 per win: their difference has no spread, though both vary.
    base = np.random.default_rng(9).normal(0.0, 5.0, 50)
    wins = np.full(50, 4)
    difference = (base + 2 * wins) - base
    assert cluster_bootstrap(difference[:, None], wins)[0] == pytest.approx((2.0, 2.0))


def test_bootstrap_is_reproducible_and_covers_about_95_percent() -> None:
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(60):
        sizes = rng.integers(1, 9, 40)
        sums = rng.normal(3.0 * sizes, 2.0 * np.sqrt(sizes))
        interval = cluster_bootstrap(sums[:, None], sizes)[0]
        assert interval == cluster_bootstrap(sums[:, None], sizes)[0]
        assert interval is not None
        covered += interval[0] <= 3.0 <= interval[1]
    # Binomial(60, 0.93) is below 50 with probability 0.003; a wrong spread covers far less.
    assert covered >= 50


def test_bootstrap_needs_two_clusters_with_something_in_them() -> None:
    assert cluster_bootstrap(np.array([[5.0]]), np.array([2])) == [None]
    assert cluster_bootstrap(np.array([[5.0], [0.0], [0.0]]), np.array([2, 0, 0])) == [None]
    assert cluster_bootstrap(np.empty((0, 2)), np.empty(0)) == [None, None]


def test_bootstrap_ignores_resamples_without_a_win() -> None:
    # Two games with wins among twenty: many resamples draw neither.
    sums, wins = np.zeros((20, 1)), np.zeros(20)
    sums[:2, 0], wins[:2] = (4.0, 8.0), 2
    interval = cluster_bootstrap(sums, wins)[0]
    assert interval == pytest.approx((2.0, 4.0))


def test_bootstrap_refuses_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="shape"):
        cluster_bootstrap(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="shape"):
        cluster_bootstrap(np.ones((3, 2)), np.ones((3, 1)))


def test_kendall() -> None:
    assert kendall_tau([1, 2, 3, 4], [10, 20, 30, 40]) == 1
    assert kendall_tau([1, 2, 3, 4], [4, 3, 2, 1]) == -1
    # One swap of neighbours among four: 5 pairs agree, 1 does not.
    assert kendall_tau([1, 2, 3, 4], [2, 1, 3, 4]) == pytest.approx(4 / 6)
    # tau-b by hand: one pair tied in x, five concordant, 5 / sqrt(5 * 6).
    assert kendall_tau([1, 1, 2, 3], [1, 2, 3, 4]) == pytest.approx(5 / 30**0.5)
    assert kendall_tau([1, 1], [1, 2]) is None
    assert kendall_tau([1], [1]) is None


def test_pooling_many_games_leaves_the_interval_as_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(13)
    sizes = rng.integers(1, 9, 3_000)
    sums = rng.normal(3.0 * sizes, 4.0)
    whole = cluster_bootstrap(sums[:, None], sizes)[0]
    monkeypatch.setattr("analysis.stats.cluster_bootstrap.MAX_CLUSTERS", 700)
    pooled = cluster_bootstrap(sums[:, None], sizes)[0]
    assert whole is not None
    assert pooled is not None
    assert pooled != whole
    assert pooled[1] - pooled[0] == pytest.approx(whole[1] - whole[0], rel=0.15)
    assert sum(pooled) == pytest.approx(sum(whole), rel=0.01)
