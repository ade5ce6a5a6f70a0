"""What the stand-in FHIR server understands of searches and histories. Anything else is refused with 400, as strict servers do."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final

from pipeline.testing.fhir_resources import Stored, instant_of
from pipeline.testing.http_faults import RecordedRequest

_OF_SEARCH: Final = frozenset({"_lastUpdated", "_count", "_sort", "_type", "_id", "_format"})
_OF_HISTORY: Final = frozenset({"_since", "_count", "_format"})
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
    "eq": operator.eq,
}
_ORDERS: Final[dict[str, Callable[[Stored], Any]]] = {"_lastUpdated": lambda one: (one.written, one.id), "_id": lambda one: one.id}


class BadSearchError(Exception):
    """The server answers 400 with this text."""


def found(resources: Iterable[Stored], kinds: set[str], request: RecordedRequest) -> list[Stored]:
    """Return what a search asks for.

    Args:
        resources: All there are.
        kinds: The type in the path; without it ``_type`` says.
        request: With its parameters.

    Raises:
        BadSearchError: A parameter is unknown, or its value is none of those it may have.
    """
    _refuse_unknown(request, _OF_SEARCH)
    types = kinds or _listed(request, "_type")
    ids = _listed(request, "_id")
    bounds = [_bound(value) for value in request.values("_lastUpdated")]
    matching = [
        one
        for one in resources
        if (not types or one.kind in types) and (not ids or one.id in ids) and all(holds(one.written, moment) for holds, moment in bounds)
    ]
    order = request.params.get("_sort", "")
    if not order:
        return matching
    if order.removeprefix("-") not in _ORDERS:
        raise BadSearchError("_sort names no such order")
    return sorted(matching, key=_ORDERS[order.removeprefix("-")], reverse=order.startswith("-"))


def history_since(events: Iterable[Stored], kinds: set[str], request: RecordedRequest) -> list[Stored]:
    """Return the events at or after ``_since``, newest first; the type is that in the path.

    Raises:
        BadSearchError: A parameter is unknown, or ``_since`` is no instant.
    """
    _refuse_unknown(request, _OF_HISTORY)
    since = _moment(request.params["_since"]) if "_since" in request.params else None
    chosen = [one for one in events if (not kinds or one.kind in kinds) and (since is None or one.written >= since)]
    return list(reversed(chosen))


def page_size_of(request: RecordedRequest, largest: int) -> int:
    """Return the number of entries a page: ``_count``, at most ``largest``.

    Raises:
        BadSearchError: ``_count`` is no number above 0.
    """
    asked = request.params.get("_count", str(largest))
    if not asked.isdecimal() or int(asked) == 0:
        raise BadSearchError("_count is no number above 0")
    return min(int(asked), largest)


def _refuse_unknown(request: RecordedRequest, known: frozenset[str]) -> None:
    if unknown := set(request.params) - known:
        raise BadSearchError(f"unknown parameters: {', '.join(sorted(unknown))}")


def _listed(request: RecordedRequest, name: str) -> set[str]:
    return {one for value in request.values(name) for one in value.split(",")}


def _bound(value: str) -> tuple[Callable[[Any, Any], bool], datetime]:
    prefix = value[:2] if value[:2].isalpha() else "eq"
    if prefix not in _COMPARISONS:
        raise BadSearchError("_lastUpdated has a prefix that is not supported")
    return _COMPARISONS[prefix], _moment(value.removeprefix(prefix))


def _moment(text: str) -> datetime:
    try:
        return instant_of(text)
    except ValueError:
        raise BadSearchError("a date or instant cannot be read") from None
