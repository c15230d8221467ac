-- One win under one preset; of each preset id only the rules that were written last.
-- grain: game_id, hand_no, win_no, preset
-- columns:
--   simulated: True if the game was played by programs, not people
--   winner: Winner's seat
--   winner_player: Player who won
--   by_dealer: The winner is the dealer
--   winner_receives: What the winner is paid, in the preset's money
-- checks: scores_grain, scores_belong_to_wins, scores_cover_the_wins, scores_sum_to_zero
SELECT
    s.game_id, s.hand_no, s.win_no, s.preset, s.preset_hash, g.simulated, w.winner, g.players[w.winner + 1] AS winner_player,
    w.winner = w.dealer AS by_dealer, s.legal, s.outcome, s.reason, s.hand_tai, s.fu, s.limit_name, s.dealer_tai,
    s.payments[w.winner + 1] AS winner_receives, s.payments, s.deposits, s.items, s.undetermined
FROM staging.scores AS s
LEFT JOIN staging.wins AS w USING (game_id, hand_no, win_no)
LEFT JOIN staging.games AS g USING (game_id)
