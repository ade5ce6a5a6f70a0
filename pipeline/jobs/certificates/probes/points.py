"""Looks for deleted points in every collection of the store: by id, by filter, and by asking with the deleted vectors themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final
from uuid import UUID

import numpy as np

from pipeline.domain.points import CollectionSpec, PointFilter, ScoredPoint, StoredPoint, StoredVectors
from pipeline.domain.ports import VectorIndex
from pipeline.jobs.certificates.probes.model import Findings, Probe, Subject
from pipeline.storage import collections
from pipeline.wiring import Services, is_of_family

_IDS_IN_REQUEST: Final = 1000
_DOCUMENTS_IN_FILTER: Final = 100
_SHOWN: Final = 20
# The deleted point itself would come first, at a distance of 0. Others come before it only where their texts are equal, as sentences of a
# form are: of 50 that is enough; the probes by id and by filter do not depend on it.
_NEIGHBOURS: Final = 50


def collection_names(services: Services, subjects: Sequence[Subject]) -> list[str]:
    """Return every collection that may hold points of this home: of its family in the store, of its records, of the evidence; only those that exist."""
    with services.db.read() as tx:
        recorded = {one.name for one in collections.listed(tx)}
    named = {name for subject in subjects for name in subject.evidence.points} | recorded
    return [name for name in services.catalog.names() if name in named or is_of_family(name, services.settings.collection)]


def probe_points(services: Services, looked_for: Sequence[tuple[Subject, Findings]]) -> list[str]:
    """Look for recorded ids, documents and patients in every collection. Returns the collections' names."""
    names = collection_names(services, [subject for subject, _ in looked_for])
    for subject, findings in looked_for:
        for probe in (Probe.POINTS_BY_ID, Probe.POINTS_BY_DOCUMENT, *([Probe.POINTS_BY_PATIENT] if subject.patient else [])):
            findings.add(probe, 0)
    for name in names:
        with services.catalog.open(name).session() as index:
            for subject, findings in looked_for:
                findings.add(Probe.POINTS_BY_ID, len(subject.evidence.point_ids), _by_id(index, name, subject))
                where = [PointFilter(document_ids=batch) for batch in _batches(subject.documents, _DOCUMENTS_IN_FILTER)]
                findings.add(Probe.POINTS_BY_DOCUMENT, len(subject.documents), _by_filter(index, name, where))
                if subject.patient:
                    findings.add(Probe.POINTS_BY_PATIENT, 1, _by_filter(index, name, [PointFilter(patients=(subject.patient,))]))
    return names


def probe_vectors(services: Services, subject: Subject, findings: Findings, vectors: Sequence[StoredPoint]) -> None:
    """Ask every collection with the deleted vectors: none of what is found may be of the deleted documents."""
    for probe in (Probe.POINTS_BY_TERM, Probe.POINTS_BY_NEIGHBOUR):
        findings.add(probe, 0)
        if not vectors and subject.evidence.point_ids:
            findings.impossible(probe, "the deleted vectors are not there")
    gone = {str(one) for one in subject.documents}
    ids = set(subject.evidence.point_ids)
    for name in collection_names(services, [subject]) if vectors else []:
        with services.catalog.open(name).session() as index:
            info = index.describe(count=False)
            for one in vectors:
                for probe, found in _asked(index, one, info.spec if info else None):
                    hits = (f"{name}/{hit.id}" for hit in found if hit.id in ids or hit.payload.get("document_id") in gone)
                    findings.add(probe, 1, hits)


def _asked(index: VectorIndex, point: StoredPoint, spec: CollectionSpec | None) -> Iterator[tuple[Probe, list[ScoredPoint]]]:
    vectors = point.vectors or StoredVectors(None, None)
    best: dict[str, Any] = {"limit": _NEIGHBOURS, "candidates": _NEIGHBOURS, "rrf_k": 1}
    if vectors.sparse is not None and vectors.sparse.indices:
        yield Probe.POINTS_BY_TERM, index.query(dense=None, sparse=vectors.sparse, where=PointFilter(), **best)
    if vectors.dense is not None and spec is not None and len(vectors.dense) == spec.dimensions_of(vectors.vector):
        # a collection of another model has no place for it
        dense = np.asarray(vectors.dense, dtype=np.float32)
        yield Probe.POINTS_BY_NEIGHBOUR, index.query(dense=dense, sparse=None, where=PointFilter(), using=vectors.vector, **best)


def _by_id(index: VectorIndex, name: str, subject: Subject) -> Iterator[str]:
    for batch in _batches(subject.evidence.point_ids, _IDS_IN_REQUEST):
        yield from (f"{name}/{point.id}" for point in index.retrieve(batch))


def _by_filter(index: VectorIndex, name: str, filters: Iterable[PointFilter]) -> Iterator[str]:
    for where in filters:
        count = index.count(where)
        shown = [f"{name}/{point.id}" for point in islice(index.scan(where), _SHOWN)] if count else []
        yield from shown
        yield from (f"{name}/…" for _ in range(count - len(shown)))


def _batches(ids: Sequence[UUID], size: int) -> Iterator[tuple[UUID, ...]]:
    for start in range(0, len(ids), size):
        yield tuple(ids[start : start + size])
