"""Removes what is left of tombstoned documents, store by store. Each part may be run any number of times and ends in the same state."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from pipeline.domain.errors import WriteVerificationError
from pipeline.domain.points import PointFilter
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import DocumentState, Source
from pipeline.jobs.deletion.evidence import store_names
from pipeline.jobs.plans.model import plans_folder
from pipeline.jobs.plans.undo_file import forget_documents
from pipeline.storage import collections, deletions, erasure, fhir_erasure, index_state, suppressions
from pipeline.storage.deletions import DeletedDocument
from pipeline.wiring import Services, utc_now

_IDS_A_REQUEST = 1000


def purge_points(services: Services, documents: Sequence[DeletedDocument]) -> None:
    """Remove the points of documents of all generations from every collection of the store: by filter, and by the ids written down.

    Raises:
        WriteVerificationError: Some are still there.
    """
    ids = tuple(one.document_id for one in documents)
    recorded = sorted({point for one in documents if one.evidence for point in one.evidence.point_ids})
    for name in store_names(services):
        with services.catalog.open(name).session() as index:
            if index.count(PointFilter(document_ids=ids)):
                index.delete_matching(PointFilter(document_ids=ids))
            for start in range(0, len(recorded), _IDS_A_REQUEST):
                _remove_by_id(index, recorded[start : start + _IDS_A_REQUEST])


def _remove_by_id(index: VectorIndex, ids: Sequence[UUID]) -> None:
    """Remove points that the filter did not reach: their payloads are not ours any more."""
    found = [point.id for point in index.retrieve(ids)]
    if not found:
        return
    index.delete_points(found)
    if left := len(index.retrieve(found)):
        raise WriteVerificationError(f"{left} of {len(found)} points are still there after their deletion")


def purge_cache(services: Services, ids: Sequence[UUID]) -> None:
    """Remove the vectors of texts that only these documents have. Before truth's rows go: these name the texts."""
    gone = set(ids)
    with services.db.read() as tx:
        texts = {text for one in ids for text in erasure.texts_of(tx, one)}
        alone = texts - erasure.texts_elsewhere(tx, texts, gone)
    services.cache.delete_many(sorted(alone))


def sweep_cache(services: Services) -> None:
    """Remove the vectors of texts that no document has: earlier versions of what was deleted are among them, and nobody can say which."""
    unused: list[str] = []
    batch: set[str] = set()
    for text in services.cache.text_hashes():
        batch.add(text)
        if len(batch) >= _IDS_A_REQUEST:
            unused += _unused(services, batch)
            batch = set()
    unused += _unused(services, batch)
    if unused:
        services.cache.delete_many(unused)


def _unused(services: Services, texts: set[str]) -> list[str]:
    with services.db.read() as tx:
        return sorted(texts - erasure.texts_elsewhere(tx, texts))


def purge_rows(services: Services, deletion_id: UUID, ids: Sequence[UUID]) -> None:
    """Remove what truth holds of documents but their bare rows, in one commit, and say that nothing is left."""
    now = utc_now()
    with services.db.begin() as tx:
        suppressions.in_turn(tx, alone=True)
        names = [one.name for one in collections.existing(tx)]
        keys = erasure.source_keys(tx, ids)
        for one in ids:
            rows = erasure.remove_rows(tx, one)
            for name in names:
                index_state.mark(tx, one, DocumentState.DELETED, now, collection=name)
            source, key = keys[one]
            more = fhir_erasure.forget_resources(tx, [key]) if source == Source.FHIR else {}
            for table, count in (erasure.forget_names(tx, source, [key]) | more).items():
                rows[table] = rows.get(table, 0) + count
            deletions.set_erased(tx, deletion_id, one, rows)
        erasure.remove_unused_conditions(tx)


def purge_undo_files(services: Services, documents: Sequence[DeletedDocument]) -> None:
    """Take documents out of the files that undo repairs: these hold vectors and payloads."""
    folder = plans_folder(services)
    if folder.is_dir():
        points = [point for one in documents if one.evidence for point in one.evidence.point_ids]
        forget_documents(folder, [one.document_id for one in documents], points=points)


def expunge(services: Services) -> None:
    """Rewrite index, truth and cache so that what was deleted cannot be read from their files."""
    for name in store_names(services):
        with services.catalog.open(name).session() as index:
            index.expunge()
    services.db.scour()
    services.cache.scour()
