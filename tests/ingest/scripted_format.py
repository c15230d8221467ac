"""A format for tests of the ingest job: its logs say what the reader does, one step per line after the first."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest import formats, workers
from ingest.errors import RecordError
from ingest.formats.base import Format, Source
from ingest.ids import game_id
from ingest.record import GameRows, Row
from tests.ingest.test_store import game

HEADER = b"scripted\n"


def read(source: Source) -> Iterator[GameRows | Row]:
    with source.open() as stream:
        assert stream.readline() == HEADER
        for number, line in enumerate(stream, 2):
            step, *words = line.decode().split()
            match step:
                case "game":
                    rows = game(game_id("scripted", words[0]), hands=int(words[1]), log_id=words[0])
                    rows.game |= {"file": source.name}
                    yield rows
                case "bad":
                    yield {"position": number, "code": words[0], "message": "a bad game"}
                case "bad_hand":
                    rows = game(game_id("scripted", words[0]), hands=1, log_id=words[0])
                    rows.rejects.append({"hand_no": 1, "event_no": 7, "code": "five_copies", "message": "a fifth 5m"})
                    yield rows
                case "raise_record_error":
                    raise RecordError("raised", "a reader may raise this", hand=3)
                case "crash":
                    raise KeyError("surprise")
                case "misfit":
                    rows = game(game_id("scripted", words[0]), hands=1, log_id=words[0])
                    rows.hands[0]["dealer"] = -1
                    yield rows
                case "misfit_reject":
                    yield {"position": "first", "code": "x", "message": "a row that the store cannot hold"}
                case "die" | "die_if" if not words or Path(words[0]).exists():
                    if multiprocessing.parent_process() is not None:
                        os._exit(9)
                case "interrupt":
                    signal.raise_signal(signal.SIGINT)


FORMAT = Format(name="scripted", title="test", family="taiwan", sniff=lambda head: head.startswith(HEADER), read=read)


def work(*args: Any) -> None:
    """`workers._work` in a process that knows this format."""
    formats.FORMATS = {"scripted": __name__, **formats.FORMATS}
    workers._work(*args)
