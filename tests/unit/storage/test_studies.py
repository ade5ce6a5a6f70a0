from __future__ import annotations

import dataclasses
import signal
import subprocess
import sys
import types
import typing
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from enum import Enum
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event, func, select, text

from pipeline.domain.documents import Document, Facets
from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import document_id
from pipeline.domain.study import Age, Design, Eligibility, Notice, SecondaryId, Sponsor, Status, Study
from pipeline.domain.vocabulary import DocumentKind, NoticeCategory
from pipeline.storage import documents, study_tables
from pipeline.storage.engine import Database
from pipeline.storage.studies import load_studies, notice_counts, replace_study, unknown_values
from pipeline.storage.study_tables import conditions
from pipeline.storage.tables import METADATA

# What JSON can carry and UTF-8 can encode; the normaliser replaces the rest.
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
_BY_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    str: _TEXT,
    bool: st.booleans(),
    int: st.integers(0, 2**63 - 1),
    float: st.floats(allow_nan=False, allow_infinity=False),
    date: st.dates(),
}


def _any(hint: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for every value that a field of a study may hold by its type."""
    if hint in _BY_TYPE:
        return _BY_TYPE[hint]
    if typing.get_origin(hint) is tuple:
        return st.lists(_any(typing.get_args(hint)[0]), max_size=3).map(tuple)
    if isinstance(hint, types.UnionType):
        return st.one_of(*[st.none() if one is type(None) else _any(one) for one in typing.get_args(hint)])
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return st.builds(hint, **{name: _any(one) for name, one in typing.get_type_hints(hint).items()})


def _document(db: Database, key: str, now: datetime) -> UUID:
    document = Document(
        document_id=document_id("clinicaltrials.gov", key),
        source="clinicaltrials.gov",
        source_key=key,
        kind=DocumentKind.TRIAL,
        title="An invented trial",
        parts=(),
        facets=Facets(),
        content_hash="c" * 32,
        facets_hash="f" * 32,
    )
    with db.begin() as tx:
        documents.upsert_document(tx, document, "a" * 64, now)
    return document.document_id


def _replace(db: Database, key: UUID, study: Study) -> None:
    with db.begin() as tx:
        replace_study(tx, key, study)


def _load(db: Database, key: UUID) -> Study | None:
    with db.read() as tx:
        return load_studies(tx, [key]).get(key)


def _row_counts(db: Database) -> dict[str, int]:
    with db.read() as tx:
        tables = [table for name, table in METADATA.tables.items() if name.startswith("study_") or name == "studies"]
        return {table.name: tx.execute(select(func.count()).select_from(table)).scalar_one() for table in tables}


FULL = Study(
    nct_id="NCT90000001",
    brief_title="Invented ≥ 10⁹/L",
    nct_id_aliases=("NCT90000009",),
    secondary_ids=(SecondaryId("EU-0", "REGISTRY"), SecondaryId("EU-0", "REGISTRY")),
    lead_sponsor=Sponsor("Invented Hospital"),
    collaborators=(Sponsor("", "OTHER"),),
    conditions=("Asthma", "asthma", "Asthma ", "Long " * 200),
    keywords=("b", "a", "b"),
    status=Status(overall_status="RECRUITING"),
    design=Design(phases=("PHASE2", "PHASE1"), who_masked=("PARTICIPANT",), enrollment_count=2**40),
    eligibility=Eligibility(criteria="* ≥ 18\n" * 7500, minimum_age=Age("18 Years", 6574.5), std_ages=("ADULT",)),
    notices=(Notice(NoticeCategory.UNKNOWN_VALUE, "overall_status", "PAUSED"),),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(study=_any(Study))
def test_whatever_a_study_holds_comes_back_equal(db: Database, now: datetime, study: Study) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, study)
    assert _load(db, key) == study


@pytest.mark.parametrize("study", [Study("NCT90000001"), FULL], ids=["empty", "full"])
def test_replacing_twice_changes_nothing(db: Database, now: datetime, study: Study) -> None:
    key = _document(db, study.nct_id, now)
    _replace(db, key, study)
    before = _row_counts(db)
    _replace(db, key, study)
    assert _row_counts(db) == before
    assert _load(db, key) == study


def test_a_study_that_shrinks_leaves_no_old_child(db: Database, now: datetime) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, FULL)
    _replace(db, key, Study("NCT90000001"))
    assert {name: count for name, count in _row_counts(db).items() if count} == {"studies": 1}
    assert _load(db, key) == Study("NCT90000001")


def test_a_replacement_that_is_killed_midway_leaves_the_old_study_whole(db: Database, now: datetime) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, FULL)

    def replace_and_die() -> None:
        with db.begin() as tx:
            replace_study(tx, key, Study("NCT90000001", keywords=("new",)))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        replace_and_die()
    assert _load(db, key) == FULL


def test_a_process_killed_while_replacing_leaves_the_old_study_whole(db: Database, url: str, now: datetime) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, FULL)
    code = (
        "import os, signal, sys, uuid\n"
        "from pipeline.domain.study import Study\n"
        "from pipeline.storage.engine import Database\n"
        "from pipeline.storage.studies import replace_study\n"
        "with Database.open(sys.argv[1]).begin() as tx:\n"
        "    replace_study(tx, uuid.UUID(sys.argv[2]), Study('NCT90000001', keywords=('new',)))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code, url, str(key)]).returncode == -signal.SIGKILL
    assert _load(db, key) == FULL
    _replace(db, key, Study("NCT90000001"))  # and it holds no lock


def test_replacing_one_study_touches_no_other(db: Database, now: datetime) -> None:
    first, second = _document(db, "NCT90000001", now), _document(db, "NCT90000002", now)
    _replace(db, first, FULL)
    other = dataclasses.replace(FULL, nct_id="NCT90000002")
    _replace(db, second, other)
    _replace(db, first, Study("NCT90000001"))
    assert _load(db, second) == other


def test_writers_of_studies_with_the_same_new_conditions_do_not_block_each_other_for_good(db: Database, now: datetime) -> None:
    keys = [_document(db, f"NCT900000{number:02d}", now) for number in range(40)]
    names = [f"Invented condition {number}" for number in range(40)]

    def write(number: int) -> None:
        mine = names[: number + 1] if number % 2 else names[number::-1]
        _replace(db, keys[number], Study(f"NCT900000{number:02d}", conditions=tuple(mine)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(40)))  # raises what a writer raised
    with db.read() as tx:
        assert len(load_studies(tx, keys)) == 40
        assert tx.execute(select(func.count()).select_from(conditions)).scalar_one() == 40


def test_conditions_are_one_row_a_name_told_apart_by_case_blanks_and_length(db: Database, now: datetime) -> None:
    names = ("Asthma", "asthma", "Asthma ", "Long " * 200 + "a", "Long " * 200 + "b", "Ä", "A\u0308")
    for number in (1, 2):
        key = _document(db, f"NCT9000000{number}", now)
        _replace(db, key, Study(f"NCT9000000{number}", conditions=names))
    with db.read() as tx:
        assert sorted(tx.execute(select(conditions.c.name)).scalars()) == sorted(names)
        joined = select(func.count()).select_from(study_tables.study_conditions)
        assert tx.execute(joined).scalar_one() == 2 * len(names)


def test_a_condition_named_twice_keeps_both_places(db: Database, now: datetime) -> None:
    key = _document(db, "NCT90000001", now)
    study = Study("NCT90000001", conditions=("Asthma", "Rhinitis", "Asthma"))
    _replace(db, key, study)
    assert _load(db, key) == study


@pytest.mark.parametrize(
    ("study", "column"),
    [
        (Study("N" * 33), "studies.nct_id"),
        (Study("NCT90000001", status=Status(overall_status="X" * 256)), "studies.overall_status"),
        (Study("NCT90000001", design=Design(enrollment_count=2**63)), "studies.enrollment_count"),
        (Study("NCT90000001", nct_id_aliases=("A" * 256,)), "study_aliases.alias"),
        (Study("NCT90000001", design=Design(phases=("PHASE1", "X" * 256))), "study_phases.phase"),
    ],
)
def test_what_a_column_cannot_hold_is_refused_alike_and_by_name(db: Database, now: datetime, study: Study, column: str) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, FULL)
    with pytest.raises(RecordError) as refusal, db.begin() as tx:
        replace_study(tx, key, study)
    assert column in str(refusal.value)
    assert "XXX" not in str(refusal.value)
    assert _load(db, key) == FULL


def test_many_studies_are_loaded_with_the_same_few_queries_as_one(db: Database, now: datetime) -> None:
    keys = [_document(db, f"NCT9000000{number}", now) for number in range(8)]
    for number, key in enumerate(keys):
        _replace(db, key, dataclasses.replace(FULL, nct_id=f"NCT9000000{number}", keywords=(str(number),)))
    statements: list[str] = []
    with db.read() as tx:
        event.listen(tx, "before_cursor_execute", lambda *given: statements.append(given[2]))
        found = load_studies(tx, [*keys, uuid4()])
    assert len(statements) == 14
    assert {key: found[key].keywords for key in keys} == {key: (str(number),) for number, key in enumerate(keys)}
    assert len(found) == 8


def test_a_document_without_a_study_has_none(db: Database, now: datetime) -> None:
    assert _load(db, _document(db, "NCT90000001", now)) is None


def test_a_study_needs_its_document(db: Database) -> None:
    with pytest.raises(Exception, match="refused"), db.begin() as tx:
        replace_study(tx, uuid4(), Study("NCT90000001"))


def test_unknown_codes_are_counted_by_live_study_from_the_current_records(db: Database, now: datetime) -> None:
    unknown = NoticeCategory.UNKNOWN_VALUE

    def study(number: int, *notices: Notice) -> UUID:
        key = _document(db, f"NCT9000000{number}", now)
        _replace(db, key, Study(f"NCT9000000{number}", notices=notices))
        return key

    paused = Notice(unknown, "overall_status", "PAUSED")
    study(1, paused, paused, Notice(NoticeCategory.MISSING_MODULE, "designModule"))
    study(2, paused, Notice(unknown, "phases", "PHASE9"))
    gone = study(3, paused)
    study(4, paused)
    study(4)  # its newer record has no unknown code any more
    with db.begin() as tx:
        documents.tombstone(tx, [gone], now)
    with db.read() as tx:
        assert unknown_values(tx) == [("overall_status", "PAUSED", 2), ("phases", "PHASE9", 1)]
        assert notice_counts(tx) == {"unknown_value": 2, "missing_module": 1}


def test_deleting_a_document_deletes_its_study(db: Database, now: datetime) -> None:
    key = _document(db, "NCT90000001", now)
    _replace(db, key, FULL)
    with db.begin() as tx:
        tx.execute(text("DELETE FROM documents"))
    assert set(_row_counts(db).values()) == {0}
