"""`paipu score`: one hand, or a file of winning hands, under presets."""

from __future__ import annotations

import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

import click

from ingest.errors import RecordError, UnreadableInputError, UsageError
from paipu.cli.main import one_line
from paipu.cli.options import Output, lang_option, output_options, preset_option

if TYPE_CHECKING:
    from analysis.explain import Win
    from analysis.rules.preset import Preset
    from ingest.formats.paipu_record import WinRecord

_WINDS: Final = "ESWN"
_FLOWER_WINS: Final = ("eight_flowers", "seven_robs_one")
_CHUNK: Final = 20_000


@click.command("score")
@click.argument("hand", required=False)
@click.option(
    "--win",
    default="discard",
    help="discard, self_draw, rob_kong, eight_flowers or seven_robs_one; riichi: ron or tsumo.",
)
@click.option(
    "--seat", type=click.Choice(tuple(_WINDS)), default="S", help="Winner's wind, the dealer is E; default S."
)
@click.option(
    "--from", "payer", type=click.Choice(tuple(_WINDS)), help="Wind of the player who pays; default E, else S."
)
@click.option("--round", "round_wind", type=click.Choice(tuple(_WINDS)), default="E", help="Round wind; default E.")
@click.option("--streak", type=click.IntRange(0, 1000), default=0, help="Extra deals of the dealer (連N).")
@click.option(
    "--door",
    type=click.Choice(tuple(_WINDS)),
    default="E",
    help="Wind of the seat where the wall was opened; default E.",
)
@click.option("--flag", "flags", multiple=True, help="A circumstance: last_tile, ready=initial, replacement=flower …")
@click.option(
    "--records",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Score a file of wins-only records, paid by the stake each states.",
)
@preset_option
@lang_option
@output_options()
@click.pass_context
def command(
    context: click.Context,
    *,
    hand: str | None,
    win: str,
    seat: str,
    payer: str | None,
    round_wind: str,
    streak: int,
    door: str,
    flags: tuple[str, ...],
    records: Path | None,
    presets: tuple[str, ...],
    lang: str,
    output: Output,
) -> None:
    """\b
    Example:
      paipu score "35m22s789s678p +4m chow:123m pung:444p f3"
      paipu score "12334m456p67899sEEE +5m" --win self_draw --seat E --flag last_tile
      paipu score --records wins.jsonl --preset tw_general,tw_full --format jsonl
      paipu score "234m067p45678sWW +3s" --preset tenhou_4p,m_league --win tsumo --flag riichi --flag dora=1m

    Score one hand under all presets, items side by side: concealed tiles, + the winning tile, melds (chow: pung:
    kong_open: kong_added: kong_concealed:) and flowers f1 to f8; a flower win needs no winning tile. Riichi hands under
    riichi presets: 0 is a red five, flags riichi, riichi=2, ippatsu, rinshan, haitei, houtei, dora=TILES, ura=TILES
    (the indicators, as 4m5s).
    Or score a file of wins-only records (paipu JSONL), one line out per record and preset.
    """
    from analysis.rules.preset import load_presets, shipped_presets

    chosen = load_presets(presets or shipped_presets("taiwan"))
    if (hand is None) == (records is None):
        raise UsageError('give one hand in quotes, or --records FILE; see "paipu score --help"')
    if records is not None:
        if any(preset.family != "taiwan" for preset in chosen):
            raise UsageError("--records holds Taiwanese wins; give presets of that family")
        if exit_code := _score_file(records, chosen, lang, output):
            context.exit(exit_code)
        return
    if chosen[0].family == "riichi":
        row = _riichi_row(str(hand), win=win, seat=seat, round_wind=round_wind, honba=streak, flags=flags)
        _score_row(row, chosen, lang, output)
        return
    record = {
        **_hand(str(hand), win_tile=win not in _FLOWER_WINS),
        "dealer": 0,
        "door": _WINDS.index(door),
        "streak": streak,
        "round": round_wind,
        "winner": _WINDS.index(seat),
        "win": win,
        "from": _payer(win, seat, payer),
        "flags": dict(_taiwan_flag(text) for text in flags),
    }
    _score_row(_taiwan_row(record), chosen, lang, output)


