"""How long a document is kept: which rule concerns it, from which day its time counts, and the last day on which it is kept. No clock, no store.

Wherever a date leaves a choice, the later day is taken: what is kept too long can still be deleted.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

# A year before this one is a slip of the pen (1020 for 2020): believed, it would delete at once.
EARLIEST_YEAR: Final = 1900

_DECEMBER: Final = 12


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """One row of the rules.

    Attributes:
        kinds: Values of ``DocumentKind`` that it concerns.
        access: Only documents with one of these labels; empty: with any, or none.
        keep_years: Whole years; ``None``: without limit.
        reason: Why, in a person's words.
    """

    kinds: tuple[str, ...]
    access: tuple[str, ...]
    keep_years: int | None
    reason: str

    def concerns(self, kind: str, access: str | None) -> bool:
        """Whether it says how long such a document is kept."""
        return kind in self.kinds and (not self.access or access in self.access)


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """All rules in order: the first that concerns a document holds. What none concerns is kept without limit."""

    rules: tuple[RetentionRule, ...]

    def rule_for(self, kind: str, access: str | None) -> RetentionRule | None:
        """Return the rule that holds for a kind and label, or ``None``."""
        return next((rule for rule in self.rules if rule.concerns(kind, access)), None)

    @property
    def limited_kinds(self) -> Sequence[str]:
        """Kinds that some rule limits: no other document can expire."""
        return sorted({kind for rule in self.rules if rule.keep_years is not None for kind in rule.kinds})


def end_of(partial: str | None) -> date | None:
    """Return the last day that a date may mean: of ``2019`` its 31st of December, of ``2019-02`` its 28th.

    Args:
        partial: ISO date to the day, month or year.

    Returns:
        ``None`` where it is no date, or one before ``EARLIEST_YEAR``. A day that its month does not have is the month's last.
    """
    numbers = (partial or "").split("-")
    if not 1 <= len(numbers) <= 3 or not all(number.isascii() and number.isdigit() for number in numbers):
        return None
    year, month = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else _DECEMBER
    if not EARLIEST_YEAR <= year <= date.max.year or not 1 <= month <= _DECEMBER:
        return None
    last = monthrange(year, month)[1]
    day = int(numbers[2]) if len(numbers) > 2 else last
    return date(year, month, min(day, last)) if day >= 1 else None


def last_day_kept(counts_from: date, keep_years: int) -> date:
    """Return the anniversary: the document is kept on that day and has expired on the next. Of the 29th of February it may be the 1st of March.

    A day beyond the calendar (year 9999) is its last day.
    """
    year = counts_from.year + keep_years
    if year > date.max.year:
        return date.max
    try:
        return counts_from.replace(year=year)
    except ValueError:  # the 29th of February in a year that has none
        return date(year, 3, 1)
