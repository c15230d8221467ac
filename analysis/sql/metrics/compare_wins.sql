-- The same wins under each compared preset: the relation the other compare_* statistics start from.
-- grain: one row per win and compared preset
-- columns: game_id, hand_no, win_no; preset; family (of the preset); baseline (is the baseline preset);
--   base, unit (money of the preset); legal; outcome; reason; hand_tai (0 when not legal); fu; limit_name;
--   dealer_tai (largest among the payers); payments (by seat); deposits; payout (received by the winner, money);
--   honba (of it for counters); dealer (seat);
--   self_draw (all others pay); shares (payments due: all others when they pay, else 1);
--   dealer_shares (payments among them that carry dealer tai: all when the dealer wins, else 1);
--   items; undetermined
-- parameters: $presets = the compared presets with hash, family, base, unit and honba; $players
SELECT
    s.game_id, s.hand_no, s.win_no,
    p.preset, p.family, p.baseline, p.base, p.unit,
    s.legal, s.outcome, s.reason, s.hand_tai, s.fu, s.limit_name, s.dealer_tai, s.payments, s.deposits,
    s.payments[w.winner + 1] AS payout,
    CASE
        WHEN NOT s.legal OR (w.win_no > 0 AND NOT p.honba_each) THEN 0
        WHEN w.win_kind = 1 THEN w.streak::BIGINT * p.honba_tsumo * ($players - 1)
        ELSE w.streak::BIGINT * p.honba_ron
    END AS honba,
    w.dealer,
    w.win_kind IN (1, 3) AS self_draw,
    CASE WHEN w.win_kind IN (1, 3) THEN $players - 1 ELSE 1 END AS shares,
    CASE WHEN w.win_kind IN (1, 3) AND w.winner = w.dealer THEN $players - 1 ELSE 1 END AS dealer_shares,
    s.items, s.undetermined
FROM compare_scores AS s
JOIN unnest($presets) AS t(p) ON p.preset = s.preset
JOIN staging.wins AS w ON w.game_id = s.game_id AND w.hand_no = s.hand_no AND w.win_no = s.win_no
