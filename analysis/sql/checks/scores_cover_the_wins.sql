-- Every win has a score under each preset in use for its family; run `paipu rescore` if not.
SELECT w.game_id, w.hand_no, w.win_no, p.preset
FROM staging.wins AS w
JOIN staging.games AS g USING (game_id)
JOIN (
    -- Declared rules score only the games that declare some that paipu knows.
    SELECT DISTINCT s.preset, g.family FROM staging.scores AS s JOIN staging.games AS g USING (game_id)
    WHERE s.preset <> 'declared'
) AS p ON p.family = g.family
ANTI JOIN staging.scores AS s
    ON s.game_id = w.game_id AND s.hand_no = w.hand_no AND s.win_no = w.win_no AND s.preset = p.preset
