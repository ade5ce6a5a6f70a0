from __future__ import annotations

from datetime import date

import pytest

from pipeline.domain.study import DatePrecision
from pipeline.stages.normalize.quantities import read_age, read_partial_date


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("18 Years", 18 * 365.25),
        ("1 Year", 365.25),
        ("6 Months", 6 * 30.4375),
        ("2 Weeks", 14.0),
        ("30 Days", 30.0),
        ("12 Hours", 0.5),
        ("60 Minutes", 60 / 1440),
        ("0 Days", 0.0),
        ("4.5 years", 4.5 * 365.25),
    ],
)
def test_ages_become_days(text: str, days: float):
    assert read_age(text).days == pytest.approx(days)
    assert read_age(text).text == text


@pytest.mark.parametrize("text", ["", "18", "Years", "-1 Years", "18 Jahre", "18 Years or older", "1e3 Days", "١٨ Years", "9999999 Days"])
def test_words_that_are_no_age_are_not_guessed(text: str):
    assert read_age(text).days is None


@pytest.mark.parametrize(
    ("text", "precision", "first"),
    [
        ("2024-05-17", DatePrecision.DAY, date(2024, 5, 17)),
        ("2024-05", DatePrecision.MONTH, date(2024, 5, 1)),
        ("2024", DatePrecision.YEAR, date(2024, 1, 1)),
        ("2024-02-29", DatePrecision.DAY, date(2024, 2, 29)),
    ],
)
def test_dates_keep_their_words_and_precision(text: str, precision: DatePrecision, first: date):
    value = read_partial_date(text, date_type="ESTIMATED")
    assert value is not None
    assert (value.text, value.precision, value.sort_value, value.type) == (text, precision, first, "ESTIMATED")


@pytest.mark.parametrize(
    "text", ["", "2023-02-29", "2024-13", "2024-00", "0000", "May 2024", "2024-5-1", "2024-05-17T00:00", "2024-05-17\n"]
)
def test_what_is_no_date_is_none(text: str):
    assert read_partial_date(text) is None
