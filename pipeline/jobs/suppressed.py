"""The barrier against what was deleted for good: a source that still offers it hands in nothing, neither bytes nor rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from pipeline.domain.errors import RecordError
from pipeline.domain.identifiers import document_id, keyed_hash, sha256_hex
from pipeline.domain.ports import FetchedRecord
from pipeline.domain.site_files import LandedFile
from pipeline.domain.vocabulary import NoticeCategory, Source
from pipeline.jobs.deletion.landed import find_landed, remove_landed
from pipeline.json_bytes import read_json
from pipeline.stages.normalize import read_sidecar
from pipeline.storage import suppressions
from pipeline.storage.crawls import ListedRecord
from pipeline.storage.runs import RunOutcome
from pipeline.wiring import Services


def suppressed_keys(services: Services, tx: Connection, source: str, records: Iterable[FetchedRecord]) -> set[str]:
    """Return the source keys of those records that must not be taken: they were deleted, or name a patient whose documents were."""
    offered = {record.source_key: record for record in records if record.source_key is not None and record.failure is None}
    ids = {str(document_id(source, key)): key for key in offered}
    found = {ids[one] for one in suppressions.suppressed(tx, ids)}
    patients = suppressions.patients(tx) if source == Source.DOCUMENTS else set()
    if patients:
        found |= {key for key, record in offered.items() if _patient(services.secret, record) in patients}
    return found


def is_suppressed(services: Services, source: str, source_key: str) -> bool:
    """Whether a document was deleted for good: asked before anything of it is read."""
    one = str(document_id(source, source_key))
    with services.db.read() as tx:
        return one in suppressions.suppressed(tx, [one])


def forget_landed(services: Services, source: str, keys: Sequence[str]) -> None:
    """Remove what has landed of documents that were deleted meanwhile: a deletion that was over by then could not."""
    for landed in find_landed(services, [(source, key) for key in keys]).values():
        remove_landed(services, landed)


def notice(stage: str, record: FetchedRecord | ListedRecord) -> RunOutcome:
    """Return what the report has to say of a record that was left out: its key, not where it lies."""
    return RunOutcome(stage, "notice", NoticeCategory.SUPPRESSED.value, source_key=record.source_key)


def _patient(secret: bytes, record: FetchedRecord) -> str | None:
    """Return the pseudonym that a file's sidecar gives; ``None`` where there is none, or it cannot be read: taking it will say so."""
    try:
        landed = LandedFile.of(read_json(record.data))
        said = next((data for data in record.attachments if sha256_hex(data) == landed.sidecar), None)
        patient = None if said is None else read_sidecar(said).patient
    except (RecordError, ValueError, TypeError):
        return None
    return keyed_hash(secret, "patient", patient) if patient else None
