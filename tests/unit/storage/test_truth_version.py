"""The mark of the truth moves with every commit that could change an answer, and with no other."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, insert, select, update

from pipeline.storage import meta, truth_version
from pipeline.storage.engine import Database
from pipeline.storage.retrieval_tables import api_keys
from pipeline.storage.tables import collections, documents, index_state, runs, source_state
from pipeline.storage.upsert import insert_or_update

NOW = datetime(2031, 5, 17, tzinfo=UTC)


def _mark(db: Database) -> str:
    with db.read() as tx:
        return truth_version.read(tx)


@pytest.mark.parametrize("table", [documents, index_state, collections], ids=lambda table: table.name)
def test_a_statement_that_changes_what_answers_are_made_of_moves_it(db: Database, table):
    first = _mark(db)
    with db.begin() as tx:
        tx.execute(delete(table))
    second = _mark(db)
    with db.begin() as tx:
        tx.execute(update(table).values({next(iter(table.c)).name: next(iter(table.c))}))
    assert len({first, second, _mark(db)}) == 3


def test_an_upsert_moves_it(db: Database):
    before = _mark(db)
    with db.begin() as tx:
        row = {"source": "s", "scope": "all"}
        insert_or_update(tx, source_state, [row], keys=["source", "scope"], update=["scope"])
    assert _mark(db) != before


def test_what_searches_and_runs_write_of_themselves_leaves_it(db: Database):
    before = _mark(db)
    with db.begin() as tx:
        meta.put(tx, "any", "value")
        tx.execute(delete(runs))
        tx.execute(
            insert(api_keys).values(key_id="k", name="n", role="public", digest="d", created_at=NOW),
        )
    assert _mark(db) == before


def test_reading_and_what_was_rolled_back_leave_it(db: Database):
    with db.begin() as tx:
        tx.execute(delete(documents))
    before = _mark(db)
    with db.read() as tx:
        tx.execute(select(documents)).all()
    with pytest.raises(RuntimeError), db.begin() as tx:  # noqa: PT012 - what raises is the block itself
        tx.execute(delete(documents))
        raise RuntimeError("stopped")
    with db.begin() as tx:
        meta.put(tx, "any", "value")  # on the connection that was rolled back
    assert _mark(db) == before
