"""One function for each Airflow task: plain JSON in, plain JSON out, so that XCom holds ids and counts only.

Each opens the home by itself: a task instance is a process of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from uuid import UUID

from pipeline.domain.errors import IncompleteRunError
from pipeline.jobs import index as index_job
from pipeline.jobs import ingest as ingest_job
from pipeline.jobs.byte_batches import byte_ranges
from pipeline.jobs.deletion import finish_open
from pipeline.jobs.fetch import Fetched, KeyRange, fetch, key_ranges
from pipeline.jobs.index_plan import IdRange, IndexPlan, batches, id_ranges, plan_index
from pipeline.jobs.nightly import document_source, trial_source
from pipeline.jobs.reindex import choose, run_reindex
from pipeline.jobs.report import write_report
from pipeline.jobs.review.obey import obey
from pipeline.jobs.steps.task import Json, task_home
from pipeline.jobs.summaries import IndexSummary
from pipeline.observability import log_event
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.wiring import Services, utc_now

REMEDY = "The report that the reconcile run writes names them (also: `clindex report`); the next run tries them again."
MAX_MAPPED = 1000  # Airflow refuses to map over more than 1,024


def fetch_trials(*, query: str | None = None, from_path: str | None = None, full: bool = False, limit: int | None = None) -> Json:
    """List the registry (or files) and land what came. Returns the crawl and the stretches of changed records."""
    with task_home() as services:
        source = trial_source(services, query=query, from_paths=[from_path] if from_path else None, full=full, limit=limit)
        fetched = fetch(services, source)
        hand_on(services, fetched.run_id)
        size = batch_size(services.settings, fetched.changed)
        ranges = key_ranges(services, fetched.crawl_id, size=size)
    return {"fetched": pack(fetched), "batches": [asdict(one) for one in ranges]}


def fetch_documents(*, paths: list[str] | None = None, kind: str | None = None, access: str | None = None) -> Json:
    """List the site's folders and land what is in them. Returns the crawl and the stretches of changed files, about equal in bytes."""
    with task_home() as services:
        fetched = fetch(services, document_source(services, paths, kind=kind, access=access))
        hand_on(services, fetched.run_id)
        cap = services.settings.airflow_batch_bytes
        ranges = byte_ranges(services, fetched.crawl_id, max_bytes=cap, max_batches=MAX_MAPPED)
    return {"fetched": pack(fetched), "batches": [asdict(one) for one in ranges]}


def normalize_batch(fetched: Json, batch: Json) -> Json:
    """Take one stretch of changed records into truth."""
    with task_home() as services:
        return dict(ingest_job.normalize_batch(services, _unpack(fetched), KeyRange(**batch)))


def complete_ingest(found: Json | None, results: list[Json]) -> Json:
    """End the ingestion: ``found`` is what was fetched, ``results`` what its batches did; a batch that is lost is seen.

    Raises:
        IncompleteRunError: Nothing was fetched: the task before says why, and trying to end it again cannot help.
    """
    if found is None:
        raise IncompleteRunError("nothing was listed", remedy="The task that fetches says why; the next run tries again.")
    lost = len(found["batches"]) - len(results)
    with task_home() as services:
        counts = [{name: int(value) for name, value in one.items()} for one in results]
        summary = ingest_job.complete(services, _unpack(found["fetched"]), counts, lost_batches=lost)
    return {
        **summary.model_dump(mode="json", exclude={"failures"}),
        "lost_batches": lost,
        "failed_by_category": dict(Counter(one.category for one in summary.failures)),
    }


def judge_ingest(summary: Json) -> None:
    """Make an incomplete ingestion red.

    Raises:
        IncompleteRunError: Records failed, batches were lost, or the listing was incomplete.
    """
    if summary["failed"] or not summary["complete"] or summary["lost_batches"]:
        raise IncompleteRunError(
            f"ingest run {summary['run_id']}: {summary['failed']} records failed {summary['failed_by_category']}, "
            f"listing complete: {summary['complete']}, batches lost: {summary['lost_batches']}",
            remedy=REMEDY,
        )


def plan_indexing(*, force: bool = False) -> Json:
    """Find what indexing has to do. Returns the run and the stretches of documents."""
    with task_home() as services:
        services.require_collection()
        finish_open(services)
        obey(services)
        plan = plan_index(services, force=force)
        run_id = index_job.begin_run(services)
        hand_on(services, run_id)
        ranges = id_ranges(plan, size=batch_size(services.settings, len(plan.work)))
    return {
        "run_id": str(run_id),
        "skipped": plan.skipped,
        "batches": [{"run_id": str(run_id), "first": str(one.first), "last": str(one.last)} for one in ranges],
    }


