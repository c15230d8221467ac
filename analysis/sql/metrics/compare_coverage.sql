-- What the comparison rests on: games, hands and wins that the presets can score, and how many are left out.
-- grain: one row
-- columns: games; simulated (games played by programs); hands; drawn (hands without a win); wins (recorded);
--   left_out (of them, wins that are not rescorable or have no yaku under some preset; no mean counts them);
--   other_wins (of other families, or of games with another number of players);
--   formats; first_game, last_game (start of the game, null when unknown)
-- unit: counts
-- parameters: $families; $players
WITH games AS (
    SELECT * FROM staging.games SEMI JOIN compare_played USING (game_id)
)
SELECT
    (SELECT count(*) FROM games) AS games,
    (SELECT count(*) FROM games WHERE simulated) AS simulated,
    (SELECT coalesce(sum(hands), 0)::BIGINT FROM compare_played) AS hands,
    (SELECT coalesce(sum(drawn), 0)::BIGINT FROM compare_played) AS drawn,
    (SELECT count(*) FROM staging.wins SEMI JOIN compare_played USING (game_id)) AS wins,
    (SELECT count(*) FROM compare_left_out) AS left_out,
    (SELECT count(*) FROM staging.wins ANTI JOIN compare_played USING (game_id)) AS other_wins,
    (SELECT list(DISTINCT format ORDER BY format) FROM games) AS formats,
    (SELECT min(started_at) FROM games) AS first_game,
    (SELECT max(started_at) FROM games) AS last_game
