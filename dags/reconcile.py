"""Proves that the vector index equals the database, after each indexing; repairs by a plan, under a person's eye where it is large."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.approval import approval
from clindex_airflow.checking import start_check
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, Tag, told

ANSWER_WITHIN = timedelta(hours=12)  # a working day; before the next night compares again


@dag(
    schedule=[INDEX],
    catchup=False,
    is_paused_upon_creation=False,  # it waits for an asset
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("reconcile"),
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={
        "repair": Param(False, type="boolean", description="Carry out the repair plan."),
        "ask": Param(True, type="boolean", description="Where guards refuse the plan: ask a person. Off: such a repair ends red."),
        "deep": Param(False, type="boolean", description="Compare every point and every vector, not only where digests differ."),
    },
    doc_md="""### Reconcile index and database
Proves that what is really in the index is what the database expects, puts every difference into exactly one class, and writes a repair plan if
anything is not `ok`. Then writes the run report.

**Red** means drift: read the plan that the log names, then run this DAG again with *repair* switched on. If guards refuse the plan (it deletes
a large share, a listing was cut short, ids have changed ...), task **ask** waits for a person: *Approve* or *Reject*, under *Required Actions*.
Nobody answers within 12 hours: rejected. Who approved, and why, is kept; `clindex reconcile --undo PLAN` takes a repair back.
""",
)
def reconcile() -> None:
    @task(pool=INDEX_POOL)
    def compare(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import reconcile as steps_reconcile

        return steps_reconcile.compare(deep=bool(params["deep"]))

    @task.branch
    def decide(found: dict[str, Any], params: dict[str, Any]) -> str:
        from pipeline.jobs.steps import reconcile as steps_reconcile

        return steps_reconcile.next_task(found, repair=bool(params["repair"]), ask=bool(params["ask"]))

    @task(pool=INDEX_POOL, trigger_rule="none_failed_min_one_success")
    def carry_out(found: dict[str, Any], answer: dict[str, Any] | None) -> dict[str, Any]:
        from pipeline.jobs.steps import reconcile as steps_reconcile

        return steps_reconcile.carry_out(found, answer)

    @task(trigger_rule="all_done")
    def report() -> dict[str, Any]:
        from pipeline.jobs.steps import nightly as steps

        return steps.report()

    @task(trigger_rule="none_failed")
    def judge(found: dict[str, Any], repaired: dict[str, Any] | None) -> None:
        from pipeline.jobs.steps import nightly as steps

        steps.judge_reconcile(repaired or found)

    ask = approval("compare", within=ANSWER_WITHIN, kept_with="approval")
    found = compare()
    start_check() >> found
    repaired = carry_out(found, ask.output)
    decision = decide(found)
    written = report()
    decision >> [ask, repaired, written]
    repaired >> written >> judge(found, repaired)


reconcile()
