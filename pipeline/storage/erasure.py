"""What truth holds of documents that are deleted for good: found before, removed after. A bare row stays, so that the id is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, delete, exists, func, select, update

from pipeline.domain.vocabulary import DocumentState
from pipeline.storage.citation_tables import cited_texts, cited_versions
from pipeline.storage.retrieval_tables import feedback
from pipeline.storage.study_tables import conditions, studies, study_conditions
from pipeline.storage.tables import (
    chunk_accounts,
    chunks,
    crawls,
    document_figures,
    document_identifiers,
    document_pages,
    documents,
    index_state,
    listing,
    quarantine,
    run_outcomes,
    table_rows,
)

_IN_BATCH: Final = 500

#: Everything that hangs on a document but the tables of its study, which go with ``studies`` (ON DELETE CASCADE).
_CHILDREN: Final = (
    chunks,
    table_rows,
    chunk_accounts,
    cited_versions,
    cited_texts,
    document_pages,
    document_figures,
    document_identifiers,
    quarantine,
    feedback,
    studies,
)


def documents_of_patient(tx: Connection, *pseudonyms: str) -> list[UUID]:
    """Return every document of a patient that truth knows, of all sources, tombstoned ones too; a patient may have several pseudonyms."""
    found: set[UUID] = set()
    for batch in _batches(sorted(set(pseudonyms))):
        query = select(documents.c.document_id).where(documents.c.facets["patient"].as_string().in_(batch))
        found.update(tx.execute(query).scalars())
    return sorted(found)


def bare_among(tx: Connection, ids: Sequence[UUID]) -> set[UUID]:
    """Return which of these documents are erased already: nothing but their row is left."""
    found: set[UUID] = set()
    for batch in _batches(ids):
        query = select(documents.c.document_id).where(documents.c.document_id.in_(batch), documents.c.payload_sha256 == "")
        found.update(tx.execute(query).scalars())
    return found


def points_of(tx: Connection, document_id: UUID) -> dict[int, list[UUID]]:
    """Return the ids of a document's points by generation, as truth knows them."""
    found: dict[int, list[UUID]] = {}
    query = select(chunks.c.generation, chunks.c.point_id).where(chunks.c.document_id == document_id)
    for row in tx.execute(query.order_by(chunks.c.generation, chunks.c.point_id)):
        found.setdefault(row.generation, []).append(row.point_id)
    return found


def texts_of(tx: Connection, document_id: UUID) -> set[str]:
    """Return the hashes of everything of a document that was embedded, of all generations that truth still has."""
    return set(tx.execute(select(chunks.c.text_hash).where(chunks.c.document_id == document_id)).scalars())


def texts_elsewhere(tx: Connection, hashes: Collection[str], but: Collection[UUID] = ()) -> set[str]:
    """Return which of these texts stand in a chunk of a document other than ``but``."""
    gone = set(but)
    found: set[str] = set()
    for batch in _batches(sorted(hashes)):
        query = select(chunks.c.text_hash, chunks.c.document_id).where(chunks.c.text_hash.in_(batch)).distinct()
        found.update(row.text_hash for row in tx.execute(query) if row.document_id not in gone)
    return found


def payloads_elsewhere(tx: Connection, source: str, but: Collection[UUID]) -> set[bytes]:
    """Return the SHA-256 (32 bytes each) of what landing holds of a source's documents other than ``but``, as they are now."""
    gone = set(but)
    query = select(documents.c.document_id, documents.c.payload_sha256).where(documents.c.source == source)
    rows = tx.execution_options(yield_per=5000).execute(query)
    return {bytes.fromhex(row.payload_sha256) for row in rows if row.document_id not in gone}


def payloads_named(tx: Connection, source: str, keys: Mapping[str, UUID]) -> dict[UUID, set[str]]:
    """Return what truth and listings name of documents in landing, by SHA-256; ``keys``: their ids by source key."""
    found: dict[UUID, set[str]] = {}
    for batch in _batches(sorted(keys)):
        of_documents = select(documents.c.source_key, documents.c.payload_sha256).where(documents.c.source == source)
        listed = select(listing.c.source_key, listing.c.payload_sha256).join(crawls, crawls.c.crawl_id == listing.c.crawl_id)
        for query, key in ((of_documents, documents.c.source_key), (listed.where(crawls.c.source == source), listing.c.source_key)):
            for row in tx.execute(query.where(key.in_(batch))):
                if row.payload_sha256:
                    found.setdefault(keys[row.source_key], set()).add(row.payload_sha256)
    return found


