"""Gathers what the guards judge a plan's deletions by: from truth, and from the payloads of a sample of the points to be deleted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import Connection

from pipeline.domain.points import PointFilter, StoredPoint
from pipeline.domain.ports import VectorIndex
from pipeline.domain.vocabulary import RunKind, Source
from pipeline.jobs.drift.merge import document_of
from pipeline.jobs.guards import Evidence
from pipeline.jobs.plans.findings import in_batches
from pipeline.storage import collections, documents, plan_evidence, runs
from pipeline.wiring import Services, utc_now

_READ: Final = 1000  # points a request
#: Jobs that change truth or the live collection. A candidate that is built beside it changes neither; a promotion has a guard of its own.
_WRITERS: Final = frozenset(
    {RunKind.INGEST, RunKind.INGEST_DOCUMENTS, RunKind.LOAD_FHIR, RunKind.INGEST_FHIR, RunKind.INDEX, RunKind.DELETE}
)


@dataclass(frozen=True, slots=True)
class Deletions:
    """What a plan deletes.

    Attributes:
        by_document: Points by the document that they name; ``None``: they name none.
        places: Source and kind of the documents that truth knows.
        sample: Ids of points to be deleted: all of them, or a random sample.
    """

    by_document: Counter[UUID | None]
    places: Mapping[UUID, tuple[str, str]]
    sample: Sequence[UUID | int]


def gather(services: Services, tx: Connection, index: VectorIndex, deletions: Deletions, *, points: int) -> Evidence:
    """Return the guards' evidence; reads only."""
    by_source: Counter[str] = Counter()
    unknown = 0
    for document, count in deletions.by_document.items():
        if document is not None and document in deletions.places:
            by_source[deletions.places[document][0]] += count
        else:
            unknown += document is not None
    looked = _look(tx, index, deletions.sample)
    live = collections.live(tx)
    return Evidence(
        delete_points=deletions.by_document.total(),
        points=points,
        delete_by_source=dict(by_source),
        points_by_source={source: index.count(PointFilter(sources=(source,))) for source in by_source if source in set(Source)},
        live_documents=documents.live_count(tx),
        unknown_documents=unknown,
        newer_documents=looked.newer,
        looked_at=looked.points,
        twins=looked.twins,
        twin_documents=looked.twin_documents,
        incomplete=plan_evidence.incomplete_sources(tx, by_source.keys()),
        went_back=plan_evidence.sources_gone_back(tx, by_source.keys()),
        running=running_jobs(tx),
        live_collection=live.name if live else None,
        pointed=services.catalog.pointed(services.settings.collection),
    )


def running_jobs(tx: Connection) -> tuple[tuple[str, datetime], ...]:
    """Return the jobs that write at this moment, each with its beginning."""
    return tuple((run.kind, run.started_at) for run in runs.alive(tx, utc_now()) if run.kind in _WRITERS)


@dataclass(frozen=True, slots=True)
class _Looked:
    points: int
    newer: int
    twins: int
    twin_documents: int


def _look(tx: Connection, index: VectorIndex, sample: Sequence[UUID | int]) -> _Looked:
    """Read the sample's payloads and ask truth whether it knows their content under other ids, or is older than they are."""
    newer: set[UUID] = set()
    twins = 0
    owners: set[UUID | None] = set()
    seen = 0
    for batch in in_batches(sample, _READ):
        found = index.retrieve(batch)
        seen += len(found)
        newer |= _newer(tx, found)
        doubled = _twins(tx, found)
        twins += len(doubled)
        owners.update(doubled)
    return _Looked(seen, len(newer), twins, len(owners))


def _newer(tx: Connection, found: Collection[StoredPoint]) -> set[UUID]:
    """Return documents of points whose generation truth never gave out."""
    named = [(document, point.payload.get("generation")) for point in found if (document := document_of(point.payload)) is not None]
    given = plan_evidence.generations_given(tx, sorted({document for document, _ in named}))
    return {document for document, number in named if document in given and type(number) is int and number > given[document]}


def _twins(tx: Connection, found: Collection[StoredPoint]) -> list[UUID]:
    """Return, once a point, the document of each point whose text, source key or bytes belong to another document that is alive."""
    named = [(document, _text(point, "text_hash"), _key(point)) for point in found if (document := document_of(point.payload)) is not None]
    texts = plan_evidence.owners_of_texts(tx, {text for _, text, _ in named if text})
    keys = plan_evidence.owners_of_keys(tx, {key for _, _, key in named if key})
    bytes_again = plan_evidence.replaced_by_equals(tx, sorted({document for document, _, _ in named}))
    return [
        document
        for document, text, key in named
        if document in bytes_again or _another(texts.get(text), document) or _another(keys.get(key), document)
    ]


def _another(owners: set[UUID] | None, document: UUID) -> bool:
    """Whether the content is another document's and not this one's own."""
    return bool(owners) and document not in (owners or ())


def _text(point: StoredPoint, name: str) -> str:
    value = point.payload.get(name)
    return value if isinstance(value, str) else ""


def _key(point: StoredPoint) -> str:
    """Return the source key of a point's natural key (``key|SECTION|ordinal``)."""
    return _text(point, "natural_key").rsplit("|", 2)[0]
