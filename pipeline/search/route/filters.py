"""A filter with further conditions: never wider than either."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from pipeline.domain.points import PointFilter

#: A document that cannot be: ids are version 5. What two filters have not in common is asked for as this one, and finds nothing.
NOBODY: Final = UUID(int=0)
_NONE: Final = PointFilter()


def both(asked: PointFilter, added: PointFilter) -> PointFilter:
    """Return the filter that points match which match both. Values of one field that both name are intersected.

    Raises:
        TypeError: ``added`` has a condition that is no list of alternatives; only the caller of a search sets those.
    """
    changed: dict[str, Any] = {}
    for name in PointFilter.__dataclass_fields__:
        more, there = getattr(added, name), getattr(asked, name)
        if more == getattr(_NONE, name):
            continue
        if not isinstance(more, tuple):
            raise TypeError(f"a route does not set {name}")
        common = tuple(value for value in more if value in there) if there else more
        if not common:
            return replace(asked, document_ids=(NOBODY,))
        changed[name] = common
    return replace(asked, **changed)
