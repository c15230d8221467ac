-- Every win belongs to a hand.
SELECT game_id, hand_no, win_no FROM staging.wins ANTI JOIN staging.hands USING (game_id, hand_no)
