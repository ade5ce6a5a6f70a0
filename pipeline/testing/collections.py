"""A home's live collection, recorded without a store: for tests of truth alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pipeline.domain.vocabulary import CollectionRole
from pipeline.storage import collections
from pipeline.storage.collections import CollectionRecord
from pipeline.storage.engine import Database

LIVE: Final = "clindex"


def record_collection(db: Database, name: str = LIVE, role: CollectionRole = CollectionRole.LIVE) -> CollectionRecord:
    """Record a collection and return its record."""
    record = CollectionRecord(
        name=name,
        role=role,
        model="model",
        dimensions=8,
        sparse="sparse",
        payload_version="1",
        settings={},
        reason="test",
        created_at=datetime(2031, 5, 17, tzinfo=UTC),
    )
    with db.begin() as tx:
        collections.add(tx, record)
    return record
