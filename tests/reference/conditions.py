"""Which items a win satisfies, counted but not yet valued (SPEC 2.3 and the condition columns of SPEC 3)."""

from collections import Counter

from tests.reference.rules import Rules
from tests.reference.splits import Part, Reading
from tests.reference.win import Win

FIRST_WIND, FIRST_DRAGON = 27, 31
SEASONS, PLANTS = {1, 2, 3, 4}, {5, 6, 7, 8}


def flower_items(win: Win, rules: Rules, flowers: list[int]) -> Counter[str]:
    """Items for the flowers held, before values (SPEC 2.4, 2.7, A21, A23)."""
    held = set(flowers)
    own = {win.seat_wind(rules) + 1, win.seat_wind(rules) + 5}
    found: Counter[str] = Counter()
    if rules.family == "luohan" and len(held) == 8:
        found["eight_flowers_held"] = 1
        return found
    full_sets = [group for group in (SEASONS, PLANTS) if group <= held]
    found["flower_kong"] = len(full_sets)
    found["any_flower"] = len(held)
    paying = own & held
    if rules.flower_kong_mode == "replace":
        for group in full_sets:
            paying -= group
    found["seat_flower"] = len(paying)
    return found


def circumstance_items(win: Win, rules: Rules) -> Counter[str]:
    """Items that depend on how the hand was won and declared, not on the split of the tiles."""
    found: Counter[str] = Counter()
    flag = win.flag
    is_dealer = win.winner == win.dealer
    discarded = win.how == "discard"
    ready = win.flags.get("ready")

    found["self_draw"] = win.self_drawn
    found["concealed_hand"] = win.concealed
    found["concealed_self_draw_bonus"] = win.concealed and win.self_drawn
    found["fully_melded"] = win.all_melded and win.from_other
    found["half_melded"] = win.all_melded and win.self_drawn
    found["robbing_kong"] = win.how == "rob_kong"
    found["last_tile_draw"] = win.self_drawn and flag("last_tile")
    found["last_discard_win"] = discarded and flag("last_tile")
    found["miji"] = flag("miji")
    found["declared_ready"] = bool(ready)
    found["open_ready"] = bool(ready) and flag("ready_open")

    if win.is_flower_win:
        found["kong_bloom"] = True
    else:
        blooming = {"flower", "kong_added", "kong_concealed"}
        if rules.family == "game":
            blooming.add("kong_open")
        found["kong_bloom"] = win.self_drawn and win.flags.get("replacement") in blooming

    after_kong_counts = rules.preset == "tw_luohan_v2"
    found["heavenly_hand"] = (
        is_dealer and win.self_drawn and (flag("heavenly") or (after_kong_counts and flag("heavenly_after_kong")))
    )
    if rules.family == "luohan":
        heavenly_ready = not is_dealer and ready == "initial"
        earthly_ready = ready == "first_discard" and win.concealed
        found["heavenly_ready"] = heavenly_ready
        found["earthly_ready"] = earthly_ready
        first_draw = flag("first_draw") or (after_kong_counts and flag("first_draw_after_kong"))
        on_first_draw = heavenly_ready and win.self_drawn and first_draw
        on_first_discard = heavenly_ready and discarded and flag("discarder_first_discard")
        on_first_turn = earthly_ready and flag("ready_first_turn")
        if rules.preset == "tw_luohan_v1":
            found["earthly_hand"] = on_first_draw or on_first_discard
            found["human_hand"] = on_first_turn
        else:
            found["earthly_hand"] = on_first_draw
            found["human_hand"] = on_first_discard
            found["earthly_ready_first_turn"] = on_first_turn
    else:
        undisturbed = not is_dealer and win.concealed and flag("no_calls")
        found["earthly_hand"] = undisturbed and win.self_drawn and flag("first_draw")
        found["human_hand"] = undisturbed and discarded and flag("before_first_draw")
    return found


def _single_wait(win: Win, rules: Rules, reading: Reading) -> bool:
    if reading.form == "eight_pairs" and rules.preset == "tw_luohan_v1":
        return False
    if rules.single_wait_mode == "kinds":
        return len(win.waits(rules)) == 1
    name, low = reading.won_part
    if name == "chow":
        number = low % 9
        middle = win.win_tile == low + 1
        edge = (number == 0 and win.win_tile == low + 2) or (number == 6 and win.win_tile == low)
        return middle or edge
    return name == "pair"


