"""The smaller writes of indexing: payload updates, finishing a killed run's clean-up, removing deleted documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pipeline.domain.errors import WriteVerificationError
from pipeline.domain.points import Payload, PointFilter, payload_hash
from pipeline.domain.vocabulary import DocumentState
from pipeline.jobs.generation import delete_counted
from pipeline.jobs.payloads import build_payload
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services, utc_now


def expected_payloads(services: Services, row: IndexRow) -> list[tuple[UUID, Payload]]:
    """Return what the payloads of a live document must be by truth, by point."""
    if row.live_generation is None or row.live_fingerprint is None:
        return []
    with services.db.read() as tx:
        facets = index_state.facets_of(tx, [row.document_id])[row.document_id]
        stored = chunk_store.rows_of_generation(tx, row.document_id, row.live_generation)
    return [
        (
            one.point_id,
            build_payload(
                document_id=row.document_id,
                source=row.source,
                source_key=row.source_key,
                kind=row.kind,
                generation=one.generation,
                fingerprint=row.live_fingerprint,
                model=services.model_fingerprint,
                facets=facets,
                chunk=one.chunk,
                text_hash=one.text_hash,
            ),
        )
        for one in stored
    ]


def update_payloads(services: Services, rows: Sequence[IndexRow]) -> int:
    """Write the current filter fields onto the points of documents whose text did not change. Embeds nothing.

    The expected hashes are committed only after the points read back right; a kill before that leaves the old facets hash, so that the
    next run does it again.
    """
    updated = 0
    for row in rows:
        payloads = expected_payloads(services, row)
        with services.index.session() as index:
            index.set_payload(payloads)
            found = {point.id: payload_hash(point.payload) for point in index.retrieve([key for key, _ in payloads])}
        hashes = [(key, payload_hash(payload)) for key, payload in payloads]
        wrong = sum(1 for key, value in hashes if found.get(key) != value)
        if wrong:
            raise WriteVerificationError(
                f"{wrong} of {len(hashes)} payloads of document {row.document_id} did not read back as written",
                remedy="Run `clindex reconcile --repair`: points may be missing.",
            )
        with services.db.begin() as tx:
            chunk_store.set_payload_hashes(tx, hashes)
            index_state.set_facets_live(tx, row.document_id, row.live_generation or 0, row.facets_hash, utc_now())
        updated += len(hashes)
    return updated


def finish_clean(services: Services, rows: Sequence[IndexRow]) -> int:
    """Remove what a killed run left of earlier generations. Returns how many points there were."""
    removed = 0
    for row in rows:
        if row.live_generation is None:
            continue
        with services.index.session() as index:
            removed += delete_counted(index, PointFilter(document_ids=(row.document_id,), generation_below=row.live_generation))
        with services.db.begin() as tx:
            chunk_store.delete_generations_below(tx, row.document_id, row.live_generation)
            index_state.mark(tx, row.document_id, DocumentState.CLEANING, utc_now())
            index_state.finish_cleaning(tx, row.document_id, row.live_generation, utc_now())
    return removed


def remove_documents(
    services: Services, ids: Sequence[UUID], *, state: DocumentState = DocumentState.DELETED, category: str | None = None
) -> int:
    """Take documents out of the index: unsearchable first, then their points of all generations, verified. Returns how many points."""
    now = utc_now()
    with services.db.begin() as tx:
        for document in ids:
            interim = DocumentState.DELETING if state is DocumentState.DELETED else state
            index_state.withdraw(tx, document, interim, now, category=category)
    removed = 0
    with services.index.session() as index:
        for document in ids:
            removed += delete_counted(index, PointFilter(document_ids=(document,)))
    with services.db.begin() as tx:
        for document in ids:
            chunk_store.delete_document(tx, document)
            index_state.mark(tx, document, state, utc_now(), category=category)
    return removed
