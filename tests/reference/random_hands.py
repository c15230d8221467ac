"""Seeded random wins for comparing scorers: every item, every pair of interacting items, every kind of win.

Records are the wins-only objects of SPEC 1. Hands are built set by set from profiles that favour a pattern, so that
rare items come often; flags are drawn in combinations that real play can produce. A kind never occurs more than four
times.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

KIND_NAMES = [*(f"{number}{suit}" for suit in "mps" for number in range(1, 10)), *"ESWNCFP"]
ALL_CHOWS = [9 * suit + low for suit in range(3) for low in range(7)]
WINDS, DRAGONS = [27, 28, 29, 30], [31, 32, 33]
HONORS = WINDS + DRAGONS
TERMINALS = [0, 8, 9, 17, 18, 26]

Counts = list[int]
Set = tuple[str, int]  # ("chow", lowest kind) or ("pung", kind)


@dataclass(frozen=True)
class Profile:
    """Where sets and the pair come from: the chance that a set is a pung, and the kinds to choose among."""

    pung: float
    pungs: Sequence[int]
    chows: Sequence[int]
    pairs: Sequence[int] = ()


def _suit(suit: int, low: int = 0, high: int = 8) -> list[int]:
    return [9 * suit + number for number in range(low, high + 1)]


def _suit_chows(suit: int, low: int = 0, high: int = 6) -> list[int]:
    return [9 * suit + number for number in range(low, high + 1)]


def _elsewhere(suit: int, number: int) -> list[int]:
    """The same number in the two other suits."""
    return [9 * other + number for other in range(3) if other != suit]


EVERYTHING = Profile(0.25, range(34), ALL_CHOWS)
#: Each entry is one theme; its profiles are the theme in other suits or numbers.
THEMES: list[tuple[float, list[Profile]]] = [
    (14, [EVERYTHING]),
    (8, [Profile(0.4, _suit(suit) + HONORS * 2, _suit_chows(suit)) for suit in range(3)]),
    (5, [Profile(0.3, _suit(suit), _suit_chows(suit)) for suit in range(3)]),
    (8, [Profile(0.95, range(34), ALL_CHOWS)]),
    (4, [Profile(0.7, HONORS, ALL_CHOWS, range(34))]),
    (3, [Profile(1.0, HONORS, ALL_CHOWS)]),
    (4, [Profile(0.8, WINDS, ALL_CHOWS, [*WINDS, *range(34)])]),
    (4, [Profile(0.65, DRAGONS, ALL_CHOWS, [*DRAGONS, *DRAGONS, *range(27)])]),
    (3, [Profile(0.8, HONORS, _suit_chows(suit), HONORS + _suit(suit)) for suit in range(3)]),
    (10, [Profile(0.0, range(34), ALL_CHOWS)]),
    (3, [Profile(0.0, range(27), ALL_CHOWS)]),
    (4, [Profile(0.5, TERMINALS + HONORS, [9 * s + low for s in range(3) for low in (0, 6)])]),
    (2, [Profile(0.5, TERMINALS, [9 * s + low for s in range(3) for low in (0, 6)])]),
    (3, [Profile(1.0, TERMINALS + HONORS, ALL_CHOWS), Profile(1.0, TERMINALS, ALL_CHOWS)]),
    (4, [Profile(0.3, [k for k in range(27) if k % 9 not in (0, 8)], [k for k in ALL_CHOWS if k % 9 in range(1, 6)])]),
    (4, [Profile(0.1, range(34), [9 * suit + low for low in (0, 3, 6)]) for suit in range(3)]),
    (4, [Profile(0.1, range(34), [low, low + 9, low + 18], range(34)) for low in range(7)]),
    (4, [Profile(0.8, [low, low + 9, low + 18], ALL_CHOWS, range(34)) for low in range(9)]),
    # A straight beside the same chow in the two other suits.
    (
        3,
        [
            Profile(0.0, range(34), [9 * suit + part for part in (0, 3, 6)] + _elsewhere(suit, low))
            for suit in range(3)
            for low in (0, 3, 6)
        ],
    ),
    # Narrow windows of one suit split in many ways, e.g. 2223334445...
    (
        10,
        [
            Profile(0.5, _suit(suit, low, low + width), _suit_chows(suit, low, low + width - 2))
            for suit in range(3)
            for width in (3, 4, 5, 6)
            for low in range(9 - width)
        ],
    ),
    (
        5,
        [
            Profile(
                0.5,
                [*_suit(suit, low, low + 3), *_suit(other, 3, 6)],
                [9 * suit + low, 9 * suit + low + 1, 9 * other + 3],
            )
            for suit in range(3)
            for other in range(3)
            if other != suit
            for low in range(6)
        ],
    ),
]
THEME_WEIGHTS = [weight for weight, _ in THEMES]
THEME_PROFILES = [profiles for _, profiles in THEMES]

PAIR_SOURCES: list[Sequence[int]] = [
    range(34),
    range(34),
    range(18),
    range(18, 27),
    HONORS,
    _suit(0) + HONORS,
    _suit(1),
    _suit(2, 1, 7),
    TERMINALS + HONORS,
    TERMINALS,
]

STREAKS = [0, 0, 0, 0, 1, 1, 2, 3, 5, 8, 18, 19, 25]
WIN_KINDS = ["self_draw"] * 42 + ["discard"] * 42 + ["rob_kong"] * 4 + ["eight_flowers"] * 6 + ["seven_robs_one"] * 6
KONGS = ["kong_open", "kong_added", "kong_concealed"]


def _text(tiles: Sequence[int]) -> str:
    """Compact notation of sorted tiles: 123m44pEE."""
    out: list[str] = []
    suit = -1
    for kind in tiles:
        if kind >= 27:
            break
        if kind // 9 != suit:
            if suit >= 0:
                out.append("mps"[suit])
            suit = kind // 9
        out.append(str(kind % 9 + 1))
    if suit >= 0:
        out.append("mps"[suit])
    out.extend(KIND_NAMES[kind] for kind in tiles if kind >= 27)
    return "".join(out)


def _place_set(rng: random.Random, profile: Profile, counts: Counts) -> Set | None:
    for _ in range(8):
        if rng.random() < profile.pung:
            kind = rng.choice(profile.pungs)
            if counts[kind] <= 1:
                counts[kind] += 3
                return ("pung", kind)
        else:
            low = rng.choice(profile.chows)
            if counts[low] < 4 and counts[low + 1] < 4 and counts[low + 2] < 4:
                counts[low] += 1
                counts[low + 1] += 1
                counts[low + 2] += 1
                return ("chow", low)
    return None


def _standard(
    rng: random.Random, n_melds: int, *, concealed_kongs_only: bool = False
) -> tuple[list[str], list[int], Counts]:
    """Melds, concealed tiles (with the winning one) and the counts of all tiles."""
    profile = rng.choice(rng.choices(THEME_PROFILES, THEME_WEIGHTS)[0])
    while True:
        counts = [0] * 34
        sets: list[Set] = []
        while len(sets) < 5 and (placed := _place_set(rng, profile, counts)) is not None:
            sets.append(placed)
        pairs = [kind for kind in (profile.pairs or profile.pungs) if counts[kind] <= 2]
        if len(sets) == 5 and pairs:
            break
        profile = EVERYTHING
    pair = rng.choice(pairs)
    counts[pair] += 2
    melds: list[str] = []
    concealed = [pair, pair]
    # How often a triplet becomes a kong, and whether melds lean to concealed kongs, varies from hand to hand.
    kong_chance = rng.choice((0.1, 0.3, 1.0))
    kongs = rng.choice((KONGS, KONGS, ["kong_concealed"], ["kong_added", "kong_open"]))
    for index, (name, kind) in enumerate(sets):
        kong_fits = name == "pung" and counts[kind] == 3
        if concealed_kongs_only and index < n_melds and kong_fits:
            counts[kind] = 4
            melds.append(f"kong_concealed:{_text([kind] * 4)}")
        elif index >= n_melds or concealed_kongs_only:
            concealed += [kind, kind + 1, kind + 2] if name == "chow" else [kind] * 3
        elif name == "chow":
            melds.append("chow:" + _text([kind, kind + 1, kind + 2]))
        elif kong_fits and rng.random() < kong_chance:
            counts[kind] = 4
            melds.append(f"{rng.choice(kongs)}:{_text([kind] * 4)}")
        else:
            melds.append("pung:" + _text([kind] * 3))
    return melds, concealed, counts


def _eight_pairs(rng: random.Random) -> tuple[list[int], Counts]:
    source = rng.choice(PAIR_SOURCES)
    while True:
        counts = [0] * 34
        triplet = rng.choice(source)
        counts[triplet] = 3
        for _ in range(7):
            for _ in range(20):
                kind = rng.choice(source)
                if counts[kind] in (0, 2) and (counts[kind] == 0 or rng.random() < 0.5):
                    counts[kind] += 2
                    break
        if sum(counts) == 17:
            return [kind for kind in range(34) for _ in range(counts[kind])], counts


def _flowers(rng: random.Random) -> list[int]:
    amount = rng.choice((0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 7, 8))
    if amount >= 4 and rng.random() < 0.6:
        group = [1, 2, 3, 4] if rng.random() < 0.5 else [5, 6, 7, 8]
        others = [flower for flower in range(1, 9) if flower not in group]
        return sorted(group + rng.sample(others, amount - 4))
    return sorted(rng.sample(range(1, 9), amount))


def _ready(rng: random.Random, flags: dict[str, Any], *, may_be_initial: bool, chance: float) -> None:
    """A ready declaration; the initial one needs a non-dealer without an exposed meld."""
    if rng.random() >= chance:
        return
    kinds = ["first_discard", "normal"]
    if may_be_initial:
        kinds += ["initial", "initial"]
    flags["ready"] = rng.choice(kinds)
    if rng.random() < 0.3:
        flags["ready_open"] = True


def _replacement(rng: random.Random, melds: list[str], flowers: list[int], chance: float) -> str | None:
    if rng.random() >= chance:
        return None
    possible = [name for name in KONGS if any(meld.startswith(name) for meld in melds)]
    if flowers:
        possible.append("flower")
    return rng.choice(possible) if possible else None


def _flags(
    rng: random.Random, how: str, melds: list[str], flowers: list[int], *, dealer_wins: bool
) -> tuple[dict[str, Any], str | None]:
    """Flags of an ordinary win, and the opening situation that was chosen (None for the middle of the game)."""
    flags: dict[str, Any] = {}
    no_melds = not melds
    concealed = all(meld.startswith("kong_concealed") for meld in melds)
    opening: str | None = None
    if rng.random() < 0.3:
        if how == "self_draw" and no_melds:
            opening = "heavenly" if dealer_wins else "first_draw"
        elif how == "self_draw" and concealed:
            opening = "heavenly_after_kong" if dealer_wins else "first_draw_after_kong"
        elif how == "discard" and no_melds and not dealer_wins:
            opening = "before_first_draw"
    if opening in ("heavenly", "heavenly_after_kong"):
        flags[opening] = True
        flags["no_calls"] = True
        if opening == "heavenly_after_kong":
            flags["replacement"] = "kong_concealed"
        elif flowers and rng.random() < 0.4:
            flags["replacement"] = "flower"
        return flags, opening
    if opening is not None:
        flags[opening] = True
        if rng.random() < 0.7:
            flags["no_calls"] = True
        if rng.random() < 0.6:
            flags["ready"] = "initial"
            if rng.random() < 0.3:
                flags["ready_open"] = True
        if opening == "before_first_draw":
            if rng.random() < 0.8:
                flags["discarder_first_discard"] = True
        elif opening == "first_draw_after_kong":
            flags["replacement"] = "flower" if flowers and rng.random() < 0.3 else "kong_concealed"
        elif flowers and rng.random() < 0.3:
            flags["replacement"] = "flower"
        return flags, opening

    _ready(rng, flags, may_be_initial=concealed and not dealer_wins, chance=0.45 if concealed else 0.2)
    if flags.get("ready") == "first_discard" and rng.random() < 0.4:
        flags["ready_first_turn"] = True
    if how == "discard" and flags.get("ready") == "initial" and rng.random() < 0.25:
        flags["discarder_first_discard"] = True
    if how == "self_draw":
        replacement = _replacement(rng, melds, flowers, 0.35)
        if replacement is not None:
            flags["replacement"] = replacement
    if how != "rob_kong" and "ready_first_turn" not in flags and rng.random() < 0.12:
        flags["last_tile"] = True
    if rng.random() < 0.08:
        flags["miji"] = True
    return flags, None


def _spoil(rng: random.Random, concealed: list[int], counts: Counts) -> None:
    """Swap one to three tiles for others, in place; most such hands are no winning shape."""
    for _ in range(rng.randint(1, 3)):
        spot = rng.randrange(len(concealed))
        kind = rng.randrange(34)
        if counts[kind] < 4:
            counts[concealed[spot]] -= 1
            counts[kind] += 1
            concealed[spot] = kind


def _unready_hand(rng: random.Random, n_melds: int) -> tuple[list[str], list[int], Counts]:
    """A flower win may come with any tiles."""
    melds, concealed, counts = _standard(rng, n_melds)
    for _ in range(3):
        _spoil(rng, concealed, counts)
    return melds, concealed, counts


def _record(rng: random.Random, invalid: float) -> dict[str, Any]:
    how = rng.choice(WIN_KINDS)
    flower_win = how in ("eight_flowers", "seven_robs_one")
    n_melds = rng.choice((0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 5))
    style = rng.random()
    if flower_win and style < 0.4:
        melds, concealed, counts = _unready_hand(rng, n_melds)
    elif style < 0.5 and style >= 0.42:
        concealed, counts = _eight_pairs(rng)
        melds = []
    elif style >= 0.95:
        melds, concealed, counts = _standard(rng, n_melds or 3, concealed_kongs_only=True)
    else:
        melds, concealed, counts = _standard(rng, n_melds)
    if rng.random() < invalid:
        _spoil(rng, concealed, counts)

    win_tile = rng.choice(concealed)
    if how == "rob_kong":
        # The other three copies are the robbed player's pung.
        lone = [kind for kind in concealed if counts[kind] == 1]
        if lone:
            win_tile = rng.choice(lone)
        else:
            how = "discard"
    concealed.remove(win_tile)
    concealed.sort()

    winner = rng.randrange(4)
    dealer = winner if rng.random() < 0.3 else rng.randrange(4)
    others = [seat for seat in range(4) if seat != winner]
    flowers = list(range(1, 9)) if flower_win else _flowers(rng)
    payer = None if how in ("self_draw", "eight_flowers") else rng.choice(others)
    opening: str | None
    if flower_win:
        opening = None
        flags = _flower_win_flags(rng, how, melds, dealer_wins=dealer == winner)
    else:
        flags, opening = _flags(rng, how, melds, flowers, dealer_wins=dealer == winner)
        if len(flowers) == 8:
            flags["declined_eight"] = True
    record: dict[str, Any] = {
        "dealer": dealer,
        "streak": rng.choice(STREAKS),
        "round": rng.choice("ESWN"),
        "winner": winner,
        "win": how,
        "from": payer,
        "melds": melds,
        "hand": _text(concealed),
        "win_tile": KIND_NAMES[win_tile],
        "flowers": flowers,
        "flags": flags,
        "door": dealer if rng.random() < 0.4 else rng.randrange(4),
    }
    if opening is None and rng.random() < 0.08:
        record["eye_players"] = sorted(rng.sample(others, rng.randint(1, 3)))
    if rng.random() < 0.05:
        record["liable"] = rng.choice(others)
    return record


def _flower_win_flags(rng: random.Random, how: str, melds: list[str], *, dealer_wins: bool) -> dict[str, Any]:
    flags: dict[str, Any] = {}
    concealed = all(meld.startswith("kong_concealed") for meld in melds)
    if how == "seven_robs_one":
        flags["mode"] = rng.choice(("already7", "six_plus_one"))
        flags["robbed_flower"] = rng.randint(1, 8)
    if not melds and rng.random() < 0.3:
        flags["initial_flowers"] = True
        return flags
    if rng.random() < 0.6:
        flags["replacement"] = "flower"
    own_draw = how == "eight_flowers" or flags["mode"] == "six_plus_one"
    if own_draw and not melds and not dealer_wins and rng.random() < 0.2:
        flags["first_draw"] = True
        flags["no_calls"] = True
        if rng.random() < 0.6:
            flags["ready"] = "initial"
        return flags
    _ready(rng, flags, may_be_initial=concealed and not dealer_wins, chance=0.3)
    if own_draw and flags.get("ready") == "first_discard" and rng.random() < 0.4:
        flags["ready_first_turn"] = True
    elif rng.random() < 0.1:
        flags["last_tile"] = True
    if rng.random() < 0.05:
        flags["miji"] = True
    return flags


def random_records(n: int, seed: int, *, invalid: float = 0.03) -> Iterator[dict[str, Any]]:
    """`n` records, the same for the same seed; about `invalid` of the hands have tiles swapped at random."""
    rng = random.Random(seed)
    for _ in range(n):
        yield _record(rng, invalid)


def random_options(n: int, seed: int) -> Iterator[dict[str, object]]:
    """`n` sets of preset switches (the names of `taiwan.score`), each changing one to four of them."""
    rng = random.Random(seed)
    choices: dict[str, list[object]] = {
        "la_zhuang": [True, False],
        "dealer_streak_cap": [None, 0, 2, 9, 18],
        "seat_wind_ref": ["dealer", "door"],
        "pinghu_mode": ["shape", "strict"],
        "single_wait_mode": ["kinds", "shape"],
        "single_wait_with_fully_melded": [True, False],
        "flower_kong_mode": ["add", "replace"],
        "implied_policy": ["highest_only", "app_style"],
        "little_four_winds_keeps_winds": [True, False],
        "eight_pairs_half": [True, False],
        "dragon_round_bonus": [True, False],
        "eye_penalty": [0, 1, 2],
        "min_tai": [0, 1, 3, 5],
        "tai_cap": [None, 8, 16, 24],
    }
    names = list(choices)
    for _ in range(n):
        yield {name: rng.choice(choices[name]) for name in rng.sample(names, rng.randint(1, 4))}
