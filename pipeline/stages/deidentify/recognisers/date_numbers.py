"""Dates in digits. Forms that could be scores, ratios, ranges or numbers of studies count by the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.stages.deidentify.recognisers import date_context as context
from pipeline.stages.deidentify.recognisers import date_forms as forms
from pipeline.stages.deidentify.recognisers.date_context import BY_CONTEXT, SURE, Span, words_before

_MONTHS: Final = 12
_DAYS: Final = 31
_WEEKS_OF_A_YEAR: Final = "52"
_FIRST_SHORT_YEAR: Final = 50  # of two-digit years that are no day: 11/91 is a month, 3/40 a share
_AFTER_LABEL: Final = re.compile(r"\d{1,2}([-/. ]{1,2})\d{1,2}\1(?:\d{4}|\d{2})(?!\d)|(?:\d{8}|\d{6})(?!\d)|\d{1,2}[-/]\d{2}(?![\d/-])")
_RANGE_JOIN: Final = r"\s?(?:-|to|thru|through|and)\s?|[ \t]{1,6}\|?[ \t]{0,6}"  # the last: columns of a flow sheet
# Read by a machine: O and l for 0 and 1, with a digit and a four-digit year.
_MISREAD: Final = re.compile(r"(?<![\w/-])(?=[OlI/-]{0,8}\d)(?=[\d/-]{0,9}[OlI])[\dOlI]{1,2}([/-])[\dOlI]{1,2}\1[1l2][\dOlI]{3}(?![\w/-])")
# The last column of a list of drugs: "PO,daily,10/1".
_LAST_TAKEN: Final = re.compile(
    r"(?:daily|[bt]id|qid|prn|qhs|qam|qpm|once|weekly|q\d{1,2}h|q\d?wk|nightly)[ ]?[,\t|;][ ]?(?P<day>(?P<a>\d{1,2})/(?P<b>\d{1,2}))(?=[ \t|,]*(?:\n|$))",
    re.IGNORECASE,
)
_LATER: Final = re.compile(rf"(?:{_RANGE_JOIN})(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?![\d/])")
_EARLIER: Final = re.compile(rf"(?<![\w./-])(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})(?:{_RANGE_JOIN})\Z")
_YEAR_ALONE: Final = re.compile(r"(?<![\w,/-])(?<!\d\.)(?P<y>1[89]\d\d)(?P<decade>'?s)?(?![\w/]|[.,-]\d)")
_DAY_ALONE: Final = re.compile(
    r"\b(?:(?:(?:on|by|until|since|from|of)\sthe|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s(?:the\s)?)\s?(?P<day>(?:[12]?\d|3[01])(?:st|nd|rd|th))"
    r"(?=\s{0,2}(?:[.;)\n]|$|(?:and|at|but|for)\s|,\s(?:s?he|they|we|the|pt|patient)\b|of\s(?:this|last|the|next)\smonth))"
    r"|the\s(?P<of_month>(?:[12]?\d|3[01])(?:st|nd|rd|th))(?=\sof\s(?:this|last|the|next)\smonth))",
    re.IGNORECASE,
)


def could_be_day_and_month(a: int, b: int) -> bool:
    """Whether one number can be a month and the other a day, in either order."""
    low, high = sorted((a, b))
    return 1 <= low <= _MONTHS and high <= _DAYS


def numeric_dates(text: str, oldest_year: int) -> Iterator[Span]:
    """Yield dates in digits, in no order.

    Args:
        text: Folded text.
        oldest_year: The first year of birth that may stay.
    """
    yield from _full(text)
    for pattern in (forms.MONTH_SLASH_YEAR, forms.YEAR_DASH_MONTH):
        for match in pattern.finditer(text):
            if _is_month_and_year(text, match):
                yield *match.span(), BY_CONTEXT
    yield from _by_cue(text)
    for match in _LAST_TAKEN.finditer(text):
        if could_be_day_and_month(int(match["a"]), int(match["b"])):
            yield *match.span("day"), BY_CONTEXT
    for match in _DAY_ALONE.finditer(text):
        yield *match.span("day" if match["day"] else "of_month"), BY_CONTEXT
    for match in _YEAR_ALONE.finditer(text):
        if int(match["y"]) < oldest_year and context.LIFE.search(words_before(text, match.start())):
            yield *match.span(), BY_CONTEXT


def _full(text: str) -> Iterator[Span]:
    """Day, month and year."""
    for pattern in (forms.YEAR_FIRST, forms.EAST_ASIAN, forms.OTHER_SCRIPT):
        for match in pattern.finditer(text):
            yield *match.span(), SURE
    for match in _MISREAD.finditer(text):
        yield *match.span(), SURE
    for match in forms.YEAR_LAST.finditer(text):
        if could_be_day_and_month(int(match["a"]), int(match["b"])):
            yield *match.span(), SURE
    for match in forms.SHORT_YEAR.finditer(text):
        if could_be_day_and_month(int(match["a"] or match["a2"]), int(match["b"] or match["b2"])) and not _is_number_label(text, match):
            yield *match.span(), SURE
    for match in forms.COMPACT.finditer(text):
        if not _is_number_label(text, match):
            yield *match.span(), BY_CONTEXT  # a labelled number of the same digits is what its label says


def _is_number_label(text: str, match: re.Match[str]) -> bool:
    return context.NUMBER_LABEL.search(words_before(text, match.start())) is not None


def _is_month_and_year(text: str, match: re.Match[str]) -> bool:
    """3/2024 is a date; 1/2000 is a ratio, 5-2000 a range and 2010-11 a season of two years, unless a cue or a zero says otherwise."""
    words = words_before(text, match.start())
    if _is_cued(words):
        return True
    if context.RATIO_FOLLOWS.match(text, match.end()) or context.NUMBER_LABEL.search(words):
        return False
    month, year = match["m"], match["y"]
    if match.group().startswith(year):  # 2010-11 or 2024-05
        return int(month) <= int(year) % 100 or ("/" in match.group() and int(month) != int(year) % 100 + 1)
    if year == "2000" or int(year) % 500 == 0:
        return len(month) == 2 and month.startswith("0")
    return match["sep"] == "/" or len(month) == 2


def _is_cued(words: str) -> bool:
    return any(cue.search(words) for cue in (context.SURE_CUE, context.CUE, context.DATE_LABEL))


def _by_cue(text: str) -> Iterator[Span]:
    """Numbers that are dates only by the words around them."""
    for match in forms.NO_YEAR.finditer(text):
        if _is_range(text, match):
            yield *match.span(), BY_CONTEXT
            continue
        is_day = could_be_day_and_month(int(match["a"]), int(match["b"])) and _is_day_and_month(text, match)
        if is_day or _is_month_and_short_year(text, match):
            yield *match.span(), BY_CONTEXT
    for label in context.LABEL.finditer(text):
        if value := _AFTER_LABEL.match(text, label.end()):
            yield *value.span(), BY_CONTEXT


def _is_day_and_month(text: str, match: re.Match[str]) -> bool:
    words = words_before(text, match.start())
    unlike_score = int(match["b"]) not in context.SCORE_BASES or (int(match["a"]) > int(match["b"]) and match["sep"] == "/")
    if context.SCORE_FOLLOWS.match(text, match.end()):
        return False
    if (match["sep"] == "-" or not unlike_score) and context.PLURAL_FOLLOWS.match(text, match.end()):
        return False
    if (
        context.TIME_FOLLOWS.match(text, match.end())
        or context.TIME_BEFORE.search(words)
        or context.SURE_CUE.search(words)
        or context.DATE_LABEL.search(words)
    ):
        return True
    if context.STUDY_FOLLOWS.match(text, match.end()):
        return unlike_score
    if context.LINE_STARTS.search(words) and context.LINE_LABEL_ENDS.match(text, match.end()):
        return unlike_score
    cue = context.CUE.search(words)
    if cue is None:
        return False
    if cue.group().lower().startswith("on"):
        return unlike_score or context.SCORE_BEFORE.search(words[: cue.start()]) is None
    return unlike_score and context.SCORE_BEFORE.search(words) is None


def _is_month_and_short_year(text: str, match: re.Match[str]) -> bool:
    """``in 08/07``, ``until 11/91``: behind a preposition of months, with a zero, with a year that can be no day, or before a stop."""
    month, year = match["a"], match["b"]
    if year == _WEEKS_OF_A_YEAR:  # "return 6/52": in six weeks
        return False
    if match["sep"] != "/" or not 1 <= int(month) <= _MONTHS or len(year) != len("07") or context.SCORE_FOLLOWS.match(text, match.end()):
        return False
    words = words_before(text, match.start())
    if int(year) >= _FIRST_SHORT_YEAR and context.CUE.search(words):
        return True
    if not (
        month.startswith("0") or year.startswith("0") or int(year) >= _FIRST_SHORT_YEAR or context.STOP_FOLLOWS.match(text, match.end())
    ):
        return False
    return any(cue.search(words) for cue in (context.MONTH_CUE, context.SURE_CUE, context.DATE_LABEL))


def _is_range(text: str, match: re.Match[str]) -> bool:
    """Either of ``3/4-3/9``: two rising days of one month, the later one no denominator of a score."""
    if match["sep"] != "/":
        return False
    later = _LATER.match(text, match.end())
    if later and _rises(match, later) and context.SCORE_FOLLOWS.match(text, later.end()) is None:
        return True
    earlier = _EARLIER.search(text[max(0, match.start() - context.REACH) : match.start()])
    return earlier is not None and _rises(earlier, match) and context.SCORE_FOLLOWS.match(text, match.end()) is None


def _rises(first: re.Match[str], second: re.Match[str]) -> bool:
    month, day, later = int(first["a"]), int(first["b"]), int(second["b"])
    return month == int(second["a"]) and 1 <= month <= _MONTHS and 1 <= day < later <= _DAYS and later not in context.SCORE_BASES


def may_be_listed(text: str, match: re.Match[str]) -> bool:
    """Whether a match of ``forms.NO_YEAR`` is a date as a neighbour of one."""
    if match["sep"] == "-" and context.PLURAL_FOLLOWS.match(text, match.end()):
        return False
    return could_be_day_and_month(int(match["a"]), int(match["b"])) and context.SCORE_FOLLOWS.match(text, match.end()) is None
