"""A disk that is full and a clock that is wrong: nothing is half done, and the next run ends as if there had been neither."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pipeline.domain.errors import StoreUnavailableError
from pipeline.testing.faults import full_database_disk, full_index_disk, full_landing_disk, moved_clock
from tests.chaos.harness import Scenario, Trials, some_of
from tests.chaos.scenarios import INDEX, INGEST, NIGHT, REPAIR

DAY = timedelta(days=1)


@pytest.mark.parametrize("scenario", [INDEX, REPAIR], ids=str)
def test_the_disk_of_the_index_is_full(scenario: Scenario, trials: Callable[[Scenario], Trials]):
    with trials(scenario).one("index's disk full") as home, full_index_disk(), pytest.raises(StoreUnavailableError):
        scenario.job(home)


@pytest.mark.parametrize("scenario", [INGEST, INDEX, REPAIR], ids=str)
def test_the_disk_of_the_database_is_full(scenario: Scenario, trials: Callable[[Scenario], Trials]):
    """With a few pages to spare, the transaction that fails is another one."""
    tried = trials(scenario)
    struck = 0
    for spare in (0, *some_of(range(1, 8), 0)):
        with tried.one("database's disk full") as home, full_database_disk(spare_pages=spare):
            try:
                scenario.job(home)
            except StoreUnavailableError:
                struck += 1
    assert struck > 0


def test_the_disk_of_the_landing_is_full(trials: Callable[[Scenario], Trials]):
    tried = trials(INGEST)
    for room in some_of(range(3), 1):
        with tried.one("landing's disk full") as home, full_landing_disk(room_for=room), pytest.raises(StoreUnavailableError):
            INGEST.job(home)


@pytest.mark.parametrize("by", [DAY, -DAY], ids=["ahead", "behind"])
def test_the_clock_is_a_day_wrong_for_a_night(by: timedelta, trials: Callable[[Scenario], Trials]):
    with trials(NIGHT).one("clock moved") as home, moved_clock(by):
        NIGHT.job(home)
