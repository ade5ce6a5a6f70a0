"""What rendering a FHIR resource gives: its citable text, identified still, and what search filters on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.documents import FHIR_PART, Part
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import AuthorRole, DocumentKind, Section

#: Part of the recipe of every resource: a change of wording or order is a new one.
RENDERER_VERSION: Final = "fhir-text-2"


@dataclass(frozen=True, slots=True)
class AttachmentRef:
    """An attachment as the resource says it is: nothing is decoded, fetched or checked yet.

    Attributes:
        path: Where it stands: ``content[0].attachment``, ``presentedForm[1]``.
        content_type: Media type with its parameters, as sent; ``None``: nobody says.
        data: Base64 as sent, with whatever blanks are in it; ``None``: it is elsewhere.
        url: Where it is; ``Binary/17``, an absolute URL, or ``None``.
        size: Bytes before base64, as printed.
        sha1: Base64 of the SHA-1 of the bytes before base64 (FHIR's ``hash``).
        title: Free text of people: never shown unscrubbed.
    """

    path: str
    content_type: str | None = None
    data: str | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)
    size: str | None = None
    sha1: str | None = None
    title: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Rendered:
    """One resource as text.

    Attributes:
        title: Its type and what it is about: "Observation: Hemoglobin A1c".
        parts: Its text, by section; none where the resource says nothing beyond its attachments.
        icd_codes: ICD-10 codes of what it is about, with their dot, sorted; so LOINC, SNOMED CT and RxNorm.
        date: The clinically relevant moment as printed, in full: ISO 8601 and maybe partial.
        status: The resource's status, as FHIR codes it.
        departments: Names of departments, best first, that the site's list may know.
        author_role: What its author is, where a code says so.
        encounter: Logical id of its encounter.
        attachments: What is attached to it, in order.
        nct_ids: Registrations of a study.
        attached_kind: What kind of document its attachments are, by the type of document that it names.
    """

    title: str = field(repr=False)
    parts: tuple[Part, ...] = field(default=(), repr=False)
    icd_codes: tuple[str, ...] = ()
    loinc_codes: tuple[str, ...] = ()
    snomed_codes: tuple[str, ...] = ()
    rxnorm_codes: tuple[str, ...] = ()
    date: str | None = field(default=None, repr=False)
    status: str | None = None
    departments: tuple[str, ...] = field(default=(), repr=False)
    author_role: AuthorRole | None = None
    encounter: str | None = field(default=None, repr=False)
    attachments: tuple[AttachmentRef, ...] = field(default=(), repr=False)
    nct_ids: tuple[str, ...] = ()
    attached_kind: DocumentKind = DocumentKind.NOTE


def part_of(section: Section, text: str) -> Part:
    """Return a rendered text as the part of a document that stands in ``section``; its lines after the first are items, and stay whole."""
    starts = [0, *(index + 1 for index, sign in enumerate(text) if sign == "\n")]
    ends = [*(start - 1 for start in starts[1:]), len(text)]
    marks = tuple(Mark(start, end, MarkKind.LIST_ITEM, level=1) for start, end in zip(starts[1:], ends[1:], strict=True))
    return Part(f"{FHIR_PART}{section.value.lower()}", text, marks=marks)
