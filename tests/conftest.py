"""Shared by all tests."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; others with --hypothesis-profile=default.
settings.register_profile("same", derandomize=True)
settings.load_profile("same")

_NOBODY = 65534


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C works in every test and in the commands it starts.

    Started in the background, the test run may ignore it, and a command run in this process switches it off on its way
    out.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def plain_folder() -> Iterator[Path]:
    """An empty folder, in a test that has no more rights than its files give: root becomes nobody for it."""
    with tempfile.TemporaryDirectory() as name:
        if os.geteuid() != 0:
            yield Path(name)
            return
        os.chown(name, _NOBODY, _NOBODY)
        os.seteuid(_NOBODY)
        try:
            yield Path(name)
        finally:
            os.seteuid(0)
