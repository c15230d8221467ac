-- The recorded changes of scores of a hand sum to zero, but for what went to or came from the deposits.
SELECT game_id, hand_no, deltas, sticks, sticks_after FROM staging.hands
WHERE list_sum(deltas) <> 1000 * (coalesce(sticks, 0)::BIGINT - coalesce(sticks_after, 0)::BIGINT)
