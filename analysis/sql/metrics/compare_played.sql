-- The games that the compared presets can score: hands of their families, for their number of players.
-- grain: one row per game
-- columns: game_id; hands (played, draws included); drawn (hands without a win)
-- unit: counts
-- parameters: $families = rule families of the presets; $players = players at their table
WITH sizes AS (
    SELECT game_id, max(coalesce(n_players, 4)) AS players FROM staging.wins GROUP BY game_id
)
SELECT
    g.game_id,
    count(*) AS hands,
    count(*) FILTER (h.n_wins = 0) AS drawn
FROM staging.games AS g
JOIN staging.hands AS h USING (game_id)
LEFT JOIN sizes AS s ON s.game_id = g.game_id
WHERE list_contains($families, g.family)
GROUP BY g.game_id
-- A game without a win tells its size by the empty fourth seat.
HAVING coalesce(
    any_value(s.players),
    CASE WHEN any_value(g.players[4]) IS NULL AND bool_and(h.scores_before[4] = 0) THEN 3 ELSE 4 END
) = $players
