"""Orders, statements and administrations of drugs as text: whether it is taken, which drug, how much, how often, and why."""

from __future__ import annotations

from typing import Final

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.timing import dosages, timing
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
    period,
    quantity,
    ratio,
    text_of,
)

_NOT_TAKEN: Final = ("not-taken", "n", "not-done")


def render_medication_request(fields: Resource, related: Related) -> Rendered:
    """Return an order's text."""
    denied = "Do not give" if fields.get("doNotPerform") is True else ""
    lines = _begun(
        fields, related, headline(_name(fields, related), state(fields.get("status")), text_of(fields.get("intent")), negated=denied)
    )
    lines.each("Dosage", dosages(fields.get("dosageInstruction")))
    lines.add("Dosage in words", text_of(fields.get("renderedDosageInstruction")))
    lines.add("Priority", text_of(fields.get("priority")))
    lines.add("Course of therapy", concept_text(fields.get("courseOfTherapyType")))
    lines.add("Dose period", period(fields.get("effectiveDosePeriod")))
    for supply in items(fields.get("dispenseRequest")):
        lines.add("Quantity", quantity(supply.get("quantity")))
        lines.add("Supply for", quantity(supply.get("expectedSupplyDuration")))
        lines.add("Repeats allowed", text_of(supply.get("numberOfRepeatsAllowed")))
        lines.add("Valid", period(supply.get("validityPeriod")))
    lines.add("Substitution", _substitution(fields))
    lines.add("Ordered", moment(fields.get("authoredOn")))
    return _finished(fields, related, lines, text_of(fields.get("authoredOn")))


def render_medication_statement(fields: Resource, related: Related) -> Rendered:
    """Return a statement's text; STU3 says in ``taken`` what R4 says in ``status`` and R5 in ``adherence``."""
    adherence = [state(one.get("code")) for one in items(fields.get("adherence"))]
    status = state(fields.get("status"))
    is_not_taken = any(one in _NOT_TAKEN for one in (status, text_of(fields.get("taken")), *adherence))
    is_not_taken = is_not_taken or fields.get("takenAsOrdered") is False
    lines = _begun(fields, related, headline(_name(fields, related), status, *adherence, negated="Not taken" if is_not_taken else ""))
    lines.add("Reason not taken", concepts_text(fields.get("reasonNotTaken")))
    lines.add("Reason for adherence", joined(concept_text(one.get("reason")) for one in items(fields.get("adherence"))))
    lines.each("Dosage", dosages(fields.get("dosage")))
    lines.add("Dosage in words", text_of(fields.get("renderedDosageInstruction")))
    lines.add("Taken", choice(fields, "effective", {**FORMS, "Timing": timing}))
    lines.add("Stated", moment(fields.get("dateAsserted")))
    return _finished(fields, related, lines, _date(fields, "effective") or text_of(fields.get("dateAsserted")))


def render_medication_administration(fields: Resource, related: Related) -> Rendered:
    """Return an administration's text; R5 spells its time ``occurence``."""
    status = state(fields.get("status"))
    denied = "Not given" if fields.get("notGiven") is True or status in _NOT_TAKEN else ""
    lines = _begun(fields, related, headline(_name(fields, related), status, negated=denied))
    lines.add("Reason not given", concepts_text(fields.get("reasonNotGiven")))
    lines.each("Dosage", dosages(fields.get("dosage")))
    lines.add("Not the full dose", concepts_text(fields.get("subPotentReason")) or ("yes" if fields.get("isSubPotent") is True else ""))
    lines.add("Given", choice(fields, "effective", FORMS) or choice(fields, "occurence", {**FORMS, "Timing": timing}))
    return _finished(fields, related, lines, _date(fields, "effective") or _date(fields, "occurence"))


def _begun(fields: Resource, related: Related, first: str) -> Lines:
    """Return the lines that all three begin with."""
    lines = Lines(first)
    drug = related.get(fields.get("medicationReference")) or related.get(fields.get("medication")) or {}
    concepts = [concept for concept in (_concept(fields), drug.get("code")) if concept]
    lines.add("Code", joined(map(code_line, concepts)))
    lines.add("Form", concept_text(drug.get("form")) or concept_text(drug.get("doseForm")))
    lines.each("Ingredient", (_ingredient(one, related) for one in items(drug.get("ingredient"))))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Reason for status", concepts_text(fields.get("statusReason")))
    lines.add("Reason", related.concepts(fields.get("reasonCode"), fields.get("reason"), fields.get("reasonReference")))
    return lines


def _finished(fields: Resource, related: Related, lines: Lines, date: str) -> Rendered:
    lines.notes(fields.get("note"))
    drug = related.get(fields.get("medicationReference")) or related.get(fields.get("medication")) or {}
    name = _name(fields, related)
    parts = [(Section.MEDICATIONS, lines)]
    return rendered(fields, related, name=name, parts=parts, about=[_concept(fields), drug.get("code")], date=date, says_little=not name)


def _concept(fields: Resource) -> object:
    return fields.get("medicationCodeableConcept") or fields.get("medication")


def _name(fields: Resource, related: Related) -> str:
    return name_of(_concept(fields)) or related.name(fields.get("medicationReference")) or related.name(fields.get("medication"))


def _ingredient(fields: Resource, related: Related) -> str:
    name = related.concepts(fields.get("itemCodeableConcept"), fields.get("item"))
    strength = ratio(fields.get("strength")) or ratio(fields.get("strengthRatio")) or quantity(fields.get("strengthQuantity"))
    return joined((name, strength), " ") if name else ""


def _substitution(fields: Resource) -> str:
    for one in items(fields.get("substitution")):
        allowed = [one[name] for name in ("allowedBoolean", "allowed") if isinstance(one.get(name), bool)]
        said = "allowed" if allowed and allowed[0] else "not allowed" if allowed else concept_text(one.get("allowedCodeableConcept"))
        return joined((said, concept_text(one.get("reason"))))
    return ""


def _date(fields: Resource, stem: str) -> str:
    starts = [text_of(one.get("start")) for one in items(fields.get(f"{stem}Period"))]
    return next((one for one in (text_of(fields.get(f"{stem}DateTime")), *starts) if one), "")
