"""Dates with more than a year, and ages over 89 (Safe Harbor, paragraph C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.gate.lexicon import word_list
from pipeline.stages.deidentify.gate.words import Word, Words, joined

_MONTHS: Final = word_list("dates", "months")
_DATE_CUES: Final = word_list("dates", "date_cues")
_YEARS: Final = range(1880, 2100)
_BIRTH: Final = frozenset({"born", "birth", "dob", "yob", "birthdate"})
_HOLIDAYS: Final = frozenset({"christmas", "thanksgiving", "halloween", "easter"})
_DAY_PHRASE: Final = frozenset({"day", "days", "d", "week", "weeks", "cycle", "cycles", "grade", "grades"})
_OLDEST_SHOWN: Final = 89
_OLDEST: Final = 125
_OVER: Final = frozenset({"over", "above", "than", "to", "exceeding", "under", "below", "between", "least", "≥", ">", "<"})
_OLD: Final = frozenset({"yo", "y/o", "y.o", "yrs", "yr", "year-old", "years-old", "yr-old", "year", "years", "y"})
_SEXES: Final = frozenset("mf")
_PERSON_NEXT: Final = word_list("dates", "person_next")
# A patient born before this year is over 89 until 2030, the text's own date being unknown; later years tell nothing by themselves.
_TELLING_BIRTH_YEAR: Final = 1937


def find_dates(read: Words) -> list[Found]:
    """Return dates and ages."""
    found: list[Found] = []
    every = read.all
    for index, word in enumerate(every):
        if word.digits:
            if _is_numeric_date(every, index):
                found.append(read.found(word, word, IdentifierClass.DATE, "dates"))
            elif _is_age(every, index):
                found.append(read.found(word, word, IdentifierClass.AGE, "dates"))
            elif word.low.isdecimal() and _is_birth_year(every, index):
                found.append(read.found(word, word, IdentifierClass.DATE, "dates"))
        elif word.low.rstrip(".") in _MONTHS and word.text[0].isupper():
            last = _named_date(every, index)
            if last is not None:
                found.append(read.found(*last, IdentifierClass.DATE, "dates"))
        elif word.low in _HOLIDAYS and index and every[index - 1].low in _DATE_CUES:
            found.append(read.found(word, word, IdentifierClass.DATE, "dates"))
        elif _is_spelled_age(every, index):
            found.append(read.found(word, word, IdentifierClass.AGE, "dates"))
    return found


def _is_numeric_date(every: Sequence[Word], index: int) -> bool:
    word = every[index]
    text = word.low
    if "t" in text[8:11] and text[:4].isdecimal():
        text = text.partition("t")[0]  # 2031-03-14T08:30
    for sign in "/-.":
        groups = text.split(sign)
        if len(groups) == 3:
            if _written_month(groups):
                return True
            if all(group.isdecimal() and group.isascii() for group in groups):
                return _is_day(groups, sign, every, index)
        if len(groups) == 2 and sign != "." and all(group.isdecimal() and len(group) <= 4 for group in groups):
            return _is_short(groups, sign, every, index)
    if text.isdecimal() and len(text) == 8:
        return int(text[:4]) in _YEARS and _month_and_day(text[4:6], text[6:])
    return _written_month([text[:2], text[2:5], text[5:]]) if len(text) in (7, 9) else False


def _written_month(groups: Sequence[str]) -> bool:
    """14-Mar-2031, 14mar2031, mar-14-2031."""
    day, month, year = groups
    if day in _MONTHS:
        day, month = month, day
    return month in _MONTHS and day.isdecimal() and 0 < int(day) <= 31 and year.isdecimal() and len(year) in (2, 4)


def _is_day(groups: Sequence[str], sign: str, every: Sequence[Word], index: int) -> bool:
    one, two, three = groups
    if len(one) == 4 and len(two) <= 2 and len(three) <= 2:
        return int(one) in _YEARS and _month_and_day(two, three)
    if len(one) > 2 or len(two) > 2 or len(three) not in (2, 4):
        return False
    if len(three) == 4 and int(three) not in _YEARS:
        return False
    before = every[index - 1].low if index else ""
    short = sign == "." or (sign == "-" and (len(one) < 2 or len(two) < 2))
    if len(three) == 2 and short and before not in _BIRTH:
        return False  # 1-8-15 are days of a cycle, 1.2.10 is a section
    return before not in _DAY_PHRASE and (_month_and_day(one, two) or _month_and_day(two, one))


def _is_short(groups: Sequence[str], sign: str, every: Sequence[Word], index: int) -> bool:
    one, two = groups
    if len(two) == 4 and len(one) <= 2:
        return sign == "/" and int(two) in _YEARS and 0 < int(one) <= 12
    if len(one) == 4 and len(two) == 2:
        return sign == "-" and int(one) in _YEARS and 0 < int(two) <= 12
    if sign != "/" or len(one) > 2 or len(two) > 2 or index == 0:
        return False
    return every[index - 1].low in _DATE_CUES and joined(every[index], also=":") and _month_and_day(one, two) and int(two) > 0


def _month_and_day(month: str, day: str) -> bool:
    return 0 < int(month) <= 12 and 0 < int(day) <= 31


def _named_date(every: Sequence[Word], index: int) -> tuple[Word, Word] | None:
    """Return the first and last word of a date around a month's name, or ``None``."""
    month = every[index]
    after = every[index + 1] if index + 1 < len(every) else None
    if after is not None and joined(after, also=".,"):
        if _day_number(after):
            return month, after
        if after.low.isdecimal() and len(after.low) == 4 and int(after.low) in _YEARS:
            return month, after
    if index and joined(month):
        before = every[index - 1]
        if before.low == "of" and index > 1 and joined(before):
            before = every[index - 2]
        if _day_number(before):
            return before, month
    return None


