-- The recorded payments of a win sum to zero.
SELECT game_id, hand_no, win_no, recorded_payments FROM staging.wins WHERE list_sum(recorded_payments) <> 0
