"""The closed shapes of facts, and dates to ISO. A value that has not the shape of its scheme is no fact."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from typing import Final

from pipeline.lexicons import entries
from pipeline.stages.identify.facts import FactScheme

#: A sponsor's number: letters and digits in parts. Seen: 205801, CA116001, MK-3475-189, 3000-02-005, D419QC00001, I8F-MC-GPGM, B9991003, 1386-0015.
#: A hyphen at a line end may have a blank after it.
PROTOCOL_VALUE: Final = r"(?=[\w/.-]{0,30}\d)[A-Z0-9][A-Za-z0-9]{0,14}(?:(?:-[ \n](?=[A-Z0-9]{2})|[-/_.])[A-Za-z0-9]{1,14}){0,4}"
NUMBER_VALUE: Final = r"\d{1,2}(?:\.\d{1,2}){0,2}"
REFERENCE_VALUE: Final = r"(?:[A-Z]{1,3}-?)?\d{1,5}(?:\.\d{1,3}){0,2}[a-z]?(?:-[A-Z0-9]{1,2})?"

_ISO_DATE: Final = r"(?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?"
SHAPES: Final = {
    FactScheme.PROTOCOL_NUMBER: re.compile(r"(?=.{3,30}\Z)[A-Z0-9][A-Za-z0-9]*(?:[-/_.][A-Za-z0-9]+)*\Z", re.ASCII),
    FactScheme.AMENDMENT: re.compile(r"(?:\d{1,2}(?:\.\d{1,2})?|[a-z])\Z", re.ASCII),
    FactScheme.VERSION: re.compile(NUMBER_VALUE + r"\Z", re.ASCII),
    FactScheme.NCT_ID: re.compile(r"NCT\d{8}\Z", re.ASCII),
    FactScheme.EU_NUMBER: re.compile(r"20\d\d-\d{6}-\d\d(?:-\d\d)?\Z", re.ASCII),
    FactScheme.IND_NUMBER: re.compile(r"\d{4,6}\Z", re.ASCII),
    FactScheme.REFERENCE_NUMBER: re.compile(REFERENCE_VALUE + r"\Z", re.ASCII),
    FactScheme.REVISION_DATE: re.compile(_ISO_DATE + r"\Z", re.ASCII),
    FactScheme.EFFECTIVE_DATE: re.compile(_ISO_DATE + r"\Z", re.ASCII),
    FactScheme.DOCUMENT_DATE: re.compile(_ISO_DATE + r"\Z", re.ASCII),
}

_MONTHS: Final = {
    name: number for number, name in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1)
}
_MONTH: Final = r"(?P<{0}>Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
#: A date as printed: its groups say which form it has.
DATE_VALUE: Final = (
    r"(?:(?P<iso>(?:19|20)\d\d-\d\d-\d\d)"
    r"|(?P<day>\d{1,2})(?:st|nd|rd|th)?[- /.]?" + _MONTH.format("month") + r"\.?,?[- /.]?(?P<year>(?:19|20)\d\d|\d\d)"
    r"|" + _MONTH.format("us_month") + r"\.? (?P<us_day>\d{1,2})(?:st|nd|rd|th)?,? (?P<us_year>(?:19|20)\d\d)"
    r"|" + _MONTH.format("only_month") + r"\.?,? (?P<month_year>(?:19|20)\d\d)"
    r"|(?P<first>\d{1,2})[-/.](?P<second>\d{1,2})[-/.](?P<numeric_year>(?:19|20)\d\d|\d\d))(?!\d)"
)
DATE: Final = re.compile(r"(?<![\w-])" + DATE_VALUE, re.IGNORECASE)
#: Years of two digits: no EMS policy is older than 1950, and none is dated beyond 2049.
_CENTURY_PIVOT: Final = 50


def has_shape(scheme: FactScheme, value: str) -> bool:
    """Whether a value has its scheme's closed shape."""
    return SHAPES[scheme].match(value) is not None


def iso_date(match: re.Match[str], *, us_order: bool) -> str | None:
    """Return the ISO date of a match of ``DATE_VALUE``, or None where there is no such day.

    ``us_order``: numbers alone are month, day, year. Without it a date of numbers counts only where its day is above 12.
    """
    part = match.group
    if part("iso"):
        year, month, day = (int(one) for one in part("iso").split("-"))
    elif part("day"):
        year, month, day = _year(part("year")), _MONTHS[part("month")[:3].lower()], int(part("day"))
    elif part("us_day"):
        year, month, day = int(part("us_year")), _MONTHS[part("us_month")[:3].lower()], int(part("us_day"))
    elif part("month_year"):
        return f"{part('month_year')}-{_MONTHS[part('only_month')[:3].lower()]:02}"
    else:
        year, month, day = _year(part("numeric_year")), int(part("first")), int(part("second"))
        if not us_order:
            if max(month, day) <= 12 and month != day:
                return None
            if month > 12:
                month, day = day, month
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _year(digits: str) -> int:
    number = int(digits)
    if len(digits) == 4:
        return number
    return number + (1900 if number >= _CENTURY_PIVOT else 2000)


def protocol_number(raw: str) -> str | None:
    """Return a sponsor's number as it is written without line break, or None where the token is something else."""
    value = "".join(raw.split()).rstrip(".-/_")
    digits = sum(one.isdigit() for one in value)
    if not has_shape(FactScheme.PROTOCOL_NUMBER, value) or digits == 0:
        return None
    if any(shape.match(value) for shape in _NO_NUMBER) or DATE.fullmatch(value):
        return None
    letters = any(one.isalpha() for one in value)
    if not letters and (digits < 4 or (digits > 9 and "-" not in value)):
        return None  # a page, a year's part, a phone number
    return value if digits >= 2 or "-" in value else None


def is_compound(value: str) -> bool:
    """Whether a token looks like a compound's code: two to four letters, a hyphen and five digits or more, or a known sponsor's prefix and digits."""
    if re.match(r"[A-Z]{2,4}-\d{5,8}\Z", value):
        return True
    found = re.match(r"([A-Z]{2,8})-?\d{3,8}[A-Z]?\Z", value)
    return found is not None and found[1] in _compound_prefixes()


@cache
def _compound_prefixes() -> frozenset[str]:
    return frozenset(entries("drug_code_prefixes"))


_NO_NUMBER: Final = (
    SHAPES[FactScheme.NCT_ID],
    SHAPES[FactScheme.EU_NUMBER],
    re.compile(r"\d{3}[-.]\d{3}[-.]\d{4}\Z|\d[-.]\d{3}[-.]\d{3}[-.]\d{4}\Z"),  # phone
    re.compile(r"(?:NCT|Version|Amendment|Page|Phase|IND|EudraCT|ISRCTN|UTN|U\d{4}-)", re.IGNORECASE),
    re.compile(r"v?\d{1,2}(?:\.\d{1,2}){1,2}\Z", re.IGNORECASE),  # a version
    re.compile(r"(?:19|20)\d\d\Z"),  # a year
)
