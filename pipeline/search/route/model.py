"""A decision on the way of a query."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.domain.points import PointFilter
from pipeline.search.route.filters import both
from pipeline.search.understand.model import Mention


class RouteName(StrEnum):
    """How a query is answered."""

    IDENTIFIER = "identifier"  # only the documents that it names
    ABSENT = "absent"  # it names something that is not in the index: no hits
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Route:
    """How a query is answered.

    Attributes:
        name: The way.
        known: Identifiers that the index holds.
        absent: Identifiers that it does not hold: well-formed NCT ids, and of a query that is little else, numbers of protocols and policies.
        narrowed: Conditions on top of the caller's filters; ``None``: the caller's filters alone.
    """

    name: RouteName
    known: tuple[Mention, ...] = ()
    absent: tuple[Mention, ...] = ()
    narrowed: PointFilter | None = field(default=None)

    def where(self, asked: PointFilter) -> PointFilter:
        """Return the caller's filter with the route's conditions; a condition of the caller's is never widened."""
        return asked if self.narrowed is None else both(asked, self.narrowed)
