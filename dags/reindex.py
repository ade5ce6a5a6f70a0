"""Writes documents anew by hand, although nothing changed."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, get_current_context, task
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, Tag


@dag(
    schedule=None,
    catchup=False,
    is_paused_upon_creation=False,  # it runs by hand alone
    max_active_runs=1,
    default_args=DEFAULTS,
    tags=[Tag.CLINDEX, Tag.MANUAL, Tag.DESTRUCTIVE],
    params={
        "reason": Param("", type="string", minLength=3, maxLength=200, description="Why; kept with the run."),
        "kind": Param(None, type=["null", "string"], examples=["trial"], description="Only documents of this kind."),
        "source": Param(None, type=["null", "string"], examples=["clinicaltrials.gov"], description="Only documents of this source."),
        "dry_run": Param(True, type="boolean", description="Only say how many documents and points it would be."),
    },
    doc_md="""### Re-index by hand
Writes a new generation of every chosen document. Vectors come from the cache where text and model are the same. **A dry run by default.**

Changed documents, chunkers, policies and models are found by `index_documents` without this; use it when points are suspected to be
damaged in ways that `reconcile` cannot see.
""",
)
def reindex() -> None:
    @task(pool=INDEX_POOL)
    def plan(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.plan_reindex(**{name: params[name] for name in ("reason", "kind", "source", "dry_run")})

    @task
    def batches(planned: dict[str, Any]) -> list[dict[str, Any]]:
        return list(planned["batches"])

    @task(pool=INDEX_POOL, map_index_template="{{ batch_name }}")
    def index(batch: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        get_current_context()["batch_name"] = f"{batch['first'][:8]} to {batch['last'][:8]}"  # type: ignore[typeddict-unknown-key]
        return steps.index_documents(batch)

    @task(pool=INDEX_POOL, trigger_rule="all_done", outlets=[INDEX])
    def complete(planned: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.complete_index(planned, list(results[:]) if results else [])

    @task
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs import steps

        steps.judge_index(summary)

    planned = plan()
    judge(complete(planned, index.expand(batch=batches(planned))))


reindex()
