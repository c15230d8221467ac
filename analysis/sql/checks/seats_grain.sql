-- Every seat of a hand is there once.
SELECT game_id, hand_no, seat, count(*) AS n FROM staging.seats GROUP BY ALL HAVING n > 1
