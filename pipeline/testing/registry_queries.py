"""What the stand-in registry understands of ``/studies``'s parameters. Anything else is refused, as the registry does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

#: Parameters of ``/studies`` in the registry's OpenAPI file that are understood here.
KNOWN_PARAMETERS: Final = frozenset(
    {
        "format",
        "query.cond",
        "query.term",
        "filter.overallStatus",
        "filter.ids",
        "filter.advanced",
        "sort",
        "countTotal",
        "pageSize",
        "pageToken",
    }
)
DEFAULT_PAGE_SIZE: Final = 10
MAX_PAGE_SIZE: Final = 1000
_SINCE: Final = re.compile(r"AREA\[LastUpdatePostDate\]RANGE\[(\d{4}-\d{2}-\d{2}),\s*MAX\]\Z", re.ASCII)
_SORT: Final = re.compile(r"LastUpdatePostDate(:asc|:desc)?\Z", re.ASCII)


class BadRequestError(Exception):
    """The registry answers 400 with this text."""


def refuse_unknown(params: Mapping[str, str]) -> None:
    """Refuse parameters that do not exist, that came twice, or that are empty.

    Raises:
        BadRequestError: There is one.
    """
    for name, value in params.items():
        if name not in KNOWN_PARAMETERS:
            raise BadRequestError(f"`{name}` is unknown or repeated")
        if value == "":
            raise BadRequestError(f"`{name}` is empty")


def page_size_of(params: Mapping[str, str]) -> int:
    """Return the page size asked for: 10 by default and for 0, at most 1,000."""
    try:
        size = int(params.get("pageSize", "0"))
    except ValueError:
        raise BadRequestError("`pageSize` is no number") from None
    if size < 0:
        raise BadRequestError("`pageSize` is negative")
    return min(size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def matching(studies: Iterable[dict[str, Any]], params: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the studies that queries and filters leave, in the order asked for.

    Raises:
        BadRequestError: A value is not understood.
    """
    found = [study for study in studies if _matches(study, params)]
    sort = params.get("sort")
    if sort is None:
        return found
    if _SORT.match(sort) is None:
        raise BadRequestError("`sort` names no date or numeric field")
    dated = [study for study in found if _updated(study)]
    dated.sort(key=_updated, reverse=not sort.endswith(":asc"))
    return dated + [study for study in found if not _updated(study)]  # studies without the field are always last


def _matches(study: dict[str, Any], params: Mapping[str, str]) -> bool:
    protocol = study["protocolSection"]
    text = json.dumps(study, ensure_ascii=False).lower()
    conditions = json.dumps(protocol.get("conditionsModule", {}), ensure_ascii=False).lower()
    ids = _listed(params.get("filter.ids"))
    statuses = _listed(params.get("filter.overallStatus"))
    since = _since(params.get("filter.advanced"))
    return (
        params.get("query.term", "").lower() in text
        and params.get("query.cond", "").lower() in conditions
        and (not ids or protocol["identificationModule"]["nctId"] in {one.upper() for one in ids})
        and (not statuses or protocol.get("statusModule", {}).get("overallStatus") in statuses)
        and (since is None or _updated(study) >= since)
    )


def _listed(value: str | None) -> set[str]:
    return set(re.split(r"[|,]", value)) if value else set()


def _since(value: str | None) -> str | None:
    if value is None:
        return None
    if (match := _SINCE.match(value)) is None:
        raise BadRequestError("`filter.advanced` is not understood")
    return match[1]


def _updated(study: dict[str, Any]) -> str:
    struct = study["protocolSection"].get("statusModule", {}).get("lastUpdatePostDateStruct", {})
    return str(struct.get("date", ""))
