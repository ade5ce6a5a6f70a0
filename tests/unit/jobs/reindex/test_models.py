"""A home whose settings name another model than its live collection was made with."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from pipeline.domain.errors import ForeignModelError, GuardRefusedError
from pipeline.domain.identifiers import document_id
from pipeline.domain.points import PointFilter
from pipeline.index.edge_store import shared_store
from pipeline.jobs.index import run_index
from pipeline.jobs.init import initialise
from pipeline.jobs.reindex.build import fill, open_candidate
from pipeline.jobs.reindex.candidate import run_candidate
from pipeline.jobs.reindex.promote import roll_back
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.storage import documents as document_store
from pipeline.testing.tiny_model import make_tiny_model
from pipeline.wiring import open_services

ASKED = SearchRequest(query="age at least 18 years", limit=5)
TODAY = date(2031, 5, 17)


@pytest.fixture
def other(small: Settings, tmp_path: Path) -> Settings:
    """The same home with a small model of another dimension."""
    make_tiny_model(tmp_path / "tiny", seed=0, window=256)
    return small.model_copy(update={"model": str(tmp_path / "tiny"), "embedding_backend": "sentence-transformers"})


def test_index_refuses_and_names_the_way_and_search_goes_on(other: Settings):
    with open_services(other) as services:
        with pytest.raises(ForeignModelError) as caught:
            run_index(services)
        assert "reindex --candidate" in (caught.value.remedy or "")
        assert search(services, ASKED, today=TODAY).hits
    with pytest.raises(ForeignModelError) as caught:
        initialise(other)
    assert "the database is up to date" in caught.value.message  # the migration is done, and said so
    assert "reindex --candidate" in (caught.value.remedy or "")
    assert not shared_store(other.index_folder, "clindex")._lock.is_held  # what init opened, it closed


def test_a_candidate_of_another_model_goes_live_and_back(small: Settings, other: Settings):
    with open_services(other) as services:
        done = run_candidate(services, reason="another model", go_live=True)
        assert done.promoted is not None, done.verdict
        assert done.index is not None
        assert done.index.cached == 0  # vectors of the other model are none of its own
        assert search(services, ASKED, today=TODAY).hits
    with open_services(other) as services:
        assert run_index(services).points_written == 0
    with open_services(small) as services:  # settings of before: now they are the foreign ones
        with pytest.raises(ForeignModelError):
            run_index(services)
        roll_back(services)
    with open_services(small) as services:
        assert run_index(services).points_written == 0
        assert search(services, ASKED, today=TODAY).hits


def test_a_deletion_reaches_a_collection_whose_model_is_gone(small: Settings, other: Settings):
    key = document_id("clinicaltrials.gov", "NCT99000001")
    with open_services(other) as services:
        fill(services, open_candidate(services, reason="another model"))
    Path(other.model).rename(Path(other.model).with_name("gone"))
    with open_services(small) as services:
        with services.db.begin() as tx:
            document_store.tombstone(tx, [key], datetime.now(UTC))
        assert run_index(services).documents.deleted == 1
        assert [one.index.count(PointFilter(document_ids=(key,))) for one in services.everywhere()] == [0, 0]


def test_a_candidate_is_of_one_model(small: Settings, other: Settings):
    with open_services(other) as services:
        open_candidate(services, reason="another model")
    with open_services(small) as services, pytest.raises(GuardRefusedError, match="another model"):
        open_candidate(services, reason="this one")
