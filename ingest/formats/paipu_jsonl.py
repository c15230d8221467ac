"""paipu JSONL, the open format for 16-tile records: full play or wins only (docs/format-paipu.md).

Each line is one of: a game of full play (`hands`), a win (`record`), or one event of a game that is written event by
event (`type`). A bad hand is rejected alone; the other hands of its game are kept.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from ingest.errors import RecordError, UnreadableInputError
from ingest.formats.base import Format, Source
from ingest.formats.paipu_play import (
    MAX_EVENTS,
    Hand,
    Header,
    PlayedHand,
    convert_hand,
    convert_header,
    decode_game,
    decode_hand,
    play,
)
from ingest.formats.paipu_record import (
    FAMILY,
    FORMAT_NAME,
    WinRecord,
    check_keys,
    decode_line,
    parse_line,
    parse_players,
    reject_row,
)
from ingest.ids import game_id
from ingest.jsonlines import read_lines
from ingest.melds import KONG_ADDED, KONG_CONCEALED
from ingest.outcomes import seat_outcomes
from ingest.record import GameRows, Row
from ingest.tiles import WINDS
from ingest.validate import check_complete

_MARK = re.compile(rb'"format"\s*:\s*"paipu"')
_decode = msgspec.json.Decoder().decode


_ABSENT = msgspec.Raw()


class _Probe(msgspec.Struct):
    """Which kind of line it is, without decoding what it holds."""

    hands: msgspec.Raw = _ABSENT
    record: msgspec.Raw = _ABSENT
    type: msgspec.Raw = _ABSENT


_probe = msgspec.json.Decoder(_Probe).decode


def sniff(head: bytes) -> bool:
    """JSON lines that name this format, or that hold `record` objects of wins."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return False
    return _MARK.search(head) is not None or (b'"record"' in head and b'"win_tile"' in head)


def read(source: Source) -> Iterator[GameRows | Row]:
    """Games of a file in order; wins-only lines of one `game` that follow each other are one game."""
    with source.open() as stream:
        yield from _Reader(source.name).read(read_lines(stream))


