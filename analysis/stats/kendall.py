"""Kendall's tau-b: how far two rankings of the same players agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """tau-b of two equally long score lists, ties corrected: 1 same order, -1 reversed.

    None when there are fewer than two players or one list is all ties. Time is O(n^2), memory O(n).
    """
    x = np.asarray(first, dtype=np.float64)
    y = np.asarray(second, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError("the two lists differ in length")
    agreement = x_pairs = y_pairs = 0.0
    for i in range(len(x) - 1):
        dx = np.sign(x[i + 1 :] - x[i])
        dy = np.sign(y[i + 1 :] - y[i])
        agreement += float(dx @ dy)
        x_pairs += float(dx @ dx)
        y_pairs += float(dy @ dy)
    if x_pairs == 0 or y_pairs == 0:
        return None
    return float(agreement / (x_pairs * y_pairs) ** 0.5)
