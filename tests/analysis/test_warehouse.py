from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from analysis.warehouse import VIEWS, build_database, connect, query, sql_file, sql_names, tables_markdown, view_columns
from ingest.errors import UnreadableInputError, UsageError
from ingest.melds import N_CODES, format_meld
from ingest.record import SCHEMAS
from ingest.store import Store
from ingest.tiles import NAMES, count_kinds, decimal_keys, format_tiles
from tests.analysis.small_store import GAME, PLAYERS, PRESET, make_store, score_row, write_scores

DOCS = Path(__file__).resolve().parents[2] / "docs" / "tables.md"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return make_store(tmp_path_factory.mktemp("warehouse") / "it's a store")


@pytest.fixture(scope="module")
def connection(store: Store) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = connect(store.path)
    yield connection
    connection.close()


def test_a_win_reads_as_text(connection: duckdb.DuckDBPyConnection) -> None:
    row = query(connection, "FROM wins").row(0, named=True)
    expected = {
        "game_id": GAME,
        "winner_player": "paipu:Bo",
        "winner_wind": "S",
        "payer_player": "paipu:蔡小姐",
        "payer_wind": "W",
        "dealer_player": "paipu:Ann",
        "by_dealer": False,
        "round_wind": "E",
        "win_kind": "discard",
        "hand": "345m99p123789sFFF",
        "win_tile": "5m",
        "melds": ["chow:234p", "kong_concealed:EEEE"],
        "flowers": ["f2", "f6"],
        "replacement": "none",
        "ready": "normal",
        "eye_players": [0, 3],
        "last_tile": False,
        "heavenly": None,
        "flower_mode": None,
        "robbed_flower": None,
    }
    assert {key: row[key] for key in expected} == expected


def test_every_tile_meld_and_count_key_reads_as_in_python(connection: duckdb.DuckDBPyConnection) -> None:
    kinds = query(connection, "SELECT tile_text(kind) AS t FROM range(42) AS r(kind)")["t"].to_list()
    assert kinds == list(NAMES)
    melds = query(connection, f"SELECT meld_text(code) AS t FROM range(1, {N_CODES}) AS r(code)")["t"].to_list()
    assert melds == [format_meld(code) for code in range(1, N_CODES)]
    for held in ([0, 0, 8, 9, 17, 17, 17, 26, 27, 33, 33], [*range(34)], [31]):
        km, kp, ks, kh = decimal_keys(count_kinds(held))
        sql = f"SELECT suit_text({km}, 'm') || suit_text({kp}, 'p') || suit_text({ks}, 's') || honour_text({kh}) AS t"
        assert query(connection, sql)["t"][0] == format_tiles(held)


def test_scores_items_and_payments(connection: duckdb.DuckDBPyConnection) -> None:
    score = query(connection, "SELECT preset, hand_tai, winner_player, winner_receives FROM scores").row(0)
    assert score == (PRESET, 4, "paipu:Bo", 180)
    items = query(connection, "SELECT item, count, value FROM score_items ORDER BY item").rows()
    assert items == [("dragon_pung", 1, 2), ("flower", 2, 2)]
    payments = query(connection, "SELECT player, amount FROM score_payments ORDER BY seat").rows()
    assert payments == list(zip(PLAYERS, [0, 180, -180, 0], strict=True))


@pytest.mark.parametrize(("lang", "name"), [("zh-TW", "自摸"), ("zh-CN", "自摸"), ("en", "Self-draw")])
def test_items_have_their_names(lang: str, name: str, tmp_path: Path) -> None:
    items = [{"id": "self_draw", "count": 1, "value": 1}, {"id": "of_a_club", "count": 1, "value": 3}]
    store = make_store(tmp_path / "s", scores=[score_row(items=items)])
    rows = query(connect(store.path, lang=lang), "SELECT item, item_name FROM score_items ORDER BY item").rows()
    assert rows == [("of_a_club", None), ("self_draw", name)]


def test_players_are_counted_from_their_seats(connection: duckdb.DuckDBPyConnection) -> None:
    rows = query(connection, "SELECT player, n_games, n_hands, n_wins, n_self_draws, n_deal_ins, delta FROM players")
    assert dict(zip(rows["player"], rows.drop("player").rows(), strict=True)) == {
        "paipu:Ann": (1, 2, 0, 0, 0, 0),
        "paipu:Bo": (1, 2, 1, 0, 0, 180),
        "paipu:蔡小姐": (1, 2, 0, 0, 1, -180),
        "paipu:Dee": (1, 2, 0, 0, 0, 0),
    }


