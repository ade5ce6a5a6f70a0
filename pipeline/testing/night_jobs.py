"""What a night does to a home, one function a job: another process finds them by their names.

All of them run with a hash in the place of the dense model. Studies come from the folder ``incoming`` in the home.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pipeline.settings import Settings
from pipeline.testing.embedder import HashEmbedder
from pipeline.testing.folder_listing import FolderListing
from pipeline.testing.tokens import ApproximateTokens
from pipeline.wiring import Services, open_services

INCOMING: Final = "incoming"


@contextmanager
def hashing_services(settings: Settings) -> Iterator[Services]:
    """Open a home with a hash in the place of the dense model."""
    with open_services(settings) as services:
        services.embedder = HashEmbedder()
        services.tokens = ApproximateTokens()
        yield services


def make(settings: Settings) -> object:
    """Make a home."""
    from pipeline.jobs.init import initialise

    return initialise(settings)


def rebuild(settings: Settings) -> object:
    """Make the collection anew."""
    from pipeline.jobs.init import initialise

    return initialise(settings, rebuild_index=True)


def ingest(settings: Settings) -> object:
    """Take the studies that came; what is not among them stays."""
    from pipeline.jobs.ingest import ingest as job
    from pipeline.stages.sources.files import StudyFiles

    with hashing_services(settings) as services:
        return job(services, StudyFiles([settings.home / INCOMING], settings))


def ingest_all(settings: Settings) -> object:
    """Take the studies that came as a complete listing: what is not among them has vanished."""
    from pipeline.jobs.ingest import ingest as job

    with hashing_services(settings) as services:
        return job(services, FolderListing(settings.home / INCOMING))


def index(settings: Settings) -> object:
    """Index what needs it."""
    from pipeline.jobs.index import run_index

    with hashing_services(settings) as services:
        return run_index(services)


def index_anew(settings: Settings) -> object:
    """Write a new generation of every document."""
    from pipeline.jobs.index import run_index

    with hashing_services(settings) as services:
        return run_index(services, force=True)


def repair(settings: Settings) -> object:
    """Reconcile and repair."""
    from pipeline.jobs.reconcile import run_reconcile

    with hashing_services(settings) as services:
        return run_reconcile(services, repair=True)


def nightly(settings: Settings) -> None:
    """Do what a whole night does: ingest, index, reconcile and repair."""
    for job in (ingest_all, index, repair):
        job(settings)
