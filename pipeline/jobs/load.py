"""Loads documents for preparing, by source: trials from truth's tables, files and FHIR resources from landing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.domain.documents import Document
from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.review import Fix
from pipeline.domain.vocabulary import DocumentKind, FailureCategory, Source
from pipeline.jobs.fhir.compose import compose
from pipeline.jobs.review.fixing import fixed
from pipeline.jobs.site_files import read_site_file
from pipeline.stages.assemble import assemble_trial
from pipeline.stages.deidentify import KnownIdentifiers
from pipeline.storage import review
from pipeline.storage.documents import payload_hashes
from pipeline.storage.index_state import IndexRow
from pipeline.storage.studies import load_studies
from pipeline.wiring import Services

#: Sources whose documents are made from landing; a trial is made from truth's own tables.
_LANDED: Final = (Source.DOCUMENTS, Source.FHIR)


@dataclass(frozen=True, slots=True)
class Loaded:
    """An identified document with what de-identification is told of its patient."""

    document: Document
    subject: str | None = None  # pseudonym
    known: KnownIdentifiers | None = field(default=None, repr=False)
    fix: Fix | None = None  # what a person says of it; the document has it, but for its sections


def loader(services: Services, rows: Sequence[IndexRow]) -> Callable[[IndexRow], Loaded]:
    """Read what a batch needs from truth, and return what loads one document of it.

    The function raises ``RecordError`` where one document cannot be loaded.
    """
    landed = [row.document_id for row in rows if row.source in _LANDED]
    trials = [row.document_id for row in rows if row.source not in _LANDED]
    with services.db.read() as tx:
        studies = load_studies(tx, trials)
        payloads = payload_hashes(tx, landed)
        fixes = review.fixes(tx, [row.document_id for row in rows], in_truth=True)

    def load(row: IndexRow) -> Loaded:
        found, fix = as_found(row), fixes.get(row.document_id)
        return found if fix is None else replace(found, document=fixed(found.document, fix), fix=fix)

    def as_found(row: IndexRow) -> Loaded:
        if row.document_id in studies:
            return Loaded(assemble_trial(studies[row.document_id], row.document_id))
        if row.document_id in payloads and row.source == Source.FHIR:
            return _resource(services, payloads[row.document_id])
        if row.document_id in payloads:
            return _file(services, payloads[row.document_id], DocumentKind(row.kind))
        raise RecordError(FailureCategory.NOT_FOUND, "truth has nothing of this document but its row")

    return load


def _file(services: Services, payload_sha256: str, kind: DocumentKind) -> Loaded:
    try:
        file = read_site_file(services, payload_sha256, kind=kind)
    except StoreCorruptError:  # of one object: the others can be read
        raise RecordError(FailureCategory.UNREADABLE_FILE, "landing holds a damaged object") from None
    return Loaded(file.document, file.subject, file.known)


def _resource(services: Services, payload_sha256: str) -> Loaded:
    try:
        made = compose(services, payload_sha256)
    except StoreCorruptError:
        raise RecordError(FailureCategory.UNREADABLE_FILE, "landing holds a damaged object") from None
    return Loaded(made.document, made.subject, made.known)
