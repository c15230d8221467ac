-- Every score belongs to a win.
SELECT game_id, hand_no, win_no, preset FROM staging.scores ANTI JOIN staging.wins USING (game_id, hand_no, win_no)
