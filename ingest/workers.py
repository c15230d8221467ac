"""Reader processes. Each reads every n-th block of logs and sends its chunks through its own pipe; the parent takes the
blocks in order.

A pipe blocks a worker that runs ahead, so memory stays bounded however big a log is, which a pool that returns whole
results would not give.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, NamedTuple

from ingest import parts
from ingest.chunks import Chunk, read_chunks
from ingest.interrupts import deaf_children
from ingest.logreader import Closed, Reading
from ingest.packed import IdMap, Texts
from ingest.sources import Log

_BLOCK: Final = 128
_BLOCKS_EACH: Final = 8
"""Blocks that each worker has at least, if there are as many logs."""


class _Block(NamedTuple):
    """Logs first to end - 1. apart: each in chunks of its own."""

    first: int
    end: int
    apart: bool = False


def read_logs(lines: Texts, reading: Reading, *, jobs: int) -> Generator[Chunk]:
    """The logs (Log.line) in order."""
    jobs = min(jobs, len(lines))
    if jobs <= 1:
        yield from read_chunks(map(Log.of, lines), reading, IdMap())
        return
    size = max(1, min(_BLOCK, len(lines) // (jobs * _BLOCKS_EACH)))
    blocks = [_Block(first, min(first + size, len(lines))) for first in range(0, len(lines), size)]
    workers = [_Worker(lines, blocks[number::jobs], reading) for number in range(jobs)]
    try:
        for number, block in enumerate(blocks):
            while block.first < block.end:
                worker = workers[number % jobs]
                came_to = yield from worker.chunks(block)
                block = _Block(came_to, block.end, apart=True)
                if worker.dead:
                    # What it had not sent is read again, log by log, to find out at which it dies.
                    worker.stop()
                    workers[number % jobs] = _Worker(lines, [block, *blocks[number + jobs :: jobs]], reading)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    def __init__(self, lines: Texts, blocks: list[_Block], reading: Reading) -> None:
        # spawn: a fork of a process with threads (Arrow, progress bar) may hang.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(target=_work, args=(theirs, lines, blocks, reading), daemon=True)
        self._lines = lines
        with deaf_children():
            self._process.start()
        theirs.close()
        self.dead = False

    def chunks(self, block: _Block) -> Generator[Chunk, None, int]:
        """The chunks of the block that is next. Returns the log it came to, before the end if the process died."""
        done, begun = block.first, False
        while done < block.end:
            try:
                messages, tables = self._pipe.recv()
            except (EOFError, OSError):
                self.dead = True
                if not (begun or block.apart):
                    return done
                problem = "the process that read it was ended (out of memory?); try again with --jobs 1"
                yield Chunk([Closed(f"{Log.of(self._lines[done]).name}: {problem}", died=True)], {})
                return done + 1
            done += sum(isinstance(message, Closed) for message in messages)
            begun = not isinstance(messages[-1], Closed)
            yield Chunk(messages, {table: parts.unpacked(content) for table, content in tables.items()})
        return done

    def stop(self) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.terminate()


def _work(pipe: Connection, lines: Texts, blocks: list[_Block], reading: Reading) -> None:
    seen = IdMap()
    with suppress(BrokenPipeError, ConnectionResetError):
        for block in blocks:
            logs = [Log.of(line) for line in lines.between(block.first, block.end)]
            for together in [[log] for log in logs] if block.apart else [logs]:
                for messages, tables in read_chunks(together, reading, seen):
                    pipe.send((messages, {table: parts.packed(built) for table, built in tables.items()}))
