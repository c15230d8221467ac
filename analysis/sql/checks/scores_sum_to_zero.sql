-- The payments of a score sum to zero.
SELECT game_id, hand_no, win_no, preset, payments FROM staging.scores WHERE list_sum(payments) <> 0
