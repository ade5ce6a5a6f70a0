"""An Observation as text: its line, then what explains the value, then its components and members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import rendered
from pipeline.stages.assemble.fhir.codes import codings
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.timing import timing
from pipeline.stages.assemble.fhir.values import (
    FORMS,
    choice,
    code_line,
    concept_text,
    concepts_text,
    items,
    joined,
    moment,
    name_of,
    prose,
    text_of,
    value_range,
)

# https://terminology.hl7.org/CodeSystem-observation-category.html
_SECTIONS: Final = {
    "laboratory": Section.LABORATORY_RESULTS,
    "vital-signs": Section.VITAL_SIGNS,
    "social-history": Section.SOCIAL_HISTORY,
    "imaging": Section.IMAGING,
    "exam": Section.PHYSICAL_EXAM,
    "procedure": Section.PROCEDURE,
}
_USUAL: Final = ("", "final")
#: Panels within panels; a deeper one is named and not opened.
_DEEPEST: Final = 5


def render_observation(fields: Resource, related: Related) -> Rendered:
    """Return an Observation's text."""
    lines = Lines(observation_line(fields))
    lines.add("Code", code_line(fields.get("code")))
    lines.extend(_explained(fields))
    lines.add("Method", concept_text(fields.get("method")))
    lines.add("Body site", concept_text(fields.get("bodySite")))
    lines.add("Specimen", related.concepts(fields.get("specimen")))
    when = choice(fields, "effective", {**FORMS, "Timing": timing}) or moment(fields.get("issued"))
    lines.add("Date", when)
    known = len(lines)
    lines.extend(component_line(one) for one in items(fields.get("component")))
    lines.extend(member_lines(fields, related))
    lines.notes(fields.get("note"))
    lines.add("Note", prose(fields.get("comment")))
    return rendered(
        fields,
        related,
        name=name_of(fields.get("code")),
        parts=[(section_of(fields), lines)],
        about=[fields.get("code"), *(one.get("code") for one in items(fields.get("component"))), fields.get("valueCodeableConcept")],
        date=_date(fields),
        says_little=len(lines) == known and not choice(fields, "value", FORMS) and not fields.get("dataAbsentReason"),
    )


def observation_line(fields: Mapping[str, object]) -> str:
    """Return what was measured, its value as printed, its unit and its status, such as ``Potassium 4.10 mmol/L (final)``."""
    status = text_of(fields.get("status"))
    return joined((name_of(fields.get("code")), value_of(fields), f"({status})" if status else ""), " ")


def value_of(fields: Mapping[str, object]) -> str:
    """Return a value, or that there is none and why."""
    value = choice(fields, "value", FORMS)
    absent = name_of(fields.get("dataAbsentReason"))
    return value or (f"not available: {absent}" if absent else "")


def component_line(fields: Resource) -> str:
    """Return one component: "Systolic blood pressure 107 mm[Hg] (LOINC 8480-6); reference range: below 120"."""
    return joined((_measured(fields), *_explained(fields)))


def member_lines(fields: Resource, related: Related) -> list[str]:
    """Return a line for each Observation that this one groups, with those that they group, in order."""
    return list(_members(fields, related, frozenset(), 0))


def result_lines(references: object, related: Related) -> list[str]:
    """Return a line for each Observation that references lead to, with those that they group, in order."""
    return list(_each(references, related, frozenset(), 0))


def _members(fields: Resource, related: Related, above: frozenset[str], depth: int) -> Iterator[str]:
    older = [one.get("target") for one in items(fields.get("related")) if one.get("type") == "has-member"]
    yield from _each([*items(fields.get("hasMember")), *older], related, above, depth)


def _each(references: object, related: Related, above: frozenset[str], depth: int) -> Iterator[str]:
    for target, found in related.all(references):
        if target in above or found.get("resourceType") != "Observation":
            continue
        status = text_of(found.get("status"))
        yield joined((_measured(found), *_explained(found), "" if status in _USUAL else status))
        for part in items(found.get("component")):
            yield component_line(part)
        for note in (*(one.get("text") for one in items(found.get("note"))), found.get("comment")):
            yield f"Note: {text_of(note)}" if text_of(note) else ""
        if depth < _DEEPEST:
            yield from _members(found, related, above | {target}, depth + 1)


def _measured(fields: Resource) -> str:
    """Return name, value and code of one result."""
    codes = code_line(fields.get("code"))
    value = value_of(fields)
    return joined((name_of(fields.get("code")), value, f"({codes})" if codes else ""), " ")


def _explained(fields: Resource) -> list[str]:
    """Return what makes a value high or low."""
    said = concepts_text(fields.get("interpretation"))
    ranges = [text for one in items(fields.get("referenceRange")) if (text := reference_range(one))]
    return [*([f"Interpretation: {said}"] if said else []), *(f"Reference range: {one}" for one in ranges)]


def reference_range(fields: Resource) -> str:
    """Return one range: "3.5 to 5.1 mmol/L, normal; adults"."""
    text = text_of(fields.get("text"))
    span = value_range({"low": fields.get("low"), "high": fields.get("high")})
    age = value_range(fields.get("age"))
    parts = (
        span,
        text if text != span else "",
        concept_text(fields.get("normalValue")),
        concept_text(fields.get("type")),
        f"for {applies}" if (applies := concepts_text(fields.get("appliesTo"))) else "",
        f"at age {age}" if age else "",
    )
    return joined(parts, ", ")


def _date(fields: Resource) -> str:
    spans = items(fields.get("effectivePeriod"))
    starts = (
        text_of(fields.get("effectiveDateTime")),
        text_of(fields.get("effectiveInstant")),
        *(text_of(one.get("start")) for one in spans),
    )
    return next((one for one in starts if one), "") or text_of(fields.get("issued"))


def section_of(fields: Resource) -> Section:
    """Return the section that a category names."""
    codes = [text_of(coding.get("code")).casefold() for one in items(fields.get("category")) for coding in codings(one)]
    return next((_SECTIONS[code] for code in codes if code in _SECTIONS), Section.FINDINGS)
