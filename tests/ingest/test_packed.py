"""Packed maps and lists behave as dicts and lists do."""

from __future__ import annotations

import pickle
import random

import pytest

from ingest.ids import game_id
from ingest.packed import IdMap, PackedList


def test_a_map_behaves_as_a_dict() -> None:
    chance = random.Random(7)
    ids = [game_id("test", str(n)) for n in range(2000)]
    packed, expected = IdMap(), dict[str, int]()
    for _ in range(20_000):
        id_ = chance.choice(ids)
        if chance.random() < 0.3:
            packed.discard(id_)
            expected.pop(id_, None)
        else:
            packed[id_] = expected[id_] = chance.randrange(1 << 64)
    again = pickle.loads(pickle.dumps(packed))
    for id_ in ids:
        assert packed.get(id_) == again.get(id_) == expected.get(id_)
        assert (id_ in packed) == (id_ in expected)


def test_an_id_is_not_found_inside_what_is_stored_for_another() -> None:
    id_, across, number = "00" * 10, "00" * 4 + "01" * 6, int("01" * 8, 16)
    packed = IdMap()
    packed[id_] = number
    assert across not in packed
    packed[across] = 5
    assert (packed[id_], packed[across]) == (number, 5)


def test_what_is_not_in_a_map() -> None:
    packed = IdMap()
    assert packed.get("00" * 10) is None
    assert None not in packed
    with pytest.raises(KeyError):
        packed["00" * 10]


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 1000])
def test_a_packed_list_behaves_as_a_list(number: int) -> None:
    expected = [f"season.zip!/{n}\n\udcb5.json" if n % 3 else "" for n in range(number)]
    texts = PackedList[str]()
    for text in expected:
        texts.append(text)
    assert len(texts) == number
    assert list(texts) == list(pickle.loads(pickle.dumps(texts))) == expected
    assert [texts[n] for n in range(number)] == expected
