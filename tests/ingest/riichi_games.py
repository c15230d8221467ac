"""Two small made-up games of riichi, of four and three players, and how three platforms would write them down.

A tile is written as Mahjong Soul does: 1m-9m 1p-9p 1s-9s, 0m 0p 0s red fives, 1z-7z East South West North white green
red. The values of the hands are worked out by hand from RIICHI section 2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from ingest.formats.yaku_names import MAHJONG_SOUL_FANS, RIICHI_CITY_FANS


class Win(NamedTuple):
    seat: int
    tile: str
    payer: int | None
    yaku: dict[str, int]
    fu: int
    pays: tuple[int, int]
    """Ron: (points, 0); self-draw: what a non-dealer and what the dealer pays."""
    ura: list[str]


class Hand(NamedTuple):
    """Scripted events: ("draw"|"discard"|"riichi", seat, tile), (claim, seat, tile, own tiles, feeder), …"""

    chang: int
    dealer: int
    honba: int
    sticks: int
    scores: list[int]
    dora: list[str]
    deal: list[str]
    first: str
    events: list[tuple[Any, ...]]
    wins: list[Win]
    deltas: list[int]
    """As the platforms write them: without the deposits paid by riichi."""
    tenpai: list[bool] | None = None


def tiles(text: str) -> list[str]:
    """`123m4z` as single tiles."""
    found: list[str] = []
    digits = ""
    for ch in text:
        if ch.isdigit():
            digits += ch
        else:
            found += [d + ch for d in digits]
            digits = ""
    return found


def _set(players: int) -> list[str]:
    man = "19" if players == 3 else "123456789"
    names = [n + "m" for n in man] + [n + s for s in "ps" for n in "123456789"] + [n + "z" for n in "1234567"]
    return [name for name in names for _ in range(4)]


def _rest(used: list[str], players: int) -> list[str]:
    left = _set(players)
    for tile in used:
        left.remove(tile.replace("0", "5"))
    return left


DOUBLE_RIICHI = Hand(
    0, 0, 0, 0, [25000] * 4, ["4s"],
    ["19m19p19s1234567z", "234567m234p67s99s", "111333m555p11z22s", "222m888m44p556s3s4s"], "2z",
    [
        ("discard", 0, "3z"),
        ("draw", 1, "4z"), ("riichi", 1, "4z"),
        ("draw", 2, "8s"), ("discard", 2, "8s"),
    ],
    [Win(1, "8s", 2, {"double_riichi": 2, "ippatsu": 1, "pinfu": 1}, 30, (7700, 0), ["1z"])],
    [0, 8700, -7700, 0],
)  # fmt: skip
"""Won before the second turn: double riichi and ippatsu, the discarder's first discard."""

AFTER_OPEN_KONG = Hand(
    0, 1, 0, 0, [25000, 32700, 17300, 25000], ["2z"],
    ["19m19p19s1234667z", "147m258p369s1234z", "258m369p147s1234z", "123m456p78s99m555z"], "5z",
    [
        ("discard", 1, "5z"),
        ("open_kong", 3, "5z", ["5z", "5z", "5z"], 1),
        ("draw", 3, "9s"),
    ],
    [Win(3, "9s", None, {"haku": 1, "rinshan": 1}, 40, (700, 1300), [])],
    [-700, -1300, -700, 2700],
)  # fmt: skip
"""Open kong of the dealer's first discard, won on the replacement tile: 20 + 16 + 2 = 38 fu."""

