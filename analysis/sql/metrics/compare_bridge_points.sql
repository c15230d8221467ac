-- What moves the mean payout from the baseline to a preset, where han or fan do not add in points. The steps of every
-- win add up to its difference exactly, in whole points, and so do the sums.
-- grain: one row per preset (of the baseline's family, baseline left out), kind of step and item
-- columns: preset; kind; item (null unless kind is added, removed or revalued); wins (in which the step is not zero);
--   money (points over all wins, signed); money_per_win
-- kinds: added, removed, revalued (the hand's difference, shared among the items that differ in proportion to the
--   difference of their han; rounded so that the parts keep the sum); limit_or_fu (the hand's difference where no item
--   differs, or where the han differ by nothing or the other way: fu, limits, rounding up); settlement (honba,
--   deposits, and hands of the same items, fu and limit: several winners, shares of three players);
--   legality (the win is taken away or no win under one of the two: its whole payout)
-- Where only one of the two is a yakuman, its yakuman alone carry the difference: other items do not count beside it.
-- numerator: money; denominator: wins (the same in every preset); unit: points per win
WITH pairs AS (
    SELECT
        b.preset, a.legal AS was_legal, b.legal, a.payout AS was_payout, b.payout,
        (b.payout - b.deposits - b.honba) - (a.payout - a.deposits - a.honba) AS hand,
        (b.deposits + b.honba) - (a.deposits + a.honba) AS extra,
        a.fu IS NOT DISTINCT FROM b.fu AND a.limit_name IS NOT DISTINCT FROM b.limit_name AND a.hand_tai = b.hand_tai
            AND NOT coalesce(b.limit_name = 'yakuman' AND b.fu IS NOT NULL, false) AS alike,
        coalesce(a.limit_name = 'yakuman' AND a.fu IS NULL, false) AS was_yakuman,
        coalesce(b.limit_name = 'yakuman' AND b.fu IS NULL, false) AS is_yakuman,
        a.items AS was_items, b.items,
        list_transform(a.items, lambda x: x.id) AS was_ids,
        list_transform(b.items, lambda x: x.id) AS ids
    FROM compare_wins AS b
    JOIN compare_wins AS a USING (game_id, hand_no, win_no)
    WHERE a.baseline AND NOT b.baseline AND a.family = b.family
),
differing AS (
    SELECT * EXCLUDE (was_items, items, was_ids, ids), list_sort(list_filter(list_concat(
        CASE WHEN was_yakuman AND NOT is_yakuman THEN [] ELSE list_transform(items, lambda x: {
            'item': x.id,
            'kind': CASE WHEN list_contains(was_ids, x.id) THEN 'revalued' ELSE 'added' END,
            'han': x.value::BIGINT - CASE WHEN is_yakuman AND NOT was_yakuman THEN 0
                ELSE coalesce(was_items[list_position(was_ids, x.id)].value, 0)::BIGINT END
        }) END,
        CASE WHEN is_yakuman AND NOT was_yakuman THEN [] ELSE list_transform(
            list_filter(was_items, lambda y: (was_yakuman AND NOT is_yakuman) OR NOT list_contains(ids, y.id)),
            lambda y: {'item': y.id, 'kind': 'removed', 'han': -y.value::BIGINT}
        ) END
    ), lambda x: x.han <> 0)) AS items
    FROM pairs
),
weighed AS (
    SELECT *, list_transform(items, lambda x: x.han) AS han,
        coalesce(list_sum(list_transform(items, lambda x: x.han)), 0)::BIGINT AS total
    FROM differing
),
steps AS (
    SELECT preset, unnest(
        CASE
            WHEN legal <> was_legal THEN [{'kind': 'legality', 'item': NULL, 'money': payout - was_payout}]
            ELSE list_concat(
                [{'kind': 'settlement', 'item': NULL, 'money': extra}],
                CASE
                    WHEN sign(hand) * sign(total) > 0 THEN list_transform(items, lambda x, i: {
                        'kind': x.kind, 'item': x.item,
                        -- Cumulative shares, rounded: the last one is the whole, whatever the rounding.
                        'money': (hand * list_sum(list_slice(han, 1, i))::BIGINT) // total
                            - (hand * coalesce(list_sum(list_slice(han, 1, i - 1)), 0)::BIGINT) // total
                    })
                    WHEN len(items) = 0 AND alike THEN [{'kind': 'settlement', 'item': NULL, 'money': hand}]
                    ELSE [{'kind': 'limit_or_fu', 'item': NULL, 'money': hand}]
                END
            )
        END
    ) AS step
    FROM weighed
),
counted AS (
    SELECT preset, sum(wins) AS wins FROM compare_games GROUP BY preset
)
SELECT
    s.preset, s.step.kind AS kind, s.step.item AS item,
    count(*) AS wins,
    sum(s.step.money)::BIGINT AS money,
    sum(s.step.money) / nullif(any_value(c.wins), 0) AS money_per_win
FROM steps AS s
JOIN counted AS c USING (preset)
WHERE s.step.money <> 0
GROUP BY ALL
ORDER BY s.preset, abs(money) DESC, kind, item
