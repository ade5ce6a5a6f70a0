"""Brings the vector index to what truth says, whenever truth was updated."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Metadata, dag, get_current_context, task
from clindex_airflow.checking import start_check
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, TRUTH, Tag, told


@dag(
    schedule=[TRUTH],
    catchup=False,
    is_paused_upon_creation=False,  # it waits for an asset
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("index", "delete"),
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    doc_md="""### Index what changed
Runs after each ingestion, by asset: plans from the database which documents need a new generation, a payload update or removal, works
through them in batches, and updates the asset `clindex_index`, on which `reconcile` runs. A document is served old or new, never half.

**Red** means that documents failed or were quarantined; all others are indexed. A killed run is finished by the next one.
""",
)
def index_documents() -> None:
    @task(pool=INDEX_POOL)
    def plan() -> dict[str, Any]:
        from pipeline.jobs.steps import nightly as steps

        return steps.plan_indexing()

    @task
    def batches(planned: dict[str, Any]) -> list[dict[str, Any]]:
        return list(planned["batches"])

    @task(pool=INDEX_POOL, map_index_template="{{ batch_name }}")
    def index(batch: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import nightly as steps

        get_current_context()["batch_name"] = f"{batch['first'][:8]} to {batch['last'][:8]}"  # type: ignore[typeddict-unknown-key]
        return steps.index_documents(batch)

    @task(pool=INDEX_POOL, trigger_rule="all_done", outlets=[INDEX])
    def complete(planned: dict[str, Any] | None, results: list[dict[str, Any]]) -> Any:
        from pipeline.jobs.steps import nightly as steps

        summary = steps.complete_index(planned, list(results[:]) if results else [])
        yield Metadata(INDEX, extra={"run_id": summary["run_id"], "points_written": summary["points_written"]})
        return summary

    @task
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs.steps import nightly as steps

        steps.judge_index(summary)

    planned = plan()
    start_check() >> planned
    judge(complete(planned, index.expand(batch=batches(planned))))


index_documents()
