"""What follows a listing in every DAG that ingests: batches, taking them into truth, the end, the verdict."""

from __future__ import annotations

from typing import Any

from airflow.sdk import Metadata, XComArg, get_current_context, task

from clindex_airflow.wiring import TRUTH


@task
def batches(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each mapped task gets."""
    return [{"fetched": found["fetched"], "within": within} for within in found["batches"]]


@task(map_index_template="{{ batch_name }}")
def normalize(batch: dict[str, Any]) -> dict[str, Any]:
    """Take one stretch of changed records into truth."""
    from pipeline.jobs.steps import nightly as steps

    get_current_context()["batch_name"] = f"{batch['within']['first']} to {batch['within']['last']}"  # type: ignore[typeddict-unknown-key]
    return steps.normalize_batch(batch["fetched"], batch["within"])


@task(trigger_rule="all_done", outlets=[TRUTH])
def complete(found: dict[str, Any] | None, results: list[dict[str, Any]]) -> Any:
    """End the ingestion, and tell the DAGs that wait for truth."""
    from pipeline.jobs.steps import nightly as steps

    summary = steps.complete_ingest(found, list(results[:]) if results else [])
    yield Metadata(TRUTH, extra={"run_id": summary["run_id"], "changed": summary["changed"] + summary["new"]})
    return summary


@task
def judge(summary: dict[str, Any]) -> None:
    """Make an incomplete ingestion red."""
    from pipeline.jobs.steps import nightly as steps

    steps.judge_ingest(summary)


def take(found: XComArg, *, at_once: int) -> XComArg:
    """Wire the tasks after ``found``, a listing, up to its end; ``judge`` or one of its kind comes last.

    Args:
        found: What ``steps.fetch_trials`` or ``steps.fetch_documents`` returned.
        at_once: Batches that are worked on side by side.

    Returns:
        What ``complete`` returns.
    """
    taken = normalize.override(max_active_tis_per_dagrun=at_once).expand(batch=batches(found))
    summary: XComArg = complete(found, taken)
    return summary