def _day_number(word: Word) -> bool:
    digits = word.low.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    return digits.isdecimal() and digits.isascii() and len(digits) <= 2 and 0 < int(digits) <= 31


def _is_age(every: Sequence[Word], index: int) -> bool:
    word = every[index]
    number = word.low[:3] if word.low[:3].isdecimal() else word.low[:2]
    if not (number.isdecimal() and number.isascii() and _OLDEST_SHOWN < int(number) <= _OLDEST):
        return False
    before = every[index - 1] if index else None
    if (before is not None and before.low in _OVER) or any(sign in word.gap for sign in "<>≥≤"):
        return False
    rest = word.low[len(number) :].lstrip("-. ")
    following = every[index + 1 : index + 3]
    if rest:
        if rest in _SEXES:
            return bool(following) and following[0].low in _PERSON_NEXT
        return rest in _OLD
    if before is not None and before.low in ("age", "aged", "ages", "turned", "turning") and joined(word, also=":="):
        return not any(one.low in ("or", "and", "to", "percentile") for one in following[:1])
    return _is_old(following)


def _is_old(following: Sequence[Word]) -> bool:
    """Whether the words after a number make it an age: 93 years old, 93 yo, 93 y/o."""
    if not following or not joined(following[0], also="-"):
        return False
    first = following[0].low
    if first in ("year", "years", "yr", "yrs", "y"):
        return len(following) > 1 and following[1].low in ("old", "old-man", "old-woman", *_PERSON_NEXT)
    return first in ("yo", "y/o", "y.o", "year-old", "years-old", "yr-old", "y.o.m", "y.o.f", "yom", "yof")


def _is_spelled_age(every: Sequence[Word], index: int) -> bool:
    word = every[index]
    if not word.low.startswith("ninety"):
        return False
    if "year" in word.low or (index and every[index - 1].low in ("aged", "turned")):
        return True
    following = every[index + 1 : index + 4]
    return any(one.low.startswith(("year-old", "years-old")) for one in following[:2]) or (
        any(one.low in ("year", "years") for one in following[:2]) and any(one.low == "old" for one in following)
    )


def _is_birth_year(every: Sequence[Word], index: int) -> bool:
    year = every[index].low
    if len(year) != 4 or not _YEARS.start <= int(year) < _TELLING_BIRTH_YEAR:
        return False
    return any(one.low in _BIRTH for one in every[max(0, index - 3) : index])
