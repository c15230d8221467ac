-- The recorded changes of the seats of a hand are those of the hand.
SELECT game_id, hand_no, sum(s.delta) AS total FROM staging.seats AS s JOIN staging.hands AS h USING (game_id, hand_no)
GROUP BY game_id, hand_no, h.deltas HAVING total <> list_sum(h.deltas)
