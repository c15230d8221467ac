-- What becomes of every recorded win under each preset (RIICHI 2.14).
-- grain: one row per preset, outcome and reason that occurs
-- columns: preset; outcome (ok, approximate, no_yaku, removed, no_win, not_rescorable); reason (null for a win);
--   wins; of_wins; share
-- numerator: wins with that outcome; denominator: all recorded wins, also those that no mean counts
--   (not_rescorable or no_yaku under any of the presets)
-- unit: share, 0 to 1
SELECT
    s.preset, s.outcome, s.reason, count(*) AS wins,
    sum(count(*)) OVER (PARTITION BY s.preset)::BIGINT AS of_wins,
    count(*) / sum(count(*)) OVER (PARTITION BY s.preset) AS share
FROM staging.scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset AND p.hash = s.preset_hash
SEMI JOIN compare_played AS g ON g.game_id = s.game_id
GROUP BY s.preset, s.outcome, s.reason
ORDER BY s.preset, wins DESC, s.outcome, s.reason
