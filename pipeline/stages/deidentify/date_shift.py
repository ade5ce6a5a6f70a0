"""Moves dates by a number of days that is the same for all of a patient's documents. In: a date as it was written. Out: the moved one.

Kept: intervals between a patient's dates, the order and width of day, month and year, separators, the language, length and case of a
month's name, a machine's time of day. Not kept: the weekday (it is dropped, as it would give the shift away or be wrong) and the season.
Not certain, and so ``None``: a date without a day, a range of days, numbers in words, a holiday, a day that does not exist.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from pipeline.stages.deidentify.recognisers import date_forms as forms
from pipeline.stages.deidentify.recognisers.dates import oldest_year
from pipeline.stages.deidentify.recognisers.months import month_called, renamed

MAX_DAYS: Final = 364  # less than a year, as in i2b2's and MIMIC's practice: seasons and ages change little
_PURPOSE: Final = b"date shift 1\x00"  # the secret serves other purposes, too: none may be derived from another
_FORMS: Final = (
    forms.YEAR_FIRST,
    forms.YEAR_LAST,
    forms.SHORT_YEAR,
    forms.COMPACT,
    forms.DAY_FIRST,
    forms.MONTH_FIRST,
    forms.EAST_ASIAN,
    forms.NO_YEAR,
)
_WEEKDAY: Final = re.compile(rf"{forms.WEEKDAY}\.?,?\s{{1,2}}(?:the\s{{1,2}})?", re.IGNORECASE)
_ORDINALS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
# Two-digit years up to this one are of this century. Only the year 00 is sensitive to it: 2000 was a leap year, 1900 was not.
_LAST_SHORT_YEAR: Final = 68
_MONTHS: Final = 12
_COMMON_YEAR: Final = 2023
_LEAP_YEAR: Final = 2024


def days_for(secret: bytes, subject: str) -> int:
    """Return a patient's shift in days: -364..-1 or 1..364, evenly spread, by HMAC-SHA256 of the pseudonym.

    Args:
        secret: The site's secret.
        subject: The patient's pseudonym; the same in all documents.

    Raises:
        ValueError: There is no secret: anybody could undo the shift.
    """
    if not secret:
        raise ValueError("a date shift needs a secret")
    digest = hmac.new(secret, _PURPOSE + subject.encode(), hashlib.sha256).digest()
    place = int.from_bytes(digest[:8]) % (2 * MAX_DAYS)
    return place - MAX_DAYS if place < MAX_DAYS else place - MAX_DAYS + 1


def shift(text: str, days: int, *, month_first: bool = True, first_year: int | None = None) -> str | None:
    """Return the date ``text`` moved by ``days``, in the same form; ``None`` where it cannot be read with certainty.

    A date without a year is moved where it gives the same day in leap years and others.

    Args:
        text: One date and nothing else, as a recogniser found it.
        days: Days to add; may be negative.
        month_first: Whether 3/7/24 is the 7th of March. 13/7/24 is read by its only sense.
        first_year: Earliest year that may stay in the outcome; ``None``: what tells no age over 89 now. A result before it is ``None``.
    """
    first = oldest_year(datetime.now(UTC).year) if first_year is None else first_year
    weekday = _WEEKDAY.match(text)
    written = text[weekday.end() :] if weekday else text
    for form in _FORMS:
        if match := form.fullmatch(written):
            parts = _read(match, month_first=month_first)
            new = _plus(parts, days) if parts else None
            return _written(match, parts, new) if parts and new and (parts.year is None or new.year >= first) else None
    return None


@dataclass(frozen=True, slots=True)
class _Parts:
    """A date and the groups of its form that say what: (group, value)."""

    day: tuple[str, int]
    month: tuple[str, int]
    year: tuple[str, int] | None


def _read(match: re.Match[str], *, month_first: bool) -> _Parts | None:
    """One day, in digits, with its month; a year in digits or none."""
    groups = {name: value for name, value in match.groupdict().items() if value}
    if groups.keys() & {"until", "word", "unknown"}:
        return None
    year = next((name for name in ("y", "y2") if name in groups), None)
    if year and not groups[year].lstrip("'").isdecimal():
        return None
    named_year = (year, _full_year(groups[year].lstrip("'"))) if year else None
    if "mon" in groups and "d" in groups:
        if year is None and "-" in match["gap"] and match.start("mon") < match.start("d"):
            return None  # Mar-24 is a day or a year
        return _Parts(("d", int(groups["d"])), ("mon", month_called(groups["mon"]).number), named_year)
    if "m" in groups and "d" in groups:
        return _Parts(("d", int(groups["d"])), ("m", int(groups["m"])), named_year)
    first, second = ("a2", "b2") if "a2" in groups else ("a", "b")
    if first not in groups:
        return None
    one, other = (first, int(groups[first])), (second, int(groups[second]))
    is_month_first = one[1] <= _MONTHS and (month_first or other[1] > _MONTHS)
    return _Parts(other, one, named_year) if is_month_first else _Parts(one, other, named_year)


def _full_year(digits: str) -> int:
    if len(digits) > 2:
        return int(digits)
    return int(digits) + (2000 if int(digits) <= _LAST_SHORT_YEAR else 1900)


def _plus(parts: _Parts, days: int) -> date | None:
    """The moved date; without a year, in a year of either kind: ``None`` where they differ, or there is no such day."""
    years = [parts.year[1]] if parts.year else [_COMMON_YEAR, _LEAP_YEAR]
    try:
        moved = [date(year, parts.month[1], parts.day[1]) + timedelta(days) for year in years]
    except (ValueError, OverflowError):
        return None
    same = {(each.month, each.day) for each in moved}
    return moved[0] if len(same) == 1 else None


def _written(match: re.Match[str], parts: _Parts, new: date) -> str | None:
    """Put the new values where the old ones stood."""
    day, month = match[parts.day[0]], match[parts.month[0]]
    width = 2 if _is_padded(match, day, month) else 1
    values = {parts.day[0]: f"{new.day:0{width}d}"}
    if parts.month[0] == "mon":
        name = renamed(month, new.month, is_short=" " not in match.group())
        if name is None:
            return None
        values["mon"] = name
    else:
        values[parts.month[0]] = f"{new.month:0{width}d}"
    if parts.year:
        old = match[parts.year[0]]
        values[parts.year[0]] = f"{new.year:04d}" if len(old) == 4 else old[:-2] + f"{new.year % 100:02d}"
    if match.groupdict().get("ordinal"):
        suffix = _ordinal(match["ordinal"], new.day)
        if suffix is None:
            return None
        values["ordinal"] = suffix
    text = match.string
    for group, value in sorted(values.items(), key=lambda each: -match.start(each[0])):
        text = text[: match.start(group)] + value + text[match.end(group) :]
    return text


def _is_padded(match: re.Match[str], day: str, month: str) -> bool:
    """Whether 3 is written 03: a zero says so, and two digits in both places of a date in digits."""
    if day.startswith("0") or month.startswith("0") or match.re is forms.COMPACT:
        return True
    return month.isdecimal() and len(day) == len(month) == 2


def _ordinal(old: str, day: int) -> str | None:
    """The English suffix of ``day`` in the case of ``old``; ``None`` for other languages."""
    letters = old.strip()
    if letters.lower() not in ("st", "nd", "rd", "th"):
        return None
    suffix = _ORDINALS.get(day, "th")
    return old.replace(letters, suffix.upper() if letters.isupper() else suffix)
