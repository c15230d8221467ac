"""`paipu rules`: list, show, diff, check and new."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ingest.errors import RulesError, UsageError
from paipu.cli.main import one_line
from paipu.cli.options import Output, lang_option, output_options
from paipu.cli.words import counted

if TYPE_CHECKING:
    from analysis.rules.preset import Preset


@click.group("rules")
def command() -> None:
    """\b
    Example:
      paipu rules list
      paipu rules diff tw_general tw_full
      paipu rules new my_club.toml --extends tw_general

    Rule presets: which there are, what they pay, how two of them differ, and one of your own.
    """


@command.command("list", short_help="List the shipped presets.")
@click.option("--family", metavar="NAME", help="Only the presets of this family: taiwan or riichi.")
@click.option(
    "--long", "is_long", is_flag=True, help="With source and hash, which other formats than table have anyway."
)
@lang_option
@output_options()
def list_presets(family: str | None, is_long: bool, lang: str, output: Output) -> None:
    """\b
    Example:
      paipu rules list --family taiwan

    List the shipped presets.
    """
    import polars as pl

    from analysis.rules.catalogue import families
    from analysis.rules.preset import load_preset, shipped_presets

    if family not in (None, *families()):
        raise UsageError(f"there is no family '{family}'; families are {', '.join(families())}")
    presets = [load_preset(preset) for preset in shipped_presets(family)]
    rows = [(p.id, p.names[lang], p.family, p.base, p.unit, p.source, p.hash) for p in presets]
    columns = ["id", "name", "family", "base", "unit", "source", "hash"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    output.write(frame if is_long or output.format != "table" else frame.drop("source", "hash"))


@command.command("show", short_help="Show all rules of a preset.")
@click.argument("preset")
@lang_option
@output_options()
def show(preset: str, lang: str, output: Output) -> None:
    """\b
    Example:
      paipu rules show tw_general

    Show all rules of a preset: tai of each item, options, payment. Items that its options switch off are listed as off.
    """
    import polars as pl

    from analysis.rules.preset import load_preset

    rules = load_preset(preset)
    output.write(pl.DataFrame(_rules(rules, lang), schema=["part", "key", "value", "text"], orient="row"))


def _rules(preset: Preset, lang: str) -> list[tuple[str, str, str, str]]:
    from analysis.rules.catalogue import as_text
    from analysis.score import Plan

    catalogue = preset.catalogue()
    rows = [("preset", "id", preset.id, preset.names[lang]), ("preset", "source", preset.source, "")]
    paying = {term.item for term in Plan([preset]).plans[0].terms}
    worth = {item: _worth(preset, item, pays=item in paying) for item in preset.values}
    rows += [("value", item, text, catalogue.name(item, lang)) for item, text in worth.items() if text]
    rows += [("off", item, "", catalogue.name(item, lang)) for item, text in worth.items() if not text]
    for name, value in preset.options.items():
        rows.append(("option", name, as_text(value), catalogue.options[name].texts[lang]))
    rows += [
        ("unconfirmed", option, reason, catalogue.options[option].texts[lang])
        for option, reason in preset.unconfirmed.items()
    ]
    rows += [("excludes", item, ", ".join(removed), "") for item, removed in preset.excludes.items()]
    rows += [("payment", "base", str(preset.base), ""), ("payment", "unit", str(preset.unit), "")]
    return rows


def _worth(preset: Preset, item: str, *, pays: bool) -> str:
    """Tai or han, how many yakuman, or a mangan in place of everything else; empty for an item that is off."""
    tai, rules = preset.values[item], preset.catalogue().items.get(item)
    if rules is None:  # what another item pays in some hands
        return str(tai)
    if not pays:
        alternative = preset.options.get(f"{item}_value", preset.options.get(item))
        in_use = not rules.local or item in preset.words("local_yaku")
        return "mangan" if in_use and alternative in ("mangan", "mangan_alternative") else ""
    if rules.kind != "yakuman":
        return str(tai)
    times = tai * (2 if item in preset.words("double_yakuman") else 1)
    return "yakuman" if times == 1 else f"{times} yakuman"


@command.command("diff", short_help="Show in what two presets differ.")
@click.argument("a")
@click.argument("b")
@lang_option
@output_options()
def show_diff(a: str, b: str, lang: str, output: Output) -> None:
    """\b
    Example:
      paipu rules diff tw_luohan_v1 tw_luohan_v2

    Show in what two presets differ: tai, options, exclusions and payment.
    """
    import polars as pl

    from analysis.rules.diff import diff
    from analysis.rules.preset import load_preset

    left, right = load_preset(a), load_preset(b)
    catalogue = left.catalogue()
    rows: list[Any] = []
    for part, key, before, after in diff(left, right):
        text = catalogue.options[key].texts[lang] if part == "option" else ""
        if part in ("value", "excludes"):
            text = catalogue.name(key, lang)
        rows.append((part, key, before, after, text))
    names = (left.id, right.id) if left.id != right.id else (f"{left.id} (a)", f"{right.id} (b)")
    if not rows:
        click.echo("paipu: no difference: both score alike", err=True)
    schema = {"part": pl.String, "key": pl.String, names[0]: pl.String, names[1]: pl.String, "text": pl.String}
    output.write(pl.DataFrame(rows, schema=schema, orient="row"))


@command.command("check", short_help="Check preset files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.pass_context
def check(context: click.Context, files: tuple[str, ...]) -> None:
    """\b
    Example:
      paipu rules check my_club.toml

    Check preset files. Exit code 4 if one is not valid; a value of no use is a remark on stderr.
    """
    from analysis.rules.preset import load_preset
    from analysis.rules.remarks import remarks

    bad = False
    for ref in files:
        try:
            preset = load_preset(ref)
        except (RulesError, UsageError) as error:
            bad = True
            click.echo(f"paipu: {one_line(str(error))}", err=True)
        else:
            items = counted(len(preset.values), "item")
            click.echo(f"{ref}: valid, {preset.id}, {items}, hash {preset.hash}")
            for remark in remarks(preset):
                click.echo(f"paipu: {one_line(f'{ref}: {remark}')}", err=True)
    if bad:
        context.exit(RulesError.exit_code)


@command.command("new", short_help="Write a preset file to edit.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--extends", default="tw_general", show_default=True, help="Preset to start from.")
@lang_option
def new(file: Path, extends: str, lang: str) -> None:
    """\b
    Example:
      paipu rules new my_club.toml --extends tw_general

    Write a preset file that starts from another preset, with every option and item as a comment to switch on.
    """
    from analysis.declared import DECLARED
    from analysis.rules.preset import load_preset, shipped_presets
    from analysis.rules.template import new_preset, preset_id
    from reports.export import atomic_file

    if file.exists():
        raise UsageError(f"{file} exists already; give another name")
    if file.suffix != ".toml":
        raise UsageError(f"a preset file ends in .toml: {file}.toml")
    if preset_id(file.stem) in (*shipped_presets(), DECLARED):
        raise UsageError(f"{preset_id(file.stem)} is an id that paipu itself uses; give another name")
    parent = load_preset(extends)
    # A file finds its parent beside itself, so a parent that is a file is named from there.
    named = parent.id if extends in shipped_presets() else Path(os.path.relpath(extends, file.parent)).as_posix()
    text = new_preset(file.stem, parent, extends=named, lang=lang)
    with atomic_file(file) as stream:
        stream.write(text.encode("utf-8"))
    click.echo(
        f"{file} written; change what your club does otherwise, then: paipu rules check {shlex.quote(str(file))}",
        err=True,
    )
