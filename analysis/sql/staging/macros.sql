-- Texts of the store's codes: the same notation as ingest/tiles.py and ingest/melds.py.

CREATE MACRO wind_text(n) AS substr('ESWN', n + 1, 1);

CREATE MACRO tile_text(kind) AS CASE
    WHEN kind IS NULL THEN NULL
    WHEN kind < 27 THEN (kind % 9 + 1)::VARCHAR || substr('mps', kind // 9 + 1, 1)
    WHEN kind < 34 THEN substr('ESWNCFP', kind - 26, 1)
    ELSE 'f' || (kind - 33)::VARCHAR
END;

-- Digit j of a decimal count key, units first.
CREATE MACRO key_digit(key, power) AS ((key // power) % 10)::BIGINT;

CREATE MACRO suit_text(key, suit) AS CASE WHEN key = 0 THEN '' ELSE
    repeat('1', key_digit(key, 1)) || repeat('2', key_digit(key, 10)) || repeat('3', key_digit(key, 100))
    || repeat('4', key_digit(key, 1000)) || repeat('5', key_digit(key, 10000)) || repeat('6', key_digit(key, 100000))
    || repeat('7', key_digit(key, 1000000)) || repeat('8', key_digit(key, 10000000))
    || repeat('9', key_digit(key, 100000000)) || suit
END;

CREATE MACRO honour_text(key) AS CASE WHEN key = 0 THEN '' ELSE
    repeat('E', key_digit(key, 1)) || repeat('S', key_digit(key, 10)) || repeat('W', key_digit(key, 100))
    || repeat('N', key_digit(key, 1000)) || repeat('C', key_digit(key, 10000)) || repeat('F', key_digit(key, 100000))
    || repeat('P', key_digit(key, 1000000))
END;

CREATE MACRO meld_text(code) AS CASE
    WHEN code = 0 THEN NULL
    WHEN code < 22 THEN 'chow:' || ((code - 1) % 7 + 1)::VARCHAR || ((code - 1) % 7 + 2)::VARCHAR
        || ((code - 1) % 7 + 3)::VARCHAR || substr('mps', (code - 1) // 7 + 1, 1)
    WHEN code < 56 THEN 'pung:' || tiles_text(code - 22, 3)
    WHEN code < 90 THEN 'kong_open:' || tiles_text(code - 56, 4)
    WHEN code < 124 THEN 'kong_concealed:' || tiles_text(code - 90, 4)
    ELSE 'kong_added:' || tiles_text(code - 124, 4)
END;

CREATE MACRO tiles_text(kind, n) AS CASE
    WHEN kind < 27 THEN repeat((kind % 9 + 1)::VARCHAR, n) || substr('mps', kind // 9 + 1, 1)
    ELSE repeat(substr('ESWNCFP', kind - 26, 1), n)
END;

CREATE MACRO flower_list(mask) AS CASE WHEN mask IS NULL THEN NULL ELSE
    list_filter(['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8'], lambda name, i: (mask >> (i - 1)) & 1 = 1)
END;

CREATE MACRO seat_list(mask) AS CASE WHEN mask IS NULL THEN NULL ELSE
    list_filter([0, 1, 2, 3], lambda seat: (mask >> seat) & 1 = 1)
END;

CREATE MACRO ready_text(code) AS ['none', 'initial', 'first_discard', 'normal'][code + 1];

CREATE MACRO tile_list(kinds) AS CASE WHEN kinds[1] IS NULL THEN NULL ELSE
    list_transform(list_filter(kinds, lambda kind: kind IS NOT NULL), lambda kind: tile_text(kind))
END;
