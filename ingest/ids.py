"""Identities: what makes two games, or two files, the same."""

from __future__ import annotations

import hashlib
from typing import BinaryIO

_BYTES = 10  # 20 hex digits
_CHUNK = 1 << 20


def game_id(source: str, key: str | bytes) -> str:
    """20 hex digits for a game: `key` is the log's id of the game, or its content when the log gives no id.

    source: the format or platform that gave the id, so that equal ids of two platforms stay two games.
    """
    data = key if isinstance(key, bytes) else key.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(source.encode() + b":" + data, digest_size=_BYTES).hexdigest()


def new_content_hash() -> hashlib.blake2b:
    """The running hash behind content_id, for readers that stream."""
    return hashlib.blake2b(digest_size=_BYTES)


def content_id(file: BinaryIO) -> str:
    """20 hex digits for the content of an open file, read to its end."""
    digest = new_content_hash()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def player_id(key: bytes, player: str) -> str:
    """`source:~hash` for `source:name`: under one key the same player always gets the same hash; no name is left."""
    source, colon, name = player.rpartition(":")
    hidden = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=key, digest_size=8, person=source.encode()[:16])
    return f"{source}{colon}~{hidden.hexdigest()}"
