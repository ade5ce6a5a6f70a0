"""Nightly ingestion of clinical trials into truth."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.checking import start_check
from clindex_airflow.ingesting import judge, take
from clindex_airflow.wiring import DEFAULTS, NIGHTLY, Tag, told


@dag(
    schedule=NIGHTLY,  # paused until somebody switches it on: without a query it mirrors the whole registry
    catchup=False,  # a pause of a month is one run: what to fetch comes from the stored watermark, not from the interval
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("ingest"),
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
        from pipeline.jobs.steps import nightly as steps

        return steps.fetch_trials(**{name: params[name] for name in ("query", "from_path", "full", "limit")})

    found = fetch()
    start_check() >> found
    judge(take(found, at_once=4))


ingest_trials()
