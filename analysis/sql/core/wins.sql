-- One winner of one hand.
-- grain: game_id, hand_no, win_no
-- columns:
--   simulated: True if the game was played by programs, not people
--   winner_player: Player who won
--   winner_wind: Winner's seat wind counted from the dealer: E, S, W or N
--   payer_player: Player who discarded or was robbed, null when all others pay
--   payer_wind: Payer's seat wind counted from the dealer: E, S, W or N
--   dealer_player: Player who deals
--   by_dealer: The winner is the dealer
--   round_wind: Round wind (圈風): E, S, W or N
--   win_kind: discard, self_draw, rob_kong, eight_flowers or seven_robs_one
--   hand: Concealed tiles with the winning tile, as 123m44pE
--   win_tile: Winning tile
--   melds: Melds as chow:123m, pung:EEE, kong_open:, kong_added:, kong_concealed:
--   flowers: Flowers of the winner: f1 to f8
--   replacement: The winning tile replaced: none, flower, kong_added, kong_concealed, kong_open or kita
--   ready: Declared ready: none, initial (天聽), first_discard (地聽) or normal
--   flower_mode: Seven robs one: none, already7 or six_plus_one
--   robbed_flower: Seven robs one: the robbed flower, f1 to f8
--   eye_players: Seats that declared 眼牌
--   riichi: none, riichi or double_riichi
--   robbed: Win by robbing: kong_added, kong_concealed or kita
--   dora_indicators: Dora indicators in the order of turning
--   ura_indicators: Ura indicators under them
--   red_fives: Red fives of the hand
-- checks: wins_grain, wins_belong_to_hands, wins_are_not_paid_by_the_winner, wins_recorded_payments_add_up
SELECT
    w.game_id, w.hand_no, w.win_no, g.simulated,
    w.winner, g.players[w.winner + 1] AS winner_player, wind_text((w.winner + 4 - w.dealer) % 4) AS winner_wind,
    w.payer, g.players[w.payer + 1] AS payer_player, wind_text((w.payer + 4 - w.dealer) % 4) AS payer_wind,
    w.dealer, g.players[w.dealer + 1] AS dealer_player, w.winner = w.dealer AS by_dealer,
    w.streak, w.door, wind_text(w.round_wind) AS round_wind,
    ['discard', 'self_draw', 'rob_kong', 'eight_flowers', 'seven_robs_one'][w.win_kind + 1] AS win_kind,
    suit_text(w.km, 'm') || suit_text(w.kp, 'p') || suit_text(w.ks, 's') || honour_text(w.kh) AS hand,
    tile_text(w.win_tile) AS win_tile,
    list_filter(
        [meld_text(w.m0), meld_text(w.m1), meld_text(w.m2), meld_text(w.m3), meld_text(w.m4)], lambda meld: meld IS NOT NULL
    ) AS melds,
    flower_list(w.flowers) AS flowers,
    ['none', 'flower', 'kong_added', 'kong_concealed', 'kong_open', 'kita'][w.replacement + 1] AS replacement,
    w.last_tile, ready_text(w.ready) AS ready, w.ready_open, w.ready_first_turn,
    w.heavenly, w.heavenly_after_kong, w.first_draw, w.first_draw_after_kong, w.before_first_draw,
    w.discarder_first_discard, w.no_calls, w.miji,
    ['none', 'already7', 'six_plus_one'][w.flower_mode + 1] AS flower_mode,
    'f' || w.robbed_flower::VARCHAR AS robbed_flower, w.initial_flowers, w.declined_eight,
    seat_list(w.eye_players) AS eye_players, w.liable,
    w.n_players, w.n_winners, ['none', 'riichi', 'double_riichi'][w.riichi + 1] AS riichi, w.ippatsu,
    w.payer_in_riichi, w.declaration_tile, w.discard_after_kong, w.dealer_wins,
    ['kong_added', 'kong_concealed', 'kita'][w.robbed + 1] AS robbed,
    tile_list([w.dora1, w.dora2, w.dora3, w.dora4, w.dora5]) AS dora_indicators,
    tile_list([w.ura1, w.ura2, w.ura3, w.ura4, w.ura5]) AS ura_indicators,
    w.reds % 4 + w.reds // 4 % 4 + w.reds // 16 AS red_fives, w.norths, w.sticks, w.own_stick,
    w.liable_dragons, w.liable_winds, w.liable_kongs, w.kong_feeder,
    w.recorded_tai, w.recorded_fu, w.recorded_points, w.recorded_items, w.recorded_payments
FROM staging.wins AS w
LEFT JOIN staging.games AS g USING (game_id)
