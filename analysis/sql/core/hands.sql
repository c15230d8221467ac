-- One deal of a game.
-- grain: game_id, hand_no
-- columns:
--   simulated: True if the game was played by programs, not people
--   round_wind: Round wind (圈風): E, S, W or N
--   dealer_player: Player who deals
--   nagashi: Seats with nagashi mangan
-- checks: hands_grain, hands_belong_to_games, hands_sum_to_zero, hands_count_their_wins
SELECT
    h.game_id, h.hand_no, g.simulated,
    wind_text(h.round_wind) AS round_wind, h.dealer, g.players[h.dealer + 1] AS dealer_player, h.door, h.streak, h.sticks, h.sticks_after,
    h.result, h.draw_kind, h.n_wins, h.deltas, h.scores_before, h.wall_left, h.dealer_kept,
    seat_list(h.nagashi) AS nagashi
FROM staging.hands AS h
LEFT JOIN staging.games AS g USING (game_id)
