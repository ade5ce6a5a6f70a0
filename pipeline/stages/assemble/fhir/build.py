"""Parts of a text in, the rendered resource out: its title, its codes, and what every type has alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.codes import ICD_10, codes_of, codings
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.metadata import author_role, departments
from pipeline.stages.assemble.fhir.model import AttachmentRef, Rendered, part_of
from pipeline.stages.assemble.fhir.narrative import narrative
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import name_of, text_of

#: What a type is called in a title.
TYPES: Final = {
    "AllergyIntolerance": "Allergy or intolerance",
    "CarePlan": "Care plan",
    "DiagnosticReport": "Diagnostic report",
    "DocumentReference": "Document",
    "FamilyMemberHistory": "Family history",
    "MedicationAdministration": "Medication administration",
    "MedicationRequest": "Medication request",
    "MedicationStatement": "Medication statement",
    "MedicationUsage": "Medication statement",
    "ResearchStudy": "Research study",
    "ResearchSubject": "Study participation",  # "subject:" labels a person's name
    "ServiceRequest": "Service request",
}
_TITLE_CHARACTERS: Final = 200  # of a name that is a whole text


def rendered(
    fields: Resource,
    related: Related,
    *,
    name: str,
    parts: Iterable[tuple[Section, Lines]],
    about: Sequence[object] = (),
    date: str = "",
    status: str = "",
    says_little: bool = False,
) -> Rendered:
    """Return a resource with what is read of every type alike.

    Args:
        fields: Its allowed fields.
        related: What it refers to.
        name: What it is about.
        parts: Its text by section, the main part first; a part without lines is left out.
        about: Concepts that it is about, whose codes find it.
        date: The clinically relevant moment.
        status: Its status; empty: the field ``status``.
        says_little: The fields give no more than a name: the narrative is shown as well. It always is where they give nothing.
    """
    found = list(parts)
    if says_little or not any(len(lines) for _, lines in found):
        found[0][1].extend(narrative(fields.get("text")).split("\n"))
    codes = codes_of(*about)
    return Rendered(
        title=_title(str(fields.get("resourceType")), name),
        parts=tuple(part_of(section, lines.text) for section, lines in found if len(lines)),
        icd_codes=tuple(sorted({code for system in ICD_10 for code in codes.get(system, ())})),
        loinc_codes=codes.get("LOINC", ()),
        snomed_codes=codes.get("SNOMED", ()),
        rxnorm_codes=codes.get("RxNorm", ()),
        date=date or None,
        status=status or text_of(fields.get("status")) or None,
        departments=departments(fields, related),
        author_role=author_role(fields, related),
        encounter=related.encounter(fields),
    )


def _title(kind: str, name: str) -> str:
    words = TYPES.get(kind, kind)
    if len(name) > _TITLE_CHARACTERS:
        name = name[:_TITLE_CHARACTERS].rpartition(" ")[0]
    return f"{words}: {name}" if name else words


def headline(name: str, *said: str, negated: str = "") -> str:
    """Return "Not done: Appendectomy (not-done)": what is denied first, what it is, and what is said of it in brackets."""
    states = ", ".join(dict.fromkeys(one for one in said if one))
    bracket = f"({states})" if states else ""
    return " ".join(part for part in (f"{negated}:" if negated else "", name, bracket) if part)


def state(value: object) -> str:
    """Return a status: a code of STU3, or of a CodeableConcept the first code, else its name."""
    return text_of(value) or next((code for one in codings(value) if (code := text_of(one.get("code")))), "") or name_of(value)


def attachments(values: Iterable[tuple[str, Resource]]) -> tuple[AttachmentRef, ...]:
    """Return attachments by their place, those without content and place left out."""
    found = (
        AttachmentRef(
            path=path,
            content_type=text_of(one.get("contentType")) or None,
            data=str(one["data"]) if isinstance(one.get("data"), str) else None,
            url=text_of(one.get("url")) or None,
            size=text_of(one.get("size")) or None,
            sha1=text_of(one.get("hash")) or None,
            title=text_of(one.get("title")) or None,
        )
        for path, one in values
    )
    return tuple(one for one in found if one.data is not None or one.url is not None)
