-- One player, people and programs alike.
-- grain: player
-- columns:
--   player: Player, 'source:account or name'
--   simulated: True if any of the player's games was played by programs
--   n_games: Games in the store
--   n_hands: Hands in the store
--   n_wins: Hands won
--   n_self_draws: Hands won by the player's own draw
--   n_deal_ins: Hands in which the player's tile was won on
--   delta: Sum of the recorded payments, null when none is recorded
-- checks: seats_hold_the_players
SELECT
    p.player, p.simulated, p.n_games, coalesce(s.n_hands, 0) AS n_hands, coalesce(s.n_wins, 0) AS n_wins,
    coalesce(s.n_self_draws, 0) AS n_self_draws, coalesce(s.n_deal_ins, 0) AS n_deal_ins, s.delta
FROM (
    SELECT player, bool_or(simulated) AS simulated, count(DISTINCT game_id) AS n_games
    FROM (SELECT game_id, simulated, unnest(players) AS player FROM staging.games)
    WHERE player IS NOT NULL
    GROUP BY player
) AS p
LEFT JOIN (
    SELECT
        player, count(*) AS n_hands, count(*) FILTER (outcome IN ('discard_win', 'self_draw')) AS n_wins,
        count(*) FILTER (outcome = 'self_draw') AS n_self_draws, count(*) FILTER (outcome = 'deal_in') AS n_deal_ins,
        sum(delta)::BIGINT AS delta
    FROM staging.seats
    GROUP BY player
) AS s USING (player)
ORDER BY p.player
