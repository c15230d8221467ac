"""The wins-only level of paipu JSONL: one win per line (docs/format-paipu.md).

Field names and notation are those of SPEC section 1. A flag left out did not happen, an explicit null is not known.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import msgspec

from ingest.errors import RecordError
from ingest.jsonlines import LINE_LIMIT, read_lines
from ingest.melds import parse_meld
from ingest.record import FLOWER_MODES, READY, REPLACEMENTS, WIN_KINDS, Row
from ingest.tiles import WINDS, parse_tile, parse_tiles
from ingest.validate import check_payments, check_seat, check_win, flower_mask, tile_columns

FORMAT_NAME = "paipu"
FAMILY = "taiwan"
VERSION = 1

_BOOL_FLAGS = (
    "last_tile", "ready_open", "ready_first_turn", "heavenly", "heavenly_after_kong", "first_draw",
    "first_draw_after_kong", "before_first_draw", "discarder_first_discard", "no_calls", "miji", "initial_flowers",
    "declined_eight",
)  # fmt: skip
CHOICE_FLAGS = {
    # Kita is riichi only.
    "replacement": ("replacement", REPLACEMENTS[:-1]),
    "ready": ("ready", READY),
    "mode": ("flower_mode", FLOWER_MODES),
}
"""Flag → column and the words it can be."""
FLAGS = frozenset((*_BOOL_FLAGS, *CHOICE_FLAGS, "robbed_flower"))
RECORD_KEYS = frozenset(
    (
        "dealer",
        "streak",
        "door",
        "round",
        "winner",
        "win",
        "from",
        "hand",
        "win_tile",
        "melds",
        "flowers",
        "flags",
        "eye_players",
        "liable",
    )
)
_REQUIRED = ("dealer", "streak", "round", "winner", "win", "hand", "win_tile")
_ANNOTATIONS = frozenset(("system", "title", "note", "tags", "source", "expected", "verified_with"))
LINE_KEYS = (
    frozenset(
        (
            "format",
            "version",
            "id",
            "stake",
            "record",
            "game",
            "hand_no",
            "rules",
            "players",
            "started_at",
            "simulated",
            "recorded",
        )
    )
    | _ANNOTATIONS
)
RECORDED_KEYS = frozenset(("tai", "items", "payments"))


class Stake(NamedTuple):
    """Money of a table: base (底) and money per tai (台)."""

    base: int
    unit: int


class WinRecord(NamedTuple):
    """One line of wins only. row: hand-record columns of `wins`; the caller adds game_id, hand_no and win_no.
    rules: id of the preset that the table played by. players: by seat, as in `games`."""

    id: str | None
    stake: Stake | None
    row: Row
    rules: str | None = None
    players: list[str | None] | None = None


def check_keys(found: Collection[str], known: Collection[str], where: str) -> None:
    """Raise RecordError `unknown_key` with the nearest known name."""
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(sorted(known))}"
            raise RecordError("unknown_key", f"unknown key '{key}' in {where}; {hint}")


def parse_record(obj: object) -> Row:
    """Hand-record columns of `wins` from a `record` object (SPEC section 1), checked as ingest.validate says.

    Raises RecordError; `missing_key`, `unknown_key` and `bad_value` besides the codes of ingest.validate.
    """
    record = _mapping(obj, "the record")
    check_keys(record, RECORD_KEYS, "the record")
    for key in _REQUIRED:
        if key not in record:
            raise RecordError("missing_key", f"the record has no '{key}'; add it")
    melds = [parse_meld(_text(meld, "a meld")) for meld in _list(record.get("melds"), "melds")]
    concealed = parse_tiles(_text(record["hand"], "hand"))
    kind = _choice(record["win"], WIN_KINDS, "win")
    flower_win = WIN_KINDS[kind] in ("eight_flowers", "seven_robs_one")
    win_tile = record["win_tile"]
    if win_tile is None and flower_win and concealed:
        # Nothing needs to complete a flower win; any concealed tile stands in.
        row = tile_columns(concealed[:-1], concealed[-1], melds, complete=False)
    else:
        row = tile_columns(concealed, parse_tile(_text(win_tile, "win_tile")), melds, complete=not flower_win)
    dealer = record["dealer"]
    row |= {
        "dealer": dealer,
        "door": record.get("door", dealer),
        "streak": record["streak"],
        "round_wind": _choice(record["round"], tuple(WINDS), "round"),
        "winner": record["winner"],
        "payer": record.get("from"),
        "win_kind": kind,
        "flowers": flower_mask(_list(record.get("flowers"), "flowers")),
        "eye_players": _eye_players(record.get("eye_players", ())),
        "liable": record.get("liable"),
    }
    row |= _flags(record.get("flags"), seven_robs_one=WIN_KINDS[kind] == "seven_robs_one")
    check_win(row)
    return row


def _flags(obj: object, *, seven_robs_one: bool) -> Row:
    flags = _mapping({} if obj is None else obj, "flags")
    check_keys(flags, FLAGS, "flags")
    row: Row = {}
    for name in _BOOL_FLAGS:
        value = flags.get(name, False)
        if value is not None and not isinstance(value, bool):
            raise RecordError("bad_value", f"the flag {name} is {value!r}; it should be true, false or null")
        row[name] = value
    for name, (column, choices) in CHOICE_FLAGS.items():
        # The mode of a seven-robs-one win cannot be "none": left out, it is not known.
        value = flags.get(name, None if seven_robs_one and name == "mode" else "none")
        row[column] = None if value is None else _choice(value, choices, f"the flag {name}")
    robbed = flags.get("robbed_flower")
    if robbed is not None:
        flower_mask([robbed])
    row["robbed_flower"] = robbed
    return row


def _eye_players(obj: object) -> int | None:
    if obj is None:
        return None
    mask = 0
    for seat in _list(obj, "eye_players"):
        mask |= 1 << check_seat(seat, "a seat of eye_players")
    return mask


def parse_stake(obj: object) -> Stake | None:
    """Base and unit of a `stake` object. Raises RecordError `bad_value` or `unknown_key`."""
    if obj is None:
        return None
    stake = _mapping(obj, "stake")
    check_keys(stake, ("base", "unit"), "stake")
    for key in ("base", "unit"):
        value = stake.get(key)
        if type(value) is not int or not 0 <= value < 1 << 31:
            raise RecordError("bad_value", f"stake.{key} is {value!r}; it should be a whole number of money, 0 or more")
    return Stake(stake["base"], stake["unit"])


def parse_recorded(obj: object) -> Row:
    """recorded_* columns of `wins` from a `recorded` object {tai, items, payments}, every key optional."""
    recorded = _mapping({} if obj is None else obj, "recorded")
    check_keys(recorded, RECORDED_KEYS, "recorded")
    tai, items = recorded.get("tai"), recorded.get("items")
    if tai is not None and (type(tai) is not int or abs(tai) >= 1 << 31):
        raise RecordError("bad_value", f"recorded.tai is {_short(tai)}; it should be a whole number")
    if items is not None and not all(type(value) is int for value in _mapping(items, "recorded.items").values()):
        raise RecordError("bad_value", "recorded.items does not hold whole numbers; give one for each item")
    return recorded_columns(tai=tai, items=items, payments=recorded.get("payments"))


def recorded_columns(*, tai: int | None, items: Mapping[str, int] | None, payments: Sequence[object] | None) -> Row:
    """The recorded_* columns of `wins` that are known. Raises RecordError when the payments do not sum to zero."""
    row: Row = {}
    if tai is not None:
        row["recorded_tai"] = tai
    if items is not None:
        row["recorded_items"] = msgspec.json.encode(items, order="sorted").decode()
    if payments is not None:
        row["recorded_payments"] = check_payments(payments, "the recorded payments")
    return row


def parse_players(names: object) -> list[str | None]:
    """Players as in `games` from four names in seat order, null where unknown. Raises RecordError `bad_players`."""
    if not isinstance(names, list) or len(names) != 4:
        raise RecordError("bad_players", "players are not four names; give them in seat order, null where unknown")
    players: list[str | None] = []
    for name in names:
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise RecordError("bad_players", f"{name!r} is not a player's name; give a text, or null where unknown")
        players.append(None if name is None else f"{FORMAT_NAME}:{name.strip()}")
    known = [player for player in players if player is not None]
    if len(set(known)) < len(known):
        raise RecordError("bad_players", "one name sits in two seats; players of a game need four different names")
    return players


def parse_line(line: Mapping[str, Any]) -> WinRecord:
    """A decoded wins-only line. Raises RecordError, `other_system` for a line of another rule family."""
    system = line.get("system", FAMILY)
    if system != FAMILY:
        raise RecordError("other_system", f"the record is of the system {system!r}; this format holds {FAMILY} records")
    check_keys(line, LINE_KEYS, "the line")
    if line.get("format", FORMAT_NAME) != FORMAT_NAME or line.get("version", VERSION) != VERSION:
        raise RecordError(
            "bad_version", f"the line is not of format {FORMAT_NAME} version {VERSION}; update paipu if it is newer"
        )
    if "record" not in line:
        raise RecordError("missing_key", "the line has no 'record'; add it")
    name = line.get("id")
    if name is not None and not isinstance(name, str):
        raise RecordError("bad_value", f"id is {name!r}; it should be a text")
    rules = line.get("rules")
    if rules is not None and (not isinstance(rules, str) or not rules.strip()):
        raise RecordError("bad_value", f"rules is {_short(rules)}; it should be the id of a preset, such as tw_general")
    names = line.get("players")
    players = None if names is None else parse_players(names)
    row = parse_record(line["record"])
    row |= parse_recorded(line.get("recorded"))
    return WinRecord(name, parse_stake(line.get("stake")), row, rules, players)


def json_error(raw: bytes, problem: Exception) -> RecordError:
    """What a JSON decoder's complaint about a line means: `bad_encoding` or `bad_json`."""
    try:
        str(raw, "utf-8")
    except UnicodeDecodeError:
        return RecordError("bad_encoding", "the line is not UTF-8 text; save the file as UTF-8")
    return RecordError("bad_json", f"the line is not complete JSON ({problem}); correct it")


