"""Writes documents anew by hand: in place, or into a collection beside the live one that a person lets take its place."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, get_current_context, task
from clindex_airflow.checking import start_check
from clindex_airflow.going_live import go_live
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, Tag, told


@dag(
    schedule=None,
    catchup=False,
    is_paused_upon_creation=False,  # it runs by hand alone
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("index", "reindex"),
    tags=[Tag.CLINDEX, Tag.MANUAL, Tag.DESTRUCTIVE],
    params={
        "reason": Param("", type="string", minLength=3, maxLength=200, description="Why; kept with the run."),
        "candidate": Param(False, type="boolean", description="Build a collection beside the live one; a gate judges it."),
        "kind": Param(None, type=["null", "string"], examples=["trial"], description="In place: only documents of this kind."),
        "source": Param(None, type=["null", "string"], examples=["clinicaltrials.gov"], description="In place: only of this source."),
        "dry_run": Param(True, type="boolean", description="Only say what it would take."),
    },
    doc_md="""### Re-index by hand
**In place**, a new generation of each chosen document. With *candidate*, a collection of all documents **beside the live one**, for a new
chunker, policy or model: readers see the old one until the gate has passed the new one and a person says *Approve*, under *Required Actions*
(20 hours). `clindex reindex --rollback` moves back. Vectors come from the cache where text and model are the same. **A dry run by default.**

**Red** means that documents failed, or that the gate stands against the candidate: the log names its checks.
""",
)
def reindex() -> None:
    @task(pool=INDEX_POOL)
    def plan(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import reindex as steps_reindex

        return steps_reindex.plan(params)

    @task
    def batches(planned: dict[str, Any]) -> list[dict[str, Any]]:
        return list(planned["batches"])

    @task(pool=INDEX_POOL, map_index_template="{{ batch_name }}")
    def index(batch: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import reindex as steps_reindex

        get_current_context()["batch_name"] = f"{batch['first'][:8]} to {batch['last'][:8]}"  # type: ignore[typeddict-unknown-key]
        return steps_reindex.index_batch(batch)

    @task(pool=INDEX_POOL, trigger_rule="all_done", outlets=[INDEX])
    def complete(planned: dict[str, Any] | None, results: list[dict[str, Any]]) -> dict[str, Any]:
        from pipeline.jobs.steps import reindex as steps_reindex

        return steps_reindex.complete(planned, list(results[:]) if results else [])

    @task(trigger_rule="none_failed")
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs.steps import nightly as steps

        steps.judge_index(summary)

    planned = plan()
    summary = complete(planned, index.expand(batch=batches(planned)))
    start_check() >> planned
    go_live(planned, summary) >> judge(summary)


reindex()
