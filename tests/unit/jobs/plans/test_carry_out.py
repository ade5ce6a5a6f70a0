"""A plan is carried out only as it was written, for the world it was made for, and never takes what is served and cannot be replaced."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.identifiers import document_id
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.ingest import ingest
from pipeline.jobs.plans.reading import read_plan
from pipeline.jobs.reconcile import run_reconcile
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage import documents, runs
from pipeline.testing.drift import seed, snapshot
from pipeline.testing.studies import study_record
from pipeline.testing.truth import empty_truth
from pipeline.wiring import Services, utc_now


def plan_of(services: Services) -> str:
    path = run_reconcile(services).plan
    assert path is not None
    return path


def last_run(services: Services) -> runs.Run:
    with services.db.read() as tx:
        run = runs.latest_run(tx, "reconcile")
    assert run is not None
    return run


def test_an_emptied_truth_takes_nothing_with_it_until_a_person_approves(services: Services):
    points = run_reconcile(services).found
    empty_truth(services)
    with pytest.raises(GuardRefusedError, match="deletes points") as refused:
        run_reconcile(services, repair=True)
    assert refused.value.exit_code == 3
    seen = run_reconcile(services)
    assert seen.classes["orphan_document"] == seen.found == points
    assert seen.plan is not None
    approved = run_reconcile(services, approve=seen.plan)
    assert approved.clean
    assert approved.repaired == {"orphan_document": points}


def test_a_refused_repair_leaves_what_it_found_in_its_run(services: Services):
    empty_truth(services)
    with pytest.raises(GuardRefusedError):
        run_reconcile(services, repair=True)
    run = last_run(services)
    assert run.state == "incomplete"
    assert run.counts["classes"]["orphan_document"] > 0


def test_a_plan_is_refused_once_a_document_was_taken_in_or_deleted(services: Services, tmp_path: Path):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    path = plan_of(services)
    (tmp_path / "news.json").write_text(json.dumps(study_record(1)), encoding="utf-8")
    ingest(services, StudyFiles([tmp_path / "news.json"], services.settings))
    with pytest.raises(GuardRefusedError, match="changed since"):
        run_reconcile(services, approve=path)
    path = plan_of(services)
    with services.db.begin() as tx:
        documents.tombstone(tx, [document_id("clinicaltrials.gov", "NCT99000001")], utc_now())
    with pytest.raises(GuardRefusedError, match="changed since"):
        run_reconcile(services, approve=path)


def test_a_plan_is_refused_once_points_were_written_or_it_was_carried_out(services: Services):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    path = plan_of(services)
    assert run_reconcile(services, approve=path).clean
    with pytest.raises(GuardRefusedError, match="changed since"):
        run_reconcile(services, approve=path)


@pytest.mark.parametrize("edit", ["findings", "head", "seal"])
def test_a_plan_that_was_edited_is_refused(services: Services, edit: str):
    seed(services, DriftClass.ORPHAN_DOCUMENT)
    path = Path(plan_of(services))
    before = snapshot(services)
    head = json.loads(path.read_text(encoding="utf-8"))
    if edit == "findings":
        findings = path.parent / head["findings_file"]
        findings.write_bytes(findings.read_bytes().replace(b'"expected":false', b'"expected":true', 1))
    elif edit == "head":
        path.write_text(json.dumps({**head, "delete_points": 0}), encoding="utf-8")
    else:
        path.write_text(json.dumps({**head, "seal": ""}), encoding="utf-8")
    with pytest.raises(GuardRefusedError, match="was changed"):
        run_reconcile(services, approve=str(path))
    assert snapshot(services) == before


@pytest.mark.parametrize("content", [None, "", "{}", '{"version": 3}', "no JSON"])
def test_what_is_no_plan_is_wrong_use(services: Services, tmp_path: Path, content: str | None):
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="no repair plan"):
        run_reconcile(services, approve=str(path))


def test_a_document_that_cannot_be_indexed_anew_keeps_what_is_served_of_it(services: Services, monkeypatch: pytest.MonkeyPatch):
    affected = seed(services, DriftClass.STALE_FINGERPRINT)
    before = snapshot(services)

    def broken(_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(services.chunker, "chunk", broken)
        repaired = run_reconcile(services, repair=True)
    assert (repaired.clean, repaired.repaired) == (False, {})
    assert repaired.classes["stale_fingerprint"] == affected
    assert snapshot(services) == before
    assert run_reconcile(services, repair=True).clean


def test_a_plan_says_what_why_and_how_much_by_source_and_kind(services: Services):
    strays, changed = seed(services, DriftClass.OLD_GENERATION), seed(services, DriftClass.PAYLOAD_DRIFT, faults=2)
    summary = run_reconcile(services)
    assert summary.plan is not None
    plan, findings = read_plan(summary.plan, secret=services.secret)
    (part,) = plan.blast
    assert (part.source, part.kind) == ("clinicaltrials.gov", "trial")
    assert (part.delete_points, part.index_documents, part.rewrite_documents) == (strays, 0, changed)
    assert (plan.delete_points, plan.update_payloads, plan.refused) == (strays, changed, [])
    assert set(plan.why) == {"old_generation", "payload_drift"}
    assert plan.sha256 == summary.plan_sha256 == plan.digest()
    assert len(findings.read_text(encoding="utf-8").splitlines()) == strays + changed
    assert {stat.S_IMODE(path.stat().st_mode) for path in (Path(summary.plan), findings)} == {0o600}
