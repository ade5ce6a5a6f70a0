"""Dates that may be known to the year or month alone, as the first and the last day that they may mean."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import Final

_PARTIAL: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?\Z", re.ASCII)


def day_number(day: date) -> int:
    """Return a day as one number that grows with time: 17 May 2031 is 20310517."""
    return day.year * 10_000 + day.month * 100 + day.day


def days_of(value: str | None) -> tuple[int, int] | None:
    """Return the first and the last day that an ISO 8601 date, year-month or year may mean; ``None`` for what is no date."""
    match = _PARTIAL.match(value or "")
    if match is None:
        return None
    year, month, day = (None if part is None else int(part) for part in match.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
        last = date(first.year, month or 12, day or monthrange(first.year, month or 12)[1])
    except ValueError:
        return None
    return day_number(first), day_number(last)
