-- One game.
-- grain: game_id
-- checks: games_grain, games_have_their_hands
SELECT * FROM staging.games
