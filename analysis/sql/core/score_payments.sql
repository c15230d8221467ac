-- What one seat pays or gets for one win under one preset.
-- grain: game_id, hand_no, win_no, preset, seat
-- columns:
--   seat: Seat
--   player: Player of the seat
--   amount: Payment in the preset's money, negative when the seat pays
-- checks: scores_sum_to_zero
SELECT s.game_id, s.hand_no, s.win_no, s.preset, s.seat, g.players[s.seat + 1] AS player, s.payments[s.seat + 1] AS amount
FROM (SELECT game_id, hand_no, win_no, preset, payments, unnest([0, 1, 2, 3]) AS seat FROM staging.scores) AS s
LEFT JOIN staging.games AS g USING (game_id)
