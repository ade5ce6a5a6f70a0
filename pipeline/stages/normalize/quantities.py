"""The registry's words for ages and dates: text in, days and sortable dates out."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from pipeline.domain.study import Age, DatePrecision, PartialDate

# A mean Gregorian year is 365.2425 days; 365.25 and 365.25 / 12 are the usual convention (domain.study.Age).
_DAYS: Final = {"year": 365.25, "month": 30.4375, "week": 7.0, "day": 1.0, "hour": 1 / 24, "minute": 1 / 1440}
# The OpenAPI file allows whole numbers only; older records hold decimals and lower case too.
_AGE: Final = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)\s*(year|month|week|day|hour|minute)s?", re.IGNORECASE | re.ASCII)
_DATE: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?", re.ASCII)


def read_age(text: str) -> Age:
    """Return an age limit such as ``18 Years``; ``days`` is ``None`` where the words cannot be read."""
    match = _AGE.fullmatch(text.strip())
    if match is None:
        return Age(text, None)
    return Age(text, float(match[1]) * _DAYS[match[2].lower()])


def read_partial_date(text: str, *, date_type: str | None = None) -> PartialDate | None:
    """Return a date given as ``yyyy``, ``yyyy-MM`` or ``yyyy-MM-dd``, or ``None`` where it is none."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        first = date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    precision = DatePrecision.DAY if day else DatePrecision.MONTH if month else DatePrecision.YEAR
    return PartialDate(text, precision, first, date_type)
