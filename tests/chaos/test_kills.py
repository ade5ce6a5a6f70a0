"""Killed at any write or at any moment, a home is served old-complete or new-complete, and the next run ends where an unkilled one does."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.settings import Settings
from pipeline.testing import night_jobs as jobs
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import kill_after, kill_at
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.readers import served
from tests.chaos.corpus import hand_in, study
from tests.chaos.harness import FULL, SEED, TALLY, Scenario, Trials, some_of, state_of
from tests.chaos.scenarios import SCENARIOS

MOMENTS = 6 if FULL else 1  # random kills a scenario; in the short suite of two scenarios


@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_killed_at_a_write(scenario: Scenario, trials: Callable[[Scenario], Trials]):
    tried = trials(scenario)
    for at in some_of(range(len(tried.writes)), 1):
        with tried.one("killed at a write") as home:
            assert kill_at(home, scenario.job, at) is None, tried.writes[at]


@pytest.mark.parametrize("scenario", some_of(SCENARIOS, 2), ids=str)
def test_killed_at_any_moment(scenario: Scenario, trials: Callable[[Scenario], Trials]):
    tried = trials(scenario)
    rng = random.Random(f"{SEED} {scenario}")
    with tried.one(None) as home:
        start = time.monotonic()
        kill_at(home, scenario.job, None)
        seconds = time.monotonic() - start
    for _ in range(MOMENTS):
        with tried.one("killed at a moment") as home:
            kill_after(home, scenario.job, rng.uniform(0, seconds))


def test_killed_while_a_home_is_made(small_home: Settings, work: Path):
    def fresh(name: str) -> Settings:
        return small_home.model_copy(update={"home": work / name})

    writes = kill_at(fresh("unkilled"), jobs.make, None) or []
    assert set(writes) >= {"commit", "create", "make_shard", "write_spec"}
    for at in some_of(range(len(writes)), 1):
        settings = fresh(f"killed-{at}")
        assert kill_at(settings, jobs.make, at) is None
        TALLY.runs += 1
        TALLY.faults["killed at a write"] += 1
        for job in (jobs.make, lambda home: hand_in(home, study(1)), jobs.ingest_all, jobs.index):
            job(settings)
        with hashing_services(settings) as services:
            assert len(state_of(services).served) == 1


def test_a_collection_that_was_lost_is_written_again_by_init_and_index(small_home: Settings, work: Path):
    home = copy_of(small_home, work / "home")
    with hashing_services(home) as services:
        wanted = state_of(services)
    shutil.rmtree(home.index_folder)
    with hashing_services(home) as services:
        assert served(services) == {}
    jobs.make(home)
    jobs.index(home)
    with hashing_services(home) as services:
        assert state_of(services) == wanted