ROBBED = Hand(
    0, 2, 0, 0, [24300, 31400, 16600, 27700], ["3z"],
    ["55p19m19s1234567z", "147m238p369s1234z", "258m369p147s1234z", "46p123m789m11s234s"], "5p",
    [
        ("discard", 2, "5p"),
        ("pon", 0, "5p", ["5p", "5p"], 2), ("discard", 0, "9m"),
        ("draw", 1, "5z"), ("discard", 1, "5z"),
        ("draw", 2, "6z"), ("discard", 2, "6z"),
        ("draw", 3, "7z"), ("discard", 3, "7z"),
        ("draw", 0, "0p"), ("added_kong", 0, "0p"),
    ],
    [Win(3, "0p", 0, {"chankan": 1, "aka_dora": 1}, 40, (2600, 0), [])],
    [-2600, 0, 0, 2600],
)  # fmt: skip
"""The red five added to a pon completes 46p: 30 + 2 fu for the closed wait."""


def _exhausted() -> Hand:
    deal = ["1199m1199p12345z", "234567m234p67s99s", "258m369p147s1234z", "147m258p369s1234z"]
    indicator = "1p"
    used = [tile for hand in deal for tile in tiles(hand)] + [indicator]
    wall = _rest(used, 4)[:70]
    # Nobody but seat 1 is ready, and it takes a terminal only after a middle tile, so nobody has nagashi mangan.
    wall.sort(key=lambda tile: tile[0] in "19" or tile[1] == "z")
    events: list[tuple[Any, ...]] = [("discard", 3, wall[0])]
    for number, tile in enumerate(wall[1:]):
        seat = number % 4
        events += [("draw", seat, tile), ("discard", seat, tile)]
    return Hand(
        0, 3, 0, 0, [21700, 31400, 16600, 30300], [indicator], deal, wall[0], events, [],
        [-1000, 3000, -1000, -1000], [False, True, False, False],
    )  # fmt: skip


EXHAUSTED = _exhausted()
"""Seventy tiles drawn and passed on; seat 1 alone is ready."""

TWO_WINNERS = Hand(
    1, 0, 1, 0, [20700, 34400, 15600, 29300], ["9s"],
    ["19m19p19s1234567z", "234567m234p67s99s", "11122244m678p11p", "345m345p345s67s22p"], "8s",
    [
        ("discard", 0, "2z"),
        ("draw", 1, "3z"), ("discard", 1, "3z"),
        ("draw", 2, "3z"), ("discard", 2, "3z"),
        ("draw", 3, "4z"), ("riichi", 3, "4z"),
        ("draw", 0, "9m"), ("discard", 0, "8s"),
    ],
    [
        Win(1, "8s", 0, {"pinfu": 1}, 30, (1000, 0), []),
        Win(
            3, "8s", 0, {"double_riichi": 2, "ippatsu": 1, "pinfu": 1, "tanyao": 1, "sanshoku_doujun": 2}, 30,
            (12000, 0), ["1z"],
        ),
    ],
    [-13300, 2300, 0, 12000],
)  # fmt: skip
"""Double ron: honba and the deposit, the other winner's, go to the winner next to the discarder."""

FOUR = [DOUBLE_RIICHI, AFTER_OPEN_KONG, ROBBED, EXHAUSTED, TWO_WINNERS]
FOUR_FINAL = [7400, 36700, 15600, 40300]

ROBBED_NORTH = Hand(
    0, 0, 0, 0, [35000] * 3, ["1s"],
    ["19m19p19s1234667z", "123456p789s111z4z", "258p369p147s2345z"], "9m",
    [("kita", 0, "4z")],
    [Win(1, "4z", 0, {"round_wind": 1}, 40, (1300, 0), [])],
    [-1300, 1300, 0],
)  # fmt: skip
"""The dealer's north completes the pair: 30 + 8 + 2 fu."""

AFTER_NORTH = Hand(
    0, 1, 0, 0, [33700, 36300, 35000], ["1z"],
    ["19m19p19s1234667z", "258p369p147s2345z", "123456p789s23p99p"], "9m",
    [
        ("discard", 1, "9m"),
        ("draw", 2, "4z"), ("kita", 2, "4z"), ("draw", 2, "1p"),
    ],
    [Win(2, "1p", None, {"menzen_tsumo": 1, "pinfu": 1, "rinshan": 1, "kita_dora": 1}, 20, (1300, 2600), [])],
    [-1300, -2600, 3900],
)  # fmt: skip
"""Won on the tile drawn for a north, by a non-dealer: North's share of the payment is lost."""

