"""Names of months: numbers, languages, lengths."""

import pytest

from pipeline.stages.deidentify.recognisers.months import Needs, month_called, months, renamed


@pytest.mark.parametrize(
    ("name", "number"), [("January", 1), ("SEPT", 9), ("märz", 3), ("août", 8), ("dic", 12), ("Febuary", 2), ("outubro", 10)]
)
def test_a_name_has_its_number(name: str, number: int) -> None:
    assert month_called(name).number == number


@pytest.mark.parametrize(
    ("name", "needs"),
    [("october", Needs.NOTHING), ("may", Needs.COMPANY), ("mar", Needs.COMPANY), ("ago", Needs.DAY_AND_YEAR), ("avr", Needs.DAY_AND_YEAR)],
)
def test_a_name_that_is_a_word_needs_more(name: str, needs: Needs) -> None:
    assert month_called(name).needs is needs


@pytest.mark.parametrize(
    ("name", "number", "new"),
    [("March", 4, "April"), ("MAR", 4, "APR"), ("sept", 10, "oct"), ("Mai", 6, "Juni"), ("août", 9, "septembre"), ("Febuary", 5, None)],
)
def test_renaming_keeps_language_length_and_case(name: str, number: int, new: str | None) -> None:
    assert renamed(name, number) == new


def test_a_name_that_is_long_and_short_at_once_can_be_read_as_short() -> None:
    assert renamed("May", 4) == "April"
    assert renamed("MAY", 4, is_short=True) == "APR"


@pytest.mark.parametrize("name", ["", "sat", "Smarch", "."])
def test_other_words_are_no_months_and_are_not_told(name: str) -> None:
    with pytest.raises(KeyError, match="no name of a month"):
        month_called(name)


def test_languages_agree_on_a_shared_name() -> None:
    assert all(1 <= month.number <= 12 and len(month.row) == 12 for month in months().values())
    assert all(month.row[month.number - 1] == name for name, month in months().items())
