"""Forgets cached vectors that are not the ones truth knows: a damaged vector must not be repaired from a damaged cache."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import numpy as np

from pipeline.domain.points import DenseModel
from pipeline.domain.vector_marks import DENSE_TOLERANCE, dense_marks
from pipeline.observability import log_event
from pipeline.storage import chunks as chunk_store
from pipeline.storage import index_state
from pipeline.wiring import Services

_DOCUMENTS: Final = 64  # some 2,000 chunks: 3 MB of vectors


def forget_damaged_vectors(services: Services, documents: Sequence[UUID]) -> int:
    """Compare the cached vectors of these documents' live chunks with truth's marks, and forget those that differ; returns how many.

    Length and unit length are checked wherever a vector is taken from the cache; this finds one that is well formed and wrong. A chunk without
    a mark (written before there were marks) cannot be compared.
    """
    return sum(_forget(services, documents[start : start + _DOCUMENTS]) for start in range(0, len(documents), _DOCUMENTS))


def _forget(services: Services, documents: Sequence[UUID]) -> int:
    marks: dict[DenseModel, dict[str, float]] = defaultdict(dict)
    with services.db.read() as tx:
        for key, row in index_state.get_many(tx, documents, collection=services.collection).items():
            if row.live_generation is not None:
                live = chunk_store.rows_of_generation(tx, key, row.live_generation)
                marks[services.spec.dense_of(row.kind)].update(
                    {one.text_hash: one.dense_mark for one in live if one.dense_mark is not None}
                )
    return sum(_forget_of(services, model, known) for model, known in marks.items())


def _forget_of(services: Services, model: DenseModel, marks: dict[str, float]) -> int:
    cached = services.cache.get_many(marks, fingerprint=model.model)
    known = [key for key, vector in cached.items() if vector.shape == (model.dimensions,)]
    if not known:
        return 0
    found = dense_marks(np.stack([cached[key] for key in known]))
    wrong = [key for key, mark in zip(known, found.tolist(), strict=True) if not abs(mark - marks[key]) <= DENSE_TOLERANCE]  # NaN differs
    if wrong:
        services.cache.delete_many(wrong)
        log_event("cached_vectors_damaged", level=logging.WARNING, count=len(wrong))
    return len(wrong)
