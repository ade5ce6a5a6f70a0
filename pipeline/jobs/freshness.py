"""The objective for freshness: no study is shown as recruiting whose source has not said so for longer than a set number of hours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection

from pipeline.domain.registry_enums import RECRUITING
from pipeline.jobs.summaries import AgeBin, Freshness, SourceFreshness
from pipeline.storage.freshness import Confirmation, confirmations

# Bins are widths of a quarter of the objective, so that the bound falls between two of them; what is older than three objectives is one bin.
_BINS_TO_OBJECTIVE = 4
_OBJECTIVES_SHOWN = 3


def freshness(tx: Connection, *, objective_hours: float, now: datetime) -> Freshness:
    """Return how old the recruiting statuses are, against the objective. Sources without statuses (notes, files) are not in it."""
    return measure(confirmations(tx, status=RECRUITING), objective_hours=objective_hours, now=now)


def measure(found: Iterable[Confirmation], *, objective_hours: float, now: datetime) -> Freshness:
    """Return the figures of these confirmations. A breach is older than the objective, or known to be outdated."""
    recruiting: Counter[str] = Counter()
    breaches: Counter[str] = Counter()
    outdated: Counter[str] = Counter()
    oldest: dict[str, float] = {}
    width, last = objective_hours / _BINS_TO_OBJECTIVE, _BINS_TO_OBJECTIVE * _OBJECTIVES_SHOWN
    bins = [0] * (last + 1)
    for one in found:
        age = one.age_hours(now)
        recruiting[one.source] += 1
        breaches[one.source] += one.outdated or age > objective_hours
        outdated[one.source] += one.outdated
        oldest[one.source] = max(age, oldest.get(one.source, 0.0))
        bins[min(last, int(age / width))] += 1
    return Freshness(
        objective_hours=objective_hours,
        recruiting=recruiting.total(),
        breaches=breaches.total(),
        outdated=outdated.total(),
        oldest_hours=round(max(oldest.values()), 1) if oldest else None,
        by_source={
            name: SourceFreshness(
                recruiting=recruiting[name], breaches=breaches[name], outdated=outdated[name], oldest_hours=round(oldest[name], 1)
            )
            for name in sorted(recruiting)
        },
        ages=[
            AgeBin(from_hours=number * width, to_hours=(number + 1) * width if number < last else None, count=count)
            for number, count in enumerate(bins)
        ],
    )
