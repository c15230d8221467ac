"""Percentile bootstrap of ratios of sums, resampling whole games.

Hands of one game share players, table and streak, so they are not independent; games are (STATISTICS 4.8).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_SEED: Final = 20_260_101
_TAIL: Final = (1 - 0.95) / 2
REPLICATES: Final = 2_000
MAX_CLUSTERS: Final = 10_000
"""More clusters than this are pooled, whole, into this many: independent still, and a million games take no longer."""


def cluster_bootstrap(numerators: NDArray[Any], denominators: NDArray[Any]) -> list[tuple[float, float] | None]:
    """95 % intervals of the ratios sum(numerators[:, j]) / sum(denominators[:, j]).

    numerators: (clusters, ratios), the sums within each cluster; denominators: the same shape or (clusters,).
    All ratios are computed on the same resamples, so differences of paired columns keep their pairing.
    An entry is None when fewer than two clusters have a positive denominator: there is nothing to resample.
    Memory is O(clusters x ratios); the same input gives the same output. Raises ValueError for shapes that do
    not fit.
    """
    top = np.asarray(numerators, dtype=np.float64)
    if top.ndim != 2:
        raise ValueError(f"numerators have the shape {top.shape}, not (clusters, ratios)")
    bottom = np.asarray(denominators, dtype=np.float64)
    if bottom.ndim == 1:
        bottom = np.broadcast_to(bottom[:, None], top.shape)
    if bottom.shape != top.shape:
        raise ValueError(f"denominators have the shape {bottom.shape}, numerators {top.shape}")
    usable = (bottom > 0).sum(axis=0) >= 2
    ratios = top.shape[1]
    if not usable.any():
        return [None] * ratios

    sums = _pooled(np.hstack([top, bottom]))
    clusters = len(sums)
    rng = np.random.default_rng(_SEED)
    estimates = np.empty((REPLICATES, ratios))
    for row in estimates:
        weights = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
        resampled = weights.astype(np.float64) @ sums
        with np.errstate(invalid="ignore", divide="ignore"):
            np.divide(resampled[:ratios], resampled[ratios:], out=row)
    intervals: list[tuple[float, float] | None] = []
    for j in range(ratios):
        # A resample may hold no win at all; it says nothing about a mean per win.
        column = estimates[:, j][np.isfinite(estimates[:, j])]
        if not usable[j] or not column.size:
            intervals.append(None)
            continue
        low, high = np.quantile(column, [_TAIL, 1 - _TAIL])
        intervals.append((float(low), float(high)))
    return intervals


def _pooled(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of at most MAX_CLUSTERS clusters of as good as equal size."""
    if len(sums) <= MAX_CLUSTERS:
        return sums
    whole = len(sums) // MAX_CLUSTERS * MAX_CLUSTERS
    pooled: NDArray[np.float64] = sums[:whole].reshape(-1, MAX_CLUSTERS, sums.shape[1]).sum(axis=0)
    pooled[: len(sums) - whole] += sums[whole:]
    return pooled
