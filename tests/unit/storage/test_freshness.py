"""When a status was confirmed: by being named, by a chain of listings without a gap, and not by what was listed and never taken."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from pipeline.storage import documents
from pipeline.storage.engine import Database
from pipeline.storage.freshness import Confirmation, base_scope, confirmations
from pipeline.testing.listings import hold, listed

DAY = timedelta(days=1)
KEY = "NCT90000001"


def _only(db: Database) -> Confirmation:
    with db.read() as tx:
        (found,) = confirmations(tx)
    return found


def _since(moment: datetime) -> str:
    return f"since:{moment.date().isoformat()}"


def test_a_study_that_was_only_taken_is_confirmed_then(db: Database, now: datetime) -> None:
    key = hold(db, KEY, at=now, status="RECRUITING")
    assert _only(db) == Confirmation(key, "clinicaltrials.gov", "RECRUITING", now, outdated=False)


def test_a_complete_listing_of_everything_confirms_each_study_it_names_as_held(db: Database, now: datetime) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {KEY: "a"}, at=now + DAY)
    assert _only(db).confirmed_at == now + DAY


@pytest.mark.parametrize("state", ["incomplete", "failed"])
def test_a_listing_that_broke_off_confirms_nothing(db: Database, now: datetime, state: str) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {}, at=now + DAY, state=state)  # type: ignore[arg-type]
    assert _only(db).confirmed_at == now


@pytest.mark.parametrize("scope", ["ids", "files", "limit:5", "query:sepsis", "query:sepsis since:2026-05-01"])
def test_a_listing_of_something_else_confirms_nothing(db: Database, now: datetime, scope: str) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {}, at=now + DAY, scope=scope)
    assert _only(db).confirmed_at == now


def test_a_listing_of_changes_confirms_what_it_does_not_name(db: Database, now: datetime) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {KEY: "a"}, at=now)
    listed(db, {}, at=now + DAY, scope=_since(now - 2 * DAY))
    listed(db, {}, at=now + 2 * DAY, scope=_since(now - DAY))
    assert _only(db).confirmed_at == now + 2 * DAY


@pytest.mark.parametrize("begins", [timedelta(0), DAY])
def test_a_gap_between_two_listings_confirms_nothing(db: Database, now: datetime, begins: timedelta) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {KEY: "a"}, at=now)
    listed(db, {}, at=now + 3 * DAY, scope=_since(now + begins))
    assert _only(db).confirmed_at == now


def test_changes_alone_confirm_nothing_where_everything_was_never_listed(db: Database, now: datetime) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    listed(db, {}, at=now + DAY, scope=_since(now - DAY))
    assert _only(db).confirmed_at == now


def test_a_querys_listings_confirm_the_studies_that_it_found_alone(db: Database, now: datetime) -> None:
    inside = hold(db, KEY, at=now, status="RECRUITING")
    outside = hold(db, "NCT90000002", at=now, status="RECRUITING")
    listed(db, {KEY: "a"}, at=now, scope="query:sepsis")
    listed(db, {}, at=now + DAY, scope=f"query:sepsis {_since(now - DAY)}")
    with db.read() as tx:
        found = {one.document_id: one.confirmed_at for one in confirmations(tx)}
    assert found == {inside: now + DAY, outside: now}


def test_a_newer_version_that_was_listed_and_not_taken_makes_a_status_outdated(db: Database, now: datetime) -> None:
    hold(db, KEY, "a", at=now, status="RECRUITING")
    listed(db, {KEY: "b"}, at=now + DAY)
    assert (_only(db).confirmed_at, _only(db).outdated) == (now, True)
    hold(db, KEY, "b", at=now + DAY, status="COMPLETED")
    assert (_only(db).status, _only(db).confirmed_at, _only(db).outdated) == ("COMPLETED", now + DAY, False)


def test_only_live_studies_with_a_status_count_and_can_be_chosen(db: Database, now: datetime) -> None:
    wanted = hold(db, KEY, at=now, status="RECRUITING")
    other = hold(db, "NCT90000002", at=now, status="COMPLETED")
    gone = hold(db, "NCT90000003", at=now, status="RECRUITING")
    without = hold(db, "NCT90000004", at=now)
    with db.begin() as tx:
        documents.tombstone(tx, [gone], now)
        assert {one.document_id for one in confirmations(tx)} == {wanted, other}
        assert {one.document_id for one in confirmations(tx, status="RECRUITING")} == {wanted}
        assert {one.document_id for one in confirmations(tx, [other, gone, without])} == {other}
        assert list(confirmations(tx, [])) == []


def test_an_age_is_never_below_zero(db: Database, now: datetime) -> None:
    hold(db, KEY, at=now, status="RECRUITING")
    assert _only(db).age_hours(now + timedelta(hours=30)) == 30.0
    assert _only(db).age_hours(now - DAY) == 0.0


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("all", ("all", None)),
        ("since:2031-05-16", ("all", date(2031, 5, 16))),
        ("query:sepsis", ("query:sepsis", None)),
        ("query:sepsis since:2031-05-16", ("query:sepsis", date(2031, 5, 16))),
        ("query:since:2031-05-16 since:2031-05-17", ("query:since:2031-05-16", date(2031, 5, 17))),
        ("query:asked since:yesterday", ("query:asked since:yesterday", None)),
    ],
)
def test_scopes_are_told_apart_from_their_dates(scope: str, expected: tuple[str, date | None]) -> None:
    assert base_scope(scope) == expected
