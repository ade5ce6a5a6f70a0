"""Where a home stands, with a cheap check of index against truth."""

from __future__ import annotations

from pipeline.jobs.deletion.facts import deletion_facts, hold_facts
from pipeline.jobs.freshness import freshness
from pipeline.jobs.start_check import start_check
from pipeline.jobs.summaries import StatusSummary
from pipeline.storage import index_state, runs
from pipeline.storage.migrations import current_revision
from pipeline.wiring import Services, utc_now


def status(services: Services) -> StatusSummary:
    """Describe the home. ``drift_check`` is the verdict of the cheap check; ``reconcile`` is the proof."""
    with services.db.begin() as tx:
        runs.close_dead(tx, utc_now())
    with services.db.read() as tx:
        documents = index_state.state_counts(tx, collection=services.collection)
        latest = runs.latest_runs(tx, limit=5)
        ages = freshness(tx, objective_hours=services.settings.status_max_age_hours, now=utc_now())
        gone, held = deletion_facts(tx), hold_facts(tx)
    check = start_check(services)
    return StatusSummary.model_validate(
        {
            "schema": current_revision(services.db) or "",
            "collection": services.collection,
            "documents": documents,
            "points": check.points,
            "expected_points": check.expected_points,
            "drift_check": check.verdict,
            "start_check": check,
            "last_runs": [
                {"run_id": str(run.run_id), "kind": run.kind, "state": run.state, "started_at": run.started_at.isoformat()}
                for run in latest
            ],
            "deletions": gone,
            "holds": held,
            "freshness": ages,
            "home": str(services.settings.home.absolute()),
        }
    )
