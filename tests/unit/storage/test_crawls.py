from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, select

from pipeline.domain.documents import Document, Facets
from pipeline.domain.errors import SourceWentBackError
from pipeline.domain.identifiers import document_id
from pipeline.domain.ports import SourceVersion
from pipeline.domain.vocabulary import DocumentKind
from pipeline.storage import crawls, documents
from pipeline.storage.crawls import Crawl, Duplicate, ListedRecord
from pipeline.storage.engine import Database
from pipeline.storage.source_state import SourceState, load_source_state, save_source_state
from pipeline.storage.tables import documents as documents_table
from pipeline.storage.tables import listing

SOURCE = "clinicaltrials.gov"
HOUR = timedelta(hours=1)


def _sha(letter: str) -> str:
    return letter * 64


def _record(key: str, letter: str = "a", *, updated: str | None = None, origin: str = "page 1", position: int = 0) -> ListedRecord:
    return ListedRecord(key, _sha(letter), position, updated, origin)


def _open(
    db: Database, now: datetime, *, scope: str = "all", parameters: str = "p", timestamp: str | None = None, max_age: timedelta = 12 * HOUR
) -> Crawl:
    with db.begin() as tx:
        return crawls.open_crawl(
            tx,
            source=SOURCE,
            scope=scope,
            parameters_hash=parameters,
            version=SourceVersion(timestamp, "2.0.5"),
            now=now,
            max_age=max_age,
        )


def _add(
    db: Database, crawl: Crawl, *records: ListedRecord, now: datetime, token: str | None = None, total: int | None = None, failed: int = 0
) -> list[Duplicate]:
    with db.begin() as tx:
        return crawls.add_page(tx, crawl.crawl_id, records, failed=failed, next_token=token, total=total, now=now)


def _keep(db: Database, key: str, letter: str, now: datetime, *, source: str = SOURCE, root: str | None = None) -> UUID:
    document = Document(
        document_id=document_id(source, key),
        source=source,
        source_key=key,
        kind=DocumentKind.TRIAL,
        title="An invented trial",
        parts=(),
        facets=Facets(),
        content_hash="c" * 32,
        facets_hash="f" * 32,
    )
    with db.begin() as tx:
        documents.upsert_document(tx, document, _sha(letter), now, root=root)
    return document.document_id


def _listed(db: Database, crawl: Crawl) -> dict[str, str]:
    with db.read() as tx:
        query = select(listing.c.source_key, listing.c.payload_sha256).where(listing.c.crawl_id == crawl.crawl_id)
        return {key: sha[0] for key, sha in tx.execute(query)}


def test_a_crawl_goes_on_after_its_last_committed_page(db: Database, now: datetime) -> None:
    first = _open(db, now)
    assert (first.resumed, first.next_token, first.received) == (False, None, 0)
    _add(db, first, _record("NCT90000001"), _record("NCT90000002"), now=now, token="t1", total=5, failed=1)
    again = _open(db, now + HOUR)
    assert again.crawl_id == first.crawl_id
    assert (again.resumed, again.next_token, again.promised, again.received, again.failed, again.pages) == (True, "t1", 5, 2, 1, 1)
    assert again.listed == 2


@pytest.mark.parametrize(
    ("later", "changes"),
    [
        (13 * HOUR, {}),
        (HOUR, {"parameters": "q"}),
        (HOUR, {"timestamp": "2031-05-18T09:00:05"}),
    ],
    ids=["too old", "other parameters", "other data"],
)
def test_a_crawl_that_does_not_fit_is_closed_as_incomplete_and_a_new_one_begun(
    db: Database, now: datetime, later: timedelta, changes: dict[str, str]
) -> None:
    first = _open(db, now)
    _add(db, first, _record("NCT90000001"), now=now, token="t1")
    second = _open(db, now + later, **changes)
    assert second.crawl_id != first.crawl_id
    assert (second.resumed, second.next_token, second.listed) == (False, None, 0)
    with db.read() as tx:
        assert crawls.get_crawl(tx, first.crawl_id).state == "incomplete"


def test_a_crawl_of_another_scope_is_left_open(db: Database, now: datetime) -> None:
    first = _open(db, now, scope="all")
    assert _open(db, now, scope="query:asthma").crawl_id != first.crawl_id
    assert _open(db, now, scope="all").crawl_id == first.crawl_id


