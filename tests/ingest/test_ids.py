"""Identities are stable across runs and never mix two platforms or leak a name."""

from __future__ import annotations

import hashlib
import io
import re
from typing import cast

import pytest

from ingest.ids import content_id, game_id, joint_content_id, player_id


def test_game_id_is_the_documented_hash() -> None:
    assert game_id("omu", "1004") == hashlib.blake2b(b"omu:1004", digest_size=10).hexdigest()
    assert game_id("omu", b"1004") == game_id("omu", "1004")
    assert game_id("omu", "1004") != game_id("paipu", "1004")


def test_content_id_is_that_of_the_bytes_however_they_are_read() -> None:
    data = bytes(range(256)) * 10_000
    small_reads = io.BufferedReader(cast(io.RawIOBase, io.BytesIO(data)), 100)
    assert content_id(small_reads) == (hashlib.blake2b(data, digest_size=10).hexdigest(), None)


def test_the_order_of_logs_matters_for_their_joint_id() -> None:
    assert joint_content_id(["a", "b"]) != joint_content_id(["b", "a"])


@pytest.mark.parametrize("player", ["paipu:Mengfanli", "Mengfanli", "paipu:a:Mengfanli", ":Mengfanli"])
def test_a_hidden_player_shows_the_source_only(player: str) -> None:
    hidden = player_id(b"key", player)
    assert re.fullmatch(r"(paipu:|:|)~[0-9a-f]{16}", hidden)
    assert hidden == player_id(b"key", player)
    assert hidden != player_id(b"other", player)
    assert hidden != player_id(b"key", player + "x")
