-- Share of wins that change against the baseline.
-- grain: one row per preset
-- columns: preset; wins; tai_changed, payout_changed (wins); tai_share, payout_share
-- numerator: wins whose hand tai (or legality) differ from the baseline; wins whose winner receives another sum
-- denominator: wins (the same in every preset)
-- unit: share, 0 to 1
SELECT
    preset,
    sum(wins)::BIGINT AS wins,
    sum(tai_changed)::BIGINT AS tai_changed,
    sum(payout_changed)::BIGINT AS payout_changed,
    sum(tai_changed) / nullif(sum(wins), 0) AS tai_share,
    sum(payout_changed) / nullif(sum(wins), 0) AS payout_share
FROM compare_games
GROUP BY preset
ORDER BY preset
