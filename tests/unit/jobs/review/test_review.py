"""Findings are listed once and without text; decisions are kept, obeyed by the next run, audited, and can be withdrawn."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import select, update

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.points import PointFilter
from pipeline.domain.review import Action, FindingKind, Fix, Reason, RuleSet
from pipeline.domain.vocabulary import DocumentKind, Section, Source
from pipeline.jobs.audit.searches import verify_log
from pipeline.jobs.holds import place_hold
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.review.decide import decide, list_decisions, withdraw
from pipeline.jobs.review.findings import count_open, findings
from pipeline.jobs.review.model import Finding
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import search_log
from pipeline.storage.tables import documents
from pipeline.wiring import Services

NOTE = "The heart is of normal size. The lungs are clear. There is no pleural effusion."


def one_of(services: Services, kind: FindingKind, **more) -> Finding:
    return findings(services, kind, **more).findings[0]


def points(services: Services) -> dict[UUID, set[tuple[UUID, str]]]:
    """Points with their sections, by document."""
    found: dict[UUID, set[tuple[UUID, str]]] = {}
    with services.index.session() as index:
        for point in index.scan(PointFilter()):
            found.setdefault(UUID(str(point.payload["document_id"])), set()).add((point.id, str(point.payload["section"])))
    return found


def trial(services: Services) -> UUID:
    with services.db.read() as tx:
        return tx.execute(select(documents.c.document_id).order_by(documents.c.document_id)).scalars().first()


@pytest.fixture
def notes(services: Services, tmp_path: Path) -> Services:
    """The samples, and two files of unknown kind with the same words."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text(NOTE, encoding="utf-8")
    ingest(services, DocumentFiles([str(folder)], services.settings, secret=services.secret, kind="unknown", access=None))
    run_index(services)
    return services


def test_every_sample_with_unparsed_criteria_is_listed_once_and_pages_join_without_gap(services: Services):
    every = findings(services, limit=500)
    assert every.after is None
    assert len({one.finding_id for one in every.findings}) == len(every.findings) > 5
    joined, after = [], None
    while True:
        page = findings(services, after=after, limit=2)
        joined += page.findings
        if (after := page.after) is None:
            break
    assert joined == every.findings


def test_counts_are_those_of_the_lists(services: Services):
    counts = count_open(services).open
    for kind, count in counts.items():
        assert count == len(findings(services, kind, limit=500).findings)


def test_an_accepted_duplicate_shows_no_more_until_its_content_changes(notes: Services):
    found = one_of(notes, FindingKind.DUPLICATE)
    assert found.count == 2
    decide(notes, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.WANTED_COPY)
    left = findings(notes, FindingKind.DUPLICATE).findings
    assert [one.subject for one in left] != [found.subject]
    assert len(left) == 1
    assert one_of(notes, FindingKind.DUPLICATE, status="decided").decision is not None
    with notes.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.source == Source.DOCUMENTS).values(content_hash="0" * 32))
    assert len(findings(notes, FindingKind.DUPLICATE).findings) == 2


