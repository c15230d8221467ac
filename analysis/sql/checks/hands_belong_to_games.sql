-- Every hand belongs to a game.
SELECT game_id, hand_no FROM staging.hands ANTI JOIN staging.games USING (game_id)
