"""The same on PostgreSQL and the server's adapter (its client's local mode: no server runs in tests)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from qdrant_client import QdrantClient
from sqlalchemy.engine import URL

from pipeline.index.server_catalog import ServerCatalog
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.reindex.candidate import run_candidate
from pipeline.jobs.reindex.promote import roll_back
from pipeline.jobs.reindex.retire import retire
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.postgres import fresh_database
from pipeline.wiring import Services

ASKED = SearchRequest(query="EGFR mutation", limit=50)
TODAY = date(2031, 5, 17)


@pytest.fixture
def production(postgres: URL, tmp_path: Path, models: Path, root: Path) -> Iterator[Services]:
    """Three studies, indexed."""
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    for number in (1, 2, 51):
        shutil.copy(root / "samples" / "trials" / f"NCT990000{number:02d}.json", incoming)
    with fresh_database(postgres, template="template1") as url:
        settings = Settings(home=tmp_path / "production", models_path=models, database_url=SecretStr(url))
        initialise(settings)
        with hashing_services(settings) as services:
            services.catalog = ServerCatalog(QdrantClient(":memory:"), batch_bytes=settings.upsert_batch_bytes)
            services.index.create(services.spec)
            ingest(services, StudyFiles([incoming], settings))
            run_index(services)
            yield services


def test_a_candidate_goes_live_and_back_and_is_retired(production: Services):
    before = search(production, ASKED, today=TODAY).hits
    done = run_candidate(production, reason="test", go_live=True)
    assert done.promoted is not None, done.verdict
    assert production.catalog.pointed("clindex") == "clindex-2"
    shown = search(production, ASKED, today=TODAY)
    assert {hit.document_id for hit in shown.hits} == {hit.document_id for hit in before}
    assert shown.dropped["not_in_truth"] == 0
    assert roll_back(production).live == "clindex"
    assert production.catalog.pointed("clindex") == "clindex"
    assert [one.name for one in retire(production, datetime.now(UTC), at_once=True).retired] == ["clindex-2"]
    assert production.catalog.names() == ["clindex"]
    assert [hit.text for hit in search(production, ASKED, today=TODAY).hits] == [hit.text for hit in before]
