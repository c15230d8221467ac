-- The scores that the comparison is about: of the compared presets and of wins that compare_left_out has not.
-- grain: one row per win and compared preset
-- columns: those of scores
-- parameters: $presets = the compared presets with hash, family, base, unit and honba
SELECT s.*
FROM staging.scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset AND p.hash = s.preset_hash
SEMI JOIN compare_played AS g ON g.game_id = s.game_id
ANTI JOIN compare_left_out AS l ON l.game_id = s.game_id AND l.hand_no = s.hand_no AND l.win_no = s.win_no