THREE = [ROBBED_NORTH, AFTER_NORTH]
THREE_FINAL = [32400, 33700, 38900]

EXPECTED: dict[int, list[dict[str, Any]]] = {
    4: [
        {
            "hand_no": 0, "winner": 1, "payer": 2, "win_kind": 0, "win_tile": 25, "riichi": 2, "ippatsu": True,
            "no_calls": True, "discarder_first_discard": True, "before_first_draw": False, "last_tile": False,
            "sticks": 1, "own_stick": True, "winners_sticks": 1, "dora1": 21, "ura1": 27, "recorded_tai": 4,
            "recorded_fu": 30, "recorded_points": 7700, "recorded_payments": [0, 8700, -7700, 0], "n_players": 4,
        },
        {
            "hand_no": 1, "winner": 3, "payer": None, "win_kind": 1, "win_tile": 26, "replacement": 4, "kong_feeder": 1,
            "m0": 56 + 33, "no_calls": False, "riichi": 0, "ippatsu": False, "first_draw": True, "sticks": 0,
            "dora1": 28, "dora2": None, "ura1": None, "recorded_tai": 2, "recorded_fu": 40, "recorded_points": 2700,
        },
        {
            "hand_no": 2, "winner": 3, "payer": 0, "win_kind": 2, "robbed": 0, "win_tile": 13, "reds": 4,
            "discarder_first_discard": False, "replacement": 0, "recorded_tai": 2, "recorded_points": 2600,
        },
        {
            "hand_no": 4, "win_no": 0, "n_winners": 2, "winner": 1, "payer": 0, "riichi": 0, "sticks": 1,
            "own_stick": False, "winners_sticks": 1, "streak": 1, "round_wind": 1, "ura1": None,
            "recorded_payments": [-1300, 2300, 0, 0],
        },
        {
            "hand_no": 4, "win_no": 1, "n_winners": 2, "winner": 3, "payer": 0, "riichi": 2, "ippatsu": True,
            "sticks": 1, "own_stick": True, "recorded_tai": 7, "recorded_payments": [-12000, 0, 0, 12000],
        },
    ],
    3: [
        {
            "hand_no": 0, "winner": 1, "payer": 0, "win_kind": 2, "robbed": 2, "win_tile": 30, "norths": 0,
            "before_first_draw": True, "no_calls": True, "n_players": 3, "recorded_points": 1300,
            "recorded_payments": [-1300, 1300, 0, 0],
        },
        {
            "hand_no": 1, "winner": 2, "payer": None, "replacement": 5, "norths": 1, "win_tile": 9, "no_calls": False,
            "first_draw": False, "kong_feeder": None, "recorded_tai": 4, "recorded_fu": 20, "recorded_points": 3900,
        },
    ],
}  # fmt: skip
"""Facts of the wins, in order, by number of players. `first_draw` next to a call is a fact of its own."""


def changes(hand: Hand) -> list[int]:
    """Change of score over the hand, four seats, deposits paid by riichi included."""
    found = [*hand.deltas, *[0] * (4 - len(hand.deltas))]
    won_on = {win.payer for win in hand.wins}
    for event in hand.events:
        last = event is hand.events[-1]
        if event[0] == "riichi" and not (last and event[1] in won_on):
            found[event[1]] -= 1000
    return found


def concealed(hand: Hand) -> list[list[str]]:
    """Concealed tiles of each seat at the end, a drawn one included."""
    held = [tiles(text) for text in hand.deal]
    held[hand.dealer].append(hand.first)
    for what, seat, tile, *more in hand.events:
        if what == "draw":
            held[seat].append(tile)
        elif what in ("discard", "riichi", "kita", "added_kong"):
            held[seat].remove(tile)
        elif what in ("chi", "pon", "open_kong"):
            for own in more[0]:
                held[seat].remove(own)
    return held


