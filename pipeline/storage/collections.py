"""The home's collections of points: which one is live, which is being built beside it, which may be gone back to.

Only this table says what is live. A promotion is one commit; readers who resolve a collection and hydrate from truth by its name never see
two collections mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, insert, select, update

from pipeline.domain.points import CollectionSpec
from pipeline.domain.vocabulary import CollectionRole
from pipeline.storage.tables import collections, index_state


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """One collection of the home.

    Attributes:
        name: As the store knows it.
        settings: What opens its model: ``model`` and ``embedding_backend``, as in ``Settings``.
        reason: Why it was made.
        verdict: Of the gate that let it become live; ``None`` for a home's first collection, which had nothing to be compared with.
    """

    name: str
    role: CollectionRole
    model: str
    dimensions: int
    sparse: str
    payload_version: str
    settings: Mapping[str, Any]
    reason: str
    created_at: datetime
    promoted_at: datetime | None = None
    retired_at: datetime | None = None
    verdict: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def spec(self) -> CollectionSpec:
        """What the store's own metadata must say."""
        return CollectionSpec(self.name, self.model, self.dimensions, self.sparse, payload_version=self.payload_version)


def live_name() -> ScalarSelect[Any]:
    """Return the name of the live collection, to be used within a statement: it is then of the same moment as all else in it."""
    return select(collections.c.name).where(collections.c.role == CollectionRole.LIVE.value).scalar_subquery()


def in_collection(name: str | None) -> ColumnElement[bool]:
    """Return the condition on ``index_state`` rows of one collection; ``None``: of the live one."""
    return index_state.c.collection == (live_name() if name is None else name)


def add(tx: Connection, record: CollectionRecord) -> None:
    """Record a new collection.

    Raises:
        sqlalchemy.exc.IntegrityError: There is one of this name.
    """
    values = {name: getattr(record, name) for name in CollectionRecord.__dataclass_fields__}
    tx.execute(insert(collections).values({**values, "role": record.role.value, "settings": dict(record.settings)}))


def get(tx: Connection, name: str) -> CollectionRecord | None:
    """Return one collection, or ``None``."""
    row = tx.execute(select(collections).where(collections.c.name == name)).one_or_none()
    return None if row is None else _record(row)


def of_role(tx: Connection, role: CollectionRole) -> list[CollectionRecord]:
    """Return the collections of a role, the newest first."""
    query = select(collections).where(collections.c.role == role.value)
    return [_record(row) for row in tx.execute(query.order_by(collections.c.created_at.desc(), collections.c.name))]


def live(tx: Connection) -> CollectionRecord | None:
    """Return the live collection, ``None`` before ``clindex init`` made one."""
    found = of_role(tx, CollectionRole.LIVE)
    return found[0] if found else None


def listed(tx: Connection) -> list[CollectionRecord]:
    """Return every collection that was ever made, the newest first."""
    return [_record(row) for row in tx.execute(select(collections).order_by(collections.c.created_at.desc(), collections.c.name))]


def existing(tx: Connection) -> list[CollectionRecord]:
    """Return every collection that may hold points: all but the retired ones. The live one comes last: what is deleted goes there last."""
    found = [one for one in listed(tx) if one.role is not CollectionRole.RETIRED]
    return sorted(found, key=lambda one: (one.role is CollectionRole.LIVE, one.name))


def set_role(tx: Connection, name: str, role: CollectionRole, **values: Any) -> None:
    """Give a collection another role, and further columns other values."""
    tx.execute(update(collections).where(collections.c.name == name).values(role=role.value, **values))


def adopt_unnamed(tx: Connection, name: str) -> None:
    """Give the states that were written before collections had names to the home's first collection."""
    tx.execute(update(index_state).where(index_state.c.collection == "").values(collection=name))


def _record(row: Any) -> CollectionRecord:
    values = dict(row._mapping)
    return CollectionRecord(**{**values, "role": CollectionRole(values["role"])})
