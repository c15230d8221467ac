"""Options that commands share: the store, the language, and where and how a result is written."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click

from ingest.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

F = TypeVar("F", bound=Callable[..., Any])

LANGS: Final = ("zh-TW", "zh-CN", "en")
FORMATS: Final = ("table", "csv", "json", "jsonl", "markdown", "parquet", "xlsx")
BINARY_FORMATS: Final = ("parquet", "xlsx")
_SUFFIXES: Final = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}


def store_option(function: F) -> F:
    """Adds `--store`; the command gets `store: Path` (open it with ingest.store)."""
    return click.option(
        "--store",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("paipu-store"),
        envvar="PAIPU_STORE",
        show_default=True,
        show_envvar=True,
        help="Folder of the store.",
    )(function)


def default_lang() -> str:
    """Language of the user's locale; zh-TW unless it says otherwise."""
    locale = next((os.environ[key] for key in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(key)), "")
    tag = locale.split(".")[0].replace("_", "-").lower()
    if tag.startswith(("zh-cn", "zh-sg", "zh-hans")):
        return "zh-CN"
    return "en" if tag.startswith("en") else "zh-TW"


class _Lang(click.Choice[str]):
    """One of LANGS, also written as in a locale (zh_TW) or as the language alone."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        tag = str(value).replace("_", "-")
        return super().convert("zh-TW" if tag.lower() == "zh" else tag, param, ctx)


def lang_option(function: F) -> F:
    """Adds `--lang`; the command gets `lang: str`, one of LANGS."""
    return click.option(
        "--lang",
        type=_Lang(LANGS, case_sensitive=False),
        default=default_lang,
        envvar="PAIPU_LANG",
        show_default="from LANG, else zh-TW",
        show_envvar=True,
        help="Language of names and labels.",
    )(function)


def _split(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    refs = [ref.strip() for value in values for ref in value.split(",")]
    return tuple(ref for ref in refs if ref)


def preset_option(function: F) -> F:
    """Adds `--preset`; the command gets `presets: tuple[str, ...]`, ids and files, empty for all shipped ones."""
    return click.option(
        "--preset",
        "presets",
        multiple=True,
        callback=_split,
        metavar="ID|FILE,…",
        help="Presets by id or file, separated by commas; default: all shipped ones.",
    )(function)


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where a result goes and in which format. `path` None is stdout."""

    format: str
    path: Path | None
    bom: bool = False

    def write(self, frame: pl.DataFrame, *, title: str | None = None) -> None:
        from reports.export import write_frame

        write_frame(frame, format=self.format, output=self.path, title=title, bom=self.bom)

    def write_objects(self, objects: Iterable[Mapping[str, Any]]) -> None:
        from reports.export import write_objects

        write_objects(objects, format=self.format, output=self.path, bom=self.bom)


def resolve_output(format_: str | None, output: str | None, *, bom: bool, default: str) -> Output:
    """The Output of these option values. Raises UsageError when the format cannot be told or cannot go there."""
    path = None if output in (None, "-") else Path(str(output))
    if format_ is None and path is not None:
        format_ = _SUFFIXES.get(path.suffix.lower())
        if format_ is None:
            raise UsageError(f"cannot tell the format of '{path}' from its name; add --format ({', '.join(FORMATS)})")
    format_ = format_ or default
    if path is None and format_ in BINARY_FORMATS and sys.stdout.isatty():
        raise UsageError(f"{format_} is not for a terminal; give a file with -o FILE.{format_}")
    if bom and format_ != "csv":
        raise UsageError(f"--bom is for csv, not for {format_}")
    return Output(format=format_, path=path, bom=bom)


def output_options(*, default: str = "table") -> Callable[[F], F]:
    """Adds `--format`, `-o/--output` and `--bom`; the command gets one `output: Output`."""

    def decorate(function: F) -> F:
        @click.option(
            "--format",
            "format_",
            type=click.Choice(FORMATS),
            help=f"Format of the output; default: told by the name of -o FILE, else {default}.",
        )
        @click.option("-o", "--output", "output", metavar="FILE", help="Write to this file; - is stdout.")
        @click.option("--bom", is_flag=True, help="Begin a csv with a byte-order mark, for Excel.")
        @functools.wraps(function)
        def wrapped(*args: Any, format_: str | None, output: str | None, bom: bool, **kwargs: Any) -> Any:
            return function(*args, output=resolve_output(format_, output, bom=bom, default=default), **kwargs)

        return cast("F", wrapped)

    return decorate
