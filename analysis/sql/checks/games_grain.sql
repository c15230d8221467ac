-- Every game is there once.
SELECT game_id, count(*) AS n FROM staging.games GROUP BY ALL HAVING n > 1