_TYPES = "known are game, hand, event, end_hand and end_game"


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._wins: _WinsGame | None = None
        self._told: dict[str, tuple[int, bytes]] = {}
        """First line and content of each game of wins."""
        self._events: _EventGame | None = None

    def read(self, lines: Iterator[tuple[int, bytes | None]]) -> Iterator[GameRows | Row]:
        try:
            for position, raw in lines:
                try:
                    yield from self._line(position, raw)
                except RecordError as problem:
                    yield reject_row(problem, file=self._file, position=position)
        except UnreadableInputError:
            # A win that is a game of its own is whole. Half a game stays out: the whole log brings it again.
            if self._wins is not None and self._wins.key is None:
                yield from self._flush()
            raise
        yield from self._flush()

    def _line(self, position: int, raw: bytes | None) -> Iterator[GameRows | Row]:
        try:
            probe = None if raw is None else _probe(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            probe = None
        if raw is None or probe is None:
            problem = _undecodable(raw)
            if self._events is None:
                raise problem
            # The lost line may have been anything, so only the hand that it stands in is given up.
            self._events.spoil(problem, position)
        elif probe.type is not _ABSENT:
            yield from self._event_line(position, raw)
        elif probe.hands is not _ABSENT:
            yield from self._flush()
            yield _read_game(raw, position, self._file)
        elif probe.record is not _ABSENT:
            yield from self._win_line(position, raw)
        else:
            line = decode_line(raw, _decode)
            if line.get("system", FAMILY) != FAMILY:
                raise RecordError(
                    "other_system", f"the line is of the system {line['system']!r}; this format holds {FAMILY}"
                )
            raise RecordError(
                "unknown_line",
                "the line is of no known kind; it should have 'hands' (a game), 'record' (a win) or 'type' (an event)",
            )

    def _win_line(self, position: int, raw: bytes) -> Iterator[GameRows | Row]:
        line = decode_line(raw, _decode)
        key = line.get("game")
        wins = self._wins
        if wins is None or key is None or key != wins.key:
            yield from self._flush()
        try:
            record = parse_line(line)
            check_complete(record.row)
            if self._wins is None:
                self._wins = _WinsGame(line, raw, position, self._file)
            self._wins.add(line, record, raw)
        except RecordError as problem:
            number = line.get("hand_no")
            hand = number if type(number) is int and 0 <= number < 1 << 31 else None
            reject = reject_row(problem, file=self._file, position=position, log_id=key or line.get("id"), hand=hand)
            if self._wins is None:
                yield reject
            else:
                self._wins.rows.rejects.append(reject)

    def _event_line(self, position: int, raw: bytes) -> Iterator[GameRows | Row]:
        line = decode_line(raw, _decode)
        kind = line.pop("type")
        if kind == "game":
            yield from self._flush()
            self._events = _EventGame(line, raw, position, self._file)
            return
        game = self._events
        if game is None:
            raise RecordError("stray_line", f"a line of type {kind!r} stands outside a game; start with a 'game' line")
        game.line(kind, line, raw, position)
        if kind == "end_game":
            yield from self._flush()

    def _flush(self) -> Iterator[GameRows | Row]:
        if self._wins is not None:
            wins, self._wins = self._wins, None
            rows = wins.rows_of_game()
            scattered = self._scattered(wins) if rows.hands else None
            if scattered is not None:
                yield scattered
                yield from rows.rejects
            elif rows.hands:
                yield rows
            else:
                # Without a game in the store, the corrected log is not taken for one that is there already.
                yield from rows.rejects
        if self._events is not None:
            yield self._events.rows_of_game()
            self._events = None

    def _scattered(self, wins: _WinsGame) -> Row | None:
        """A reject for more lines of a game after another game began; the very same lines again are a duplicate."""
        if wins.key is None:
            return None
        first, content = self._told.setdefault(wins.key, (wins.position, wins.content()))
        if content == wins.content():
            return None
        message = (
            f"lines of the game '{wins.key}' from line {wins.position} on are left out, because its lines before "
            f"(from line {first}) end at another game; the lines of one game must stand together in the file"
        )
        problem = RecordError("other_game", message)
        return reject_row(problem, file=self._file, position=wins.position, log_id=wins.key)


def _undecodable(raw: bytes | None) -> RecordError:
    try:
        line = decode_line(raw, _decode)
    except RecordError as problem:
        return problem
    return RecordError("bad_json", f"the line with {sorted(line)[:5]} cannot be read; correct it")


# -- full play


class _Table:
    """Collects the hands of one game of full play and checks that they follow from each other."""

    def __init__(self, header: Header, identity: str, position: int, file: str) -> None:
        self._file = file
        self._header = header
        self._id = identity
        self._position = position
        self._players = parse_players(header.players)
        self._before: PlayedHand | None = None
        self._scores: list[int] | None = None
        self._n = 0
        stake = header.stake
        self.rows = GameRows(
            game={
                "game_id": identity,
                "format": FORMAT_NAME,
                "log_id": header.id,
                "family": FAMILY,
                "declared": header.rules,
                "simulated": header.simulated,
                "started_at": _started_at(header.started_at),
                "venue": header.venue,
                "room": header.room,
                "table_name": header.table,
                "players": self._players,
                "base": None if stake is None else stake.base,
                "unit": None if stake is None else stake.unit,
                "file": file,
            }
        )

    def add(self, hand: Hand, position: int, event_positions: Sequence[int] = ()) -> None:
        """Replay the next hand; raises nothing, a bad hand is a reject. event_positions: lines of its events."""
        number = self._n
        self._n += 1
        before, self._before = self._before, None
        scores, self._scores = self._scores, None
        try:
            played = play(hand)
            _check_dealer(before, hand)
            _check_scores(scores, hand)
        except RecordError as problem:
            if event_positions and problem.event is not None:
                position = event_positions[problem.event]
            self._reject(problem, position, number)
            return
        if before is not None:
            self.rows.hands[-1]["dealer_kept"] = hand.dealer == before.hand.dealer
        self._keep(played, number)
        self._before = played
        if hand.scores_before is not None and played.deltas is not None:
            self._scores = [a + b for a, b in zip(hand.scores_before, played.deltas, strict=True)]

    def add_broken(self, problem: RecordError, position: int, *, is_hand: bool = True) -> None:
        """The next hand, or something between two hands, could not be decoded."""
        self._reject(problem, position, self._n if is_hand else None)
        self._n += is_hand
        self._before = None
        self._scores = None

    def close(self) -> GameRows:
        final = self._header.final_scores
        if final is not None and self._scores is not None and list(final) != self._scores:
            message = f"final_scores {final} do not follow from the last hand, which ends with {self._scores}"
            self.rows.rejects.append(
                reject_row(
                    RecordError("final_scores", message),
                    file=self._file,
                    position=self._position,
                    log_id=self._header.id,
                )
            )
            final = None
        self.rows.game["final_scores"] = final
        self.rows.game["n_hands"] = len(self.rows.hands)
        return self.rows

    def _reject(self, problem: RecordError, position: int, number: int | None) -> None:
        row = reject_row(problem, file=self._file, position=position, log_id=self._header.id, hand=number)
        self.rows.rejects.append(row)

    def _keep(self, played: PlayedHand, number: int) -> None:
        hand, end = played.hand, played.end
        keys: Row = {"game_id": self._id, "hand_no": number}
        rows = self.rows
        winners = [win["winner"] for win in end.wins]
        rows.hands.append(
            {
                **keys,
                "round_wind": WINDS.index(hand.round),
                "dealer": hand.dealer,
                "door": played.door,
                "streak": hand.streak,
                "result": end.result,
                "draw_kind": end.draw_kind,
                "n_wins": len(winners),
                "deltas": played.deltas,
                "scores_before": hand.scores_before,
                "wall_left": end.wall_left,
                "dealer_kept": hand.dealer in winners if winners else None,
            }
        )
        for win in end.wins:
            win |= keys
            rows.wins.append(win)
        outcomes = seat_outcomes(end.wins)
        for seat in range(4):
            rows.seats.append(
                {
                    **keys,
                    "seat": seat,
                    "player": self._players[seat],
                    "seat_wind": (seat - hand.dealer) % 4,
                    "is_dealer": seat == hand.dealer,
                    "delta": None if played.deltas is None else played.deltas[seat],
                    "outcome": outcomes[seat],
                    "exposed_melds": end.exposed[seat],
                    "flowers": end.flowers[seat],
                    "ready": end.ready[seat],
                    "ready_turn": end.ready_turn[seat],
                    "tenpai_at_draw": None if end.tenpai is None else end.tenpai[seat],
                    "discards": end.discards[seat],
                }
            )


def _check_dealer(before: PlayedHand | None, hand: Hand) -> None:
    """A dealer who wins keeps the deal, another's win passes it on, a draw may do either (SPEC 2.8)."""
    if before is None:
        return
    last = before.hand
    winners = {win["winner"] for win in before.end.wins}
    kept = hand.dealer == last.dealer and hand.streak == last.streak + 1
    passed = hand.dealer == (last.dealer + 1) % 4 and hand.streak == 0
    # Some tables let a drawn hand be dealt again without adding to the streak.
    again = hand.dealer == last.dealer and hand.streak == last.streak
    allowed = kept or again or passed
    if winners:
        allowed = kept if last.dealer in winners else passed
    if not allowed:
        after = f"a win of seat {min(winners)}" if winners else "a draw"
        raise RecordError(
            "dealer_sequence",
            f"dealer {hand.dealer} with streak {hand.streak} cannot follow dealer {last.dealer} "
            f"with streak {last.streak} after {after}",
        )


def _check_scores(scores: list[int] | None, hand: Hand) -> None:
    if scores is not None and hand.scores_before is not None and list(hand.scores_before) != scores:
        message = f"scores_before {hand.scores_before} should be {scores}, where the hand before ends"
        raise RecordError("scores_broken", message)


def _read_game(raw: bytes, position: int, file: str) -> GameRows:
    game = decode_game(raw)
    identity = game_id(FORMAT_NAME, game.id if game.id is not None else raw)
    table = _Table(game, identity, position, file)
    for raw_hand in game.hands:
        try:
            hand = decode_hand(raw_hand)
        except RecordError as problem:
            table.add_broken(problem, position)
        else:
            table.add(hand, position)
    return table.close()


class _Written(msgspec.Struct):
    """One hand of a game written event by event. events: numbers of their lines; broken: its first unreadable line."""

    position: int
    line: dict[str, Any] | None = None  # None: the line that began the hand was lost
    events: list[int] = []
    broken: RecordError | None = None
    broken_at: int = 0


class _EventGame:
    """A game that is written one event per line."""

    def __init__(self, header: dict[str, Any], raw: bytes, position: int, file: str) -> None:
        self._line = header
        self._file = file
        self._position = position
        self._header = convert_header(header)
        # The id of a game without one is its whole content, so rows are made when all lines are known.
        self._hash = hashlib.blake2b(raw)
        self._hands: list[_Written] = []
        self._open = False

    def spoil(self, problem: RecordError, position: int) -> None:
        """A line of this game could not be read: the hand that it stands in is given up."""
        if not self._open:
            # It may have begun a hand; the events that follow then belong to what was lost.
            self._hands.append(_Written(position))
            self._open = True
        hand = self._hands[-1]
        if hand.broken is None:
            hand.broken, hand.broken_at = problem, position
            problem.event = len(hand.events) if hand.line is not None else None

    def line(self, kind: object, line: dict[str, Any], raw: bytes, position: int) -> None:
        """The next line of the game. Raises RecordError when it can stand nowhere in a game."""
        self._hash.update(raw)
        if kind == "hand":
            self._hands.append(_Written(position, {**line, "events": []}))
            self._open = True
        elif kind == "end_game":
            self._open = False
            self._header = convert_header({**self._line, **line})
        elif kind not in ("event", "end_hand"):
            self.spoil(RecordError("unknown_line", f"the line type {kind!r} is not known; {_TYPES}"), position)
        elif not self._open:
            raise RecordError(
                "stray_line", f"a line of type '{kind}' stands outside a hand; begin one with a 'hand' line"
            )
        elif kind == "event":
            self._event(line, position)
        else:
            hand = self._hands[-1]
            if hand.line is not None:
                hand.line |= line
            self._open = False

    def rows_of_game(self) -> GameRows:
        identity = game_id(FORMAT_NAME, self._header.id if self._header.id is not None else self._hash.digest())
        table = _Table(self._header, identity, self._position, self._file)
        for hand in self._hands:
            if hand.broken is not None:
                table.add_broken(hand.broken, hand.broken_at, is_hand=hand.line is not None or bool(hand.events))
                continue
            assert hand.line is not None
            try:
                decoded = convert_hand(hand.line)
            except RecordError as problem:
                table.add_broken(problem, hand.position if problem.event is None else hand.events[problem.event])
            else:
                table.add(decoded, hand.position, hand.events)
        return table.close()

    def _event(self, line: dict[str, Any], position: int) -> None:
        hand = self._hands[-1]
        if len(hand.events) >= MAX_EVENTS:
            self.spoil(RecordError("too_many_events", f"the hand has more than {MAX_EVENTS} events"), position)
            return
        try:
            check_keys(line, ("e",), "the event line")
        except RecordError as problem:
            self.spoil(problem, position)
        hand.events.append(position)
        if hand.line is not None:
            hand.line["events"].append(line.get("e"))


# -- wins only


class _WinsGame:
    """Wins-only lines that are one game. A line without `game` is a game of its own."""

    def __init__(self, line: Mapping[str, Any], raw: bytes, position: int, file: str) -> None:
        self.key = line.get("game")
        self.position = position
        self._content = hashlib.blake2b(digest_size=16)
        name = self.key if self.key is not None else line.get("id")
        if name is not None and not isinstance(name, str):
            raise RecordError("bad_value", f"game is {name!r}; it should be a text")
        simulated = line.get("simulated", False)
        if not isinstance(simulated, bool):
            raise RecordError("bad_value", f"simulated is {simulated!r}; it should be true or false")
        self._id = game_id(FORMAT_NAME, name if name is not None else raw)
        self._file = file
        self._players: list[str | None] | None = None
        self.rows = GameRows(
            game={
                "game_id": self._id,
                "format": FORMAT_NAME,
                "log_id": name,
                "family": FAMILY,
                "simulated": simulated,
                "started_at": _started_at(line.get("started_at")),
                "file": file,
            }
        )

    def content(self) -> bytes:
        """Hash of the lines."""
        return self._content.digest()

    def add(self, line: Mapping[str, Any], record: WinRecord, raw: bytes) -> None:
        """One more win. Raises RecordError when it contradicts the lines before it."""
        self._content.update(raw)
        hands = self.rows.hands
        last = hands[-1] if hands else None
        number = line.get("hand_no", 0 if last is None else last["hand_no"] + 1)
        if type(number) is not int or not 0 <= number < 1 << 31:
            raise RecordError("bad_value", f"hand_no is {number!r}; it should be a whole number from 0")
        players = self._players if record.players is None else record.players
        if self._players is not None and players != self._players:
            raise RecordError("players_conflict", "the players differ from the lines before of the same game")
        declared = self.rows.game.get("declared")
        rules = declared if record.rules is None else record.rules
        if declared is not None and rules != declared:
            raise RecordError("rules_conflict", f"rules is '{rules}', before it was '{declared}' in the same game")
        row = record.row
        keys: Row = {"game_id": self._id, "hand_no": number}
        if last is not None and number < last["hand_no"]:
            raise RecordError(
                "hand_order", f"hand {number} comes after hand {last['hand_no']}; order the lines by hand_no"
            )
        if last is None or number > last["hand_no"]:
            hand = {
                **keys,
                **{name: row[name] for name in ("round_wind", "dealer", "door", "streak")},
                "result": "win",
                "n_wins": 0,
            }
            hands.append(hand)
        else:
            hand = last
            for name in ("round_wind", "dealer", "door", "streak"):
                if hand[name] != row[name]:
                    raise RecordError("hand_conflict", f"{name} differs between two wins of hand {number}")
            if any(win["winner"] == row["winner"] for win in self._wins_of(number)):
                raise RecordError("hand_conflict", f"seat {row['winner']} wins hand {number} twice")
        self._players = players
        self.rows.game["declared"] = rules
        if record.stake is not None:
            self.rows.game |= {"base": record.stake.base, "unit": record.stake.unit}
        self.rows.wins.append({**row, **keys, "win_no": hand["n_wins"]})
        hand["n_wins"] += 1

    def rows_of_game(self) -> GameRows:
        rows = self.rows
        players = self._players or [None] * 4
        rows.game |= {"players": players, "n_hands": len(rows.hands)}
        wins: dict[int, list[Row]] = {}
        for win in rows.wins:
            wins.setdefault(win["hand_no"], []).append(win)
        for hand in rows.hands:
            self._finish_hand(hand, wins[hand["hand_no"]], players)
        return rows

    def _wins_of(self, number: int) -> list[Row]:
        wins: list[Row] = []
        for win in reversed(self.rows.wins):
            if win["hand_no"] != number:
                break
            wins.append(win)
        return wins

    def _finish_hand(self, hand: Row, wins: list[Row], players: list[str | None]) -> None:
        number, dealer = hand["hand_no"], hand["dealer"]
        payments = [win.get("recorded_payments") for win in wins]
        known = [paid for paid in payments if paid is not None]
        deltas = [sum(seat) for seat in zip(*known, strict=True)] if len(known) == len(payments) else None
        hand["deltas"] = deltas
        hand["dealer_kept"] = any(win["winner"] == dealer for win in wins)
        by_winner = {win["winner"]: win for win in wins}
        for seat, outcome in enumerate(seat_outcomes(wins)):
            row: Row = {
                "game_id": self._id,
                "hand_no": number,
                "seat": seat,
                "player": players[seat],
                "seat_wind": (seat - dealer) % 4,
                "is_dealer": seat == dealer,
                "delta": None if deltas is None else deltas[seat],
                "outcome": outcome,
            }
            win = by_winner.get(seat)
            if win is not None:
                melds = [win[f"m{i}"] for i in range(5)]
                row["exposed_melds"] = sum(code != 0 and not KONG_CONCEALED <= code < KONG_ADDED for code in melds)
                row["flowers"] = win["flowers"]
                row["ready"] = win["ready"]
            self.rows.seats.append(row)


def _started_at(text: object) -> datetime | None:
    """Local wall time; an offset from UTC is dropped, because the store keeps the log's own clock."""
    if text is None:
        return None
    try:
        if isinstance(text, str):
            return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        pass
    raise RecordError("bad_value", f"started_at is {str(text)[:40]!r}; write it as 2026-01-31T20:00:00")


FORMAT = Format(name=FORMAT_NAME, title="paipu JSONL (full play or wins only)", family=FAMILY, sniff=sniff, read=read)
