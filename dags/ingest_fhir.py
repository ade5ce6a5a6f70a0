"""Nightly ingestion of FHIR resources into truth."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.checking import start_check
from clindex_airflow.ingesting import take
from clindex_airflow.wiring import DEFAULTS, NIGHTLY, Tag, told


@dag(
    schedule=NIGHTLY,  # paused until somebody switches it on, with CLINDEX_FHIR_URL or CLINDEX_FHIR_PATHS set
    catchup=False,  # a pause of a month is one run: a server is asked for all that changed since the last complete load
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("load_fhir", "ingest_fhir"),
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={
        "full": Param(
            False,
            type="boolean",
            description="Load everything, and take what is not there any more as deleted. A server is loaded whole every CLINDEX_FHIR_FULL_DAYS anyway.",
        ),
        "paths": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "minLength": 1},
            description="Folders, files or URLs of resources; none: the server and folders of the settings. Airflow keeps and shows what is written here.",
        ),
        "types": Param(
            None,
            type=["null", "array"],
            items={"type": "string", "pattern": "^[A-Z][A-Za-z]+$"},
            description="Ask the server for resources of these types only; none: those of CLINDEX_FHIR_TYPES.",
        ),
        "access": Param(None, type=["null", "string"], description="Access label of the documents."),
    },
    doc_md="""### Nightly ingestion of FHIR resources
Loads a server's bulk export or search since its last complete load, and the folders of the settings: each resource is checked, lands, and has one
outcome. What is loaded is then listed as documents, and those that changed are taken into truth; what was deleted is tombstoned. Updates the
asset `clindex_truth`, on which `index_documents` runs.

**Red** means that a file of the export was missing or cut, an entry could not be read, a resource is quarantined, or a document failed; what was
read is kept and indexed all the same. An export that did not come whole deletes nothing, and the next run asks for the same time again.
""",
)
def ingest_fhir() -> None:
    @task(execution_timeout=timedelta(hours=14))  # an export is waited for up to CLINDEX_FHIR_EXPORT_HOURS, and then read
    def load(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import fhir as steps

        return steps.load(**{name: params[name] for name in ("full", "paths", "types")})

    @task
    def fetch(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import fhir as steps

        return steps.fetch(access=params["access"])

    @task
    def judge(loads: dict[str, Any], summary: dict[str, Any]) -> None:
        from pipeline.jobs.steps import fhir as steps

        steps.judge(loads, summary)

    loads, found = load(), fetch()
    start_check() >> loads >> found
    judge(loads, take(found, at_once=2))


ingest_fhir()
