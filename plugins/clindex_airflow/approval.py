"""A task that waits for a person: *Approve* or *Reject*, under *Required Actions*."""

from __future__ import annotations

from datetime import timedelta

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Param


def approval(asker: str, *, within: timedelta, kept_with: str | None = None) -> ApprovalOperator:
    """Return the task ``ask``: it shows the ``question`` (``subject``, ``body``) that the task ``asker`` returned.

    Nobody answers in time: rejected, and what follows is skipped. ``kept_with``: the person may say why, and it is kept with this.
    """
    question = f"{{{{ ti.xcom_pull(task_ids='{asker}')['question']['%s'] }}}}"
    return ApprovalOperator(
        task_id="ask",
        subject=question % "subject",
        body=question % "body",
        params={"reason": Param("", type="string", description=f"Why; kept with the {kept_with}.")} if kept_with else None,
        defaults="Reject",
        response_timeout=within,
    )
