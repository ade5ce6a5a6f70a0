"""The smaller writes of indexing: payload updates, finishing a killed run's clean-up, removing deleted documents."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pipeline.domain.digest import digest_of
from pipeline.domain.documents import Facets
from pipeline.domain.errors import WriteVerificationError
from pipeline.domain.points import Payload, PointFilter, payload_hash
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DocumentState
from pipeline.jobs.generation import delete_counted
from pipeline.jobs.payloads import build_payload
from pipeline.storage import chunks as chunk_store
from pipeline.storage import citation_archive, index_state
from pipeline.storage.chunks import ChunkRow
from pipeline.storage.documents import load_documents
from pipeline.storage.index_state import IndexRow
from pipeline.wiring import Services, utc_now


def update_payloads(services: Services, ids: Sequence[UUID]) -> tuple[int, list[UUID]]:
    """Write the current filter fields onto the points of documents whose text did not change. Embeds nothing.

    The expected hashes are committed only after the points read back right; a kill before that leaves the old facets hash, so that the
    next run does it again.

    Returns:
        How many points were updated, and the documents whose points are missing or did not take it: they are to be written anew.
    """
    updated = 0
    broken: list[UUID] = []
    for document in ids:
        with services.index.session() as index:
            try:
                updated += _update_one(services, index, document)
            except WriteVerificationError:
                broken.append(document)
    return updated, broken


def _update_one(services: Services, index: VectorIndex, document: UUID) -> int:
    with services.db.read() as tx:
        row = index_state.get_many(tx, [document], collection=services.collection).get(document)
        if row is None or row.live_generation is None or row.tombstoned:
            return 0  # withdrawn since it was planned
        facets = load_documents(tx, [document])[document].facets
        stored = chunk_store.rows_of_generation(tx, document, row.live_generation)
    payloads = [(one.point_id, _payload(services, row, facets, one)) for one in stored]
    hashes = [(key, payload_hash(payload)) for key, payload in payloads]
    index.set_payload(payloads)
    found = {point.id: payload_hash(point.payload) for point in index.retrieve([key for key, _ in payloads])}
    wrong = sum(1 for key, value in hashes if found.get(key) != value)
    if wrong:
        raise WriteVerificationError(f"{wrong} of {len(hashes)} payloads of document {document} did not read back as written")
    with services.db.begin() as tx:
        chunk_store.set_payload_hashes(tx, hashes)
        index_state.set_facets_live(
            tx, document, row.live_generation, row.facets_hash, utc_now(), collection=services.collection, digest=digest_of(hashes)
        )
    return len(hashes)


def _payload(services: Services, row: IndexRow, facets: Facets, stored: ChunkRow) -> Payload:
    return build_payload(
        document_id=row.document_id,
        source=row.source,
        source_key=row.source_key,
        kind=row.kind,
        generation=stored.generation,
        fingerprint=row.live_fingerprint or "",
        model=services.fingerprint_of(row.kind),
        facets=facets,
        chunk=stored.chunk,
        text_hash=stored.text_hash,
    )


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
            index_state.finish_cleaning(tx, row.document_id, row.live_generation, utc_now(), collection=services.collection)
    return removed


def remove_documents(
    services: Services, ids: Sequence[UUID], *, state: DocumentState = DocumentState.DELETED, category: str | None = None
) -> int:
    """Take documents out of the index: unsearchable first, then their points of all generations, verified. Returns how many points.

    A document that came back since its deletion was planned is left alone, and a generation that is begun meanwhile is not touched.
    """
    interim = DocumentState.DELETING if state is DocumentState.DELETED else state
    now = utc_now()
    with services.db.begin() as tx:
        rows = index_state.get_many(tx, list(ids), collection=services.collection)
        chosen = [key for key in ids if key in rows and (state is not DocumentState.DELETED or rows[key].tombstoned)]
        given = {
            document: index_state.withdraw(tx, document, interim, now, collection=services.collection, category=category)
            for document in chosen
        }
    removed = 0
    with services.index.session() as index:
        for document, generation in given.items():
            removed += delete_counted(index, PointFilter(document_ids=(document,), generation_below=generation + 1))
            removed += _remove_unaccounted(services, index, document, generation)
    with services.db.begin() as tx:
        for document, generation in given.items():
            if index_state.is_withdrawn(tx, document, generation, collection=services.collection):
                chunk_store.delete_generations_below(tx, document, generation + 1)
                citation_archive.forget(tx, [document])  # deleted, or refused by the gate: nothing of it is shown
                index_state.mark(tx, document, state, utc_now(), collection=services.collection, category=category)
    return removed


def _remove_unaccounted(services: Services, index: VectorIndex, document: UUID, generation: int) -> int:
    """Remove points of generations that truth never gave out (it may be a restored, older copy), while nobody writes the document."""
    everything = PointFilter(document_ids=(document,))
    if index.count(everything) == 0:
        return 0
    with services.db.read() as tx:
        nobody_writes = index_state.is_withdrawn(tx, document, generation, collection=services.collection)
    return delete_counted(index, everything) if nobody_writes else 0
