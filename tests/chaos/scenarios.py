"""The jobs that are struck, each on a home with work for it to do: one line a job."""

from __future__ import annotations

from dataclasses import replace

from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import DriftClass, Source
from pipeline.settings import Settings
from pipeline.storage import index_state
from pipeline.testing import night_jobs as jobs
from pipeline.testing.drift import seed
from pipeline.testing.studies import invented_nct_id
from pipeline.wiring import utc_now
from tests.chaos.corpus import hand_in, study, take_back
from tests.chaos.harness import Scenario

DOCUMENTS = 6  # of the home before a scenario: numbers 0 to 5, all of version 1


def night(settings: Settings) -> None:
    """Let a night's studies come: two edited ones, one of another status, a new one; one has vanished."""
    hand_in(settings, study(0, 2), study(1, 2), study(2, status="SUSPENDED"), study(7))
    take_back(settings, 3)


def behind(settings: Settings) -> None:
    """Let truth be ahead of the index in every way, a document that was interrupted before among them."""
    night(settings)
    jobs.ingest_all(settings)
    with jobs.hashing_services(settings) as services, services.db.begin() as tx:
        interrupted = document_id(Source.CLINICALTRIALS_GOV, invented_nct_id(4))
        index_state.claim(tx, interrupted, utc_now(), collection=services.collection)


def drifted(settings: Settings) -> None:
    """Let the index drift in four ways."""
    with jobs.hashing_services(settings) as services:
        for drift in (DriftClass.ORPHAN_DOCUMENT, DriftClass.UNREADABLE, DriftClass.PAYLOAD_DRIFT, DriftClass.MISSING_POINT):
            seed(services, drift, faults=2)


def built(settings: Settings) -> None:
    """Build a candidate; then let truth go on, so that it is behind again."""
    jobs.build(settings)
    behind(settings)


def promoted(settings: Settings) -> None:
    """Let a candidate go live that was built after a night; the collection before it does not know that night."""
    night(settings)
    jobs.ingest_all(settings)
    jobs.switch(settings)


def nothing(_: Settings) -> None:
    """Leave the home as it is."""


INGEST = Scenario("ingest", night, jobs.ingest_all, (jobs.ingest_all, jobs.index), frozenset({"commit", "put"}))
INDEX = Scenario("index", behind, jobs.index, (jobs.index,), frozenset({"commit", "upsert", "set_payload", "delete_matching", "settle"}))
REPAIR = Scenario("repair", drifted, jobs.repair, (jobs.repair, jobs.index), frozenset({"commit", "upsert", "delete_points"}))
ANEW = Scenario("index --all", nothing, jobs.index_anew, (jobs.index,), frozenset({"commit", "upsert", "delete_matching"}))
REBUILD = Scenario(
    "init --rebuild-index",
    nothing,
    jobs.rebuild,
    (jobs.make, jobs.index),
    frozenset({"commit", "remove", "create", "make_shard", "write_spec"}),
    may_be_absent=True,
)

NIGHT = Scenario("nightly", night, jobs.nightly, (jobs.nightly,), frozenset({"commit", "put", "upsert", "delete_matching"}))

DELETE = Scenario(
    "delete",
    behind,
    jobs.delete,
    (jobs.delete, jobs.ingest_all, jobs.index),
    frozenset({"commit", "delete"}),
    gone_for_good=jobs.DELETED,
)
DELETE_AND_INGEST = replace(DELETE, name="delete and ingest", prepare=night)
BUILD = Scenario(
    "reindex --candidate",
    behind,
    jobs.build,
    (jobs.build, jobs.promote, jobs.index_changed),
    frozenset({"commit", "create", "make_shard", "write_spec", "upsert"}),
    seen_with=jobs.changed,
)
PROMOTE = Scenario(
    "reindex --promote",
    built,
    jobs.promote,
    (jobs.promote, jobs.index_changed),
    frozenset({"commit", "point", "upsert"}),
    seen_with=jobs.changed,
)
ROLL_BACK = Scenario(
    "reindex --rollback", promoted, jobs.roll_back, (jobs.roll_back, jobs.index), frozenset({"commit", "point"}), goes_back=True
)
RETIRE = Scenario(
    "reindex --retire", promoted, jobs.retire, (jobs.retire, jobs.index_changed), frozenset({"commit", "remove"}), seen_with=jobs.changed
)

SCENARIOS = (INGEST, INDEX, REPAIR, ANEW, REBUILD, DELETE, BUILD, PROMOTE, ROLL_BACK, RETIRE)
