-- The recorded payments of a hand sum to zero.
SELECT game_id, hand_no, deltas FROM staging.hands WHERE list_sum(deltas) <> 0