def decode_line(raw: bytes | None, decode: Callable[[bytes], Any], *, limit: int = LINE_LIMIT) -> dict[str, Any]:
    """The JSON object of a line of jsonlines. Raises RecordError `line_too_long`, `bad_encoding` or `bad_json`."""
    if raw is None:
        raise RecordError(
            "line_too_long", f"the line is longer than {limit >> 20} MiB; write one game or one event per line"
        )
    try:
        obj = decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise json_error(raw, problem) from None
    if not isinstance(obj, dict):
        raise RecordError("bad_json", "the line is not a JSON object; write it in braces")
    return obj


def reject_row(
    problem: RecordError, *, file: str, position: int | None, log_id: object = None, hand: int | None = None
) -> Row:
    """A row of `rejects` for this format."""
    return {
        "file": file,
        "format": FORMAT_NAME,
        "log_id": log_id if isinstance(log_id, str) else None,
        "position": position,
        "hand_no": problem.hand if problem.hand is not None else hand,
        "event_no": problem.event,
        "code": problem.code,
        "message": problem.message,
    }


def read_records(stream: BinaryIO, *, name: str = "-", limit: int = LINE_LIMIT) -> Iterator[WinRecord | Row]:
    """Each wins-only line of a stream in order: a WinRecord, or a row of `rejects` (a dict) for a bad line.

    name: what to call the stream in rejects.
    """
    decode = msgspec.json.Decoder().decode
    for position, raw in read_lines(stream, limit=limit):
        log_id = None
        try:
            line = decode_line(raw, decode, limit=limit)
            log_id = line.get("id")
            yield parse_line(line)
        except RecordError as problem:
            yield reject_row(problem, file=name, position=position, log_id=log_id)


def _mapping(obj: object, what: str) -> Mapping[str, Any]:
    if not isinstance(obj, Mapping):
        raise RecordError("bad_value", f"{what} is {_short(obj)}; it should be an object in braces")
    return obj


def _list(obj: object, what: str) -> list[Any] | tuple[Any, ...]:
    if obj is None:
        return ()
    if not isinstance(obj, (list, tuple)):
        raise RecordError("bad_value", f"{what} is {_short(obj)}; it should be a list in brackets")
    return obj


def _text(obj: object, what: str) -> str:
    if not isinstance(obj, str):
        raise RecordError("bad_value", f"{what} is {_short(obj)}; it should be a text")
    return obj


def _choice(obj: object, choices: tuple[str, ...], what: str) -> int:
    if isinstance(obj, str) and obj in choices:
        return choices.index(obj)
    near = difflib.get_close_matches(obj, choices, n=1) if isinstance(obj, str) else []
    hint = f"did you mean '{near[0]}'?" if near else f"it should be one of {', '.join(choices)}"
    raise RecordError("bad_value", f"{what} is {_short(obj)}; {hint}")


def _short(obj: object) -> str:
    text = repr(obj)
    return text if len(text) <= 40 else f"{text[:37]}..."