def test_a_crawl_killed_after_its_last_page_is_not_walked_a_second_time(db: Database, now: datetime) -> None:
    first = _open(db, now)
    _add(db, first, _record("NCT90000001"), now=now, token=None)
    assert _open(db, now + HOUR).crawl_id != first.crawl_id


def test_a_page_that_is_rolled_back_leaves_neither_records_nor_token(db: Database, now: datetime) -> None:
    crawl = _open(db, now)

    def add_and_die() -> None:
        with db.begin() as tx:
            crawls.add_page(tx, crawl.crawl_id, [_record("NCT90000001")], failed=0, next_token="t1", total=9, now=now)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_die()
    assert _listed(db, crawl) == {}
    assert _open(db, now).next_token is None


@pytest.mark.parametrize("in_one_page", [True, False])
@pytest.mark.parametrize(
    ("second", "kept", "identical", "replaced"),
    [
        (_record("NCT90000001", "a", updated="2031-05-02", origin="later"), "a", True, False),
        (_record("NCT90000001", "b", updated="2031-05-02", origin="later"), "b", False, True),
        (_record("NCT90000001", "b", updated="2031-04-30", origin="later"), "a", False, False),
        (_record("NCT90000001", "b", updated="2031-05-01", origin="later"), "a", False, False),
        (_record("NCT90000001", "b", updated=None, origin="later"), "a", False, False),
    ],
    ids=["identical", "newer", "older", "tie", "undated"],
)
def test_of_two_records_with_one_key_the_newer_counts_and_a_tie_keeps_the_first(
    db: Database, now: datetime, second: ListedRecord, kept: str, identical: bool, replaced: bool, in_one_page: bool
) -> None:
    crawl = _open(db, now)
    first = _record("NCT90000001", "a", updated="2031-05-01")
    if in_one_page:
        duplicates = _add(db, crawl, first, second, now=now)
    else:
        assert _add(db, crawl, first, now=now, token="t1") == []
        duplicates = _add(db, crawl, second, now=now)
    assert duplicates == [Duplicate("NCT90000001", "later", identical=identical, replaced=replaced)]
    assert _listed(db, crawl) == {"NCT90000001": kept}
    with db.read() as tx:
        now_is = crawls.get_crawl(tx, crawl.crawl_id)
    assert (now_is.received, now_is.listed) == (2, 1)


def test_only_records_whose_bytes_truth_lacks_are_changed(db: Database, now: datetime) -> None:
    _keep(db, "NCT90000001", "a", now)
    _keep(db, "NCT90000002", "a", now)
    gone = _keep(db, "NCT90000003", "a", now)
    with db.begin() as tx:
        documents.tombstone(tx, [gone], now)
    crawl = _open(db, now)
    _add(db, crawl, *[_record(f"NCT9000000{n}", letter) for n, letter in ((4, "a"), (3, "a"), (2, "b"), (1, "a"))], now=now)
    with db.read() as tx:
        changed = crawls.changed(tx, crawl.crawl_id)
        some = crawls.changed(tx, crawl.crawl_id, keys=["NCT90000001", "NCT90000002"])
        unchanged = crawls.unchanged_count(tx, crawl.crawl_id)
    assert [record.source_key for record in changed] == ["NCT90000004", "NCT90000003", "NCT90000002"]
    assert changed[2] == _record("NCT90000002", "b", position=2)
    assert [record.source_key for record in some] == ["NCT90000002"]
    assert unchanged == 1


def test_vanished_are_the_live_documents_of_this_source_that_the_listing_does_not_name(db: Database, now: datetime) -> None:
    _keep(db, "NCT90000001", "a", now)
    missing = _keep(db, "NCT90000002", "a", now)
    gone = _keep(db, "NCT90000003", "a", now)
    _keep(db, "NCT90000004", "a", now, source="elsewhere")
    with db.begin() as tx:
        documents.tombstone(tx, [gone], now)
    earlier = _open(db, now, scope="other")
    _add(db, earlier, _record("NCT90000002"), now=now)
    crawl = _open(db, now)
    _add(db, crawl, _record("NCT90000001"), now=now)
    with db.read() as tx:
        assert crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now) == [(missing, "NCT90000002")]


