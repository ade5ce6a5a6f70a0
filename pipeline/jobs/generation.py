"""Writes new generations beside the old ones, verifies them, flips, and removes the old: DESIGN's four steps for one batch.

Killed between any two statements, every document is served old-complete or new-complete, and the next run finishes the work.
"""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from pipeline.domain.digest import digest_of
from pipeline.domain.errors import WriteVerificationError
from pipeline.domain.identifiers import point_id, text_hash
from pipeline.domain.points import DenseModel, Payload, Point, PointFilter, SparseVector, payload_hash
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vector_marks import NO_TERMS, dense_marks, sparse_marks
from pipeline.jobs.payloads import build_payload
from pipeline.jobs.prepare import Prepared
from pipeline.observability import log_event
from pipeline.stages.assemble import table_rows
from pipeline.storage import chunks as chunk_store
from pipeline.storage import citation_archive, erasure, file_rows, index_state
from pipeline.storage.chunks import ChunkRow
from pipeline.wiring import Services, utc_now

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNIT_TOLERANCE = 1e-3  # float32 rounding of 384 squares is below 1e-6; a flipped bit that matters is above


@dataclass(slots=True)
class Written:
    """What one batch did."""

    flipped: list[UUID] = field(default_factory=list)
    lost: list[UUID] = field(default_factory=list)  # another writer, or a deletion, was there first
    chunks: int = 0
    embedded: int = 0
    cached: int = 0
    points_written: int = 0
    points_deleted: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    def add_seconds(self, stage: str, since: float) -> float:
        """Add the time since ``since`` to a stage and return the time now."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - since
        return now


@dataclass(frozen=True, slots=True)
class _Claimed:
    """One document with the generation it was given and the points it becomes."""

    prepared: Prepared
    generation: int
    rows: list[ChunkRow]
    payloads: list[Payload] = field(repr=False)

    @property
    def document_id(self) -> UUID:
        return self.prepared.document.document_id


_Key = tuple[str, str]  # a model's fingerprint and a text's hash


@dataclass(frozen=True, slots=True)
class _Vectors:
    """What a text becomes in the index, and the numbers by which truth will know it again."""

    dense: NDArray[np.float32] = field(repr=False)
    sparse: SparseVector = field(repr=False)
    marks: tuple[float, float]


def write_generations(services: Services, batch: Sequence[Prepared]) -> Written:
    """Index a batch of prepared documents.

    Raises:
        WriteVerificationError: What was read back is not what was written; nothing of the batch was flipped.
    """
    written = Written()
    clock = time.monotonic()
    vectors: dict[_Key, _Vectors] = {}
    for model, texts in _texts_by_model(services, batch).items():
        dense = embed_texts(services, texts, written, model=model)
        clock = written.add_seconds("embed", clock)
        vectors.update(_vectors(services, texts, dense, model=model))
        clock = written.add_seconds("sparse", clock)
    claimed = _claim(services, batch, vectors, written)
    if written.lost:
        _forget_unclaimed(services, batch, set(written.lost))
    clock = written.add_seconds("claim", clock)
    points = [point for item in claimed for point in _points(services, item, vectors)]
    with services.index.session() as index:
        index.upsert(points)
        written.points_written += len(points)
        clock = written.add_seconds("upsert", clock)
        _verify(index, claimed)
        clock = written.add_seconds("verify", clock)
        _flip(services, claimed, written)
        clock = written.add_seconds("flip", clock)
        _remove_old(services, index, claimed, written)
    written.add_seconds("clean", clock)
    return written


def _texts_by_model(services: Services, batch: Sequence[Prepared]) -> dict[DenseModel, list[str]]:
    """Return what is to be embedded by each model: a document's kind decides."""
    texts: dict[DenseModel, list[str]] = defaultdict(list)
    for item in batch:
        texts[services.spec.dense_of(item.document.kind)].extend(chunk.embed_text for chunk in item.chunked.chunks)
    return texts


def _points(services: Services, item: _Claimed, vectors: dict[_Key, _Vectors]) -> Iterator[Point]:
    model = services.spec.dense_of(item.prepared.document.kind)
    for row, payload in zip(item.rows, item.payloads, strict=True):
        text = vectors[model.model, row.text_hash]
        yield Point(id=row.point_id, dense=text.dense, sparse=text.sparse, payload=payload, vector=model.vector)


