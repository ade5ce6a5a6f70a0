"""Nightly ingestion of the site's documents into truth."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Metadata, Param, dag, get_current_context, task
from clindex_airflow.wiring import DEFAULTS, NIGHTLY, TRUTH, Tag


@dag(
    schedule=NIGHTLY,  # paused until somebody switches it on, with CLINDEX_DOCUMENTS_PATHS set
    catchup=False,  # a pause of a month is one run: folders are compared with truth by hash, not by date
    max_active_runs=1,
    default_args=DEFAULTS,
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={
        "paths": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "minLength": 1},
            description="Folders, files or URLs; none: those of CLINDEX_DOCUMENTS_PATHS. Airflow keeps and shows what is written here.",
        ),
        "kind": Param(None, type=["null", "string"], description="Kind of each document of which nothing else says it."),
        "access": Param(None, type=["null", "string"], description="Access label of each document of which nothing else says it."),
    },
    doc_md="""### Nightly ingestion of the site's documents
Lists the site's folders and object stores, lands every file, reads those that changed (PDFs, scans, Office files and texts; each in a process of
its own with limits), tombstones what vanished from a folder that was listed whole, and updates the asset `clindex_truth`, on which
`index_documents` runs. Batches are about equal in bytes.

**Red** means that files failed or a folder could not be listed whole; what was read is kept and indexed all the same, and the next run tries the
rest again. To write documents anew although nothing changed, use `reindex`.
""",
)
def ingest_documents() -> None:
    @task
    def fetch(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs import steps

        return steps.fetch_documents(**{name: params[name] for name in ("paths", "kind", "access")})

    @task
    def batches(found: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"fetched": found["fetched"], "within": within} for within in found["batches"]]

    @task(max_active_tis_per_dagrun=2, map_index_template="{{ batch_name }}")  # each reads pages on every core by itself
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


ingest_documents()
