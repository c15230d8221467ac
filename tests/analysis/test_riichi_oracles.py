"""The riichi scorer against results of others: two engines, a test collection, and wins that Tenhou's server scored.

All of them are read from the rules folder that stands beside the project, and skipped where it is absent.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ingest.melds import KONG_ADDED, KONG_CONCEALED, KONG_OPEN, PUNG, chow_code, pack_melds
from ingest.record import DORA, REPLACEMENTS, RIICHI, URA, WIN_KINDS
from ingest.tenhou import agari_row, table
from ingest.tiles import decimal_keys
from tests.analysis.riichi_wins import SHARED, Row, Scored, named, score_rows, with_options

DOUBLE = ("suuankou_tanki", "kokushi_13", "junsei_chuuren_poutou", "daisuushii")
_DRAGONS = {31: 33, 32: 32, 33: 31}
"""White, green, red of the usual 34 kinds → ours."""


def load(path: Path) -> Any:
    """JSON of a file beside the project, packed or not; skips the test where it is absent."""
    if not path.exists():
        pytest.skip(f"{path.name} is not beside the project")
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.splitlines()] if ".jsonl" in path.name else json.loads(data)


@cache
def ids_of(mapping: str) -> dict[str, str]:
    """Our yaku id by the name or number that another program uses."""
    ids: dict[str, str] = load(SHARED / "rules" / "RIICHI_PRESETS.json")["mappings"][mapping]
    return ids


def ours_of(kind: int) -> int:
    """Our kind of one of the usual 34 kinds."""
    return _DRAGONS.get(kind, kind)


def indicator_of(kind: int) -> int:
    """The indicator of a dora, in our kinds."""
    cycle = next(
        c for c in ([27, 28, 29, 30], [33, 32, 31], [*range(9)], [*range(9, 18)], [*range(18, 27)]) if kind in c
    )
    return cycle[cycle.index(kind) - 1]


def row(
    tiles: list[int],
    win_tile: int,
    melds: list[int],
    *,
    drawn: bool,
    seat: int,
    round_wind: int,
    payer: int | None = None,
    reds: int = 0,
    dora: list[int],
    ura: list[int],
    **facts: Any,
) -> Row:
    """A row of `wins`; the dealer sits in seat 0. tiles: concealed ones in our kinds, winning tile included."""
    counts = [tiles.count(kind) for kind in range(34)]
    return {
        **dict(zip(("km", "kp", "ks", "kh"), decimal_keys(counts), strict=True)),
        **dict(zip(("m0", "m1", "m2", "m3", "m4"), pack_melds(melds), strict=True)),
        "win_tile": win_tile,
        "flowers": 0,
        "winner": seat,
        "payer": None if drawn else (seat + 1) % 4 if payer is None else payer,
        "win_kind": WIN_KINDS.index("self_draw" if drawn else "discard"),
        "dealer": 0,
        "streak": 0,
        "round_wind": round_wind,
        "replacement": REPLACEMENTS.index("none"),
        "n_players": 4,
        "n_winners": 1,
        "reds": reds,
        "norths": 0,
        "sticks": 0,
        **dict(zip(DORA, dora, strict=False)),
        **dict(zip(URA, ura, strict=False)),
        **facts,
    }


# RiichiEnv: 136-tile ids, Mahjong Soul's yaku ids.


def riichienv_row(case: dict[str, Any]) -> Row:
    told = case["conditions"]
    melds, ids = [], [*case["tiles_136"]]
    for meld in case["melds"]:
        kinds = sorted(ours_of(tile // 4) for tile in meld["tiles"])
        ids += meld["tiles"]
        base = {"pon": PUNG, "daiminkan": KONG_OPEN, "kakan": KONG_ADDED, "ankan": KONG_CONCEALED}
        melds.append(chow_code(kinds[0]) if meld["meld_type"] == "chi" else base[meld["meld_type"]] + kinds[0])
    tiles = [ours_of(tile // 4) for tile in case["tiles_136"]]
    if len(tiles) % 3 == 1:
        ids.append(case["win_tile_136"])
        tiles.append(ours_of(case["win_tile_136"] // 4))
    return row(
        tiles,
        ours_of(case["win_tile_136"] // 4),
        melds,
        drawn=told["tsumo"],
        seat=told["player_wind"],
        round_wind=told["round_wind"],
        reds=(16 in ids) + 4 * (52 in ids) + 16 * (88 in ids),
        dora=[ours_of(tile // 4) for tile in case["dora_indicators"]],
        ura=[ours_of(tile // 4) for tile in case["ura_indicators"]],
        streak=told["honba"],
        last_tile=told["haitei"] or told["houtei"],
        riichi=RIICHI.index("double_riichi" if told["double_riichi"] else "riichi" if told["riichi"] else "none"),
        ippatsu=told["ippatsu"],
    )


def test_riichienv() -> None:
    """816 wins with han, fu and yaku. Doubles are on there; a riichi without ura indicators has none that count."""
    cases = load(SHARED / "oracles" / "riichi_riichienv_agari_4p.json.gz")["cases"]
    assert len(cases) == 816
    ids = ids_of("mahjong_soul_fan_id")
    # Circumstances that the file could hold and does not.
    told = Counter(name for case in cases for name, value in case["conditions"].items() if value is True)
    assert not {"rinshan", "chankan", "tsumo_first_turn", "is_sanma"} & set(told)
    with_ura = score_rows([riichienv_row(case) for case in cases], with_options("mahjong_soul_4p"))
    without = score_rows([riichienv_row(case) for case in cases], with_options("mahjong_soul_4p", ura_dora=False))
    for case, yes, no in zip(cases, with_ura, without, strict=True):
        scored = yes if case["ura_indicators"] else no
        expected = case["expected"]
        found = {ids[str(number)] for number in expected["yaku"]}
        assert (scored.reason, scored.han, scored.fu) == ("", expected["han"], expected["fu"]), case
        assert set(scored.items) == found, case


def test_hands_that_do_not_win() -> None:
    """13 tiles of 200 hands, most of them not tenpai: no tile completes these, some tile completes the others."""
    cases = load(SHARED / "oracles" / "riichi_riichienv_hands_negative.json")["cases"]
    rows, owner = [], []
    for number, case in enumerate(cases):
        tiles = [ours_of(kind) for kind, count in enumerate(case["counts_34"]) for _ in range(count)]
        for kind in range(34):
            if tiles.count(kind) < 4:
                rows.append(row([*tiles, kind], kind, [], drawn=True, seat=1, round_wind=0, dora=[], ura=[], riichi=1))
                owner.append(number)
    winning = {
        number for number, scored in zip(owner, score_rows(rows, named("tenhou_4p")), strict=True) if not scored.reason
    }
    assert winning == {number for number, case in enumerate(cases) if case["is_tenpai"]}


# mahjax: counts of 34 kinds without the last tile; melds are numbers: action, tile and source in 7, 6 and 2 bits.

_MAHJAX_YAKU = (
    "pinfu", "iipeikou", "ryanpeikou", "chanta", "junchan", "ittsuu", "sanshoku_doujun", "sanshoku_doukou", "toitoi",
    "sanankou", "sankantsu", "chiitoitsu", "tanyao", "honitsu", "chinitsu", "honroutou", "shousangen", "haku", "hatsu",
    "chun", "round_wind", "seat_wind", "menzen_tsumo", "riichi", "daisangen", "shousuushii", "daisuushii",
    "chuuren_poutou", "kokushi_musou", "chinroutou", "tsuuiisou", "ryuuiisou", "suuankou", "suukantsu",
)  # fmt: skip
_MAHJAX_CHOW = 74
"""Action of a claimed chow; the actions of kongs lie below."""


def mahjax_row(case: dict[str, Any]) -> Row:
    melds = []
    for meld in case["melds"][: case["n_meld"]]:
        action, tile, source = meld & 127, (meld >> 7) & 63, meld >> 13
        if action == _MAHJAX_CHOW:
            melds.append(chow_code(tile))
        else:
            # A kong of the own tiles: concealed without a source, added to a pon of that source otherwise.
            assert action < _MAHJAX_CHOW
            melds.append((KONG_ADDED if source else KONG_CONCEALED) + ours_of(tile))
    tiles = [ours_of(kind) for kind, count in enumerate(case["hand"]) for _ in range(count)]
    last = ours_of(case["last"])
    return row(
        [*tiles, last],
        last,
        melds,
        drawn=not case["is_ron"],
        seat=case["seat_wind"],
        round_wind=case["prevalent_wind"],
        dora=[indicator_of(ours_of(kind)) for kind in case["dora_indices"]],
        ura=[],
        riichi=case["riichi"],
    )


def test_mahjax() -> None:
    """41 hands by yaku. It names some of the yaku, counts yakuman by multiples, and doubles four big winds alone."""
    cases = load(SHARED / "oracles" / "riichi_mahjax_yaku_test.json")
    assert len(cases) == 41
    preset = with_options("tenhou_4p", double_yakuman=("daisuushii",), ura_dora=False)
    for (name, case), scored in zip(
        cases.items(), score_rows([mahjax_row(case) for case in cases.values()], preset), strict=True
    ):
        assert not scored.reason, name
        han = case["fan"] if case["fu"] else 13 * case["fan"]
        assert (scored.han, scored.fu) == (han, case["fu"]), name
        # Two waits of a yakuman are one number there.
        plain = {"suuankou_tanki": "suuankou", "kokushi_13": "kokushi_musou", "junsei_chuuren_poutou": "chuuren_poutou"}
        mine = {plain.get(item, item) for item in scored.items}
        assert {_MAHJAX_YAKU[number] for number in case["yaku_indices"]} <= mine, name
        assert base_of(scored, seat=case["seat_wind"], drawn=not case["is_ron"], base=case["score"]), name


def base_of(scored: Scored, *, seat: int, drawn: bool, base: int) -> bool:
    """Whether the payments are those of a base value."""
    dealer = seat == 0
    shares = [0] * 4
    if drawn:
        for other in range(4):
            if other != seat:
                shares[other] = -(-base * (2 if dealer or other == 0 else 1) // 100) * 100
    else:
        shares[(seat + 1) % 4] = -(-base * (6 if dealer else 4) // 100) * 100
    expected = [-share for share in shares]
    expected[seat] = sum(shares)
    return scored.payments == expected


# majiang-core: hands as text, seats counted from the dealer.

_MAJIANG_PART = re.compile(r"([mpsz])([0-9+=-]+)")


def majiang_tiles(text: str) -> list[tuple[int, bool]]:
    """(our kind, red) of each tile."""
    found = []
    for suit, digits in _MAJIANG_PART.findall(text):
        for digit in digits:
            if digit.isdigit():
                number = int(digit) or 5
                kind = ours_of(26 + number) if suit == "z" else 9 * "mps".index(suit) + number - 1
                found.append((kind, digit == "0"))
    return found


def majiang_meld(text: str) -> int:
    kinds = sorted(kind for kind, _ in majiang_tiles(text))
    if kinds[0] != kinds[-1]:
        return chow_code(kinds[0])
    if len(kinds) == 3:
        return PUNG + kinds[0]
    mark = re.search(r"[+=-]", text)
    return kinds[0] + (KONG_CONCEALED if mark is None else KONG_OPEN if mark.end() == len(text) else KONG_ADDED)


def majiang_row(case: dict[str, Any]) -> Row:
    told, how = case["param"], case["param"]["hupai"]
    hand, *melds = case["shoupai"].split(",")
    tiles = majiang_tiles(hand)
    payer = None
    if "rongpai" in case:
        tiles += majiang_tiles(case["rongpai"])
        payer = (told["menfeng"] + "?+=-".index(case["rongpai"][-1])) % 4
    win_tile = tiles[-1][0]
    every = tiles + [tile for meld in melds for tile in majiang_tiles(meld)]
    codes = [majiang_meld(meld) for meld in melds]
    kongs = [code for code in codes if code >= KONG_OPEN]
    replacement = "none"
    if how.get("lingshang"):
        last = kongs[-1]
        replacement = "kong_open" if last < KONG_CONCEALED else "kong_concealed" if last < KONG_ADDED else "kong_added"
    assert not {"qianggang", "tianhu"} & set(how)
    return row(
        [kind for kind, _ in tiles],
        win_tile,
        codes,
        drawn=payer is None,
        payer=payer,
        seat=told["menfeng"],
        round_wind=told["zhuangfeng"],
        reds=sum(every.count((kind, True)) << shift for kind, shift in ((4, 0), (13, 2), (22, 4))),
        dora=[majiang_tiles(tile)[0][0] for tile in told["baopai"]],
        ura=[majiang_tiles(tile)[0][0] for tile in told["fubaopai"] or []],
        streak=told["jicun"]["changbang"],
        sticks=told["jicun"]["lizhibang"],
        riichi=how.get("lizhi", 0),
        ippatsu=bool(how.get("yifa")),
        last_tile=bool(how.get("haidi")),
        replacement=REPLACEMENTS.index(replacement),
    )


def test_majiang_core() -> None:
    """han, fu, yaku with their han and payments of random wins; it counts four patterns twice and yakuman add up."""
    cases = load(SHARED / "logs" / "kobalab" / "hule.json.gz")
    assert len(cases) >= 1000
    ids = ids_of("majiang")
    preset = with_options("tenhou_4p", double_yakuman=DOUBLE)
    for case, scored in zip(cases, score_rows([majiang_row(case["in"]) for case in cases], preset), strict=True):
        out = case["out"]
        assert scored.reason == "", case
        assert scored.payments == out["fenpei"], case
        expected: Counter[str] = Counter()
        for entry in out["hupai"]:
            han = entry["fanshu"]
            expected[ids[entry["name"]]] += 13 * len(han) if isinstance(han, str) else han
        assert scored.items == dict(expected), case
        if not out["damanguan"]:
            assert (scored.han, scored.fu) == (out["fanshu"], out["fu"]), case
        won = scored.payments[case["in"]["param"]["menfeng"]]
        pot = case["in"]["param"]["jicun"]
        assert won == out["defen"] + 300 * pot["changbang"] + 1000 * pot["lizhibang"], case


# Tenhou: wins of real games as the server scored them.


def test_recorded_tenhou_wins() -> None:
    """han, fu, points, payments and every yaku with its han, under the rules that the table declares."""
    wins = load(SHARED / "logs" / "tenhou_client_logs" / "wins_recorded.jsonl.gz")
    assert len(wins) == 2744
    groups: dict[str, tuple[Any, list[Row], list[dict[str, Any]]]] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for win in wins:
        rules = table({"type": str(win["go"])})
        at = (win["log"], win["seed"])
        made = agari_row(
            win,
            players=rules.players,
            dealer=win["oya"],
            round_wind=int(win["seed"].split(",")[0]) // 4,
            reds=rules.reds,
        )
        # The file keeps the winners of a hand in their order.
        made["win_no"] = seen[at]
        seen[at] += 1
        key = json.dumps([rules.declared, rules.options["paipu"]])
        changes = {name: value for name, value in rules.options["paipu"].items() if name != "start_points"}
        _, rows, records = groups.setdefault(key, (with_options(rules.declared or "", **changes), [], []))
        rows.append(made)
        records.append(win)
    checked = 0
    for preset, rows, records in groups.values():
        for made, win, scored in zip(rows, records, score_rows(rows, preset), strict=True):
            assert scored.reason == "", win
            mine = Counter(scored.items)
            # Tenhou counts extracted norths as dora.
            mine["dora"] += mine.pop("kita_dora", 0)
            assert +mine == Counter(json.loads(made["recorded_items"])), win
            assert scored.han == made["recorded_tai"], win
            assert scored.fu == (made["recorded_fu"] or 0), win
            assert scored.payments == made["recorded_payments"], win
            checked += 1
    assert checked == len(wins)
