"""Reader processes. Each reads every n-th log and sends it through its own pipe; the parent takes the logs in order.

A pipe blocks a worker that runs ahead, so memory stays bounded however big a log is, which a pool that returns whole
results would not give.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from ingest.interrupts import deaf_children
from ingest.logreader import Closed, Message, Reading, read_log
from ingest.packed import Texts
from ingest.sources import Log

_SEND_ITEMS = 64


def read_logs(lines: Texts, reading: Reading, *, jobs: int) -> Generator[tuple[Log, Iterator[Message]]]:
    """Each log with its messages (see read_log), in the order of `lines` (Log.line); what is left unread of one is
    passed over.
    """
    jobs = min(jobs, len(lines))
    if jobs <= 1:
        for log in map(Log.of, lines):
            yield log, read_log(log, reading)
        return
    workers = [_Worker(lines, first, jobs, reading) for first in range(jobs)]
    try:
        for position, log in enumerate(map(Log.of, lines)):
            worker = workers[position % jobs]
            messages = worker.messages(log)
            yield log, messages
            for _ in messages:
                pass
            if worker.dead:
                workers[position % jobs] = _Worker(lines, position + jobs, jobs, reading)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    def __init__(self, lines: Texts, first: int, jobs: int, reading: Reading) -> None:
        # spawn: a fork of a process with threads (Arrow, progress bar) may hang.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(
            target=_work, args=(theirs, lines, first, jobs, reading), daemon=True
        )
        with deaf_children():
            self._process.start()
        theirs.close()
        self.dead = False

    def messages(self, log: Log) -> Iterator[Message]:
        while True:
            try:
                received: list[Message] = self._pipe.recv()
            except (EOFError, OSError):
                self.dead = True
                yield Closed(
                    f"{log.name}: the process that read it was ended (out of memory?); try again with --jobs 1"
                )
                return
            yield from received
            if isinstance(received[-1], Closed):
                return

    def stop(self) -> None:
        self._pipe.close()
        self._process.join(5)
        if self._process.is_alive():
            self._process.terminate()


def _work(pipe: Connection, lines: Texts, first: int, jobs: int, reading: Reading) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        for log in map(Log.of, islice(lines, first, None, jobs)):
            batch: list[Message] = []
            for message in read_log(log, reading):
                batch.append(message)
                if len(batch) >= _SEND_ITEMS:
                    pipe.send(batch)
                    batch = []
            if batch:
                pipe.send(batch)
