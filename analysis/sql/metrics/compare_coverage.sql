-- What the comparison rests on: games, hands and wins of the presets' family, and how many are scored.
-- grain: one row
-- columns: games; simulated (games played by programs); hands; drawn (hands without a win); wins;
--   other_wins (of other families, left out); formats; first_game, last_game (start of the game, null when unknown)
-- unit: counts
-- parameters: $family
SELECT
    (SELECT count(*) FROM staging.games WHERE family = $family) AS games,
    (SELECT count(*) FROM staging.games WHERE family = $family AND simulated) AS simulated,
    (SELECT count(*) FROM staging.hands JOIN staging.games USING (game_id) WHERE family = $family) AS hands,
    (SELECT count(*) FROM staging.hands JOIN staging.games USING (game_id) WHERE family = $family AND staging.hands.n_wins = 0) AS drawn,
    (SELECT count(*) FROM staging.wins JOIN staging.games USING (game_id) WHERE family = $family) AS wins,
    (SELECT count(*) FROM staging.wins JOIN staging.games USING (game_id) WHERE family <> $family) AS other_wins,
    (SELECT list(DISTINCT format ORDER BY format) FROM staging.games WHERE family = $family) AS formats,
    (SELECT min(started_at) FROM staging.games WHERE family = $family) AS first_game,
    (SELECT max(started_at) FROM staging.games WHERE family = $family) AS last_game
