"""A few riichi wins made by hand with their scores under three presets: the ground for the comparison in points.

`reds` is the baseline, `plain` has neither red fives nor ippatsu nor open tanyao, `strict` is `reds` with head bump and
ura that the log of one win lacks. Every payment is worked out from the tables of RIICHI 2.5 to 2.9.
"""

from __future__ import annotations

from typing import Any

from analysis.compare import ComparedPreset
from ingest.record import Row


def preset(name: str, **changes: Any) -> ComparedPreset:
    fields: dict[str, Any] = {
        "id": name,
        "hash": f"hash-{name}",
        "family": "riichi",
        "base": 0,
        "unit": 1,
        "names": {"en": name.title()},
        "priced": False,
        "sets": 4,
        "honba_ron": 300,
        "honba_tsumo": 100,
        "honba_each": False,
    }
    return ComparedPreset(**(fields | changes))


PRESETS = [preset("reds"), preset("plain", honba_each=True), preset("strict")]
LIMITS = {5: "mangan", 6: "haneman", 7: "haneman", 13: "yakuman"}


def paid(payout: int, *, by: int | None, to: int, deposits: int = 0, dealer: int = 0) -> list[int]:
    """Payments of a ron, or of a child's self-draw of which the dealer pays half."""
    payments = [0, 0, 0, 0]
    payments[to] = payout
    owed = payout - deposits
    if by is not None:
        payments[by] = -owed
    else:
        for seat in {0, 1, 2, 3} - {to}:
            payments[seat] = -owed // 2 if seat == dealer else -owed // 4
    return payments


def score(payments: list[int], items: dict[str, int], *, fu: int | None = 30, **columns: Any) -> Row:
    han = sum(items.values())
    return {
        "legal": True,
        "outcome": "ok",
        "hand_tai": han,
        "fu": fu,
        "limit_name": LIMITS.get(han),
        "dealer_tai": 0,
        "payments": payments,
        "deposits": 0,
        "items": [{"id": item, "count": 1, "value": value} for item, value in items.items()],
        "undetermined": [],
        **columns,
    }


def no_score(outcome: str, reason: str) -> Row:
    nothing = {"hand_tai": 0, "fu": None, "limit_name": None}
    return score([0, 0, 0, 0], {}) | nothing | {"legal": False, "outcome": outcome, "reason": reason}


