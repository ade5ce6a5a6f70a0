"""Loads of FHIR feeds: how far each scope was read, and up to when its server says that its data are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, func, insert, select, update

from pipeline.domain.fhir import FeedEnd
from pipeline.storage.fhir_tables import fhir_loads


def begin(tx: Connection, run_id: UUID, *, scope: str, is_full: bool, now: datetime) -> UUID:
    """Begin a load. One that was begun before and never ended is incomplete."""
    abandon(tx, scope)
    load_id = uuid4()
    tx.execute(insert(fhir_loads).values(load_id=load_id, run_id=run_id, scope=scope, is_full=is_full, state="open", started_at=now))
    return load_id


def abandon(tx: Connection, scope: str) -> None:
    """Say that loads of a scope that began and did not end are incomplete."""
    left = update(fhir_loads).where(fhir_loads.c.scope == scope, fhir_loads.c.state == "open")
    tx.execute(left.values(state="incomplete"))


def finish(tx: Connection, load_id: UUID, end: FeedEnd, counts: Mapping[str, Any], *, complete: bool, now: datetime) -> None:
    """End a load."""
    values = {"transaction_time": end.transaction_time, "promised": end.promised, "read": end.read, "counts": dict(counts)}
    state = "complete" if complete else "incomplete"
    tx.execute(update(fhir_loads).where(fhir_loads.c.load_id == load_id).values(state=state, finished_at=now, **values))


def last_by_scope(tx: Connection, *, limit: int) -> list[dict[str, Any]]:
    """Return the last load of each scope, the newest first, with up to when the scope is loaded and when it was last loaded whole."""
    newest = select(fhir_loads.c.scope, func.max(fhir_loads.c.started_at).label("at")).group_by(fhir_loads.c.scope).subquery()
    same = (fhir_loads.c.scope == newest.c.scope) & (fhir_loads.c.started_at == newest.c.at)
    rows = tx.execute(select(fhir_loads).join(newest, same).order_by(fhir_loads.c.started_at.desc()).limit(limit)).all()
    names = ("scope", "state", "is_full", "started_at", "finished_at")
    return [
        {
            **{name: row._mapping[name] for name in names},
            "files": row.promised,
            "files_read": row.read,
            "loaded_to": last_transaction_time(tx, row.scope),
            "full_at": last_full(tx, row.scope),
        }
        for row in rows
    ]


def last_full(tx: Connection, scope: str) -> datetime | None:
    """Return when the last complete full load of a scope began; ``None``: there was none."""
    query = select(fhir_loads.c.started_at).where(
        fhir_loads.c.scope == scope, fhir_loads.c.state == "complete", fhir_loads.c.is_full.is_(True)
    )
    found: datetime | None = tx.execute(query.order_by(fhir_loads.c.started_at.desc()).limit(1)).scalar_one_or_none()
    return found


def last_transaction_time(tx: Connection, scope: str) -> str | None:
    """Return up to when the data of a scope are loaded, as its server said at its last complete load; ``None``: it never was."""
    query = select(fhir_loads.c.transaction_time).where(fhir_loads.c.scope == scope, fhir_loads.c.state == "complete")
    found = tx.execute(query.order_by(fhir_loads.c.started_at.desc()).limit(1)).scalar_one_or_none()
    return found if found is None else str(found)
