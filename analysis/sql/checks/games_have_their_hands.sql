-- Every game has as many hands as it says.
SELECT g.game_id, g.n_hands, count(h.game_id) AS found
FROM staging.games AS g LEFT JOIN staging.hands AS h USING (game_id)
GROUP BY ALL HAVING found <> g.n_hands
