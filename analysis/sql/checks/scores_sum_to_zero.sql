-- The payments of a score sum to the deposits that it wins.
SELECT game_id, hand_no, win_no, preset, payments, deposits FROM staging.scores WHERE list_sum(payments) <> deposits
