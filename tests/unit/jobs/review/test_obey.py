"""Truth is brought to decisions whenever a run begins, and to no decision that must not be carried out."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.points import PointFilter
from pipeline.domain.review import About, Action, Decision, FindingKind, Fix, Reason
from pipeline.domain.vocabulary import DeletionCause, DocumentKind, RunKind
from pipeline.jobs.deletion import request
from pipeline.jobs.holds import place_hold, release_hold
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.review.decide import DECIDED, decide, keep, withdraw
from pipeline.jobs.review.findings import findings
from pipeline.jobs.review.model import Finding
from pipeline.jobs.review.obey import obey
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage import runs, suppressions
from pipeline.wiring import Services


def one_of(services: Services) -> Finding:
    return findings(services, FindingKind.UNPARSED_CRITERIA).findings[0]


def kept_only(services: Services, found: Finding, action: Action, fix: Fix | None = None) -> str:
    """Keep a decision as a process does that is killed before it carries it out."""
    about = About(found.kind, found.subject, found.rule, found.locus, found.basis)
    return keep(services, Decision(about, action, fix, Reason.OTHER, "why", "a", datetime.now(UTC)), endpoint=DECIDED)


def points(services: Services, document: str) -> int:
    with services.index.session() as index:
        return index.count(PointFilter(document_ids=(UUID(document),)))


def test_nothing_to_do_is_no_run(services: Services):
    assert obey(services) == 0
    with services.db.read() as tx:
        assert runs.latest_of_kind(tx, RunKind.REVIEW, limit=1) == []


def test_what_a_killed_process_had_kept_is_carried_out_by_the_next_index_run(services: Services):
    found = one_of(services)
    kept_only(services, found, Action.SUPPRESS)
    assert points(services, found.subject) > 0
    run_index(services)
    assert points(services, found.subject) == 0
    assert obey(services) == 0


def test_a_title_that_a_killed_process_had_kept_is_taken_by_the_next_index_run(services: Services):
    found = one_of(services)
    kept_only(services, found, Action.FIX, Fix(title="A trial of an invented medicine"))
    assert run_index(services).documents.indexed == 1


def test_a_suppression_waits_for_a_legal_hold_that_was_placed_meanwhile(services: Services):
    found = one_of(services)
    kept_only(services, found, Action.SUPPRESS)
    hold = place_hold(services, found.subject, reason="a lawsuit")
    assert obey(services) == 1
    run_index(services)
    assert points(services, found.subject) > 0
    release_hold(services, UUID(hold.hold.hold_id), reason="over")
    assert obey(services) == 0
    run_index(services)
    assert points(services, found.subject) == 0


def test_a_withdrawal_does_not_bring_back_what_was_deleted_for_good(services: Services):
    found = one_of(services)
    made = decide(services, found.finding_id, found.subject, action=Action.SUPPRESS, reason=Reason.OUTDATED)
    request(services, documents=[UUID(found.subject)], cause=DeletionCause.REQUEST, reason="asked for")
    withdraw(services, made.decision_id)
    run_index(services)
    assert points(services, found.subject) == 0
    with services.db.read() as tx:
        assert suppressions.suppressed(tx, [found.subject]) == {found.subject}


@pytest.fixture
def patient(services: Services, tmp_path: Path) -> Finding:
    """A patient's file of unknown kind."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text("The lungs are clear.", encoding="utf-8")
    (folder / "one.txt.meta.json").write_text(json.dumps({"kind": "unknown", "patient": "4711"}), encoding="utf-8")
    ingest(services, DocumentFiles([str(folder)], services.settings, secret=services.secret, kind=None, access=None))
    return next(one for one in findings(services, FindingKind.UNKNOWN_VALUE, limit=500).findings if one.rule == "kind_unknown")


def test_a_patients_file_never_becomes_public(services: Services, patient: Finding):
    fix = Fix(kind=DocumentKind.GUIDELINE)
    with pytest.raises(GuardRefusedError, match="cannot become public"):
        decide(services, patient.finding_id, patient.subject, action=Action.FIX, reason=Reason.WRONG_KIND, fix=fix)
    kept_only(services, patient, Action.FIX, fix)  # as a file of decisions from another home says it
    assert obey(services) == 1
    run_index(services)
    assert run_index(services).documents.indexed == 0  # what waits changes no document
    left = [one.subject for one in findings(services, FindingKind.UNKNOWN_VALUE, limit=500).findings if one.rule == "kind_unknown"]
    assert left == []  # decided, and waiting
    assert findings(services, subject=patient.subject, status="all").findings[0].subject_kind == "unknown"


def test_a_clinical_title_is_never_a_persons_words(services: Services, patient: Finding):
    fix = Fix(title="A note of the ward")
    with pytest.raises(UsageError, match="clinical"):
        decide(services, patient.finding_id, patient.subject, action=Action.FIX, reason=Reason.WRONG_TITLE, fix=fix)


def test_a_title_that_names_somebody_is_refused(services: Services):
    found = one_of(services)
    fix = Fix(title="As told by Mrs Eleanor Whitfield")
    with pytest.raises(GuardRefusedError) as refused:
        decide(services, found.finding_id, found.subject, action=Action.FIX, reason=Reason.WRONG_TITLE, fix=fix)
    assert "Whitfield" not in str(refused.value)
