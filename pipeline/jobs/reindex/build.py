"""A candidate collection beside the live one: recorded, made, filled, and brought up to what truth says meanwhile.

Killed anywhere, the same command goes on: what is in the candidate already is found by its fingerprint, as in any index run.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Final

from sqlalchemy import Connection

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.points import CollectionSpec
from pipeline.domain.vocabulary import CollectionRole, DocumentState, RunKind
from pipeline.jobs.index import run_index
from pipeline.jobs.index_plan import plan_index
from pipeline.jobs.summaries import IndexSummary
from pipeline.observability import log_event
from pipeline.storage import collections, index_state
from pipeline.storage.collections import CollectionRecord
from pipeline.wiring import Services, utc_now

_TRIED: Final = (DocumentState.FAILED, DocumentState.QUARANTINED)


def require_candidate(services: Services) -> CollectionRecord:
    """Return the collection that is being built.

    Raises:
        UsageError: There is none.
    """
    record = services.candidate()
    if record is None:
        raise UsageError("there is no candidate collection", remedy="`clindex reindex --candidate --reason TEXT` builds one.")
    return record


def open_candidate(services: Services, *, reason: str) -> CollectionRecord:
    """Return the candidate for what the settings say now; a new one is recorded first, so that whatever is killed later is found again.

    Raises:
        GuardRefusedError: One is being built for another model, sparse encoder or payload.
    """
    taken = set(services.catalog.names())
    spec = services.spec
    with services.db.begin() as tx:
        record = collections.newest(tx, CollectionRole.CANDIDATE)
        if record is None:
            record = _new(services, replace(spec, name=free_name(tx, services.settings.collection, taken)), reason)
            collections.add(tx, record)
    if record.spec != replace(spec, name=record.name):
        raise GuardRefusedError(
            f"the candidate {record.name} is being built for another model, sparse encoder or payload than the settings name",
            remedy="`clindex reindex --abandon` removes it; then build one for these settings.",
        )
    with services.at(record).index.session() as index:
        index.create(record.spec)
    log_event("candidate_ready", collection=record.name)
    return record


def _new(services: Services, spec: CollectionSpec, reason: str) -> CollectionRecord:
    return CollectionRecord(
        name=spec.name,
        role=CollectionRole.CANDIDATE,
        model=spec.model,
        dimensions=spec.dimensions,
        sparse=spec.sparse,
        payload_version=spec.payload_version,
        settings=services.collection_settings(),
        reason=reason,
        created_at=utc_now(),
    )


def free_name(tx: Connection, first: str, taken: set[str]) -> str:
    """Return the next name of the family. One is never used twice, and one that somebody else has in the store is left alone."""
    known = {record.name for record in collections.listed(tx)}
    return next(name for number in count(2) if (name := f"{first}-{number}") not in known and name not in taken)


def fill(services: Services, record: CollectionRecord, *, reason: str | None = None) -> IndexSummary:
    """Index into a candidate what it does not hold as truth has it now."""
    return run_index(services.at(record), reason=reason, kind=RunKind.REINDEX)


def behind(services: Services, record: CollectionRecord) -> int:
    """Return how many documents a collection does not hold as truth has them now.

    What failed or is held back counts only if it changed since: trying it again would end the same way, and the gate's other checks see it.
    """
    there = services.at(record)
    ids = [document for _, document in plan_index(there).work]
    with services.db.read() as tx:
        rows = index_state.get_many(tx, ids, collection=record.name)
        untried = collections.untried(tx, record.name)
    return sum(1 for row in rows.values() if row.tombstoned or row.state not in _TRIED) + untried
