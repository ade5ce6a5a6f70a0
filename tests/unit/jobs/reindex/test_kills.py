"""Killed between any two writes, a home serves one collection complete, and the next commands finish the work."""

from __future__ import annotations

import shutil

import pytest

from pipeline.jobs.index import run_index
from pipeline.jobs.reconcile import run_reconcile
from pipeline.settings import Settings
from pipeline.storage import collections
from pipeline.testing.collections import build_and_promote, recut, retire_at_once
from pipeline.testing.homes import copy_of
from pipeline.testing.kills import kill_at
from pipeline.testing.night_jobs import hashing_services
from pipeline.testing.readers import Served, served
from pipeline.wiring import Services

FIRST, SECOND = "clindex", "clindex-2"
EVERY = 4  # of the writes of a build; all of the last ones, where roles and pointer change
LAST = 6


def live_name(services: Services) -> str:
    with services.db.read() as tx:
        record = collections.live(tx)
    assert record is not None
    return record.name


def looked_at(settings: Settings) -> tuple[str, Served]:
    with hashing_services(recut(settings)) as services:
        return live_name(services), served(services)


def copied(settings: Settings, name: str) -> Settings:
    return copy_of(settings, settings.home.parent / name)


@pytest.mark.slow
def test_a_promotion_killed_anywhere(small: Settings):
    old = looked_at(small)[1]
    whole = copied(small, "whole")
    writes = kill_at(whole, build_and_promote, None)
    assert writes is not None
    name, new = looked_at(whole)
    assert name == SECOND
    assert old != new
    for at in sorted({*range(0, len(writes), EVERY), *range(len(writes) - LAST, len(writes))}):
        home = copied(small, f"at-{at}")
        assert kill_at(home, build_and_promote, at) is None
        name, seen = looked_at(home)
        assert seen == (old if name == FIRST else new), at
        if name == FIRST:
            build_and_promote(home)
        with hashing_services(recut(home)) as services:
            assert run_index(services).points_written == 0, at
            assert (live_name(services), services.catalog.pointed(FIRST)) == (SECOND, SECOND), at
            assert services.catalog.names() == [FIRST, SECOND], at
            assert served(services) == new, at
            assert run_reconcile(services).clean, at
        shutil.rmtree(home.home)


@pytest.mark.slow
def test_a_retirement_killed_anywhere(small: Settings):
    build_and_promote(small)
    new = looked_at(small)[1]
    writes = kill_at(copied(small, "whole"), retire_at_once, None)
    assert writes is not None
    for at in range(len(writes)):
        home = copied(small, f"at-{at}")
        assert kill_at(home, retire_at_once, at) is None
        retire_at_once(home)
        with hashing_services(recut(home)) as services:
            assert services.catalog.names() == [SECOND], at
            assert served(services) == new, at
            with services.db.read() as tx:
                assert [(one.role.value, one.retired_at is None) for one in collections.listed(tx)] == [("live", True), ("retired", False)]
        shutil.rmtree(home.home)