def _hand(text: str, *, win_tile: bool = True) -> dict[str, Any]:
    from ingest.hand_text import parse_hand_text

    try:
        return parse_hand_text(text, win_tile=win_tile)
    except RecordError as error:
        raise UsageError(str(error)) from None


def _payer(win: str, seat: str, payer: str | None) -> int | None:
    if win in ("self_draw", "eight_flowers"):
        if payer:
            raise UsageError(f"--from does not go with --win {win}: all others pay")
        return None
    return _WINDS.index(payer or ("S" if seat == "E" else "E"))


def _flag(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    answers = {"": True, "true": True, "false": False, "null": None}
    return name, answers[value] if value in answers else int(value) if _is_number(value) else value


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _taiwan_flag(text: str) -> tuple[str, Any]:
    from ingest.formats.paipu_record import CHOICE_FLAGS

    name, value = _flag(text)
    if "=" not in text and name in CHOICE_FLAGS:
        words = ", ".join(f"{name}={word}" for word in CHOICE_FLAGS[name][1])
        raise UsageError(f"--flag {name} needs a value: {words}")
    if "=" not in text and name == "robbed_flower":
        raise UsageError("--flag robbed_flower needs a value from 1 to 8: robbed_flower=4")
    if name == "robbed_flower" and isinstance(value, str):
        value = int(value[1:]) if value[:1] == "f" and _is_number(value[1:]) else value
    return name, value


def _taiwan_row(record: dict[str, Any]) -> dict[str, Any]:
    from ingest.formats.paipu_record import parse_record

    try:
        return parse_record(record)
    except RecordError as error:
        riichi = "; riichi hands need riichi presets, as --preset tenhou_4p" if error.code == "tile_count" else ""
        raise UsageError(f"{error}{riichi}") from None


def _riichi_row(
    hand: str, *, win: str, seat: str, round_wind: str, honba: int, flags: tuple[str, ...]
) -> dict[str, Any]:
    from ingest.hand_text import parse_riichi_hand_text

    given = dict(_flag(text) for text in flags)
    try:
        return parse_riichi_hand_text(hand, win=win, seat=seat, round_wind=round_wind, honba=honba, flags=given)
    except RecordError as error:
        raise UsageError(str(error)) from None


def _score_row(row: dict[str, Any], presets: Sequence[Preset], lang: str, output: Output) -> None:
    from analysis.explain import explain

    wins = explain([row], presets)[0]
    if output.format in ("json", "jsonl"):
        output.write_objects(win.line(None) for win in wins)
    else:
        output.write(_side_by_side(wins, lang))


def _side_by_side(wins: Sequence[Win], lang: str) -> Any:
    """Items as rows, presets as columns, then what is paid."""
    import polars as pl

    from reports.i18n import texts

    family = wins[0].preset.family
    words = texts(lang).section("score") | texts(lang).section(f"score.{family}")
    reasons = texts(lang).section("compare.reasons")
    catalogue = wins[0].preset.catalogue()
    rows: list[list[str]] = []
    for item in catalogue.items:
        if any(item in win.items for win in wins):
            rows.append([catalogue.name(item, lang), *(str(win.items.get(item, "")) for win in wins)])
    rows.append(
        [words["hand_tai" if wins[0].fu is None else "han"], *(str(win.hand_tai) if win.valid else "-" for win in wins)]
    )
    if wins[0].fu is None:
        rows.append([words["dealer_tai"], *(_range(win, "dealer_tai") for win in wins)])
    else:
        rows.append([words["fu"], *(str(win.fu) if win.valid and win.fu else "-" for win in wins)])
    rows.append([words["pays"], *(_range(win, "amount") for win in wins)])
    rows.append([words["receives"], *(str(win.winner_receives) if win.valid else "-" for win in wins)])
    if not all(win.valid for win in wins):
        rows.append([words["not_a_win"], *(reasons.get(win.reason, win.reason) for win in wins)])
    if any(win.undetermined for win in wins):
        names = [", ".join(catalogue.name(item, lang) for item in win.undetermined) for win in wins]
        rows.append([words["undetermined"], *names])
    columns = [words["item"], *(win.preset.id for win in wins)]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _range(win: Win, what: str) -> str:
    amounts = sorted({int(getattr(pay, what)) for pay in win.pay.values()})
    return " / ".join(str(amount) for amount in amounts) if amounts else "-"


def _score_file(path: Path, presets: Sequence[Preset], lang: str, output: Output) -> int:
    """Scores the records of a file, tells what could not be read, and returns the exit code."""
    from ingest.formats.paipu_record import WinRecord, read_records

    exit_code = 0

    def complain(where: str, what: object) -> None:
        click.echo(f"paipu: {one_line(f'{where}: {what}')}", err=True)

    def readable(stream: BinaryIO) -> Iterator[WinRecord]:
        """The good records. A file that breaks off keeps what came before."""
        nonlocal exit_code
        try:
            for record in read_records(stream):
                if isinstance(record, WinRecord):
                    yield record
                else:
                    exit_code = 1
                    complain(f"{path}, line {record.get('position')}", record["message"])
        except (EOFError, OSError, zlib.error) as error:
            exit_code = UnreadableInputError.exit_code
            complain(str(path), f"cannot be read any further: {getattr(error, 'strerror', None) or error}")

    def lines() -> Iterator[dict[str, Any]]:
        with ExitStack() as stack:
            records = readable(_open(path, stack))
            while chunk := list(islice(records, _CHUNK)):
                yield from _score_records(chunk, presets)

    if output.format == "table":
        output.write(_readable(lines(), presets, lang))
    else:
        output.write_objects(lines())
    return exit_code


def _readable(lines: Iterable[dict[str, Any]], presets: Sequence[Preset], lang: str) -> Any:
    """One row per record and preset for people: names instead of ids, what each seat pays as `0: 140, 2: 120`."""
    import polars as pl

    from reports.i18n import texts

    words = texts(lang).section("score")
    catalogue = presets[0].catalogue()

    def names(items: Iterable[str]) -> list[str]:
        return [catalogue.name(item, lang) for item in items]

    def listed(pairs: Iterable[tuple[str, object]]) -> str:
        return ", ".join(f"{name}: {value}" for name, value in pairs)

    rows = []
    for line in lines:
        items = line.get("items", {})
        pay: Counter[str] = Counter(line.get("eye_penalty", {}))
        for seat, bill in line.get("pay", {}).items():
            pay[str(bill.get("paid_by", seat))] += bill["amount"]
        rows.append(
            (
                line["id"],
                line["preset"],
                listed(zip(names(items), items.values(), strict=True))
                if line["valid"]
                else f"{words['not_a_win']}: {line['reason']}",
                line.get("hand_tai"),
                listed(sorted(pay.items())),
                line.get("winner_receives"),
                ", ".join(names(line.get("undetermined", ()))),
            )
        )
    schema = {
        "id": pl.String,
        words["preset"]: pl.String,
        words["items"]: pl.String,
        words["hand_tai"]: pl.Int64,
        words["pays"]: pl.String,
        words["receives"]: pl.Int64,
        words["undetermined"]: pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame if any(row[-1] for row in rows) else frame.drop(words["undetermined"])


def _open(path: Path, stack: ExitStack) -> BinaryIO:
    if str(path) == "-":
        return sys.stdin.buffer
    try:
        stream = stack.enter_context(path.open("rb"))
        if stream.peek(2)[:2] == b"\x1f\x8b":
            import gzip

            return cast("BinaryIO", stack.enter_context(gzip.open(stream, "rb")))
    except OSError as error:
        raise UnreadableInputError(f"{path}: {error.strerror or error}") from None
    return stream


def _score_records(records: Sequence[WinRecord], presets: Sequence[Preset]) -> Iterator[dict[str, Any]]:
    """One line per record and preset. A record's own stake replaces the preset's base and unit."""
    import msgspec

    from analysis.explain import explain

    by_stake: dict[Any, list[int]] = {}
    for position, record in enumerate(records):
        by_stake.setdefault(record.stake, []).append(position)
    lines: list[list[dict[str, Any]]] = [[] for _ in records]
    for stake, positions in by_stake.items():
        rules = presets
        if stake is not None:
            rules = [msgspec.structs.replace(preset, base=stake.base, unit=stake.unit) for preset in presets]
        for position, wins in zip(positions, explain([records[p].row for p in positions], rules), strict=True):
            lines[position] = [win.line(records[position].id) for win in wins]
    for several in lines:
        yield from several