def total(win: Win, hand: Hand) -> int:
    """Points of the hand without honba and deposits."""
    if win.payer is not None:
        return win.pays[0]
    others = len(hand.deal) - 1
    return win.pays[0] * others if win.seat == hand.dealer else win.pays[0] * (others - 1) + win.pays[1]


# Mahjong Soul.


def soul_messages(hands: list[Hand]) -> Iterator[tuple[str, dict[str, Any]]]:
    numbers = {yaku: number for number, yaku in MAHJONG_SOUL_FANS.items()}
    for hand in hands:
        deal = [tiles(text) for text in hand.deal]
        deal[hand.dealer].append(hand.first)
        start: dict[str, Any] = {"chang": hand.chang, "ju": hand.dealer, "ben": hand.honba, "liqibang": hand.sticks}
        start |= {"scores": hand.scores, "doras": hand.dora} | {f"tiles{i}": dealt for i, dealt in enumerate(deal)}
        yield "RecordNewRound", start
        drawn: dict[int, str] = {}
        for what, seat, tile, *more in hand.events:
            if what == "draw":
                drawn[seat] = tile
                yield "RecordDealTile", {"seat": seat, "tile": tile}
            elif what in ("discard", "riichi"):
                passed = drawn.pop(seat, None) == tile
                yield (
                    "RecordDiscardTile",
                    {"seat": seat, "tile": tile, "moqie": passed, "is_liqi": what == "riichi"},
                )
            elif what == "kita":
                yield "RecordBaBei", {"seat": seat}
            elif what == "added_kong":
                yield "RecordAnGangAddGang", {"seat": seat, "type": 2, "tiles": tile}
            else:
                own, feeder = more
                kind = ("chi", "pon", "open_kong").index(what)
                froms = [*[seat] * len(own), feeder]
                yield "RecordChiPengGang", {"seat": seat, "type": kind, "tiles": [*own, tile], "froms": froms}
        if not hand.wins:
            told = [{"tingpai": ready} for ready in hand.tenpai or ()]
            yield "RecordNoTile", {"players": told, "scores": [{"delta_scores": hand.deltas}]}
            continue
        hules = []
        held = concealed(hand)
        for win in hand.wins:
            own = list(held[win.seat])
            if win.payer is None:
                own.remove(win.tile)
            hule: dict[str, Any] = {"seat": win.seat, "hand": own, "hu_tile": win.tile, "zimo": win.payer is None}
            hule |= {"fu": win.fu, "count": sum(win.yaku.values()), "doras": hand.dora, "li_doras": win.ura}
            hule["liqi"] = bool(win.ura)
            hule["fans"] = [{"id": numbers[yaku], "val": han} for yaku, han in win.yaku.items()]
            if win.payer is not None:
                hule["point_rong"] = win.pays[0]
            else:
                hule |= {"point_zimo_xian": win.pays[0], "point_zimo_qin": win.pays[1]}
            hules.append(hule)
        yield "RecordHule", {"hules": hules, "delta_scores": hand.deltas}


# Riichi City: characters 0x21, dots 0x01, bamboos 0x11.

_ROWS = {"m": 0x20, "p": 0x00, "s": 0x10}


def city_tile(tile: str) -> int:
    number, suit = int(tile[0]), tile[1]
    if suit == "z":
        return 0x31 + 0x10 * (number - 1)
    return _ROWS[suit] + (number or 5) + (0 if number else 0x100)


