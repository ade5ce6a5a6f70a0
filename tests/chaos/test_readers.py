"""The judge is not blind: each kind of wrong answer is seen, in a home that was really damaged where that can be done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pipeline.domain.points import PointFilter
from pipeline.settings import Settings
from pipeline.storage import chunks as chunk_store
from pipeline.storage.tables import chunks, documents
from pipeline.testing import night_jobs as jobs
from pipeline.testing.homes import copy_of
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.readers import Answer, Expectation, Fault, Reader, ask, served
from pipeline.testing.studies import invented_nct_id
from pipeline.wiring import Services, utc_now
from tests.chaos.corpus import QUERIES, hand_in, study

OLD, NEW = ("a1", "b1"), ("a2", "b2", "c2")
EXPECTED = Expectation.between({"d": OLD, "e": OLD}, {"d": NEW, "e": OLD})


@pytest.fixture
def services(small_home: Settings, work: Path) -> Iterator[Services]:
    with hashing_services(copy_of(small_home, work / "home")) as opened:
        yield opened


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        (Answer(shown=(("d", ("a1", "b1")), ("e", ("a1",))), served={"d": OLD, "e": OLD}), set()),
        (Answer(shown=(("d", ("a2",)),), served={"d": NEW, "e": OLD}), set()),
        (Answer(shown=(("d", ("a1", "b2")),)), {Fault.MIXED}),
        (Answer(shown=(("e", ("a2",)),)), {Fault.MIXED}),
        (Answer(served={"d": ("a2", "b2"), "e": OLD}), {Fault.PARTIAL}),
        (Answer(served={"d": (*NEW, "b2"), "e": OLD}), {Fault.PARTIAL}),
        (Answer(served={"d": (*OLD, *NEW), "e": OLD}), {Fault.PARTIAL}),
        (Answer(served={"d": NEW}), {Fault.LOST}),
        (Answer(shown=(("d", ("a1",)),), deleted=frozenset("d")), {Fault.DELETED}),
        (Answer(shown=(("d", ("a1",)),), deleted_before=frozenset("d")), set()),
        (Answer(shown=(("f", ("a1",)),)), {Fault.UNKNOWN, Fault.MIXED}),
        (Answer(failure="StoreBusyError"), {Fault.FAILED}),
    ],
)
def test_each_answer_is_judged(answer: Answer, faults: set[Fault]):
    assert set(EXPECTED.judge([answer])) == faults


def test_what_was_deleted_for_good_must_not_come_back_later():
    expected = Expectation.between({"d": OLD}, {}, gone_for_good=frozenset("d"))
    first, later = Answer(deleted_before=frozenset("d")), Answer(shown=(("d", ("a1",)),))
    assert set(expected.judge([later, first])) == set()
    assert set(expected.judge([first, later])) == {Fault.RESURRECTED}


def test_versions_share_no_text(services: Services):
    """Otherwise a mixture of them would not show."""
    before = served(services)
    hand_in(services.settings, *(study(number, 2) for number in range(6)))
    jobs.ingest_all(services.settings)
    jobs.index(services.settings)
    after = served(services)
    assert before.keys() == after.keys()
    assert all(len(set(before[key]) & set(after[key])) <= len(before[key]) // 2 for key in before)
    assert all(len(after[key]) > len(before[key]) for key in before)


def test_a_point_that_is_missing_is_seen(services: Services):
    expected = Expectation.between(served(services))
    assert not expected.judge([ask(services, QUERIES[0])])
    with services.index.session() as index:
        index.delete_points([next(iter(index.scan())).id])
    assert set(expected.judge([ask(services, QUERIES[0])])) == {Fault.PARTIAL}


def test_a_document_without_points_is_seen(services: Services):
    before = served(services)
    with services.index.session() as index, services.db.read() as tx:
        index.delete_matching(PointFilter(document_ids=(tx.execute(select(documents.c.document_id)).scalars().first(),)))
    assert set(Expectation.between(before).judge([ask(services, QUERIES[0])])) == {Fault.LOST}


def test_a_search_that_did_not_ask_truth_is_seen(services: Services, monkeypatch: pytest.MonkeyPatch):
    """Two generations beside each other, and a search that shows both."""
    before = served(services)
    with services.db.read() as tx:
        kept = {row.point_id: row for row in map(chunk_store._row, tx.execute(select(chunks)))}
    key = next(iter(kept.values())).document_id
    hand_in(services.settings, *(study(number, 2) for number in range(6)))
    jobs.ingest_all(services.settings)
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == key).values(tombstoned_at=utc_now()))
    jobs.index(services.settings)
    with services.db.read() as tx:
        now = {row.point_id: row for row in map(chunk_store._row, tx.execute(select(chunks)))}
    expected = Expectation.between(before, served(services))

    def everything(_: object, ids: list, **__: object) -> dict:
        texts = {row.document_id: row for row in kept.values()}
        return {one: texts[now[one].document_id] if number % 2 else now[one] for number, one in enumerate(ids) if one in now}

    assert not expected.judge([ask(services, QUERIES[0])])
    monkeypatch.setattr(chunk_store, "rows_by_point", everything)
    assert set(expected.judge([ask(services, QUERIES[0])])) >= {Fault.MIXED, Fault.PARTIAL}


def test_a_deleted_document_that_is_shown_is_seen(services: Services, monkeypatch: pytest.MonkeyPatch):
    expected = Expectation.between(served(services))
    live = chunk_store.rows_by_point
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.source_key == invented_nct_id(0)).values(tombstoned_at=utc_now()))
    assert set(expected.judge([ask(services, QUERIES[0])])) == {Fault.LOST}

    def as_if_it_were_not(tx: object, ids: list, **named: object) -> dict:
        found = live(tx, ids, **named)
        rows = tx.execute(select(chunks).where(chunks.c.point_id.in_(ids)))
        return found | {row.point_id: row for row in map(chunk_store._row, rows)}

    monkeypatch.setattr(chunk_store, "rows_by_point", as_if_it_were_not)
    assert set(expected.judge([ask(services, QUERIES[0])])) == {Fault.DELETED}


def test_a_reader_asks_before_and_after(small_home: Settings, work: Path):
    reader = Reader(copy_of(small_home, work / "home"), QUERIES, hashing_services)
    with reader.reading():
        asked = len(reader.answers)
    assert 1 <= asked < len(reader.answers)
    assert reader.answers[-1].served is not None


def test_a_reader_whose_home_cannot_be_opened_has_failed(small_home: Settings, work: Path):
    reader = Reader(small_home.model_copy(update={"home": work / "none"}), QUERIES, hashing_services)
    with reader.reading():
        pass
    assert set(Expectation({}).judge(reader.answers)) == {Fault.FAILED}
