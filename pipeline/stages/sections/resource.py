"""The name of a part that was rendered of a FHIR resource in, its one section out: the resource says what it is, so nothing is looked for."""

from __future__ import annotations

from functools import cache
from typing import Final

from pipeline.domain.documents import FHIR_PART, FHIR_SECTION_PART
from pipeline.domain.sections import SectionSpan
from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.rules import section_rules

# Codes of sections of the International Patient Summary and C-CDA that no heading's rule has.
_OTHERS: Final = {"11450-4": Section.DIAGNOSIS, "47519-4": Section.PROCEDURE, "46241-6": Section.DIAGNOSIS, "10219-4": Section.DIAGNOSIS}


def resource_section(name: str, text: str) -> SectionSpan | None:
    """Return the section of a part; ``None`` for a part of anything else. A Composition's section begins with its title."""
    if name.startswith(FHIR_SECTION_PART):
        title, _, rest = text.partition("\n")
        path = (title,) if rest else ()
        section = _by_loinc().get(name.rpartition(":")[2], Section.NOTE_TEXT)
        return SectionSpan(name, 0, len(text), section, heading_end=len(title) + 1 if rest else 0, level=1 if rest else 0, path=path)
    if not name.startswith(FHIR_PART):
        return None
    return SectionSpan(name, 0, len(text), Section(name.removeprefix(FHIR_PART).upper()), heading_end=0)


@cache
def _by_loinc() -> dict[str, Section]:
    rules = section_rules().by_section.values()
    return _OTHERS | {rule.loinc: rule.section for rule in rules if rule.loinc}
