"""Two runs of one DAG, or of two, at the same time in processes of their own: whatever the order, the next night ends as after one run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipeline.testing import night_jobs as jobs
from pipeline.testing.kills import Job, at_once
from tests.chaos.harness import FULL, Scenario, Trials
from tests.chaos.scenarios import INDEX, INGEST, NIGHT, REPAIR

TIMES = 5 if FULL else 1
# A repair whose world moved after its plan was made refuses, as it must.
MAY_END_WITH = {None, "GuardRefusedError"}

TOGETHER: list[tuple[Scenario, tuple[Job, ...]]] = [
    (INGEST, (jobs.ingest_all, jobs.ingest_all)),
    (INDEX, (jobs.index, jobs.index)),
    (REPAIR, (jobs.repair, jobs.repair)),
    (NIGHT, (jobs.nightly, jobs.nightly)),
    (NIGHT, (jobs.ingest_all, jobs.index_anew, jobs.repair)),
]


@pytest.mark.parametrize(("scenario", "together"), TOGETHER, ids=lambda one: str(one) if isinstance(one, Scenario) else str(len(one)))
def test_at_once(scenario: Scenario, together: tuple[Job, ...], trials: Callable[[Scenario], Trials]):
    tried = trials(scenario)
    for _ in range(TIMES):
        with tried.one("at once") as home:
            assert set(at_once(home, *together)) <= MAY_END_WITH
