-- What moves the mean payout from the baseline to a preset. The steps of a preset add up to the difference exactly:
-- a payment is base + unit x (hand tai + dealer tai), so a win pays shares x base + unit x (shares x hand tai +
-- dealer_shares x dealer tai) + rest.
-- grain: one row per preset (baseline and other families left out), kind of step and item
-- columns: preset; kind; item (null unless kind is added, removed or revalued); wins (in which the step is not zero);
--   money (sum over all wins, signed); money_per_win
-- kinds: added, removed, revalued (items, at the baseline's unit); base; dealer (dealer tai, at the baseline's unit);
--   cap (hand tai less the sum of its items: a limit); unit (other money per tai, on all tai of the preset);
--   legality (the win is legal under only one of the two: its whole payout); other (penalties, liability, flower wins)
-- numerator: money; denominator: wins (the same in every preset); unit: money per win
WITH pairs AS (
    SELECT
        b.preset, a.legal AS was_legal, b.legal, a.payout AS was_payout, b.payout,
        b.shares, b.dealer_shares,
        a.base::BIGINT AS was_base, b.base::BIGINT AS base, a.unit::BIGINT AS was_unit, b.unit::BIGINT AS unit,
        a.hand_tai AS was_tai, b.hand_tai AS tai, a.dealer_tai AS was_dealer, b.dealer_tai AS dealer,
        a.items AS was_items, b.items,
        list_transform(a.items, lambda x: x.id) AS was_ids,
        list_transform(b.items, lambda x: x.id) AS ids,
        coalesce(list_sum(list_transform(a.items, lambda x: x.value)), 0)::BIGINT AS was_sum,
        coalesce(list_sum(list_transform(b.items, lambda x: x.value)), 0)::BIGINT AS item_sum
    FROM compare_wins AS b
    JOIN compare_wins AS a USING (game_id, hand_no, win_no)
    WHERE a.baseline AND NOT b.baseline AND a.family = b.family
),
steps AS (
    SELECT preset, unnest(
        CASE WHEN legal AND was_legal THEN list_concat(
            list_transform(items, lambda x: {
                'kind': CASE WHEN list_contains(was_ids, x.id) THEN 'revalued' ELSE 'added' END,
                'item': x.id,
                'money': was_unit * shares
                    * (x.value - coalesce(was_items[list_position(was_ids, x.id)].value, 0))::BIGINT
            }),
            list_transform(
                list_filter(was_items, lambda y: NOT list_contains(ids, y.id)),
                lambda y: {'kind': 'removed', 'item': y.id, 'money': -was_unit * shares * y.value::BIGINT}
            ),
            [
                {'kind': 'base', 'item': NULL, 'money': shares * (base - was_base)::BIGINT},
                {'kind': 'dealer', 'item': NULL, 'money': was_unit * dealer_shares * (dealer - was_dealer)::BIGINT},
                {'kind': 'cap', 'item': NULL,
                 'money': was_unit * shares * ((tai - item_sum) - (was_tai - was_sum))::BIGINT},
                {'kind': 'unit', 'item': NULL,
                 'money': (unit - was_unit) * (shares * tai + dealer_shares * dealer)::BIGINT},
                {'kind': 'other', 'item': NULL,
                 'money': (payout - shares * base - unit * (shares * tai + dealer_shares * dealer))
                     - (was_payout - shares * was_base - was_unit * (shares * was_tai + dealer_shares * was_dealer))}
            ]
        ) ELSE [{'kind': 'legality', 'item': NULL, 'money': payout - was_payout}] END
    ) AS step
    FROM pairs
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
