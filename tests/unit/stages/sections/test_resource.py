from __future__ import annotations

import pytest

from pipeline.domain.vocabulary import DocumentKind, Section
from pipeline.stages.sections.finder import part_sections


@pytest.mark.parametrize(
    ("name", "section"),
    [
        ("fhir:laboratory_results", Section.LABORATORY_RESULTS),
        ("fhir:medications", Section.MEDICATIONS),
        ("fhir:note_text", Section.NOTE_TEXT),
    ],
)
def test_a_rendered_part_is_one_section_whatever_stands_in_it(name: str, section: Section):
    text = "Panel (final)\nMEDICATIONS:\nAspirin\nALLERGIES: none"
    (span,) = part_sections(name, text, (), DocumentKind.FHIR_RESOURCE)
    assert (span.start, span.end, span.section, span.path) == (0, len(text), section, ())


@pytest.mark.parametrize(
    ("code", "section"),
    [("48765-2", Section.ALLERGIES), ("11450-4", Section.DIAGNOSIS), ("99999-9", Section.NOTE_TEXT), ("", Section.NOTE_TEXT)],
)
def test_a_section_of_a_composition_is_told_by_its_code_and_headed_by_its_title(code: str, section: Section):
    (span,) = part_sections(f"fhir-section[3]:{code}", "Allergies\nLatex", (), DocumentKind.FHIR_RESOURCE)
    assert (span.section, span.path, span.heading_end) == (section, ("Allergies",), 10)


def test_a_section_without_a_title_has_no_heading():
    (span,) = part_sections("fhir-section[0]:48765-2", "Latex", (), DocumentKind.FHIR_RESOURCE)
    assert (span.path, span.heading_end) == ((), 0)


def test_an_attached_notes_text_is_read_for_headings():
    spans = part_sections("text", "ALLERGIES: none known\n\nMEDICATIONS:\nAspirin 81 mg daily", (), DocumentKind.NOTE)
    assert [span.section for span in spans] == [Section.ALLERGIES, Section.MEDICATIONS]