def test_seen_is_moved_for_named_live_documents_only(db: Database, now: datetime) -> None:
    named = _keep(db, "NCT90000001", "a", now)
    other = _keep(db, "NCT90000002", "a", now)
    foreign = _keep(db, "NCT90000001", "a", now, source="elsewhere")
    crawl = _open(db, now)
    _add(db, crawl, _record("NCT90000001"), now=now)
    with db.begin() as tx:
        assert crawls.touch_seen(tx, crawl.crawl_id, now + HOUR) == 1
    with db.read() as tx:
        seen = dict(tx.execute(select(documents_table.c.document_id, documents_table.c.seen_at)).all())
    assert seen == {named: now + HOUR, other: now, foreign: now}


def test_a_complete_crawl_moves_the_watermark_forward_only(db: Database, now: datetime) -> None:
    for day, expected in (("2031-05-10", "2031-05-10"), ("2031-05-03", "2031-05-10"), ("2031-05-12", "2031-05-12")):
        crawl = _open(db, now, timestamp="2031-05-17T09:00:05")
        _add(db, crawl, _record("NCT90000001", updated=day), _record("NCT90000002", updated=None), now=now)
        with db.begin() as tx:
            crawls.close_crawl(tx, crawl.crawl_id, "complete", now)
            state = crawls.advance(tx, crawl.crawl_id, now)
        assert state.watermark == expected
    with db.read() as tx:
        kept = load_source_state(tx, SOURCE, "all")
        listings = tx.execute(select(func.count(listing.c.crawl_id.distinct()))).scalar_one()
    assert kept == SourceState(SOURCE, "all", "2031-05-17T09:00:05", "2.0.5", "2031-05-12", now, crawl.crawl_id)
    assert listings == 1  # those of earlier crawls are forgotten


def test_an_empty_complete_crawl_keeps_the_watermark(db: Database, now: datetime) -> None:
    with db.begin() as tx:
        save_source_state(tx, SourceState(SOURCE, "all", watermark="2031-05-10"))
    crawl = _open(db, now)
    with db.begin() as tx:
        assert crawls.advance(tx, crawl.crawl_id, now).watermark == "2031-05-10"


def test_a_source_that_went_back_in_time_is_refused_and_nothing_is_opened(db: Database, now: datetime) -> None:
    first = _open(db, now, timestamp="2031-05-17T09:00:05")
    with pytest.raises(SourceWentBackError):
        _open(db, now, timestamp="2031-05-16T09:00:05", scope="query:asthma")
    assert _open(db, now, timestamp="2031-05-17T09:00:05").crawl_id == first.crawl_id


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("2031-05-17T09:00:05", "2031-05-17T09:00:05", False),
        ("2031-05-17T23:00:00-05:00", "2031-05-18T03:59:00Z", True),  # compared as moments, not as text
        ("2031-05-17T01:00:00+05:00", "2031-05-16T21:00:00Z", False),
        ("2031-05-17T09:00:05", "last Tuesday", False),
        ("last Tuesday", "2031-05-17T09:00:05", False),
        ("2031-05-17T09:00:05", None, False),
    ],
)
def test_data_timestamps_are_compared_as_moments(db: Database, before: str, after: str | None, refused: bool) -> None:
    with db.begin() as tx:
        save_source_state(tx, SourceState(SOURCE, "all", data_timestamp=before))
    if refused:
        with pytest.raises(SourceWentBackError), db.begin() as tx:
            save_source_state(tx, SourceState(SOURCE, "all", data_timestamp=after))
        return
    with db.begin() as tx:
        save_source_state(tx, SourceState(SOURCE, "all", data_timestamp=after))
    with db.read() as tx:
        found = load_source_state(tx, SOURCE, "all")
    assert found is not None
    assert found.data_timestamp == after


def test_a_scope_longer_than_its_column_is_kept_apart_from_its_like(db: Database, now: datetime) -> None:
    long = "query:" + "invented words " * 100
    crawl = _open(db, now, scope=long + "a")
    assert _open(db, now, scope=long + "a").crawl_id == crawl.crawl_id
    assert _open(db, now, scope=long + "b").crawl_id != crawl.crawl_id


