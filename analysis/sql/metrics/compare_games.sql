-- Totals of each game under each preset: the clusters of the intervals. Games without a win have zeros.
-- grain: one row per game and compared preset
-- columns: game_id; preset; hands (played, draws included,
--   without hands all of whose wins are left out); wins (the same in all presets); legal;
--   hand_tai, dealer_tai, payout (sums over the wins, 0 for a win that is not legal);
--   tai_changed, payout_changed (wins whose hand tai, or whose winner's payout, differ from the baseline);
--   dealer_received, dealer_paid, others_received, others_paid (money, all positive; others = their seats together)
-- unit: wins, tai, and money of the preset
-- parameters: $presets
WITH totals AS (
    SELECT
        w.game_id, w.preset,
        count(*) AS wins,
        count(*) FILTER (w.legal) AS legal,
        sum(w.hand_tai) AS hand_tai,
        sum(w.dealer_tai) FILTER (w.legal) AS dealer_tai,
        sum(w.payout) AS payout,
        count(*) FILTER (w.legal <> b.legal OR w.hand_tai <> b.hand_tai) AS tai_changed,
        count(*) FILTER (w.payout <> b.payout) AS payout_changed,
        sum(greatest(w.payments[w.dealer + 1], 0)) AS dealer_received,
        sum(greatest(-w.payments[w.dealer + 1], 0)) AS dealer_paid,
        sum(list_sum(list_transform(w.payments::BIGINT[], lambda x: greatest(x, 0)))) AS received,
        sum(list_sum(list_transform(w.payments::BIGINT[], lambda x: greatest(-x, 0)))) AS paid
    FROM compare_wins AS w
    JOIN compare_wins AS b USING (game_id, hand_no, win_no)
    WHERE b.baseline
    GROUP BY ALL
),
lost AS (
    SELECT game_id, count(*) AS hands
    FROM (
        SELECT DISTINCT game_id, hand_no FROM compare_left_out
        EXCEPT
        SELECT DISTINCT w.game_id, w.hand_no
        FROM staging.wins AS w
        SEMI JOIN compare_left_out AS o ON o.game_id = w.game_id AND o.hand_no = w.hand_no
        ANTI JOIN compare_left_out AS l ON l.game_id = w.game_id AND l.hand_no = w.hand_no AND l.win_no = w.win_no
    )
    GROUP BY game_id
),
played AS (
    SELECT g.game_id, g.hands - coalesce(l.hands, 0) AS hands
    FROM compare_played AS g
    LEFT JOIN lost AS l ON l.game_id = g.game_id
)
SELECT
    played.game_id, p.preset, played.hands,
    coalesce(t.wins, 0)::BIGINT AS wins,
    coalesce(t.legal, 0)::BIGINT AS legal,
    coalesce(t.hand_tai, 0)::BIGINT AS hand_tai,
    coalesce(t.dealer_tai, 0)::BIGINT AS dealer_tai,
    coalesce(t.payout, 0)::BIGINT AS payout,
    coalesce(t.tai_changed, 0)::BIGINT AS tai_changed,
    coalesce(t.payout_changed, 0)::BIGINT AS payout_changed,
    coalesce(t.dealer_received, 0)::BIGINT AS dealer_received,
    coalesce(t.dealer_paid, 0)::BIGINT AS dealer_paid,
    coalesce(t.received - t.dealer_received, 0)::BIGINT AS others_received,
    coalesce(t.paid - t.dealer_paid, 0)::BIGINT AS others_paid
FROM played
CROSS JOIN unnest($presets) AS u(p)
LEFT JOIN totals AS t ON t.game_id = played.game_id AND t.preset = p.preset
ORDER BY played.game_id, p.preset
