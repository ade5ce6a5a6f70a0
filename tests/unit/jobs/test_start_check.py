"""The check at every start: what counts show is found at once, what samples show within the documents that are looked at."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from pipeline.domain.vocabulary import CollectionRole
from pipeline.jobs.start_check import start_check
from pipeline.jobs.status import status
from pipeline.settings import Settings
from pipeline.storage import collections
from pipeline.storage.tables import collections as collections_table
from pipeline.storage.tables import index_state
from pipeline.testing.drift import KINDS
from pipeline.wiring import Services, open_services


def plant(services: Services, name: str) -> None:
    with services.index.session() as index:
        points = list(index.scan(vectors=True))
        KINDS[name].plant(index, points[len(points) // 2])


def thorough(services: Services) -> Services:
    """The home with time enough to look at every document."""
    services.settings = services.settings.model_copy(update={"start_check_seconds": 60.0})
    return services


def test_a_clean_home_is_clean_and_says_what_was_looked_at(services: Services):
    check = start_check(thorough(services))
    with services.db.read() as tx:
        live = collections.live(tx)
    assert live is not None
    assert (check.verdict, check.findings, check.collection) == ("clean", [], live.name)
    assert check.points == check.expected_points > 100
    assert check.documents_checked == status(services).documents["live"] > 10
    assert check.points_read >= check.points


def test_without_time_one_sample_of_each_side_is_looked_at(services: Services):
    services.settings = services.settings.model_copy(update={"start_check_seconds": 0.0})
    check = start_check(services)
    assert check.verdict == "clean"
    assert 0 < check.points_read < 2 * check.points


@pytest.mark.parametrize(
    ("name", "findings"),
    [
        ("point removed", {"count", "digest"}),
        ("twin of a point", {"count", "digest"}),
        ("unknown document", {"count"}),
        ("stranger with a number", {"count", "unexpected_point"}),
        ("dense vector lost", {"lacking_dense"}),
        ("sparse vector lost", {"lacking_sparse"}),
        ("facet changed", {"digest"}),
        ("payload overwritten", {"digest"}),
    ],
)
def test_drift_is_found_where_counts_or_samples_can_show_it(services: Services, name: str, findings: set[str]):
    plant(services, name)
    check = start_check(thorough(services))
    assert check.verdict == "drift"
    assert findings <= set(check.findings) <= findings | {"unexpected_point", "digest"}


def test_a_collection_for_another_model_is_drift(services: Services):
    with services.db.begin() as tx:
        tx.execute(update(collections_table).values(model="another"))
    assert start_check(services).findings == ["spec"]


def test_a_pointer_to_another_collection_is_drift_of_the_live_one_only(services: Services):
    services.catalog.point(services.settings.collection, "elsewhere")
    assert start_check(services).findings == ["pointer"]
    with services.db.begin() as tx:
        collections.set_role(tx, services.collection, CollectionRole.PREVIOUS)
    assert start_check(services).verdict == "clean"


def test_texts_without_terms_may_be_without_a_sparse_vector(services: Services):
    plant(services, "sparse vector lost")
    with services.db.begin() as tx:
        one = tx.execute(select(index_state.c.document_id).where(index_state.c.live_chunks > 0).limit(1)).scalar_one()
        tx.execute(update(index_state).where(index_state.c.document_id == one).values(live_without_terms=1))
    check = start_check(services)
    assert (check.verdict, check.lacking_sparse) == ("clean", 1)


def test_where_marks_are_not_known_a_lacking_sparse_vector_is_no_proof(services: Services):
    plant(services, "sparse vector lost")
    with services.db.begin() as tx:
        tx.execute(update(index_state).values(live_without_terms=None))
    assert start_check(services).verdict == "clean"


def test_without_a_collection_nothing_is_known(services: Services):
    services.index.remove()
    check = start_check(services)
    assert check.verdict == "unknown"
    assert check.expected_points > 100


def test_status_shows_the_check(home: Settings):
    with open_services(home) as services:
        plant(services, "point removed")
        shown = status(services)
    assert (shown.drift_check, shown.points, shown.expected_points) == (
        "drift",
        shown.start_check.points,
        shown.start_check.expected_points,
    )
    assert "count" in shown.start_check.findings