def test_an_unknown_crawl_is_a_key_error(db: Database) -> None:
    with pytest.raises(KeyError), db.read() as tx:
        crawls.get_crawl(tx, uuid4())


def test_of_named_folders_only_their_own_documents_vanish(db: Database, now: datetime) -> None:
    crawl = _open(db, now)
    listed = _keep(db, "k1", "a", now, root="f" * 32)
    gone = _keep(db, "k2", "a", now, root="f" * 32)
    _keep(db, "k3", "a", now, root="e" * 32)
    _keep(db, "k4", "a", now)
    _add(db, crawl, _record("k1"), now=now)
    with db.read() as tx:
        assert crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now, roots=["f" * 32]) == [(gone, "k2")]
        assert crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now, roots=[]) == []
        assert len(crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now)) == 3
        assert documents.live_count(tx, roots=["f" * 32]) == 2
        assert documents.live_count(tx) == 4
        assert documents.payload_hashes(tx, [listed]) == {listed: "a" * 64}


def test_a_listing_that_another_crawl_forgot_meanwhile_says_of_nothing_that_it_has_vanished(db: Database, now: datetime) -> None:
    """Two runs listed at once; the second one was complete first."""
    _keep(db, "NCT90000001", "a", now)
    slow = _open(db, now)
    _add(db, slow, _record("NCT90000001"), now=now)
    with db.begin() as tx:
        crawls.close_crawl(tx, slow.crawl_id, "complete", now)
    fast = _open(db, now + HOUR)
    _add(db, fast, _record("NCT90000001", updated="2031-05-16"), now=now)
    with db.begin() as tx:
        crawls.close_crawl(tx, fast.crawl_id, "complete", now)
        assert not crawls.is_overtaken(tx, slow.crawl_id)
        ahead = crawls.advance(tx, fast.crawl_id, now)
    with db.begin() as tx:
        assert crawls.is_overtaken(tx, slow.crawl_id)
        assert crawls.vanished(tx, slow.crawl_id, SOURCE, now=now) == []
        assert crawls.advance(tx, slow.crawl_id, now + HOUR) == ahead
    assert _listed(db, fast) == {"NCT90000001": "a"}


def test_from_an_empty_complete_listing_everything_has_vanished(db: Database, now: datetime) -> None:
    kept = _keep(db, "NCT90000001", "a", now)
    crawl = _open(db, now)
    _add(db, crawl, now=now)
    with db.begin() as tx:
        crawls.close_crawl(tx, crawl.crawl_id, "complete", now)
        assert not crawls.is_overtaken(tx, crawl.crawl_id)
        assert crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now) == [(kept, "NCT90000001")]


def test_what_another_run_took_since_a_listing_began_has_not_vanished_from_it(db: Database, now: datetime) -> None:
    """The listing was made before the document was there; the next one that does not name it tells."""
    gone = _keep(db, "NCT90000001", "a", now - HOUR)
    older = _open(db, now)
    _add(db, older, _record("NCT90000002"), now=now)
    newer = _keep(db, "NCT90000003", "a", now + HOUR)
    with db.read() as tx:
        assert crawls.vanished(tx, older.crawl_id, SOURCE, now=now + 2 * HOUR) == [(gone, "NCT90000001")]
    later = _open(db, now + 3 * HOUR)
    _add(db, later, _record("NCT90000002"), now=now + 3 * HOUR)
    with db.read() as tx:
        found = crawls.vanished(tx, later.crawl_id, SOURCE, now=now + 4 * HOUR)
    assert found == [(gone, "NCT90000001"), (newer, "NCT90000003")]


def test_a_document_seen_by_a_clock_that_was_ahead_can_vanish_all_the_same(db: Database, now: datetime) -> None:
    gone = _keep(db, "NCT90000001", "a", now + 24 * HOUR)
    crawl = _open(db, now)
    _add(db, crawl, _record("NCT90000002"), now=now)
    with db.read() as tx:
        assert crawls.vanished(tx, crawl.crawl_id, SOURCE, now=now + HOUR) == [(gone, "NCT90000001")]
