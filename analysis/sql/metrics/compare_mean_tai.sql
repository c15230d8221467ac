-- Mean hand tai per win.
-- grain: one row per preset
-- columns: preset; games (with a win); wins; legal; mean_tai; mean_dealer_tai (largest among the payers)
-- numerator: sum of hand tai without dealer tai, 0 for a win that is not legal under the preset
-- denominator: wins (the same in every preset)
-- unit: tai per win
SELECT
    preset,
    count(*) FILTER (wins > 0) AS games,
    sum(wins)::BIGINT AS wins,
    sum(legal)::BIGINT AS legal,
    sum(hand_tai) / nullif(sum(wins), 0) AS mean_tai,
    sum(dealer_tai) / nullif(sum(wins), 0) AS mean_dealer_tai
FROM compare_games
GROUP BY preset
ORDER BY preset
