"""The same rows give the same figures and the same message on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import insert

from pipeline.jobs.metrics import home_families, page
from pipeline.jobs.notify import AirflowRun, message_of, runs_of
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.storage.runs import RunOutcome
from pipeline.storage.tables import document_pages, documents
from pipeline.testing.postgres import fresh_database

NOW = datetime(2031, 5, 17, 4, 30, tzinfo=UTC)
FIGURES = {"searches": 30, "zero_hits": 3}


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    if request.param == "sqlite":
        opened = Database.open(f"sqlite:///{tmp_path / 'truth.sqlite'}")
        upgrade(opened)
        yield opened
        opened.dispose()
        return
    with fresh_database(request.getfixturevalue("postgres"), template="migrated") as url:
        opened = Database.open(url)
        yield opened
        opened.dispose()


def fill(db: Database) -> None:
    document = {
        "document_id": UUID(int=1), "source": "documents", "source_key": "k", "kind": "note", "title": "t", "payload_sha256": "0" * 64,
        "content_hash": "a", "facets_hash": "b", "facets": {}, "updated_at": NOW, "seen_at": NOW,
    }  # fmt: skip
    zero = dict.fromkeys(("lowest", "characters", "body", "furniture", "dropped", "unexplained", "tables", "figures", "suspects"), 0)
    read = {**zero, "document_id": UUID(int=1), "outcome": "ocr", "rotation": 0, "skew": 0.0, "dpi": 300, "seconds": 1.0}
    with db.begin() as tx:
        tx.execute(insert(documents), [document])
        tx.execute(insert(document_pages), [{**read, "page": 1, "confidence": 0.5}, {**read, "page": 2, "confidence": 0.97}])
        counts = {"embedded": 5, "cached": 3, "seconds": {"embed": 1.5}}
        for kind, kept in (("index", counts), ("quality", {"blocked": 1, "warned": 0, "broken": [], "figures": FIGURES})):
            run_id = runs.start_run(tx, kind, NOW)
            runs.add_outcomes(tx, run_id, [RunOutcome("index", "failure", "embed_failed", count=2)])
            runs.finish_run(tx, run_id, "incomplete", kept, NOW + timedelta(seconds=3))


def test_figures_and_message(db: Database):
    fill(db)
    settings = Settings()
    shown = set(page(home_families(db, settings, now=NOW)).splitlines())
    assert shown >= {
        'clindex_documents{kind="note",source="documents",state="pending"} 1.0',
        'clindex_embedding_cache_lookups_total{outcome="hit"} 3.0',
        'clindex_embedding_cache_lookups_total{outcome="miss"} 5.0',
        'clindex_run_stage_duration_seconds{kind="index",stage="embed"} 1.5',
        'clindex_run_failures{category="embed_failed",kind="index"} 2.0',
        'clindex_ocr_page_confidence_ratio_bucket{le="0.5"} 1.0',
        'clindex_ocr_page_confidence_ratio_bucket{le="+Inf"} 2.0',
        "clindex_search_zero_hit_ratio 0.1",
    }
    of = AirflowRun("index_documents", "manual__1", ("index",), failed=True, since=NOW)
    with db.read() as tx:
        found = message_of(tx, settings, runs_of(tx, of), now=NOW, airflow=of)
    assert found is not None
    assert [one.says for one in found.findings] == ["The index run left something out: embed_failed 2."]
