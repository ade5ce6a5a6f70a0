"""Source against truth, by hand-made listings: every record in one class, sums that close, evidence without keys."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import SourceClass
from pipeline.jobs.drift.source_side import source_side, write_evidence
from pipeline.jobs.summaries import SourceSide
from pipeline.storage import crawls, documents
from pipeline.storage.engine import Database
from pipeline.storage.migrations import upgrade
from pipeline.storage.runs import RunOutcome
from pipeline.storage.suppressions import suppress
from pipeline.testing.listings import TRIALS, hold, listed

NOW = datetime(2031, 5, 17, 2, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def db(tmp_path: Path) -> Database:
    made = Database.open(f"sqlite:///{tmp_path / 'truth.db'}")
    upgrade(made)
    return made


def _sides(db: Database) -> list[SourceSide]:
    with db.read() as tx:
        return source_side(tx)


def _differing(side: SourceSide) -> dict[str, int]:
    return {name: count for name, count in side.classes.items() if count and name != "equal"}


def test_a_truth_that_holds_what_was_listed_agrees(db: Database) -> None:
    for key in ("NCT90000001", "NCT90000002"):
        hold(db, key, at=NOW)
    listed(db, {"NCT90000001": "a", "NCT90000002": "a"}, at=NOW)
    (side,) = _sides(db)
    assert (side.agrees, side.sums_close, side.listed, side.alive, _differing(side)) == (True, True, 2, 2, {})


def test_each_listed_record_is_in_exactly_one_class_and_reasons_come_from_its_run(db: Database) -> None:
    hold(db, "NCT90000001", at=NOW)
    hold(db, "NCT90000002", "a", at=NOW)
    gone = hold(db, "NCT90000003", at=NOW)
    erased = hold(db, "NCT90000004", at=NOW)
    hold(db, "NCT90000009", at=NOW - HOUR)
    with db.begin() as tx:
        documents.tombstone(tx, [gone, erased], NOW)
        suppress(tx, [str(erased), str(document_id(TRIALS, "NCT90000005"))], uuid4(), NOW)
    named = {f"NCT9000000{number}": "b" if number == 2 else "a" for number in range(1, 8)}
    listed(db, named, outcomes=(RunOutcome("normalize", "failure", "not_a_study", source_key="NCT90000006"),), at=NOW)
    (side,) = _sides(db)
    assert _differing(side) == {"changed": 1, "tombstoned": 1, "suppressed": 2, "missing_in_truth": 2, "vanished": 1}
    assert side.classes["equal"] == 1
    assert set(side.classes) == {name.value for name in SourceClass}
    assert side.reasons == {"not_a_study": 1, "not_recorded": 2}
    assert (side.listed, side.sums_close, side.agrees) == (7, True, False)


def test_what_was_suppressed_alone_is_no_disagreement(db: Database) -> None:
    with db.begin() as tx:
        suppress(tx, [str(document_id(TRIALS, "NCT90000001"))], uuid4(), NOW)
    listed(db, {"NCT90000001": "a"}, at=NOW)
    (side,) = _sides(db)
    assert (side.agrees, _differing(side)) == (True, {"suppressed": 1})


def test_a_record_that_ingestion_told_to_be_suppressed_is_so_although_only_its_patient_is_named(db: Database) -> None:
    told = RunOutcome("normalize", "notice", "suppressed", source_key="f" * 32)
    listed(db, {"f" * 32: "a"}, scope="files", source="documents", outcomes=(told,), at=NOW)
    (side,) = _sides(db)
    assert (side.agrees, _differing(side)) == (True, {"suppressed": 1})


def test_a_later_listing_has_the_last_word_on_a_record(db: Database) -> None:
    hold(db, "NCT90000001", "b", at=NOW)
    listed(db, {"NCT90000001": "a"}, at=NOW)
    listed(db, {"NCT90000001": "b"}, at=NOW + HOUR, scope="since:2031-05-16")
    newer, older = _sides(db)
    assert (newer.scope, newer.agrees, _differing(newer)) == ("since:2031-05-16", True, {})
    assert (older.scope, older.agrees, _differing(older)) == ("all", True, {"superseded": 1})


def test_a_later_listing_that_broke_off_has_it_only_where_truth_took_what_it_brought(db: Database) -> None:
    hold(db, "NCT90000001", "b", at=NOW)
    hold(db, "NCT90000002", "c", at=NOW)
    listed(db, {"NCT90000001": "a", "NCT90000002": "a"}, at=NOW)
    listed(db, {"NCT90000001": "b", "NCT90000002": "b"}, at=NOW + HOUR, scope="since:2031-05-16", state="incomplete")
    (side,) = _sides(db)
    assert _differing(side) == {"superseded": 1, "changed": 1}
    assert not side.agrees


@pytest.mark.parametrize(("scope", "vanished"), [("all", 1), ("query:sepsis", 0), ("since:2031-05-16", 0), ("files", 0)])
def test_only_a_listing_that_names_everything_shows_what_has_vanished(db: Database, scope: str, vanished: int) -> None:
    hold(db, "NCT90000001", at=NOW)
    hold(db, "NCT90000002", at=NOW - HOUR)
    listed(db, {"NCT90000001": "a"}, scope=scope, at=NOW)
    (side,) = _sides(db)
    assert (side.classes["vanished"], side.proves_absence, side.agrees) == (vanished, bool(vanished), not vanished)


def test_what_a_source_named_after_the_listing_has_not_vanished(db: Database) -> None:
    hold(db, "NCT90000002", at=NOW + HOUR)
    listed(db, {}, at=NOW)
    (side,) = _sides(db)
    assert side.agrees


def test_a_folder_answers_for_itself_alone_and_a_file_it_could_not_read_is_there(db: Database) -> None:
    before = NOW - HOUR
    hold(db, "1" * 32, source="documents", root="f1", at=before)
    hold(db, "2" * 32, source="documents", root="f1", at=before)
    hold(db, "3" * 32, source="documents", root="f1", at=before)
    hold(db, "4" * 32, source="documents", root="another", at=before)
    unreadable = RunOutcome("fetch", "failure", "unreadable_file", source_key="2" * 32)
    listed(db, {"1" * 32: "a"}, scope="folders:f1", source="documents", outcomes=(unreadable,), at=NOW)
    (side,) = _sides(db)
    assert (side.alive, _differing(side)) == (3, {"vanished": 1})


def test_an_incomplete_listing_says_nothing(db: Database) -> None:
    listed(db, {"NCT90000001": "a"}, state="incomplete", at=NOW)
    assert _sides(db) == []


def test_a_complete_listing_stays_beside_a_later_one_that_broke_off(db: Database) -> None:
    hold(db, "NCT90000001", at=NOW)
    crawl = listed(db, {"NCT90000001": "a"}, at=NOW)
    with db.begin() as tx:
        crawls.advance(tx, crawl, NOW)
    listed(db, {"NCT90000002": "a"}, at=NOW + HOUR, state="failed")
    (side,) = _sides(db)
    assert (side.listed_at, side.agrees) == (NOW, True)


def test_evidence_has_a_line_for_each_difference_and_no_keys(db: Database, tmp_path: Path) -> None:
    hold(db, "NCT90000001", at=NOW)
    listed(db, {"NCT90000001": "a", "NCT90000002": "a"}, at=NOW)
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
