"""Allergies and immunizations as text: that there is none, or that one was not given, comes first."""

from __future__ import annotations

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.condition import DENIED
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
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
    quantity,
    strings,
    text_of,
)


def render_allergy(fields: Resource, related: Related) -> Rendered:
    """Return an allergy's text. Of one without a code the substances of its reactions name it."""
    code = fields.get("code")
    substances = [one.get("substance") for one in items(fields.get("reaction"))]
    name = name_of(code) or joined(map(name_of, substances), ", ")
    clinical, verified = state(fields.get("clinicalStatus")), state(fields.get("verificationStatus"))
    lines = Lines(headline(name, clinical, verified, negated=DENIED.get(verified, "")))
    lines.add("Code", code_line(code))
    lines.add("Type", text_of(fields.get("type")) or concept_text(fields.get("type")))
    lines.add("Category", joined(strings(fields.get("category")), ", "))
    lines.add("Criticality", text_of(fields.get("criticality")))
    lines.each("Reaction", (_reaction(one, related) for one in items(fields.get("reaction"))))
    lines.add("Onset", choice(fields, "onset", FORMS))
    lines.add("Last occurrence", moment(fields.get("lastOccurrence")))
    recorded = text_of(fields.get("recordedDate")) or text_of(fields.get("assertedDate"))
    lines.add("Recorded", moment(recorded))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name,
        parts=[(Section.ALLERGIES, lines)],
        about=[code, *substances],
        date=text_of(fields.get("onsetDateTime")) or recorded,
        status=clinical,
        says_little=not name,
    )


def _reaction(fields: Resource, related: Related) -> str:
    substance, severity = concept_text(fields.get("substance")), text_of(fields.get("severity"))
    onset, route = moment(fields.get("onset")), concept_text(fields.get("exposureRoute"))
    parts = (
        related.concepts(fields.get("manifestation")),
        text_of(fields.get("description")),
        f"severity {severity}" if severity else "",
        f"to {substance}" if substance else "",
        f"by {route}" if route else "",
        f"onset {onset}" if onset else "",
        *(text_of(one.get("text")) for one in items(fields.get("note"))),
    )
    return joined(parts)


def render_immunization(fields: Resource, related: Related) -> Rendered:
    """Return an immunization's text."""
    code, status = fields.get("vaccineCode"), state(fields.get("status"))
    denied = "Not given" if status == "not-done" or fields.get("notGiven") is True else ""
    lines = Lines(headline(name_of(code), status, negated=denied))
    lines.add("Code", code_line(code))
    told = items(fields.get("explanation"))
    refused = [one.get("reasonNotGiven") for one in told]
    lines.add("Reason for status", concepts_text(fields.get("statusReason")) or joined(map(concepts_text, refused)))
    why = related.concepts(fields.get("reasonCode"), fields.get("reason"), fields.get("reasonReference"))
    lines.add("Reason", why or joined(concepts_text(one.get("reason")) for one in told))
    lines.add("Given", choice(fields, "occurrence", FORMS) or moment(fields.get("date")))
    lines.add("Recorded", moment(fields.get("recorded")))
    lines.add("Dose", quantity(fields.get("doseQuantity")))
    lines.add("Route", concept_text(fields.get("route")))
    lines.add("Site", concept_text(fields.get("site")))
    lines.add("Not the full dose", concepts_text(fields.get("subpotentReason")) or ("yes" if fields.get("isSubpotent") is True else ""))
    lines.each("Series", map(_series, [*items(fields.get("protocolApplied")), *items(fields.get("vaccinationProtocol"))]))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name_of(code),
        parts=[(Section.IMMUNIZATIONS, lines)],
        about=[code],
        date=text_of(fields.get("occurrenceDateTime")) or text_of(fields.get("date")),
        says_little=not name_of(code),
    )


def _series(fields: Resource) -> str:
    numbers = ("doseNumber", "doseNumberPositiveInt", "doseNumberString", "doseSequence")
    totals = ("seriesDoses", "seriesDosesPositiveInt", "seriesDosesString")
    number, total = (next((text for one in names if (text := text_of(fields.get(one)))), "") for names in (numbers, totals))
    dose = f"dose {number} of {total}" if number and total else f"dose {number}" if number else f"{total} doses" if total else ""
    return joined((text_of(fields.get("series")), dose, concepts_text(fields.get("targetDisease"))))
