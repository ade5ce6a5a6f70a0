"""The payload of a point: everything search filters on and reconciliation checks, and no text."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.chunks import Chunk
from pipeline.domain.documents import Facets
from pipeline.domain.points import Payload

# Every point of a study carries them: one record with 20,000 conditions took 30 s to write and 150 MB. Of 734 real studies the richest
# has 64. The text of the title-and-conditions chunks names them all.
MAX_CONDITIONS = 500
MAX_PHASES = 10  # the registry has six


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

    A trial has no patient, access label or department: these keys stand only where there is a value.
    """
    site = {"patient": facets.patient, "access": facets.access, "department": facets.department}
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
        **{name: value for name, value in site.items() if value is not None},
    }
