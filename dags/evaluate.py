"""Asks the judged queries every week, so that a change of data, model or settings that makes the search worse is seen, and says how much."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.checking import start_check
from clindex_airflow.wiring import DEFAULTS, INDEX_POOL, WEEKLY, Tag, told


@dag(
    schedule=WEEKLY,
    catchup=False,
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("evaluate"),
    tags=[Tag.CLINDEX, Tag.WEEKLY],
    params={
        "mode": Param("full", enum=["full", "fused", "dense", "sparse"], description="The search as users have it, or a part of it."),
        "limit": Param(100, type="integer", minimum=1, maximum=1000, description="Documents asked for a query."),
    },
    doc_md="""### Evaluate
Asks the site's judged queries (`CLINDEX_EVALUATION_QUERIES`, `CLINDEX_EVALUATION_QRELS`) as users ask them, keeps the figures in
`reports/evaluations`, and draws their trend in the report. A home that holds the samples is asked the shipped queries; without either, nothing
is asked and the run is green.

**Red** means: recall@10 or nDCG@10 is below `CLINDEX_EVALUATION_MIN_RECALL` or `CLINDEX_EVALUATION_MIN_NDCG`, or a judgement names a document
that is not there any more. `clindex evaluate --compare BEFORE AFTER` says which queries got worse.
""",
)
def evaluate() -> None:
    @task(pool=INDEX_POOL)
    def ask(params: dict[str, Any]) -> dict[str, Any]:
        from pipeline.jobs.steps import evaluate as steps_evaluate

        return steps_evaluate.ask(mode=str(params["mode"]), limit=int(params["limit"]))

    @task(trigger_rule="all_done")
    def report() -> dict[str, Any]:
        from pipeline.jobs.steps import nightly as steps

        return steps.report()

    @task(trigger_rule="none_failed")
    def judge(found: dict[str, Any]) -> None:
        from pipeline.jobs.steps import evaluate as steps_evaluate

        steps_evaluate.judge(found)

    found = ask()
    start_check() >> found
    found >> report() >> judge(found)


evaluate()