def test_only_the_rules_written_last_are_shown(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s", scores=[])
    write_scores(store, [score_row(preset_hash="zz-old", hand_tai=9)], written=1_000)
    write_scores(store, [score_row(preset_hash="aa-new", hand_tai=4)], written=2_000)
    write_scores(store, [score_row(preset="club", preset_hash="c", hand_tai=7)], written=500)
    rows = query(connect(store.path), "SELECT preset, preset_hash, hand_tai FROM scores ORDER BY preset").rows()
    assert rows == [("club", "c", 7), (PRESET, "aa-new", 4)]


def test_an_empty_store_has_the_same_types(tmp_path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    Store.create(tmp_path / "empty")
    empty = connect(tmp_path / "empty")
    assert view_columns(empty) == view_columns(connection)
    for table in SCHEMAS:
        types = [row[:2] for row in empty.execute(f"DESCRIBE staging.{table}").fetchall()]
        assert types == [row[:2] for row in connection.execute(f"DESCRIBE staging.{table}").fetchall()], table
    assert all(query(empty, f"FROM {view}").height == 0 for view in VIEWS)


def test_seats_can_be_subtracted(connection: duckdb.DuckDBPyConnection) -> None:
    assert query(connection, "SELECT dealer - winner AS d FROM wins")["d"].to_list() == [-1]


def test_every_view_and_column_has_a_comment(connection: duckdb.DuckDBPyConnection) -> None:
    assert {column.view for column in view_columns(connection)} == set(VIEWS)
    assert [column for column in view_columns(connection) if not column.description] == []
    comments = connection.execute(
        "SELECT schema_name || '.' || view_name, comment FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    assert len(comments) == len(VIEWS) + len(SCHEMAS)
    assert [name for name, comment in comments if not comment] == []


@pytest.mark.parametrize("name", sql_names("core"))
def test_headers_tell_the_truth(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    assert name in VIEWS
    file = sql_file("core", name)
    columns = {column.name for column in view_columns(connection) if column.view == name}
    assert file.description
    assert set(file.grain) <= columns
    assert set(file.checks) <= set(sql_names("checks"))


def test_every_check_guards_a_view() -> None:
    named = {check for name in sql_names("core") for check in sql_file("core", name).checks}
    assert named == set(sql_names("checks"))


def test_tables_md_is_up_to_date() -> None:
    assert DOCS.read_text("utf-8") == tables_markdown(), "run: python -m analysis.warehouse > docs/tables.md"


@pytest.mark.parametrize(
    "sql",
    [
        "COPY wins TO '{store}/x.csv'",
        "COPY (PIVOT seats ON seat USING count(*)) TO '{store}/x.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{store}/x.csv'",
        "/* a */ EXPLAIN -- b\n ANALYZE COPY (SELECT 1) TO '{store}/x.csv'",
        "COPY (SELECT 1 AS a) TO '{store}/wins/b.parquet'",
        "INSTALL httpfs",
        "ATTACH '{store}/x.db'",
        "EXPORT DATABASE '{store}/x'",
        "CREATE TABLE t AS SELECT 1",
        "DROP VIEW wins",
        "SET lock_configuration = false",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_parquet('{store}/wins/.secret')",
        "SELECT * FROM glob('/etc/*')",
        "FROM '/etc/passwd'",
        "FROM store",
        "SELECT 1; SELECT 2",
        "",
        "-- nothing",
    ],
)
def test_a_query_reads_the_views_and_nothing_else(
    sql: str, store: Store, connection: duckdb.DuckDBPyConnection
) -> None:
    before = sorted((str(path), path.stat().st_mtime_ns) for path in store.path.rglob("*"))
    with pytest.raises(UsageError) as refused:
        query(connection, sql.replace("{store}", str(store.path).replace("'", "''")))
    assert "\n" not in str(refused.value)
    assert sorted((str(path), path.stat().st_mtime_ns) for path in store.path.rglob("*")) == before


def test_the_connection_itself_cannot_write_or_read_elsewhere(
    store: Store, connection: duckdb.DuckDBPyConnection
) -> None:
    folder = str(store.path).replace("'", "''")
    for sql in (f"COPY (SELECT 1 AS a) TO '{folder}/wins/b.parquet'", "COPY (SELECT 1) TO '/tmp/x.csv'"):
        with pytest.raises(duckdb.PermissionException):
            connection.execute(sql)
    with pytest.raises(duckdb.InvalidInputException, match="locked"):
        connection.execute("SET enable_external_access = true")


@pytest.mark.parametrize(
    ("sql", "near_miss", "place"),
    [
        ("SELECT winer FROM wins", '"winner"', "(line 1, column 8)"),
        ("SELECT 1\nFROM winz", '"wins"', "(line 2, column 6)"),
        ("SELECT '台灣', oops FROM wins", "Referenced column", "(line 1, column 14)"),
        (f"SELECT {'winner,' * 30} oops FROM wins", "Referenced column", f"(line 1, column {7 + 7 * 30 + 2})"),
        ("SELCT 1", "syntax error", "(line 1, column 1)"),
    ],
)
def test_a_typo_is_one_line_with_its_place(
    sql: str, near_miss: str, place: str, connection: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(UsageError) as error:
        query(connection, sql)
    assert "\n" not in str(error.value)
    assert near_miss in str(error.value)
    assert str(error.value).endswith(place)


def test_results_of_any_type(connection: duckdb.DuckDBPyConnection) -> None:
    frame = query(connection, "SELECT 1 AS a, 2 AS a, INTERVAL 90 minute AS i, sum(delta) AS s FROM seats")
    assert frame.columns == ["a", "a_2", "i", "s"]
    assert frame.row(0) == (1, 2, "5400 seconds", 0)
    assert frame.schema["s"].is_integer()
    with pytest.raises(UsageError, match="intervals"):
        query(connection, "SELECT {'a': INTERVAL 1 day} AS x")
    assert query(connection, "PIVOT seats ON seat USING count(*) GROUP BY hand_no").height == 2
    assert query(connection, "DESCRIBE wins").height > 30
    assert query(connection, "EXPLAIN SELECT 1").height == 1


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    part = store.part("wins", "b")
    data = bytearray(part.read_bytes())
    part.write_bytes(data[:-20])
    with pytest.raises(UnreadableInputError, match=r"wins/b\.parquet"):
        connect(store.path)
    data[4:400] = os.urandom(396)
    part.write_bytes(data)
    with pytest.raises(UnreadableInputError, match=r"wins/b\.parquet"):
        query(connect(store.path), "FROM staging.wins")


def test_a_damaged_score_part_is_named(tmp_path: Path) -> None:
    store = make_store(tmp_path / "s")
    store.score_part(PRESET, "new", "b").write_bytes(b"PAR1 no")
    with pytest.raises(UnreadableInputError, match=r"new/b\.parquet: damaged.*run paipu rescore"):
        connect(store.path)


def test_a_query_too_large_for_the_memory_is_one_line(store: Store) -> None:
    with pytest.raises(UsageError, match="ask for less") as error:
        query(connect(store.path, memory_limit="20MB"), "SELECT list(i) FROM range(100000000) AS r(i)")
    assert "\n" not in str(error.value)


def test_nothing_draws_on_stdout(connection: duckdb.DuckDBPyConnection) -> None:
    assert query(connection, "SELECT current_setting('enable_progress_bar') AS on").row(0) == (False,)


def test_no_store_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store"):
        connect(tmp_path / "none")


def test_a_database_file_has_the_tables_and_comments(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "season's.duckdb"
    file.write_text("an older one")
    counts = build_database(store.path, file)
    assert (counts["wins"], counts["seats"], counts["score_payments"]) == (1, 8, 4)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    with duckdb.connect(str(file), read_only=True) as built:
        assert built.execute("SELECT hand FROM wins").fetchall() == [("345m99p123789sFFF",)]
        tables = built.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall()
        assert {name for name, _ in tables} == set(VIEWS)
        assert all(comment for _, comment in tables)
        assert built.execute(
            "SELECT count(*) FROM duckdb_columns() WHERE comment IS NULL AND NOT internal"
        ).fetchall() == [(0,)]


def test_a_database_that_cannot_be_written_leaves_nothing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        build_database(store.path, tmp_path / "none" / "x.duckdb")
    with pytest.raises(UsageError, match="is a folder"):
        build_database(store.path, tmp_path)
    assert list(tmp_path.iterdir()) == []
