"""A FamilyMemberHistory as text: by relationship, with the age at onset."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import FORMS, choice, concept_text, concepts_text, items, joined, moment, name_of, text_of


def render_family_history(fields: Resource, related: Related) -> Rendered:
    """Return what a relative has had."""
    relative, conditions = name_of(fields.get("relationship")), items(fields.get("condition"))
    denied = "Not known" if state(fields.get("status")) == "health-unknown" else "Not asked" if fields.get("notDone") is True else ""
    lines = Lines(
        headline(
            _of_relative(relative, joined((name_of(one.get("code")) for one in conditions), ", ")),
            state(fields.get("status")),
            negated=denied,
        )
    )
    lines.add("Relationship", concept_text(fields.get("relationship")))
    lines.add("Sex", concept_text(fields.get("sex")) or text_of(fields.get("gender")))
    lines.add("Not available", concepts_text(fields.get("dataAbsentReason")) or concepts_text(fields.get("notDoneReason")))
    lines.each("Condition", (_had(one, "onset") for one in conditions))
    lines.each("Procedure", (_had(one, "performed") for one in items(fields.get("procedure"))))
    lines.add("Age", joined((choice(fields, "age", FORMS), "estimated" if fields.get("estimatedAge") is True else ""), ", "))
    lines.add("Deceased", choice(fields, "deceased", FORMS))
    lines.add("Reason", related.concepts(fields.get("reasonCode"), fields.get("reason"), fields.get("reasonReference")))
    lines.add("Recorded", moment(fields.get("date")))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=relative,
        parts=[(Section.FAMILY_HISTORY, lines)],
        about=[one.get("code") for one in conditions],
        date=text_of(fields.get("date")),
        says_little=not conditions and not items(fields.get("note")),
    )


def _of_relative(relative: str, had: str) -> str:
    """Return "Stroke (mother)". "Mother: Stroke" would be read as the name of the mother."""
    return f"{had} ({relative})" if had and relative else had or relative


def _had(fields: Mapping[str, object], when: str) -> str:
    """Return a condition or a procedure: "Breast cancer (ICD-10-CM C50.9); at age 52 years; contributed to death"."""
    onset = choice(fields, when, FORMS)
    at_age = any(fields.get(f"{when}{form}") for form in ("Age", "Range"))
    death = fields.get("contributedToDeath")
    parts = (
        concept_text(fields.get("code")),
        f"at age {onset}" if onset and at_age else onset,
        concept_text(fields.get("outcome")),
        "contributed to death" if death is True else "did not contribute to death" if death is False else "",
        *(text_of(one.get("text")) for one in items(fields.get("note"))),
    )
    return joined(parts)
