"""Shared by the riichi scorer's tests: rows scored into plain values, presets with switches changed, random wins."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from analysis.batch import HandBatch
from analysis.families.riichi import REASONS
from analysis.rules.preset import Preset, load_preset
from analysis.score import Plan
from ingest.record import WINS
from ingest.riichi_record import parse_riichi_record

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
BONUS = ("dora", "ura_dora", "aka_dora", "kita_dora")

Record = dict[str, Any]
Row = dict[str, Any]


class Scored(NamedTuple):
    """What the scorer says of one win; reason is empty for a win that has a value, fu 0 for a yakuman."""

    reason: str
    han: int
    fu: int
    items: dict[str, int]
    payments: list[int]
    limit: int

    @property
    def yaku(self) -> dict[str, int]:
        """The items without dora of any kind."""
        return {item: han for item, han in self.items.items() if item not in BONUS}


def score_rows(rows: Sequence[Row], preset: Preset) -> list[Scored]:
    """Rows of `wins`, keys left out are null, under one preset."""
    keyed = [{"game_id": "g", "hand_no": i, "win_no": 0} | row for i, row in enumerate(rows)]
    batch = HandBatch.from_arrow(pa.Table.from_pylist(keyed, schema=WINS))
    (scores,) = Plan([preset]).score(batch, items=True)
    assert scores.items is not None
    assert scores.fu is not None
    assert scores.limit is not None
    items: list[dict[str, int]] = [{} for _ in rows]
    for hand, number, value in zip(scores.items.hand, scores.items.number, scores.items.value, strict=True):
        items[hand][scores.items.ids[number]] = int(value)
    return [
        Scored(
            REASONS[scores.reason[i]],
            int(scores.hand_tai[i]),
            int(scores.fu[i]),
            items[i],
            scores.payments[:, i].tolist(),
            int(scores.limit[i]),
        )
        for i in range(len(rows))
    ]


def with_options(name: str, **options: Any) -> Preset:
    """A shipped preset with options changed."""
    preset = load_preset(name)
    assert set(options) <= set(preset.options), set(options) - set(preset.options)
    return msgspec.structs.replace(preset, options={**preset.options, **options})


def named(text: str) -> Preset:
    """A preset as the cases name it: id, or id+option=value+…, the values of a list with commas between."""
    name, *changes = text.split("+")
    options: dict[str, Any] = {}
    for change in changes:
        key, _, value = change.partition("=")
        is_list = isinstance(load_preset(name).options[key], tuple)
        options[key] = tuple(value.split(",")) if is_list else {"true": True, "false": False}.get(value, value)
    return with_options(name, **options)


def row_of(record: Record) -> Row:
    """The row of a record; honba and deposits are keys of the random records alone."""
    extra = {"streak": record.get("honba", 0), "sticks": record.get("deposits", 0)}
    return parse_riichi_record({key: record[key] for key in record if key not in ("honba", "deposits")}) | extra


_CHOWS = [9 * suit + low for suit in range(3) for low in range(7)]
_SETS: dict[str, tuple[list[int], list[int]]] = {
    "any": (_CHOWS, list(range(34))),
    "simple": ([low for low in _CHOWS if 1 <= low % 9 <= 5], [kind for kind in range(27) if 0 < kind % 9 < 8]),
    "outer": ([low for low in _CHOWS if low % 9 in (0, 6)], [k for k in range(34) if k >= 27 or k % 9 in (0, 8)]),
    "terminals": ([], [0, 8, 9, 17, 18, 26]),
    "honors": ([], list(range(27, 34))),
    "dragons": ([0, 10, 21], [31, 32, 33, 31, 32, 33, 4]),
    "winds": ([3], [27, 28, 29, 30, 27, 28, 29, 30, 13]),
    "green": ([19], [19, 20, 21, 23, 25, 32]),
    "low": ([low for low in _CHOWS if low % 9 < 3], [kind for kind in range(27) if kind % 9 < 4]),
    **{
        f"flush{suit}": ([9 * suit + low for low in range(7)], [9 * suit + i for i in range(9)] + [27, 31])
        for suit in range(3)
    },
    **{f"full{suit}": ([9 * suit + low for low in range(7)], [9 * suit + i for i in range(9)]) for suit in range(3)},
}
_ORPHANS = [0, 8, 9, 17, 18, 26, *range(27, 34)]
_NAMES = [f"{i + 1}{suit}" for suit in "mps" for i in range(9)] + list("ESWNCFP")


def _text(kinds: Sequence[int], rng: random.Random, reds: Counter[int]) -> str:
    """The tiles as text; of the four copies of a five one is red. reds counts the fives used so far."""
    parts = []
    for kind in kinds:
        name = _NAMES[kind]
        if kind in (4, 13, 22):
            left = 4 - reds[kind] % 8
            is_red = reds[kind] < 8 and rng.random() * left < 1
            reds[kind] += 9 if is_red else 1
            name = f"0{name[1]}" if is_red else name
        parts.append(name)
    return "".join(parts)


def _standard(rng: random.Random, players: int) -> tuple[list[list[int]], list[int]]:
    """(sets, pair) with at most four of a kind."""
    while True:
        chows, pungs = _SETS[rng.choice(["any", "any", "any", *_SETS])]
        share = rng.choice((0.0, 0.2, 0.2, 0.5, 1.0)) if chows else 1.0
        sets = []
        for _ in range(4):
            if rng.random() < share:
                sets.append([rng.choice(pungs)] * 3)
            else:
                low = rng.choice(chows)
                sets.append([low, low + 1, low + 2])
        if rng.random() < 0.15:
            sets[1] = list(sets[0])
        pair = [rng.choice(pungs if rng.random() < 0.7 else range(34))] * 2
        tiles = [*pair, *(kind for group in sets for kind in group)]
        if max(Counter(tiles).values()) <= 4 and (players == 4 or not any(1 <= kind <= 7 for kind in tiles)):
            return sets, pair


def _gates(rng: random.Random) -> list[int]:
    suit = 9 * rng.randrange(3)
    return [suit + i for i in (0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, rng.randrange(9))]


def _pairs(rng: random.Random, players: int) -> list[int]:
    pool = rng.choice((range(34), range(27, 34), _ORPHANS, [*range(9, 18), *range(27, 34)], range(10, 17)))
    return sorted(2 * rng.sample([kind for kind in pool if players == 4 or not 1 <= kind <= 7], 7))


def random_records(n: int, seed: int, *, players: int = 4) -> Iterator[Record]:
    """n complete hands with consistent circumstances, as parse_riichi_record reads them."""
    rng = random.Random(seed)
    for _ in range(n):
        yield _record(rng, players)


def _record(rng: random.Random, players: int) -> Record:
    form = rng.random()
    melds: list[tuple[str, list[int]]] = []
    if form < 0.87:
        sets, pair = _standard(rng, players)
        concealed = list(pair)
        calls = rng.choice((0.0, 0.0, 0.3, 0.7))
        kongs = rng.choice((0.1, 0.1, 0.8))
        copies = Counter([*pair, *(kind for group in sets for kind in group)])
        for group in sets:
            is_pung = group[0] == group[1]
            kong = is_pung and copies[group[0]] == 3 and rng.random() < kongs
            if kong and rng.random() < 0.4:
                melds.append(("ankan", group + group[:1]))
            elif rng.random() < calls and (is_pung or players == 4):
                name = rng.choice(("daiminkan", "kakan")) if kong else "pon" if is_pung else "chi"
                melds.append((name, group + group[:1] if kong else group))
            else:
                concealed += group
    elif form < 0.96:
        concealed = _pairs(rng, players)
    elif form < 0.98 and players == 4:
        concealed = _gates(rng)
    else:
        concealed = [*_ORPHANS, rng.choice(_ORPHANS)]
    concealed.sort()
    win_tile = rng.choice(concealed)
    concealed.remove(win_tile)
    reds: Counter[int] = Counter()
    hand, won = _text(concealed, rng, reds), _text([win_tile], rng, reds)
    written = [f"{name}:{_text(tiles, rng, reds)}" for name, tiles in melds]
    copies = Counter([win_tile, *concealed, *(kind for _, tiles in melds for kind in tiles)])
    drawn = rng.random() < 0.45
    record = {
        "players": players,
        "hand": hand,
        "win_tile": won,
        "melds": written,
        "win": "tsumo" if drawn else "ron",
        "round": rng.choice("ESWN"),
        "seat": rng.choice("ESWN"[:players]),
        "honba": rng.choice((0, 0, 1, 2, 7)),
        "deposits": rng.choice((0, 0, 1, 3)),
    }
    flags = _flags(rng, record, [name for name, _ in melds], alone=copies[win_tile] == 1)
    if players == 3:
        flags["kita"] = rng.randint(0, 4 - copies[30]) if rng.random() < 0.6 and not flags.get("tenhou") else 0
        flags = {name: value for name, value in flags.items() if value}
    shown = 1 + min(4, sum(name.endswith("kan") for name, _ in melds) + (rng.random() < 0.2))
    for name in ("dora", "ura") if flags.get("riichi") else ("dora",):
        pool = list(range(34)) if players == 4 else [0, *range(8, 34)]
        near = [before for before in pool if _following(before) in copies]
        indicators = [rng.choice(near if near and rng.random() < 0.4 else pool) for _ in range(shown)]
        flags[name] = "".join(_NAMES[kind] for kind in indicators)
    return record | {"flags": flags}


def _following(kind: int) -> int:
    """Roughly the next kind: only so that dora are not rare."""
    return kind + 1 if kind < 27 and kind % 9 < 8 else kind


def _flags(rng: random.Random, record: Record, melds: list[str], *, alone: bool) -> dict[str, Any]:
    drawn, dealer = record["win"] == "tsumo", record["seat"] == "E"
    flags: dict[str, Any] = {}
    if not melds and rng.random() < 0.03:
        first = ("tenhou" if dealer else "chiihou") if drawn else "renhou"
        if first != "renhou" or not dealer:
            return {first: True}
    if all(name == "ankan" for name in melds) and rng.random() < 0.5:
        flags["riichi"] = rng.choice((1, 1, 1, 2))
        flags["ippatsu"] = rng.random() < 0.25
    how = rng.random()
    if drawn and any(name.endswith("kan") for name in melds) and how < 0.3:
        flags["rinshan"] = True
        flags["ippatsu"] = False
    elif drawn and how > 0.92:
        flags["haitei"] = True
    elif not drawn and how > 0.92:
        flags["houtei"] = True
    elif not drawn and alone and how < 0.1:
        flags["chankan"] = True
    return {name: value for name, value in flags.items() if value}
