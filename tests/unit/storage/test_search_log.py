"""The log of searches: a chain that shows what was changed, taken away or put in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, delete, insert, select, update

from pipeline.domain.errors import StoreCorruptError
from pipeline.jobs.audit.searches import verify_log
from pipeline.settings import Settings
from pipeline.storage import meta, search_log
from pipeline.storage.engine import Database
from pipeline.storage.retrieval_tables import search_log as rows
from pipeline.storage.search_log import Entry, Head
from pipeline.wiring import Services

SECRET = b"sixteen characters and more"


def entry(now: datetime, number: int = 1) -> Entry:
    documents = (UUID(int=number), UUID(int=number + 1))
    return Entry(uuid4(), now + timedelta(seconds=number), "a1b2c3d4", "public", "/search", "f" * 32, {"limit": 5}, documents, 3)


@pytest.fixture
def services(db: Database) -> Services:
    opened = Services(Settings(), db)
    opened.secret = SECRET
    return opened


@pytest.fixture
def logged(db: Database, now: datetime) -> list[Entry]:
    entries = [entry(now, number) for number in range(1, 6)]
    for one in entries:
        with db.begin() as tx:
            search_log.append(tx, one, secret=SECRET)
    return entries


def test_rows_come_back_as_they_were_written_and_the_chain_holds(db: Database, services: Services, logged: list[Entry]):
    with db.read() as tx:
        assert [row.entry for row in search_log.rows_of(tx)] == logged
        assert search_log.find(tx, logged[2].search_id).number == 3
        assert search_log.find(tx, uuid4()) is None
    report = verify_log(services)
    assert (report.passed, report.rows, report.problems) == (True, 5, [])


def test_an_empty_log_is_unbroken(services: Services):
    assert verify_log(services).passed


def _remove(number: int) -> Callable[[Connection], object]:
    return lambda tx: tx.execute(delete(rows).where(rows.c.number == number))


def _change(**values: object) -> Callable[[Connection], object]:
    return lambda tx: tx.execute(update(rows).where(rows.c.number == 3).values(**values))


def _insert(tx: Connection) -> None:
    kept = dict(tx.execute(select(rows).where(rows.c.number == 5)).one()._mapping)
    tx.execute(insert(rows).values({**kept, "number": 6, "search_id": uuid4()}))


def _cut_and_move_head(tx: Connection) -> None:
    _remove(5)(tx)
    last = tx.execute(select(rows).where(rows.c.number == 4)).one()
    search_log.put_head(tx, Head(4, last.hash, last.seal))


def _reseal_with_another_secret(tx: Connection) -> None:
    for row in tx.execute(select(rows)).all():
        tx.execute(update(rows).where(rows.c.number == row.number).values(seal=search_log.seal_of(b"another", row.hash)))


@pytest.mark.parametrize(
    "tamper",
    [
        _remove(1),
        _remove(3),
        _remove(5),
        _change(key_id=None),
        _change(documents=[]),
        _change(documents=["no id"]),
        _change(hits=0),
        _change(filters={}),
        _change(query_hash=None),
        _change(seal="0" * 64),
        _change(previous="0" * 64),
        _insert,
        _cut_and_move_head,
        _reseal_with_another_secret,
        lambda tx: tx.execute(delete(rows)),
        lambda tx: meta.put(tx, "search_log_head", ""),
        lambda tx: meta.put(tx, "search_log_head", "{}"),
    ],
)
def test_every_tampering_is_found(db: Database, services: Services, logged: list[Entry], tamper: Callable[[Connection], object]):
    with db.begin() as tx:
        tamper(tx)
    report = verify_log(services)
    assert not report.passed
    assert report.problems


def test_a_head_that_was_noted_shows_that_the_whole_was_replaced(db: Database, services: Services, logged: list[Entry], now: datetime):
    noted = verify_log(services).head
    with db.begin() as tx:
        search_log.append(tx, entry(now, 9), secret=SECRET)
    assert verify_log(services, noted=noted).passed
    with db.begin() as tx:
        tx.execute(delete(rows))
        meta.put(tx, "search_log_head", "")
    with db.begin() as tx:
        for number in range(1, 8):
            search_log.append(tx, entry(now, number), secret=SECRET)
    assert verify_log(services).passed
    assert not verify_log(services, noted=noted).passed


def test_nothing_is_logged_after_a_head_that_is_gone(db: Database, logged: list[Entry], now: datetime):
    with db.begin() as tx:
        meta.put(tx, "search_log_head", "")
    with pytest.raises(StoreCorruptError), db.begin() as tx:
        search_log.append(tx, entry(now), secret=SECRET)


def test_writers_at_once_make_one_chain(db: Database, services: Services, now: datetime):
    def write(number: int) -> None:
        with db.begin() as tx:
            search_log.append(tx, entry(now, number), secret=SECRET)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(24)))
    report = verify_log(services)
    assert (report.passed, report.rows) == (True, 24)
