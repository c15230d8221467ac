-- Wins that are scored, but a win under none of the presets.
-- grain: one row
-- columns: wins; example: one of them with its file, game, hand and reason
WITH refused AS (
    SELECT game_id, hand_no, win_no, min(reason) AS reason
    FROM staging.scores
    WHERE NOT legal
    GROUP BY ALL
),
unaccepted AS (
    SELECT r.*
    FROM refused AS r
    ANTI JOIN (SELECT game_id, hand_no, win_no FROM staging.scores WHERE legal) AS s USING (game_id, hand_no, win_no)
)
SELECT
    count(*) AS wins,
    min(g.file || ', game ' || coalesce(g.log_id, g.game_id) || ', hand ' || u.hand_no || ': ' || u.reason) AS example
FROM unaccepted AS u
JOIN staging.games AS g USING (game_id)