def index_documents(batch: Json) -> Json:
    """Index one stretch of documents, flipping every ``index_batch_documents`` of them.

    A batch with ``anew`` writes those of its stretch anew that its kind and source name, changed or not.
    """
    run_id, within = UUID(batch["run_id"]), IdRange(UUID(batch["first"]), UUID(batch["last"]))
    with task_home() as services:
        return index_stretch(services, run_id, within, anew=batch.get("anew"))


def index_stretch(services: Services, run_id: UUID, within: IdRange, *, anew: Json | None = None) -> Json:
    """Index one stretch of documents in the collection of ``services``; ``anew``: see ``index_documents``."""
    summary = IndexSummary(run_id=str(run_id))
    if anew is None:
        work = [document for _, document in plan_index(services, within=within).work]
    else:
        work, _ = choose(services, kind=anew["kind"], source=anew["source"], within=within)
    cut = batches(work, services.settings.index_batch_documents)
    for done in index_job.index_batches(services, run_id, cut, force=anew is not None):
        summary += done
        log_event("batch_indexed", run_id=str(run_id), **summary.documents.model_dump())
    index_job.settle(services, summary)
    return summary.model_dump(mode="json", exclude={"failures"})


def complete_index(plan: Json | None, results: list[Json]) -> Json:
    """End an index run: add up its batches and record it.

    Raises:
        IncompleteRunError: Nothing was planned: the task before says why.
    """
    if plan is None:
        raise IncompleteRunError("nothing was planned", remedy="The task that plans says why; the next run tries again.")
    summary = IndexSummary.model_validate({"run_id": plan["run_id"], "documents": {"skipped": plan["skipped"]}})
    for one in results:
        summary += IndexSummary.model_validate(one)
    lost = len(plan["batches"]) - len(results)
    with task_home() as services:
        index_job.settle(services, summary)
        index_job.end_run(services, UUID(plan["run_id"]), summary, finished=lost == 0)
    return {**summary.model_dump(mode="json", exclude={"failures"}), "lost_batches": lost}


def judge_index(summary: Json) -> None:
    """Make an incomplete index run red.

    Raises:
        IncompleteRunError: Documents failed or were quarantined, or a batch was lost.
    """
    documents = summary["documents"]
    if documents["failed"] or documents["quarantined"] or summary["lost_batches"]:
        raise IncompleteRunError(
            f"index run {summary['run_id']}: {documents['failed']} documents failed, {documents['quarantined']} quarantined, "
            f"batches lost: {summary['lost_batches']}",
            remedy=REMEDY,
        )


def judge_reconcile(summary: Json) -> None:
    """Make a reconciliation that found drift red.

    Raises:
        IncompleteRunError: Index and truth differ.
    """
    if not summary["clean"]:
        drift = {name: count for name, count in summary["classes"].items() if count and name != "ok"}
        raise IncompleteRunError(
            f"reconcile run {summary['run_id']}: index and database differ: {drift}; plan {summary['plan']}",
            remedy="Read the plan, then `clindex reconcile --repair`, or run the DAG with repair switched on.",
        )


def report() -> Json:
    """Write the report of the last runs."""
    with task_home() as services:
        paths = write_report(services)
    return {"html": str(paths.html_path), "json": str(paths.json_path)}


def plan_reindex(*, reason: str, kind: str | None, source: str | None, dry_run: bool) -> Json:
    """Choose what to write anew. A dry run has no batches: it only says how many documents and points it would be."""
    with task_home() as services:
        services.require_collection()
        preview = run_reindex(services, reason=reason, kind=kind, source=source, dry_run=True).preview
        run_id = index_job.begin_run(services, reason=reason)
        hand_on(services, run_id)
        chosen, _ = choose(services, kind=kind, source=source)
        ranges = [] if dry_run else id_ranges(IndexPlan(index=chosen), size=batch_size(services.settings, len(chosen)))
    head = {"run_id": str(run_id), "anew": {"kind": kind, "source": source}}
    return {
        "run_id": str(run_id),
        "dry_run": dry_run,
        "preview": preview,
        "skipped": preview["documents"] if dry_run else 0,
        "batches": [{**head, "first": str(one.first), "last": str(one.last)} for one in ranges],
    }


def hand_on(services: Services, run_id: UUID) -> None:
    """A run of several tasks: this one's process ends long before the run does."""
    with services.db.begin() as tx:
        runs.hand_on(tx, run_id, utc_now())


def batch_size(settings: Settings, total: int) -> int:
    """Size of a batch so that there are never more than Airflow can map."""
    return max(settings.airflow_batch_documents, -(-total // MAX_MAPPED))


def pack(fetched: Fetched) -> Json:
    """Return a listing as plain JSON, for the next task."""
    return {**asdict(fetched), "run_id": str(fetched.run_id), "crawl_id": str(fetched.crawl_id)}


def _unpack(values: Json) -> Fetched:
    return Fetched(**{**values, "run_id": UUID(values["run_id"]), "crawl_id": UUID(values["crawl_id"])})
