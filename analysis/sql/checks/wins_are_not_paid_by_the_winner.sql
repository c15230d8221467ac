-- No winner pays for the own win, and only a self-draw or eight flowers has no payer.
SELECT game_id, hand_no, win_no, winner, payer, win_kind FROM staging.wins
WHERE payer = winner OR liable = winner OR (win_kind IN (0, 2) AND payer IS NULL) OR (win_kind = 1 AND payer IS NOT NULL)
