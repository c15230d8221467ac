-- Every seat belongs to a hand.
SELECT game_id, hand_no, seat FROM staging.seats ANTI JOIN staging.hands USING (game_id, hand_no)
