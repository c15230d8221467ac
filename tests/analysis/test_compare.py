"""The comparison's numbers against plain Python over the rows of a made-up season."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from statistics import fmean
from typing import Any

import pytest

from analysis.compare import ComparedPreset, Comparison, NotScoredError, compare, game_totals
from ingest.errors import UsageError
from ingest.record import Row
from tests.analysis.season import PRESETS, RULES, connect, season

ROWS = season()


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(connect(ROWS), PRESETS, baseline="plain")


def _paired(preset: str) -> list[tuple[Row, Row, Row]]:
    """(win, its score under plain, its score under the preset)."""
    scores = {(s["preset"], s["game_id"], s["hand_no"], s["win_no"]): s for s in ROWS["scores"]}
    return [
        (
            win,
            scores["plain", win["game_id"], win["hand_no"], win["win_no"]],
            scores[preset, win["game_id"], win["hand_no"], win["win_no"]],
        )
        for win in ROWS["wins"]
    ]


def _row(comparison: Comparison, statistic: str, preset: str) -> dict[str, Any]:
    [row] = comparison.by_preset(statistic)[preset]
    return row


@pytest.mark.parametrize("preset", list(RULES))
def test_means_and_changes_are_those_of_the_rows(comparison: Comparison, preset: str) -> None:
    pairs = _paired(preset)
    tai = _row(comparison, "mean_tai", preset)
    assert tai["wins"] == len(ROWS["wins"])
    assert tai["legal"] == sum(score["legal"] for _, _, score in pairs)
    assert tai["mean_tai"] == pytest.approx(fmean(score["hand_tai"] for _, _, score in pairs))
    payout = _row(comparison, "mean_payout", preset)
    assert payout["mean_payout"] == pytest.approx(fmean(score["payments"][win["winner"]] for win, _, score in pairs))
    changed = _row(comparison, "changed", preset)
    assert changed["tai_changed"] == sum(
        (base["legal"], base["hand_tai"]) != (score["legal"], score["hand_tai"]) for _, base, score in pairs
    )
    assert changed["payout_changed"] == sum(
        base["payments"][win["winner"]] != score["payments"][win["winner"]] for win, base, score in pairs
    )
    assert changed["payout_share"] == changed["payout_changed"] / len(pairs)
    assert changed["payout_low"] <= changed["payout_share"] <= changed["payout_high"]


def test_intervals_hold_the_mean_and_differences_are_paired(comparison: Comparison) -> None:
    for statistic, mean in (("mean_tai", "mean_tai"), ("mean_payout", "mean_payout")):
        plain = _row(comparison, statistic, "plain")
        assert plain["difference"] is None
        for preset in RULES:
            row = _row(comparison, statistic, preset)
            assert row["low"] < row[mean] < row["high"]
        row = _row(comparison, statistic, "floral")
        assert row["difference"] == pytest.approx(row[mean] - plain[mean])
        assert row["difference_low"] < row["difference"] < row["difference_high"]
        # The same wins are compared, so the difference is known better than either mean.
        assert row["difference_high"] - row["difference_low"] < row["high"] - row["low"]


@pytest.mark.parametrize("preset", ["floral", "dear"])
def test_steps_add_up_to_the_difference_exactly(comparison: Comparison, preset: str) -> None:
    steps = comparison.by_preset("bridge")[preset]
    pairs = _paired(preset)
    difference = sum(b["payments"][win["winner"]] - a["payments"][win["winner"]] for win, a, b in pairs)
    assert difference != 0
    assert sum(step["money"] for step in steps) == difference
    means = _row(comparison, "mean_payout", preset)
    assert sum(step["money_per_win"] for step in steps) == pytest.approx(means["difference"])


def _money(comparison: Comparison, preset: str) -> dict[tuple[str, str | None], int]:
    return {(step["kind"], step["item"]): step["money"] for step in comparison.by_preset("bridge")[preset]}


def test_steps_name_what_changed(comparison: Comparison) -> None:
    # floral: any_flower instead of seat_flower, half_flush 5 instead of 4, an eye penalty of one unit, all else equal.
    shares = {(w["game_id"], w["hand_no"]): 1 if w["payer"] is not None else 3 for w in ROWS["wins"]}
    added = removed = revalued = penalties = 0
    for win, base, score in _paired("floral"):
        paid = 20 * shares[win["game_id"], win["hand_no"]]
        added += paid * sum(item["value"] for item in score["items"] if item["id"] == "any_flower")
        removed -= paid * sum(item["value"] for item in base["items"] if item["id"] == "seat_flower")
        revalued += paid * sum(1 for item in base["items"] if item["id"] == "half_flush")
        penalties += 20 * sum(win["eye_players"] >> seat & 1 for seat in range(4) if seat != win["winner"])
    assert _money(comparison, "floral") == {
        ("added", "any_flower"): added,
        ("removed", "seat_flower"): removed,
        ("revalued", "half_flush"): revalued,
        ("other", None): penalties,
    }


def test_steps_of_another_base_unit_cap_and_minimum(comparison: Comparison) -> None:
    base = lost = items = cap = unit = 0
    for win, plain, dear in _paired("dear"):
        shares = 1 if win["payer"] is not None else 3
        if not dear["legal"]:
            lost -= plain["payments"][win["winner"]]
            continue
        dealer = (3 if shares == 3 and win["winner"] == win["dealer"] else 1) * dear["dealer_tai"]
        base += 100 * shares
        unit += 30 * (shares * dear["hand_tai"] + dealer)
        total = sum(item["value"] for item in dear["items"])
        items += 20 * shares * (total - sum(item["value"] for item in plain["items"]))
        cap += 20 * shares * (dear["hand_tai"] - total)
    money = _money(comparison, "dear")
    assert lost
    assert cap
    assert money["legality", None] == lost
    assert money["base", None] == base
    assert money["unit", None] == unit
    assert money["cap", None] == cap
    assert {item for _, item in money if item} == {"self_draw", "dragon_pung"}
    assert sum(value for (_, item), value in money.items() if item) == items


def test_dealer_tai_is_a_step_of_its_own() -> None:
    # One self-draw by the dealer on streak 1 (3 tai from each of three), once without counting the streak (1 tai).
    rows = _one_game(
        {"winner": 0, "payer": None, "win_kind": 1, "dealer": 0, "streak": 1},
        plain={"hand_tai": 2, "dealer_tai": 3, "payments": [600, -200, -200, -200]},
        floral={"hand_tai": 2, "dealer_tai": 1, "payments": [480, -160, -160, -160]},
    )
    result = compare(connect(rows), PRESETS[:2], baseline="plain")
    assert _money(result, "floral") == {("dealer", None): 3 * 20 * (1 - 3)}
    # Another seat's self-draw: only the dealer pays dealer tai.
    rows = _one_game(
        {"winner": 2, "payer": None, "win_kind": 1, "dealer": 0, "streak": 1},
        plain={"hand_tai": 2, "dealer_tai": 3, "payments": [-200, -140, 480, -140]},
        floral={"hand_tai": 2, "dealer_tai": 1, "payments": [-160, -140, 440, -140]},
    )
    result = compare(connect(rows), PRESETS[:2], baseline="plain")
    assert _money(result, "floral") == {("dealer", None): 20 * (1 - 3)}


def _one_game(win: Row, **scores: Row) -> dict[str, list[Row]]:
    rows = season(games=1)
    key = {"game_id": rows["games"][0]["game_id"], "hand_no": 0, "win_no": 0}
    rows["hands"] = [{**rows["hands"][0], "result": "win", "n_wins": 1}]
    rows["wins"] = [{**rows["wins"][0], **key, **win}]
    rows["scores"] = [
        {
            **key,
            "preset": preset,
            "preset_hash": f"hash-{preset}",
            "legal": True,
            "outcome": "ok",
            "deposits": 0,
            "undetermined": [],
            "items": [{"id": "all_pungs", "count": 1, "value": score["hand_tai"]}],
            **score,
        }
        for preset, score in scores.items()
    ]
    return rows


def test_one_game_has_estimates_without_intervals() -> None:
    rows = _one_game(
        {"winner": 1, "payer": 2, "win_kind": 0, "dealer": 0, "streak": 0},
        plain={"hand_tai": 2, "dealer_tai": 0, "payments": [0, 140, -140, 0]},
    )
    row = _row(compare(connect(rows), PRESETS[:1], baseline="plain"), "mean_payout", "plain")
    assert (row["mean_payout"], row["low"], row["high"]) == (140, None, None)


def test_histogram_counts_legal_wins(comparison: Comparison) -> None:
    for preset in RULES:
        expected = Counter(score["hand_tai"] for _, _, score in _paired(preset) if score["legal"])
        rows = comparison.by_preset("tai_histogram")[preset]
        assert {row["tai"]: row["wins"] for row in rows} == expected
        assert sum(row["share"] for row in rows) == pytest.approx(1)


def test_items_count_wins_and_copies(comparison: Comparison) -> None:
    wins: Counter[tuple[str, str]] = Counter()
    copies: Counter[tuple[str, str]] = Counter()
    for score in ROWS["scores"]:
        for item in score["items"]:
            wins[score["preset"], item["id"]] += 1
            copies[score["preset"], item["id"]] += item["count"]
    rows = comparison.statistics["items"].records()
    assert {(row["preset"], row["item"]): row["wins"] for row in rows} == wins
    assert {(row["preset"], row["item"]): row["copies"] for row in rows} == copies
    assert {row["of_wins"] for row in rows} == {len(ROWS["wins"])}


@pytest.mark.parametrize("preset", list(RULES))
def test_roles_share_the_payments_over_all_hands(comparison: Comparison, preset: str) -> None:
    dealer = others = 0
    for win, _, score in _paired(preset):
        dealer += score["payments"][win["dealer"]]
        others += sum(money for seat, money in enumerate(score["payments"]) if seat != win["dealer"])
    hands = len(ROWS["hands"])
    assert hands > len(ROWS["wins"])  # draws are in the denominator
    roles = {row["role"]: row for row in comparison.by_preset("roles")[preset]}
    assert roles["dealer"]["hands"] == hands
    assert roles["other"]["hands"] == 3 * hands
    assert roles["dealer"]["net"] == pytest.approx(dealer / hands)
    assert roles["other"]["net"] == pytest.approx(others / hands / 3)
    assert roles["dealer"]["received"] - roles["dealer"]["paid"] == pytest.approx(roles["dealer"]["net"])
    assert roles["dealer"]["net"] + 3 * roles["other"]["net"] == pytest.approx(0)
    assert roles["dealer"]["net_low"] < roles["dealer"]["net"] < roles["dealer"]["net_high"]


def test_illegal_wins_are_counted_by_reason(comparison: Comparison) -> None:
    refused = sum(not score["legal"] for _, _, score in _paired("dear"))
    rows = comparison.by_preset("illegal")
    assert [(row["reason"], row["wins"]) for row in rows["dear"]] == [("below_min_tai", refused)]
    assert rows["plain"] == rows["floral"] == []


def test_undetermined_wins_are_counted_once_and_by_item(comparison: Comparison) -> None:
    open_wins = sum(bool(score["undetermined"]) for _, _, score in _paired("floral"))
    rows = {row["item"]: row["wins"] for row in comparison.by_preset("undetermined")["floral"]}
    assert rows == {None: open_wins, "single_wait": open_wins}


def test_standings_add_the_payments_of_each_player(comparison: Comparison) -> None:
    players = {game["game_id"]: game["players"] for game in ROWS["games"]}
    totals: dict[str, dict[str, int]] = {preset: defaultdict(int) for preset in RULES}
    for score in ROWS["scores"]:
        for seat, money in enumerate(score["payments"]):
            totals[score["preset"]][players[score["game_id"]][seat]] += money
    hands = Counter(player for hand in ROWS["hands"] for player in players[hand["game_id"]])
    places = {
        preset: {one: 1 + sum(other > total for other in each.values()) for one, total in each.items()}
        for preset, each in totals.items()
    }
    rows = comparison.statistics["standings"].records()
    assert len(rows) == len(RULES) * 6
    for row in rows:
        player, preset = row["player"], row["preset"]
        assert row["total"] == totals[preset][player]
        assert row["hands"] == hands[player]
        assert row["place"] == places[preset][player]
        assert row["moves"] == places["plain"][player] - places[preset][player]


def test_money_beyond_32_bits_adds_up() -> None:
    presets = [replace(preset, unit=2_000_000_000) for preset in PRESETS]
    result = compare(connect(ROWS), presets, baseline="plain")
    for preset in list(RULES)[1:]:
        steps = sum(step["money"] for step in result.by_preset("bridge")[preset])
        assert steps == sum(
            score["payments"][win["winner"]] - base["payments"][win["winner"]] for win, base, score in _paired(preset)
        )


@pytest.mark.parametrize("name", ["mean_tai", "changed", "bridge", "tai_histogram", "items", "roles", "standings"])
def test_the_sql_shown_gives_the_numbers_shown(comparison: Comparison, name: str) -> None:
    statistic = comparison.statistics[name]
    result = connect(ROWS).execute(statistic.sql)
    columns = [column[0] for column in result.description or ()]
    assert tuple(columns) == statistic.columns[: len(columns)]
    assert sorted(map(repr, result.fetchall())) == sorted(repr(row[: len(columns)]) for row in statistic.rows)


def test_every_sql_file_states_its_grain_and_denominator(comparison: Comparison) -> None:
    for statistic in comparison.statistics.values():
        assert "-- grain:" in statistic.sql
        assert "denominator" in statistic.sql
        assert "unit" in statistic.sql
        assert "$" not in "".join(line for line in statistic.sql.splitlines(True) if not line.startswith("--"))


def test_totals_per_game_add_up(comparison: Comparison) -> None:
    rows = game_totals(connect(ROWS), comparison).records()
    assert len(rows) == len(ROWS["games"]) * len(RULES)
    plain = [row for row in rows if row["preset"] == "plain"]
    assert sum(row["wins"] for row in plain) == len(ROWS["wins"])
    assert sum(row["payout"] for row in plain) == _row(comparison, "mean_payout", "plain")["payout"]
    for row in rows:
        assert row["dealer_received"] + row["others_received"] == row["dealer_paid"] + row["others_paid"]


def test_no_number_is_nan(comparison: Comparison) -> None:
    for statistic in comparison.statistics.values():
        for row in statistic.rows:
            assert not any(isinstance(value, float) and not math.isfinite(value) for value in row)


def test_presets_come_in_the_order_asked_for() -> None:
    result = compare(connect(ROWS), [PRESETS[2], PRESETS[0]], baseline="plain")
    assert [row["preset"] for row in result.statistics["mean_tai"].records()] == ["dear", "plain"]
    assert [preset.id for preset in result.others] == ["dear"]
    assert _row(result, "mean_payout", "dear")["difference"] > 0


def test_a_preset_compared_with_one_like_it_does_not_differ() -> None:
    rows = season(games=6)
    rows["scores"] += [
        {**score, "preset": "twin", "preset_hash": "hash-twin"}
        for score in rows["scores"]
        if score["preset"] == "plain"
    ]
    twin = replace(PRESETS[0], id="twin", hash="hash-twin")
    result = compare(connect(rows), [PRESETS[0], twin], baseline="plain")
    assert result.by_preset("bridge")["twin"] == []
    assert _row(result, "changed", "twin")["payout_changed"] == 0
    assert _row(result, "mean_payout", "twin")["difference_low"] == 0
    assert result.kendall["twin"] == 1


def test_other_families_are_left_out_and_counted() -> None:
    rows = season(games=5)
    rows["games"][0]["family"] = "riichi"
    gone = rows["games"][0]["game_id"]
    rows["scores"] = [score for score in rows["scores"] if score["game_id"] != gone]
    left_out = sum(win["game_id"] == gone for win in rows["wins"])
    result = compare(connect(rows), PRESETS, baseline="plain")
    assert result.coverage["other_wins"] == left_out > 0
    assert result.wins == len(rows["wins"]) - left_out
    assert result.coverage["hands"] == 4 * 8
    assert result.by_preset("roles")["plain"][0]["hands"] == 4 * 8


def _preset(**changes: Any) -> ComparedPreset:
    return replace(PRESETS[0], **changes)


@pytest.mark.parametrize(
    ("presets", "baseline", "message"),
    [
        ([], "plain", "no preset"),
        (PRESETS, "odd", "'odd' is not among"),
        ([PRESETS[0], _preset(hash="else")], "plain", "two presets have the id 'plain'"),
        ([PRESETS[0], _preset(id="r", family="riichi", sets=4)], "plain", "cannot score the same wins"),
    ],
)
def test_presets_that_cannot_be_compared(presets: list[ComparedPreset], baseline: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(connect(ROWS), presets, baseline=baseline)


def test_an_empty_store_says_what_to_do() -> None:
    empty: dict[str, list[Row]] = {name: [] for name in ROWS}
    with pytest.raises(UsageError, match=r"no win of the family 'taiwan'.*paipu ingest"):
        compare(connect(empty), PRESETS, baseline="plain")


def test_missing_scores_say_what_to_run() -> None:
    rows = season(games=2)
    rows["scores"].pop()
    with pytest.raises(NotScoredError, match="paipu rescore --preset dear"):
        compare(connect(rows), PRESETS, baseline="plain")


def test_a_quote_in_an_id_stays_text() -> None:
    odd = _preset(id="o'dd", hash="hash-o'dd")
    rows = season(games=3)
    rows["scores"] = [
        {**s, "preset": "o'dd", "preset_hash": "hash-o'dd"} for s in rows["scores"] if s["preset"] == "plain"
    ]
    assert compare(connect(rows), [odd], baseline="o'dd").wins == len(rows["wins"])


def test_presets_with_the_same_rules_share_a_hash() -> None:
    rows = season(games=3)
    plain = [score for score in rows["scores"] if score["preset"] == "plain"]
    rows["scores"] = [*plain, *({**score, "preset": "alias"} for score in plain)]
    result = compare(connect(rows), [PRESETS[0], _preset(id="alias")], baseline="plain")
    assert result.wins == len(rows["wins"]) == len(plain)
    assert _row(result, "mean_payout", "alias")["wins"] == len(plain)
