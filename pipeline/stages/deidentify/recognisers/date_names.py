"""Dates with a month's or a holiday's name. ``May``, ``March`` and ``Dec`` are verbs, names and abbreviations, too: words around decide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pipeline.stages.deidentify.recognisers import date_context as context
from pipeline.stages.deidentify.recognisers import date_forms as forms
from pipeline.stages.deidentify.recognisers.date_context import BY_CONTEXT, SURE, Span, words_before
from pipeline.stages.deidentify.recognisers.months import Needs, month_called, months

# One pass over words is ten times faster than a search for each of 150 names.
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def named_dates(text: str) -> Iterator[Span]:
    """Yield dates with names, in no order."""
    names = months()
    for match in forms.DAY_FIRST.finditer(text):
        if _is_day_first(text, match):
            yield *match.span(), SURE
    for match in forms.YEAR_MONTH_NAME.finditer(text):
        if month_called(match["mon"]).needs is Needs.NOTHING or match["mon"][0].isupper():
            yield *match.span(), BY_CONTEXT
    for word in _WORD.finditer(text):
        name = word.group().lower()
        if name in names:
            yield from _from_month(text, word.start())
        elif name in forms.HOLIDAY_STARTS and (holiday := forms.HOLIDAY.match(text, word.start())):
            yield *holiday.span(), BY_CONTEXT
    for match in forms.SEASON.finditer(text):
        yield *match.span(), BY_CONTEXT


def months_that_may_be_listed(text: str) -> Iterator[tuple[int, int]]:
    """Yield names of months that are dates as neighbours of one: ``May to June 2024``."""
    names = months()
    for word in _WORD.finditer(text):
        month = names.get(word.group().lower())
        if (
            month is not None
            and month.needs is Needs.COMPANY
            and word.group()[0].isupper()
            and not text[word.end() : word.end() + 1].isdigit()
        ):
            yield word.span()


def _from_month(text: str, start: int) -> Iterator[Span]:
    if (match := forms.MONTH_FIRST.match(text, start)) and _is_month_first(text, match):
        yield *match.span(), SURE
    if (match := forms.MONTH_YEAR.match(text, start)) and (
        month_called(match["mon"]).needs is not Needs.DAY_AND_YEAR or _is_foreign(text, match)
    ):
        yield *match.span(), SURE
    if (match := forms.MONTH_ALONE.match(text, start)) and _is_month(text, match):
        yield *match.span(), BY_CONTEXT


def _is_day_first(text: str, match: re.Match[str]) -> bool:
    """``12 March``, not ``patients 1 to 12 may receive`` and not ``dose 2. May be repeated``."""
    name = match["mon"]
    needs = month_called(name).needs
    if needs is Needs.DAY_AND_YEAR:
        return "de " in match["gap"] or (len(match["y"] or "") == len("2024") and "of" not in match["gap2"])
    if match["y"] or match["unknown"]:
        return bool(match["y"])
    if match["word"] and "of" not in match["gap"] and "de" not in match["gap"]:
        return False
    if needs is Needs.NOTHING or match["ordinal"]:
        return True
    if "." in match["gap"] or "," in match["gap"] or "\n\n" in match["gap"]:
        return False
    if name.islower() and name in ("may", "march", "dec", "mar"):
        words = words_before(text, match.start())
        return "of" in match["gap"] or context.MONTH_CUE.search(words) is not None or context.CUE.search(words) is not None
    return not (name.lower() == "may" and context.VERB_FOLLOWS.match(text, match.end()))


def _is_month_first(text: str, match: re.Match[str]) -> bool:
    """``Mar 12``, not ``Oct-4`` (a gene) and not ``dec 5`` (decreased)."""
    name = match["mon"]
    needs = month_called(name).needs
    if needs is Needs.DAY_AND_YEAR:
        return False
    if match["y"] or match["ordinal"] or needs is Needs.NOTHING:
        return bool(match["gap"]) or needs is Needs.NOTHING or match["y"] is not None
    if match["gap"] in ("", "-") and (not match["gap"] or len(match["d"] or "") == 1):
        return False
    if match["word"] and name.islower():
        return match["word"].lower() not in ("first", "second")
    if name.islower() and name in ("may", "march", "dec", "mar", "mai"):
        return context.MONTH_CUE.search(words := words_before(text, match.start())) is not None or context.CUE.search(words) is not None
    return True


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    """``im Mai``, not ``MAI`` (a mycobacterium)."""
    return (
        len(match["mon"]) > 2
        and not match["mon"].isupper()
        and context.FOREIGN_MONTH_CUE.search(words_before(text, match.start())) is not None
    )


def _is_month(text: str, match: re.Match[str]) -> bool:
    """A month by itself: by its name, or by the preposition before it."""
    name = match["mon"]
    needs = month_called(name).needs
    if context.HYPHENATED.match(text, match.end()):
        return False
    if needs is Needs.DAY_AND_YEAR:
        return _is_foreign(text, match)
    if needs is Needs.NOTHING:
        return True
    if len(name) <= 4 and name.isupper() and name not in ("MAY", "JUNE", "JULY"):  # OCT, MAR, SEP, APR are clinical abbreviations
        return False
    words = words_before(text, match.start())
    if context.MONTH_CUE.search(words):
        return not (name.lower() == "may" and name.islower() and re.match(r"\s[a-z]+", text[match.end() : match.end() + 3]))
    return name[0].isupper() and any(cue.search(words) for cue in (context.CAPITAL_MONTH_CUE, context.SURE_CUE))
