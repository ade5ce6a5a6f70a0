"""The same on PostgreSQL and the server's adapter (its client's local mode: no server runs in tests)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from qdrant_client import QdrantClient
from sqlalchemy import update
from sqlalchemy.engine import URL

from pipeline.index.server_catalog import ServerCatalog
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.init import initialise
from pipeline.jobs.quality.job import broken_in, run_quality
from pipeline.settings import Settings
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.study_tables import studies
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.postgres import fresh_database
from pipeline.wiring import Services


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


def test_a_clean_home_is_clean_and_a_blocked_version_does_not_go_live(production: Services):
    assert broken_in(run_quality(production).data_sets) == []
    with production.db.begin() as tx:
        tx.execute(update(studies).where(studies.c.nct_id == "NCT99000001").values(nct_id="NCT1"))
    assert run_index(production, force=True).documents.failed == 1
    summary = run_quality(production)
    assert {one.id for one in broken_in(summary.data_sets)} == {"study_id_shape", "home_nothing_held", "run_failed_share"}
    assert len(summary.held_back) == 1
