"""An index that times out, that answers twice or late, or that is away: the next run ends where one without a fault does."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, product

import pytest

from pipeline.domain.errors import StoreUnavailableError
from pipeline.jobs.reconcile import run_reconcile
from pipeline.testing import night_jobs as jobs
from pipeline.testing.faults import WRITES, IndexFault, broken_index
from tests.chaos.harness import FULL, Scenario, Trials, some_of
from tests.chaos.scenarios import ANEW, INDEX, PROMOTE, REPAIR

AT_ONE_WRITE = (IndexFault.LOST_ANSWER, IndexFault.NEVER_SENT, IndexFault.DOWN)
WRITERS = (INDEX, REPAIR, ANEW, PROMOTE)


# In the short suite each job meets one of the faults, and each fault a job.
STRUCK = list(product(WRITERS, AT_ONE_WRITE)) if FULL else list(zip(WRITERS, cycle(AT_ONE_WRITE), strict=False))


@pytest.mark.parametrize(("scenario", "fault"), STRUCK, ids=str)
def test_an_index_that_does_not_answer_at_a_write(scenario: Scenario, fault: IndexFault, trials: Callable[[Scenario], Trials]):
    tried = trials(scenario)
    writes = [name for name in tried.writes if name in WRITES]
    for at in some_of(range(len(writes)), 1, full=6):
        with tried.one(fault.value) as home, broken_index(fault, at) as breaker:
            with pytest.raises(StoreUnavailableError):
                scenario.job(home)
            assert breaker.struck > 0


def test_an_index_that_is_down_at_every_delete(trials: Callable[[Scenario], Trials]):
    """What was deleted is not shown meanwhile, and its points go with the first run that can delete."""
    with trials(INDEX).one(IndexFault.DOWN_AT_DELETE.value) as home, broken_index(IndexFault.DOWN_AT_DELETE) as breaker:
        for _ in range(2):
            with pytest.raises(StoreUnavailableError):
                INDEX.job(home)
        assert breaker.struck == 2


@pytest.mark.parametrize("scenario", some_of(WRITERS, 2), ids=str)
def test_every_write_delivered_twice(scenario: Scenario, trials: Callable[[Scenario], Trials]):
    with trials(scenario).one(IndexFault.TWICE.value) as home, broken_index(IndexFault.TWICE) as breaker:
        scenario.job(home)
        assert breaker.struck == len(breaker.writes) > 0


def test_late_copies_of_writes_that_were_replaced_since(trials: Callable[[Scenario], Trials]):
    """They are found as what they are, shown to nobody, and removed by a repair."""
    tried = trials(INDEX)
    with tried.one("late copy after a newer generation") as home:
        with broken_index(IndexFault.NONE) as breaker:
            jobs.index(home)
        jobs.index_anew(home)
        late = breaker.deliver_late()
        with jobs.hashing_services(home) as services:
            found = run_reconcile(services)
        assert sum(count for name, count in found.classes.items() if name != "ok") == late > 0
        jobs.repair(home)
