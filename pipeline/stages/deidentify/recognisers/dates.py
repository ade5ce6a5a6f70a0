"""Dates: every element but the year, and a year of birth that tells an age over 89 (45 CFR 164.514(b)(2)(i)(C)).

A form that can only be a date counts wherever it stands. One that could be a score, a fraction, a range or a verb (3/7, 3-7, May) counts by
the words around it, or as a neighbour of a date in a list or range. A time of day and a weekday alone identify nobody and stay; a weekday
beside a date goes with it. The year of a date goes with it: a policy that keeps years replaces by ``date_shift`` instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers import date_context as context
from pipeline.stages.deidentify.recognisers import date_forms as forms
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.date_context import Span, words_before
from pipeline.stages.deidentify.recognisers.date_names import months_that_may_be_listed, named_dates
from pipeline.stages.deidentify.recognisers.date_numbers import may_be_listed, numeric_dates

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NEIGHBOUR: Final = 0.7
# The oldest age that may be told (Safe Harbor: "all ages over 89").
OLDEST_AGE: Final = 89


def oldest_year(this_year: int) -> int:
    """Return the first year of birth that does not tell an age over 89: who is born in it is 89 until the birthday."""
    return this_year - OLDEST_AGE - 1


class Dates(Recogniser):
    """See the file.

    Args:
        this_year: The year that ages are reckoned from; ``None``: the present one.
    """

    classes: ClassVar = (IdentifierClass.DATE,)

    def __init__(self, this_year: int | None = None) -> None:
        self._oldest_year = oldest_year(this_year or datetime.now(UTC).year)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return dates; a place holds one date or one range of days."""
        spans = _merged([*numeric_dates(text, self._oldest_year), *named_dates(text)])
        spans = _with_neighbours(text, spans)
        return [self.found(_from_weekday(text, start), end, IdentifierClass.DATE, score) for start, end, score in spans]


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end, score in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]), max(score, merged[-1][2]))
        else:
            merged.append((start, end, score))
    return merged


def _with_neighbours(text: str, spans: list[Span]) -> list[Span]:
    """Add numbers and months that stand beside a date in a list or range: ``3/4-3/9/2024``, ``3/1, 3/3 and 3/5/24``, ``May to June 2024``."""
    if not spans:
        return spans
    taken = {place for start, end, _ in spans for place in (start, end)}
    numbers = (match.span() for match in forms.NO_YEAR.finditer(text) if may_be_listed(text, match))
    candidates = sorted(span for span in (*numbers, *months_that_may_be_listed(text)) if not taken.intersection(span))
    ends = {end for _, end, _ in spans}
    starts = {start for start, _, _ in spans}
    added: list[Span] = []
    for start, end in candidates:
        join = context.LIST_JOIN_BEFORE.search(text[max(0, start - 12) : start])
        if join and start - len(join.group()) in ends:
            ends.add(end)
            added.append((start, end, _NEIGHBOUR))
    for start, end in reversed(candidates):
        join = context.LIST_JOIN.match(text, end)
        if join and join.end() in starts:
            starts.add(start)
            added.append((start, end, _NEIGHBOUR))
    return _merged([*spans, *added])


def _from_weekday(text: str, start: int) -> int:
    before = context.WEEKDAY_BEFORE.search(words_before(text, start))
    return start - len(before.group()) if before else start
