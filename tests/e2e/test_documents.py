"""Notes of a site beside trials, with the real model, engine and database: what changes is done, and nothing else."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from pipeline.domain.errors import GuardRefusedError
from pipeline.domain.identifiers import sha256_hex
from pipeline.domain.vocabulary import DocumentState
from pipeline.jobs import ingest as ingest_job
from pipeline.jobs.fetch import fetch
from pipeline.jobs.index import run_index
from pipeline.jobs.index_plan import plan_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.reindex import run_reindex
from pipeline.jobs.summaries import IngestSummary
from pipeline.search.request import SearchRequest
from pipeline.search.search import search
from pipeline.settings import Settings
from pipeline.stages.deidentify import policy as policies
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.storage import index_state
from pipeline.wiring import Services, open_services

TODAY = date(2026, 6, 1)


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    folder = tmp_path / "ward"
    folder.mkdir()
    for number in range(4):
        (folder / f"note{number}.txt").write_text(
            f"Progress note. Wheezing on day {number} of prednisone {number + 1}0 mg.", encoding="utf-8"
        )
    (folder / "note0.txt.meta.json").write_text('{"kind": "progress_note", "access": "internal", "patient": "881"}', encoding="utf-8")
    (folder / "guide.md").write_text("# Asthma\n\nGive salbutamol 5 mg by nebuliser.", encoding="utf-8")
    (folder / "guide.md.meta.json").write_text('{"kind": "guideline", "title": "Care of asthma, ask bob@example.org"}', encoding="utf-8")
    return folder


def bring_in(services: Services, *paths: Path, **options: str) -> IngestSummary:
    return ingest(services, DocumentFiles(list(paths), services.settings, secret=services.secret, kind="note", **options))


def kinds(services: Services) -> dict[str, DocumentState]:
    with services.db.read() as tx:
        return {f"{row.kind} {row.document_id}": row.state for row in index_state.scan(tx) if row.source == "documents"}


def test_notes_are_indexed_beside_trials_and_a_second_run_writes_nothing(services: Services, ward: Path):
    first = bring_in(services, ward)
    assert (first.new, first.failed, first.complete) == (5, 0, True)
    assert run_index(services).documents.indexed == 5
    hits = search(services, SearchRequest(query="wheezing on prednisone", kinds=("note", "progress_note")), today=TODAY).hits
    assert {hit.kind for hit in hits} == {"note", "progress_note"}
    assert run_reconcile(services).clean
    again = bring_in(services, ward)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 5)
    summary = run_index(services)
    assert (summary.embedded, summary.points_written, summary.points_deleted, summary.payloads_updated) == (0, 0, 0, 0)


def test_the_title_that_truth_keeps_of_a_public_document_is_scrubbed(services: Services, ward: Path):
    bring_in(services, ward)
    run_index(services)
    (hit,) = search(services, SearchRequest(query="asthma", kinds=("guideline",)), today=TODAY).hits
    assert hit.title == "Care of asthma, ask [EMAIL]"


def test_a_changed_label_updates_payloads_and_embeds_nothing(services: Services, ward: Path):
    bring_in(services, ward)
    run_index(services)
    (ward / "note0.txt.meta.json").write_text('{"kind": "progress_note", "access": "restricted", "patient": "881"}', encoding="utf-8")
    assert bring_in(services, ward).changed == 1
    summary = run_index(services)
    assert (summary.documents.payload_only, summary.documents.indexed, summary.embedded) == (1, 0, 0)
    assert run_reconcile(services).clean


def test_a_newly_known_identifier_writes_its_document_anew(services: Services, ward: Path):
    bring_in(services, ward)
    run_index(services)
    said = {
        "kind": "progress_note",
        "access": "internal",
        "patient": "881",
        "known_identifiers": {"version": 1, "values": {"NAME": ["Wheezing"]}},
    }
    (ward / "note0.txt.meta.json").write_text(json.dumps(said), encoding="utf-8")
    assert bring_in(services, ward).changed == 1
    assert run_index(services).documents.indexed == 1
    (hit,) = search(services, SearchRequest(query="prednisone", kinds=("progress_note",)), today=TODAY).hits
    assert "Wheezing" not in hit.text


def test_a_file_that_is_gone_is_deleted_and_one_that_cannot_be_read_any_more_is_kept(services: Services, ward: Path):
    bring_in(services, ward)
    run_index(services)
    (ward / "note1.txt").unlink()
    (ward / "note2.txt").write_bytes(b"x" * 20_000)
    small = services.settings.model_copy(update={"max_file_bytes": 10_000})
    summary = ingest(services, DocumentFiles([ward], small, secret=services.secret, kind="note"))
    assert (summary.tombstoned, summary.failed, summary.complete) == (1, 1, True)
    assert run_index(services).documents.deleted == 1
    assert sorted(kinds(services).values()) == [DocumentState.DELETED] + [DocumentState.LIVE] * 4
    assert run_reconcile(services).clean


def test_a_file_that_comes_back_is_found_again(services: Services, ward: Path):
    bring_in(services, ward)
    run_index(services)
    text = (ward / "note1.txt").read_text("utf-8")
    (ward / "note1.txt").unlink()
    bring_in(services, ward)
    run_index(services)
    (ward / "note1.txt").write_text(text, encoding="utf-8")
    assert bring_in(services, ward).changed == 1
    assert run_index(services).documents.indexed == 1
    assert run_reconcile(services).clean


def test_a_folder_says_nothing_about_another_folder_or_about_trials(services: Services, ward: Path, tmp_path: Path):
    other = tmp_path / "clinic"
    other.mkdir()
    (other / "note0.txt").write_text("Another note. No wheezing.", encoding="utf-8")
    bring_in(services, ward)
    bring_in(services, other)
    assert bring_in(services, ward).tombstoned == 0
    assert bring_in(services, ward / "note1.txt").tombstoned == 0
    assert len(kinds(services)) == 6


def test_an_emptied_folder_deletes_nothing(services: Services, ward: Path):
    bring_in(services, ward)
    for path in ward.iterdir():
        path.unlink()
    summary = bring_in(services, ward)
    assert (summary.tombstoned, summary.failed, summary.complete) == (0, 1, False)


def test_a_large_share_of_one_folder_is_not_deleted_although_it_is_small_beside_all_trials(services: Services, ward: Path):
    bring_in(services, ward)
    (ward / "note1.txt").unlink()
    (ward / "note2.txt").unlink()
    services.settings = services.settings.model_copy(update={"min_documents_for_share": 5})
    with pytest.raises(GuardRefusedError, match="2 of 5"):
        bring_in(services, ward)
    assert len(kinds(services)) == 5


@pytest.mark.parametrize("lost", ["manifest", "content"])
def test_a_damaged_object_of_landing_fails_by_name_and_is_mended_by_the_next_ingestion(services: Services, ward: Path, lost: str):
    source = DocumentFiles([ward / "note3.txt"], services.settings, secret=services.secret)
    (record,) = [record for page in source.pages() for record in page.records]
    fetched = fetch(services, source)
    key = sha256_hex(record.data if lost == "manifest" else record.attachments[0])
    (path,) = (services.settings.home / "landing").rglob(key)
    path.write_bytes(b"damaged")
    assert ingest_job.normalize_batch(services, fetched)["failed"] == 1
    assert bring_in(services, ward / "note3.txt").new == 1


def test_content_and_sidecar_damaged_together_are_mended_by_one_ingestion(services: Services, ward: Path):
    fetched = fetch(services, DocumentFiles([ward / "note0.txt"], services.settings, secret=services.secret))
    for name in ("note0.txt", "note0.txt.meta.json"):
        (path,) = (services.settings.home / "landing").rglob(sha256_hex((ward / name).read_bytes()))
        path.write_bytes(b"damaged")
    assert ingest_job.normalize_batch(services, fetched)["failed"] == 1
    assert bring_in(services, ward / "note0.txt").new == 1


def test_documents_can_be_indexed_one_by_one_and_reindexed_by_kind_and_source(services: Services, ward: Path):
    bring_in(services, ward)
    (key,) = [one.split()[1] for one in kinds(services) if one.startswith("progress_note")]
    from uuid import UUID

    assert run_index(services, documents=[UUID(key)]).documents.indexed == 1
    run_index(services)
    assert run_reindex(services, reason="test", kind="note", dry_run=False).preview["documents"] == 3
    assert run_reindex(services, reason="test", source="documents", dry_run=True).preview["documents"] == 5


def bump(text: str, policy: str) -> str:
    """Return the policies with one policy's version raised."""
    head = f"[policies.{policy}]\nversion = "
    assert head in text
    before, _, after = text.partition(head)
    return before + head + '"999"' + after[after.index("\n") :]


