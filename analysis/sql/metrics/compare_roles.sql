-- What a hand brings to the dealer's seat and to another seat.
-- grain: one row per preset and role (dealer, other)
-- columns: preset; role; hands (n: seat-hands, so all seats but the dealer's for other); received, paid, net (money per seat-hand)
-- numerator: recomputed payments of the seats in that role
-- denominator: hands played, draws included, times the seats in that role (1, or all others)
-- unit: the preset's money per hand and seat
-- parameters: $players
SELECT
    preset, role, hands,
    received / nullif(hands, 0) AS received,
    paid / nullif(hands, 0) AS paid,
    (received - paid) / nullif(hands, 0) AS net
FROM (
    SELECT preset, 'dealer' AS role, sum(hands)::BIGINT AS hands,
        sum(dealer_received) AS received, sum(dealer_paid) AS paid
    FROM compare_games GROUP BY preset
    UNION ALL
    SELECT preset, 'other', ($players - 1) * sum(hands)::BIGINT, sum(others_received), sum(others_paid)
    FROM compare_games GROUP BY preset
)
ORDER BY preset, role
