-- How the payouts of the wins are spread.
-- grain: one row per preset
-- columns: preset; wins; p10, p25, median, p75, p90 (payout that this share of the wins does not exceed)
-- numerator: payout of the winner, 0 for a win that is not legal under the preset
-- denominator: wins (the same in every preset)
-- unit: the preset's money
SELECT
    preset,
    count(*) AS wins,
    quantile_disc(payout, 0.1) AS p10,
    quantile_disc(payout, 0.25) AS p25,
    quantile_disc(payout, 0.5) AS median,
    quantile_disc(payout, 0.75) AS p75,
    quantile_disc(payout, 0.9) AS p90
FROM compare_wins
GROUP BY preset
ORDER BY preset