class Rows:
    """Collects the rows of the tables that the comparison reads."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {"games": [], "hands": [], "wins": [], "scores": []}

    def game(self, game_id: str, *, players: int = 4, family: str = "riichi") -> None:
        names = [f"tenhou:{name}" for name in ("Ann", "Bo", "Cai", "Dee")][:players]
        row = {"format": "tenhou_mjlog", "family": family, "simulated": False, "n_hands": 0, "file": "made.xml"}
        self.tables["games"].append({"game_id": game_id, "players": [*names, None][:4], **row})

    def hand(self, game_id: str, hand_no: int, *, n_wins: int = 0, honba: int = 0, dealer: int = 0) -> None:
        key = {"game_id": game_id, "hand_no": hand_no, "round_wind": 0, "dealer": dealer, "streak": honba}
        self.tables["hands"].append({**key, "result": "win" if n_wins else "exhaustive_draw", "n_wins": n_wins})

    def win(
        self,
        game_id: str,
        hand_no: int,
        *,
        winner: int,
        payer: int | None,
        scores: dict[str, Row],
        win_no: int = 0,
        honba: int = 0,
        players: int = 4,
    ) -> None:
        key = {"game_id": game_id, "hand_no": hand_no, "win_no": win_no}
        self.tables["wins"].append(
            {
                **key,
                **dict.fromkeys(["km", "kp", "ks", "kh", "m0", "m1", "m2", "m3", "m4", "win_tile", "flowers"], 0),
                **{"dealer": 0, "streak": honba, "round_wind": 0, "n_players": players},
                **{"winner": winner, "payer": payer, "win_kind": int(payer is None)},
            }
        )
        self.tables["scores"] += [
            {**key, "preset": name, "preset_hash": f"hash-{name}", **one} for name, one in scores.items()
        ]


def points_season() -> dict[str, list[Row]]:
    rows = Rows()
    rows.game("g1")
    # 0: counter 1, one deposit. 3 han 30 fu is 3,900, without the red five 2 han 30 fu 2,000.
    rows.hand("g1", 0, n_wins=1, honba=1)
    full = score(paid(5200, by=2, to=1, deposits=1000), {"riichi": 1, "dora": 1, "aka_dora": 1}, deposits=1000)
    less = score(paid(3300, by=2, to=1, deposits=1000), {"riichi": 1, "dora": 1}, deposits=1000)
    rows.win("g1", 0, winner=1, payer=2, honba=1, scores={"reds": full, "plain": less, "strict": full})
    # 1: self-draw; haneman 3,000/6,000, without two reds and ippatsu 3 han 20 fu 700/1,300 (2,700).
    rows.hand("g1", 1, n_wins=1)
    base = {"riichi": 1, "menzen_tsumo": 1, "pinfu": 1}
    full = score(paid(12_000, by=None, to=3), {**base, "ippatsu": 1, "aka_dora": 2}, fu=20)
    less = score([-1300, -700, -700, 2700], base, fu=20)
    rows.win("g1", 1, winner=3, payer=None, scores={"reds": full, "plain": less, "strict": full})
    # 2: two winners on counter 2 with two deposits; 1,000 and 2,000. reds: counters and deposits to the first.
    rows.hand("g1", 2, n_wins=2, honba=2)
    first, second = {"yakuhai_haku": 1}, {"riichi": 1, "dora": 1}
    one = score(paid(3600, by=0, to=1, deposits=2000), first, deposits=2000)
    other = score(paid(2600, by=0, to=1, deposits=1000), first, deposits=1000)
    rows.win("g1", 2, winner=1, payer=0, honba=2, scores={"reds": one, "plain": other, "strict": one})
    one = score(paid(2000, by=0, to=3), second)
    other = score(paid(3600, by=0, to=3, deposits=1000), second, deposits=1000)
    bumped = no_score("removed", "head_bump")
    rows.win("g1", 2, win_no=1, winner=3, payer=0, honba=2, scores={"reds": one, "plain": other, "strict": bumped})
    # 3: 4 han 30 fu, 7,700 or rounded up to a mangan; again in the second game.
    four = {"riichi": 1, "tanyao": 1, "dora": 2}
    up = score(paid(7700, by=2, to=1), four)
    mangan = score(paid(8000, by=2, to=1), four, limit_name="mangan")
    rows.hand("g1", 3, n_wins=1)
    rows.win("g1", 3, winner=1, payer=2, scores={"reds": up, "plain": mangan, "strict": up})
    # 4: open tanyao, 1 han 30 fu; no win without it, so in no mean.
    rows.hand("g1", 4, n_wins=1)
    tanyao = score(paid(1000, by=3, to=2), {"tanyao": 1})
    refused = no_score("no_yaku", "no_yaku")
    rows.win("g1", 4, winner=2, payer=3, scores={"reds": tanyao, "plain": refused, "strict": tanyao})
    # 5: the log lacks what strict needs, so in no mean.
    rows.hand("g1", 5, n_wins=1)
    unknown = no_score("not_rescorable", "no_ura_in_the_log")
    rows.win("g1", 5, winner=0, payer=1, scores={"reds": up, "plain": up, "strict": unknown})
    # 6: nobody wins.
    rows.hand("g1", 6)
    # 7: renhou is a yakuman under plain; dora do not count beside it.
    rows.hand("g1", 7, n_wins=1)
    two = score(paid(2000, by=3, to=1), {"yakuhai_chun": 1, "dora": 1})
    renhou = score(paid(32_000, by=3, to=1), {"renhou": 13}, fu=None)
    rows.win("g1", 7, winner=1, payer=3, scores={"reds": two, "plain": renhou, "strict": two})
    rows.game("g2")
    rows.hand("g2", 0, n_wins=1)
    rows.win("g2", 0, winner=1, payer=2, scores={"reds": up, "plain": mangan, "strict": up})
    # A table of three: no preset for four can score it.
    rows.game("g3", players=3)
    rows.hand("g3", 0, n_wins=1)
    three = no_score("not_rescorable", "other_number_of_players")
    rows.win("g3", 0, winner=1, payer=2, players=3, scores=dict.fromkeys(("reds", "plain", "strict"), three))
    return rows.tables
