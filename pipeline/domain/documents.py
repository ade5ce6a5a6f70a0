"""A citable document before and after de-identification: two unrelated types, so that mypy guards the wall.

Offsets are half-open, in characters (code points) of a part's text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from pipeline.domain.marks import Mark
from pipeline.domain.vocabulary import DocumentKind, Reading

#: Names of the parts of a site's file: its text, and its running headers and footers, which are declared drops.
TEXT_PART: Final = "text"
FURNITURE_PART: Final = "furniture"

#: Parts that are rendered of a FHIR resource are called after their section (``fhir:laboratory_results``), and sections of a Composition
#: after their LOINC code, which may be none (``fhir-section[2]:10160-0``).
FHIR_PART: Final = "fhir:"
FHIR_SECTION_PART: Final = "fhir-section"


@dataclass(frozen=True, slots=True)
class Facets:
    """What search filters on and hits show besides text. A change here updates payloads and embeds nothing."""

    nct_id: str | None = None
    overall_status: str | None = None
    status_as_of: str | None = None  # ISO date, or year-month, as the source gave it
    study_type: str | None = None
    phases: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    patient: str | None = None  # pseudonym
    access: str | None = None  # one of the site's labels
    department: str | None = None  # one of the site's list
    document_date: str | None = None  # ISO, to the day, month or year; of clinical kinds the year alone
    author_role: str | None = None  # an ``AuthorRole``
    agency: str | None = None  # public kinds only: who issued it
    state: str | None = None  # public kinds only: US postal code
    protocol_number: str | None = None  # of a trial, by its sponsor
    amendment: str | None = None
    reference_number: str | None = None  # of an EMS protocol or policy
    nct_ids: tuple[str, ...] = ()  # registrations that the document names as its own
    icd_codes: tuple[str, ...] = ()  # ICD-10-CM that the sidecar gives; ICD-10 that a resource is coded with
    loinc_codes: tuple[str, ...] = ()  # these and what follows: of a FHIR resource
    snomed_codes: tuple[str, ...] = ()
    rxnorm_codes: tuple[str, ...] = ()
    encounter: str | None = None  # pseudonym
    resource_status: str | None = None  # as FHIR codes it: final, active, completed


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of identified text with one origin: a page of a PDF, or a field of a registry record."""

    name: str  # eligibility_criteria, brief_summary, interventions[2], page
    text: str = field(repr=False)
    page: int | None = None  # 1-based; None: the part is no page
    reading: Reading = Reading.STRUCTURED
    confidence: float = 1.0  # 0..1
    marks: tuple[Mark, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Document:
    """One citable thing, identified. It never leaves the wall."""

    document_id: UUID
    source: str
    source_key: str
    kind: DocumentKind
    title: str = field(repr=False)
    parts: tuple[Part, ...]
    facets: Facets
    content_hash: str  # of title and parts: changes when, and only when, text changes
    facets_hash: str


@dataclass(frozen=True, slots=True)
class Redaction:
    """A stretch that de-identification replaced: where it stands now, and what class it was. Never the value."""

    start: int
    end: int  # half-open, in the de-identified part
    category: str


@dataclass(frozen=True, slots=True)
class DeidentifiedPart:
    """A part whose identifiers were replaced."""

    name: str
    text: str = field(repr=False)
    page: int | None
    reading: Reading
    confidence: float
    redactions: tuple[Redaction, ...] = ()
    marks: tuple[Mark, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class DeidentifiedDocument:
    """One citable thing that may be chunked, embedded and shown."""

    document_id: UUID
    source: str
    source_key: str
    kind: DocumentKind
    title: str = field(repr=False)
    parts: tuple[DeidentifiedPart, ...]
    facets: Facets
    content_hash: str
    facets_hash: str
    policy: str  # name and version of the policy that made it
