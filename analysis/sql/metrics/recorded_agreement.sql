-- What logs recorded against the score by the rules they declare.
-- grain: declared
-- parameters: $stakes, see recorded_wins
-- columns:
--   declared: Preset the games declare, null when none
--   n_recorded: Wins with a recorded tai
--   n_equal: Wins with the same tai, fu, payments and items, as far as they are recorded
--   n_explained: Wins that differ and lack a fact in the log that an item needs
--   n_different: Wins that differ for no known reason
--   n_unscored: Wins without a score by the declared rules
--   example: One that differs for no known reason, recorded and recomputed
SELECT
    declared, count(*) AS n_recorded, count(*) FILTER (verdict = 'equal') AS n_equal,
    count(*) FILTER (verdict = 'explained') AS n_explained, count(*) FILTER (verdict = 'different') AS n_different,
    count(*) FILTER (verdict = 'unscored') AS n_unscored, min(difference) FILTER (verdict = 'different') AS example
FROM recorded_wins
GROUP BY declared
ORDER BY declared
