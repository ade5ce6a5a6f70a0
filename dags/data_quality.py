"""Holds what is in the home against the suites of expectations, after each indexing."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.checking import start_check
from clindex_airflow.wiring import DEFAULTS, INDEX, INDEX_POOL, Tag, told


@dag(
    schedule=[INDEX],
    catchup=False,
    is_paused_upon_creation=False,  # it waits for an asset
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("quality"),
    tags=[Tag.CLINDEX, Tag.NIGHTLY],
    params={"everything": Param(False, type="boolean", description="Read every document, not a sample of CLINDEX_QUALITY_DOCUMENTS.")},
    doc_md="""### Data quality
Checks studies, documents, pages, chunks, points, FHIR resources and runs with Great Expectations against `schemas/expectations/`, compares
distributions with earlier checks, writes `reports/quality` (JSON and Data Docs) and the run report.

**Red** means: an expectation of severity `block` is broken, or documents are held back by one: `index_documents` puts no document live that
breaks one. The report names the expectation and the rows. A broken `warn` is shown in the report, and the run is green.
""",
)
def data_quality() -> None:
    @task(pool=INDEX_POOL)
    def check(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import quality as steps_quality

        return steps_quality.check(everything=bool(params["everything"]))

    @task(trigger_rule="all_done")
    def report() -> dict[str, Any]:
        from pipeline.jobs.steps import nightly as steps

        return steps.report()

    @task(trigger_rule="none_failed")
    def judge(found: dict[str, Any]) -> None:
        from pipeline.jobs.steps import quality as steps_quality

        steps_quality.judge(found)

    found = check()
    start_check() >> found
    found >> report() >> judge(found)


data_quality()
