"""THE contract: the Arrow schemas of the store, with a description per column.

Readers (ingest/formats) fill rows of these tables, the scorer (analysis) reads `wins` and writes `scores`, the
warehouse copies the descriptions into COMMENT ON. Null means "the log does not say", never a guessed false.
Seats are 0..3 in turn order; winds are 0..3 = E S W N.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
import pyarrow as pa

SCHEMA_VERSION: Final = 2
"""Raised whenever a column changes its meaning; the store refuses parts of another version."""

Row = dict[str, Any]

WIN_KINDS: Final = ("discard", "self_draw", "rob_kong", "eight_flowers", "seven_robs_one")
REPLACEMENTS: Final = ("none", "flower", "kong_added", "kong_concealed", "kong_open", "kita")
READY: Final = ("none", "initial", "first_discard", "normal")
RIICHI: Final = ("none", "riichi", "double_riichi")
ROBBED: Final = ("kong_added", "kong_concealed", "kita")
DORA: Final = tuple(f"dora{i}" for i in range(1, 6))
URA: Final = tuple(f"ura{i}" for i in range(1, 6))
FLOWER_MODES: Final = ("none", "already7", "six_plus_one")
OUTCOMES: Final = ("discard_win", "self_draw", "deal_in", "drawn_against", "bystander", "draw")


def _field(name: str, kind: Any, description: str, *, null: bool = False) -> Any:
    return pa.field(name, kind, nullable=null, metadata={"description": description})


_SEATS_MONEY = pa.list_(pa.field("item", pa.int64(), nullable=False), 4)
ITEMS_TYPE = pa.list_(
    pa.struct(
        [
            pa.field("id", pa.string(), nullable=False),
            pa.field("count", pa.int16(), nullable=False),
            pa.field("value", pa.int16(), nullable=False),
        ]
    )
)
"""Items that paid: id, count, and value = tai of all copies together."""

_KEYS = [
    _field("game_id", pa.string(), "Game this row belongs to (games.game_id)"),
    _field("hand_no", pa.int32(), "Number of the hand in its game, from 0"),
]

GAMES = pa.schema(
    [
        _field("game_id", pa.string(), "Hash of source and log id, or of the content"),
        _field("format", pa.string(), "Format the game was read from (paipu formats)"),
        _field("log_id", pa.string(), "Id of the game in its source", null=True),
        _field("family", pa.string(), "Rule family: taiwan, mcr, riichi …"),
        _field("declared", pa.string(), "Preset the log says it was played by", null=True),
        _field("declared_options", pa.string(), "Rule options of the log as JSON, in the log's own words", null=True),
        _field("simulated", pa.bool_(), "True if the game was played by programs, not people", null=True),
        _field("started_at", pa.timestamp("ms"), "Start of the game, local time of the log", null=True),
        _field("venue", pa.string(), "Club or platform", null=True),
        _field("room", pa.string(), "Room", null=True),
        _field("table_name", pa.string(), "Table", null=True),
        _field("players", pa.list_(pa.field("item", pa.string()), 4), "Player of each seat, 'source:account or name'"),
        _field("base", pa.int32(), "Recorded base (底)", null=True),
        _field("unit", pa.int32(), "Recorded money per tai (台)", null=True),
        _field("n_hands", pa.int32(), "Hands of this game in the store"),
        _field("final_scores", _SEATS_MONEY, "Final scores by seat as recorded", null=True),
        _field(
            "final_points",
            pa.list_(pa.field("item", pa.float64()), 4),
            "Final points by seat, uma included, as recorded",
            null=True,
        ),
        _field("file", pa.string(), "File the game was read from"),
    ]
)

HANDS = pa.schema(
    [
        *_KEYS,
        _field("round_wind", pa.uint8(), "Round wind (圈風), 0..3 = E S W N"),
        _field("dealer", pa.uint8(), "Dealer's seat (莊)"),
        _field("door", pa.uint8(), "Seat where the wall was opened (開門)", null=True),
        _field("streak", pa.uint16(), "Consecutive extra deals of the dealer (連N), in riichi the honba"),
        _field("sticks", pa.uint16(), "Deposits on the table before the hand (riichi)", null=True),
        _field("sticks_after", pa.uint16(), "Deposits on the table after the hand (riichi)", null=True),
        _field("result", pa.string(), "win, exhaustive_draw or abortive_draw"),
        _field("draw_kind", pa.string(), "Reason of an abortive draw", null=True),
        _field("n_wins", pa.uint8(), "Winners of the hand"),
        _field(
            "deltas",
            _SEATS_MONEY,
            "Change of scores by seat as recorded; what does not sum to zero went to or came from the deposits",
            null=True,
        ),
        _field("scores_before", _SEATS_MONEY, "Recorded scores by seat before the hand", null=True),
        _field(
            "wall_left",
            pa.uint8(),
            "Tiles left in the wall at the end, with the dead wall; in riichi without it",
            null=True,
        ),
        _field("dealer_kept", pa.bool_(), "The dealer keeps the deal after this hand", null=True),
        _field("nagashi", pa.uint8(), "Seats with nagashi mangan, bit = seat (riichi)", null=True),
    ]
)

SEATS = pa.schema(
    [
        *_KEYS,
        _field("seat", pa.uint8(), "Seat"),
        _field("player", pa.string(), "Player, 'source:account or name'", null=True),
        _field("seat_wind", pa.uint8(), "Seat wind counted from the dealer, 0..3 = E S W N"),
        _field("is_dealer", pa.bool_(), "Dealer of the hand"),
        _field("delta", pa.int64(), "Recorded payment of the hand", null=True),
        _field("outcome", pa.string(), "discard_win, self_draw, deal_in, drawn_against, bystander or draw"),
        _field("exposed_melds", pa.uint8(), "Exposed melds at the end (a concealed kong is not exposed)", null=True),
        _field("flowers", pa.uint8(), "Flowers at the end, bit i = f(i+1)", null=True),
        _field("ready", pa.uint8(), "Declared ready: 0 none, 1 initial, 2 first_discard, 3 normal", null=True),
        _field("ready_turn", pa.uint8(), "Own discards before the declaration", null=True),
        _field("tenpai_at_draw", pa.bool_(), "Was ready when the hand ended in a draw", null=True),
        _field("discards", pa.uint8(), "Discards made", null=True),
        _field("riichi", pa.uint8(), "0 none, 1 riichi, 2 double riichi", null=True),
    ]
)

_KEY_TEXT = "decimal count key of the concealed tiles, winning tile included: digit j = copies of tile j+1, units first"

WINS = pa.schema(
    [
        *_KEYS,
        _field("win_no", pa.uint8(), "Number of the winner in this hand, from 0 in turn order after the payer"),
        _field("km", pa.uint32(), f"Characters, {_KEY_TEXT}"),
        _field("kp", pa.uint32(), f"Dots, {_KEY_TEXT}"),
        _field("ks", pa.uint32(), f"Bamboos, {_KEY_TEXT}"),
        _field("kh", pa.uint32(), f"Honours E S W N C F P, {_KEY_TEXT}"),
        *[
            _field(f"m{i}", pa.uint8(), f"Meld {i + 1} as a code (ingest/melds.py), 0 none, packed to the front")
            for i in range(5)
        ],
        _field("win_tile", pa.uint8(), "Kind of the winning tile, 0..33"),
        _field("flowers", pa.uint8(), "Flowers of the winner, bit i = f(i+1)"),
        _field("winner", pa.uint8(), "Winner's seat"),
        _field("payer", pa.uint8(), "Discarder, robbed player; null when all others pay", null=True),
        _field("win_kind", pa.uint8(), "0 discard, 1 self_draw, 2 rob_kong, 3 eight_flowers, 4 seven_robs_one"),
        _field("dealer", pa.uint8(), "Dealer's seat (莊)"),
        _field("door", pa.uint8(), "Seat where the wall was opened (開門)", null=True),
        _field("streak", pa.uint16(), "Consecutive extra deals of the dealer (連N), in riichi the honba"),
        _field("round_wind", pa.uint8(), "Round wind (圈風), 0..3 = E S W N"),
        _field(
            "replacement",
            pa.uint8(),
            "The winning tile replaced: 0 nothing, 1 flower, 2 added kong, 3 concealed kong, 4 open kong, 5 kita",
            null=True,
        ),
        _field("last_tile", pa.bool_(), "Won on the last drawable tile, or on the discard after it", null=True),
        _field(
            "ready", pa.uint8(), "Declared ready: 0 none, 1 initial (天聽), 2 first_discard (地聽), 3 normal", null=True
        ),
        _field("ready_open", pa.bool_(), "Declared ready with the tiles shown", null=True),
        _field(
            "ready_first_turn",
            pa.bool_(),
            "Won on a player's first discard after the declaration, or on the own next draw",
            null=True,
        ),
        _field("heavenly", pa.bool_(), "Dealer won with the dealt tiles", null=True),
        _field(
            "heavenly_after_kong", pa.bool_(), "As heavenly, after concealed kongs before the first discard", null=True
        ),
        _field("first_draw", pa.bool_(), "Self-drawn on the own first draw", null=True),
        _field("first_draw_after_kong", pa.bool_(), "As first_draw, after concealed kongs", null=True),
        _field("before_first_draw", pa.bool_(), "Won on a discard before the own first draw", null=True),
        _field("discarder_first_discard", pa.bool_(), "The discard was the payer's first", null=True),
        _field("no_calls", pa.bool_(), "No chow, pung or kong by anyone before", null=True),
        _field("miji", pa.bool_(), "Miji (咪幾) was declared by the winner", null=True),
        _field("flower_mode", pa.uint8(), "Seven robs one: 0 none, 1 already7, 2 six_plus_one", null=True),
        _field("robbed_flower", pa.uint8(), "Seven robs one: the robbed flower, 1..8", null=True),
        _field("initial_flowers", pa.bool_(), "The flower win came from the deal (配牌花胡)", null=True),
        _field("declined_eight", pa.bool_(), "Held eight flowers and did not call the flower win", null=True),
        _field("eye_players", pa.uint8(), "Seats that declared 眼牌, bit = seat", null=True),
        _field("liable", pa.uint8(), "Seat that pays for the others (包賠)", null=True),
        _field("n_players", pa.uint8(), "Players at the table; null is four", null=True),
        _field("n_winners", pa.uint8(), "Winners of this hand", null=True),
        _field("riichi", pa.uint8(), "0 none, 1 riichi, 2 double riichi", null=True),
        _field("ippatsu", pa.bool_(), "Within one uninterrupted turn of riichi", null=True),
        _field("payer_in_riichi", pa.bool_(), "The payer was in riichi", null=True),
        _field("declaration_tile", pa.bool_(), "Won on the payer's riichi declaration tile", null=True),
        _field("discard_after_kong", pa.bool_(), "Won on the discard right after a kong of the payer", null=True),
        _field(
            "dealer_wins",
            pa.uint8(),
            "Hands in a row that the dealer has won, this one included; 0 if the dealer did not win it",
            null=True,
        ),
        _field("robbed", pa.uint8(), "Win by robbing: 0 added kong, 1 concealed kong, 2 kita", null=True),
        *[
            _field(name, pa.uint8(), f"Kind of dora indicator {i}; null where none was turned", null=True)
            for i, name in enumerate(DORA, 1)
        ],
        *[
            _field(name, pa.uint8(), f"Kind of the ura indicator under dora indicator {i}", null=True)
            for i, name in enumerate(URA, 1)
        ],
        _field(
            "reds",
            pa.uint8(),
            "Red fives of the hand: characters + 4 x dots + 16 x bamboos; null if the set has none",
            null=True,
        ),
        _field("norths", pa.uint8(), "Extracted norths (kita)", null=True),
        _field("sticks", pa.uint16(), "Deposits on the table when the hand was won", null=True),
        _field("own_stick", pa.bool_(), "One of them is the winner's own of this hand", null=True),
        _field("winners_sticks", pa.uint8(), "How many of them all winners of this hand made in it", null=True),
        _field("liable_dragons", pa.uint8(), "Seat liable for big three dragons (包)", null=True),
        _field("liable_winds", pa.uint8(), "Seat liable for big four winds (包)", null=True),
        _field("liable_kongs", pa.uint8(), "Seat liable for four kongs (包)", null=True),
        _field("kong_feeder", pa.uint8(), "Feeder of the open kong whose replacement tile won", null=True),
        _field("recorded_tai", pa.int32(), "Tai, fan or han as the log says it, without dealer tai", null=True),
        _field("recorded_fu", pa.int16(), "Fu as the log says it (riichi)", null=True),
        _field(
            "recorded_points",
            pa.int32(),
            "Points of the hand as the log says it, without honba and deposits",
            null=True,
        ),
        _field("recorded_items", pa.string(), "Items as the log says them, JSON of name → tai or count", null=True),
        _field(
            "recorded_payments",
            _SEATS_MONEY,
            "Payments of this win by seat as the log says them, deposits included",
            null=True,
        ),
    ]
)

REJECTS = pa.schema(
    [
        _field("file", pa.string(), "File"),
        _field("format", pa.string(), "Format it was read as", null=True),
        _field("log_id", pa.string(), "Game in the file, where known", null=True),
        _field("position", pa.int64(), "Line, row or member number in the file, from 1", null=True),
        _field("hand_no", pa.int32(), "Hand, from 0", null=True),
        _field("event_no", pa.int32(), "Event in the hand, from 0", null=True),
        _field("code", pa.string(), "Short name of the problem"),
        _field("message", pa.string(), "What is wrong and what to do, one sentence"),
    ]
)

SCORES = pa.schema(
    [
        *_KEYS,
        _field("win_no", pa.uint8(), "Number of the winner in this hand (wins.win_no)"),
        _field("preset", pa.string(), "Preset id"),
        _field("preset_hash", pa.string(), "Content hash of the preset's rules"),
        _field("legal", pa.bool_(), "A win under this preset"),
        _field("outcome", pa.string(), "ok, no_win, no_yaku, removed, not_rescorable or approximate (docs/scoring.md)"),
        _field("reason", pa.string(), "Why it is not a win", null=True),
        _field(
            "hand_tai", pa.int32(), "Tai, fan or han of the hand, without dealer tai, after the cap; 0 when not legal"
        ),
        _field("fu", pa.int16(), "Fu (riichi)", null=True),
        _field("limit_name", pa.string(), "Limit: mangan, haneman, baiman, sanbaiman, yakuman (riichi)", null=True),
        _field("dealer_tai", pa.int32(), "Largest dealer tai among the payers"),
        _field("payments", _SEATS_MONEY, "Payment by seat in the preset's money; their sum is the deposits won"),
        _field("deposits", pa.int32(), "Money from deposits on the table (riichi), else 0"),
        _field("items", ITEMS_TYPE, "Items that paid: id, count, value = tai of all copies"),
        _field("undetermined", pa.list_(pa.string()), "Items that a fact missing in the log could add"),
    ]
)

SCHEMAS: Final[dict[str, Any]] = {
    "games": GAMES,
    "hands": HANDS,
    "seats": SEATS,
    "wins": WINS,
    "rejects": REJECTS,
    "scores": SCORES,
}


class GameRows(msgspec.Struct):
    """What a reader yields for one game: rows for the tables. Keys left out of a row are null.

    A hand that cannot be kept is a row in `rejects` and has no rows elsewhere.
    """

    game: Row
    hands: list[Row] = msgspec.field(default_factory=list)
    seats: list[Row] = msgspec.field(default_factory=list)
    wins: list[Row] = msgspec.field(default_factory=list)
    rejects: list[Row] = msgspec.field(default_factory=list)


_STRUCTS: Final[dict[str, Any]] = {name: pa.struct(list(schema)) for name, schema in SCHEMAS.items()}


def to_table(name: str, rows: list[Row]) -> Any:
    """Arrow table of the named schema from rows; missing keys become null."""
    # One conversion of whole rows: a log of ten hands is a few rows in a hundred columns.
    return pa.Table.from_arrays(pa.array(rows, type=_STRUCTS[name]).flatten(), schema=SCHEMAS[name])
