"""The last tasks of a candidate collection: the gate, a person, the switch."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from airflow.sdk import task

from clindex_airflow.approval import approval
from clindex_airflow.wiring import INDEX, INDEX_POOL

ANSWER_WITHIN: Final = timedelta(hours=20)  # a verdict is believed for 24 hours


@task.short_circuit(pool=INDEX_POOL, ignore_downstream_trigger_rules=False)
def gate(planned: dict[str, Any], summary: dict[str, Any]) -> dict[str, Any]:
    """Judge the candidate once it is filled; where there is none to judge, nobody is asked."""
    from pipeline.jobs.steps import reindex as steps_reindex

    _ = summary
    return steps_reindex.gate(planned)


@task(pool=INDEX_POOL, outlets=[INDEX])
def promote() -> dict[str, Any]:
    """Make it the live collection."""
    from pipeline.jobs.steps import reindex as steps_reindex

    return steps_reindex.promote()


def go_live(planned: Any, summary: Any) -> Any:
    """Wire them behind the task that ends the index run; returns the last one."""
    promoted = promote()
    gate(planned, summary) >> approval("gate", within=ANSWER_WITHIN) >> promoted
    return promoted
