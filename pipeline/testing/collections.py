"""Collections of a home for tests: recorded without a store, or filled with a hash in the place of the dense model."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pipeline.domain.vocabulary import CollectionRole
from pipeline.settings import Settings
from pipeline.storage import collections
from pipeline.storage.collections import CollectionRecord
from pipeline.storage.engine import Database
from pipeline.testing.night_jobs import hashing_services

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


def recut(settings: Settings) -> Settings:
    """The same home's settings with another chunker: prose in smaller pieces, so that the texts of two collections can be told apart."""
    return settings.model_copy(update={"prose_target_tokens": 40})


def build_and_promote(settings: Settings) -> object:
    """Build a candidate by another chunker and let it go live; here because another process must find it by name."""
    from pipeline.jobs.reindex.candidate import run_candidate

    with hashing_services(recut(settings)) as services:
        return run_candidate(services, reason="test", go_live=True)


def retire_at_once(settings: Settings) -> object:
    """Remove the previous collections."""
    from pipeline.jobs.reindex.retire import retire

    with hashing_services(settings) as services:
        return retire(services, datetime.now(UTC), at_once=True)
