"""An Observation as text: its line, then what explains the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.codes import codes_of, codings
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered, part_of
from pipeline.stages.assemble.fhir.related import Related
from pipeline.stages.assemble.fhir.values import FORMS, choice, code_line, concept_text, concepts_text, joined, name_of, text_of

_SECTIONS: Final = {
    "laboratory": Section.LABORATORY_RESULTS,
    "vital-signs": Section.VITAL_SIGNS,
    "social-history": Section.SOCIAL_HISTORY,
    "imaging": Section.IMAGING,
    "exam": Section.PHYSICAL_EXAM,
    "procedure": Section.PROCEDURE,
}


def render_observation(fields: Mapping[str, object], related: Related) -> Rendered:
    """Return an Observation's text."""
    lines = Lines(observation_line(fields))
    lines.add("Code", code_line(fields.get("code")))
    lines.add("Interpretation", concepts_text(fields.get("interpretation")))
    lines.add("Not available", concept_text(fields.get("dataAbsentReason")))
    lines.add("Method", concept_text(fields.get("method")))
    lines.add("Body site", concept_text(fields.get("bodySite")))
    found = codes_of(fields.get("code"))
    return Rendered(
        title=f"Observation: {name_of(fields.get('code'))}",
        parts=(part_of(section_of(fields), lines.text),),
        loinc_codes=found.get("LOINC", ()),
        snomed_codes=found.get("SNOMED", ()),
        date=choice(fields, "effective", FORMS) or None,
        status=text_of(fields.get("status")) or None,
        encounter=related.encounter(fields),
    )


def observation_line(fields: Mapping[str, object]) -> str:
    """Return what was measured, its value as printed, its unit and its status, such as ``Potassium 4.10 mmol/L (final)``."""
    status = text_of(fields.get("status"))
    return joined((name_of(fields.get("code")), choice(fields, "value", FORMS), f"({status})" if status else ""), " ")


def section_of(fields: Mapping[str, object]) -> Section:
    """Return the section that an Observation's category names."""
    listed = fields.get("category")
    codes = [text_of(coding.get("code")) for one in (listed if isinstance(listed, list) else [listed]) for coding in codings(one)]
    return next((_SECTIONS[code] for code in codes if code in _SECTIONS), Section.FINDINGS)
