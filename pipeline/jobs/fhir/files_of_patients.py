"""Makes a site's files of patients stale whose FHIR records say something new of them: names that must not stand in their notes any more."""

from __future__ import annotations

from pipeline.domain.errors import RecordError, StoreCorruptError
from pipeline.domain.vocabulary import DocumentKind
from pipeline.jobs.review.fixing import fix_of, fixed
from pipeline.jobs.site_files import read_site_file
from pipeline.observability import ProgressReporter
from pipeline.storage import documents, fhir_resources
from pipeline.storage.fhir_resources import FileRow
from pipeline.wiring import Services, utc_now


def refresh_files(services: Services) -> tuple[int, int]:
    """Take anew every file whose patient has a FHIR record and of whom something else is known than when it was taken last.

    All of them are looked at after each load, so that a run that was killed before is made good.

    Returns:
        How many changed, which the next `clindex index` scrubs and writes anew, and how many could not be read: their old text stays.
    """
    with services.db.read() as tx:
        files = fhir_resources.files_of_patients(tx)
    changed = failed = 0
    with ProgressReporter("files of patients", total=len(files)) as progress:
        for row in files:
            progress.advance()
            try:
                changed += _refresh(services, row)
            except (RecordError, StoreCorruptError):
                failed += 1
    return changed, failed


def _refresh(services: Services, row: FileRow) -> bool:
    file = read_site_file(services, row.payload_sha256, kind=DocumentKind(row.kind))
    document = fixed(file.document, fix_of(services, file.document.document_id))
    if document.content_hash == row.content_hash:
        return False
    with services.db.begin() as tx:
        documents.upsert_document(tx, document, row.payload_sha256, utc_now(), root=row.root)
    return True
