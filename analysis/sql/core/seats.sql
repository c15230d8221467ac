-- One seat of a hand.
-- grain: game_id, hand_no, seat
-- columns:
--   seat_wind: Seat wind counted from the dealer: E, S, W or N
--   flowers: Flowers at the end: f1 to f8
--   ready: Declared ready: none, initial, first_discard or normal
--   riichi: none, riichi or double_riichi
-- checks: seats_grain, seats_belong_to_hands, seats_add_up_to_hands
SELECT
    game_id, hand_no, seat, player, wind_text(seat_wind) AS seat_wind, is_dealer, delta, outcome, exposed_melds,
    flower_list(flowers) AS flowers, ready_text(ready) AS ready, ready_turn, tenpai_at_draw, discards,
    ['none', 'riichi', 'double_riichi'][riichi + 1] AS riichi
FROM staging.seats
