"""What is not counted beside what (SPEC 2.4)."""

from tests.reference.rules import Rules


def removals(rules: Rules) -> dict[str, set[str]]:
    """Counted item -> items that it removes."""
    app_style = rules.implied_policy == "app_style"
    luohan = rules.family == "luohan"
    own_winds = {"seat_wind_pung", "round_wind_pung"}
    table: dict[str, set[str]] = {
        "five_concealed_pungs": {"four_concealed_pungs", "three_concealed_pungs"},
        "four_concealed_pungs": {"three_concealed_pungs"},
        "all_honors": set(),
        "big_four_winds": {"little_four_winds", *own_winds},
        "little_four_winds": set(),
        "big_three_dragons": {"dragon_pung"},
        "little_three_dragons": {"dragon_pung"},
        "heavenly_hand": {"concealed_hand", "concealed_self_draw_bonus", "single_wait"},
        "earthly_hand": {"concealed_hand"},
        "human_hand": {"concealed_hand"},
        "eight_pairs_half": {"concealed_hand"},
        "eight_flowers_held": {"seat_flower", "flower_kong"},
        "all_terminals": {"terminals_and_honors", "pure_outside", "mixed_outside", "all_pungs", "three_suit_pungs"},
        "terminals_and_honors": {"mixed_outside", "all_pungs"},
        "pure_outside": {"mixed_outside"},
    }
    if luohan:
        table["earthly_hand"] |= {"heavenly_ready", "earthly_ready"}
        table["human_hand"] |= {"heavenly_ready", "earthly_ready"}
        table["earthly_ready_first_turn"] = {"concealed_hand", "earthly_ready"}
        table["heavenly_ready"] = {"concealed_hand"}
        table["earthly_ready"] = {"concealed_hand"}
    else:
        table["earthly_hand"].add("concealed_self_draw_bonus")
        if not app_style:
            table["earthly_hand"].add("self_draw")
    if not app_style:
        table["five_concealed_pungs"] |= {"all_pungs", "concealed_hand"}
        table["all_honors"].add("all_pungs")
        table["heavenly_hand"].add("self_draw")
        table["big_four_winds"].add("any_wind_pung")
        table["little_four_winds"].add("any_wind_pung")
    if app_style or not rules.little_four_winds_keeps_winds:
        table["little_four_winds"] |= own_winds
    if not rules.single_wait_with_fully_melded:
        table["fully_melded"] = {"single_wait"}
    return table
