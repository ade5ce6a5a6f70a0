"""Moving a date: the form stays, intervals stay, what is not certain is not moved."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis.strategies import dates, integers, sampled_from

from pipeline.stages.deidentify.date_shift import MAX_DAYS, days_for, shift

FIRST_YEAR = 1936


@pytest.mark.parametrize(
    ("written", "days", "moved"),
    [
        ("12-Mar-2024", 21, "2-Apr-2024"),
        ("2/5/23", 30, "3/7/23"),
        ("02/05/2023", -40, "12/27/2022"),
        ("10/12/2023", 25, "11/06/2023"),
        ("2023-11-30", 1, "2023-12-01"),
        ("2023-11-30T08:15:00Z", 2, "2023-12-02T08:15:00Z"),
        ("20231130", -364, "20221201"),
        ("202311300815", 1, "202312010815"),
        ("05JAN2022", 30, "04FEB2022"),
        ("Jan 22nd, 2022", 10, "Feb 1st, 2022"),
        ("JANUARY 9, 2022", 31, "FEBRUARY 9, 2022"),
        ("9. Januar 2022", 60, "10. März 2022"),
        ("9 août 2022", 30, "8 septembre 2022"),
        ("Sept 3 '19", 40, "Oct 13 '19"),
        ("25/1/2022", 10, "4/2/2022"),  # 25 can only be a day
        ("2022年1月9日", 30, "2022年2月8日"),
        ("Monday, January 10, 2022", 1, "January 11, 2022"),  # a weekday is not kept
        ("28 February 2024", 1, "29 February 2024"),
        ("28 February 2023", 1, "1 March 2023"),
        ("5/6", 10, "5/16"),
        ("4th of July", 18, "22nd of July"),
    ],
)
def test_a_date_moves_and_keeps_its_form(written: str, days: int, moved: str) -> None:
    assert shift(written, days, first_year=FIRST_YEAR) == moved


@pytest.mark.parametrize(
    "written",
    [
        "March 2024",
        "3/2024",
        "Sept '19",
        "Mar-24",  # a day or a year
        "UNK-MAR-2024",
        "3-7 March 2024",
        "12-14/03/2024",
        "Christmas 2023",
        "March fifth twenty twenty-four",
        "5 March twenty twenty-four",
        "spring of 2019",
        "1931",
        "30/2/2024",
        "February 30, 2024",
        "14/14/2024",
        "9999-12-31",
        "28 February",  # one day later is not the same day in every year
        "1er mai 2024",  # its suffix belongs to the first alone
        "on 3/7/24",
        "",
    ],
)
def test_what_is_not_certain_is_not_moved(written: str) -> None:
    assert shift(written, 1, first_year=FIRST_YEAR) is None


def test_an_outcome_that_tells_an_age_over_89_is_refused() -> None:
    assert shift("2 January 1936", 3, first_year=1936) == "5 January 1936"
    assert shift("2 January 1936", -3, first_year=1936) is None
    assert shift("2 January 1890", 3) is None


def test_the_order_of_day_and_month_is_a_parameter() -> None:
    assert shift("3/7/24", 1, first_year=FIRST_YEAR) == "3/8/24"
    assert shift("3/7/24", 1, month_first=False, first_year=FIRST_YEAR) == "4/7/24"
    assert shift("13/7/24", 1, month_first=True, first_year=FIRST_YEAR) == "14/7/24"


def test_intervals_stay() -> None:
    days = days_for(b"secret", "P-1")
    first, second = date(2023, 12, 20), date(2024, 3, 2)
    moved = [date.fromisoformat(shift(each.isoformat(), days, first_year=FIRST_YEAR) or "") for each in (first, second)]
    assert moved[1] - moved[0] == second - first
    assert moved[0] == first + timedelta(days)


@given(
    day=dates(date(1950, 1, 1), date(2060, 12, 31)),
    days=integers(-MAX_DAYS, MAX_DAYS),
    form=sampled_from(["%Y-%m-%d", "%Y%m%d", "%d%b%Y", "%m/%d/%Y", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y"]),
)
def test_the_moved_date_is_the_date_that_many_days_later_in_every_form(day: date, days: int, form: str) -> None:
    moved = shift(day.strftime(form), days, first_year=FIRST_YEAR)
    assert moved is not None
    assert datetime.strptime(moved, form).date() == day + timedelta(days)


def test_a_shift_is_the_patients_and_the_secrets() -> None:
    assert days_for(b"one", "P-1") == days_for(b"one", "P-1")
    assert len({days_for(b"one", f"P-{number}") for number in range(50)}) > 30
    assert [days_for(b"one", f"P-{number}") for number in range(5)] != [days_for(b"two", f"P-{number}") for number in range(5)]


def test_a_shift_is_never_zero_and_less_than_a_year() -> None:
    shifts = {days_for(b"secret", str(number)) for number in range(20_000)}
    assert 0 not in shifts
    assert (min(shifts), max(shifts)) == (-MAX_DAYS, MAX_DAYS)


def test_without_a_secret_there_is_no_shift() -> None:
    with pytest.raises(ValueError, match="secret"):
        days_for(b"", "P-1")
