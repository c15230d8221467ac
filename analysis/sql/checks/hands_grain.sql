-- Every hand is there once.
SELECT game_id, hand_no, count(*) AS n FROM staging.hands GROUP BY ALL HAVING n > 1
