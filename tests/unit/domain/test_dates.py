from __future__ import annotations

import pytest

from pipeline.domain.dates import days_of


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("2031-05-17", (20310517, 20310517)),
        ("2031-05-17T08:00:00Z", (20310517, 20310517)),
        ("2028-02", (20280201, 20280229)),
        ("2031", (20310101, 20311231)),
        ("2031-13", None),
        ("2031-02-30", None),
        ("0000", None),
        ("17 May 2031", None),
        ("2031-05-17\n2032", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_is_the_days_that_it_may_mean(value: str | None, days: tuple[int, int] | None):
    assert days_of(value) == days
