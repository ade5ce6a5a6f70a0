"""Reconciliation: read what is really in the index, prove that it equals truth, and write a plan for what does not. Reads only."""

from __future__ import annotations

import time
from uuid import UUID, uuid4

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.certificates.forgotten import recall
from pipeline.jobs.drift.detect import detect
from pipeline.jobs.drift.merge import Tally
from pipeline.jobs.drift.source_side import with_sources
from pipeline.jobs.plans.carry_out import apply_plan, approve_plan
from pipeline.jobs.plans.model import RepairPlan, plans_folder
from pipeline.jobs.plans.reading import read_plan
from pipeline.jobs.plans.undo import remove_old_undo_files
from pipeline.jobs.plans.undo import undo as undo_repair
from pipeline.jobs.plans.undo_file import undo_path
from pipeline.jobs.plans.verify import written_right
from pipeline.jobs.summaries import ReconcileSummary
from pipeline.storage import approvals, runs
from pipeline.wiring import Services, utc_now


def run_reconcile(
    services: Services,
    *,
    repair: bool = False,
    deep: bool = False,
    approve: str | None = None,
    undo: str | None = None,
    by: str | None = None,
    reason: str | None = None,
) -> ReconcileSummary:
    """Compare, write a plan where something differs, and repair by it when asked.

    Args:
        services: The home.
        repair: Carry the plan out, unless a guard refuses it.
        deep: Compare every point and every vector, and not only where digests differ.
        approve: Path of a plan that a person has read: it is carried out although guards refused it, if the world has not moved since.
        undo: Path of an undo file or of its plan: the index is put back as it was before that repair, then compared.
        by: Who approves; the operating system's user where nobody is named.
        reason: Why, in that person's words; kept with the approval.

    Raises:
        GuardRefusedError: A guard refuses, or an approved plan no longer fits. Nothing was changed.
    """
    start = time.monotonic()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, "reconcile", utc_now())
    state: runs.RunState = "failed"
    summary: ReconcileSummary | None = None
    try:
        remove_old_undo_files(services)
        if repair or approve is not None or undo is not None:
            recall(services)  # what was deleted for good is not written again
        undone = undo_repair(services, undo) if undo is not None else None
        plan = approve_plan(services, approve, by=by, reason=reason) if approve is not None else None
        if plan is not None and approve is not None:
            deep = deep or _look_deep(services, plan, approve)
        tally, path = detect(services, run_id, deep=deep)
        if repair and path is not None:
            summary, state = summarise(services, run_id, tally, path, None, start), "incomplete"  # should a guard refuse
            plan = apply_plan(services, path)
            # Under another id: this run's plan and undo file stay as they are.
            tally, path = detect(services, uuid4(), deep=deep or _look_deep(services, plan, path))
        summary = summarise(services, run_id, tally, path, plan, start).model_copy(update={"undone": undone})
        summary = with_sources(services, summary)
        state = "success" if summary.clean else "incomplete"
    finally:
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, summary.model_dump(mode="json") if summary else {}, utc_now())
    return summary


def _look_deep(services: Services, plan: RepairPlan, path: str) -> bool:
    """Whether all vectors are to be compared after a repair: as before it, or because one of those that it wrote is not right."""
    return plan.deep or not written_right(services, path)


def summarise(
    services: Services, run_id: UUID, tally: Tally, path: str | None, carried_out: RepairPlan | None, start: float
) -> ReconcileSummary:
    """Put a tally into words. All classes are named, also those with 0; repaired is what a plan had found and is not there any more."""
    before = carried_out.classes if carried_out else {}
    fewer = {name: count - tally.classes[DriftClass(name)] for name, count in before.items() if name != DriftClass.OK}
    plan = None if path is None else read_plan(path, secret=services.secret)[0]
    return ReconcileSummary(
        run_id=str(run_id),
        expected=tally.expected,
        found=tally.found,
        clean=tally.sums_close and all(count == 0 for name, count in tally.classes.items() if name is not DriftClass.OK),
        classes={name.value: tally.classes[name] for name in DriftClass},
        sums_close=tally.sums_close,
        depth=tally.depth,
        unmarked=tally.unmarked,
        plan=path,
        plan_sha256=plan.sha256 if plan else None,
        refused=plan.refused if plan else [],
        repaired={name: count for name, count in fewer.items() if count > 0},
        approved_by=_approved_by(services, carried_out),
        undo=str(undo_path(plans_folder(services), carried_out.run_id)) if carried_out else None,
        seconds=round(time.monotonic() - start, 3),
    )


def _approved_by(services: Services, plan: RepairPlan | None) -> str | None:
    """Return who approved a plan last, as it was carried out."""
    if plan is None:
        return None
    with services.db.read() as tx:
        given = [one for one in approvals.of_plan(tx, plan.run_id) if one.seal == plan.seal]
    return given[-1].approved_by if given else None
