-- Wins that at least one of the compared presets cannot score for lack of a fact, or does not allow for lack of a yaku:
-- left out under every preset, so that all means are over the same wins (RIICHI 2.14). A win that the table would not
-- have called under those rules says nothing of what they pay; one taken away (removed) is not paid and counts as 0.
-- grain: one row per win
-- columns: game_id, hand_no, win_no
-- parameters: $presets = the compared presets with hash, family, base, unit and honba
SELECT DISTINCT s.game_id, s.hand_no, s.win_no
FROM staging.scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset AND p.hash = s.preset_hash
SEMI JOIN compare_played AS g ON g.game_id = s.game_id
WHERE s.outcome IN ('not_rescorable', 'no_yaku')
