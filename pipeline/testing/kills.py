"""Kills a job for good, by ``os._exit``, after its n-th write: every commit and every call that leaves something behind.

What a kill before a write leaves is what one after the write before it leaves: a transaction that was not committed is none. ``kill_at`` runs in a process of its own, whose classes it patches. The dense model is replaced by a hash, so that only Clindex is slow.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from pipeline.settings import Settings
from pipeline.testing.embedder import HashEmbedder
from pipeline.wiring import Services, open_services

KILLED: Final = 77  # exit code of a process that was killed on purpose
_INDEX_WRITES: Final = ("create", "remove", "upsert", "set_payload", "delete_points", "delete_matching", "settle")
_FILE_WRITES: Final = ("make_shard", "write_spec", "remove")

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
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "pipeline.jobs.nightly", "pipeline.index.edge"])
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


def _run(settings: Settings, job: Job, at: int | None, sending: Any) -> None:
    from pipeline.index.edge import EdgeIndex
    from pipeline.index.edge_files import EdgeFiles
    from pipeline.storage.engine import Database
    from pipeline.storage.landing import FsspecLanding

    trap = _Trap(at)
    trap.around_commits(Database)
    trap.around(FsspecLanding, "put")
    for method in _INDEX_WRITES:
        trap.around(EdgeIndex, method)
    for method in _FILE_WRITES:
        trap.around(EdgeFiles, method)
    job(settings)
    sending.send(trap.names)


@contextmanager
def hashing_services(settings: Settings) -> Iterator[Services]:
    """Open a home with a hash in the place of the dense model."""
    with open_services(settings) as services:
        services.embedder = HashEmbedder()
        yield services


# Jobs, here because another process must find them by name.


def make(settings: Settings) -> object:
    """Make a home."""
    from pipeline.jobs.init import initialise

    return initialise(settings)


def rebuild(settings: Settings) -> object:
    """Make the collection anew."""
    from pipeline.jobs.init import initialise

    return initialise(settings, rebuild_index=True)


def ingest(settings: Settings) -> object:
    """Ingest the folder ``incoming`` in the home."""
    from pipeline.jobs.ingest import ingest as job
    from pipeline.stages.sources.files import StudyFiles

    with hashing_services(settings) as services:
        return job(services, StudyFiles([settings.home / "incoming"], settings))


def index(settings: Settings) -> object:
    """Index what needs it."""
    from pipeline.jobs.index import run_index

    with hashing_services(settings) as services:
        return run_index(services)


def repair(settings: Settings) -> object:
    """Reconcile and repair."""
    from pipeline.jobs.reconcile import run_reconcile

    with hashing_services(settings) as services:
        return run_reconcile(services, repair=True)
