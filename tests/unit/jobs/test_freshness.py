from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from pipeline.jobs.freshness import measure
from pipeline.storage.freshness import Confirmation

NOW = datetime(2031, 5, 17, 2, 0, tzinfo=UTC)


def _confirmed(hours: float, *, source: str = "clinicaltrials.gov", outdated: bool = False) -> Confirmation:
    return Confirmation(uuid4(), source, "RECRUITING", NOW - timedelta(hours=hours), outdated)


@pytest.mark.parametrize(("hours", "breaches"), [(0, 0), (36, 0), (36.1, 1), (1000, 1)])
def test_a_status_older_than_the_objective_is_a_breach(hours: float, breaches: int) -> None:
    found = measure([_confirmed(hours)], objective_hours=36, now=NOW)
    assert (found.recruiting, found.breaches, found.outdated, found.oldest_hours) == (1, breaches, 0, hours)


def test_a_status_known_to_be_outdated_is_a_breach_however_young() -> None:
    found = measure([_confirmed(1, outdated=True), _confirmed(1)], objective_hours=36, now=NOW)
    assert (found.recruiting, found.breaches, found.outdated) == (2, 1, 1)


def test_sources_are_counted_apart_and_together() -> None:
    found = measure([_confirmed(2), _confirmed(50), _confirmed(3, source="another")], objective_hours=36, now=NOW)
    assert (found.recruiting, found.breaches, found.oldest_hours) == (3, 1, 50.0)
    assert {name: (one.recruiting, one.breaches, one.oldest_hours) for name, one in found.by_source.items()} == {
        "another": (1, 0, 3.0),
        "clinicaltrials.gov": (2, 1, 50.0),
    }


def test_every_study_is_in_one_bin_and_the_last_has_no_end() -> None:
    ages = [0, 8.9, 9, 35.9, 36, 107.9, 108, 5000]
    found = measure([_confirmed(age) for age in ages], objective_hours=36, now=NOW)
    assert {one.from_hours: one.count for one in found.ages if one.count} == {0: 2, 9: 1, 27: 1, 36: 1, 99: 1, 108: 2}
    assert (found.ages[-1].to_hours, len(found.ages)) == (None, 13)


def test_a_home_without_recruiting_studies_has_no_oldest() -> None:
    found = measure([], objective_hours=36, now=NOW)
    assert (found.recruiting, found.breaches, found.oldest_hours, found.by_source) == (0, 0, None, {})
