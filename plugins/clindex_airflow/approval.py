"""A task that waits for a person: *Approve* or *Reject*, under *Required Actions*."""

from __future__ import annotations

from datetime import timedelta

from airflow.providers.standard.operators.hitl import ApprovalOperator


def approval(asker: str, *, within: timedelta) -> ApprovalOperator:
    """Return the task ``ask``: it shows the ``question`` (``subject``, ``body``) that the task ``asker`` returned.

    Nobody answers in time: rejected, and what follows is skipped.
    """
    question = f"{{{{ ti.xcom_pull(task_ids='{asker}')['question']['%s'] }}}}"
    return ApprovalOperator(task_id="ask", subject=question % "subject", body=question % "body", defaults="Reject", response_timeout=within)
