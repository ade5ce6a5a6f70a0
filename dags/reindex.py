"""Writes documents anew by hand, although nothing changed."""

from __future__ import annotations

from typing import Any

import pendulum
from airflow.sdk import Param, dag, task
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, TIMEZONE, Tag


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz=TIMEZONE),
    catchup=False,
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
    @task(pool=INDEX_POOL, outlets=[INDEX])
    def run(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.reindex(reason=params["reason"], kind=params["kind"], source=params["source"], dry_run=bool(params["dry_run"]))

    @task
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs import steps

        if summary["index"] is not None:
            steps.judge_index({**summary["index"], "lost_batches": 0})

    judge(run())


reindex()
