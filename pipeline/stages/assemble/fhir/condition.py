"""A Condition as text: whether it is there, then what it is."""

from __future__ import annotations

from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
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
    text_of,
)

#: Verification statuses that deny a diagnosis or an allergy, and what stands before it.
DENIED: Final = {"refuted": "Ruled out"}


def render_condition(fields: Resource, related: Related) -> Rendered:
    """Return a Condition's text."""
    code, name = fields.get("code"), name_of(fields.get("code"))
    clinical, verified = state(fields.get("clinicalStatus")), state(fields.get("verificationStatus"))
    stages = items(fields.get("stage"))
    lines = Lines(headline(name, clinical, verified, negated=DENIED.get(verified, "")))
    lines.add("Code", code_line(code))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Severity", concept_text(fields.get("severity")))
    lines.add("Stage", joined(_stage(one) for one in stages))
    lines.add("Body site", concepts_text(fields.get("bodySite")))
    lines.add("Onset", choice(fields, "onset", FORMS))
    lines.add("Abatement", choice(fields, "abatement", FORMS))
    lines.add("Recorded", moment(fields.get("recordedDate")) or moment(fields.get("assertedDate")))
    evidence = items(fields.get("evidence"))
    lines.add("Evidence", related.concepts(*(one.get("code") for one in evidence), evidence))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name,
        parts=[(Section.DIAGNOSIS, lines)],
        about=[code],
        date=_date(fields),
        status=clinical,
        says_little=not name,
    )


def _stage(fields: Resource) -> str:
    kind = name_of(fields.get("type"))
    summary = concept_text(fields.get("summary"))
    return f"{kind}: {summary}" if kind and summary else summary or kind


def _date(fields: Resource) -> str:
    since = [text_of(one.get("start")) for one in items(fields.get("onsetPeriod"))]
    found = (text_of(fields.get("onsetDateTime")), *since, text_of(fields.get("recordedDate")), text_of(fields.get("assertedDate")))
    return next((one for one in found if one), "")
