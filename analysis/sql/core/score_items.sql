-- One item that paid in one win under one preset.
-- grain: game_id, hand_no, win_no, preset, item
-- columns:
--   item: Item id (paipu rules show)
--   item_name: Name of the item in the language asked for (--lang)
--   count: Copies of the item
--   value: Tai of all copies together
-- checks: score_items_add_up
SELECT
    s.game_id, s.hand_no, s.win_no, s.preset, s.item.id AS item, n.name AS item_name, s.item.count AS count,
    s.item.value AS value
FROM (SELECT game_id, hand_no, win_no, preset, unnest(items) AS item FROM staging.scores) AS s
LEFT JOIN staging.games AS g USING (game_id)
LEFT JOIN staging.item_names AS n ON n.family = g.family AND n.item = s.item.id
