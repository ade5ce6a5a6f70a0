"""Figures of a home against what was done to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import delete, insert, select, update

from pipeline.domain.reading import PageOutcome
from pipeline.jobs.metrics import catalog, home_families, page
from pipeline.jobs.metrics.model import Distribution, Family
from pipeline.jobs.metrics.summary import home_metrics
from pipeline.jobs.reconcile import run_reconcile
from pipeline.storage import quarantine, runs
from pipeline.storage.runs import RunOutcome
from pipeline.storage.tables import document_pages, documents, index_state
from pipeline.storage.tables import runs as runs_table
from pipeline.wiring import Services

NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
CANARY = "Zebulon Quartermain-Oddfellow"


def figures(services: Services, now: datetime = NOW) -> dict[tuple[str, ...], Any]:
    """Values by name and labels."""
    return {
        (family.definition.name, *sample.labels): sample.value
        for family in home_families(services.db, services.settings, now=now)
        for sample in family.samples
    }


def ended(services: Services, kind: str, state: runs.RunState, counts: dict[str, Any], *, at: datetime = NOW) -> UUID:
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, kind, at - timedelta(minutes=2))
        runs.finish_run(tx, run_id, state, counts, at)
    return run_id


def some_documents(services: Services, count: int) -> list[UUID]:
    with services.db.read() as tx:
        return list(tx.execute(select(documents.c.document_id).order_by(documents.c.document_id).limit(count)).scalars())


def test_an_indexed_home(services: Services):
    found = figures(services)
    assert found["clindex_documents", "trial", "clinicaltrials.gov", "live"] == 77
    assert found["clindex_index_points_expected",] == 1152
    assert found["clindex_runs", "index", "success"] == 1
    assert found["clindex_run_last_state", "index", "success"] == 1
    assert found["clindex_run_last_state", "index", "failed"] == 0
    assert found["clindex_run_stage_duration_seconds", "index", "embed"] > 0
    assert found["clindex_embedding_cache_lookups", "miss"] > 1000
    assert found["clindex_figures_timestamp_seconds",] == NOW.timestamp()


def test_what_was_never_measured_has_no_value(services: Services):
    names = {name for name, *_ in figures(services)}
    never = ("clindex_index_points", "clindex_phi_audit_findings", "clindex_retrieval_measure_ratio", "clindex_ocr_page_confidence_ratio")
    assert names.isdisjoint({*never, "clindex_search_zero_hit_ratio", "clindex_certificates_verified", "clindex_fhir_resources"})


def test_states_of_documents_follow_truth(services: Services):
    failed, gone, held = some_documents(services, 3)
    with services.db.begin() as tx:
        for document, state in ((failed, "failed"), (held, "quarantined")):
            tx.execute(update(index_state).where(index_state.c.document_id == document).values(state=state))
        tx.execute(update(index_state).where(index_state.c.document_id == failed).values(error_category="quality_blocked"))
        tx.execute(update(documents).where(documents.c.document_id == gone).values(tombstoned_at=NOW))
    found = figures(services)
    by_state = {key[3]: value for key, value in found.items() if key[0] == "clindex_documents"}
    assert by_state == {"live": 74, "failed": 1, "quarantined": 1, "deleting": 1}
    assert found["clindex_quality_held_documents",] == 1


def test_drift_is_shown_by_class(services: Services):
    with services.index.session() as index:
        index.delete_points([point.id for point in list(index.scan(batch_size=5))[:3]])
    run_reconcile(services)
    found = figures(services)
    drift = {key[1]: value for key, value in found.items() if key[0] == "clindex_drift_points" and value}
    assert sum(drift.values()) == 3
    assert set(drift) <= {"missing_point", "missing_document"}
    assert found["clindex_index_points",] == 1149
    assert found["clindex_run_last_state", "reconcile", "incomplete"] == 1


def test_the_last_run_of_a_kind_is_the_one_that_began_last(services: Services):
    ended(services, "ingest", "success", {}, at=NOW)
    later = ended(services, "ingest", "failed", {}, at=NOW + timedelta(hours=1))
    with services.db.begin() as tx:
        failure = RunOutcome("normalize", "failure", "not_json", source_key=CANARY, value=CANARY, origin=CANARY, count=4)
        notice = RunOutcome("normalize", "notice", "text_repaired", count=9)
        runs.add_outcomes(tx, later, [failure, notice])
        runs.start_run(tx, "ingest", NOW + timedelta(hours=2))
    found = figures(services)
    assert found["clindex_run_last_state", "ingest", "failed"] == 1
    assert found["clindex_run_last_success_timestamp_seconds", "ingest"] == NOW.timestamp()
    assert found["clindex_run_last_end_timestamp_seconds", "ingest"] == (NOW + timedelta(hours=1)).timestamp()
    assert found["clindex_run_last_duration_seconds", "ingest"] == 120
    assert found["clindex_run_failures", "ingest", "not_json"] == 4
    assert found["clindex_runs_running", "ingest"] == 1
    assert ("clindex_run_failures", "ingest", "text_repaired") not in found


def test_a_recruiting_status_that_nobody_confirmed_breaches_the_objective(services: Services):
    fresh = figures(services, now=datetime.now(UTC))
    assert fresh["clindex_objective_breaches", "freshness"] == 0
    old = figures(services, now=datetime.now(UTC) + timedelta(days=30))
    assert old["clindex_objective_breaches", "freshness"] > 0
    assert old["clindex_recruiting_status_oldest_seconds",] == pytest.approx(30 * 86400, abs=3600)


def test_checks_evaluations_and_audits_are_shown_as_they_ended(services: Services):
    figures_then = {"searches": 40, "zero_hits": 10}
    ended(services, "quality", "incomplete", {"blocked": 2, "warned": 5, "figures": figures_then})
    ended(services, "evaluate", "incomplete", {"below": ["recall@10"], "metrics": {"recall@10": {"value": 0.5, "low": 0.4, "high": 0.6}}})
    ended(services, "audit", "incomplete", {"leaks": [{"category": "NAME", "count": 2}, {"category": "NAME", "count": 1}]})
    found = figures(services)
    assert found["clindex_quality_expectations_broken", "block"] == 2
    assert found["clindex_quality_expectations_broken", "warn"] == 5
    assert found["clindex_search_zero_hit_ratio",] == 0.25
    assert found["clindex_objective_breaches", "quality"] == 2
    assert found["clindex_objective_breaches", "retrieval"] == 1
    assert found["clindex_retrieval_measure_ratio", "recall@10"] == 0.5
    assert found["clindex_phi_audit_findings", "NAME"] == 3


def test_few_searches_make_no_rate(services: Services):
    ended(services, "quality", "success", {"blocked": 0, "warned": 0, "figures": {"searches": 19, "zero_hits": 19}})
    assert ("clindex_search_zero_hit_ratio",) not in figures(services)


def test_confidence_of_ocr_is_a_distribution_of_live_pages(services: Services):
    (document,) = some_documents(services, 1)
    zero = dict.fromkeys(("lowest", "characters", "body", "furniture", "dropped", "unexplained", "tables", "figures", "suspects"), 0)
    rest = {**zero, "rotation": 0, "skew": 0.0, "dpi": 300, "seconds": 1.0}
    pages = [(1, PageOutcome.OCR, 0.7), (2, PageOutcome.OCR, 0.71), (3, PageOutcome.OCR, 0.99), (4, PageOutcome.TEXT_LAYER, 1.0)]
    with services.db.begin() as tx:
        rows = [{"document_id": document, "page": number, "outcome": one.value, "confidence": sure, **rest} for number, one, sure in pages]
        tx.execute(insert(document_pages), rows)
    found = figures(services)
    shown = found["clindex_ocr_page_confidence_ratio",]
    assert isinstance(shown, Distribution)
    assert dict(zip([*catalog.OCR_CONFIDENCE, "more"], shown.counts, strict=True)) == {
        0.3: 0, 0.5: 0, 0.6: 0, 0.7: 1, 0.8: 1, 0.85: 0, 0.9: 0, 0.95: 0, "more": 1,
    }  # fmt: skip
    assert shown.sum == pytest.approx(2.4)
    assert found["clindex_pages", "ocr"] == 3
    text = page(home_families(services.db, services.settings, now=NOW))
    assert 'clindex_ocr_page_confidence_ratio_bucket{le="0.8"} 2.0' in text
    assert 'clindex_ocr_page_confidence_ratio_bucket{le="+Inf"} 3.0' in text
    assert "clindex_ocr_page_confidence_ratio_count 3.0" in text


def test_findings_of_the_gate_are_shown_by_class(services: Services):
    (document,) = some_documents(services, 1)
    finding = {"where": CANARY, "section": None, "ordinal": None, "category": "NAME", "count": 3, "start": 0, "characters": 5}
    with services.db.begin() as tx:
        tx.execute(update(index_state).where(index_state.c.document_id == document).values(state="quarantined"))
        quarantine.hold(
            tx, [quarantine.Held(document, "a", "b", "policy", "3", [finding, {**finding, "category": "DATE", "count": 1}])], NOW
        )
    found = figures(services)
    assert (found["clindex_phi_gate_findings", "NAME"], found["clindex_phi_gate_findings", "DATE"]) == (3, 1)


def test_no_value_of_a_damaged_row_becomes_a_label(services: Services):
    with services.db.begin() as tx:
        tx.execute(update(documents).where(documents.c.document_id == some_documents(services, 1)[0]).values(kind=CANARY, title=CANARY))
        run_id = runs.start_run(tx, "index", NOW)
        runs.finish_run(tx, run_id, "incomplete", {"seconds": {CANARY: 2.0, f"{CANARY}2": 3.0}, "cached": 1, "embedded": 1}, NOW)
        runs.add_outcomes(tx, run_id, [RunOutcome("index", "failure", CANARY, count=1)])
    families = home_families(services.db, services.settings, now=NOW)
    shown = page(families) + home_metrics(families).model_dump_json()
    assert "Quartermain" not in shown
    assert figures(services)["clindex_run_stage_duration_seconds", "index", "other"] == 5.0


def test_the_text_is_what_prometheus_reads_and_holds_every_value(services: Services):
    run_reconcile(services)
    families: list[Family] = home_families(services.db, services.settings, now=NOW)
    read = {family.name: family for family in text_string_to_metric_families(page(families))}
    for family in families:
        one = family.definition
        assert read[one.name].type == one.kind.value
        assert {sample.name for sample in read[one.name].samples} <= set(one.series)
        assert {tuple(sorted(sample.labels)) for sample in read[one.name].samples} == {tuple(sorted(one.labels))}


def test_a_home_without_any_run_has_figures(services: Services):
    with services.db.begin() as tx:
        tx.execute(delete(runs_table))
    found = figures(services)
    assert found["clindex_embedding_cache_lookups", "hit"] == 0
    assert not [key for key in found if key[0] == "clindex_run_last_state"]
