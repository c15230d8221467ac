"""What the documents show works: every query of docs/questions.md, every line of docs/format-paipu.md."""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import pytest

import paipu
from paipu.cli.main import run

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(document: str, language: str) -> list[str]:
    parts = (DOCS / document).read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return [part.split("```")[0] for part in parts]


QUERIES = blocks("questions.md", "sql")
MAY_BE_EMPTY = ("HAVING NOT bool_or(s.legal)", "w.recorded_tai <> s.hand_tai")
"""Of the sample season every win is one, and counted by the preset that the question compares with."""


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("season") / "store"
    with as_file(files("paipu.data") / "samples" / "season.jsonl.gz") as log:
        paipu.ingest([log], store)
    paipu.rescore(store, ["tw_general", "tw_full", "tw_online"])
    return store


@pytest.mark.parametrize("number", range(len(QUERIES)))
def test_every_question_is_answered(
    number: int, season: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    query = tmp_path / "query.sql"
    query.write_text(QUERIES[number], encoding="utf-8")
    assert run(["sql", "--store", str(season), "-f", str(query), "--format", "json"]) == 0
    captured = capfd.readouterr()
    assert captured.err == ""
    rows: list[Any] = json.loads(captured.out)
    assert bool(rows) != any(words in QUERIES[number] for words in MAY_BE_EMPTY)


def test_there_are_questions() -> None:
    assert len(QUERIES) >= 5
    assert all(any(words in query for query in QUERIES) for words in MAY_BE_EMPTY)


def test_the_examples_of_the_format_are_ingested_and_check(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log, store = tmp_path / "examples.jsonl", str(tmp_path / "store")
    log.write_text("".join(blocks("format-paipu.md", "json")), encoding="utf-8")
    assert run(["ingest", str(log), "--store", store, "--lang", "en"]) == 0
    assert run(["rescore", "--store", store]) == 0
    capfd.readouterr()
    assert run(["check", "--store", store, "--lang", "en", "--format", "json"]) == 0
    findings = json.loads(capfd.readouterr().out)
    assert [row for row in findings if row["part"] in ("rejects", "difference", "wins")] == []
    # The game of full play and the win that names its rules; both are counted as tw_general counts them.
    (compared,) = [row for row in findings if row["part"] == "recorded"]
    assert (compared["name"], compared["status"], compared["count"]) == ("tw_general", "ok", 2)
