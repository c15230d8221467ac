-- Recorded wins that count as 0 under a preset, by reason.
-- grain: one row per preset and reason that occurs
-- columns: preset; reason; wins; of_wins; share
-- numerator: wins not legal under the preset for that reason; denominator: wins (the same in every preset)
-- unit: share, 0 to 1
WITH counted AS (
    SELECT preset, sum(wins)::BIGINT AS of_wins FROM compare_games GROUP BY preset
)
SELECT
    s.preset, coalesce(s.reason, 'unknown') AS reason, count(*) AS wins, any_value(c.of_wins) AS of_wins,
    count(*) / nullif(any_value(c.of_wins), 0) AS share
FROM compare_scores AS s
JOIN counted AS c ON c.preset = s.preset
WHERE NOT s.legal
GROUP BY s.preset, coalesce(s.reason, 'unknown')
ORDER BY s.preset, wins DESC, reason