def test_a_section_that_was_put_right_changes_that_document_alone_and_comes_back_when_withdrawn(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    before = points(services)
    fix = Fix(from_section=Section.ELIGIBILITY_UNPARSED, section=Section.EXCLUSION_CRITERION)
    made = decide(services, found.finding_id, found.subject, action=Action.FIX, reason=Reason.WRONG_SECTION, fix=fix)
    assert made.obeyed
    assert run_index(services).documents.indexed == 1
    after, key = points(services), UUID(found.subject)
    assert {one for one in after if after[one] != before[one]} == {key}
    assert len(after[key]) == len(before[key])
    assert not [section for _, section in after[key] if section == "ELIGIBILITY_UNPARSED"]
    assert found.finding_id not in {one.finding_id for one in findings(services, status="all", limit=500).findings}
    assert run_reconcile(services).clean
    withdraw(services, made.decision_id)
    assert run_index(services).documents.indexed == 1
    assert sorted(section for _, section in points(services)[key]) == sorted(section for _, section in before[key])


def test_a_title_that_was_put_right_survives_the_next_ingestion(services: Services, root: Path):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    fix = Fix(title="A trial of an invented medicine")
    decide(services, found.finding_id, found.subject, action=Action.FIX, reason=Reason.WRONG_TITLE, fix=fix)
    ingest(services, StudyFiles([root / "samples" / "trials"], services.settings))
    assert run_index(services).documents.indexed == 1
    with services.db.read() as tx:
        row = tx.execute(select(documents).where(documents.c.document_id == UUID(found.subject))).one()
    assert row.title == "A trial of an invented medicine"
    assert run_index(services).documents.indexed == 0


def test_a_file_of_unknown_kind_gets_the_kind_that_a_person_says(notes: Services):
    found = next(one for one in findings(notes, FindingKind.UNKNOWN_VALUE, limit=500).findings if one.rule == "kind_unknown")
    fix = Fix(kind=DocumentKind.RADIOLOGY_REPORT)
    decide(notes, found.finding_id, found.subject, action=Action.FIX, reason=Reason.WRONG_KIND, fix=fix)
    assert run_index(notes).documents.indexed == 1
    with notes.index.session() as index:
        kinds = {point.payload["kind"] for point in index.scan(PointFilter(document_ids=(UUID(found.subject),)))}
    assert kinds == {"radiology_report"}
    assert run_reconcile(notes).clean


def test_a_suppressed_document_leaves_the_index_is_not_taken_again_and_reconciliation_is_clean(services: Services, root: Path):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    key = UUID(found.subject)
    made = decide(services, found.finding_id, found.subject, action=Action.SUPPRESS, reason=Reason.OUT_OF_SCOPE)
    run_index(services)
    assert key not in points(services)
    ingest(services, StudyFiles([root / "samples" / "trials"], services.settings))
    assert run_index(services).documents.indexed == 0
    assert run_reconcile(services).clean
    withdraw(services, made.decision_id)
    run_index(services)
    assert key in points(services)
    assert run_reconcile(services).clean


def test_a_document_under_a_legal_hold_is_not_suppressed(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    place_hold(services, found.subject, reason="a lawsuit")
    with pytest.raises(GuardRefusedError, match="legal hold"):
        decide(services, found.finding_id, found.subject, action=Action.SUPPRESS, reason=Reason.OUTDATED)
    assert not list_decisions(services).decisions


@pytest.mark.parametrize("note", ["Asked Mrs Eleanor Whitfield about it", "call 555-867-5309", "seen on 03/14/2023", "MRN 48291733"])
def test_a_note_that_names_somebody_is_refused_and_not_quoted(services: Services, note: str):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    with pytest.raises(GuardRefusedError) as refused:
        decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.OTHER, note=note)
    assert note not in str(refused.value)
    assert not list_decisions(services).decisions


def test_a_plain_note_is_kept(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    note = "The source lists both kinds of criteria in one paragraph"
    made = decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.OTHER, note=note)
    assert made.note == note


def test_the_same_decision_twice_is_one_and_another_one_takes_its_place(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)

    def again(reason: Reason) -> str:
        return decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=reason, who="a").decision_id

    first = again(Reason.KNOWN_LIMITATION)
    assert again(Reason.KNOWN_LIMITATION) == first
    with services.db.read() as tx:
        assert search_log.count(tx) == 1
    second = again(Reason.SOURCE_SAYS_SO)
    assert [one.decision_id for one in list_decisions(services, active_only=True).decisions] == [second]
    assert verify_log(services).passed


def test_every_decision_and_withdrawal_is_in_the_chained_log_without_a_name(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    made = decide(services, found.finding_id, found.subject, action=Action.ACCEPT, reason=Reason.SOURCE_SAYS_SO, who="rosalind")
    withdraw(services, made.decision_id, who="rosalind")
    with services.db.read() as tx:
        rows = list(search_log.rows_of(tx))
    assert [row.entry.endpoint for row in rows] == ["review/decide", "review/withdraw"]
    assert all(row.entry.documents == (UUID(found.subject),) for row in rows)
    assert "rosalind" not in repr(rows)
    assert verify_log(services).passed
    assert one_of(services, FindingKind.UNPARSED_CRITERIA).finding_id == found.finding_id


def test_a_wish_for_a_rule_changes_no_document(services: Services):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    decide(services, found.finding_id, found.subject, action=Action.FIX, reason=Reason.RULE_MISSING, fix=Fix(rule=RuleSet.CRITERIA))
    assert run_index(services).documents.indexed == 0


@pytest.mark.parametrize(
    ("action", "fix"),
    [
        (Action.FIX, None),
        (Action.FIX, Fix()),
        (Action.ACCEPT, Fix(rule=RuleSet.CRITERIA)),
        (Action.FIX, Fix(section=Section.EXCLUSION_CRITERION)),
        (Action.FIX, Fix(from_section=Section.ELIGIBILITY_UNPARSED, section=Section.OUTCOME)),
        (Action.FIX, Fix(kind=DocumentKind.NOTE)),
        (Action.FIX, Fix(kind=DocumentKind.TRIAL)),
    ],
)
def test_a_decision_whose_parts_do_not_fit_is_refused(services: Services, action: Action, fix: Fix | None):
    found = one_of(services, FindingKind.UNPARSED_CRITERIA)
    with pytest.raises(UsageError):
        decide(services, found.finding_id, found.subject, action=action, reason=Reason.RULE_MISSING, fix=fix)


def test_what_is_no_finding_cannot_be_decided(services: Services):
    with pytest.raises(UsageError, match="no such finding"):
        decide(services, "0" * 32, str(trial(services)), action=Action.ACCEPT, reason=Reason.SOURCE_SAYS_SO)


def test_no_finding_and_no_decision_has_a_word_of_a_document(notes: Services):
    said = findings(notes, status="all", limit=500).model_dump_json()
    assert "pleural" not in said
    assert "heart" not in said
