-- How many wins have how many tai.
-- grain: one row per preset and number of tai
-- columns: preset; tai (hand tai without dealer tai); wins; share
-- numerator: wins with that many tai, legal under the preset
-- denominator: all wins legal under the preset; unit: share, 0 to 1
SELECT
    p.preset, s.hand_tai AS tai, count(*) AS wins,
    count(*) / sum(count(*)) OVER (PARTITION BY p.preset) AS share
FROM staging.scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset AND p.hash = s.preset_hash
WHERE s.legal
GROUP BY p.preset, s.hand_tai
ORDER BY p.preset, tai
