"""Percentile bootstrap of ratios of sums, resampling whole games.

Hands of one game share players, table and streak, so they are not independent; games are (STATISTICS 4.8).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEED: Final = 20_260_101
REPLICATES: Final = 2_000
_MAX_DRAWS: Final = 200_000_000
"""Ceiling of games drawn in all, so that a million games still finish in seconds."""
_FEWEST_REPLICATES: Final = 400


def replicates_for(clusters: int) -> int:
    """Number of resamples used for that many clusters."""
    return max(_FEWEST_REPLICATES, min(REPLICATES, _MAX_DRAWS // max(clusters, 1)))


def cluster_bootstrap(
    numerators: NDArray[Any], denominators: NDArray[Any], *, level: float = 0.95, seed: int = SEED
) -> list[tuple[float, float] | None]:
    """Intervals of the ratios sum(numerators[:, j]) / sum(denominators[:, j]).

    numerators: (clusters, ratios), the sums within each cluster; denominators: the same shape or (clusters,).
    All ratios are computed on the same resamples, so differences of paired columns keep their pairing.
    An entry is None when fewer than two clusters have a positive denominator: there is nothing to resample.
    Memory is O(clusters); the same input and seed give the same output.
    """
    top = np.asarray(numerators, dtype=np.float64)
    if top.ndim != 2:
        raise ValueError("numerators must have the shape (clusters, ratios)")
    bottom = np.asarray(denominators, dtype=np.float64)
    if bottom.ndim == 1:
        bottom = np.broadcast_to(bottom[:, None], top.shape)
    if bottom.shape != top.shape:
        raise ValueError(f"denominators have the shape {bottom.shape}, numerators {top.shape}")
    clusters, ratios = top.shape
    usable = (bottom > 0).sum(axis=0) >= 2
    if clusters < 2 or not usable.any():
        return [None] * ratios

    stacked = np.hstack([top, bottom])
    rng = np.random.default_rng(seed)
    estimates = np.empty((replicates_for(clusters), ratios))
    for row in estimates:
        weights = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
        sums = weights.astype(np.float64) @ stacked
        with np.errstate(invalid="ignore", divide="ignore"):
            np.divide(sums[:ratios], sums[ratios:], out=row)
    tail = (1 - level) / 2
    intervals: list[tuple[float, float] | None] = []
    for j in range(ratios):
        # A resample may hold no win at all; it says nothing about a mean per win.
        column = estimates[:, j][np.isfinite(estimates[:, j])]
        if not usable[j] or not column.size:
            intervals.append(None)
            continue
        low, high = np.quantile(column, [tail, 1 - tail])
        intervals.append((float(low), float(high)))
    return intervals
