"""Slow reference scorer for the seven Taiwanese presets, written from SPEC 1 - 3 alone.

It exists to check the fast core, so it imports nothing of the project, reads none of its data and enumerates instead
of looking up. A flag of a record that is absent or null counts as "did not happen".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tests.reference.conditions import circumstance_items, flower_items, tile_items
from tests.reference.presets import VALUES
from tests.reference.removals import removals
from tests.reference.rules import Rules, rules_of
from tests.reference.win import FLOWER_WINS, Win


def priced(win: Win, rules: Rules, found: Counter[str]) -> dict[str, int]:
    """Tai per item, after the removals; items that the preset does not pay are unknown to it and remove nothing."""
    present = {item for item, count in found.items() if count and item in rules.values}
    dropped: set[str] = set()
    for item, removed in removals(rules).items():
        if item in present:
            dropped |= removed
    # The bloom stays with the heavenly hand only where a kong may come before it.
    if "heavenly_hand" in present and not (rules.preset == "tw_luohan_v2" and win.flag("heavenly_after_kong")):
        dropped.add("kong_bloom")
    return {item: int(found[item]) * rules.values[item] for item in sorted(present - dropped)}


def best_items(win: Win, rules: Rules, extra: Counter[str]) -> list[dict[str, int]]:
    """Item sets of the best readings: highest tai, then most item ids; several when still tied, none when no shape.

    `extra` are the flower items (or the flower win) added to every reading.
    """
    circumstances = circumstance_items(win, rules)
    ranked: list[tuple[int, int, dict[str, int]]] = []
    for reading in win.readings:
        if reading.form == "eight_pairs" and (not rules.eight_pairs_half or win.melds):
            continue
        items = priced(win, rules, circumstances + extra + tile_items(win, rules, reading))
        ranked.append((sum(items.values()), len(items), items))
    if not ranked:
        return []
    top = max(entry[:2] for entry in ranked)
    best: list[dict[str, int]] = []
    for tai, length, items in ranked:
        if (tai, length) == top and items not in best:
            best.append(items)
    return sorted(best, key=lambda items: sorted(items.items()))


def dealer_tai(win: Win, rules: Rules, payer: int) -> int:
    """d(p) of SPEC 2.6."""
    if win.dealer not in (payer, win.winner):
        return 0
    streak = win.streak if rules.dealer_streak_cap is None else min(win.streak, rules.dealer_streak_cap)
    return 1 + (2 * streak if rules.la_zhuang else streak)


def settle(win: Win, rules: Rules, tai_by_payer: Mapping[int, int], stake: tuple[int, int]) -> dict[str, Any]:
    """`pay`, `winner_receives` and `eye_penalty`, with the hand tai that each payer is due."""
    base, unit = stake
    pay: dict[str, dict[str, int]] = {}
    received = 0
    for payer, hand_tai in sorted(tai_by_payer.items()):
        extra = dealer_tai(win, rules, payer)
        amount = base + unit * (hand_tai + extra)
        entry = {"hand_tai": hand_tai, "dealer_tai": extra, "tai": hand_tai + extra, "amount": amount}
        if win.liable is not None and win.liable not in (payer, win.winner):
            entry["paid_by"] = win.liable
        pay[str(payer)] = entry
        received += amount
    result: dict[str, Any] = {"pay": pay}
    penalty = {str(seat): unit * rules.eye_penalty for seat in sorted(set(win.eye_players)) if seat != win.winner}
    if penalty and rules.eye_penalty:
        result["eye_penalty"] = penalty
        received += sum(penalty.values())
    result["winner_receives"] = received
    return result


def _capped(rules: Rules, tai: int) -> int:
    return tai if rules.tai_cap is None else min(tai, rules.tai_cap)


def _refused(reason: str) -> dict[str, Any]:
    return {"valid": False, "reason": reason}


def _flower_win_tai(win: Win, rules: Rules) -> int:
    item = FLOWER_WINS[win.how]
    if rules.family == "luohan" and win.flag("initial_flowers"):
        return rules.values["initial_flower_win"]
    return rules.values[item]


def _losers(win: Win) -> list[int]:
    return [seat for seat in range(4) if seat != win.winner]


def _robbed(win: Win) -> int:
    if win.payer is None:
        raise ValueError(f"a {win.how} win needs the paying seat in `from`")
    return int(win.payer)


def score_flower_win(win: Win, rules: Rules, stake: tuple[int, int]) -> dict[str, Any]:
    """Eight immortals and seven-robs-one (SPEC 2.7)."""
    item = FLOWER_WINS[win.how]
    value = _flower_win_tai(win, rules)
    hands = best_items(win, rules, Counter()) if rules.family == "luohan" else []
    choices = [{**items, item: value} for items in hands] or [{item: value}]
    total = sum(choices[0].values())
    if total < rules.min_tai:
        return _refused("below_min_tai")

    if win.how == "eight_flowers":
        due = dict.fromkeys(_losers(win), _capped(rules, total))
    else:
        due = {_robbed(win): _capped(rules, total)}
        if hands and win.flags.get("mode") == "six_plus_one":
            # Self-drawn for the two others: their hand tai hold the seven own flowers and not the robbed one (A22).
            own = [flower for flower in win.flowers if flower != win.flags.get("robbed_flower")]
            flowers = flower_items(win, rules, own)
            with_flowers = sum(best_items(win, rules, flowers)[0].values())
            for seat in _losers(win):
                due.setdefault(seat, _capped(rules, with_flowers))
    return _result(choices, _capped(rules, total), settle(win, rules, due, stake))


def _result(choices: list[dict[str, int]], hand_tai: int, settlement: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"valid": True, "items": choices[0], "hand_tai": hand_tai, **settlement}
    if len(choices) > 1:
        result["alternatives"] = choices
    return result


def evaluate(win: Win, rules: Rules, stake: tuple[int, int]) -> dict[str, Any]:
    """Score one parsed win under resolved rules."""
    if win.is_flower_win:
        return score_flower_win(win, rules, stake)
    if rules.family == "luohan" and win.how == "self_draw" and win.flags.get("replacement") == "kong_open":
        return _refused("open_kong_replacement")
    if rules.family == "company" and len(set(win.flowers)) == 8:
        return _refused("system_auto_wins_on_eight_flowers")
    choices = best_items(win, rules, flower_items(win, rules, win.flowers))
    if not choices:
        return _refused("not_a_winning_shape")
    total = sum(choices[0].values())
    if total < rules.min_tai:
        return _refused("below_min_tai")
    hand_tai = _capped(rules, total)
    payers = _losers(win) if win.how == "self_draw" else [_robbed(win)]
    return _result(choices, hand_tai, settle(win, rules, dict.fromkeys(payers, hand_tai), stake))


def score(
    record: Mapping[str, Any],
    preset: str,
    *,
    stake: tuple[int, int] = (100, 20),
    options: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Score a wins-only record (SPEC 1) under a preset; the keys are those of `expected` in EXAMPLES.jsonl.

    `stake` is (base, unit) in money, `options` are switches laid over the preset. Equally good readings with other
    items are listed under `alternatives`; `paid_by` in a `pay` entry names the liable seat that pays it (SPEC 2.6).
    """
    return evaluate(Win(record), rules_of(preset, options), stake)


def score_all(
    record: Mapping[str, Any],
    presets: Iterable[str] = tuple(VALUES),
    *,
    stake: tuple[int, int] = (100, 20),
    options: Mapping[str, object] | None = None,
) -> dict[str, dict[str, Any]]:
    """`score` under several presets, enumerating the hand only once."""
    win = Win(record)
    return {preset: evaluate(win, rules_of(preset, options), stake) for preset in presets}
