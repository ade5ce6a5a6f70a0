"""The nightly run without Airflow: ingest, index, reconcile, report, in one process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from pydantic import Field

from pipeline.domain.errors import UsageError
from pipeline.domain.ports import RecordSource
from pipeline.domain.vocabulary import DeletionState, Source
from pipeline.jobs.deletion import DeletionOutcome, finish_open
from pipeline.jobs.fhir.ingest import ingest_configured, is_fhir_incomplete
from pipeline.jobs.fhir.summaries import FhirSummary
from pipeline.jobs.freshness import freshness
from pipeline.jobs.index import is_incomplete as index_incomplete
from pipeline.jobs.index import run_index
from pipeline.jobs.ingest import ingest
from pipeline.jobs.ingest import is_incomplete as ingest_incomplete
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.reindex.retire import retire
from pipeline.jobs.report import write_report
from pipeline.jobs.summaries import Freshness, IndexSummary, IngestSummary, ReconcileSummary, Summary
from pipeline.stages.sources.clinicaltrials import ClinicalTrialsSource
from pipeline.stages.sources.documents import DocumentFiles
from pipeline.stages.sources.files import StudyFiles
from pipeline.storage.source_state import load_source_state
from pipeline.wiring import Services, reader_id, utc_now


class NightlySummary(Summary):
    """What one night did."""

    ingest: IngestSummary
    documents: IngestSummary | None = None
    fhir: list[FhirSummary] = Field([], description="each feed of FHIR resources that the settings name")
    deletions: list[DeletionOutcome] = Field([], description="deletions that were open, or not certified, and how far they are now")
    index: IndexSummary
    reconcile: ReconcileSummary
    report: str
    freshness: Freshness

    @property
    def incomplete(self) -> bool:
        """Whether any part left something out or found drift."""
        documents = self.documents is not None and ingest_incomplete(self.documents)
        deletions = any(one.state != DeletionState.CERTIFIED and not one.held for one in self.deletions)
        fhir = any(is_fhir_incomplete(one) for one in self.fhir)
        return documents or fhir or deletions or ingest_incomplete(self.ingest) or index_incomplete(self.index) or not self.reconcile.clean


def trial_source(
    services: Services,
    *,
    query: str | None = None,
    from_paths: Sequence[str] | None = None,
    full: bool = False,
    limit: int | None = None,
) -> RecordSource:
    """Return tonight's source: files, or the registry since the watermark, or all of it.

    A full listing is due when none was completed for ``registry_full_listing_days``: only it can show what has vanished.
    """
    settings = services.settings
    if from_paths:
        return StudyFiles([Path(name) for name in from_paths], settings)
    query = query or settings.registry_query
    everything = ClinicalTrialsSource(settings, query=query, limit=limit)
    with services.db.read() as tx:
        state = load_source_state(tx, Source.CLINICALTRIALS_GOV, everything.scope)
    if full or limit or state is None or not state.watermark or state.last_complete_at is None:
        return everything
    if utc_now() - state.last_complete_at > timedelta(days=settings.registry_full_listing_days):
        return everything
    since = date.fromisoformat(state.watermark) - timedelta(days=settings.registry_overlap_days)
    return ClinicalTrialsSource(settings, query=query, since=since)


def document_source(
    services: Services, paths: Sequence[str] | None = None, *, kind: str | None = None, access: str | None = None
) -> RecordSource:
    """Return tonight's source of the site's files: the paths that are given, or those of the settings.

    Raises:
        UsageError: There are none, or see ``DocumentFiles``.
    """
    settings = services.settings
    chosen = list(paths or settings.documents_paths)
    if not chosen:
        raise UsageError("no folder of documents is known", remedy="Name one, or set CLINDEX_DOCUMENTS_PATHS to a JSON list of them.")
    return DocumentFiles(chosen, settings, secret=services.secret, reader_version=reader_id(settings), kind=kind, access=access)


def run_nightly(
    services: Services, source: RecordSource, *, documents: RecordSource | None = None, full: bool = False, repair: bool = False
) -> NightlySummary:
    """Do everything once: trials, the site's documents and FHIR resources where it has any, index, reconciliation, report."""
    ingested = ingest(services, source)
    files = None if documents is None else ingest(services, documents)
    resources = ingest_configured(services, full=full)
    deleted = finish_open(services)
    indexed = run_index(services)
    reconciled = run_reconcile(services, repair=repair)
    retire(services, utc_now())  # previous collections whose grace is over
    report = str(write_report(services).html_path)
    with services.db.read() as tx:
        ages = freshness(tx, objective_hours=services.settings.status_max_age_hours, now=utc_now())
    return NightlySummary(
        ingest=ingested,
        documents=files,
        fhir=resources,
        deletions=deleted,
        index=indexed,
        reconcile=reconciled,
        report=report,
        freshness=ages,
    )
