"""From which day a document's time counts, and the last day on which it is kept."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.domain.retention import RetentionRule, RetentionRules, end_of, last_day_kept


@pytest.mark.parametrize(
    ("partial", "end"),
    [
        ("2019-03-05", date(2019, 3, 5)),
        ("2019-02", date(2019, 2, 28)),
        ("2020-02", date(2020, 2, 29)),
        ("2019", date(2019, 12, 31)),
        ("2023-02-30", date(2023, 2, 28)),  # a sidecar's pattern lets it pass
        ("1900", date(1900, 12, 31)),
    ],
)
def test_a_partial_date_counts_from_its_end(partial: str, end: date):
    assert end_of(partial) == end


@pytest.mark.parametrize("partial", [None, "", "1019-03-05", "1899", "2019-13", "2019-00", "2019-03-00", "2019-03-05T10", "soon", "٢٠١٩"])
def test_what_is_no_date_or_a_slip_of_the_pen_counts_as_none(partial: str | None):
    assert end_of(partial) is None


@pytest.mark.parametrize(
    ("start", "years", "last"),
    [
        (date(2019, 3, 5), 7, date(2026, 3, 5)),
        (date(2020, 2, 29), 7, date(2027, 3, 1)),  # later, not earlier
        (date(2020, 2, 29), 8, date(2028, 2, 29)),
        (date(2019, 12, 31), 7, date(2026, 12, 31)),
        (date(9998, 1, 1), 7, date.max),
    ],
)
def test_a_document_is_kept_up_to_its_anniversary(start: date, years: int, last: date):
    assert last_day_kept(start, years) == last


def rules() -> RetentionRules:
    return RetentionRules(
        (
            RetentionRule(("note",), ("public",), None, "shown to all"),
            RetentionRule(("note", "lab_report"), (), 7, "law"),
            RetentionRule(("trial",), (), None, "public"),
        )
    )


@pytest.mark.parametrize(
    ("kind", "access", "years"), [("note", "public", None), ("note", "internal", 7), ("note", None, 7), ("trial", None, None)]
)
def test_the_first_rule_that_concerns_a_document_holds(kind: str, access: str | None, years: int | None):
    rule = rules().rule_for(kind, access)
    assert rule is not None
    assert rule.keep_years == years


def test_what_no_rule_concerns_is_kept():
    assert rules().rule_for("paper", None) is None
    assert rules().limited_kinds == ["lab_report", "note"]