def city_record(hands: list[Hand], final: list[int], *, shift: int = 1) -> dict[str, Any]:
    """shift: position of our seat 0 in the lists of the file."""
    players = len(hands[0].deal)
    users = [100 + seat for seat in range(players)]
    order = users[-shift:] + users[:-shift] if shift else users
    people = [{"userId": user, "position": at, "nickname": f"n{user}"} for at, user in enumerate(order)]
    numbers = {yaku: number for number, yaku in RIICHI_CITY_FANS.items()}
    records: list[dict[str, Any]] = []
    for hand in hands:
        events: list[dict[str, Any]] = []

        def add(kind: int, user: int, data: dict[str, Any], events: list[dict[str, Any]] = events) -> None:
            event = {"eventType": kind, "userId": user, "eventPos": len(events), "startTime": 1700000000000}
            events.append(event | {"data": json.dumps(data)})

        for seat, text in enumerate(hand.deal):
            dealt = [city_tile(tile) for tile in tiles(text)]
            if seat == hand.dealer:
                dealt.append(city_tile(hand.first))
            head: dict[str, Any] = {"hand_cards": dealt, "dealer_pos": order.index(users[hand.dealer])}
            head |= {"bao_pai_card": city_tile(hand.dora[0]), "quan_feng": 0x31 + 0x10 * hand.chang}
            head |= {"chang_ci": hand.dealer + 1, "ben_chang_num": hand.honba, "li_zhi_bang_num": hand.sticks}
            head["user_info_list"] = [
                {"user_id": user, "hand_points": hand.scores[users.index(user)]} for user in order
            ]
            add(1, users[seat], head)
        add(2, users[hand.dealer], {"in_card": 0})
        for what, seat, tile, *more in hand.events:
            user, code = users[seat], city_tile(tile)
            if what == "draw":
                add(2, user, {"in_card": code})
                continue
            data: dict[str, Any] = {"user_id": user, "card": code, "is_li_zhi": what == "riichi", "group_cards": None}
            action = {"discard": 11, "riichi": 11, "kita": 13, "added_kong": 9, "chi": 2, "pon": 5, "open_kong": 6}[
                what
            ]
            if more:
                data["group_cards"] = [city_tile(own) for own in more[0]]
            add(4, user, data | {"action": action})
        infos = []
        held = concealed(hand)
        for win in hand.wins:
            add(4, users[win.seat], {"user_id": users[win.seat], "card": city_tile(win.tile),
                                     "action": 10 if win.payer is None else 7})  # fmt: skip
            infos.append(
                {
                    "user_id": users[win.seat],
                    "fang_info": [{"fang_type": numbers[yaku], "fang_num": han} for yaku, han in win.yaku.items()],
                    "all_fang_num": sum(win.yaku.values()),
                    "all_fu": win.fu,
                    "all_point": total(win, hand),
                    "user_cards": [city_tile(tile) for tile in held[win.seat]],
                    "li_bao_card": [city_tile(tile) for tile in win.ura] or None,
                }
            )
        profits = [
            {
                "user_id": user,
                "point_profit": hand.deltas[seat],
                "user_point": hand.scores[seat] + changes(hand)[seat],
            }
            for seat, user in enumerate(users)
        ]
        kind = 7 if not hand.wins else 1 if hand.wins[0].payer is None else 0
        add(5, 0, {"end_type": kind, "win_info": infos, "user_profit": profits})
        records.append(
            {
                "benChangNum": hand.honba,
                "changCi": hand.dealer + 1,
                "quanFeng": 0x31 + 0x10 * hand.chang,
                "players": people,
                "handEventRecord": events,
            }
        )
    data = {"user_data": [{"user_id": user, "point_num": final[seat], "score": 10 * seat}
                          for seat, user in enumerate(users)]}  # fmt: skip
    records[-1]["handEventRecord"].append({"eventType": 6, "userId": 0, "data": json.dumps(data)})
    start = 35000 if players == 3 else 25000
    game: dict[str, Any] = {"keyValue": "made0up", "playerCount": players, "gamePlay": 1001, "initPoints": start}
    game |= {"isGangPay": players == 4, "round": 2, "stageType": 3, "handRecord": records}
    return {"code": 0, "message": "ok", "data": game}
