-- The recorded payments of the seats of a hand sum to zero.
SELECT game_id, hand_no, sum(delta) AS total FROM staging.seats GROUP BY ALL HAVING total <> 0
