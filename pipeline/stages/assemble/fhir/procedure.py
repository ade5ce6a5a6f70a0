"""What was done, ordered and taken: Procedure, ServiceRequest and Specimen as text."""

from __future__ import annotations

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.timing import as_needed, timing
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
    text_of,
)


def render_procedure(fields: Resource, related: Related) -> Rendered:
    """Return a procedure's text."""
    code, status = fields.get("code"), state(fields.get("status"))
    denied = "Not done" if status == "not-done" or fields.get("notDone") is True else ""
    lines = Lines(headline(name_of(code), status, negated=denied))
    lines.add("Code", code_line(code))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Reason for status", concepts_text(fields.get("statusReason")) or concepts_text(fields.get("notDoneReason")))
    lines.add("Reason", related.concepts(fields.get("reasonCode"), fields.get("reason"), fields.get("reasonReference")))
    lines.add("Body site", concepts_text(fields.get("bodySite")))
    lines.add("Performed", choice(fields, "performed", FORMS) or choice(fields, "occurrence", {**FORMS, "Timing": timing}))
    lines.add("Outcome", concept_text(fields.get("outcome")))
    lines.add("Complication", related.concepts(fields.get("complication"), fields.get("complicationDetail")))
    lines.add("Follow-up", concepts_text(fields.get("followUp")))
    lines.add("Used", related.concepts(fields.get("usedCode"), fields.get("used")))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name_of(code),
        parts=[(Section.PROCEDURE, lines)],
        about=[code],
        date=_date(fields, "performed") or _date(fields, "occurrence"),
        says_little=not name_of(code),
    )


def render_service_request(fields: Resource, related: Related) -> Rendered:
    """Return the text of what is ordered, or must not be done."""
    code = fields.get("code")
    denied = "Do not perform" if fields.get("doNotPerform") is True else ""
    name = name_of(code) or related.name(code)
    lines = Lines(headline(name, state(fields.get("status")), text_of(fields.get("intent")), negated=denied))
    lines.add("Code", code_line(code))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Detail", concepts_text(fields.get("orderDetail")))
    lines.add("Quantity", choice(fields, "quantity", FORMS))
    lines.add("Priority", text_of(fields.get("priority")))
    lines.add("Reason", related.concepts(fields.get("reasonCode"), fields.get("reason"), fields.get("reasonReference")))
    lines.add("Body site", concepts_text(fields.get("bodySite")))
    lines.add("Specimen", related.concepts(fields.get("specimen")))
    lines.add("When", joined((choice(fields, "occurrence", {**FORMS, "Timing": timing}), as_needed(fields))))
    lines.add("To be done by", concepts_text(fields.get("performerType")))
    lines.add("Ordered", moment(fields.get("authoredOn")))
    told = fields.get("patientInstruction")
    lines.add("Instruction for the patient", text_of(told) or joined(text_of(one.get("instructionMarkdown")) for one in items(told)))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name,
        parts=[(Section.PLAN, lines)],
        about=[code],
        date=text_of(fields.get("authoredOn")) or _date(fields, "occurrence"),
        says_little=not name,
    )


def render_specimen(fields: Resource, related: Related) -> Rendered:
    """Return a specimen's text."""
    kind = fields.get("type")
    lines = Lines(headline(name_of(kind), state(fields.get("status"))))
    lines.add("Code", code_line(kind))
    lines.add("Condition", concepts_text(fields.get("condition")))
    date = ""
    for one in items(fields.get("collection")):
        lines.add("Body site", related.concepts(one.get("bodySite")))
        lines.add("Collected", choice(one, "collected", FORMS))
        lines.add("Collected over", quantity(one.get("duration")))
        lines.add("Method", concept_text(one.get("method")))
        lines.add("Quantity", quantity(one.get("quantity")))
        lines.add("Fasting", choice(one, "fastingStatus", FORMS))
        date = date or _date(one, "collected")
    lines.add("Received", moment(fields.get("receivedTime")))
    for one in items(fields.get("processing")):
        how = concept_text(one.get("procedure")) or concept_text(one.get("method"))
        lines.add("Processing", joined((text_of(one.get("description")), how)))
    lines.notes(fields.get("note"))
    return rendered(
        fields,
        related,
        name=name_of(kind),
        parts=[(Section.SPECIMEN, lines)],
        about=[kind],
        date=date or text_of(fields.get("receivedTime")),
        says_little=not name_of(kind),
    )


def _date(fields: Resource, stem: str) -> str:
    starts = [text_of(one.get("start")) for one in items(fields.get(f"{stem}Period"))]
    return next((one for one in (text_of(fields.get(f"{stem}DateTime")), *starts) if one), "")
