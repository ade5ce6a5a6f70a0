"""The tasks of the DAG ``reconcile``: compare, decide who decides, carry out. Plain JSON in and out; ids and counts only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.jobs.plans.reading import read_plan
from pipeline.jobs.plans.wording import body_of, subject_of
from pipeline.jobs.reconcile import run_reconcile
from pipeline.jobs.steps.task import Json, name_in, reason_in, task_home


def compare(*, deep: bool = False) -> Json:
    """Compare index and truth. Where they differ, ``question`` says what a person would be asked about the plan."""
    with task_home() as services:
        summary = run_reconcile(services, deep=deep)
        question = None
        if summary.plan is not None:
            plan, _ = read_plan(summary.plan, secret=services.secret)
            question = {"subject": subject_of(plan), "body": body_of(plan, undo_days=services.settings.undo_days)}
    return {**summary.model_dump(mode="json"), "question": question}


def next_task(found: Json, *, repair: bool, ask: bool) -> str:
    """Return what follows a comparison: ``report`` (nothing is to be repaired), ``carry_out``, or ``ask``, where a person may overrule guards.

    A refusal that nobody may overrule goes to ``carry_out`` too, which asks the guards again and ends red with their reasons.
    """
    if not repair or found["plan"] is None:
        return "report"
    refused = found["refused"]
    return "ask" if ask and refused and all(one["approvable"] for one in refused) else "carry_out"


def carry_out(found: Json, answer: Mapping[str, Any] | None) -> Json:
    """Repair: by the plan that a person approved, or without an answer by a plan of this moment that no guard refuses.

    Args:
        found: What ``compare`` returned.
        answer: What Airflow says of the person's answer (``responded_by_user``, ``params_input``); ``None``: nobody was asked.

    Raises:
        GuardRefusedError: See ``run_reconcile``.
    """
    with task_home() as services:
        if answer is None:
            return run_reconcile(services, repair=True, deep=found["depth"] == "deep").model_dump(mode="json")
        return run_reconcile(services, approve=found["plan"], by=name_in(answer), reason=reason_in(answer)).model_dump(mode="json")
