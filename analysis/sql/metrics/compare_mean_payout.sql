-- Mean payout per win.
-- grain: one row per preset
-- columns: preset; games (with a win); wins; payout (sum); mean_payout
-- numerator: money the winner receives from all payers, 0 for a win that is not legal under the preset
-- denominator: wins (the same in every preset)
-- unit: the preset's money per win
SELECT
    preset,
    count(*) FILTER (wins > 0) AS games,
    sum(wins)::BIGINT AS wins,
    sum(payout)::BIGINT AS payout,
    sum(payout) / nullif(sum(wins), 0) AS mean_payout
FROM compare_games
GROUP BY preset
ORDER BY preset
