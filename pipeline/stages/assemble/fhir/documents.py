"""Documents as text: what a DocumentReference says of its attachments, and a Composition by its sections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pipeline.domain.documents import FHIR_SECTION_PART, Part
from pipeline.domain.vocabulary import Section
from pipeline.stages.assemble.fhir.build import attachments, headline, rendered
from pipeline.stages.assemble.fhir.codes import codings, vocabulary
from pipeline.stages.assemble.fhir.kinds import kind_of
from pipeline.stages.assemble.fhir.lines import Lines
from pipeline.stages.assemble.fhir.model import Rendered
from pipeline.stages.assemble.fhir.narrative import narrative
from pipeline.stages.assemble.fhir.related import Related, Resource
from pipeline.stages.assemble.fhir.values import code_line, concept_text, concepts_text, items, joined, moment, name_of, period, text_of

#: Sections within sections; what lies deeper is not read.
_DEEPEST: Final = 10


def render_document_reference(fields: Resource, related: Related) -> Rendered:
    """Return what is said of a document; its attachments are its content."""
    kind, context = fields.get("type"), items(fields.get("context"))
    name = name_of(kind) or joined(map(name_of, (*items(fields.get("category")), *items(fields.get("class")))), ", ")
    lines = Lines(headline(name, text_of(fields.get("status")), text_of(fields.get("docStatus"))))
    lines.add("Code", code_line(kind))
    lines.add("Category", joined((concepts_text(fields.get("category")), concepts_text(fields.get("class")))))
    lines.add("Description", text_of(fields.get("description")))
    event = related.concepts(fields.get("event"), *(one.get("event") for one in context))
    lines.add("Event", event)
    lines.add(
        "Setting", joined((concept_text(fields.get("practiceSetting")), *(concept_text(one.get("practiceSetting")) for one in context)))
    )
    lines.add(
        "Kind of place", joined((concept_text(fields.get("facilityType")), *(concept_text(one.get("facilityType")) for one in context)))
    )
    lines.add("Period", joined((period(fields.get("period")), *(period(one.get("period")) for one in context))))
    date = next((text for one in ("date", "created", "indexed") if (text := text_of(fields.get(one)))), "")
    lines.add("Date", moment(date))
    content = enumerate(items(fields.get("content")))
    found = attachments((f"content[{index}].attachment", inner) for index, one in content for inner in items(one.get("attachment")))
    lines.each("Attachment", (one.title for one in found if one.title))
    read = rendered(fields, related, name=name, parts=[(Section.NOTE_TEXT, lines)], about=[kind], date=date, says_little=not found)
    return replace(read, attachments=found, attached_kind=kind_of(kind))


def render_composition(fields: Resource, related: Related) -> Rendered:
    """Return a document's text: what it is, then its sections, each a part of its own."""
    kind, title = fields.get("type"), text_of(fields.get("title"))
    lines = Lines(headline(title or name_of(kind), text_of(fields.get("status"))))
    lines.add("Type", concept_text(kind))
    lines.add("Category", joined((concepts_text(fields.get("category")), concepts_text(fields.get("class")))))
    for event in items(fields.get("event")):
        lines.add("Event", joined((related.concepts(event.get("code"), event.get("detail")), period(event.get("period")))))
    lines.add("Date", moment(fields.get("date")))
    found = _sections(fields.get("section"), related, 0)
    sections = tuple(Part(f"{FHIR_SECTION_PART}[{index}]:{code}", text) for index, (code, text) in enumerate(found))
    read = rendered(
        fields,
        related,
        name=title or name_of(kind),
        parts=[(Section.NOTE_TEXT, lines)],
        about=[kind],
        date=text_of(fields.get("date")),
        says_little=not sections,
    )
    return replace(read, parts=(*read.parts, *sections), attached_kind=kind_of(kind))


def _sections(sections: object, related: Related, depth: int) -> Iterator[tuple[str, str]]:
    """Yield LOINC code (which tells what a section is, and may be none) and text of each section with words, those within it after it."""
    for one in items(sections):
        title = text_of(one.get("title")) or name_of(one.get("code"))
        words = Lines(*narrative(one.get("text")).split("\n"))
        if not words:
            words.extend(related.concepts(entry) for entry in items(one.get("entry")))
        empty = concept_text(one.get("emptyReason"))
        words.extend([f"Nothing is said here: {empty}" if empty and not words else ""])
        if words:
            code = next((text_of(each.get("code")) for each in codings(one.get("code")) if vocabulary(each.get("system")) == "LOINC"), "")
            yield code, f"{title}\n{words.text}" if title else words.text
        if depth < _DEEPEST:
            yield from _sections(one.get("section"), related, depth + 1)
