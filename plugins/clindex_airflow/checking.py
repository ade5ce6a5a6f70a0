"""The first task of every DAG."""

from __future__ import annotations

from typing import Any

from airflow.sdk import task


@task
def start_check() -> dict[str, Any]:
    """Compare index and database cheaply. Drift is logged and stops nothing; a missing collection or a foreign model fails here, at once."""
    from pipeline.jobs.steps import start as steps_start

    return steps_start.start_check()