def embed_texts(services: Services, texts: Sequence[str], written: Written, *, model: DenseModel) -> dict[str, NDArray[np.float32]]:
    """Return a model's vector for each distinct text, from the cache where it is known; new ones are cached."""
    by_hash = {text_hash(text): text for text in texts}
    vectors = _cached(services, list(by_hash), model)
    missing = [key for key in by_hash if key not in vectors]
    written.cached += len(by_hash) - len(missing)
    written.embedded += len(missing)
    if missing:
        fresh = services.embedder_of(model).embed_documents([by_hash[key] for key in missing])
        new = dict(zip(missing, fresh, strict=True))
        services.cache.put_many(new, fingerprint=model.model)
        vectors.update(new)
    return vectors


def _cached(services: Services, hashes: list[str], model: DenseModel) -> dict[str, NDArray[np.float32]]:
    """Return cached vectors; one that is no vector of the model's is forgotten, so that it is embedded again."""
    import numpy as np

    found = services.cache.get_many(hashes, fingerprint=model.model)
    damaged = [
        key
        for key, vector in found.items()
        if vector.shape != (model.dimensions,) or not abs(float(np.linalg.norm(vector)) - 1.0) < UNIT_TOLERANCE  # NaN compares false
    ]
    if damaged:
        services.cache.delete_many(damaged)
        log_event("cached_vectors_damaged", level=logging.WARNING, count=len(damaged))
    return {key: vector for key, vector in found.items() if key not in set(damaged)}


def _vectors(services: Services, texts: Sequence[str], dense: dict[str, NDArray[np.float32]], *, model: DenseModel) -> dict[_Key, _Vectors]:
    """Return what each distinct text becomes, by model and hash."""
    import numpy as np

    by_hash = {text_hash(text): text for text in texts}
    if not by_hash:
        return {}
    sparse = services.sparse.encode_documents(list(by_hash.values()))
    of_dense = dense_marks(np.stack([dense[key] for key in by_hash])).tolist()
    of_sparse = sparse_marks(sparse)
    return {
        (model.model, key): _Vectors(dense[key], terms, marks)
        for key, terms, marks in zip(by_hash, sparse, zip(of_dense, of_sparse, strict=True), strict=True)
    }


def _claim(services: Services, batch: Sequence[Prepared], vectors: dict[_Key, _Vectors], written: Written) -> list[_Claimed]:
    """Give each document its new generation and write the generation's chunk rows, in one commit, before any point is written."""
    claimed: list[_Claimed] = []
    now = utc_now()
    with services.db.begin() as tx:
        for item in sorted(batch, key=lambda one: one.document.document_id):
            generation = index_state.claim(tx, item.document.document_id, now, collection=services.collection)
            if generation is None:
                written.lost.append(item.document.document_id)
                continue
            rows, payloads = _rows(services, item, generation, vectors)
            chunk_store.insert_generation(tx, rows)
            claimed.append(_Claimed(item, generation, rows, payloads))
            written.chunks += len(rows)
    return claimed


def _forget_unclaimed(services: Services, batch: Sequence[Prepared], lost: set[UUID]) -> None:
    """Forget the vectors of documents that were deleted while they were embedded: their deletion may be over, and cannot do it any more."""
    texts = {text_hash(chunk.embed_text) for item in batch if item.document.document_id in lost for chunk in item.chunked.chunks}
    with services.db.read() as tx:
        unused = texts - erasure.texts_elsewhere(tx, texts)
    services.cache.delete_many(sorted(unused))


def _rows(services: Services, item: Prepared, generation: int, vectors: dict[_Key, _Vectors]) -> tuple[list[ChunkRow], list[Payload]]:
    document = item.document
    model = services.fingerprint_of(document.kind)
    rows: list[ChunkRow] = []
    payloads: list[Payload] = []
    for chunk in item.chunked.chunks:
        key = point_id(document.document_id, generation=generation, section=chunk.section.value, ordinal=chunk.ordinal, piece=chunk.piece)
        text = text_hash(chunk.embed_text)
        payload = build_payload(
            document_id=document.document_id,
            source=document.source,
            source_key=document.source_key,
            kind=document.kind.value,
            generation=generation,
            fingerprint=item.fingerprint,
            model=model,
            facets=document.facets,
            chunk=chunk,
            text_hash=text,
        )
        rows.append(ChunkRow(key, document.document_id, generation, chunk, text, payload_hash(payload), *vectors[model, text].marks))
        payloads.append(payload)
    return rows, payloads


