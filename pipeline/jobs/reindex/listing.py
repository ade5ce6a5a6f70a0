"""The home's collections as a person wants to see them: roles, points, ages."""

from __future__ import annotations

from datetime import datetime

from pipeline.jobs.reindex.summaries import CollectionEntry, CollectionList, Verdict
from pipeline.storage import chunks as chunk_store
from pipeline.storage import collections
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services


def list_collections(services: Services, now: datetime) -> CollectionList:
    """Return every collection that the home ever had, the newest first; points are counted in the store."""
    with services.db.read() as tx:
        records = collections.listed(tx)
    there = set(services.catalog.names())
    pointed = services.catalog.pointed(services.settings.collection)
    return CollectionList(collections=[_entry(services, record, there, pointed, now) for record in records])


def _entry(services: Services, record: CollectionRecord, there: set[str], pointed: str | None, now: datetime) -> CollectionEntry:
    with services.db.read() as tx:
        expected = chunk_store.expected_count(tx, collection=record.name)
    points = None
    if record.name in there:
        with services.catalog.open(record.name).session() as index:
            info = index.describe()
        points = info.points if info else None
    return CollectionEntry(
        name=record.name,
        role=record.role.value,
        model=record.model,
        reason=record.reason,
        created_at=record.created_at.isoformat(),
        promoted_at=record.promoted_at.isoformat() if record.promoted_at else None,
        retired_at=record.retired_at.isoformat() if record.retired_at else None,
        age_days=(now - record.created_at).days,
        points=points,
        expected_points=expected,
        pointed=record.name == pointed,
        verdict=Verdict.model_validate(dict(record.verdict)) if record.verdict else None,
    )
