-- One item that paid in one win under one preset.
-- grain: game_id, hand_no, win_no, preset, item
-- columns:
--   item: Item id (paipu rules show)
--   count: Copies of the item
--   value: Tai of all copies together
-- checks: score_items_add_up
SELECT game_id, hand_no, win_no, preset, item.id AS item, item.count AS count, item.value AS value
FROM (SELECT game_id, hand_no, win_no, preset, unnest(items) AS item FROM staging.scores)
