-- The same wins under each compared preset: the relation the other compare_* statistics start from.
-- grain: one row per win and compared preset
-- columns: game_id, hand_no, win_no; preset; baseline (is the baseline preset); base, unit (money of the preset);
--   legal; reason; hand_tai (0 when not legal); dealer_tai (largest among the payers); payments (by seat);
--   payout (received by the winner, money); dealer (seat); shares (payments due: 3 when all others pay, else 1);
--   dealer_shares (payments among them that carry dealer tai: all when the dealer wins, else 1);
--   items; undetermined
-- parameters: $presets = the compared presets with hash, base and unit
SELECT
    s.game_id, s.hand_no, s.win_no,
    p.preset, p.baseline, p.base, p.unit,
    s.legal, s.reason, s.hand_tai, s.dealer_tai, s.payments,
    s.payments[w.winner + 1] AS payout,
    w.dealer,
    CASE WHEN w.win_kind IN (1, 3) THEN 3 ELSE 1 END AS shares,
    CASE WHEN w.win_kind IN (1, 3) AND w.winner = w.dealer THEN 3 ELSE 1 END AS dealer_shares,
    s.items, s.undetermined
FROM staging.scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset AND p.hash = s.preset_hash
JOIN staging.wins AS w USING (game_id, hand_no, win_no)
