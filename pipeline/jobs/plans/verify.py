"""Reads back what a repair wrote anew, number by number: payloads were verified when they were written, vectors are compared here."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.points import PointFilter
from pipeline.domain.vocabulary import DriftClass
from pipeline.jobs.drift.examine import examine
from pipeline.jobs.plans.findings import in_batches, read_findings
from pipeline.jobs.plans.reading import read_plan
from pipeline.storage import chunks as chunk_store
from pipeline.wiring import Services


def written_right(services: Services, path: str) -> bool:
    """Whether every point of the documents that a plan wrote anew has the vectors that truth has marks of.

    Only these documents are read; where one is not right, a deep comparison of everything names the points and their classes.
    """
    _, findings = read_plan(path, secret=services.secret)
    anew = {
        one.document_id for one in read_findings(findings) if one.expected and one.document_id and one.drift is not DriftClass.PAYLOAD_DRIFT
    }
    return all(_right(services, batch) for batch in in_batches(sorted(anew), services.settings.index_batch_documents))


def _right(services: Services, documents: list[UUID]) -> bool:
    with services.index.session() as index:
        points = index.scan(PointFilter(document_ids=tuple(documents)), vectors=True)
        found = {point.id: point.vectors for point in examine(points, dimensions=services.dimensions, further=services.spec.further)}
    with services.db.read() as tx:
        expected = chunk_store.expected_among(tx, [key for key in found if isinstance(key, UUID)], collection=services.collection)
    return all((vectors := found[key]) is not None and vectors.compared_with(want) is DriftClass.OK for key, want in expected.items())
