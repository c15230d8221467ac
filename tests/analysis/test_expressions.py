from __future__ import annotations

import ast

import numpy as np
import pytest

from analysis.rules.expressions import compile_columns, fold, names, parse
from ingest.errors import RulesError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a and", "is not a condition"),
        ("", "is not a condition"),
        ("f(a)", "Call"),
        ("a.b", "Attribute"),
        ("a[0]", "Subscript"),
        ("lambda: a", "Lambda"),
        ("[x for x in a]", "ListComp"),
        ("a ** 9", "Pow"),
        ("a / b", "Div"),
        ("a if b else __import__('os')", "Call"),
        ("1 < a < 3", "join them with 'and'"),
        ("a in b", "In"),
        ("(a := 1)", "NamedExpr"),
        ("f'{a}'", "JoinedStr"),
    ],
)
def test_only_the_small_language_is_read(text: str, words: str) -> None:
    with pytest.raises(RulesError, match="item x: ") as error:
        parse(text, "item x")
    assert words in str(error.value)


def test_names_are_facts_and_options() -> None:
    assert names(parse("a and (b == 'c' or not d) and 2 * e > f", "x")) == {"a", "b", "d", "e", "f"}


@pytest.mark.parametrize(
    ("text", "options", "left"),
    [
        ("a and mode == 'x'", {"mode": "x"}, "a"),
        ("a and mode == 'x'", {"mode": "y"}, "False"),
        ("a or mode == 'x'", {"mode": "x"}, "True"),
        ("a or mode == 'x'", {"mode": "y"}, "a"),
        ("a and b and on", {"on": True}, "a and b"),
        ("not on and a", {"on": True}, "False"),
        ("a if on else b and c", {"on": False}, "b and c"),
        ("(a if x == 'p' else b) if y == 'q' else c", {"x": "r", "y": "q"}, "b"),
        ("on and off", {"on": True, "off": False}, "False"),
        ("on and on2", {"on": True, "on2": True}, "True"),
        ("n >= 3", {"n": 3}, "True"),
        ("limit == 3", {"limit": None}, "False"),
        ("a and not on", {"on": False}, "a"),
    ],
)
def test_options_are_folded_away(text: str, options: dict[str, object], left: str) -> None:
    tree = parse(text, "x")
    before = ast.dump(tree)
    assert ast.unparse(fold(tree, options)) == left
    assert ast.dump(tree) == before


def test_only_options_decide_between_two_conditions() -> None:
    with pytest.raises(RulesError, match="only an option"):
        fold(parse("a if fact else b", "x"), {"mode": 1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p and not q", [False, False, False, True]),
        ("p or q", [True, True, False, True]),
        ("not (p or q)", [False, False, True, False]),
        ("n == 2 and p", [False, True, False, False]),
        ("n + 1 >= 2 or q", [True, True, True, True]),
        ("n * 2", [2, 4, 6, 8]),
        ("n - 1", [0, 1, 2, 3]),
    ],
)
def test_whole_columns(text: str, expected: list[object]) -> None:
    columns = {
        "p": np.array([False, True, False, True]),
        "q": np.array([True, True, False, False]),
        "n": np.array([1, 2, 3, 4]),
    }
    code = compile_columns(parse(text, "x"))
    assert eval(code, {"__builtins__": {}}, columns).tolist() == expected
