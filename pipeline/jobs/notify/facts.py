"""What there is to tell of some runs: read from truth, judged by ``findings``, put together here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.errors import UsageError
from pipeline.domain.vocabulary import RunKind
from pipeline.jobs.freshness import freshness
from pipeline.jobs.metrics.model import label
from pipeline.jobs.notify.findings import of_run, stale
from pipeline.jobs.notify.model import Finding, Message, ToldRun, Topic
from pipeline.jobs.report.queries import failure_groups
from pipeline.settings import Settings
from pipeline.storage import runs
from pipeline.storage.runs import Run

# A person may name a DAG run by hand, with anything.
_DAG_RUN: Final = re.compile(r"[A-Za-z0-9_.:+~-]{1,250}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class AirflowRun:
    """A DAG run that ended.

    Attributes:
        kinds: Runs of ours that the DAG makes, by kind.
        since: When it began; ``None``: Airflow does not say, and the last run of each kind is meant.
    """

    dag: str
    dag_run: str
    kinds: tuple[str, ...]
    failed: bool
    since: datetime | None


def message_of(
    tx: Connection, settings: Settings, told: Sequence[Run], *, now: datetime, airflow: AirflowRun | None = None
) -> Message | None:
    """Return the one message about these runs (see ``runs_of``, ``named``); ``None``: there is nothing to tell."""
    failures = {run.run_id: _failures(tx, run) for run in told}
    found = [finding for run in told for finding in of_run(run, failures[run.run_id])]
    if any(run.kind == RunKind.INGEST for run in told):
        found += stale(freshness(tx, objective_hours=settings.status_max_age_hours, now=now))
    return compose(settings, told, failures, found, airflow)


def compose(
    settings: Settings, told: Sequence[Run], failures: dict[UUID, dict[str, int]], found: Sequence[Finding], airflow: AirflowRun | None
) -> Message | None:
    """Put a message together: a pure function. Of a DAG run that failed there is always something to tell."""
    wanted = [one for one in found if one.topic.value in settings.notify_on]
    if airflow is not None and airflow.failed and not found and Topic.INCOMPLETE.value in settings.notify_on:
        wanted.append(_unexplained(told))
    if not wanted:
        return None
    what = ", ".join(dict.fromkeys(one.topic.value for one in wanted))
    name = airflow.dag if airflow else ", ".join(dict.fromkeys(one.run for one in wanted if one.run)) or "home"
    address = settings.public_url
    return Message(
        subject=f"Clindex {name}: {what}",
        dag=airflow.dag if airflow else None,
        dag_run=airflow.dag_run if airflow and _DAG_RUN.match(airflow.dag_run) else None,
        runs=[_told(run, failures.get(run.run_id, {})) for run in told],
        findings=wanted,
        report=f"{address.rstrip('/')}/report" if address else None,
    )


def runs_of(tx: Connection, airflow: AirflowRun) -> list[Run]:
    """Return the runs of a DAG run, oldest first, without those that a later one of their kind made up for (see ``superseded``)."""
    if airflow.since is None:
        return [run for kind in airflow.kinds if (run := runs.latest_run(tx, kind)) is not None]
    begun = runs.begun_since(tx, airflow.kinds, airflow.since)
    ours = (
        begun if airflow.failed else [run for run in begun if run.state != "running"]
    )  # of a green DAG run none goes on: it is somebody else's
    return superseded(ours)


def superseded(found: Sequence[Run]) -> list[Run]:
    """Leave out runs that broke off and were tried again, and comparisons before a repair's own."""
    last: dict[str, datetime] = {}
    for run in found:
        if run.state in ("success", "incomplete"):
            last[run.kind] = max(run.started_at, last.get(run.kind, run.started_at))
    again = {
        run.run_id for run in found if run.state not in ("success", "incomplete") and run.started_at < last.get(run.kind, run.started_at)
    }
    compared = [run for run in found if run.kind == RunKind.RECONCILE]
    return [run for run in found if run.run_id not in again and (run.kind != RunKind.RECONCILE or run is compared[-1])]


def named(tx: Connection, ids: Sequence[UUID]) -> list[Run]:
    """Return these runs; without ids the last run of each kind that has ended.

    Raises:
        UsageError: There is no run of such an id.
    """
    if not ids:
        return [run for kind in RunKind if (run := runs.latest_ended(tx, kind)) is not None]
    found = [(run_id, runs.get_run(tx, run_id)) for run_id in ids]
    if missing := [run_id for run_id, run in found if run is None]:
        raise UsageError(f"there is no run {missing[0]}", remedy="`clindex status` and `clindex report` name runs.")
    return [run for _, run in found if run is not None]


def _failures(tx: Connection, run: Run) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for _, category, count in failure_groups(tx, run.run_id):
        counts[label(category)] += count
    return dict(counts)


def _told(run: Run, failures: dict[str, int]) -> ToldRun:
    return ToldRun(
        run_id=str(run.run_id),
        kind=label(run.kind),
        state=label(run.state),
        started_at=run.started_at,
        finished_at=run.finished_at,
        failures=failures,
    )


def _unexplained(told: Sequence[Run]) -> Finding:
    says = "A task failed beside the runs, which ended well" if told else "It failed before a run of ours began"
    return Finding(topic=Topic.INCOMPLETE, run=None, says=f"{says}: the task's log in Airflow says why.")
