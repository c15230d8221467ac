-- How often each item pays.
-- grain: one row per preset and item that paid at least once
-- columns: preset; item; wins (in which it paid); of_wins; share; copies; tai (sum)
-- numerator: wins in which the item paid; denominator: wins (the same in every preset, legal or not)
-- unit: share, 0 to 1
WITH counted AS (
    SELECT preset, sum(wins)::BIGINT AS of_wins FROM compare_games GROUP BY preset
),
paid AS (
    SELECT s.preset, unnest(s.items) AS item
    FROM compare_scores AS s
    WHERE s.legal
)
SELECT
    preset, item.id AS item, count(*) AS wins, any_value(of_wins) AS of_wins,
    count(*) / nullif(any_value(of_wins), 0) AS share,
    sum(item.count)::BIGINT AS copies, sum(item.value)::BIGINT AS tai
FROM paid
JOIN counted USING (preset)
GROUP BY preset, item.id
ORDER BY preset, wins DESC, item
