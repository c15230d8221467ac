"""The summary of a comparison as a table for readers: in their language, with units, intervals and percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from analysis.compare import Comparison
from reports.pages.compare_view import OUTCOMES, View, factor_text, interval_text, number, outcome_counts, percent


def summary_table(comparison: Comparison, *, lang: str) -> pl.DataFrame:
    """One row per preset, as `summary_frame`; the values are texts, but for counts. Outcomes that never occur have no
    column, nor have differences from the baseline where no other preset is of its family.
    """
    view = View(comparison, lang=lang, item_names={})
    t, base, scales = view.t, comparison.base_preset, comparison.scales
    tai = comparison.row_by_preset("mean_tai")
    payout = comparison.row_by_preset("mean_payout")
    changed = comparison.row_by_preset("changed")
    presets = comparison.presets
    ids = [preset.id for preset in presets]

    def name(key: str) -> str:
        return t(f"compare.summary.{key}", **view.words("mean_payout"))

    means = [number(tai[one]["mean_tai"]) for one in ids]
    moneys = [number(payout[one]["mean_payout"]) for one in ids]
    if view.mixed:
        means = [view.with_unit(text, t.unit(one.family, "tai")) for text, one in zip(means, presets, strict=True)]
        moneys = [view.with_unit(text, view.unit(one)) for text, one in zip(moneys, presets, strict=True)]
    family = "mixed" if view.mixed else base.family
    money = t.unit(base.family if scales else family, "money")
    marked = t("compare.label", name=base.id, id=t("compare.summary.baseline"))
    columns = {
        name("preset"): pl.Series([marked if one == base.id else one for one in ids]),
        name("n"): pl.Series([tai[one]["wins"] for one in ids]),
        **_counts(comparison, view),
        name("mean_tai"): _texts(means),
        t("compare.summary.interval", of=t.unit(family, "tai")): _intervals([tai[one] for one in ids]),
        name("mean_payout"): _texts(moneys),
        t("compare.summary.interval", of=money): _intervals([payout[one] for one in ids]),
    }
    if scales:
        columns[name("scaled_by")] = _texts([factor_text(scales[one]) for one in ids])
    elif comparison.kin:
        rows = [payout[one] for one in ids]
        columns[name("difference")] = _texts([number(row["difference"], sign=True) for row in rows])
        columns[name("interval_of_difference")] = _intervals(rows, prefix="difference_", sign=True)
    if comparison.kin:
        for key in ("tai", "payout"):
            shares = [None if one == base.id else changed.get(one, {}).get(f"{key}_share") for one in ids]
            columns[name(f"{key}_changed")] = _texts([percent(share) for share in shares])
    return pl.DataFrame(columns)


def _counts(comparison: Comparison, view: View) -> dict[str, pl.Series]:
    """Wins that count as 0, or where the presets pay in points the wins by what became of them."""
    if not view.points:
        tai = comparison.row_by_preset("mean_tai")
        illegal = [tai[preset.id]["wins"] - tai[preset.id]["legal"] for preset in comparison.presets]
        return {view.t("compare.summary.illegal"): pl.Series(illegal)}
    counts = outcome_counts(comparison)
    by_kind = {kind: [counts[preset.id][kind] for preset in comparison.presets] for kind in OUTCOMES}
    return {view.t(f"compare.outcomes.{kind}"): pl.Series(each) for kind, each in by_kind.items() if any(each)}


def _intervals(rows: Sequence[Mapping[str, Any]], *, prefix: str = "", sign: bool = False) -> pl.Series:
    return _texts([interval_text(row[f"{prefix}low"], row[f"{prefix}high"], sign=sign) for row in rows])


def _texts(texts: Sequence[str]) -> pl.Series:
    """Texts of numbers, ends below each other; a column of numbers could not have an interval or a unit."""
    widest = max(map(len, texts))
    return pl.Series([text.rjust(widest) if text else "" for text in texts], dtype=pl.String)
