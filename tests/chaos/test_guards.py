"""What looks like a mass deletion and is none: a guard refuses, no point is deleted, and after the right remedy all is as it should be."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from pipeline.domain.errors import ForeignModelError, GuardRefusedError, SecretMismatchError, SourceWentBackError
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.testing import night_jobs as jobs
from pipeline.testing.faults import copy_database, other_ids, other_model
from pipeline.testing.folder_listing import FolderListing
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import Job
from pipeline.testing.night_jobs import INCOMING, hashing_services
from tests.chaos.corpus import indexed_home
from tests.chaos.harness import Trials, state_of
from tests.chaos.scenarios import NIGHT

MANY = 12  # documents: from ten on, a guard sees a pattern in them
YESTERDAY, TODAY = "2031-05-16T00:00:00", "2031-05-17T00:00:00"


@pytest.fixture(scope="session")
def guarded_home(disk: Path, models: Path) -> Settings:
    """Twelve studies, indexed; guards as strict as they are by default, and for few documents too. Read only."""
    return indexed_home(Settings(home=disk / "guarded", models_path=models, index_batch_documents=4, min_documents_for_share=0), MANY)


@pytest.fixture(scope="session")
def tried(guarded_home: Settings, disk: Path) -> Trials:
    return Trials(NIGHT, guarded_home, Path(tempfile.mkdtemp(dir=disk)))


@contextmanager
def nothing_deleted(home: Settings, *, replaced: bool = False) -> Iterator[None]:
    """Assert that every point that is there before the block is there after it.

    Args:
        home: Where.
        replaced: Documents may be indexed anew meanwhile: then every document that has points must have points afterwards.
    """

    def there() -> set[object]:
        with hashing_services(home) as services, services.index.session() as index:
            return {point.payload["document_id"] if replaced else point.id for point in index.scan()}

    before = there()
    yield
    assert before <= there()


def listing(home: Settings, **how: object) -> Job:
    """Return a job that ingests a listing."""

    def job(settings: Settings) -> object:
        with hashing_services(settings) as services:
            return ingest(services, FolderListing(home.home / INCOMING, **how))

    return job


def test_a_model_swapped_at_equal_dimension(tried: Trials):
    with tried.one("model swapped") as home, nothing_deleted(home), other_model():
        for job in (jobs.index, jobs.index_anew):
            with pytest.raises(ForeignModelError):
                job(home)
        with pytest.raises(GuardRefusedError):
            jobs.repair(home)


def test_another_site_secret(tried: Trials):
    with tried.one("secret changed") as home, nothing_deleted(home):
        other = home.model_copy(update={"site_secret": SecretStr("another-secret-of-32-characters!")})
        for job in (jobs.ingest_all, jobs.index, jobs.repair):
            with pytest.raises(SecretMismatchError):
                job(other)


def test_document_ids_under_another_namespace(tried: Trials):
    """Truth keeps the ids that it has; each record that would get another one fails, and the run says so."""
    with tried.one("id scheme changed") as home, nothing_deleted(home), other_ids():
        summary = jobs.ingest_all(home)
        assert (summary.changed, summary.failed, summary.tombstoned) == (0, 3, 1)  # what has vanished from the listing has its old id


@pytest.mark.parametrize("indexed", [False, True], ids=["before indexing", "indexed too"])
def test_a_truth_made_anew_under_other_ids(guarded_home: Settings, work: Path, indexed: bool):
    """All that the index holds seems to be nobody's. No reader looks on: truth itself is away."""
    home = copy_of(guarded_home, work / "home")
    with hashing_services(home) as services:
        wanted = state_of(services)
        kept = services.db.path
        assert kept is not None
    copy_database(kept, work / "backup.sqlite")
    with nothing_deleted(home):
        for path in home.home.glob(f"{kept.name}*"):
            path.unlink()
        with other_ids():
            jobs.make(home)
            jobs.ingest_all(home)
            if indexed:
                jobs.index(home)
            with pytest.raises(GuardRefusedError):
                jobs.repair(home)
    copy_database(work / "backup.sqlite", kept)
    if indexed:
        with pytest.raises(GuardRefusedError):  # a person looks at what was written under the other ids, and approves
            jobs.repair(home)
        with hashing_services(home) as services:
            run_reconcile(services, approve=run_reconcile(services).plan, by="a person", reason="written under other ids")
    jobs.nightly(home)
    with hashing_services(home) as services:
        assert state_of(services) == wanted


def test_truth_restored_from_yesterday(tried: Trials, work: Path):
    """The index knows a night that truth has forgotten. What the night deleted is not shown again before the next one deletes it again."""
    vanished = tried.expectation.versions.keys() - tried.goal.served.keys()
    expected = replace(tried.expectation, optional=frozenset(tried.expectation.versions), gone_for_good=frozenset(vanished))
    with tried.one("truth restored from yesterday", expectation=expected) as home:
        with hashing_services(home) as services:
            path = services.db.path
            assert path is not None
        copy_database(path, work / "yesterday.sqlite")
        jobs.nightly(home)
        copy_database(work / "yesterday.sqlite", path)
        with nothing_deleted(home), pytest.raises(GuardRefusedError):
            jobs.repair(home)


def test_a_listing_that_ends_early(tried: Trials):
    with tried.one("listing cut short") as home, nothing_deleted(home, replaced=True):
        summary = listing(home, keep=4)(home)
        assert (summary.complete, summary.tombstoned) == (False, 0)
        jobs.index(home)


def test_a_listing_that_claims_to_be_all_there_is(tried: Trials):
    with tried.one("listing cut short") as home, nothing_deleted(home, replaced=True):
        with pytest.raises(GuardRefusedError):
            listing(home, keep=4, honest=False)(home)
        jobs.index(home)


@pytest.mark.parametrize("keep", [0, 4])
def test_a_listing_of_an_older_day(keep: int, tried: Trials):
    with tried.one("source went back") as home, nothing_deleted(home):
        listing(home, data_timestamp=TODAY)(home)
        with pytest.raises(SourceWentBackError):
            listing(home, keep=keep, honest=False, data_timestamp=YESTERDAY)(home)
