"""The check that is cheap enough to run at every start: exact counts, and samples of both sides. It finds drift; ``reconcile`` proves there is none.

Counts find every point too many or too few and every vector that is lacking. What keeps the counts as they are (a payload that was changed,
one point for another) is found in samples, which begin somewhere else at each check.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.digest import MODULUS, point_digest
from pipeline.domain.points import CollectionInfo, PointFilter, payload_hash
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import CollectionRole
from pipeline.jobs.summaries import StartCheck, StartFinding
from pipeline.storage import chunks as chunk_store
from pipeline.storage import collections, digests
from pipeline.storage.digests import LiveDigest
from pipeline.wiring import Services

_DOCUMENTS: Final = 10  # in one request: some 400 points of studies
_WINDOW: Final = 200  # points in the order of their ids, from a random one
_ROUNDS: Final = 25  # at most: 250 documents and 5,000 points of windows, then enough was seen for a start
_ZERO: Final = UUID(int=0)


def start_check(services: Services) -> StartCheck:
    """Compare counts, and samples for as long as ``start_check_seconds`` allows. Changes nothing.

    Raises:
        StoreUnavailableError: The store does not answer.
    """
    began = time.monotonic()
    with services.index.session() as index, services.db.read() as tx:
        record = collections.get(tx, services.collection)
        info = index.describe(count=False)
        if record is None or info is None or info.spec is None:
            return StartCheck(
                verdict="unknown",
                collection=services.collection,
                expected_points=chunk_store.expected_count(tx, collection=services.collection),
                seconds=round(time.monotonic() - began, 3),
            )
        check = _Check(services, index, tx)
        check.names(info, record)
        check.counts()
        check.samples(until=began + services.settings.start_check_seconds)
    return check.result(time.monotonic() - began)


class _Check:
    """What one check has seen so far."""

    def __init__(self, services: Services, index: VectorIndex, tx: Connection) -> None:
        self._services = services
        self._collection = services.collection
        self._index = index
        self._tx = tx
        self._findings: set[StartFinding] = set()
        self._points = self._expected = self._lacking_dense = self._lacking_sparse = 0
        self._documents = self._read = 0

    def names(self, info: CollectionInfo, record: collections.CollectionRecord) -> None:
        """Compare what the collection was made for, and what other programs know it by."""
        if info.spec != record.spec:
            self._findings.add(StartFinding.SPEC)
        pointed = self._services.catalog.pointed(self._services.settings.collection)
        if record.role is CollectionRole.LIVE and pointed != self._collection:
            self._findings.add(StartFinding.POINTER)

    def counts(self) -> None:
        """Compare exact counts."""
        self._points = self._index.count()
        self._expected = chunk_store.expected_count(self._tx, collection=self._collection)
        if self._points != self._expected:
            self._findings.add(StartFinding.COUNT)
        may = digests.lacking_expected(self._tx, collection=self._collection)
        self._lacking_dense = self._index.lacking(dense=True)
        self._lacking_sparse = self._index.lacking(dense=False)
        if self._lacking_dense:
            self._findings.add(StartFinding.LACKING_DENSE)
        if not may.without_terms <= self._lacking_sparse <= may.without_terms + may.unmarked:
            self._findings.add(StartFinding.LACKING_SPARSE)

    def samples(self, *, until: float) -> None:
        """Compare documents and windows by turns, one round at least."""
        if any(isinstance(point.id, int) for point in islice(self._index.scan(batch_size=1), 1)):
            self._findings.add(StartFinding.UNEXPECTED_POINT)  # integers come first; we write none
        documents = self._batches_of_documents(_somewhere())
        for _ in range(_ROUNDS):
            batch = next(documents, [])
            if batch:
                self._compare_digests(batch)
            self._compare_window(_somewhere())
            if time.monotonic() >= until or not batch:
                return

    def _batches_of_documents(self, start: UUID) -> Iterator[Sequence[LiveDigest]]:
        """Yield every document once, in the order of ids, from ``start`` on and then from the first one."""
        for after, last in ((start, None), (_ZERO, start)):
            place = after
            while batch := digests.sample(self._tx, place, _DOCUMENTS, collection=self._collection, last=last):
                yield batch
                place = batch[-1].document_id

    def _compare_digests(self, batch: Sequence[LiveDigest]) -> None:
        """Add up the points of some documents as the index holds them."""
        sums = dict.fromkeys((str(one.document_id) for one in batch), 0)
        for point in self._index.scan(PointFilter(document_ids=tuple(one.document_id for one in batch))):
            self._read += 1
            key = str(point.payload.get("document_id"))
            if isinstance(point.id, UUID) and key in sums:
                sums[key] += point_digest(point.id, payload_hash(point.payload))
        self._documents += len(batch)
        if any((sums[str(one.document_id)] - int(one.digest, 16)) % MODULUS for one in batch):
            self._findings.add(StartFinding.DIGEST)

    def _compare_window(self, start: UUID) -> None:
        """Read points that follow each other; truth must know each of them as it is."""
        points = list(islice(self._index.scan(batch_size=_WINDOW, after=start), _WINDOW))
        self._read += len(points)
        ids = [point.id for point in points if isinstance(point.id, UUID)]
        known = chunk_store.expected_among(self._tx, ids, collection=self._collection)
        if len(set(ids)) != len(points) or any(each not in known for each in ids):
            self._findings.add(StartFinding.UNEXPECTED_POINT)
        for point in points:
            expected = known.get(point.id) if isinstance(point.id, UUID) else None
            if expected is not None and expected.payload_hash != payload_hash(point.payload):
                self._findings.add(StartFinding.DIGEST)

    def result(self, seconds: float) -> StartCheck:
        """Return the verdict with what was seen."""
        return StartCheck(
            verdict="drift" if self._findings else "clean",
            collection=self._collection,
            findings=sorted(self._findings),
            points=self._points,
            expected_points=self._expected,
            lacking_dense=self._lacking_dense,
            lacking_sparse=self._lacking_sparse,
            documents_checked=self._documents,
            points_read=self._read,
            seconds=round(seconds, 3),
        )


def _somewhere() -> UUID:
    return UUID(int=secrets.randbits(128))
