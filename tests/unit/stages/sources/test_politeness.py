from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipeline.stages.sources.politeness import Pacer, retry_after_seconds

NOW = datetime(2024, 6, 1, 12, 0, tzinfo=UTC)


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sleeps: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pacer(clock: Clock) -> Pacer:
    return Pacer(30, sleep=clock.sleep, monotonic=lambda: clock.now)


def test_the_first_request_goes_at_once_and_others_keep_their_distance(pacer: Pacer, clock: Clock):
    for _ in range(4):
        pacer.wait()
    assert clock.sleeps == [2.0, 2.0, 2.0]


def test_time_spent_elsewhere_counts(pacer: Pacer, clock: Clock):
    pacer.wait()
    clock.now += 1.5
    pacer.wait()
    assert clock.sleeps == [0.5]


def test_idle_time_earns_no_burst(pacer: Pacer, clock: Clock):
    pacer.wait()
    clock.now += 60
    pacer.wait()
    pacer.wait()
    assert clock.sleeps == [2.0]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("Sat, 01 Jun 2024 12:01:00 GMT", 60.0),
        ("Sat, 01 Jun 2024 12:01:00 -0000", 60.0),
        ("Sat, 01 Jun 2024 14:01:00 +0200", 60.0),
        ("Fri, 31 May 2024 12:00:00 GMT", 0.0),
    ],
)
def test_reads_seconds_and_dates(value: str, seconds: float):
    assert retry_after_seconds(value, now=NOW) == seconds


@pytest.mark.parametrize("value", [None, "", "soon", "-1", "1.5", "1e9", "９", "99999999999999999999", "Sat, 99 Jun 2024 12:01:00 GMT"])
def test_what_cannot_be_read_says_nothing(value: str | None):
    assert retry_after_seconds(value, now=NOW) is None
