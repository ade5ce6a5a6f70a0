"""What goes into the log of searches: who asked for what, as ids, enum values and keyed hashes. An answer that cannot be logged is not given."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import BaseModel
from sqlalchemy import Connection

from pipeline.domain.identifiers import keyed_hash
from pipeline.search.access import Principal
from pipeline.storage import search_log
from pipeline.storage.search_log import Entry
from pipeline.wiring import Services

#: Fields of a request that are its question, not its filters.
QUESTIONS: Final = frozenset({"query", "question"})


def record(
    tx: Connection,
    services: Services,
    principal: Principal,
    endpoint: str,
    documents: Iterable[UUID],
    *,
    query: str | None = None,
    filters: dict[str, Any] | None = None,
    hits: int | None = None,
) -> UUID:
    """Log an answer before it is given; returns the id that feedback names it by."""
    shown = tuple(documents)
    entry = Entry(
        search_id=uuid4(),
        at=datetime.now(UTC),
        key_id=principal.key_id,
        role=principal.role.value,
        endpoint=endpoint,
        query_hash=None if query is None else keyed_hash(services.secret, "query", query),
        filters=filters or {},
        documents=shown,
        hits=len(shown) if hits is None else hits,
    )
    search_log.append(tx, entry, secret=services.secret)
    return entry.search_id


def filters_of(request: BaseModel, secret: bytes) -> dict[str, Any]:
    """Return what a request asks for besides its question and its defaults.

    Numbers, yes or no, and values of a closed vocabulary stand as they are; any other word may be anybody's and stands as a keyed hash.
    """
    asked = {name: getattr(request, name) for name in type(request).model_fields if name not in QUESTIONS}
    defaults = {name: field.get_default(call_default_factory=True) for name, field in type(request).model_fields.items()}
    return {name: _plain(value, secret) for name, value in asked.items() if value != defaults[name]}


def _plain(value: Any, secret: bytes) -> Any:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one, secret) for one in value]
    return "#" + keyed_hash(secret, "filter", str(value))[:16]
