"""The payload of a point: everything search filters on and reconciliation checks, and no text."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.chunks import Chunk
from pipeline.domain.dates import days_of
from pipeline.domain.documents import Facets
from pipeline.domain.points import Payload
from pipeline.domain.vocabulary import Element

# Every point of a study carries them: one record with 20,000 conditions took 30 s to write and 150 MB. Of 734 real studies the richest
# has 64. The text of the title-and-conditions chunks names them all.
MAX_CONDITIONS = 500
MAX_PHASES = 10  # the registry has six
# Of one vocabulary: a panel names itself and its components; the text names them all.
MAX_CODES = 100


def natural_key(source_key: str, chunk: Chunk) -> str:
    """Return the key that a person can read: study, section, ordinal (and piece)."""
    key = f"{source_key}|{chunk.section.value}|{chunk.ordinal}"
    return key if chunk.pieces == 1 else f"{key}.{chunk.piece}"


def build_payload(
    *,
    document_id: UUID,
    source: str,
    source_key: str,
    kind: str,
    generation: int,
    fingerprint: str,
    model: str,
    facets: Facets,
    chunk: Chunk,
    text_hash: str,
) -> Payload:
    """Return a chunk's payload. Every value is plain JSON; the same arguments always give the same payload.

    What only files of a site have stands there only where there is a value: a trial's payload has none of these keys.
    """
    return {
        "document_id": str(document_id),
        "generation": generation,
        "fingerprint": fingerprint,
        "model": model,
        "source": source,
        "kind": kind,
        "section": chunk.section.value,
        "is_exclusion": chunk.is_exclusion,
        "ordinal": chunk.ordinal,
        "piece": chunk.piece,
        "scope": list(chunk.scope),
        "part": chunk.part,
        "span": [chunk.span.start, chunk.span.end],
        "page": chunk.page,
        "text_hash": text_hash,
        "natural_key": natural_key(source_key, chunk),
        "nct_id": facets.nct_id,
        "overall_status": facets.overall_status,
        "status_as_of": facets.status_as_of,
        "study_type": facets.study_type,
        "phases": list(facets.phases[:MAX_PHASES]),
        "conditions": list(facets.conditions[:MAX_CONDITIONS]),
        **_dated(facets),
        **{name: value for name, value in _of_file(facets, chunk).items() if value},
    }


def _dated(facets: Facets) -> dict[str, int]:
    """Return the first and last day that the document may be of: its own date, or of a trial the one of its status."""
    days = days_of(facets.document_date or facets.status_as_of)
    return {} if days is None else {"dated_from": days[0], "dated_to": days[1]}


def _of_file(facets: Facets, chunk: Chunk) -> dict[str, object]:
    """Return what a site says of its file, and what its pages and sections say of a chunk."""
    return {
        "patient": facets.patient,
        "access": facets.access,
        "department": facets.department,
        "document_date": facets.document_date,
        "author_role": facets.author_role,
        "agency": facets.agency,
        "state": facets.state,
        "protocol_number": facets.protocol_number,
        "amendment": facets.amendment,
        "reference_number": facets.reference_number,
        "nct_ids": list(facets.nct_ids),
        "icd_codes": sorted({*facets.icd_codes, *chunk.icd_codes}),
        "loinc_codes": list(facets.loinc_codes[:MAX_CODES]),
        "snomed_codes": list(facets.snomed_codes[:MAX_CODES]),
        "rxnorm_codes": list(facets.rxnorm_codes[:MAX_CODES]),
        "encounter": facets.encounter,
        "resource_status": facets.resource_status,
        "page_to": chunk.page_to,
        "content_type": chunk.content_type.value if chunk.content_type else None,
        "element": None if chunk.element is Element.TEXT else chunk.element.value,
        "element_number": chunk.element_number,
        "confidence": round(chunk.confidence, 3) if chunk.confidence < 1 else None,
        "ocr_suspect": bool(chunk.suspects),
    }
