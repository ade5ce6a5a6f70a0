"""A Condition as text: whether it is there, then what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.codes import ICD_10, codes_of, codings
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered, part_of
from pipeline.stages.assemble.fhir.related import Related
from pipeline.stages.assemble.fhir.values import FORMS, choice, code_line, concept_text, concepts_text, joined, name_of, text_of

_REFUTED: Final = "refuted"


def render_condition(fields: Mapping[str, object], related: Related) -> Rendered:
    """Return a Condition's text."""
    name, code = name_of(fields.get("code")), fields.get("code")
    clinical, verified = state(fields.get("clinicalStatus")), state(fields.get("verificationStatus"))
    refuted = "Ruled out (refuted): " if verified == _REFUTED else ""
    said = joined((clinical, "" if refuted else verified), ", ")
    lines = Lines(f"{refuted}{name}{f' ({said})' if said else ''}" if name else said)
    lines.add("Code", code_line(code))
    lines.add("Severity", concept_text(fields.get("severity")))
    lines.add("Body site", concepts_text(fields.get("bodySite")))
    lines.add("Onset", choice(fields, "onset", FORMS))
    lines.add("Abatement", choice(fields, "abatement", FORMS))
    found = codes_of(code)
    return Rendered(
        title=f"Condition: {name}",
        parts=(part_of(Section.DIAGNOSIS, lines.text),),
        icd_codes=tuple(sorted({one for system in ICD_10 for one in found.get(system, ())})),
        snomed_codes=found.get("SNOMED", ()),
        date=choice(fields, "onset", {"DateTime": text_of}) or text_of(fields.get("recordedDate")) or None,
        status=clinical or None,
        encounter=related.encounter(fields),
    )


def state(concept: object) -> str:
    """Return a status: a code of STU3, or the first code of a CodeableConcept."""
    return text_of(concept) or next((text_of(one.get("code")) for one in codings(concept)), "") or name_of(concept)
