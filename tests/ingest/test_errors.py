"""The sentences of rejected records: each says what is wrong and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import ingest
from ingest.errors import ADVICE, RecordError

SOURCES = Path(ingest.__file__).parent


class Call(NamedTuple):
    """A RecordError in the sources. code and message are None where they are not written there; holes become {}."""

    place: str
    code: str | None
    message: str | None

    @property
    def complete(self) -> bool:
        """The message itself says what to do."""
        return self.message is not None and "; " in self.message


def text_of(node: ast.expr, names: dict[str, ast.expr]) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
        case ast.Name(id=name) if name in names:
            return text_of(names[name], {})
    return None


def calls_of(path: Path) -> Iterator[Call]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = sorted((node for node in ast.walk(tree) if hasattr(node, "lineno")), key=lambda node: node.lineno)
    constants = {
        node.target.id: node.value
        for node in nodes
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
    }
    names: dict[str, ast.expr] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = value
            case ast.Call(func=ast.Name(id="RecordError"), args=[code, message]):
                place = f"{path.relative_to(SOURCES)}:{node.lineno}"
                yield Call(place, text_of(code, {}), text_of(message, constants | names))


CALLS = [call for path in sorted(SOURCES.rglob("*.py")) for call in calls_of(path)]


def test_the_calls_are_found() -> None:
    named = sum(path.read_text(encoding="utf-8").count("RecordError(") for path in SOURCES.rglob("*.py"))
    assert len(CALLS) == named - 1  # the class itself


def test_every_message_says_what_to_do() -> None:
    silent = [call for call in CALLS if not call.complete and call.code not in ADVICE]
    # A row of `rejects` that stops a strict run has the sentence of the error that it was made from.
    assert [call.place.partition(":")[0] for call in silent] == ["pipeline.py"]


def test_every_advice_is_needed() -> None:
    assert {call.code for call in CALLS if not call.complete} >= set(ADVICE)


def test_no_message_says_the_advice_of_its_code_itself() -> None:
    assert not [call.place for call in CALLS if call.code in ADVICE and ADVICE[call.code] in (call.message or "")]


def test_advice_is_short_and_plain() -> None:
    for advice in ADVICE.values():
        assert len(advice) <= 100
        assert ";" not in advice
        assert not advice.endswith(".")


def test_advice_follows_a_message_that_only_says_what_is_wrong() -> None:
    problem = RecordError("no_end", "the hand has no end", hand=2, event=5)
    assert problem.message == str(problem) == "the hand has no end; give paipu the whole log, if there is one"
    assert (problem.hand, problem.event, problem.code) == (2, 5, "no_end")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("no_end", "the hand has no end; add it"),
        ("no_advice_for_it", "something is wrong"),
    ],
)
def test_other_messages_stay_as_they_are(code: str, message: str) -> None:
    assert RecordError(code, message).message == message


def test_an_error_made_of_another_has_the_advice_once() -> None:
    first = RecordError("no_end", "the hand has no end")
    again = RecordError("no_end", f"a.json, game 3, hand 2: {first.message} [no_end]")
    assert again.message.count(ADVICE["no_end"]) == 1


@pytest.mark.parametrize("length", [300, 399, 400, 10_000])
def test_a_long_message_keeps_its_beginning_and_the_advice(length: int) -> None:
    for code, advice in ADVICE.items():
        message = RecordError(code, "x" * length).message
        assert len(message) <= 403
        assert message.startswith("x" * 200)
        assert message.endswith(f"x; {advice}")


def test_a_long_message_keeps_its_own_end() -> None:
    message = RecordError("bad_seat", f"dealer is {'9' * 1000}; seats are 0, 1, 2 and 3").message
    assert len(message) == 403
    assert message.endswith("9; seats are 0, 1, 2 and 3")
