-- Every win with a recorded score beside its score by the rules its log declares: the score under `declared`, or if it
-- has none the score under the preset of that id.
-- grain: game_id, hand_no, win_no
-- columns: game_id, hand_no, win_no; declared; verdict (equal, explained: a fact is missing in the log, different,
--   unscored); difference (both scores with their items, as text)
-- parameters: $stakes = preset, base and unit of the known presets
WITH scored AS (
    SELECT DISTINCT ON (s.game_id, s.hand_no, s.win_no)
        s.*,
        -- Payments tell only where the stake is the same; declared rules carry the log's own stake.
        s.preset = 'declared' OR p.preset IS NOT NULL AS same_stake
    FROM staging.scores AS s
    JOIN staging.games AS g USING (game_id)
    LEFT JOIN unnest($stakes) AS t(p) ON p.preset = s.preset AND p.base = g.base AND p.unit = g.unit
    WHERE s.preset IN ('declared', g.declared)
    ORDER BY s.game_id, s.hand_no, s.win_no, s.preset = 'declared' DESC
),
both_scores AS (
    SELECT
        w.game_id, w.hand_no, w.win_no, g.declared, s.preset IS NOT NULL AS scored, s.same_stake,
        w.recorded_tai, w.recorded_fu, w.recorded_payments, w.recorded_items,
        s.legal, s.reason, s.hand_tai, s.fu, s.payments, s.undetermined,
        list_sort(list_transform(s.items, lambda x: x.id || ' ' || x.value)) AS items,
        -- Only names that are ours can be compared: some logs keep the items in their own words.
        CASE WHEN g.family = 'riichi' THEN list_sort(list_transform(
            map_entries(w.recorded_items::JSON::MAP(VARCHAR, BIGINT)), lambda x: x.key || ' ' || x.value
        )) END AS was_items
    FROM staging.wins AS w
    JOIN staging.games AS g USING (game_id)
    LEFT JOIN scored AS s USING (game_id, hand_no, win_no)
    WHERE w.recorded_tai IS NOT NULL
)
SELECT
    game_id, hand_no, win_no, declared,
    CASE
        WHEN NOT scored THEN 'unscored'
        WHEN legal AND hand_tai = recorded_tai AND (recorded_fu IS NULL OR recorded_fu = fu)
            AND (NOT same_stake OR recorded_payments IS NULL OR recorded_payments = payments)
            AND (was_items IS NULL OR was_items = items) THEN 'equal'
        WHEN len(undetermined) > 0 THEN 'explained'
        ELSE 'different'
    END AS verdict,
    game_id || ' #' || hand_no || ': ' || recorded_tai || coalesce('/' || recorded_fu, '')
        || coalesce(' ' || recorded_payments::VARCHAR, '') || coalesce(' ' || was_items::VARCHAR, '') || ' ≠ '
        || CASE WHEN legal THEN hand_tai || coalesce('/' || fu, '') || ' ' || payments::VARCHAR
            || CASE WHEN was_items IS NULL THEN '' ELSE ' ' || items::VARCHAR END
            ELSE coalesce(reason, '') END AS difference
FROM both_scores
