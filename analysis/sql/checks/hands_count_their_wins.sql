-- Every hand has as many wins as it says, and none when it was drawn.
SELECT h.game_id, h.hand_no, h.result, h.n_wins, count(w.game_id) AS found
FROM staging.hands AS h LEFT JOIN staging.wins AS w USING (game_id, hand_no)
GROUP BY ALL HAVING found <> h.n_wins OR (found > 0) <> (h.result = 'win')
