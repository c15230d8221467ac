"""Full play in paipu JSONL: the typed shape of game, hand and events, and their replay (docs/format-paipu.md)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, NoReturn

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from ingest.errors import RecordError
from ingest.formats.paipu_record import check_keys, json_error, recorded_columns
from ingest.record import Row
from ingest.replay import HandEnd, HandReplay
from ingest.tiles import KIND, WINDS, parse_tile, parse_tiles
from ingest.validate import check_payments

Seat = Annotated[int, Meta(ge=0, le=3)]
Money = Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)]
Scores = Annotated[list[Money], Meta(min_length=4, max_length=4)]
MAX_EVENTS = 4096
"""More than any hand can have: 144 tiles are drawn, discarded and claimed about once each."""


class Score(Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """What the table wrote down for a win; kept as recorded_*, never trusted. robbed_flower: of a flower win only."""

    tai: Annotated[int, Meta(ge=-(1 << 31), lt=1 << 31)] | None = None
    items: dict[str, int] | None = None
    payments: Scores | None = None
    robbed_flower: Annotated[int, Meta(ge=1, le=8)] | None = None


class _Event(Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """An event is an array: its type, then these fields."""


class _OfTile(_Event):
    seat: Seat
    tile: str


class Discard(_OfTile, tag="discard"):
    pass


class Draw(_OfTile, tag="draw"):
    pass


class Replace(_OfTile, tag="replace"):
    pass


class Flower(_OfTile, tag="flower"):
    pass


class Chow(_OfTile, tag="chow"):
    own: str


class Pung(_OfTile, tag="pung"):
    pass


class KongOpen(_OfTile, tag="kong_open"):
    pass


class KongAdded(_OfTile, tag="kong_added"):
    pass


class KongConcealed(_OfTile, tag="kong_concealed"):
    pass


class Ready(_Event, tag="ready"):
    seat: Seat
    how: Literal["open"] | None = None


class Eye(_Event, tag="eye"):
    seat: Seat


class Miji(_Event, tag="miji"):
    seat: Seat


class Win(_Event, tag="win"):
    seat: Seat
    tile: str
    payer: Seat | None = None
    score: Score | None = None


class FlowerWin(_Event, tag="flower_win"):
    seat: Seat
    payer: Seat | None = None
    score: Score | None = None


class DrawGame(_Event, tag="draw_game"):
    kind: Annotated[str, Meta(min_length=1, max_length=60)] = "exhaustive"


Event = (
    Discard | Draw | Replace | Flower | Chow | Pung | KongOpen | KongAdded | KongConcealed
    | Ready | Eye | Miji | Win | FlowerWin | DrawGame
)  # fmt: skip
EVENT_TYPES = (
    "discard", "draw", "replace", "flower", "chow", "pung", "kong_open", "kong_added", "kong_concealed",
    "ready", "eye", "miji", "win", "flower_win", "draw_game",
)  # fmt: skip


class Hand(Struct, forbid_unknown_fields=True, frozen=True):
    """One hand. deal: tiles per seat, 17 for the dealer; wall: the 79 tiles left, front to end, if known."""

    round: Literal["E", "S", "W", "N"]
    dealer: Seat
    streak: Annotated[int, Meta(ge=0, lt=1 << 16)]
    deal: Annotated[list[str], Meta(min_length=4, max_length=4)]
    events: Annotated[list[Event], Meta(max_length=MAX_EVENTS)]
    door: Seat | UnsetType | None = UNSET
    wall: str | None = None
    reserve: Annotated[int, Meta(ge=0, le=79)] = 16
    dead_wall: str = "fixed_tail_16"
    scores_before: Scores | None = None
    deltas: Scores | None = None


class StakeObject(Struct, forbid_unknown_fields=True, frozen=True):
    base: Annotated[int, Meta(ge=0, lt=1 << 31)]
    unit: Annotated[int, Meta(ge=0, lt=1 << 31)]


_Name = Annotated[str, Meta(min_length=1, max_length=200)]


class Header(Struct, forbid_unknown_fields=True, frozen=True):
    """A game without its hands."""

    format: Literal["paipu"]
    version: Literal[1]
    players: Annotated[list[_Name | None], Meta(min_length=4, max_length=4)]
    id: _Name | None = None
    rules: _Name | None = None
    simulated: bool = False
    started_at: str | None = None
    venue: str | None = None
    room: str | None = None
    table: str | None = None
    stake: StakeObject | None = None
    final_scores: Scores | None = None


class Game(Header, frozen=True):
    """A game on one line. The hands stay raw, so that one bad hand spoils no other."""

    hands: list[msgspec.Raw] = []


_decode_hand = msgspec.json.Decoder(Hand).decode
_decode_game = msgspec.json.Decoder(Game).decode
_EVENT_PATH = re.compile(r"\$\.events\[(\d+)\](\[0\])?")


def decode_hand(raw: bytes | msgspec.Raw) -> Hand:
    """A hand from JSON. Raises RecordError `bad_json`, `unknown_key`, `unknown_event` or `bad_value` with the event."""
    try:
        return _decode_hand(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        _explain(problem, raw, Hand)


def convert_hand(obj: dict[str, Any]) -> Hand:
    """A hand from decoded JSON; see decode_hand."""
    try:
        return msgspec.convert(obj, Hand)
    except (msgspec.ValidationError, RecursionError) as problem:
        _explain(problem, obj, Hand)


def decode_game(raw: bytes) -> Game:
    """A game line; the hands are still raw. Raises RecordError as decode_hand."""
    try:
        return _decode_game(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        _explain(problem, raw, Game)


def convert_header(obj: dict[str, Any]) -> Header:
    """A game header from decoded JSON."""
    try:
        return msgspec.convert(obj, Header)
    except (msgspec.ValidationError, RecursionError) as problem:
        _explain(problem, obj, Header)


def _explain(problem: Exception, source: Any, shape: type[Struct]) -> NoReturn:
    """Turn a decoder's complaint into a sentence that names the key or event."""
    text = str(problem)
    if not isinstance(problem, msgspec.ValidationError):
        raw = bytes(source) if isinstance(source, (bytes, msgspec.Raw)) else b""
        raise json_error(raw, problem) from None
    obj: Any = source
    if isinstance(source, (bytes, msgspec.Raw)):
        with suppress(msgspec.DecodeError):  # a number or a text that no decoder takes
            obj = msgspec.json.decode(source)
    what = "the hand" if shape is Hand else "the game"
    if isinstance(obj, dict):
        check_keys(obj, shape.__struct_fields__, what)
    found = _EVENT_PATH.search(text)
    event = int(found[1]) if found else None
    if found and found[2] and isinstance(name := obj["events"][event][0], str):
        near = difflib.get_close_matches(name, EVENT_TYPES, n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(EVENT_TYPES)}"
        raise RecordError("unknown_event", f"unknown event '{name[:40]}'; {hint}", event=event) from None
    reason, _, path = text.partition(" - at ")
    where = f" at {path.strip('`').removeprefix('$.')}" if path else ""
    raise RecordError("bad_value", f"{reason.replace('`', '')}{where} of {what}; correct it", event=event) from None


