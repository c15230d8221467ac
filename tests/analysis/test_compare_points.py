"""The comparison where hands are paid in points, against sums worked out by hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from analysis.compare import ComparedPreset, Comparison, compare, game_totals
from analysis.rules.preset import load_presets
from ingest.errors import UsageError
from tests.analysis.points_season import PRESETS, Rows, no_score, paid, points_season, preset, score
from tests.analysis.season import PRESETS as TAIWANESE
from tests.analysis.season import connect

ROWS = points_season()


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(connect(ROWS), PRESETS, baseline="reds")


def _row(comparison: Comparison, statistic: str, name: str) -> dict[str, Any]:
    [row] = comparison.by_preset(statistic)[name]
    return row


def _steps(comparison: Comparison, name: str) -> dict[tuple[str, str | None], int]:
    return {(step["kind"], step["item"]): step["money"] for step in comparison.by_preset("bridge")[name]}


def test_means_are_over_the_wins_that_every_preset_can_score_and_allows(comparison: Comparison) -> None:
    assert comparison.coverage["wins"] == 9
    # Hand 4 has no yaku under plain, hand 5 is not rescorable under strict: RIICHI 2.14.
    assert comparison.coverage["left_out"] == 2
    assert comparison.coverage["other_wins"] == 1
    assert comparison.wins == 7
    # Hands 0, 1, 2 (two winners), 3, 7 and the second game's. reds: 5,200 + 12,000 + 3,600 + 2,000 + 7,700 + 2,000
    # + 7,700; plain: 3,300 + 2,700 + 2,600 + 3,600 + 8,000 + 32,000 + 8,000; strict is reds, but the 2,000 of the
    # second winner are taken away and count as 0.
    sums = {name: _row(comparison, "mean_payout", name)["payout"] for name in ("reds", "plain", "strict")}
    assert sums == {"reds": 40_200, "plain": 60_200, "strict": 38_200}
    assert _row(comparison, "mean_payout", "plain")["mean_payout"] == 60_200 / 7
    assert _row(comparison, "mean_payout", "strict")["difference"] == pytest.approx(-2000 / 7)
    # Han: 3 + 6 + 1 + 2 + 4 + 2 + 4; plain: 2 + 3 + 1 + 2 + 4 + 13 + 4; strict: 3 + 6 + 1 + 0 + 4 + 2 + 4.
    han = {name: _row(comparison, "mean_tai", name)["mean_tai"] for name in sums}
    assert han == {"reds": 22 / 7, "plain": 29 / 7, "strict": 20 / 7}
    legal = {name: _row(comparison, "mean_tai", name)["legal"] for name in sums}
    assert legal == {"reds": 7, "plain": 7, "strict": 6}
    # All are paid differently; the han of hands 0, 1 and 7 change.
    assert _row(comparison, "changed", "plain")["payout_changed"] == 7
    assert _row(comparison, "changed", "plain")["tai_changed"] == 3
    assert _row(comparison, "changed", "strict")["payout_changed"] == 1


def test_a_win_without_yaku_under_one_preset_is_in_no_figure_of_another(comparison: Comparison) -> None:
    # Under reds the open tanyao of hand 4 (1 han) has a value; the tanyao of hand 3 and of the second game stay.
    [tanyao] = [row for row in comparison.by_preset("items")["reds"] if row["item"] == "tanyao"]
    assert (tanyao["wins"], tanyao["of_wins"]) == (2, 7)
    # One han: the first winner of hand 2 alone. Two: the second and hand 7.
    bins = {row["tai"]: row["wins"] for row in comparison.by_preset("tai_histogram")["reds"]}
    assert bins == {1: 1, 2: 2, 3: 1, 4: 2, 6: 1}
    assert _row(comparison, "spread", "reds")["wins"] == 7
    # Only what is taken away counts as 0.
    illegal = [(row["preset"], row["reason"], row["wins"]) for row in comparison.statistics["illegal"].records()]
    assert illegal == [("strict", "head_bump", 1)]


def test_outcomes_are_counted_over_all_wins(comparison: Comparison) -> None:
    counts = {
        name: {(row["outcome"], row["reason"]): row["wins"] for row in rows}
        for name, rows in comparison.by_preset("outcomes").items()
    }
    assert counts == {
        "reds": {("ok", None): 9},
        "plain": {("ok", None): 8, ("no_yaku", "no_yaku"): 1},
        "strict": {("ok", None): 7, ("removed", "head_bump"): 1, ("not_rescorable", "no_ura_in_the_log"): 1},
    }
    assert {row["of_wins"] for row in comparison.statistics["outcomes"].records()} == {9}


def test_steps_name_what_changed_and_add_up(comparison: Comparison) -> None:
    steps = _steps(comparison, "plain")
    # Hand 1 loses 9,300 to three han: 3,100 each, two of them red. Hand 0 loses 1,900 to its red five.
    assert steps == {
        ("removed", "aka_dora"): -1900 - 6200,
        ("removed", "ippatsu"): -3100,
        ("added", "renhou"): 30_000,
        ("limit_or_fu", None): 300 + 300,
        ("settlement", None): -1000 + 1600,
    }
    assert sum(steps.values()) == 60_200 - 40_200
    assert _steps(comparison, "strict") == {("legality", None): -2000}


def test_shares_that_do_not_divide_keep_the_sum() -> None:
    rows = Rows()
    rows.game("g")
    rows.hand("g", 0, n_wins=1)
    more = score(paid(12_000, by=0, to=1), {"riichi": 1, "ippatsu": 1, "dora": 2, "ura_dora": 3})
    less = score(paid(1300, by=0, to=1), {"riichi": 1}, fu=40)
    rows.win("g", 0, winner=1, payer=0, scores={"reds": more, "plain": less})
    steps = _steps(compare(connect(rows.tables), PRESETS[:2], baseline="reds"), "plain")
    # 10,700 over six han is 1,783 1/3 a han.
    for item, han in {"ippatsu": 1, "dora": 2, "ura_dora": 3}.items():
        assert abs(steps["removed", item] + 10_700 * han / 6) < 1
    assert sum(steps.values()) == -10_700


@pytest.mark.parametrize(
    ("more", "less", "expected"),
    [
        # The same yaku under another fu.
        (score(paid(3900, by=0, to=1), {"a": 3}), score(paid(5200, by=0, to=1), {"a": 3}, fu=40), "limit_or_fu"),
        # As many han of other yaku, paid differently for their fu.
        (score(paid(3900, by=0, to=1), {"a": 3}), score(paid(3200, by=0, to=1), {"b": 3}, fu=25), "limit_or_fu"),
        # A han more and fewer points: it was the limit.
        (score(paid(32_000, by=0, to=1), {"a": 13}), score(paid(24_000, by=0, to=1), {"a": 14}), "limit_or_fu"),
        # All the same, yet paid differently.
        (score(paid(3900, by=0, to=1), {"a": 3}), score(paid(4000, by=0, to=1), {"a": 3}), "settlement"),
    ],
)
def test_differences_that_no_item_explains(more: Any, less: Any, expected: str) -> None:
    rows = Rows()
    rows.game("g")
    rows.hand("g", 0, n_wins=1)
    rows.win("g", 0, winner=1, payer=0, scores={"reds": more, "plain": less})
    steps = _steps(compare(connect(rows.tables), PRESETS[:2], baseline="reds"), "plain")
    assert steps == {(expected, None): less["payments"][1] - more["payments"][1]}


def test_items_beside_a_yakuman_carry_nothing() -> None:
    rows = Rows()
    rows.game("g")
    rows.hand("g", 0, n_wins=1)
    yakuman = score(paid(32_000, by=0, to=1), {"suuankou": 13}, fu=None)
    counted = score(paid(16_000, by=0, to=1), {"toitoi": 2, "sanankou": 2, "dora": 4})
    rows.win("g", 0, winner=1, payer=0, scores={"reds": yakuman, "plain": counted})
    result = compare(connect(rows.tables), PRESETS[:2], baseline="reds")
    assert _steps(result, "plain") == {("removed", "suuankou"): -16_000}


@pytest.mark.parametrize("seed", range(5))
def test_steps_of_any_scores_add_up_exactly(seed: int) -> None:
    rng = random.Random(seed)
    rows, difference, wins = Rows(), 0, 0
    rows.game("g")

    def some() -> Any:
        if rng.random() < 0.2:
            return rng.choice([no_score("no_yaku", "no_yaku"), no_score("removed", "head_bump")])
        items = {item: rng.choice([1, 1, 2, 3, 13]) for item in rng.sample("abcdef", rng.randint(1, 5))}
        deposits = 1000 * rng.randint(0, 2)
        payout = 100 * rng.randint(10, 500) + deposits
        fu, limit = rng.choice([(None, "yakuman"), (30, None), (40, "mangan"), (30, "yakuman")])
        return score(paid(payout, by=0, to=1, deposits=deposits), items, fu=fu, limit_name=limit, deposits=deposits)

    for number in range(120):
        rows.hand("g", number, n_wins=1, honba=number % 3)
        one, other = some(), some()
        rows.win("g", number, winner=1, payer=0, honba=number % 3, scores={"reds": one, "plain": other})
        if "no_yaku" not in (one["outcome"], other["outcome"]):
            difference += other["payments"][1] - one["payments"][1]
            wins += 1
    assert 60 < wins < 120
    result = compare(connect(rows.tables), PRESETS[:2], baseline="reds")
    assert sum(_steps(result, "plain").values()) == difference
    assert _row(result, "mean_payout", "plain")["difference"] == pytest.approx(difference / wins)


def test_roles_leave_out_hands_whose_wins_are_left_out(comparison: Comparison) -> None:
    roles = {row["role"]: row for row in comparison.by_preset("roles")["reds"]}
    # Nine hands at tables of four, less hands 4 and 5; three other seats each.
    assert roles["dealer"]["hands"] == 7
    assert roles["other"]["hands"] == 21
    # The dealer pays half of the haneman and both winners of hand 2 (less its deposits) and wins nothing.
    assert roles["dealer"]["net"] == -(6000 + 1600 + 2000) / 7
    # All seats together have the deposits that were won: 1,000 and 2,000.
    assert roles["dealer"]["net"] + 3 * roles["other"]["net"] == pytest.approx(3000 / 7)


def test_standings_are_of_the_same_wins(comparison: Comparison) -> None:
    totals = {
        row["player"]: row["total"] for row in comparison.statistics["standings"].records() if row["preset"] == "reds"
    }
    # Bo: 5,200 + 3,600 + 7,700 + 2,000 + 7,700, less 3,000 of the haneman.
    assert totals["tenhou:Bo"] == 26_200 - 3000
    assert totals["tenhou:Ann"] == -9600
    # Cai pays hands 0 (4,200) and 3 and the second game's (7,700 each) and 3,000 of the haneman; the 1,000 of the open
    # tanyao are not in it.
    assert totals["tenhou:Cai"] == -(4200 + 7700 + 7700 + 3000)
    assert sum(totals.values()) == 3000


def test_a_table_of_three() -> None:
    presets = [preset("loss", players=3), preset("full", players=3)]
    rows = Rows()
    rows.game("g", players=3)
    # A child's mangan by self-draw: 4,000 + 2,000, or with the missing seat's 2,000 shared.
    rows.hand("g", 0, n_wins=1, honba=1)
    loss = score([-4100, 6200, -2100, 0], {"riichi": 5})
    full = score([-5100, 8200, -3100, 0], {"riichi": 5})
    rows.win("g", 0, winner=1, payer=None, players=3, honba=1, scores={"loss": loss, "full": full})
    rows.game("four")
    rows.hand("four", 0)
    result = compare(connect(rows.tables), presets, baseline="loss")
    assert _steps(result, "full") == {("settlement", None): 2000}
    assert {row["role"]: row["hands"] for row in result.by_preset("roles")["loss"]} == {"dealer": 1, "other": 2}
    assert result.coverage["games"] == 1


def mixed_rows() -> dict[str, list[Any]]:
    """Two wins, one from a log of each family, scored in points by one and in fan by the other."""
    rows = Rows()
    for family, payout, fan in (("riichi", 8000, 20), ("mcr", 2000, 40)):
        rows.game(family, family=family)
        rows.hand(family, 0, n_wins=1)
        points = score(paid(payout, by=0, to=1), {"riichi": 1})
        other = score([-8 - fan, 24 + fan, -8, -8], {"all_types": fan}, fu=None, limit_name=None)
        rows.win(family, 0, winner=1, payer=0, scores={"reds": points, "mcr": other})
    return rows.tables


MIXED = [PRESETS[0], preset("mcr", family="mcr", honba_ron=0, honba_tsumo=0)]


def test_presets_of_two_families_score_the_wins_of_both_in_their_own_unit() -> None:
    result = compare(connect(mixed_rows()), MIXED, baseline="reds")
    assert result.wins == 2
    assert result.families == ("riichi", "mcr")
    assert _row(result, "mean_payout", "reds")["mean_payout"] == 5000
    # 24 + 20 and 24 + 40.
    other = _row(result, "mean_payout", "mcr")
    assert (other["mean_payout"], other["difference"], other["difference_low"]) == (54, None, None)
    assert result.kin == ()
    assert result.by_preset("changed")["mcr"] == result.by_preset("bridge")["mcr"] == []


def test_scaling_gives_every_preset_the_baselines_mean() -> None:
    result = compare(connect(mixed_rows()), MIXED, baseline="reds", scale=True)
    assert result.scales == {"reds": 1, "mcr": 5000 / 54}
    row = _row(result, "mean_payout", "mcr")
    assert row["mean_payout"] == pytest.approx(5000)
    assert row["payout"] == 108
    assert row["scaled_by"] == 5000 / 54
    assert row["high"] == pytest.approx(64 * 5000 / 54)
    totals = {r["player"]: r["total"] for r in result.statistics["standings"].records() if r["preset"] == "mcr"}
    assert totals["tenhou:Bo"] == pytest.approx(10_000)
    spread = _row(result, "spread", "mcr")
    assert (spread["p10"], spread["p90"]) == pytest.approx((44 * 5000 / 54, 64 * 5000 / 54))


def test_scaling_leaves_no_difference(comparison: Comparison) -> None:
    result = compare(connect(ROWS), PRESETS, baseline="reds", scale=True)
    assert result.scales == pytest.approx({"reds": 1, "plain": 40_200 / 60_200, "strict": 40_200 / 38_200})
    assert _row(result, "mean_payout", "plain")["difference"] is None
    # Steps stay in the preset's own points.
    assert result.statistics["bridge"].rows == comparison.statistics["bridge"].rows


@pytest.mark.parametrize(
    ("presets", "words"),
    [
        ([PRESETS[0], TAIWANESE[0]], r"'reds' \(riichi, hands of 4 sets\) and 'plain' \(taiwan, 5 sets\) cannot score"),
        ([PRESETS[0], preset("three", players=3)], "'reds' is for 4 players and 'three' for 3"),
    ],
)
def test_presets_that_cannot_score_the_same_wins(presets: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        compare(connect(ROWS), presets, baseline="reds")


@pytest.mark.parametrize(
    ("outcome", "reason", "words"),
    [
        ("not_rescorable", "no_ura_in_the_log", r"under 'plain' 1 of 1 are not rescorable \(no_ura_in_the_log\)"),
        ("no_yaku", "no_yaku", "under 'plain' 1 of 1 have no yaku; compare without it"),
    ],
)
def test_no_win_left_says_which_preset_and_why(outcome: str, reason: str, words: str) -> None:
    rows = Rows()
    rows.game("g")
    rows.hand("g", 0, n_wins=1)
    known = score(paid(1000, by=0, to=1), {"riichi": 1})
    rows.win("g", 0, winner=1, payer=0, scores={"reds": known, "plain": no_score(outcome, reason)})
    with pytest.raises(UsageError, match=words):
        compare(connect(rows.tables), PRESETS[:2], baseline="reds")


def test_a_store_without_such_wins_says_so() -> None:
    with pytest.raises(UsageError, match="no win of the family 'riichi' at a table of 3"):
        compare(connect({name: [] for name in ROWS}), [preset("loss", players=3)], baseline="loss")


def test_the_sql_shown_gives_the_numbers_shown(comparison: Comparison) -> None:
    for statistic in comparison.statistics.values():
        if statistic.name == "changed":
            continue
        result = connect(ROWS).execute(statistic.sql)
        columns = [column[0] for column in result.description or ()]
        assert tuple(columns) == statistic.columns[: len(columns)]
        assert Counter(map(repr, result.fetchall())) == Counter(repr(row[: len(columns)]) for row in statistic.rows)


def test_totals_per_game_can_be_had_later(comparison: Comparison) -> None:
    rows = game_totals(connect(ROWS), comparison).records()
    assert {(row["game_id"], row["preset"]): row["payout"] for row in rows if row["preset"] == "reds"} == {
        # 5,200 + 12,000 + 3,600 + 2,000 + 7,700 + 2,000
        ("g1", "reds"): 32_500,
        ("g2", "reds"): 7700,
    }


def test_presets_bring_what_the_comparison_needs() -> None:
    [tenhou, ema, three, taiwan] = map(
        ComparedPreset.of, load_presets(["tenhou_4p", "ema_2025", "tenhou_3p", "tw_general"])
    )
    # RIICHI 3.2: 300 and 100 a counter; EMA pays them to every winner.
    assert (tenhou.honba_ron, tenhou.honba_tsumo, tenhou.honba_each, tenhou.priced) == (300, 100, False, False)
    assert ema.honba_each
    assert (three.players, three.sets) == (3, 4)
    assert (taiwan.players, taiwan.sets, taiwan.priced, taiwan.honba_ron) == (4, 5, True, 0)
