"""Studies and those who take part as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pipeline.domain.identifiers import is_nct_id
from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import headline, rendered, state
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import FORMS, choice, concept_text, concepts_text, items, joined, name_of, period, prose, text_of


def render_research_study(fields: Resource, related: Related) -> Rendered:
    """Return a study's text. Of its numbers those of ClinicalTrials.gov are shown alone."""
    title = text_of(fields.get("title"))
    numbers = tuple(dict.fromkeys(number for one in items(fields.get("identifier")) if is_nct_id(number := text_of(one.get("value")))))
    lines = Lines(headline(title, state(fields.get("status"))))
    lines.add("Registration", joined(numbers, ", "))
    lines.add("Phase", concept_text(fields.get("phase")))
    lines.add("Purpose", concept_text(fields.get("primaryPurposeType")))
    lines.add("Conditions", concepts_text(fields.get("condition")))
    lines.add("Focus", related.concepts(fields.get("focus")))
    lines.add("Category", concepts_text(fields.get("category")))
    lines.add("Design", concepts_text(fields.get("studyDesign")))
    lines.add("Keywords", concepts_text(fields.get("keyword")))
    lines.add("Period", period(fields.get("period")))
    lines.add("Stopped because", concept_text(fields.get("reasonStopped")) or concept_text(fields.get("whyStopped")))
    lines.add("Summary", prose(fields.get("descriptionSummary")))
    lines.add("Description", prose(fields.get("description")))
    recruitment = items(fields.get("recruitment"))
    groups = [fields.get("enrollment"), *(one.get("eligibility") for one in recruitment)]
    lines.each("Eligibility", (text for one in groups for _, group in related.all(one) for text in _criteria(group)))
    lines.add("Target number", joined(text_of(one.get("targetNumber")) for one in recruitment))
    lines.each("Arm", _named([*items(fields.get("arm")), *items(fields.get("comparisonGroup"))]))
    lines.each("Objective", _named(items(fields.get("objective"))))
    lines.each("Outcome", _named(items(fields.get("outcomeMeasure"))))
    lines.notes(fields.get("note"))
    started = [text_of(one.get("start")) for one in items(fields.get("period"))]
    read = rendered(
        fields,
        related,
        name=title,
        parts=[(Section.BRIEF_SUMMARY, lines)],
        about=[fields.get("condition"), fields.get("focus")],
        date=next(iter(started), ""),
        says_little=not title,
    )
    return replace(read, nct_ids=numbers)


def _named(values: Iterable[Resource]) -> Iterator[str]:
    """Yield arms, objectives and outcomes: "Arm A (Experimental): what is done in it"."""
    for one in values:
        yield joined(
            (headline(text_of(one.get("name")), joined(map(name_of, items(one.get("type"))), ", ")), text_of(one.get("description"))), ": "
        )


def _criteria(group: Resource) -> Iterator[str]:
    for one in items(group.get("characteristic")):
        what = joined((concept_text(one.get("code")), choice(one, "value", FORMS)), ": ")
        yield headline(what, negated="Excluded" if one.get("exclude") is True else "") if what else ""


def render_research_subject(fields: Resource, related: Related) -> Rendered:
    """Return that somebody takes part in a study, how far, and in which arm."""
    study = related.get(fields.get("study")) or {}
    title = text_of(study.get("title"))
    lines = Lines(headline(title, state(fields.get("status"))))
    lines.add("Phase", concept_text(study.get("phase")))
    lines.add("Assigned arm", text_of(fields.get("assignedArm")) or text_of(fields.get("assignedComparisonGroup")))
    lines.add("Actual arm", text_of(fields.get("actualArm")) or text_of(fields.get("actualComparisonGroup")))
    lines.add("Period", period(fields.get("period")))
    for one in items(fields.get("progress")):
        span = period({"start": one.get("startDate"), "end": one.get("endDate")})
        kinds = (concept_text(one.get(name)) for name in ("type", "subjectState", "milestone", "reason"))
        lines.add("Progress", joined((*kinds, span)))
    started = [text_of(one.get("start")) for one in items(fields.get("period"))]
    return rendered(
        fields,
        related,
        name=title,
        parts=[(Section.NOTE_TEXT, lines)],
        date=next(iter(started), ""),
        says_little=not title,
    )
