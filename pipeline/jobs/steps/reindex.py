"""The tasks of the DAG ``reindex``, in place or beside the live collection. Plain JSON in and out; ids and counts only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import RunKind
from pipeline.jobs import index as index_job
from pipeline.jobs.index_plan import IdRange, id_ranges, plan_index
from pipeline.jobs.reindex.build import open_candidate, require_candidate
from pipeline.jobs.reindex.candidate import finish_switches, run_promotion
from pipeline.jobs.reindex.gate import judge as judge_candidate
from pipeline.jobs.reindex.gate import refusal_of
from pipeline.jobs.reindex.preview import preview, require_room
from pipeline.jobs.reindex.summaries import Verdict
from pipeline.jobs.steps import nightly as steps
from pipeline.jobs.steps.nightly import batch_size, hand_on
from pipeline.jobs.steps.task import Json, task_home
from pipeline.jobs.summaries import IndexSummary
from pipeline.wiring import Services

_ANSWERS: Final = (
    "**Approve**: searches read it from then on; the collection that is live now is kept for its grace, and `clindex reindex --rollback` moves "
    "back. **Reject**, or no answer: nothing changes for searches, and the candidate stays (`clindex reindex --abandon` removes it)."
)


def plan(params: Mapping[str, Any]) -> Json:
    """Choose what to write anew, or make a candidate and choose what it lacks. A dry run has no batches.

    Args:
        params: The DAG's: ``reason``, ``kind``, ``source``, ``dry_run``, ``candidate``.

    Raises:
        UsageError: A candidate holds everything: it takes no kind or source.
        GuardRefusedError: The disk has too little room, or another candidate is being built.
    """
    reason, kind, source = str(params["reason"]), params["kind"], params["source"]
    dry_run = bool(params["dry_run"])
    if not params["candidate"]:
        return {**steps.plan_reindex(reason=reason, kind=kind, source=source, dry_run=dry_run), "collection": None}
    if kind or source:
        raise UsageError("a candidate holds every document", remedy="Leave kind and source empty.")
    with task_home() as services:
        finish_switches(services)
        found = preview(services)
        if dry_run:
            run_id, skipped, ranges = index_job.begin_run(services, reason=reason, kind=RunKind.REINDEX), found.documents, []
        else:
            require_room(found)
            there = services.at(open_candidate(services, reason=reason))
            run_id, todo = index_job.begin_run(there, reason=reason, kind=RunKind.REINDEX), plan_index(there)
            skipped, ranges = todo.skipped, id_ranges(todo, size=batch_size(services.settings, len(todo.work)))
        hand_on(services, run_id)
    head = {"run_id": str(run_id), "collection": found.collection}
    return {
        **head,
        "dry_run": dry_run,
        "preview": found.model_dump(mode="json"),
        "skipped": skipped,
        "batches": [{**head, "first": str(one.first), "last": str(one.last)} for one in ranges],
    }


def index_batch(batch: Json) -> Json:
    """Index one stretch of documents: of the live collection, or of the candidate that the batch names."""
    if batch.get("collection") is None:
        return steps.index_documents(batch)
    with task_home() as services:
        there = _candidate(services, batch["collection"])
        within = IdRange(UUID(batch["first"]), UUID(batch["last"]))
        return steps.index_stretch(there, UUID(batch["run_id"]), within)


def complete(planned: Json | None, results: list[Json]) -> Json:
    """End the index run: add up its batches and record it."""
    if planned is None or planned["collection"] is None or planned["dry_run"]:
        return steps.complete_index(planned, results)
    with task_home() as services:
        index_job.settle(_candidate(services, planned["collection"]), _sum(results))
    return steps.complete_index(planned, results)


def gate(planned: Json) -> Json:
    """Judge a candidate. Returns what a person is asked before it goes live; nothing where there is no candidate to judge.

    Raises:
        GuardRefusedError: The gate stands against it.
    """
    if planned["collection"] is None or planned["dry_run"]:
        return {}
    with task_home() as services:
        record = require_candidate(services)
        verdict = judge_candidate(services, record)
    if not verdict.passed:
        raise refusal_of(verdict)
    return {"question": _question(verdict)}


def promote() -> Json:
    """Make the judged candidate the live collection; what changed since is indexed before."""
    with task_home() as services:
        return run_promotion(services).model_dump(mode="json", exclude={"verdict"})


def _candidate(services: Services, name: str) -> Services:
    record = require_candidate(services)
    if record.name != name:
        raise UsageError(f"{name} is no candidate any more", remedy="`clindex collections` shows what there is.")
    return services.at(record)


def _sum(results: list[Json]) -> IndexSummary:
    total = IndexSummary()
    for one in results:
        total += IndexSummary.model_validate(one)
    return total


def _question(verdict: Verdict) -> Json:
    lines = [f"- **{one.name}** {one.state}: {one.detail}" for one in verdict.checks]
    return {"subject": f"Make {verdict.collection} the live collection?", "body": "\n".join([*lines, "", _ANSWERS])}
