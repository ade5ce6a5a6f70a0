"""Nights against a registry: watermarks, vanished studies, incomplete listings, a source that goes back in time, crashes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.domain.errors import GuardRefusedError, SourceRefusedError, SourceUnavailableError, SourceWentBackError
from pipeline.jobs.ingest import fetch, ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.nightly import trial_source
from pipeline.settings import Settings
from pipeline.stages.sources.clinicaltrials import ClinicalTrialsSource
from pipeline.storage import documents
from pipeline.testing.registry_server import RegistryServer, fails
from pipeline.testing.studies import invented_nct_id, study_records
from pipeline.wiring import Services, open_services

STUDIES = 30


@pytest.fixture
def registry() -> Iterator[RegistryServer]:
    with RegistryServer(study_records(STUDIES)) as server:
        yield server


@pytest.fixture
def night(registry: RegistryServer, tmp_path: Path, models: Path) -> Iterator[Services]:
    settings = Settings(
        home=tmp_path / "home",
        models_path=models,
        registry_url=registry.url,
        registry_page_size=10,
        registry_requests_per_minute=1e9,
        registry_max_attempts=2,
        registry_max_wait_seconds=0.2,
    )
    initialise(settings)
    with open_services(settings) as services:
        yield services


def everything(services: Services) -> ClinicalTrialsSource:
    return ClinicalTrialsSource(services.settings, sleep=lambda _: None)


def live(services: Services) -> int:
    with services.db.read() as tx:
        return documents.live_count(tx)


def test_a_complete_listing_takes_all_and_a_second_one_changes_nothing(night: Services):
    first = ingest(night, everything(night))
    assert (first.seen, first.new, first.complete, first.failed) == (STUDIES, STUDIES, True, 0)
    second = ingest(night, everything(night))
    assert (second.new, second.changed, second.unchanged) == (0, 0, STUDIES)


def test_vanished_studies_of_a_complete_listing_are_tombstoned_and_come_back_when_listed_again(night: Services, registry: RegistryServer):
    ingest(night, everything(night))
    gone = registry.studies.pop(invented_nct_id(3))
    assert ingest(night, everything(night)).tombstoned == 1
    assert live(night) == STUDIES - 1
    registry.studies[invented_nct_id(3)] = gone
    again = ingest(night, everything(night))
    assert again.changed + again.new == 1
    assert live(night) == STUDIES


def test_an_incomplete_listing_tombstones_nothing_and_is_red(night: Services, registry: RegistryServer):
    ingest(night, everything(night))
    registry.studies.pop(invented_nct_id(3))
    registry.promised_total = STUDIES  # promises one more than it sends
    summary = ingest(night, everything(night))
    assert not summary.complete
    assert summary.tombstoned == 0
    assert [one.category for one in summary.failures] == ["missing_from_listing"]
    assert live(night) == STUDIES


def test_a_listing_of_which_much_vanished_is_refused(night: Services, registry: RegistryServer):
    ingest(night, everything(night))
    for index in range(10):
        registry.studies.pop(invented_nct_id(index))
    with pytest.raises(GuardRefusedError, match="10 of 30"):
        ingest(night, everything(night))
    assert live(night) == STUDIES


def test_a_source_that_went_back_in_time_is_refused_before_anything_is_listed(night: Services, registry: RegistryServer):
    registry.data_timestamp = "2026-05-02T09:00:00"
    ingest(night, everything(night))
    registry.data_timestamp = "2026-05-01T09:00:00"
    registry.requests.clear()
    with pytest.raises(SourceWentBackError):
        ingest(night, everything(night))
    assert [request.path for request in registry.requests if request.path.endswith("/studies")] == []


def test_the_second_night_lists_only_since_the_watermark(night: Services, registry: RegistryServer):
    ingest(night, trial_source(night))
    registry.requests.clear()
    source = trial_source(night)
    assert source.scope.startswith("since:")
    assert not source.can_prove_absence
    summary = ingest(night, source)
    assert summary.new == summary.changed == summary.tombstoned == 0
    listed = [request.params for request in registry.requests if request.path.endswith("/studies")]
    assert all("RANGE[" in params["filter.advanced"] for params in listed)
    assert live(night) == STUDIES


def test_a_crash_resumes_at_the_page_after_the_last_landed_one(night: Services, registry: RegistryServer, monkeypatch: pytest.MonkeyPatch):
    source = everything(night)
    pages = source.pages

    def crash_after_first_page(*, resume_from: str | None = None) -> Iterator[Any]:
        for page in pages(resume_from=resume_from):
            yield page
            raise KeyboardInterrupt

    monkeypatch.setattr(source, "pages", crash_after_first_page)
    with pytest.raises(KeyboardInterrupt):
        fetch(night, source)
    registry.requests.clear()
    summary = ingest(night, everything(night))
    assert summary.resumed
    assert (summary.seen, summary.new, summary.complete) == (STUDIES, STUDIES, True)
    listed = [request.params for request in registry.requests if request.path.endswith("/studies")]
    assert all("pageToken" in params for params in listed)  # the first page is not asked for again


@pytest.mark.parametrize(
    ("faults", "error"), [([fails(503)] * 2, SourceUnavailableError), ([fails(400, "bad filter")], SourceRefusedError)]
)
def test_a_registry_that_stays_away_ends_the_run_and_keeps_what_was_landed(
    night: Services, registry: RegistryServer, faults: list[Any], error: type[Exception]
):
    registry.fail_next(*faults)
    with pytest.raises(error):
        ingest(night, everything(night))
    assert ingest(night, everything(night)).new == STUDIES


def test_single_ids_and_limits_never_tombstone(night: Services):
    ingest(night, everything(night))
    some = ingest(night, ClinicalTrialsSource(night.settings, nct_ids=[invented_nct_id(1)], sleep=lambda _: None))
    limited = ingest(night, ClinicalTrialsSource(night.settings, limit=5, sleep=lambda _: None))
    assert some.tombstoned == limited.tombstoned == 0
    assert live(night) == STUDIES
