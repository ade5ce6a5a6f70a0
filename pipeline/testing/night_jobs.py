"""What a night does to a home, one function a job: another process finds them by their names.

All of them run with a hash in the place of the dense model. Studies come from the folder ``incoming`` in the home.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from pipeline.settings import Settings
from pipeline.testing.embedder import HashEmbedder
from pipeline.testing.folder_listing import FolderListing
from pipeline.testing.studies import invented_nct_id
from pipeline.testing.tokens import ApproximateTokens
from pipeline.wiring import Services, open_services

INCOMING: Final = "incoming"
DELETED: Final = (0, 4)  # numbers of the invented studies that ``delete`` names


@contextmanager
def hashing_services(settings: Settings, *, exact_tokens: bool = False) -> Iterator[Services]:
    """Open a home with a hash in the place of the dense model, in all its collections of that model.

    Args:
        settings: The home.
        exact_tokens: Texts are cut by the tokens of the dense model, as they are in production, which has to be there.
    """
    with open_services(settings) as services:
        services.embedder = HashEmbedder()
        if not exact_tokens:
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


def ingest_fhir(settings: Settings) -> object:
    """Take the FHIR resources that came as a complete export: what is not among them has vanished."""
    from pipeline.jobs.fhir.ingest import ingest_fhir as job
    from pipeline.stages.sources.fhir.folder import FolderFeed

    with hashing_services(settings) as services:
        return job(services, FolderFeed([settings.home / INCOMING], secret=services.secret))


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


def delete(settings: Settings) -> object:
    """Delete the studies of ``DELETED`` for good, with a certificate; where that was asked for before, only what is left is done."""
    from pipeline.domain.identifiers import document_id
    from pipeline.domain.vocabulary import DeletionCause, Source
    from pipeline.jobs.deletion import carry_out, finish_open, request
    from pipeline.jobs.deletion.carry_out import prove

    documents = [document_id(Source.CLINICALTRIALS_GOV, invented_nct_id(number)) for number in DELETED]
    with hashing_services(settings) as services:
        asked = request(services, documents=documents, cause=DeletionCause.REQUEST, reason="asked for", by="a person", approve_large=True)
        if asked.deletion_id is None:
            return finish_open(services)
        return prove(services, carry_out(services, UUID(asked.deletion_id)))


def build(settings: Settings) -> object:
    """Build a candidate by another chunker, or bring it up to date."""
    from pipeline.jobs.reindex.candidate import run_candidate

    with hashing_services(changed(settings)) as services:
        return run_candidate(services, reason="another chunker")


def promote(settings: Settings) -> None:
    """Let the candidate go live, if it has not."""
    from pipeline.jobs.reindex.candidate import finish_switches, run_promotion

    with hashing_services(changed(settings)) as services:
        if services.live().collection == settings.collection:
            run_promotion(services)
        else:
            finish_switches(services)


def switch(settings: Settings) -> None:
    """Build a candidate and let it go live, if it has not."""
    from pipeline.jobs.reindex.candidate import finish_switches, run_candidate

    with hashing_services(changed(settings)) as services:
        if services.live().collection == settings.collection:
            run_candidate(services, reason="another chunker", go_live=True)
        else:
            finish_switches(services)


def roll_back(settings: Settings) -> None:
    """Let the first collection be live again, if it is not."""
    from pipeline.jobs.reindex.candidate import finish_switches
    from pipeline.jobs.reindex.promote import roll_back as job

    with hashing_services(settings) as services:
        if services.live().collection == settings.collection:
            finish_switches(services)
        else:
            job(services)


def retire(settings: Settings) -> object:
    """Remove the collection that was live before, whatever its grace."""
    from pipeline.jobs.reindex.retire import retire as job
    from pipeline.wiring import utc_now

    with hashing_services(changed(settings)) as services:
        return job(services, utc_now(), at_once=True)


def index_changed(settings: Settings) -> object:
    """Index what needs it by the other chunker."""
    return index(changed(settings))


def changed(settings: Settings) -> Settings:
    """Return a home's settings with another chunker's parameters."""
    return settings.model_copy(update={"parent_context_characters": settings.parent_context_characters - 1})
