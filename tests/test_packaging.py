"""What an installed paipu consists of: the list of packages, and a wheel that works from anywhere."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP = ("analysis", "data", "ingest", "paipu", "reports")


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def folders_with_python() -> set[str]:
    found = set()
    for top in TOP:
        for path in (ROOT / top).rglob("*.py"):
            found.add(".".join(path.parent.relative_to(ROOT).parts))
    return {name.replace("data", "paipu.data", 1) if name.split(".")[0] == "data" else name for name in found}


def files_to_ship() -> set[str]:
    """Every file of the packages, by its name in the wheel."""
    found = set()
    for top in TOP:
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
                name = path.relative_to(ROOT).as_posix()
                found.add(f"paipu/{name}" if top == "data" else name)
    return found


def test_every_package_is_listed_once() -> None:
    listed = project()["tool"]["setuptools"]["packages"]
    assert sorted(set(listed)) == sorted(listed), "listed twice"
    assert set(listed) == folders_with_python()


def test_every_folder_on_the_way_is_a_package() -> None:
    """A folder without __init__.py would be found by luck only."""
    for name in folders_with_python():
        folder = ROOT / name.replace("paipu.data", "data", 1).replace(".", "/")
        assert (folder / "__init__.py").exists(), name


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built of a copy: a build leaves its traces in the source tree."""
    if importlib.util.find_spec("setuptools") is None or importlib.util.find_spec("pip") is None:
        pytest.skip("needs pip and setuptools")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for top in TOP:
        shutil.copytree(ROOT / top, source / top, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, source / name)
        else:
            pytest.skip(f"there is no {name} yet")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(target)]
    built = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    (found,) = target.glob("*.whl")
    return found


def test_the_wheel_holds_every_file_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    info = {name for name in names if ".dist-info/" in name}
    assert any(name.endswith("licenses/LICENSE") for name in info)
    assert names - info == files_to_ship()


def test_an_installed_paipu_finds_its_data_from_anywhere(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = """
import json, sys, paipu, reports.i18n
from importlib.resources import files
from analysis.warehouse import VIEWS
from paipu.cli.main import run
print(json.dumps([paipu.__file__, (files("paipu.data") / "samples" / "season.jsonl.gz").is_file(), len(VIEWS)]))
assert reports.i18n.texts("en").section("score")
sys.exit(run(["rules", "list", "--format", "json"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, _, presets = done.stdout.partition("\n")
    where, sample, views = json.loads(first)
    assert Path(where).is_relative_to(site)
    assert sample
    assert views
    assert {row["id"] for row in json.loads(presets)} >= {"tw_general", "tw_luohan_v2"}


def test_the_console_command() -> None:
    script = project()["project"]["scripts"]["paipu"]
    module, _, function = script.partition(":")
    assert callable(getattr(__import__(module, fromlist=[function]), function))


def test_the_command_works_from_another_folder(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "paipu", "rules", "list", "--format", "csv"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "tw_zhengzong" in done.stdout
    assert list(tmp_path.iterdir()) == []
