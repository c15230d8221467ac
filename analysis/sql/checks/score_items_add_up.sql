-- The items of a legal win add up to its hand tai, or to more where the preset caps it.
SELECT game_id, hand_no, win_no, preset, hand_tai, items FROM staging.scores
WHERE legal AND coalesce(list_sum(list_transform(items, lambda item: item.value::BIGINT)), 0) < hand_tai
