"""Wilson score interval of a rate (STATISTICS 4.8): honest at 0 and 1 and at small n, where Wald is not."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(successes: int, n: int) -> tuple[float, float] | None:
    """95 % interval of a rate of `successes` in `n` independent trials, both ends in [0, 1]; None when n = 0.

    Raises ValueError when successes is not in 0..n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials")
    if n == 0:
        return None
    z = NormalDist().inv_cdf(0.975)
    rate = successes / n
    centre = rate + z * z / (2 * n)
    half = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # The ends are exactly 0 and 1 there; floating point would leave 1e-17.
    low = 0.0 if successes == 0 else (centre - half) / scale
    high = 1.0 if successes == n else (centre + half) / scale
    return low, high
