"""Deletion for good while others work: once it is committed nobody is shown the documents again, whatever comes back from the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pipeline.domain.errors import StoreUnavailableError
from pipeline.index.edge import EdgeIndex
from pipeline.jobs import ingest as ingest_job
from pipeline.storage.landing import FsspecLanding
from pipeline.testing import night_jobs as jobs
from pipeline.testing.faults import IndexFault, broken_index
from pipeline.testing.kills import Job, at_once
from pipeline.testing.moments import just_before
from tests.chaos.harness import FULL, Scenario, Trials, some_of
from tests.chaos.scenarios import DELETE, DELETE_AND_INGEST

MOMENTS: list[tuple[str, Any, str, Job]] = [
    ("while records are landed", FsspecLanding, "put", jobs.ingest_all),
    ("before records are taken", ingest_job, "normalize_batch", jobs.ingest_all),
    ("before the ingestion ends", ingest_job, "complete", jobs.ingest_all),
    ("before points are written", EdgeIndex, "upsert", jobs.index_anew),
]


def test_an_index_that_is_down_when_points_are_deleted(trials: Callable[[Scenario], Trials]):
    """The documents are unsearchable all the same; the next run finds the deletion open, finishes it and certifies it."""
    with trials(DELETE).one(IndexFault.DOWN_AT_DELETE.value) as home, broken_index(IndexFault.DOWN_AT_DELETE) as breaker:
        with pytest.raises(StoreUnavailableError):
            jobs.delete(home)
        assert breaker.struck > 0


@pytest.mark.parametrize(("name", "holder", "method", "job"), some_of(MOMENTS, 1), ids=lambda one: one if isinstance(one, str) else "")
def test_deleted_at_a_moment_of_another_job(
    name: str, holder: Any, method: str, job: Job, trials: Callable[[Scenario], Trials], monkeypatch: pytest.MonkeyPatch
):
    tried = trials(DELETE_AND_INGEST)
    with tried.one(f"deleted {name}") as home, monkeypatch.context() as patched:
        done = just_before(holder, method, lambda: jobs.delete(home), patched)
        job(home)
        assert done()


def test_deleted_while_ingestion_and_indexing_run(trials: Callable[[Scenario], Trials]):
    tried = trials(DELETE_AND_INGEST)
    for _ in range(5 if FULL else 1):
        with tried.one("deleted during ingest and index") as home:
            assert set(at_once(home, jobs.delete, jobs.ingest_all, jobs.index_anew)) <= {None, "StoreUnavailableError"}
