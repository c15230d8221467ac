-- Every win is there once.
SELECT game_id, hand_no, win_no, count(*) AS n FROM staging.wins GROUP BY ALL HAVING n > 1
