-- Every win has a score under each preset in use; run `paipu rescore` if not.
SELECT w.game_id, w.hand_no, w.win_no, p.preset
FROM staging.wins AS w CROSS JOIN (SELECT DISTINCT preset FROM staging.scores) AS p
ANTI JOIN staging.scores AS s
    ON s.game_id = w.game_id AND s.hand_no = w.hand_no AND s.win_no = w.win_no AND s.preset = p.preset
