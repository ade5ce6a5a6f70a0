"""Documents that are no trials: what every chunk holds, and where every character went."""

from __future__ import annotations

import pytest

from pipeline.domain.chunks import Chunk, Span
from pipeline.domain.documents import Redaction
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import ContentType, DocumentKind, DropReason, Element, ParseOutcome, Section
from tests.unit.stages.chunking.conftest import document_chunker, site_document

NOTE = """# Allergies
Penicillin.
# Assessment
Gout of the left foot. The uric acid was 9.1 mg/dL.
# Plan
Colchicine 0.6 mg PO b.i.d. for 5 days. Return in 2 weeks.
"""


def chunks(text: str, **settings: int) -> tuple[Chunk, ...]:
    done = document_chunker(**settings).chunk(site_document(text))
    assert done.loss.unexplained == 0
    return done.chunks


def test_each_section_has_chunks_of_its_own_in_reading_order():
    done = chunks(NOTE)
    assert [(one.section, one.headings) for one in done] == [
        (Section.ALLERGIES, ("Allergies",)),
        (Section.ASSESSMENT, ("Assessment",)),
        (Section.PLAN, ("Plan",)),
    ]
    assert done[1].text == "# Assessment\nGout of the left foot. The uric acid was 9.1 mg/dL."
    assert NOTE[done[1].span.start : done[1].span.end] == done[1].text


def test_title_and_headings_are_embedded_and_not_cited():
    text = "# Plan\n" + "He rests on the bed. " * 20
    first, *later = chunks(text, window=64, target=40)
    assert first.embed_text == f"Note, 2024: {first.text}"  # its heading is in its text
    assert all(one.embed_text == f"Note, 2024: Plan: {one.text}" for one in later)
    assert all(one.text.startswith("He rests") and one.context == () for one in later)


def test_a_long_title_leaves_the_window_to_the_text():
    document = site_document("He rests.", title="word " * 400)
    (only,) = document_chunker(window=64).chunk(document).chunks
    assert only.embed_text == "He rests."


def test_ordinals_count_within_a_category_over_the_whole_document():
    done = chunks("# Plan\nRest.\n# Allergies\nNone.\n# Plan\nWalk.")
    assert [(one.section, one.ordinal) for one in done] == [(Section.PLAN, 1), (Section.ALLERGIES, 1), (Section.PLAN, 2)]


def test_a_heading_without_text_stays_with_what_follows():
    done = chunks("# Past Medical History\n# Conclusion\nThe patient is better.\n# Plan\nDischarge.")
    assert [(one.section, one.text) for one in done] == [
        (Section.CONCLUSION, "# Past Medical History\n# Conclusion\nThe patient is better."),
        (Section.PLAN, "# Plan\nDischarge."),
    ]


def test_a_last_heading_without_text_is_not_lost():
    assert chunks("# Allergies\nNone.\n# Plan")[-1].text == "# Plan"


def test_running_headers_are_a_declared_drop():
    done = document_chunker().chunk(site_document("He rests.", furniture="Page 1 of 2\nPage 2 of 2"))
    assert (done.loss.by_reason[DropReason.FURNITURE], done.loss.unexplained, len(done.chunks)) == (23, 0, 1)


def test_dot_leaders_are_dropped_and_other_dots_are_not():
    done = document_chunker().chunk(
        site_document("1 Purpose ........ 4\n2 Dosing . . . . . . 12\nHe said .... nothing", kind=DocumentKind.PROTOCOL)
    )
    assert done.chunks[0].text == "1 Purpose 4\n2 Dosing 12\nHe said .... nothing"
    assert (done.loss.by_reason[DropReason.DOT_LEADER], done.loss.unexplained) == (8 + 11, 0)


def test_pages_confidence_and_suspects_come_from_the_marks():
    text = "Dose is 5 mg now.\n\nNext page here."
    second = text.index("Next")
    marks = [
        Mark(0, second, MarkKind.PAGE, 3),
        Mark(second, len(text), MarkKind.PAGE, 4),
        Mark(0, 4, MarkKind.WORD, confidence=0.9),
        Mark(8, 9, MarkKind.WORD, confidence=0.5),
        Mark(8, 9, MarkKind.SUSPECT, confidence=0.5),
    ]
    (only,) = document_chunker().chunk(site_document(text, marks=marks)).chunks
    assert (only.page, only.page_to, only.confidence, only.suspects) == (3, 4, pytest.approx(0.7), (Span(8, 9),))


def test_a_text_without_marks_is_sure_and_has_no_page():
    (only,) = chunks("He rests.")
    assert (only.page, only.page_to, only.confidence, only.suspects, only.element) == (None, None, 1.0, (), Element.TEXT)


def test_codes_and_content_type_are_found():
    done = chunks("# Diagnosis\nGout (M10.9).\n# Plan\nColchicine 0.6 mg PO daily.")
    assert done[0].icd_codes == ("M10.9",)
    assert [one.content_type for one in done] == [ContentType.ASSESSMENT, ContentType.MEDICATION]


def test_placeholders_count_as_redacted():
    text = "Seen by [NAME] today."
    done = document_chunker().chunk(site_document(text, redactions=(Redaction(8, 14, "NAME"),)))
    assert (done.loss.redacted, done.loss.unexplained, done.outcome) == (6, 0, ParseOutcome.NOT_A_TRIAL)


@pytest.mark.parametrize("text", ["&#74;ohn", "jo\\.hn\\@example.org", "**no** rash", "[a](http://b.example)", "p\\<0.01, B\\*07:02"])
def test_nothing_is_undone_that_de_identification_has_not_seen(text: str):
    (only,) = chunks(text)
    assert only.text == text


def test_a_symbol_font_sign_is_the_sign_that_a_reader_sees():
    (only,) = chunks("creatinine \uf0a3 133 \uf06dmol/L")
    assert only.text == "creatinine ≤ 133 µmol/L"


@pytest.mark.parametrize("text", ["", " \n\n\t ", "\u200b\x00"])
def test_a_text_that_nobody_can_see_has_no_chunk(text: str):
    assert chunks(text) == ()


def test_the_version_names_the_sectioner_and_every_size():
    one = document_chunker().version
    others = [
        document_chunker(window=128).version,
        document_chunker(target=100).version,
        document_chunker(overlap=2).version,
        document_chunker(characters=(1000, 400, 1800, 150)).version,
        document_chunker(characters=(1200, 300, 1800, 150)).version,
        document_chunker(characters=(1200, 400, 1700, 150)).version,
        document_chunker(characters=(1200, 400, 1800, 100)).version,
    ]
    assert "headings-1" in one
    assert len({one, *others}) == 8
