"""Tables on terminals of 40 to 200 columns, with Chinese text, which takes two columns a letter."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from reports.export import encode_frame
from reports.terminal import terminal_table

WIDTHS = (40, 80, 120, 200)
PRESETS = ["tw_zhengzong", "tw_general", "tw_flower_honor", "tw_full", "tw_online", "tw_luohan_v1", "tw_luohan_v2"]
SCORE = pl.DataFrame(
    {"台種": ["獨聽", "牌面台數", "莊家台數", "各家付", "胡牌者得"]}
    | {name: ["", "1", "1", "100 / 140", "380"] for name in PRESETS}
)
SENTENCE = "每套規則都是同樣的胡牌；不成立的胡牌計 0 台。Some words in English follow, too."
TEXTS = pl.DataFrame(
    {"部分": ["option"] * 30, "key": ["single_wait_with_fully_melded"] * 30, "說明": [SENTENCE] * 30, "n": range(30)}
)
WIDE = pl.DataFrame({f"column_{n}": [f"value {n} of {row}" for row in range(50)] for n in range(24)})


def shown(frame: pl.DataFrame, width: int) -> list[str]:
    lines = encode_frame(frame, format="table", width=width).decode().splitlines()
    assert max(map(cell_len, lines)) <= width
    return lines


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("frame", [SCORE, TEXTS, WIDE], ids=["score", "texts", "wide"])
def test_no_line_is_wider_than_the_terminal(frame: pl.DataFrame, width: int) -> None:
    shown(frame, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_never_split_in_the_middle(width: int) -> None:
    text = "\n".join(shown(SCORE, width))
    for name in (*PRESETS, *SCORE["台種"]):
        assert name in text


def test_a_table_that_fits_turned_round_is_turned_round() -> None:
    assert shown(SCORE, 120)[0].split() == ["台種", *PRESETS]
    turned = shown(SCORE, 80)
    assert turned[0].split() == ["台種", *SCORE["台種"]]
    assert turned[2].split() == ["tw_zhengzong", "1", "1", "100", "/", "140", "380"]


def test_names_are_broken_after_an_underscore_before_all_is_shown_as_records() -> None:
    """Turned round, the English names of the items are too many for 80 columns."""
    names = ["Concealed self-draw bonus", "Declared ready", "No honours, no flowers", "Last tile drawn", "Hand tai"]
    names += ["Each pays", "Winner receives", "Undetermined"]
    lines = shown(pl.DataFrame({"Item": names} | {preset: ["0 / 1"] * 8 for preset in PRESETS}), 80)
    assert lines[0].split() == ["Item", "tw_", "tw_", "tw_", "tw_full", "tw_", "tw_", "tw_"]
    assert lines[1].split() == ["zhengzong", "general", "flower_", "online", "luohan_", "luohan_"]
    assert lines[2].split() == ["honor", "v1", "v2"]
    # A range is not broken.
    assert "\n".join(lines).count("0 / 1") == 8 * 7


@pytest.mark.parametrize("width", WIDTHS)
def test_folding_loses_no_text(width: int) -> None:
    frame = TEXTS.head(1)
    text = re.sub(r"\s", "", "".join(shown(frame, width)))
    assert all(text.count(letter) >= SENTENCE.count(letter) for letter in set(SENTENCE) - {" "})


def test_text_folds_between_words() -> None:
    lines = shown(pl.DataFrame({"key": ["a"], "text": ["one two three four"]}), 15)
    assert lines == ["key  text", "───  ──────────", "a    one two", "     three four"]


def test_a_line_does_not_begin_with_a_full_stop() -> None:
    for width in range(20, 60):
        for line in shown(TEXTS.select("說明").head(1), width):
            assert not line.strip().startswith(("；", "。", ","))


def test_what_does_not_fit_is_shown_as_records_and_says_so() -> None:
    names, rows = WIDE.columns, [[str(cell) for cell in row] for row in WIDE.iter_rows()]
    table = terminal_table(names, rows, [False] * 24, width=80)
    lines = table.text.splitlines()
    assert lines[0].startswith("─ 1 ─")
    assert lines[1] == "column_0   value 0 of 0"
    assert lines[25].startswith("─ 2 ─")
    assert len(lines) == 20 * 25
    assert table.note == "20 of 50 rows shown; -o FILE.csv writes them all"
    assert terminal_table(names, rows[:3], [False] * 24, width=80).note == ""


def test_long_json_is_cut_and_says_so() -> None:
    cell = "{" + ", ".join(f'"option_{n}": true' for n in range(40)) + "}"
    table = terminal_table(["id", "declared_options"], [["a", cell]] * 20, [False, False], width=80)
    assert len(table.text.splitlines()) == 22
    assert table.text.count("…") == 20
    assert "-o FILE.csv" in table.note


@pytest.mark.parametrize(
    ("value", "text"),
    [(1 / 3, "0.3333"), (1234567.891234, "1234567.8912"), (0.5, "0.5"), (-2.0, "-2"), (0.00123456, "0.001235")],
)
def test_a_table_has_four_decimals_and_data_are_exact(value: float, text: str) -> None:
    frame = pl.DataFrame({"x": [value]})
    assert encode_frame(frame, format="table").decode().splitlines()[2].strip() == text
    assert shown(frame, 80)[2].strip() == text
    assert float(encode_frame(frame, format="csv").split()[1]) == value


@pytest.mark.parametrize("width", WIDTHS)
def test_a_command_on_a_terminal(width: int) -> None:
    """Through a real terminal: stdout fits it; in a pipe every row stays on one line."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    main, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    command = [sys.executable, "-m", "paipu", "rules", "show", "tw_general", "--lang", "zh-TW"]
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | {"NO_COLOR": "1"}
    process = subprocess.Popen(command, stdout=screen, stderr=subprocess.PIPE, cwd=root, env=environment)
    os.close(screen)
    data = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        data += piece
    os.close(main)
    _, errors = process.communicate()
    assert process.returncode == 0
    assert errors.count(b"\n") == (width == 40)
    lines = data.decode().splitlines()
    assert "\x1b" not in data.decode()
    assert max(map(cell_len, lines)) <= width
    piped = subprocess.run(command, capture_output=True, cwd=root, check=True).stdout.decode().splitlines()
    assert len([line for line in piped if line.startswith("payment")]) == 2


