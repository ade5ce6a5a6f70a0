"""Deletes what the retention rules say is over, with proof, and verifies the certificates of everything that was ever deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.sdk import Param, dag, task
from clindex_airflow.approval import approval
from clindex_airflow.checking import start_check
from clindex_airflow.wiring import DEFAULTS, INDEX_POOL, WEEKLY, Tag, told

ANSWER_WITHIN = timedelta(days=3)  # over a long weekend


@dag(
    schedule=WEEKLY,
    catchup=False,
    max_active_runs=1,
    default_args=DEFAULTS,
    **told("delete"),
    tags=[Tag.CLINDEX, Tag.WEEKLY],
    params={
        "dry_run": Param(False, type="boolean", description="Only say what has expired, and verify the certificates."),
        "ask": Param(
            True, type="boolean", description="Where so large a share has expired that the guard refuses: ask a person. Off: red."
        ),
    },
    doc_md="""### Retention
Goes on with deletions that were killed, finds documents whose time is over by the rules (`CLINDEX_RETENTION_RULES`; 7 years for clinical
kinds), deletes and certifies them, and verifies the certificates: the whole chain, and a sample of what they say is gone. What a legal hold
names is kept. Start it once with *dry run* before you switch it on, and after each change of the rules: task **find** says what would go.

If a larger share than `CLINDEX_MAX_DELETE_SHARE` has expired, task **ask** waits three days for a person, under *Required Actions*; nobody
answers: rejected. **Red** means: a deletion has no certificate yet, or something that was certified to be gone is back
(`clindex certificate verify` says what).
""",
)
def retention() -> None:
    @task(pool=INDEX_POOL)
    def find() -> dict[str, Any]:
        from pipeline.jobs.steps import retention as steps_retention

        return steps_retention.find()

    @task.branch
    def decide(found: dict[str, Any], params: dict[str, Any]) -> str:
        from pipeline.jobs.steps import retention as steps_retention

        return steps_retention.next_task(found, dry_run=bool(params["dry_run"]), ask=bool(params["ask"]))

    @task(pool=INDEX_POOL, trigger_rule="none_failed_min_one_success")
    def delete(found: dict[str, Any], answer: dict[str, Any] | None) -> dict[str, Any]:
        from pipeline.jobs.steps import retention as steps_retention

        return steps_retention.delete(found, answer)

    @task(pool=INDEX_POOL, trigger_rule="all_done")
    def verify() -> dict[str, Any]:
        from pipeline.jobs.steps import retention as steps_retention

        return steps_retention.verify()

    @task(trigger_rule="none_failed")
    def judge(found: dict[str, Any], deleted: dict[str, Any] | None, verified: dict[str, Any]) -> None:
        from pipeline.jobs.steps import retention as steps_retention

        steps_retention.judge(found, deleted, verified)

    ask = approval("find", within=ANSWER_WITHIN, kept_with="deletion")
    found = find()
    deleted = delete(found, ask.output)
    verified = verify()
    start_check() >> found
    decide(found) >> [ask, deleted, verified]
    deleted >> verified
    judge(found, deleted, verified)


retention()
