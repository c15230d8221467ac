-- Recorded hand tai, and payments for the same stake, against the score under the declared preset.
-- grain: declared
-- columns:
--   declared: Preset the games declare, null when none
--   n_recorded: Wins with a recorded tai
--   n_equal: Wins with the same tai
--   n_explained: Wins that differ and lack a fact in the log that an item needs
--   n_different: Wins that differ for no known reason
--   n_unscored: Wins without a score under the declared preset
--   example: One that differs for no known reason
-- parameters: $stakes = preset, base and unit of the known presets
SELECT
    declared, count(*) AS n_recorded, count(*) FILTER (verdict = 'equal') AS n_equal,
    count(*) FILTER (verdict = 'explained') AS n_explained, count(*) FILTER (verdict = 'different') AS n_different,
    count(*) FILTER (verdict = 'unscored') AS n_unscored, min(difference) FILTER (verdict = 'different') AS example
FROM (
    SELECT
        g.declared,
        CASE
            WHEN s.preset IS NULL THEN 'unscored'
            WHEN s.legal AND s.hand_tai = w.recorded_tai AND (
                p.preset IS NULL OR w.recorded_payments IS NULL OR w.recorded_payments = s.payments
            ) THEN 'equal'
            WHEN len(s.undetermined) > 0 THEN 'explained'
            ELSE 'different'
        END AS verdict,
        w.game_id || ' #' || w.hand_no || ': ' || w.recorded_tai || coalesce(' ' || w.recorded_payments::VARCHAR, '')
            || ' ≠ ' || CASE WHEN s.legal THEN s.hand_tai || ' ' || s.payments::VARCHAR ELSE coalesce(s.reason, '') END
            AS difference
    FROM staging.wins AS w
    JOIN staging.games AS g USING (game_id)
    LEFT JOIN staging.scores AS s
        ON s.game_id = w.game_id AND s.hand_no = w.hand_no AND s.win_no = w.win_no AND s.preset = g.declared
    LEFT JOIN unnest($stakes) AS t(p) ON p.preset = g.declared AND p.base = g.base AND p.unit = g.unit
    WHERE w.recorded_tai IS NOT NULL
)
GROUP BY declared
ORDER BY declared