class PlayedHand(Struct, frozen=True):
    """A hand that was replayed. wins: rows of `wins` without game_id and hand_no, recorded_* included."""

    hand: Hand
    end: HandEnd
    door: int | None
    deltas: list[int] | None


def play(hand: Hand) -> PlayedHand:
    """Replay a hand and check it. Raises RecordError, with the number of the event where one is at fault."""
    deltas = None if hand.deltas is None else check_payments(hand.deltas, "deltas")
    door = hand.dealer if hand.door is UNSET else hand.door
    replay = HandReplay(
        dealer=hand.dealer,
        door=door,
        round_wind=WINDS.index(hand.round),
        streak=hand.streak,
        deal=[parse_tiles(tiles) for tiles in hand.deal],
        wall=None if hand.wall is None else parse_tiles(hand.wall),
        reserve=hand.reserve,
        dead_wall=hand.dead_wall,
    )
    for at, event in enumerate(hand.events):
        try:
            match event:
                case Discard():
                    replay.discard(event.seat, _kind(event.tile))
                case Draw():
                    replay.draw(event.seat, _kind(event.tile))
                case _:
                    _apply(replay, event)
        except RecordError as problem:
            problem.event = at
            raise
    end = replay.finish()
    if deltas is None:
        deltas = _sum_payments(end.wins)
    return PlayedHand(hand, end, door, deltas)


def _apply(replay: HandReplay, event: Event) -> None:
    match event:
        case Chow():
            replay.chow(event.seat, _kind(event.tile), parse_tiles(event.own))
        case Pung():
            replay.pung(event.seat, _kind(event.tile))
        case Replace():
            replay.replace(event.seat, _kind(event.tile))
        case Flower():
            replay.flower(event.seat, _kind(event.tile))
        case KongOpen():
            replay.kong_open(event.seat, _kind(event.tile))
        case KongAdded():
            replay.kong_added(event.seat, _kind(event.tile))
        case KongConcealed():
            replay.kong_concealed(event.seat, _kind(event.tile))
        case Ready():
            replay.ready(event.seat, open=event.how == "open")
        case Eye():
            replay.eye(event.seat)
        case Miji():
            replay.miji(event.seat)
        case Win():
            row = replay.win(event.seat, _kind(event.tile), event.payer)
            if event.score is not None and event.score.robbed_flower is not None:
                raise RecordError("bad_value", "robbed_flower belongs to a flower_win; leave it out of this win")
            row |= _recorded(event.score)
        case FlowerWin():
            robbed = event.score.robbed_flower if event.score is not None else None
            row = replay.flower_win(event.seat, payer=event.payer, robbed_flower=robbed)
            row |= _recorded(event.score)
        case DrawGame():
            replay.draw_game(event.kind)


def _recorded(score: Score | None) -> Row:
    if score is None:
        return {}
    return recorded_columns(tai=score.tai, items=score.items, payments=score.payments)


def _sum_payments(wins: Sequence[Row]) -> list[int] | None:
    """Payments of a hand as the sum over its wins; None unless each win has its payments recorded."""
    payments = [win.get("recorded_payments") for win in wins]
    if not payments or None in payments:
        return None
    return [sum(seat) for seat in zip(*payments, strict=True)]


def _kind(tile: str) -> int:
    kind = KIND.get(tile)
    return parse_tile(tile) if kind is None else kind
