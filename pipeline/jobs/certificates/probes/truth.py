"""Looks for deleted documents in truth: in every table that refers to documents, whichever tables there will be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Table, and_, func, select

import pipeline.storage.citation_tables
import pipeline.storage.fhir_tables
import pipeline.storage.retrieval_tables
import pipeline.storage.study_tables  # noqa: F401  all register their tables: all of them are looked through
from pipeline.domain.vocabulary import DocumentState, NoticeCategory, Source
from pipeline.jobs.certificates.probes.model import Findings, Probe, Subject
from pipeline.storage import chunks, collections, fhir_erasure
from pipeline.storage.documents import load_documents
from pipeline.storage.proof_tables import deletion_documents, suppressions
from pipeline.storage.suppressions import patients_of
from pipeline.storage.tables import METADATA, crawls, documents, index_state, listing, run_outcomes
from pipeline.wiring import Services

_IN_BATCH: Final = 500

# The documents' own rows are probed by themselves; what a deletion wrote of itself names its documents on purpose.
_APART: Final = (documents.name, deletion_documents.name, index_state.name)
# Who let a document pass the gate, and when, is an audit's row of a person's act: hashes and counts, kept with what was deleted.
_AUDIT: Final = ("quarantine_releases",)


def probe_truth(services: Services, subject: Subject, findings: Findings) -> None:
    """Look into every table."""
    with services.db.read() as tx:
        for table in METADATA.sorted_tables:
            if "document_id" in table.c and table.name not in (*_APART, *_AUDIT):
                findings.add(Probe.TRUTH_ROWS, len(subject.documents), _rows(tx, table, subject.documents))
        findings.add(Probe.TRUTH_ROWS, len(subject.documents), _states(tx, subject.documents))
        keys = _document_rows(tx, subject, findings)
        findings.add(Probe.SOURCE_KEYS, len(keys), _source_keys(tx, keys))
        resources = {key for source, key in keys if source == Source.FHIR}
        findings.add(Probe.TRUTH_ROWS, len(resources), fhir_erasure.rows_of_resources(tx, resources))
        findings.add(Probe.SUPPRESSED, len(subject.documents), _unsuppressed(tx, subject))
        findings.add(Probe.HYDRATION, len(subject.evidence.point_ids), _hydrated(tx, subject))


def _rows(tx: Connection, table: Table, ids: Sequence[UUID]) -> Iterator[str]:
    """Yield one place a row, of every row that refers to one of the documents."""
    column = table.c.document_id
    for batch in _batches(ids):
        counted = select(column, func.count()).where(column.in_(batch)).group_by(column).order_by(column)
        for document_id, count in tx.execute(counted):
            yield from (f"{table.name}/{document_id}" for _ in range(count))


def _states(tx: Connection, ids: Sequence[UUID]) -> Iterator[str]:
    """Yield documents whose state in a collection is not that of a deleted one."""
    state = index_state.c
    for batch in _batches(ids):
        query = select(state.document_id, state.collection, state.state, state.live_generation, state.writing_generation)
        for row in tx.execute(query.where(state.document_id.in_(batch))):
            alive = row.live_generation is not None or row.writing_generation is not None
            if alive or row.state != DocumentState.DELETED.value:
                yield f"index_state/{row.collection}/{row.document_id}"


def _document_rows(tx: Connection, subject: Subject, findings: Findings) -> set[tuple[str, str]]:
    """Look at the documents' own rows. Returns source and key of those that are there."""
    keys: set[tuple[str, str]] = set()
    findings.add(Probe.TRUTH_DOCUMENT, 0)
    for batch in _batches(subject.documents):
        for row in tx.execute(select(documents).where(documents.c.document_id.in_(batch))):
            keys.add((row.source, row.source_key))
            findings.add(Probe.TRUTH_DOCUMENT, 1, [] if _is_bare(row) else [f"documents/{row.document_id}"])
    if subject.patient:
        names = sorted({subject.patient} | patients_of(tx, subject.deletion_id))
        patient = documents.c.facets["patient"].as_string().in_(names)
        of_patient = tx.execute(select(documents.c.document_id).where(patient).order_by(documents.c.document_id)).scalars()
        findings.add(Probe.TRUTH_DOCUMENT, 1, (f"documents/{one}" for one in of_patient))
        findings.add(Probe.TRUTH_ROWS, 1, fhir_erasure.rows_of_patients(tx, names))
    return keys


def _is_bare(row: Any) -> bool:
    hashes = row.payload_sha256 or row.content_hash or row.facets_hash
    return row.tombstoned_at is not None and not row.title and not hashes and not any((row.facets or {}).values())


def _source_keys(tx: Connection, keys: set[tuple[str, str]]) -> Iterator[str]:
    """Yield listings and outcomes that still name a deleted document. That a run refused to take it in again may be said."""
    names = sorted({key for _, key in keys})
    for batch in (names[start : start + _IN_BATCH] for start in range(0, len(names), _IN_BATCH)):
        listed = select(listing.c.crawl_id, crawls.c.source, listing.c.source_key).join(crawls, crawls.c.crawl_id == listing.c.crawl_id)
        for row in tx.execute(listed.where(listing.c.source_key.in_(batch))):
            if (row.source, row.source_key) in keys:
                yield f"listing/{row.crawl_id}"
        told = and_(run_outcomes.c.source_key.in_(batch), run_outcomes.c.category != NoticeCategory.SUPPRESSED.value)
        for number in tx.execute(select(run_outcomes.c.id).where(told)).scalars():
            yield f"run_outcomes/{number}"


def _unsuppressed(tx: Connection, subject: Subject) -> Iterator[str]:
    if subject.patient and _suppressed(tx, [subject.patient]):
        return
    names = [str(one) for one in subject.documents]
    yield from (f"suppressions/{one}" for one in sorted(set(names) - _suppressed(tx, names)))


def _suppressed(tx: Connection, subjects: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(subjects), _IN_BATCH):
        query = select(suppressions.c.subject).where(suppressions.c.subject.in_(subjects[start : start + _IN_BATCH]))
        found.update(tx.execute(query).scalars())
    return found


def _hydrated(tx: Connection, subject: Subject) -> Iterator[str]:
    """Yield what search would show for the recorded ids, by the names of all collections, and documents that are alive."""
    for record in collections.listed(tx):
        found = chunks.rows_by_point(tx, subject.evidence.point_ids, collection=record.name)
        yield from (f"{record.name}/{one}" for one in sorted(found))
    known = load_documents(tx, subject.documents)
    yield from (f"documents/{key}" for key, row in known.items() if not row.tombstoned)


def _batches(ids: Sequence[UUID]) -> Iterator[Sequence[UUID]]:
    for start in range(0, len(ids), _IN_BATCH):
        yield ids[start : start + _IN_BATCH]
