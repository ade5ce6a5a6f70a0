"""Source against truth, by hand-made listings: every record in one class, sums that close, evidence without keys."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from pipeline.domain.documents import Document, Facets
from pipeline.domain.identifiers import document_id
from pipeline.domain.ports import SourceVersion
from pipeline.domain.vocabulary import DocumentKind, SourceClass
from pipeline.jobs.source_side import source_side, write_evidence
from pipeline.jobs.summaries import SourceSide
from pipeline.storage import crawls, documents, runs
from pipeline.storage.crawls import CrawlState, ListedRecord
from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.storage.runs import RunOutcome
from pipeline.storage.suppressions import suppress

NOW = datetime(2031, 5, 17, 2, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
TRIALS = "clinicaltrials.gov"


@pytest.fixture
def db(tmp_path: Path) -> Database:
    made = Database.open(f"sqlite:///{tmp_path / 'truth.db'}")
    upgrade(made)
    return made


def _sha(letter: str) -> str:
    return letter * 64


def _hold(db: Database, key: str, letter: str = "a", *, source: str = TRIALS, at: datetime = NOW, root: str | None = None) -> UUID:
    """Let truth hold a record with these bytes."""
    made = Document(document_id(source, key), source, key, DocumentKind.TRIAL, "Invented", (), Facets(), "c" * 32, "f" * 32)
    with db.begin() as tx:
        documents.upsert_document(tx, made, _sha(letter), at, root=root)
    return made.document_id


def _list(
    db: Database,
    named: dict[str, str],
    *,
    at: datetime = NOW,
    scope: str = "all",
    source: str = TRIALS,
    state: CrawlState = "complete",
    outcomes: tuple[RunOutcome, ...] = (),
) -> UUID:
    """Let a source list these records (key to the letter of their bytes), as ingestion does, without taking them."""
    with db.begin() as tx:
        run_id = runs.start_run(tx, "ingest", at)
        version = SourceVersion(None, None)
        crawl = crawls.open_crawl(tx, source=source, scope=scope, parameters_hash="p", version=version, now=at, max_age=HOUR)
        records = [ListedRecord(key, _sha(letter), position=number) for number, (key, letter) in enumerate(named.items())]
        crawls.add_page(tx, crawl.crawl_id, records, failed=0, next_token=None, total=len(named), now=at)
        crawls.close_crawl(tx, crawl.crawl_id, state, at)
        runs.add_outcomes(tx, run_id, outcomes)
        runs.finish_run(tx, run_id, "success", {"crawl_id": str(crawl.crawl_id)}, at)
    return crawl.crawl_id


def _sides(db: Database) -> list[SourceSide]:
    with db.read() as tx:
        return source_side(tx)


def _differing(side: SourceSide) -> dict[str, int]:
    return {name: count for name, count in side.classes.items() if count and name != "equal"}


def test_a_truth_that_holds_what_was_listed_agrees(db: Database) -> None:
    for key in ("NCT90000001", "NCT90000002"):
        _hold(db, key)
    _list(db, {"NCT90000001": "a", "NCT90000002": "a"})
    (side,) = _sides(db)
    assert (side.agrees, side.sums_close, side.listed, side.alive, _differing(side)) == (True, True, 2, 2, {})


def test_each_listed_record_is_in_exactly_one_class_and_reasons_come_from_its_run(db: Database) -> None:
    _hold(db, "NCT90000001")
    _hold(db, "NCT90000002", "a")
    gone = _hold(db, "NCT90000003")
    erased = _hold(db, "NCT90000004")
    _hold(db, "NCT90000009", at=NOW - HOUR)
    with db.begin() as tx:
        documents.tombstone(tx, [gone, erased], NOW)
        suppress(tx, [str(erased), str(document_id(TRIALS, "NCT90000005"))], uuid4(), NOW)
    named = {f"NCT9000000{number}": "b" if number == 2 else "a" for number in range(1, 8)}
    _list(db, named, outcomes=(RunOutcome("normalize", "failure", "not_a_study", source_key="NCT90000006"),))
    (side,) = _sides(db)
    assert _differing(side) == {"changed": 1, "tombstoned": 1, "suppressed": 2, "missing_in_truth": 2, "vanished": 1}
    assert side.classes["equal"] == 1
    assert set(side.classes) == {name.value for name in SourceClass}
    assert side.reasons == {"not_a_study": 1, "not_recorded": 2}
    assert (side.listed, side.sums_close, side.agrees) == (7, True, False)


def test_what_was_suppressed_alone_is_no_disagreement(db: Database) -> None:
    with db.begin() as tx:
        suppress(tx, [str(document_id(TRIALS, "NCT90000001"))], uuid4(), NOW)
    _list(db, {"NCT90000001": "a"})
    (side,) = _sides(db)
    assert (side.agrees, _differing(side)) == (True, {"suppressed": 1})


def test_a_record_that_ingestion_told_to_be_suppressed_is_so_although_only_its_patient_is_named(db: Database) -> None:
    told = RunOutcome("normalize", "notice", "suppressed", source_key="f" * 32)
    _list(db, {"f" * 32: "a"}, scope="files", source="documents", outcomes=(told,))
    (side,) = _sides(db)
    assert (side.agrees, _differing(side)) == (True, {"suppressed": 1})


def test_a_later_listing_has_the_last_word_on_a_record(db: Database) -> None:
    _hold(db, "NCT90000001", "b")
    _list(db, {"NCT90000001": "a"})
    _list(db, {"NCT90000001": "b"}, at=NOW + HOUR, scope="since:2031-05-16")
    newer, older = _sides(db)
    assert (newer.scope, newer.agrees, _differing(newer)) == ("since:2031-05-16", True, {})
    assert (older.scope, older.agrees, _differing(older)) == ("all", True, {"superseded": 1})


def test_a_later_listing_that_broke_off_has_it_only_where_truth_took_what_it_brought(db: Database) -> None:
    _hold(db, "NCT90000001", "b")
    _hold(db, "NCT90000002", "c")
    _list(db, {"NCT90000001": "a", "NCT90000002": "a"})
    _list(db, {"NCT90000001": "b", "NCT90000002": "b"}, at=NOW + HOUR, scope="since:2031-05-16", state="incomplete")
    (side,) = _sides(db)
    assert _differing(side) == {"superseded": 1, "changed": 1}
    assert not side.agrees


@pytest.mark.parametrize(("scope", "vanished"), [("all", 1), ("query:sepsis", 0), ("since:2031-05-16", 0), ("files", 0)])
def test_only_a_listing_that_names_everything_shows_what_has_vanished(db: Database, scope: str, vanished: int) -> None:
    _hold(db, "NCT90000001")
    _hold(db, "NCT90000002", at=NOW - HOUR)
    _list(db, {"NCT90000001": "a"}, scope=scope)
    (side,) = _sides(db)
    assert (side.classes["vanished"], side.proves_absence, side.agrees) == (vanished, bool(vanished), not vanished)


def test_what_a_source_named_after_the_listing_has_not_vanished(db: Database) -> None:
    _hold(db, "NCT90000002", at=NOW + HOUR)
    _list(db, {})
    (side,) = _sides(db)
    assert side.agrees


def test_a_folder_answers_for_itself_alone_and_a_file_it_could_not_read_is_there(db: Database) -> None:
    before = NOW - HOUR
    _hold(db, "1" * 32, source="documents", root="f1", at=before)
    _hold(db, "2" * 32, source="documents", root="f1", at=before)
    _hold(db, "3" * 32, source="documents", root="f1", at=before)
    _hold(db, "4" * 32, source="documents", root="another", at=before)
    unreadable = RunOutcome("fetch", "failure", "unreadable_file", source_key="2" * 32)
    _list(db, {"1" * 32: "a"}, scope="folders:f1", source="documents", outcomes=(unreadable,))
    (side,) = _sides(db)
    assert (side.alive, _differing(side)) == (3, {"vanished": 1})


def test_an_incomplete_listing_says_nothing(db: Database) -> None:
    _list(db, {"NCT90000001": "a"}, state="incomplete")
    assert _sides(db) == []


def test_a_complete_listing_stays_beside_a_later_one_that_broke_off(db: Database) -> None:
    _hold(db, "NCT90000001")
    crawl = _list(db, {"NCT90000001": "a"})
    with db.begin() as tx:
        crawls.advance(tx, crawl, NOW)
    _list(db, {"NCT90000002": "a"}, at=NOW + HOUR, state="failed")
    (side,) = _sides(db)
    assert (side.listed_at, side.agrees) == (NOW, True)


def test_evidence_has_a_line_for_each_difference_and_no_keys(db: Database, tmp_path: Path) -> None:
    _hold(db, "NCT90000001")
    _list(db, {"NCT90000001": "a", "NCT90000002": "a"})
    run_id = uuid4()
    with db.read() as tx:
        sides, path = write_evidence(tx, tmp_path / "plans", run_id)
    assert path == str(tmp_path / "plans" / f"source-{run_id}.jsonl")
    text = Path(path).read_text(encoding="utf-8")
    assert "NCT9" not in text
    expected = {"class": "missing_in_truth", "document_id": str(document_id(TRIALS, "NCT90000002")), "source": TRIALS, "scope": "all"}
    assert [json.loads(line) for line in text.splitlines()] == [expected | {"reason": None}]
    assert Path(path).stat().st_mode & 0o777 == 0o600
    assert len(sides) == 1


def test_where_nothing_differs_no_file_is_left(db: Database, tmp_path: Path) -> None:
    with db.read() as tx:
        assert write_evidence(tx, tmp_path / "plans", uuid4()) == ([], None)
    assert list((tmp_path / "plans").iterdir()) == []
