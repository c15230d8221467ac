from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.rules.preset import shipped_presets
from ingest.store import Store
from paipu.cli.main import run


def test_the_whole_line_twice(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "demo"
    assert run(["demo", str(folder), "--lang", "en"]) == 0
    captured = capfd.readouterr()
    assert [line[:2] for line in captured.err.splitlines()[:3]] == ["1.", "2.", "3."]
    assert "simulated" in captured.err
    assert all(preset in captured.out for preset in shipped_presets("taiwan"))
    page = (folder / "compare.html").read_text(encoding="utf-8")
    assert "simulated" in page.lower()
    assert "http://" not in page.replace("http://www.w3.org", "")
    store = Store.open(folder / "store")
    parts = {(preset, batch): path.read_bytes() for preset, _, batch, path in store.score_parts()}
    assert {preset for preset, _ in parts} == set(shipped_presets("taiwan"))

    # A second run finds everything done and says the same, in any language.
    assert run(["demo", str(folder), "--lang", "zh-TW"]) == 0
    chinese = capfd.readouterr().err
    assert "60 將模擬牌局" in chinese
    assert "browser" not in chinese
    assert run(["demo", str(folder), "--lang", "en"]) == 0
    again = capfd.readouterr()
    assert again.out == captured.out
    assert {(preset, batch): path.read_bytes() for preset, _, batch, path in store.score_parts()} == parts

    # The query it proposes is one that works, and the store is in good health.
    query = next(line for line in captured.err.splitlines() if "SELECT" in line).split('"')[1]
    assert run(["sql", "--store", str(folder / "store"), query, "--format", "json"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert {row["preset"] for row in rows} == set(shipped_presets("taiwan"))
    assert run(["check", "--store", str(folder / "store")]) == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [(["a", "b"], ["(b)"]), (["file"], ["file"]), (["--lang", "fr"], ["--lang"]), (["file/demo"], ["file"])],
)
def test_a_mistake_is_one_line(
    args: list[str],
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert run(["demo", *args]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for word in ("paipu: ", *words):
        assert word in captured.err


def test_a_folder_with_other_files_in_the_store_is_left_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "letters.txt").touch()
    assert run(["demo", str(tmp_path)]) == 2
    assert "other files" in capfd.readouterr().err
