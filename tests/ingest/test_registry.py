"""The list of formats: each can be loaded, tells its own logs from others', and does what the support matrix says."""

from __future__ import annotations

import gzip
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from ingest import formats
from ingest.errors import UsageError
from ingest.formats.base import Format
from ingest.formats.support import TABLES, support
from ingest.pipeline import ingest
from ingest.record import SCHEMAS
from ingest.store import Store
from tests.ingest.logs import jsonl, win

SHARED_LOGS = Path(__file__).resolve().parents[3] / "shared" / "logs"


@pytest.mark.parametrize("name", formats.FORMATS)
def test_each_name_is_that_of_its_format(name: str) -> None:
    found = formats.load(name)
    assert isinstance(found, Format)
    assert found.name == name


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(UsageError, match="there is no format 'paipuu'; did you mean 'paipu'"):
        formats.load("paipuu")


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\x00" * 100,
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"a,b,c\n1,2,3\n",
        b"<mjloggm>",
        b"{" * 5000,
        b"[" * 5000,
    ],
)
@pytest.mark.parametrize("name", formats.FORMATS)
def test_no_format_takes_what_is_not_its_own(name: str, head: bytes) -> None:
    assert not formats.load(name).sniff(head)


def test_a_log_is_recognised_by_exactly_one_format() -> None:
    heads = {"paipu": [jsonl(win("g1"))]}
    if SHARED_LOGS.is_dir():
        heads["mahjong16"] = [p.read_bytes()[:65536] for p in (SHARED_LOGS / "taiwan").glob("*.csv")]
        heads["omu"] = [gzip.decompress(p.read_bytes())[:65536] for p in (SHARED_LOGS / "omu").glob("*.gz")]
    for expected, found in heads.items():
        for head in found:
            assert [name for name in formats.FORMATS if formats.load(name).sniff(head)] == [expected]


def test_the_matrix_names_every_format_and_only_columns_that_exist() -> None:
    with files("ingest.formats").joinpath("support.toml").open("rb") as file:
        stated = tomllib.load(file)
    assert list(stated) == list(formats.FORMATS)
    for tables in stated.values():
        assert list(tables) == list(TABLES)
        for table, lists in tables.items():
            assert set(lists) == {"filled", "derived"}
            named = [*lists["filled"], *lists["derived"]]
            assert len(named) == len(set(named)), "a column is listed once"
            assert set(named) <= set(SCHEMAS[table].names)
            needed = {field.name for field in SCHEMAS[table] if not field.nullable}
            if named or table == "games":
                assert needed <= set(named), "a column that cannot be null is always given"


def _observed(store: Store) -> set[tuple[str, str]]:
    found = set()
    for table in TABLES:
        for batch in store.batches():
            part = store.read(table, batch)
            found |= {(table, name) for name in part.column_names if part.column(name).null_count < part.num_rows}
    return found


def _stated(name: str) -> set[tuple[str, str]]:
    return {column for column, level in support()[name].items() if level != "null"}


@pytest.mark.skipif(not SHARED_LOGS.is_dir(), reason="needs the collected logs")
@pytest.mark.parametrize(("name", "folder"), [("mahjong16", "taiwan"), ("omu", "omu")])
def test_the_matrix_says_what_readers_give(tmp_path: Path, name: str, folder: str) -> None:
    store = Store.create(tmp_path)
    ingest([SHARED_LOGS / folder], store, format=None)
    assert _observed(store) == _stated(name)


def test_the_matrix_covers_what_wins_only_records_give(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl(win("g1")))
    store = Store.create(tmp_path / "store")
    ingest([tmp_path / "a.jsonl"], store)
    observed = _observed(store)
    assert ("wins", "km") in observed
    assert observed <= _stated("paipu")
