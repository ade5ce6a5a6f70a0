"""Documents that blocking expectations hold back, and what they break."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, func, select

from pipeline.domain.vocabulary import DocumentState, FailureCategory
from pipeline.jobs.quality.model import HeldBack
from pipeline.storage.collections import in_collection
from pipeline.storage.tables import documents, index_state, run_outcomes

_NAMED: Final = 100

_BLOCKED = (
    in_collection(None),
    index_state.c.state == DocumentState.FAILED.value,
    index_state.c.error_category == FailureCategory.QUALITY_BLOCKED.value,
    documents.c.tombstoned_at.is_(None),
)


def count(tx: Connection) -> int:
    """Return how many documents are held back from the live collection."""
    query = select(func.count()).select_from(index_state.join(documents, documents.c.document_id == index_state.c.document_id))
    return int(tx.execute(query.where(*_BLOCKED)).scalar_one())


def listed(tx: Connection) -> list[HeldBack]:
    """Return the first of them, in order of id, with what they broke last."""
    query = (
        select(documents.c.document_id, documents.c.source_key, documents.c.kind, index_state.c.updated_at)
        .join(index_state, documents.c.document_id == index_state.c.document_id)
        .where(*_BLOCKED)
        .order_by(documents.c.document_id)
        .limit(_NAMED)
    )
    found = list(tx.execute(query))
    said = select(run_outcomes.c.source_key, run_outcomes.c.value).where(
        run_outcomes.c.category == FailureCategory.QUALITY_BLOCKED.value,
        run_outcomes.c.source_key.in_([row.source_key for row in found]),
    )
    newest = {row.source_key: row.value for row in tx.execute(said.order_by(run_outcomes.c.id))}
    return [
        HeldBack(document_id=str(row.document_id), kind=row.kind, since=row.updated_at, broken=newest.get(row.source_key) or "")
        for row in found
    ]


def expectations_in(broken: str) -> list[str]:
    """Return the expectations that ``gate.named`` wrote, without their rows."""
    return [part.partition(": ")[0] for part in broken.split("; ") if part]
