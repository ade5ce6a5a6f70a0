"""The same life on PostgreSQL and the server's adapter: the stores may change, what is promised may not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from pydantic import SecretStr
from qdrant_client import QdrantClient
from sqlalchemy.engine import URL

from pipeline.domain.vocabulary import DriftClass
from pipeline.index.server_catalog import ServerCatalog
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reconcile import run_reconcile
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.drift import seed, snapshot
from pipeline.testing.postgres import fresh_database
from pipeline.wiring import Services, open_services


@pytest.fixture
def production(postgres: URL, tmp_path: Path, models: Path, sample_home: Path) -> Iterator[Services]:
    """PostgreSQL as truth, the server's adapter (its client's local mode: no server runs in tests) as index; vectors from a cache."""
    with fresh_database(postgres, template="template1") as url:
        settings = Settings(home=tmp_path / "production", models_path=models, database_url=SecretStr(url))
        settings.home.mkdir(mode=0o700)
        for path in sample_home.glob("cache.sqlite*"):  # embedding the samples again would take most of the test
            shutil.copy2(path, settings.home)
        initialise(settings)  # also makes an embedded index, which stays empty
        with open_services(settings) as services:
            services.catalog = ServerCatalog(QdrantClient(":memory:"), batch_bytes=settings.upsert_batch_bytes)
            services.index.create(services.spec)
            yield services


def test_a_night_on_postgresql_and_the_server_adapter_equals_one_on_the_defaults(production: Services, services: Services, root: Path):
    ingest(production, StudyFiles([root / "samples" / "trials"], production.settings))
    summary = run_index(production)
    assert summary.documents.failed == summary.documents.quarantined == summary.unexplained == 0
    assert run_reconcile(production).clean
    assert snapshot(production) == snapshot(services)
    request = SearchRequest(query="HER2-positive breast cancer, no prior taxane", limit=5)
    mine, theirs = (search(one, request, today=date(2026, 6, 1)) for one in (production, services))
    assert {hit.nct_id for hit in mine.hits[:3]} == {hit.nct_id for hit in theirs.hits[:3]}
    again = run_index(production)
    assert (again.embedded, again.points_written, again.documents.indexed) == (0, 0, 0)
    for drift in (DriftClass.MISSING_POINT, DriftClass.OLD_GENERATION, DriftClass.PAYLOAD_DRIFT):
        seeded = seed(production, drift)
        assert run_reconcile(production).classes[drift.value] == seeded
        assert run_reconcile(production, repair=True).clean