@pytest.mark.parametrize(("policy", "kinds_stale"), [("clinical", {"note", "progress_note"}), ("public-document", {"guideline"})])
def test_a_raised_policy_version_makes_exactly_its_documents_stale(
    home: Settings, ward: Path, monkeypatch: pytest.MonkeyPatch, policy: str, kinds_stale: set[str]
):
    from importlib import resources

    with open_services(home) as services:
        bring_in(services, ward)
        run_index(services)
        assert plan_index(services).index == []
        with services.db.read() as tx:
            before = {row.document_id: row for row in index_state.scan(tx)}
    text = resources.files("pipeline.stages.deidentify").joinpath("policy.toml").read_text("utf-8")
    raised = policies.parse(bump(text, policy))
    monkeypatch.setattr(policies, "_read", lambda: raised)
    with open_services(home) as services:
        expected = {key for key, row in before.items() if row.kind in kinds_stale}
        assert set(plan_index(services).index) == expected
        summary = run_index(services)
        assert (summary.documents.indexed, summary.documents.skipped) == (len(expected), len(before) - len(expected))
        assert summary.embedded == 0  # the texts are the same: their vectors are known
        with services.db.read() as tx:
            after = {row.document_id: row for row in index_state.scan(tx)}
        assert {key for key in before if before[key].live_generation != after[key].live_generation} == expected
        assert plan_index(services).index == []
        assert run_reconcile(services).clean


