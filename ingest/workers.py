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
from ingest.packed import PackedList
from ingest.sources import Log

_BLOCK: Final = 32
"""Logs; a block should fit into one chunk, or its worker waits for the others in the middle of it."""
_BLOCKS_EACH: Final = 8
"""Blocks that each worker has at least, if there are as many logs."""


class _Block(NamedTuple):
    """Logs first to end - 1. apart: each in chunks of its own."""

    first: int
    end: int
    apart: bool = False


def read_logs(logs: PackedList[Log], reading: Reading, *, jobs: int) -> Generator[Chunk]:
    """Chunks of the logs, in their order."""
    jobs = min(jobs, len(logs))
    if jobs <= 1:
        yield from read_chunks(logs, reading)
        return
    size = max(1, min(_BLOCK, len(logs) // (jobs * _BLOCKS_EACH)))
    blocks = [_Block(first, min(first + size, len(logs))) for first in range(0, len(logs), size)]
    workers = [_Worker(logs, blocks[number::jobs], reading) for number in range(jobs)]
    try:
        for number, block in enumerate(blocks):
            while block.first < block.end:
                worker = workers[number % jobs]
                came_to = yield from worker.chunks(block)
                block = _Block(came_to, block.end, apart=True)
                if worker.dead:
                    # What it had not sent is read again, log by log, to find out at which it dies.
                    worker.stop()
                    workers[number % jobs] = _Worker(logs, [block, *blocks[number + jobs :: jobs]], reading)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    def __init__(self, logs: PackedList[Log], blocks: list[_Block], reading: Reading) -> None:
        # spawn: a fork of a process with threads (Arrow, progress bar) may hang.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(target=_work, args=(theirs, logs, blocks, reading), daemon=True)
        self._logs = logs
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
                yield Chunk([Closed(f"{self._logs[done].name}: {problem}", died=True)], {})
                return done + 1
            done += sum(isinstance(message, Closed) for message in messages)
            begun = not isinstance(messages[-1], Closed)
            yield Chunk(messages, {table: parts.from_ipc(content) for table, content in tables.items()})
        return done

    def stop(self) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.terminate()


def _work(pipe: Connection, logs: PackedList[Log], blocks: list[_Block], reading: Reading) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        for block in blocks:
            ours = list(logs.between(block.first, block.end))
            for together in [[log] for log in ours] if block.apart else [ours]:
                for messages, tables in read_chunks(together, reading):
                    pipe.send((messages, {table: parts.to_ipc(built) for table, built in tables.items()}))
