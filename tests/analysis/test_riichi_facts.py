"""Facts of riichi hands against enumeration by hand, and properties that hold for every win."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.batch import HandBatch
from analysis.explain import explain
from analysis.facts import Facts
from analysis.families import riichi
from analysis.readings import FORM_STANDARD, FORM_UNCONNECTED
from analysis.rules.preset import load_preset, shipped_presets
from analysis.score import Plan
from ingest.melds import CHOW, KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG
from ingest.record import DORA, WINS
from ingest.riichi_shapes import is_unconnected
from ingest.tiles import count_kinds, decimal_keys, parse_tile, parse_tiles
from tests.analysis.riichi_wins import Record, Row, named, random_records, row_of, score_rows, with_options

OUTER = frozenset([0, 8, 9, 17, 18, 26, *range(27, 34)])
FOUR, THREE = (
    [load_preset(name) for name in shipped_presets("riichi") if load_preset(name).options["players"] == n]
    for n in (4, 3)
)
COUNT = 1500


class Group(NamedTuple):
    """Part of a reading. what: chow, pung or pair; fu: of a pung or kong."""

    what: str
    low: int
    melded: bool
    fu: int = 0

    def holds(self, kind: int) -> bool:
        return kind - self.low in (0, 1, 2) if self.what == "chow" else kind == self.low


def melds_of(record: Record) -> list[Group]:
    found = []
    for meld in record["melds"]:
        name, _, text = meld.partition(":")
        low = min(parse_tiles(text))
        fu = {"chi": 0, "pon": 2, "daiminkan": 8, "kakan": 8, "ankan": 16}[name] * (2 if low in OUTER else 1)
        found.append(Group("chow" if name == "chi" else "pung", low, True, fu))
    return found


def splits(counts: list[int]) -> Iterator[list[Group]]:
    """Every way to read the tiles as sets."""
    if not any(counts):
        yield []
        return
    low = next(kind for kind, count in enumerate(counts) if count)
    if counts[low] >= 3:
        counts[low] -= 3
        for rest in splits(counts):
            yield [Group("pung", low, False, 8 if low in OUTER else 4), *rest]
        counts[low] += 3
    if low < 27 and low % 9 <= 6 and counts[low + 1] and counts[low + 2]:
        for kind in (low, low + 1, low + 2):
            counts[kind] -= 1
        for rest in splits(counts):
            yield [Group("chow", low, False), *rest]
        for kind in (low, low + 1, low + 2):
            counts[kind] += 1


def hand_splits(counts: list[int]) -> Iterator[list[Group]]:
    """Every way to read the tiles as sets and a pair."""
    for kind in range(34):
        if counts[kind] >= 2:
            counts[kind] -= 2
            for sets in splits(counts):
                yield [*sets, Group("pair", kind, False)]
            counts[kind] += 2


READING_FACTS = (
    "chow_couples",
    "fu_of_sets",
    "fu_of_wait",
    "two_sided_wait",
    "pair_wait",
    "same_chows",
    "pungs_in_a_row",
    "pair_of_seat_wind",
    "pair_of_round_wind",
    "pung_of_c",
    "pung_of_f",
    "pung_of_p",
    "concealed_pungs",
)


def expected_readings(record: Record) -> set[tuple[int, ...]]:
    """READING_FACTS of each reading, by the words of RIICHI 1.2, 2.2 and 2.3."""
    won = parse_tile(record["win_tile"])
    counts = count_kinds([*parse_tiles(record["hand"]), won])[:34]
    melds = melds_of(record)
    ankan = sum(meld.startswith("ankan") for meld in record["melds"])
    ron = record["win"] == "ron"
    found = set()
    for groups in hand_splits(list(counts)):
        for done in {group for group in groups if group.holds(won)}:
            own = Counter(group.low for group in groups if group.what == "chow")
            every = own + Counter(group.low for group in melds if group.what == "chow")
            pungs = [group for group in (*groups, *melds) if group.what == "pung"]
            pair = next(group.low for group in groups if group.what == "pair")
            taken = ron and done.what == "pung"
            place = won - done.low
            edge = done.what == "chow" and ((place == 2 and done.low % 9 == 0) or (place == 0 and done.low % 9 == 6))
            closed = done.what == "chow" and place == 1
            kinds = {group.low for group in pungs}
            row = max(
                (n for n in range(1, 5) for low in kinds if low < 27 and low % 9 + n <= 9
                 and all(low + i in kinds for i in range(n))),
                default=0,
            )  # fmt: skip
            found.add(
                (
                    sum(n // 2 for n in own.values()),
                    sum(group.fu for group in pungs) - (done.fu // 2 if taken else 0),
                    2 if edge or closed or done.what == "pair" else 0,
                    done.what == "chow" and not edge and not closed,
                    done.what == "pair",
                    max(every.values(), default=0),
                    row,
                    pair == 27 + "ESWN".index(record["seat"]),
                    pair == 27 + "ESWN".index(record["round"]),
                    31 in kinds,
                    32 in kinds,
                    33 in kinds,
                    sum(group.what == "pung" for group in groups) + ankan - taken,
                )
            )
    return found


def batch_of(rows: list[Row]) -> HandBatch:
    keyed = [{"game_id": "g", "hand_no": i, "win_no": 0} | row for i, row in enumerate(rows)]
    return HandBatch.from_arrow(pa.Table.from_pylist(keyed, schema=WINS))


def facts_of(records: list[Record]) -> Facts:
    batch = batch_of([row_of(record) for record in records])
    return Facts(batch, riichi.readings(batch, []))


def test_facts_of_readings() -> None:
    records = list(random_records(COUNT, 71))
    facts = facts_of(records)
    columns = np.stack([facts[name].astype(np.int64) for name in READING_FACTS], 1)
    hands = np.concatenate([np.arange(len(records)), facts.readings.other_hands])
    standard = np.concatenate([block.form for block in facts.readings.blocks]) == FORM_STANDARD
    found: list[set[tuple[int, ...]]] = [set() for _ in records]
    for hand, values in zip(hands[standard], columns[standard], strict=True):
        found[hand].add(tuple(values.tolist()))
    for record, ours in zip(records, found, strict=True):
        assert ours == {tuple(map(int, values)) for values in expected_readings(record)}, record


def all_tiles(record: Record) -> list[int]:
    texts = [record["hand"], record["win_tile"], *(meld.partition(":")[2] for meld in record["melds"])]
    return [kind for text in texts for kind in parse_tiles(text)]


def is_nine_gates(record: Record, *, before_win: bool) -> bool:
    tiles, won = Counter(all_tiles(record)), parse_tile(record["win_tile"])
    if record["melds"] or won >= 27 or any(kind // 9 != won // 9 or kind >= 27 for kind in tiles):
        return False
    if before_win:
        tiles[won] -= 1
    gates = {won // 9 * 9 + i: 3 if i in (0, 8) else 1 for i in range(9)}
    return all(tiles[kind] == n if before_win else tiles[kind] >= n for kind, n in gates.items())


def indicated(kind: int, *, three: bool) -> int:
    if three and kind in (0, 8):
        return 8 - kind
    for cycle in (range(9), range(9, 18), range(18, 27), (27, 28, 29, 30), (33, 32, 31)):
        if kind in cycle:
            return cycle[(cycle.index(kind) + 1) % len(cycle)]
    raise AssertionError(kind)


def count_dora(flags: dict[str, Any], tiles: list[int], name: str, first: int, end: int, *, three: bool) -> int:
    shown = [indicated(kind, three=three) for kind in parse_tiles(flags.get(name, ""))[first:end]]
    return sum(tiles.count(kind) for kind in shown)


@pytest.mark.parametrize("players", [4, 3])
def test_facts_of_hands(players: int) -> None:
    records = list(random_records(COUNT, 72, players=players))
    facts = facts_of(records)
    seen: Counter[str] = Counter()
    for i, record in enumerate(records):
        tiles, flags = all_tiles(record), record["flags"]
        norths = flags.get("kita", 0)
        with_norths = tiles + [30] * norths

        dora = partial(count_dora, flags, with_norths, three=players == 3)

        expected = {
            "nine_gates": is_nine_gates(record, before_win=False),
            "pure_nine_gates": is_nine_gates(record, before_win=True),
            "all_green": set(tiles) <= {19, 20, 21, 23, 25, 32},
            "has_green_dragon": 32 in tiles,
            "kongs": sum("kan:" in meld for meld in record["melds"]),
            "no_melds": not record["melds"],
            "dora_first": dora("dora", 0, 1),
            "dora_later": dora("dora", 1, 5),
            "ura_first": dora("ura", 0, 1) if flags.get("riichi") else 0,
            "ura_later": dora("ura", 1, 5) if flags.get("riichi") else 0,
            "norths": norths,
            "seat_by_dealer": "ESWN".index(record["seat"]),
        }
        assert {name: int(facts.hand(name)[i]) for name in expected} == {k: int(v) for k, v in expected.items()}, record
        seen.update(name for name, value in expected.items() if value)
    if players == 4:
        assert {"nine_gates", "pure_nine_gates", "all_green", "has_green_dragon", "kongs", "ura_later"} <= set(seen)


def test_thirteen_orphans_and_seven_pairs() -> None:
    records = list(random_records(4 * COUNT, 73))
    facts = facts_of(records)
    n, others = len(records), facts.readings.other_hands
    for name in ("orphans_form", "orphans_thirteen_waits", "seven_pairs_form"):
        column = facts[name]
        held = column[:n].copy()
        held[others[column[n:]]] = True
        for record, ours in zip(records, held, strict=True):
            tiles, won = Counter(all_tiles(record)), parse_tile(record["win_tile"])
            orphans = set(tiles) == OUTER and not record["melds"]
            expected = {
                "orphans_form": orphans,
                "orphans_thirteen_waits": orphans and tiles[won] == 2,
                "seven_pairs_form": len(tiles) == 7 and set(tiles.values()) == {2} and not record["melds"],
            }
            assert ours == expected[name], (name, record)
        assert held.any(), name


# Properties.

seeds = st.integers(0, 2**31)
many = settings(max_examples=60, deadline=None)


def some(seed: int, *, players: int = 4, n: int = 20) -> list[Record]:
    return list(random_records(n, seed, players=players))


@given(seeds, st.sampled_from([4, 3]))
@many
def test_payments_sum_to_the_deposits(seed: int, players: int) -> None:
    rows = [row_of(record) for record in some(seed, players=players)]
    batch = batch_of(rows)
    for scores in Plan(FOUR if players == 4 else THREE).score(batch):
        assert scores.deposits is not None
        assert (scores.payments.sum(0) == scores.deposits).all()
        assert (scores.payments[:, ~scores.legal] == 0).all()
        for i, row in enumerate(rows):
            others = [seat for seat in range(4) if seat != row["winner"]]
            assert (scores.payments[others, i] <= 0).all()
            assert not scores.legal[i] or scores.payments[row["winner"], i] >= 1000 * row["sticks"] + 800
        if players == 3:
            assert (scores.payments[3] == 0).all()


@given(seeds, st.integers(1, 3), st.sampled_from(FOUR))
@many
def test_rotated_seats_rotate_the_payments(seed: int, turn: int, preset: Any) -> None:
    rows = [row_of(record) for record in some(seed)]
    liable = [dict.fromkeys(("liable_dragons", "liable_winds", "liable_kongs"), i % 4) for i in range(len(rows))]
    rows = [row | who for row, who in zip(rows, liable, strict=True)]
    seats = ("winner", "payer", "dealer", "liable_dragons", "liable_winds", "liable_kongs")
    turned = [row | {name: (row[name] + turn) % 4 for name in seats if row[name] is not None} for row in rows]
    for before, after in zip(score_rows(rows, preset), score_rows(turned, preset), strict=True):
        assert after.payments == before.payments[-turn:] + before.payments[:-turn]
        assert after[:4] == before[:4]


@given(seeds, st.integers(0, 33), st.sampled_from(FOUR))
@many
def test_one_more_indicator_never_lowers_the_payment(seed: int, kind: int, preset: Any) -> None:
    rows = [row for row in (row_of(record) for record in some(seed)) if row.get(DORA[4]) is None]
    more = [row | {next(name for name in DORA if row.get(name) is None): kind} for row in rows]
    for row, before, after in zip(rows, score_rows(rows, preset), score_rows(more, preset), strict=True):
        assert after.payments[row["winner"]] >= before.payments[row["winner"]]
        # The five han of a mangan alternative may give way to four of the hand itself that pay as much.
        assert after.han >= before.han or (before.items == {"renhou": 5} and after.limit == before.limit)
        assert after.reason == before.reason


@given(seeds, st.sampled_from(FOUR))
@many
def test_a_closed_hand_is_worth_at_least_the_open_one(seed: int, preset: Any) -> None:
    opened, closed = [], []
    for record in some(seed, n=40):
        called = [meld for meld in record["melds"] if meld.startswith(("chi:", "pon:"))]
        if called:
            kept = [meld for meld in record["melds"] if meld not in called]
            hand = record["hand"] + "".join(meld.partition(":")[2] for meld in called)
            opened.append(row_of(record))
            closed.append(row_of(record | {"hand": hand, "melds": kept}))
    for row, less, more in zip(opened, score_rows(opened, preset), score_rows(closed, preset), strict=True):
        assert more.payments[row["winner"]] >= less.payments[row["winner"]], row


def other_suits(record: Record) -> Record:
    """Characters, dots and bamboos each turned into the next suit."""
    turn = str.maketrans("mps", "psm")

    def turned(text: str) -> str:
        return text.translate(turn)

    flags = {name: turned(value) if isinstance(value, str) else value for name, value in record["flags"].items()}
    melds = [name + ":" + turned(text) for name, _, text in (meld.partition(":") for meld in record["melds"])]
    return record | {
        "hand": turned(record["hand"]), "win_tile": turned(record["win_tile"]), "melds": melds, "flags": flags,
    }  # fmt: skip


@given(seeds, st.sampled_from(FOUR))
@many
def test_no_suit_is_worth_more_but_for_all_green(seed: int, preset: Any) -> None:
    records = some(seed, n=40)
    before = score_rows([row_of(record) for record in records], preset)
    after = score_rows([row_of(other_suits(record)) for record in records], preset)
    for record, one, two in zip(records, before, after, strict=True):
        if "ryuuiisou" not in {*one.items, *two.items}:
            assert (one.reason, one.han, one.fu, one.payments) == (two.reason, two.han, two.fu, two.payments), record


@given(seeds, st.sampled_from(FOUR))
@many
def test_a_win_scores_alone_as_it_does_among_others(seed: int, preset: Any) -> None:
    rows = [row_of(record) for record in some(seed, n=6)]
    assert score_rows(rows, preset) == [score_rows([row], preset)[0] for row in rows]


def test_multiples_of_yakuman_are_capped() -> None:
    record = {
        "hand": "EEESSSWWWNNNP", "win_tile": "P", "melds": [], "win": "ron", "round": "E", "seat": "S", "flags": {},
    }  # fmt: skip
    for cap, multiples in ((None, 3), (2, 2), (1, 1)):
        (scored,) = score_rows([row_of(record)], with_options("tenhou_4p", yakuman_cap=cap))
        assert (scored.han, scored.payments[1]) == (13 * multiples, 32000 * multiples)


def unconnected(tiles: list[int]) -> bool:
    """The words of RIICHI 1.5, tile by tile."""
    pairs = [kind for kind in set(tiles) if tiles.count(kind) == 2]
    single = [kind for kind in set(tiles) if tiles.count(kind) == 1]
    apart = all(
        abs(one - two) > 2 for one in set(tiles) for two in set(tiles)
        if one != two and one < 27 and two < 27 and one // 9 == two // 9
    )  # fmt: skip
    return len(pairs) == 1 and len(single) == 12 and apart


def nearly_unconnected(rng: random.Random) -> list[int]:
    """A pair and twelve single tiles drawn from wide gaps, sometimes with one tile moved."""
    pool = [9 * suit + rank for suit in range(3) for rank in rng.choice([(0, 3, 6), (1, 4, 7), (0, 4, 8), (2, 5, 8)])]
    kinds = rng.sample([*pool, *range(27, 34)], 13)
    tiles = [*kinds, rng.choice(kinds)]
    if rng.random() < 0.5:
        tiles[rng.randrange(14)] = rng.randrange(34)
    return tiles if max(Counter(tiles).values()) <= 4 else nearly_unconnected(rng)


def test_unconnected_tiles() -> None:
    rng = random.Random(9)
    hands = [sorted(nearly_unconnected(rng)) for _ in range(2000)]
    expected = [unconnected(tiles) for tiles in hands]
    assert 0.3 < sum(expected) / len(expected) < 0.9
    rows = []
    for tiles in hands:
        km, kp, ks, kh = decimal_keys(count_kinds(tiles))
        assert is_unconnected((km, kp, ks, kh)) is unconnected(tiles), tiles
        keys: Row = {"km": km, "kp": kp, "ks": ks, "kh": kh}
        rows.append(keys | {f"m{i}": 0 for i in range(5)} | {"win_tile": tiles[0], "win_kind": 1, "winner": 0})
    batch = batch_of([row | dict.fromkeys(("flowers", "dealer", "streak", "round_wind"), 0) for row in rows])
    preset = with_options("tenhou_4p", local_yaku=("shiisanpuutou",))
    facts = Facts(batch, riichi.readings(batch, [preset]))
    found = np.zeros(len(hands), bool)
    for block in facts.readings.blocks:
        found[block.hands(np.flatnonzero(block.form == FORM_UNCONNECTED))] = True
    assert found.tolist() == expected


# What the log leaves open, and a preset asks for.

RIICHI_WIN: Record = {
    "hand": "234m567p45678sWW", "win_tile": "3s", "melds": [], "win": "ron", "round": "E", "seat": "E",
    "flags": {"riichi": 1},
}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "local_yaku", "expected"),
    [
        ("declaration_tile", "tsubame_gaeshi", ["tsubame_gaeshi"]),
        ("discard_after_kong", "kanburi", ["kanburi"]),
        ("dealer_wins", "paarenchan", ["paarenchan"]),
        ("ready_open", "open_riichi", ["open_riichi"]),
        ("ready_open", "kanburi", []),
    ],
)
def test_local_yaku_that_the_log_leaves_open(column: str, local_yaku: str, expected: list[str]) -> None:
    known = {
        "declaration_tile": False, "discard_after_kong": False, "dealer_wins": 1, "ready_open": False,
        "payer_in_riichi": False, "ippatsu": False,
    }  # fmt: skip
    row = row_of(RIICHI_WIN) | known
    preset = with_options("tenhou_4p", local_yaku=(local_yaku,))
    assert explain([row], [preset])[0][0].undetermined == []
    assert explain([row | {column: None}], [preset])[0][0].undetermined == expected


@pytest.mark.parametrize(
    ("preset", "expected"), [("wrc_2025", ["renhou"]), ("m_league", []), ("tenhou_4p+renhou=yakuman", ["renhou"])]
)
def test_renhou_that_the_log_leaves_open(preset: str, expected: list[str]) -> None:
    row = row_of(RIICHI_WIN | {"seat": "S", "flags": {"renhou": True}}) | {"before_first_draw": None}
    (found,) = explain([row], [named(preset)])[0]
    assert "renhou" not in found.items
    assert found.undetermined == expected


def test_meld_codes_of_the_record() -> None:
    """The enumeration above reads melds from their text; this ties it to the codes that the scorer reads."""
    row = row_of(
        {
            "hand": "2m",
            "win_tile": "2m",
            "win": "ron",
            "round": "E",
            "seat": "S",
            "flags": {},
            "melds": ["chi:345p", "pon:EEE", "daiminkan:9999s", "ankan:PPPP"],
        }
    )
    assert [row[f"m{i}"] for i in range(4)] == [CHOW + 7 + 2, PUNG + 27, KONG_OPEN + 26, KONG_CONCEALED + 33]
    assert row_of({
        "hand": "2m345p678s99s3s", "win_tile": "2m", "win": "ron", "round": "E", "seat": "S", "flags": {},
        "melds": ["kakan:1111m"],
    })["m0"] == KONG_ADDED  # fmt: skip
