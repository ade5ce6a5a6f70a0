"""Proves that the vector index equals the database, after each indexing."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, Tag


@dag(
    schedule=[INDEX],
    catchup=False,
    is_paused_upon_creation=False,  # it waits for an asset
    max_active_runs=1,
    default_args=DEFAULTS,
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={
        "repair": Param(False, type="boolean", description="Carry out the repair plan (a guard still refuses a large one)."),
    },
    doc_md="""### Reconcile index and database
Reads every point that is really in the index and every point that the database expects, puts each into exactly one class, and writes a
repair plan if anything is not `ok`. Then writes the run report.

**Red** means drift: read the plan that the log names, then run this DAG again with *repair* switched on. A plan that deletes more than the
set share of the index is refused until a person approves it with `clindex reconcile --approve PLAN`.
""",
)
def reconcile() -> None:
    @task(pool=INDEX_POOL)
    def compare(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.reconcile(repair=bool(params["repair"]))

    @task(trigger_rule="all_done")
    def report() -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.report()

    @task
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs import steps

        steps.judge_reconcile(summary)

    summary = compare()
    report_written = report()
    summary >> report_written >> judge(summary)


reconcile()
