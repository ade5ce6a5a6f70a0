"""Writes down what documents have left where, before anything of it goes: what the verifier looks for afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.evidence import Evidence, trace
from pipeline.domain.points import PointFilter, StoredPoint
from pipeline.jobs.deletion.landed import Landed
from pipeline.jobs.deletion.probe_file import SAMPLES_A_DOCUMENT, keep_probes
from pipeline.storage import collections, deletions, erasure
from pipeline.wiring import Services, is_of_family

_Points = dict[str, dict[int, set[UUID]]]


def store_names(services: Services) -> list[str]:
    """Return every collection in the store that may hold points of this home, retired ones too; the live one comes last."""
    with services.db.read() as tx:
        recorded = {one.name for one in collections.listed(tx)}
    family = services.settings.collection
    names = [name for name in services.catalog.names() if name in recorded or is_of_family(name, family)]
    return sorted(names, key=lambda name: (name == services.live().collection, name))


def keep_evidence(services: Services, deletion_id: UUID, ids: Sequence[UUID], landed: Mapping[UUID, Landed], *, but: set[UUID]) -> None:
    """Write down what documents left, and keep a sample of their vectors. What was written down before a kill stays.

    Args:
        services: The home.
        deletion_id: The request.
        ids: Documents.
        landed: What landing holds of each.
        but: Documents that go with them: a text that only these have is nobody else's.
    """
    points: dict[UUID, _Points] = {one: {} for one in ids}
    samples: list[StoredPoint] = []
    for name in store_names(services):
        with services.catalog.open(name).session() as index:
            for one in ids:
                where = PointFilter(document_ids=(one,))
                for point in index.scan(where):
                    _add(points[one], name, point.payload.get("generation"), point.id)
                samples += islice(index.scan(where, batch_size=SAMPLES_A_DOCUMENT, vectors=True), SAMPLES_A_DOCUMENT)
    keep_probes(services, deletion_id, samples)
    with services.db.begin() as tx:
        for one in ids:
            _add_known(tx, services, points[one], one)
            deletions.keep_evidence(tx, deletion_id, one, _evidence(tx, services, one, points[one], landed[one], but))


def _add(points: _Points, name: str, generation: object, point: UUID | int) -> None:
    if isinstance(point, UUID):  # a number is of somebody else's point: it goes with the filter
        points.setdefault(name, {}).setdefault(generation if isinstance(generation, int) else 0, set()).add(point)


def _add_known(tx: Connection, services: Services, points: _Points, document: UUID) -> None:
    """Add what truth knows of points: one whose payload is not ours any more is found by its id alone."""
    seen = {one for by_generation in points.values() for ids in by_generation.values() for one in ids}
    for generation, ids in erasure.points_of(tx, document).items():
        for one in ids:
            if one not in seen:
                _add(points, services.collection, generation, one)


def _evidence(tx: Connection, services: Services, document: UUID, points: _Points, landed: Landed, but: set[UUID]) -> Evidence:
    secret = services.secret
    texts = erasure.texts_of(tx, document)
    alone = texts - erasure.texts_elsewhere(tx, texts, but)
    return Evidence(
        points={name: {number: tuple(sorted(ids)) for number, ids in by.items()} for name, by in points.items()},
        landed=tuple(sorted(trace(secret, one) for one in landed.objects)),
        texts=tuple(sorted(trace(secret, one) for one in alone)),
        readings=tuple(sorted(trace(secret, one.reading_key) for one in landed.readings)),
        rows={},
    )
