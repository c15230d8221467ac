"""A season of simulated games as paipu JSONL objects: who meets when, the rounds of a game, and its scores.

Game k of a seed depends on nothing but the seed, k and the players: games may be played in any order or process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

import msgspec

from ingest.errors import UsageError
from ingest.formats.paipu_play import convert_hand, play
from ingest.record import Row
from ingest.simulate.hand import TILES, USUAL_HOUSE, FinishedHand, HouseRules, play_hand, shuffled
from ingest.simulate.styles import Player, roster

FIRST_EVENING: Final = datetime(2026, 1, 10, 14, 0)
SITTINGS: Final = (0, 270)
"""Minutes after the start of a club day at which its games begin."""
VENUE: Final = "Simulated club"
VERSION: Final = 1


class Recorded(msgspec.Struct, frozen=True):
    """What a table writes down for a win: hand tai, items that paid (id to tai) and the payments by seat, sum zero."""

    tai: int
    items: dict[str, int]
    payments: Sequence[int]


Settle = Callable[[Sequence[Row]], Sequence[Recorded]]
"""Scores the wins of one game: rows of `wins` (without game_id, hand_no) to one Recorded each."""


def simulate(
    games: int,
    seed: int | str,
    *,
    rounds: int = 4,
    players: int | Sequence[Player] = 8,
    settle: Settle | None = None,
    rules: str = "tw_general",
    stake: tuple[int, int] = (100, 20),
    house: HouseRules = USUAL_HOUSE,
    first: int = 0,
) -> Iterator[dict[str, Any]]:
    """Play games `first` to `first + games - 1` of the season `seed` and yield each as a full-play paipu game.

    rounds: wind rounds per game, 1 to 4. players: the first n of the standing roster, or the players themselves.
    settle: scores the wins; then each win's score, the scores before each hand and the final scores are recorded.
    rules, stake: written into the games (preset id; money for the base and per tai). house: what wins at this
    table. Raises UsageError for counts that make no season.
    """
    if not 1 <= rounds <= 4:
        raise UsageError(f"a game has 1 to 4 wind rounds, not {rounds}")
    people = roster(players) if isinstance(players, int) else tuple(players)
    if not 4 <= len(people) <= 1000:
        raise UsageError(f"a season needs 4 to 1000 players, not {len(people)}")
    if not 1 <= len(str(seed)) <= 64 or not str(seed).isprintable():
        raise UsageError("a seed is 1 to 64 printable characters")
    if games < 0 or first < 0:
        raise UsageError(f"cannot play {games} games from game {first}; both numbers are 0 or more")
    series = _series(seed, rounds=rounds, people=people, rules=rules, house=house)
    for number in range(first, first + games):
        yield _game(
            number,
            seed=seed,
            series=series,
            rounds=rounds,
            people=people,
            settle=settle,
            rules=rules,
            stake=stake,
            house=house,
        )


def _series(seed: int | str, *, rounds: int, people: Sequence[Player], rules: str, house: HouseRules) -> str:
    """Name of a season: the seed, and a digest of settings that are not as usual: two seasons share no game id."""
    settings = (rounds, people, rules, house)
    if settings == (4, roster(8), "tw_general", USUAL_HOUSE):
        return f"sim-{seed}"
    return f"sim-{seed}-{hashlib.blake2b(msgspec.json.encode(settings), digest_size=3).hexdigest()}"


def _seating(seed: int | str, number: int, people: Sequence[Player]) -> tuple[list[Player], int, datetime]:
    """Players by seat, table number and start of a game: weekly club days, everybody drawn anew for each sitting."""
    tables = len(people) // 4
    sitting, table = divmod(number, tables)
    week, part = divmod(sitting, len(SITTINGS))
    drawn = shuffled(people, Random(f"paipu-seating:{seed}:{sitting}"))
    return (
        drawn[4 * table : 4 * table + 4],
        table + 1,
        FIRST_EVENING + timedelta(weeks=week, minutes=SITTINGS[part]),
    )


def _game(
    number: int,
    *,
    seed: int | str,
    series: str,
    rounds: int,
    people: Sequence[Player],
    settle: Settle | None,
    rules: str,
    stake: tuple[int, int],
    house: HouseRules,
) -> dict[str, Any]:
    seats, table, started_at = _seating(seed, number, people)
    rng = Random(f"paipu-game:{seed}:{number}")
    hands = list(_hands(rng, seats, rounds=rounds, house=house))
    game: dict[str, Any] = {
        "format": "paipu",
        "version": VERSION,
        "id": f"{series}-{number + 1:04d}",
        "rules": rules,
        "simulated": True,
        "started_at": started_at.isoformat(),
        "venue": VENUE,
        "room": None,
        "table": str(table),
        "players": [player.name for player in seats],
        "stake": {"base": stake[0], "unit": stake[1]},
    }
    if settle is not None:
        game["final_scores"] = _record_scores(hands, settle)
    game["hands"] = [hand.json for hand in hands]
    return game


def _hands(rng: Random, seats: Sequence[Player], *, rounds: int, house: HouseRules) -> Iterator[FinishedHand]:
    """Hands until the deal has gone round `rounds` times; a win of the dealer or a drawn hand keeps it (SPEC 2.8)."""
    streak = dealership = 0
    while dealership < 4 * rounds:
        dealer = dealership % 4
        dice = sum(1 + int(rng.random() * 6) for _ in range(3))
        hand = play_hand(
            shuffled(TILES, rng),
            players=seats,
            rng=rng,
            dealer=dealer,
            door=(dealer + dice - 1) % 4,
            round_wind=dealership // 4,
            streak=streak,
            house=house,
        )
        yield hand
        if hand.winner in (None, dealer):
            streak += 1
        else:
            streak = 0
            dealership += 1


def _record_scores(hands: Iterable[FinishedHand], settle: Settle) -> list[int]:
    """Write recorded scores into the hands; the final scores."""
    played = [(hand, play(convert_hand(hand.json)).end.wins) for hand in hands]
    recorded = iter(settle([win for _, wins in played for win in wins]))
    scores = [0, 0, 0, 0]
    for hand, wins in played:
        deltas = [0, 0, 0, 0]
        for _ in wins:
            score = next(recorded)
            deltas = [a + b for a, b in zip(deltas, score.payments, strict=True)]
            note = {"tai": score.tai, "items": dict(score.items), "payments": list(score.payments)}
            event = hand.json["events"][-1]
            if event[0] == "flower_win" and len(event) == 4:
                event[3] = {**event[3], **note}
            else:
                event.append(note)
        hand.json["scores_before"] = scores
        hand.json["deltas"] = deltas
        scores = [a + b for a, b in zip(scores, deltas, strict=True)]
    return scores
