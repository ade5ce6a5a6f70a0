"""Reconciliation: read what is really in the index, prove that it equals truth, and write a plan for what does not. Reads only."""

from __future__ import annotations

import time
from uuid import UUID

from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.detect import detect
from pipeline.jobs.drift import Tally
from pipeline.jobs.repair import RepairPlan, apply_plan
from pipeline.jobs.summaries import ReconcileSummary
from pipeline.storage import runs
from pipeline.wiring import Services, utc_now


def run_reconcile(services: Services, *, repair: bool = False, deep: bool = False, approve: str | None = None) -> ReconcileSummary:
    """Compare, write a plan where something differs, and repair by it when asked.

    Args:
        services: The home.
        repair: Carry the plan out, unless a guard refuses it.
        deep: Compare every point and every vector, and not only where digests differ.
        approve: Path of a plan that a person has read: it is carried out although it is large, if the world has not moved since.

    Raises:
        GuardRefusedError: The plan deletes too large a share, or an approved plan no longer fits. Nothing was changed.
    """
    start = time.monotonic()
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, "reconcile", utc_now())
    state: runs.RunState = "failed"
    summary: ReconcileSummary | None = None
    try:
        plan = apply_plan(services, approve, approved=True) if approve is not None else None
        tally, path = detect(services, run_id, deep=deep)
        if repair and path is not None:
            summary, state = summarise(run_id, tally, path, None, time.monotonic() - start), "incomplete"  # should a guard refuse
            plan = apply_plan(services, path, approved=False)
            tally, path = detect(services, run_id, deep=deep)
        summary = summarise(run_id, tally, path, plan, time.monotonic() - start)
        state = "success" if summary.clean else "incomplete"
    finally:
        with services.db.begin() as tx:
            runs.finish_run(tx, run_id, state, summary.model_dump(mode="json") if summary else {}, utc_now())
    return summary


def summarise(run_id: UUID, tally: Tally, plan: str | None, carried_out: RepairPlan | None, seconds: float) -> ReconcileSummary:
    """Put a tally into words. All classes are named, also those with 0; repaired is what a plan had found and is not there any more."""
    before = carried_out.classes if carried_out else {}
    fewer = {name: count - tally.classes[DriftClass(name)] for name, count in before.items() if name != DriftClass.OK}
    return ReconcileSummary(
        run_id=str(run_id),
        expected=tally.expected,
        found=tally.found,
        clean=tally.sums_close and all(count == 0 for name, count in tally.classes.items() if name is not DriftClass.OK),
        classes={name.value: tally.classes[name] for name in DriftClass},
        sums_close=tally.sums_close,
        depth=tally.depth,
        unmarked=tally.unmarked,
        plan=plan,
        repaired={name: count for name, count in fewer.items() if count > 0},
        seconds=round(seconds, 3),
    )
