-- Wins whose tai could be higher, because the log lacks a fact that an item needs.
-- grain: one row per preset and item; item null = wins with at least one such item
-- columns: preset; item; wins; of_wins; share
-- numerator: wins for which the item is undetermined; denominator: wins (the same in every preset)
-- unit: share, 0 to 1
WITH counted AS (
    SELECT preset, sum(wins)::BIGINT AS of_wins FROM compare_games GROUP BY preset
),
open_items AS (
    SELECT s.preset, unnest(list_concat([NULL], list_distinct(s.undetermined))) AS item
    FROM compare_scores AS s
    WHERE len(s.undetermined) > 0
)
SELECT
    preset, item, count(*) AS wins, any_value(of_wins) AS of_wins,
    count(*) / nullif(any_value(of_wins), 0) AS share
FROM open_items
JOIN counted USING (preset)
GROUP BY preset, item
ORDER BY preset, item IS NOT NULL, wins DESC, item