def test_a_raised_registry_policy_makes_the_trials_stale_and_no_note(home: Settings, ward: Path, monkeypatch: pytest.MonkeyPatch):
    from importlib import resources

    with open_services(home) as services:
        bring_in(services, ward)
        run_index(services)
    text = resources.files("pipeline.stages.deidentify").joinpath("policy.toml").read_text("utf-8")
    raised = policies.parse(bump(text, "public-registry"))
    monkeypatch.setattr(policies, "_read", lambda: raised)
    with open_services(home) as services, services.db.read() as tx:
        trials = {row.document_id for row in index_state.scan(tx) if row.kind == "trial"}
        assert set(plan_index(services).index) == trials


@pytest.mark.parametrize("choice", [{"clinical_dates": "shift"}, {"clinical_names": "surrogate"}, {"keep_investigators": True}])
def test_a_sites_choice_of_policy_makes_exactly_the_documents_under_it_stale(home: Settings, ward: Path, choice: dict[str, object]):
    with open_services(home) as services:
        bring_in(services, ward)
        run_index(services)
    with open_services(home.model_copy(update=choice)) as services:
        stale = set(plan_index(services).index)
        with services.db.read() as tx:
            found = {row.kind for row in index_state.scan(tx) if row.document_id in stale}
    assert found == ({"guideline"} if "keep_investigators" in choice else {"note", "progress_note"})
