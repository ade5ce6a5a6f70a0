"""Retry policy, tags, assets and defaults of Clindex's DAGs. Imports Airflow and the standard library only: parsing stays fast."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Any

from airflow.sdk import Asset, CronTriggerTimetable, ExceptionRetryPolicy, RetryAction, RetryRule

from clindex_airflow.notifying import RunEndedNotifier

# UTC: one run a day, also on the days that are 23 or 25 hours long elsewhere. Switching the DAG on at noon, as the trigger form does
# by default, must not start last night's run; ``start_date`` would make it so, therefore no DAG has one. Five minutes is the grace for
# a scheduler that is late.
NIGHTLY = CronTriggerTimetable("15 2 * * *", timezone="UTC", run_immediately=timedelta(minutes=5))

# Early on Sunday, when last night's index run is over.
WEEKLY = CronTriggerTimetable("45 6 * * 0", timezone="UTC", run_immediately=timedelta(minutes=5))

# One slot: the embedded index has one writer at a time, and a waiting task would only hold a worker.
# With a Qdrant server the pool may be widened: `airflow pools set clindex_index 4 ...`.
INDEX_POOL = "clindex_index"

TRUTH = Asset(name="clindex_truth", uri="clindex://truth/trials")
INDEX = Asset(name="clindex_index", uri="clindex://index/points")


class Tag(StrEnum):
    """Tags a DAG may have; a test refuses others."""

    CLINDEX = "clindex"
    NIGHTLY = "nightly"
    WEEKLY = "weekly"
    MANUAL = "manual"
    DESTRUCTIVE = "destructive"


# Errors that trying again cannot mend fail at once; passing faults wait and try again (first matching rule wins).
RETRY_BY_ERROR = ExceptionRetryPolicy(
    rules=[
        RetryRule(exception="pipeline.domain.errors.PermanentError", action=RetryAction.FAIL, reason="permanent"),
        RetryRule(
            exception="pipeline.domain.errors.TransientError",
            action=RetryAction.RETRY,
            retry_delay=timedelta(minutes=2),
            reason="transient",
        ),
    ]
)

DEFAULTS: dict[str, Any] = {
    "owner": "clindex",
    "retries": 3,  # with two minutes between them an outage of six minutes is bridged; a longer one resumes the next night
    "retry_delay": timedelta(minutes=2),
    "retry_policy": RETRY_BY_ERROR,
    # The initial load of a batch of 256 studies takes about three minutes on 2 cores; a busy machine gets room.
    "execution_timeout": timedelta(hours=2),
}


def told(*kinds: str) -> dict[str, Any]:
    """Return what a DAG is declared with so that people are told how its runs end; ``kinds``: see ``RunEndedNotifier``."""
    return {
        "on_success_callback": RunEndedNotifier(kinds, failed=False),
        "on_failure_callback": RunEndedNotifier(kinds, failed=True),
    }
