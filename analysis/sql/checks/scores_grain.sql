-- Every win has one score per preset.
SELECT game_id, hand_no, win_no, preset, count(*) AS n FROM staging.scores GROUP BY ALL HAVING n > 1
