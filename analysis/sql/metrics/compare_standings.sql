-- Standings of the players when every win is paid by the preset: the season table re-ranked.
-- grain: one row per player and preset
-- columns: player; preset; games; hands; total (money, recomputed payments of all games); per_hand; place (ties share it);
--   moves (places gained against the baseline, negative = lost)
-- numerator: recomputed payments to and from the player; denominator of per_hand: hands of the games the player sat in
-- unit: the preset's money
-- parameters: $presets; $baseline
WITH paid AS (
    SELECT
        s.game_id, s.preset,
        [sum(s.payments[1]), sum(s.payments[2]), sum(s.payments[3]), sum(s.payments[4])] AS totals
    FROM compare_scores AS s
    GROUP BY s.game_id, s.preset
),
played AS (
    SELECT game_id, hands FROM compare_games WHERE preset = $baseline
),
sat AS (
    SELECT g.game_id, h.hands, unnest(g.players::VARCHAR[]) AS player, unnest([1, 2, 3, 4]) AS place
    FROM staging.games AS g
    JOIN played AS h USING (game_id)
),
season AS (
    SELECT
        sat.player, p.preset, count(*) AS games, sum(sat.hands)::BIGINT AS hands,
        coalesce(sum(paid.totals[sat.place]), 0)::BIGINT AS total
    FROM sat
    CROSS JOIN unnest($presets) AS u(p)
    LEFT JOIN paid ON paid.game_id = sat.game_id AND paid.preset = p.preset
    WHERE sat.player IS NOT NULL
    GROUP BY sat.player, p.preset
),
ranked AS (
    SELECT *, rank() OVER (PARTITION BY preset ORDER BY total DESC) AS place FROM season
)
SELECT
    r.player, r.preset, r.games, r.hands, r.total, r.total / nullif(r.hands, 0) AS per_hand, r.place,
    b.place - r.place AS moves
FROM ranked AS r
JOIN ranked AS b ON b.player = r.player AND b.preset = $baseline
ORDER BY b.place, r.player, r.preset
