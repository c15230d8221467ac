-- Recorded hand tai against the score under the declared preset.
-- grain: declared
-- columns:
--   declared: Preset the games declare, null when none
--   n_recorded: Wins with a recorded tai
--   n_equal: Wins with the same tai
--   n_explained: Wins that differ and lack a fact in the log that an item needs
--   n_different: Wins that differ for no known reason
--   n_unscored: Wins without a score under the declared preset
--   example: One that differs for no known reason
SELECT
    declared, count(*) AS n_recorded, count(*) FILTER (verdict = 'equal') AS n_equal,
    count(*) FILTER (verdict = 'explained') AS n_explained, count(*) FILTER (verdict = 'different') AS n_different,
    count(*) FILTER (verdict = 'unscored') AS n_unscored, min(difference) FILTER (verdict = 'different') AS example
FROM (
    SELECT
        g.declared,
        CASE
            WHEN s.preset IS NULL THEN 'unscored'
            WHEN s.legal AND s.hand_tai = w.recorded_tai THEN 'equal'
            WHEN len(s.undetermined) > 0 THEN 'explained'
            ELSE 'different'
        END AS verdict,
        'game ' || w.game_id || ' hand ' || w.hand_no || ': recorded ' || w.recorded_tai || ', recomputed '
            || CASE WHEN s.legal THEN s.hand_tai::VARCHAR ELSE 'not a win (' || coalesce(s.reason, '') || ')' END
            AS difference
    FROM staging.wins AS w
    JOIN staging.games AS g USING (game_id)
    LEFT JOIN staging.scores AS s
        ON s.game_id = w.game_id AND s.hand_no = w.hand_no AND s.win_no = w.win_no AND s.preset = g.declared
    WHERE w.recorded_tai IS NOT NULL
)
GROUP BY declared
ORDER BY declared
