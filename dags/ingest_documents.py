"""Nightly ingestion of the site's documents into truth."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.checking import start_check
from clindex_airflow.ingesting import judge, take
from clindex_airflow.wiring import DEFAULTS, NIGHTLY, Tag, told


@dag(
    schedule=NIGHTLY,  # paused until somebody switches it on, with CLINDEX_DOCUMENTS_PATHS set
    catchup=False,  # a pause of a month is one run: folders are compared with truth by hash, not by date
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("ingest_documents"),
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
        from pipeline.jobs.steps import nightly as steps

        return steps.fetch_documents(**{name: params[name] for name in ("paths", "kind", "access")})

    found = fetch()
    start_check() >> found
    judge(take(found, at_once=2))  # each reads pages on every core by itself


ingest_documents()