def _verify(index: VectorIndex, claimed: Sequence[_Claimed]) -> None:
    """Read every written point back and compare its payload's hash with the one truth expects."""
    expected = {row.point_id: row.payload_hash for item in claimed for row in item.rows}
    if not expected:
        return
    found = {point.id: payload_hash(point.payload) for point in index.retrieve(list(expected))}
    wrong = sum(1 for key, value in expected.items() if found.get(key) != value)
    if wrong:
        raise WriteVerificationError(
            f"{wrong} of {len(expected)} points of {len(claimed)} documents did not read back as written; nothing was made live",
            remedy="Run `clindex index` again; if it repeats, check the vector store's disk and version.",
        )


def _flip(services: Services, claimed: Sequence[_Claimed], written: Written) -> None:
    """Make all generations of the batch live in one commit."""
    now = utc_now()
    with services.db.begin() as tx:
        shown = citation_archive.shown_generations(tx, [item.document_id for item in claimed], collection=services.collection)
        for item in claimed:
            new = index_state.Flip(
                document_id=item.document_id,
                generation=item.generation,
                fingerprint=item.prepared.fingerprint,
                facets_hash=item.prepared.document.facets_hash,
                recipe=item.prepared.recipe,
                chunks=len(item.rows),
                digest=digest_of((row.point_id, row.payload_hash) for row in item.rows),
                without_terms=sum(row.sparse_mark == NO_TERMS for row in item.rows),
            )
            if index_state.flip(tx, new, now, collection=services.collection):
                chunk_store.insert_account(tx, item.document_id, item.generation, item.prepared.chunked, version=item.prepared.version)
                file_rows.insert_table_rows(tx, item.document_id, item.generation, table_rows(item.prepared.document))
                if (old := shown.get(item.document_id)) is not None:
                    keep = services.settings.citation_versions
                    citation_archive.supersede(tx, item.document_id, old, item.generation, now, keep=keep)
                written.flipped.append(item.document_id)
            else:
                chunk_store.delete_generation(tx, item.document_id, item.generation)
                written.lost.append(item.document_id)


def _remove_old(services: Services, index: VectorIndex, claimed: Sequence[_Claimed], written: Written) -> None:
    """Delete what is no longer live, verify that it is gone, then forget its chunk rows.

    A writer removes only generations below its own, or its own when it lost: never what a later writer may have written.
    """
    flipped = set(written.flipped)
    for item in claimed:
        own = PointFilter(document_ids=(item.document_id,), generation=item.generation)
        old = PointFilter(document_ids=(item.document_id,), generation_below=item.generation)
        written.points_deleted += delete_counted(index, old if item.document_id in flipped else own)
        if item.document_id in flipped:
            written.points_deleted += _remove_strays(services, index, item)
    now = utc_now()
    with services.db.begin() as tx:
        for item in claimed:
            if item.document_id in flipped:
                chunk_store.delete_generations_below(tx, item.document_id, item.generation)
                index_state.finish_cleaning(tx, item.document_id, item.generation, now, collection=services.collection)


def _remove_strays(services: Services, index: VectorIndex, item: _Claimed) -> int:
    """Remove points of generations that truth never gave out (it was made anew, or restored from an older copy). Returns how many.

    What a later writer has put there was claimed before it was written: it is seen here, and nothing is removed.
    """
    everything = PointFilter(document_ids=(item.document_id,))
    if index.count(everything) == len(item.rows):
        return 0
    own = {row.point_id for row in item.rows}
    strays = [point.id for point in index.scan(everything) if point.id not in own]
    with services.db.read() as tx:
        row = index_state.get_many(tx, [item.document_id], collection=services.collection)[item.document_id]
    if row.live_generation != item.generation or row.writing_generation is not None:
        return 0
    index.delete_points(strays)
    return len(strays)


def delete_counted(index: VectorIndex, where: PointFilter) -> int:
    """Delete matching points where there are any, verified; return how many there were."""
    there = index.count(where)
    if there:
        index.delete_matching(where)
    return there
