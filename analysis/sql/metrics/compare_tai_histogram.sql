-- How many wins have how many tai.
-- grain: one row per preset and number of tai
-- columns: preset; tai (hand tai without dealer tai); wins; share
-- numerator: wins with that many tai, legal under the preset
-- denominator: all wins legal under the preset; unit: share, 0 to 1
SELECT
    s.preset, s.hand_tai AS tai, count(*) AS wins,
    count(*) / sum(count(*)) OVER (PARTITION BY s.preset) AS share
FROM compare_scores AS s
WHERE s.legal
GROUP BY s.preset, s.hand_tai
ORDER BY s.preset, tai
