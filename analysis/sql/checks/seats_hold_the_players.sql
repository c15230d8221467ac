-- Every player of a hand sits in its game.
SELECT s.game_id, s.hand_no, s.seat, s.player FROM staging.seats AS s JOIN staging.games AS g USING (game_id)
WHERE s.player IS DISTINCT FROM g.players[s.seat + 1]