def _three_suits(lows: list[int]) -> bool:
    """The same number in all three suits."""
    return any({number, number + 9, number + 18} <= set(lows) for number in range(9))


def _is_terminal(kind: int) -> bool:
    return kind < 27 and kind % 9 in (0, 8)


def _is_outside(part: Part) -> bool:
    """Holds a terminal or an honor."""
    name, low = part
    if name == "chow":
        return low % 9 in (0, 6)
    return low >= 27 or _is_terminal(low)


def tile_items(win: Win, rules: Rules, reading: Reading) -> Counter[str]:
    """Items that depend on the tiles and on the chosen reading of them."""
    found: Counter[str] = Counter()
    standard = reading.form == "standard"
    melded: list[Part] = [("chow" if meld.name == "chow" else "pung", meld.kind) for meld in win.melds]
    parts = [*melded, *reading.parts]
    chows = [kind for name, kind in parts if name == "chow"]
    pungs = [kind for name, kind in parts if name == "pung"]
    pairs = [kind for name, kind in parts if name == "pair"]

    # Tiles as a whole.
    tiles = win.all_tiles
    honors = any(kind >= FIRST_WIND for kind in tiles)
    suits = {kind // 9 for kind in tiles if kind < FIRST_WIND}
    terminals = any(_is_terminal(kind) for kind in tiles)
    found["half_flush"] = len(suits) == 1 and honors
    found["full_flush"] = len(suits) == 1 and not honors
    found["all_honors"] = not suits
    found["no_honors_no_flowers"] = not honors and not win.flowers
    found["all_simples"] = not honors and not terminals
    if all(kind >= FIRST_WIND or _is_terminal(kind) for kind in tiles):
        found["all_terminals"] = not honors
        found["terminals_and_honors"] = honors and terminals

    # Sets.
    winds = [kind for kind in pungs if FIRST_WIND <= kind < FIRST_DRAGON]
    dragons = [kind for kind in pungs if kind >= FIRST_DRAGON]
    found["seat_wind_pung"] = FIRST_WIND + win.seat_wind(rules) in winds
    found["round_wind_pung"] = FIRST_WIND + win.round in winds
    found["any_wind_pung"] = len(winds)
    found["dragon_pung"] = len(dragons)
    # East -> red, South -> green, West -> white, North -> none (A12).
    found["dragon_round_bonus"] = win.round < 3 and FIRST_DRAGON + win.round in dragons
    found["exposed_kong"] = sum(meld.name in {"kong_open", "kong_added"} for meld in win.melds)
    found["concealed_kong"] = sum(meld.name == "kong_concealed" for meld in win.melds)
    found["straight"] = any({9 * suit, 9 * suit + 3, 9 * suit + 6} <= set(chows) for suit in range(3))
    found["three_suit_chows"] = _three_suits(chows)
    found["three_suit_pungs"] = _three_suits([kind for kind in pungs if kind < FIRST_WIND])
    if chows and all(_is_outside(part) for part in parts):
        found["pure_outside"] = not honors
        found["mixed_outside"] = honors

    found["single_wait"] = _single_wait(win, rules, reading)
    if not standard:
        found["eight_pairs_half"] = 1
        return found

    pair = pairs[0]
    found["all_honors_overlap"] = found["all_honors"]
    found["all_pungs"] = not chows
    if not pungs:
        strict = not honors and not win.flowers and not win.self_drawn and len(win.waits(rules)) >= 2
        found["pinghu"] = rules.pinghu_mode == "shape" or strict
    found["big_three_dragons"] = len(dragons) == 3
    found["little_three_dragons"] = len(dragons) == 2 and pair >= FIRST_DRAGON
    found["big_four_winds"] = len(winds) == 4
    found["little_four_winds"] = len(winds) == 3 and FIRST_WIND <= pair < FIRST_DRAGON

    concealed = sum(meld.name == "kong_concealed" for meld in win.melds)
    concealed += sum(name == "pung" for name, _ in reading.parts)
    if win.from_other and reading.won_part[0] == "pung":
        concealed -= 1
    for count, item in ((3, "three"), (4, "four"), (5, "five")):
        found[f"{item}_concealed_pungs"] = concealed == count
    return found
