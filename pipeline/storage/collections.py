"""The home's collections of points: which one is live, which is being built beside it, which may be gone back to.

Only this table says what is live. A promotion is one commit; readers who resolve a collection and hydrate from truth by its name never see
two collections mixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, and_, delete, exists, func, insert, or_, select, text, update

from pipeline.domain.points import CollectionSpec, DenseModel
from pipeline.domain.vocabulary import CollectionRole, DocumentState
from pipeline.storage.tables import chunk_accounts, chunks, collections, documents, index_state, table_rows


@dataclass(frozen=True, slots=True)
class CollectionRecord:
    """One collection of the home.

    Attributes:
        name: As the store knows it.
        settings: What opens its models: ``model``, ``embedding_backend``, ``kind_models``, as in ``Settings``; and ``further``, what
            those of some kinds are (``DenseModel``).
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
        further = tuple(
            DenseModel(one["vector"], one["model"], one["dimensions"], tuple(one["kinds"])) for one in self.settings.get("further", ())
        )
        return CollectionSpec(self.name, self.model, self.dimensions, self.sparse, payload_version=self.payload_version, further=further)


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
    return newest(tx, CollectionRole.LIVE)


def listed(tx: Connection) -> list[CollectionRecord]:
    """Return every collection that was ever made, the newest first."""
    return [_record(row) for row in tx.execute(select(collections).order_by(collections.c.created_at.desc(), collections.c.name))]


def existing(tx: Connection) -> list[CollectionRecord]:
    """Return every collection that may hold points, also one whose retirement was killed. The live one comes last, as in deletions."""
    found = [one for one in listed(tx) if one.retired_at is None]
    return sorted(found, key=lambda one: (one.role is CollectionRole.LIVE, one.name))


def set_role(tx: Connection, name: str, role: CollectionRole, **values: Any) -> None:
    """Give a collection another role, and further columns other values."""
    tx.execute(update(collections).where(collections.c.name == name).values(role=role.value, **values))


def newest(tx: Connection, role: CollectionRole) -> CollectionRecord | None:
    """Return the newest collection of a role, or ``None``."""
    found = of_role(tx, role)
    return found[0] if found else None


def hold_documents(tx: Connection) -> None:
    """Let nobody change a document until this transaction ends: what it reads of them is then true when it commits.

    SQLite has one writer at a time anyway. PostgreSQL is told to let nobody write the table; elsewhere every row is locked.
    """
    if tx.dialect.name == "postgresql":
        tx.execute(text("LOCK TABLE documents IN SHARE MODE"))
    elif tx.dialect.name != "sqlite":
        tx.execute(select(documents.c.document_id).with_for_update(read=True)).all()


def promote(tx: Connection, name: str, now: datetime, *, verdict: Mapping[str, Any] | None = None) -> None:
    """Make a collection the live one, and the one that was live a previous one. A verdict that is given is kept with it."""
    tx.execute(update(collections).where(collections.c.role == CollectionRole.LIVE.value).values(role=CollectionRole.PREVIOUS.value))
    judged = {} if verdict is None else {"verdict": dict(verdict)}
    set_role(tx, name, CollectionRole.LIVE, promoted_at=now, **judged)


def keep_verdict(tx: Connection, name: str, verdict: Mapping[str, Any]) -> None:
    """Keep what the gate said of a collection."""
    tx.execute(update(collections).where(collections.c.name == name).values(verdict=dict(verdict)))


def untried(tx: Connection, name: str) -> int:
    """Return how many documents changed after they failed or were held back in a collection: these were not tried as they are now."""
    query = (
        select(func.count())
        .select_from(index_state)
        .join(documents, documents.c.document_id == index_state.c.document_id)
        .where(
            index_state.c.collection == name,
            index_state.c.state.in_((DocumentState.FAILED.value, DocumentState.QUARANTINED.value)),
            documents.c.updated_at > index_state.c.updated_at,
        )
    )
    return int(tx.execute(query).scalar_one())


def lost(tx: Connection, name: str) -> int:
    """Return how many documents are live in the live collection and not in this one, without being held back by the gate here."""
    here, live_one = index_state.alias("here"), index_state.alias("live_one")
    query = (
        select(func.count())
        .select_from(live_one)
        .join(documents, documents.c.document_id == live_one.c.document_id)
        .outerjoin(here, and_(here.c.document_id == live_one.c.document_id, here.c.collection == name))
        .where(
            live_one.c.collection == live_name(),
            live_one.c.live_generation.is_not(None),
            documents.c.tombstoned_at.is_(None),
            here.c.live_generation.is_(None),
            or_(here.c.state.is_(None), here.c.state != DocumentState.QUARANTINED.value),
        )
    )
    return int(tx.execute(query).scalar_one())


def forget(tx: Connection, name: str) -> int:
    """Forget the states of a collection that is no more, and what is kept of generations that were live or written in it alone.

    Returns:
        How many chunk rows that were.
    """
    mine, other = index_state.alias("mine"), index_state.alias("other")
    gone = 0
    for one in (chunks, table_rows, chunk_accounts):
        used_here = exists().where(mine.c.collection == name, mine.c.document_id == one.c.document_id, _uses(mine.c, one.c.generation))
        used_elsewhere = exists().where(
            other.c.collection != name, other.c.document_id == one.c.document_id, _uses(other.c, one.c.generation)
        )
        done = tx.execute(delete(one).where(used_here, ~used_elsewhere))
        gone += done.rowcount if one is chunks else 0
    tx.execute(delete(index_state).where(index_state.c.collection == name))
    return gone


def _uses(state: Any, generation: ColumnElement[int]) -> ColumnElement[bool]:
    return or_(state.live_generation == generation, state.writing_generation == generation)


def adopt_unnamed(tx: Connection, name: str) -> None:
    """Give the states that were written before collections had names to the home's first collection."""
    tx.execute(update(index_state).where(index_state.c.collection == "").values(collection=name))


def _record(row: Any) -> CollectionRecord:
    values = dict(row._mapping)
    return CollectionRecord(**{**values, "role": CollectionRole(values["role"])})
