"""The check of data quality: rows of a sample of documents and figures of the whole home against the suites, as one run."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.quality import docs_site, figures, held, sample, truth_rows
from pipeline.jobs.quality.checking import Checker
from pipeline.jobs.quality.model import DataSetResult, ExpectationResult, Figures, QualitySummary
from pipeline.jobs.quality.run_rows import home_row, run_rows
from pipeline.jobs.quality.suites import DataSet
from pipeline.jobs.report.write import write_whole
from pipeline.observability import log_event
from pipeline.storage import index_state, review, runs
from pipeline.storage.chunks import expected_count
from pipeline.wiring import Services, utc_now

FOLDER: Final = "quality"  # below the reports folder
RESULT: Final = "latest.json"


def run_quality(services: Services, *, everything: bool = False) -> QualitySummary:
    """Check the home and write the result and Data Docs into ``reports/quality``. Reads documents and index only.

    Args:
        services: The home.
        everything: Read every document, whatever ``quality_documents`` says.

    Raises:
        ConfigurationError: A suite cannot be used.
        QualityCheckError: An expectation could not be evaluated.
    """
    services.require_collection()
    now = utc_now()
    with services.db.begin() as tx:
        before = runs.latest_of_kind(tx, RunKind.QUALITY, limit=services.settings.quality_history)
        run_id = runs.start_run(tx, RunKind.QUALITY, now)
    state: runs.RunState = "failed"
    counts: Mapping[str, Any] = {}
    try:
        summary = _check(services, run_id, now, before, everything=everything)
        state, counts = "success" if summary.clean else "incomplete", counts_of(summary)
    finally:
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, counts, utc_now())
    log_event("quality_checked", run_id=str(run_id), documents=summary.documents, blocked=summary.blocked, warned=summary.warned)
    return summary


def _check(services: Services, run_id: UUID, now: datetime, before: Sequence[runs.Run], *, everything: bool) -> QualitySummary:
    folder = services.settings.reports_folder / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    earlier = [Figures.model_validate(run.counts["figures"]) for run in before]
    since = max((run.started_at for run in before), default=None)
    with services.db.read() as tx:
        limit = None if everything else services.settings.quality_documents
        ids, alive = sample.chosen_documents(tx, start=run_id, limit=limit)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".docs-") as work:
        built = Path(work) / docs_site.DOCS
        checker = Checker(built)
        _check_documents(services, checker, ids, now)
        with services.index.session() as index:
            points = index.count()
        with services.db.read() as tx:
            _check_resources(tx, checker, services.settings.quality_batch_rows)
            measured = figures.measure(services, tx, since=since)
            expected = expected_count(tx, collection=services.collection)
            home = home_row(tx, run_id, measured, earlier, points=points, expected=expected, held=held.count(tx))
            checker.check(DataSet.RUNS, [*run_rows(tx), home])
            held_back = held.listed(tx)
        results = checker.results(sampled=len(ids) < alive)
        docs = docs_site.publish(built, folder, results)
    broken = broken_in(results)
    summary = QualitySummary(
        run_id=str(run_id),
        created_at=now.astimezone(UTC),
        clean=not broken,
        blocked=sum(one.severity == "block" for one in broken),
        warned=sum(one.severity == "warn" for one in broken),
        documents=len(ids),
        of_documents=alive,
        earlier=len(earlier),
        held_back=held_back,
        data_sets=results,
        figures=measured,
        docs=None if docs is None else docs.relative_to(services.settings.reports_folder).as_posix(),
        artifact=f"{FOLDER}/{RESULT}",
    )
    write_whole(folder / RESULT, summary.model_dump_json(indent=2) + "\n")
    return summary


def _check_documents(services: Services, checker: Checker, ids: Sequence[UUID], now: datetime) -> None:
    """Gather rows of documents into batches of bounded size, and check them."""
    most = services.settings.quality_batch_rows
    waiting: defaultdict[DataSet, list[sample.Row]] = defaultdict(list)
    for data_set, rows in sample.rows(services, ids, now):
        waiting[data_set] += rows
        while len(waiting[data_set]) >= most:
            _check_rows(services, checker, data_set, waiting[data_set][:most])
            del waiting[data_set][:most]
    for data_set, rows in waiting.items():
        _check_rows(services, checker, data_set, rows)


def _check_rows(services: Services, checker: Checker, data_set: DataSet, rows: Sequence[sample.Row]) -> None:
    """Check one batch; what a person let pass with the content that a document has is not broken."""
    of_documents = [(str(row["row"]), UUID(row["document_id"])) for row in rows if data_set is not DataSet.POINTS]
    ids = list({document for _, document in of_documents})
    with services.db.read() as tx:
        accepted = review.accepted_expectations(tx, ids)
        contents = {key: row.content_hash for key, row in index_state.get_many(tx, list(accepted)).items()}
    excused: defaultdict[str, set[str]] = defaultdict(set)
    for row, document in of_documents:
        for name, decided in accepted.get(document, {}).items():
            if contents.get(document) in decided:
                excused[name].add(row)
    checker.check(data_set, rows, accepted=excused)


def _check_resources(tx: Connection, checker: Checker, most: int) -> None:
    """Check FHIR resources, those of the last loads first."""
    checker.check(DataSet.FHIR_RESOURCES, list(truth_rows.resources(tx, limit=most)))


def broken_in(results: Sequence[DataSetResult]) -> list[ExpectationResult]:
    """Return the broken expectations, blocking ones first."""
    broken = [line for one in results for line in one.expectations if line.broken]
    return sorted(broken, key=lambda line: line.severity != "block")


def counts_of(summary: QualitySummary) -> Mapping[str, Any]:
    """Return what a run's row keeps: figures, and the broken expectations with their first rows."""
    return {
        "documents_read": summary.documents,
        "blocked": summary.blocked,
        "warned": summary.warned,
        "docs": summary.docs,
        "broken": [one.model_dump(mode="json") for one in broken_in(summary.data_sets)],
        "figures": summary.figures.model_dump(mode="json"),
    }
