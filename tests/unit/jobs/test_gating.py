"""The gate reads what is kept of a document beside the texts that are embedded: headings as they stand, and rows of tables."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from pipeline.domain.chunks import Chunk, ChunkedDocument, Loss, ParseOutcome, Span
from pipeline.domain.documents import DeidentifiedDocument, DeidentifiedPart, Facets
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import DocumentKind, Reading, Section
from pipeline.jobs.gating import judge
from pipeline.stages.deidentify import policy_for

CLEAN = "Potassium: 4.1 mmol/L"
POLICY = policy_for("note", "documents")
LONG = "Laboratory results of the second visit that were read by the department of internal medicine and "


def document(text: str, *marks: Mark) -> DeidentifiedDocument:
    part = DeidentifiedPart("text", text, None, Reading.TEXT_LAYER, 1.0, marks=marks)
    return DeidentifiedDocument(UUID(int=1), "documents", "k", DocumentKind.NOTE, "Note", (part,), Facets(), "c", "f", POLICY.id)


def chunked(**said: object) -> ChunkedDocument:
    chunk = Chunk(Section.NOTE_TEXT, 1, None, CLEAN, CLEAN, "text", Span(0, len(CLEAN)), 9)
    return ChunkedDocument((replace(chunk, **said),), (), Loss(), ParseOutcome.NOT_A_TRIAL)


def row(text: str) -> DeidentifiedDocument:
    marks = [Mark(0, len(text), MarkKind.TABLE, 1), Mark(0, len(text), MarkKind.TABLE_ROW, 1)]
    return document(text, *marks, Mark(0, len(text), MarkKind.TABLE_CELL, 1))


def test_a_name_at_the_end_of_a_heading_that_is_embedded_cut_is_found():
    assert judge(document(CLEAN), chunked(), POLICY, {}) == []
    (found,) = judge(document(CLEAN), chunked(headings=(f"{LONG}by Dr. Winterbourne",)), POLICY, {})
    assert (found.where, found.category, found.section) == ("payload", "NAME", None)


def test_an_identifier_in_a_cell_is_found_where_no_chunk_holds_it():
    assert judge(row("4.1 mmol/L"), chunked(), POLICY, {}) == []
    (found,) = judge(row("Seen by Dr. Winterbourne"), chunked(), POLICY, {})
    assert (found.where, found.category) == ("table", "NAME")


def test_headings_and_cells_with_placeholders_pass():
    assert judge(row("[NAME]"), chunked(headings=("Visit of [NAME] on [DATE]",)), POLICY, {}) == []