def test_one_long_cell_does_not_squeeze_the_other_columns() -> None:
    """Twenty short values and a long one beside explanations: the explanations get the room."""
    frame = pl.DataFrame({"value": [*["true"] * 20, "a source of many words " * 3], "text": [SENTENCE] * 21})
    widths = [len(rule) for rule in shown(frame, 80)[1].split()]
    assert widths[1] > 2 * widths[0]


def test_an_identifier_in_a_sentence_stays_whole() -> None:
    frame = pl.DataFrame(
        {"a": ["only"], "text": ["兩個台種必然同時成立時只計較高的（highest_only），或大多並計（app_style）"]}
    )
    for width in range(24, 80):
        text = "\n".join(shown(frame, width))
        assert "highest_only" in text
        assert "app_style" in text


CELL = st.text(alphabet="ab 1_,。，（）胡牌台數\u0301🀄", max_size=50)


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(CELL, min_size=n, max_size=n), max_size=15)), st.data())
def test_any_table_fits_and_keeps_its_text(rows: list[list[str]], data: st.DataObject) -> None:
    width = data.draw(st.integers(20, 120))
    names = [f"列{n}" for n in range(len(rows[0]) if rows else 2)]
    table = terminal_table(names, rows, [False] * len(names), width=width)
    assert all(cell_len(line) <= width for line in table.text.splitlines())
    assert table.note == ""
    for letter in "ab胡牌":
        assert table.text.count(letter) == sum(cell.count(letter) for row in rows for cell in row)
