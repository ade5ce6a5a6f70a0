"""Lets a plan pass or refuses it: guards once more, against what a person has approved."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from uuid import UUID

from pipeline.domain.errors import GuardRefusedError
from pipeline.jobs.acting import acting_user
from pipeline.jobs.guards import Guard, Refusal, refusals
from pipeline.jobs.plans.evidence import Deletions, gather
from pipeline.jobs.plans.findings import read_findings
from pipeline.jobs.plans.model import RepairPlan
from pipeline.jobs.plans.writer import Sample
from pipeline.observability import log_event
from pipeline.storage import approvals, documents
from pipeline.storage.approvals import Approval
from pipeline.wiring import Services, utc_now


def refuse_unless_approved(services: Services, plan: RepairPlan, findings: Path, *, approved: bool) -> None:
    """Ask every guard again. An approval overrules those that the plan named when it was approved, and that a person may overrule.

    Raises:
        GuardRefusedError: A guard refuses. Nothing was changed.
    """
    overruled = {one.guard for one in plan.refused if one.approvable} if approved else set[Guard]()
    refused = [one for one in _ask_again(services, findings) if one.guard not in overruled]
    if refused:
        raise refusal_of(plan.run_id, findings.with_name(f"plan-{plan.run_id}.json"), refused)


def refusal_of(plan: str, path: Path, refused: list[Refusal]) -> GuardRefusedError:
    """Return the error that names each guard's reason and the way on."""
    reasons = "; ".join(f"{one.guard.value}: {one.reason}" for one in refused)
    if all(one.approvable for one in refused):
        remedy = f"Look at why. If it is right: clindex reconcile --approve {path} --reason TEXT"
    else:
        remedy = "No approval lifts that. When it is over, run `clindex reconcile` for a new plan."
    return GuardRefusedError(f"plan {plan} is refused: {reasons}", remedy=remedy)


def _ask_again(services: Services, findings: Path) -> list[Refusal]:
    counted: Counter[UUID | None] = Counter()
    sample = Sample()
    for finding in read_findings(findings):
        if not finding.expected:
            counted[finding.document_id] += 1
            if finding.point_id is not None:
                sample.add(finding.point_id)
    with services.index.session() as index, services.db.read() as tx:
        known = documents.load_documents(tx, sorted({key for key in counted if key is not None}))
        places = {key: (row.source, row.kind) for key, row in known.items()}
        return refusals(services.settings, gather(services, tx, index, Deletions(counted, places, sample.ids), points=index.count()))


def record_approval(services: Services, plan: RepairPlan, *, by: str | None, reason: str | None) -> Approval:
    """Keep who approved a plan, when, why, and the seal that it had."""
    approval = Approval(plan.run_id, plan.seal, acting_user(by), (reason or "").strip(), utc_now())
    with services.db.begin() as tx:
        approvals.add(tx, approval)
    log_event("plan_approved", plan=plan.run_id, sha256=plan.sha256, deletes=plan.delete_points)
    return approval
