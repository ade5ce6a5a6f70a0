"""Runs jobs in processes of their own and kills them: after their n-th write, by ``os._exit``, or at any moment, by SIGKILL.

A write is every commit and every call that leaves something behind. What a kill before a write leaves is what one after the write before
it leaves: a transaction that was not committed is none. The classes are patched in the job's process alone. The dense model is replaced by
a hash, so that only Clindex is slow. The jobs stand in ``pipeline.testing.night_jobs``.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pipeline.domain.errors import ClindexError
from pipeline.settings import Settings

KILLED: Final = 77  # exit code of a process that was killed on purpose
_INDEX_WRITES: Final = ("create", "remove", "upsert", "set_payload", "delete_points", "delete_matching", "restore", "settle")
_FILE_WRITES: Final = ("make_shard", "write_spec", "remove")
_LANDING_WRITES: Final = ("put", "delete")
_PRELOADED: Final = (__name__, "pipeline.testing.night_jobs", "pipeline.jobs.nightly", "pipeline.index.edge")

Job = Callable[[Settings], object]


class _Trap:
    """Counts writes, and ends the process at the ``at``-th."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.names: list[str] = []

    def passes(self, name: str) -> None:
        self.names.append(name)
        if len(self.names) - 1 == self.at:
            os._exit(KILLED)

    def around(self, kind: type, method: str) -> None:
        """Make a method of a class pass the trap when it is done."""
        original = getattr(kind, method)

        def watched(*arguments: Any, **named: Any) -> Any:
            result = original(*arguments, **named)
            self.passes(method)
            return result

        setattr(kind, method, watched)

    def around_commits(self, kind: type) -> None:
        """Make every write transaction pass the trap when it is committed."""
        begin: Any = kind.begin  # type: ignore[attr-defined]  # Database

        @contextmanager
        def watched(self_: Any) -> Iterator[Any]:
            with begin(self_) as tx:
                yield tx
            self.passes("commit")

        setattr(kind, "begin", watched)  # noqa: B010 - mypy refuses the assignment


def kill_at(settings: Settings, job: Job, at: int | None) -> list[str] | None:
    """Run a job in a process of its own and kill it after its ``at``-th write. Returns the writes it made, or ``None`` where it was killed.

    Args:
        settings: The home.
        job: A function that another process finds by its module and name.
        at: Counted from 0; ``None`` lets it end.

    Raises:
        RuntimeError: The job failed by itself.
    """
    context = _context()
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(settings, job, at, sending))
    process.start()
    sending.close()
    process.join()
    if process.exitcode == KILLED:
        return None
    if process.exitcode != 0:
        raise RuntimeError(f"the job ended with {process.exitcode}")
    names: list[str] = receiving.recv()
    return names


def kill_after(settings: Settings, job: Job, seconds: float) -> bool:
    """Run a job in a process of its own and send it SIGKILL so long after it began. Returns whether it was still running then.

    Raises:
        RuntimeError: The job failed by itself before that.
    """
    context = _context()
    began, running = context.Event(), context.Process
    process = running(target=_announced, args=(settings, job, began))
    process.start()
    began.wait()
    time.sleep(seconds)
    process.kill()
    process.join()
    if process.exitcode not in (0, -9):
        raise RuntimeError(f"the job ended with {process.exitcode}")
    return process.exitcode == -9  # SIGKILL


def at_once(settings: Settings, *jobs: Job) -> list[str | None]:
    """Run jobs at the same time, each in a process of its own. Returns each one's error, by its class, or ``None``.

    Raises:
        RuntimeError: A job ended without saying how.
    """
    context = _context()
    together = context.Barrier(len(jobs))
    pipes = [context.Pipe(duplex=False) for _ in jobs]
    processes = [
        context.Process(target=_together, args=(settings, job, together, sending)) for job, (_, sending) in zip(jobs, pipes, strict=True)
    ]
    for process in processes:
        process.start()
    for _, sending in pipes:
        sending.close()
    for process in processes:
        process.join()
    if any(process.exitcode != 0 for process in processes):
        raise RuntimeError(f"the jobs ended with {[process.exitcode for process in processes]}")
    return [receiving.recv() for receiving, _ in pipes]


def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_PRELOADED))
    return context


def _announced(settings: Settings, job: Job, began: Any) -> None:
    began.set()
    job(settings)


def _together(settings: Settings, job: Job, together: Any, sending: Any) -> None:
    together.wait()
    try:
        job(settings)
    except ClindexError as error:
        sending.send(type(error).__name__)
    else:
        sending.send(None)


def _run(settings: Settings, job: Job, at: int | None, sending: Any) -> None:
    from pipeline.index.edge import EdgeIndex
    from pipeline.index.edge_catalog import EdgeCatalog
    from pipeline.index.edge_files import EdgeFiles
    from pipeline.storage.engine import Database
    from pipeline.storage.landing import FsspecLanding

    trap = _Trap(at)
    trap.around_commits(Database)
    trap.around(EdgeCatalog, "point")
    for method in _LANDING_WRITES:
        trap.around(FsspecLanding, method)
    for method in _INDEX_WRITES:
        trap.around(EdgeIndex, method)
    for method in _FILE_WRITES:
        trap.around(EdgeFiles, method)
    job(settings)
    sending.send(trap.names)
