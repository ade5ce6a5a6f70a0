"""Encounters and care plans as text."""

from __future__ import annotations

from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.timing import timing
from pipeline.stages.assemble.fhir.values import (
    FORMS,
    choice,
    concept_text,
    concepts_text,
    items,
    joined,
    moment,
    name_of,
    period,
    prose,
    quantity,
    text_of,
)


def render_encounter(fields: Resource, related: Related) -> Rendered:
    """Return an encounter's text."""
    kinds = joined(map(name_of, items(fields.get("type"))), ", ")
    name = kinds or joined(map(name_of, items(fields.get("class"))), ", ")
    lines = Lines(headline(name, state(fields.get("status"))))
    lines.add("Class", concepts_text(fields.get("class")))
    lines.add("Type", concepts_text(fields.get("type")))
    lines.add("Service", related.concepts(fields.get("serviceType")))
    lines.add("Priority", concept_text(fields.get("priority")))
    reasons = items(fields.get("reason"))
    lines.add(
        "Reason", related.concepts(fields.get("reasonCode"), reasons, *(one.get("value") for one in reasons), fields.get("reasonReference"))
    )
    lines.each("Diagnosis", (_diagnosis(one, related) for one in items(fields.get("diagnosis"))))
    spans = period(fields.get("period")) or period(fields.get("actualPeriod"))
    lines.add("Period", spans)
    lines.add("Length", quantity(fields.get("length")))
    for stay in (*items(fields.get("hospitalization")), *items(fields.get("admission"))):
        lines.add("Admitted from", concept_text(stay.get("admitSource")))
        lines.add("Readmission", concept_text(stay.get("reAdmission")))
        lines.add("Discharged to", concept_text(stay.get("dischargeDisposition")))
    started = [text_of(one.get("start")) for name in ("period", "actualPeriod") for one in items(fields.get(name))]
    about = [
        fields.get("type"),
        fields.get("reasonCode"),
        reasons,
        *(one.get("concept") for each in reasons for one in items(each.get("value"))),
    ]
    return rendered(
        fields,
        related,
        name=name,
        parts=[(Section.NOTE_TEXT, lines)],
        about=about,
        date=next(iter(started), ""),
        says_little=len(lines) <= 1,
    )


def _diagnosis(fields: Resource, related: Related) -> str:
    name = related.concepts(fields.get("condition"))
    role = joined((concepts_text(fields.get("use")), concepts_text(fields.get("role"))))
    return f"{name}; {role}" if name and role else name


def render_care_plan(fields: Resource, related: Related) -> Rendered:
    """Return a plan's text: what it is against, what it is for, and what is to be done."""
    name = text_of(fields.get("title")) or joined(map(name_of, items(fields.get("category"))), ", ")
    lines = Lines(headline(name, state(fields.get("status")), text_of(fields.get("intent"))))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Description", prose(fields.get("description")))
    lines.add("Addresses", related.concepts(fields.get("addresses")))
    lines.add("Period", period(fields.get("period")))
    lines.add("Created", moment(fields.get("created")))
    known = len(lines)
    for _, goal in related.all(fields.get("goal")):
        reached = joined((state(goal.get("lifecycleStatus")) or state(goal.get("status")), state(goal.get("achievementStatus"))), ", ")
        lines.add("Goal", headline(concept_text(goal.get("description")), reached))
    lines.each("Activity", (_activity(one, related) for one in items(fields.get("activity"))))
    lines.notes(fields.get("note"))
    started = [text_of(one.get("start")) for one in items(fields.get("period"))]
    return rendered(
        fields,
        related,
        name=name,
        parts=[(Section.PLAN, lines)],
        about=[fields.get("category"), fields.get("addresses"), *(_details(one, "code") for one in items(fields.get("activity")))],
        date=next((one for one in started if one), "") or text_of(fields.get("created")),
        says_little=len(lines) == known and not fields.get("description"),
    )


def _details(activity: Resource, name: str) -> list[object]:
    return [one.get(name) for one in items(activity.get("detail"))]


def _activity(fields: Resource, related: Related) -> str:
    """Return one activity: its own detail, or the request that it refers to."""
    details = [_detail(one) for one in items(fields.get("detail"))]
    others = (fields.get("reference"), fields.get("plannedActivityReference"), fields.get("performedActivity"))
    parts = (
        *details,
        *(name for one in others if (name := related.concepts(one))),
        concepts_text(fields.get("outcomeCodeableConcept")),
        *(text_of(one.get("text")) for one in items(fields.get("progress"))),
    )
    return joined(parts)


def _detail(fields: Resource) -> str:
    denied = "Do not perform" if fields.get("doNotPerform") is True or fields.get("prohibited") is True else ""
    parts = (
        headline(concept_text(fields.get("code")) or text_of(fields.get("description")), text_of(fields.get("status")), negated=denied),
        text_of(fields.get("description")),
        concept_text(fields.get("productCodeableConcept")),
        quantity(fields.get("quantity")),
        f"daily {daily}" if (daily := quantity(fields.get("dailyAmount"))) else "",
        choice(fields, "scheduled", {**FORMS, "Timing": timing}),
        f"because of {reason}" if (reason := concepts_text(fields.get("reasonCode"))) else "",
        text_of(fields.get("statusReason")) or concept_text(fields.get("statusReason")),
    )
    return joined(parts)
