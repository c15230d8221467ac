"""Identities: what makes two games, or two files, the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from io import BufferedReader
from typing import BinaryIO, cast

from ingest.errors import UnreadableInputError

_BYTES = 10  # 20 hex digits
_CHUNK = 1 << 20


def game_id(source: str, key: str | bytes) -> str:
    """20 hex digits for a game: `key` is the log's id of the game, or its content when the log gives no id.

    source: the format or platform that gave the id, so that equal ids of two platforms stay two games.
    """
    data = key if isinstance(key, bytes) else key.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(source.encode() + b":" + data, digest_size=_BYTES).hexdigest()


def content_id(file: BinaryIO) -> tuple[str, UnreadableInputError | None]:
    """20 hex digits for the content of an open log; where it breaks off, for what came before, and the error."""
    digest = hashlib.blake2b(digest_size=_BYTES)
    try:
        # read1, because read would throw away what it holds when the content breaks off.
        while piece := cast(BufferedReader, file).read1(_CHUNK):
            digest.update(piece)
    except UnreadableInputError as error:
        return digest.hexdigest(), error
    return digest.hexdigest(), None


def joint_content_id(contents: Iterable[str]) -> str:
    """20 hex digits for several logs together, from their content ids."""
    return hashlib.blake2b("".join(contents).encode(), digest_size=_BYTES).hexdigest()


def player_id(key: bytes, player: str) -> str:
    """`source:~hash` for `source:name`: under one key the same player always gets the same hash; no name is left."""
    source, colon, name = player.partition(":")
    if not colon:
        source, name = "", player
    hidden = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=key, digest_size=8, person=source.encode()[:16])
    return f"{source}{colon}~{hidden.hexdigest()}"