def images_elsewhere(tx: Connection, hashes: Collection[str], but: Collection[UUID]) -> set[str]:
    """Return which of these pictures documents other than ``but`` have."""
    gone = set(but)
    found: set[str] = set()
    for batch in _batches(sorted(hashes)):
        query = select(document_figures.c.image_sha256, document_figures.c.document_id).where(document_figures.c.image_sha256.in_(batch))
        found.update(row.image_sha256 for row in tx.execute(query) if row.document_id not in gone)
    return found


def images_of(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, set[str]]:
    """Return the pictures of documents, by their SHA-256."""
    found: dict[UUID, set[str]] = {}
    for batch in _batches(ids):
        query = select(document_figures.c.document_id, document_figures.c.image_sha256).where(
            document_figures.c.document_id.in_(batch), document_figures.c.image_sha256.is_not(None)
        )
        for row in tx.execute(query):
            found.setdefault(row.document_id, set()).add(row.image_sha256)
    return found


def withdraw(tx: Connection, ids: Sequence[UUID], now: datetime) -> None:
    """Make documents unsearchable in every collection: nothing of them is live, and no writer that began earlier can flip them back."""
    values = {"state": DocumentState.DELETING.value, "updated_at": now, **_NOTHING_LIVE}
    for batch in _batches(ids):
        tx.execute(update(index_state).where(index_state.c.document_id.in_(batch)).values(**values))


def remove_rows(tx: Connection, document_id: UUID) -> dict[str, int]:
    """Remove what truth holds of a tombstoned document, in the caller's transaction. Its row stays bare, and so do releases and holds.

    Returns:
        How many rows went, by table; what is empty is left out.
    """
    gone = {one.name: tx.execute(delete(one).where(one.c.document_id == document_id)).rowcount for one in _CHILDREN}
    tx.execute(update(documents).where(documents.c.document_id == document_id, documents.c.tombstoned_at.is_not(None)).values(**_BARE))
    return {name: count for name, count in gone.items() if count}


def forget_names(tx: Connection, source: str, keys: Sequence[str]) -> dict[str, int]:
    """Forget where listings and runs met documents of a source: places, and values beside them. Counts stay what they were."""
    gone = {"listing": 0, "run_outcomes": 0}
    mine = select(crawls.c.crawl_id).where(crawls.c.source == source)
    for batch in _batches(keys):
        listed = listing.c.source_key.in_(batch), listing.c.crawl_id.in_(mine)
        gone["listing"] += tx.execute(delete(listing).where(*listed)).rowcount
        blank = {"source_key": None, "value": None, "origin": None}
        gone["run_outcomes"] += tx.execute(update(run_outcomes).where(run_outcomes.c.source_key.in_(batch)).values(**blank)).rowcount
    return {name: count for name, count in gone.items() if count}


def remove_unused_conditions(tx: Connection) -> int:
    """Remove names of conditions that no study has, also those that only an earlier version of one had; takers must be kept out meanwhile."""
    used = exists().where(study_conditions.c.condition_id == conditions.c.condition_id)
    return tx.execute(delete(conditions).where(~used)).rowcount


def source_keys(tx: Connection, ids: Sequence[UUID]) -> dict[UUID, tuple[str, str]]:
    """Return source and key of documents, bare ones too."""
    found: dict[UUID, tuple[str, str]] = {}
    for batch in _batches(ids):
        query = select(documents.c.document_id, documents.c.source, documents.c.source_key).where(documents.c.document_id.in_(batch))
        found.update({row.document_id: (row.source, row.source_key) for row in tx.execute(query)})
    return found


def count_chunks(tx: Connection, ids: Sequence[UUID]) -> int:
    """Return how many chunks truth has of documents, of all generations."""
    return sum(
        tx.execute(select(func.count()).select_from(chunks).where(chunks.c.document_id.in_(batch))).scalar_one() for batch in _batches(ids)
    )


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[start : start + _IN_BATCH] for start in range(0, len(items), _IN_BATCH)]


_NOTHING_LIVE: Final[dict[str, Any]] = {
    "writing_generation": None,
    "live_generation": None,
    "live_fingerprint": None,
    "live_facets_hash": None,
    "live_recipe": None,
    "live_digest": None,
    "live_without_terms": None,
    "live_chunks": 0,
    "error_category": None,
}

_BARE: Final[dict[str, Any]] = {
    "title": "",
    "payload_sha256": "",
    "content_hash": "",
    "facets_hash": "",
    "facets": {},
    "root": None,
}
