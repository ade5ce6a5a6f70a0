"""Nightly ingestion of clinical trials into truth."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Metadata, Param, dag, get_current_context, task
from clindex_airflow.wiring import DEFAULTS, NIGHTLY, TRUTH, Tag


@dag(
    schedule=NIGHTLY,  # paused until somebody switches it on: without a query it mirrors the whole registry
    catchup=False,  # a pause of a month is one run: what to fetch comes from the stored watermark, not from the interval
    max_active_runs=1,
    default_args=DEFAULTS,
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={
        "query": Param(None, type=["null", "string"], maxLength=500, description="Only studies that the registry finds for these words."),
        "from_path": Param(None, type=["null", "string"], description="Read this file or folder in place of the registry."),
        "full": Param(False, type="boolean", description="List everything, not only what changed since the last run."),
        "limit": Param(None, type=["null", "integer"], minimum=1, description="At most so many studies (for trying out)."),
    },
    doc_md="""### Nightly ingestion of clinical trials
Lists ClinicalTrials.gov since the stored watermark (everything, once a week), lands what came, normalises what changed into the database,
tombstones what vanished from a complete full listing, and updates the asset `clindex_truth`, on which `index_documents` runs.

**Red** means that records failed or the listing was incomplete; what came is kept and indexed all the same, and the next run tries the rest
again. A crashed run resumes at its last page. To write documents anew although nothing changed, use `reindex`.
""",
)
def ingest_trials() -> None:
    @task
    def fetch(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.fetch_trials(**{name: params[name] for name in ("query", "from_path", "full", "limit")})

    @task
    def batches(found: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"fetched": found["fetched"], "within": within} for within in found["batches"]]

    @task(max_active_tis_per_dagrun=4, map_index_template="{{ batch_name }}")
    def normalize(batch: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        get_current_context()["batch_name"] = f"{batch['within']['first']} to {batch['within']['last']}"  # type: ignore[typeddict-unknown-key]
        return steps.normalize_batch(batch["fetched"], batch["within"])

    @task(trigger_rule="all_done", outlets=[TRUTH])
    def complete(found: dict[str, Any] | None, results: list[dict[str, Any]]) -> Any:
        from pipeline.jobs import steps

        summary = steps.complete_ingest(found, list(results[:]) if results else [])
        yield Metadata(TRUTH, extra={"run_id": summary["run_id"], "changed": summary["changed"] + summary["new"]})
        return summary

    @task
    def judge(summary: dict[str, Any]) -> None:
        from pipeline.jobs import steps

        steps.judge_ingest(summary)

    found = fetch()
    judge(complete(found, normalize.expand(batch=batches(found))))


ingest_trials()
