-- One game or hand that was refused, and why.
-- grain: file, position, hand_no, event_no
SELECT * FROM staging.rejects
