-- The recorded payments of the wins of a hand sum to zero, or to the deposits they take.
SELECT game_id, hand_no, sum(list_sum(recorded_payments)) AS total, any_value(sticks) AS sticks FROM staging.wins
GROUP BY ALL HAVING total <> 1000 * coalesce(any_value(sticks), 0)::BIGINT
