"""What the report says of files with pages."""

from __future__ import annotations

from uuid import UUID

from pipeline.domain.reading import FigureKind, OcrReason, PageOutcome, ReadFigure, ReadPage
from pipeline.domain.vocabulary import FailureCategory
from pipeline.jobs.report.collect import collect
from pipeline.jobs.report.html import render_html
from pipeline.jobs.report.pages import page_rows
from pipeline.storage import file_rows
from pipeline.storage.file_rows import FigureRow

PAGES = (
    ReadPage(1, PageOutcome.TEXT_LAYER, characters=100, body=80, furniture=15, dropped=5, tables=1),
    ReadPage(2, PageOutcome.OCR, OcrReason.IMAGE, confidence=0.93, lowest=0.4, characters=50, body=50, suspects=3, rotation=90, dpi=300),
    ReadPage(3, PageOutcome.OCR, OcrReason.GARBAGE, confidence=0.41, lowest=0.0, characters=20, body=20),
    ReadPage(4, PageOutcome.FAILED, OcrReason.IMAGE, FailureCategory.OCR_TIMEOUT, confidence=0.0),
    ReadPage(5, PageOutcome.BLANK),
)


def take(home, key: str, pages=PAGES) -> UUID:
    document = home.document(key)
    figure = ReadFigure(1, 1, FigureKind.FIGURE, 100, 80, b"")
    logo = ReadFigure(0, 1, FigureKind.TINY, 9, 9, b"")
    with home.db.begin() as tx:
        file_rows.replace_pages(tx, document, pages)
        file_rows.replace_figures(tx, document, [FigureRow(figure, "a" * 64), FigureRow(logo, None)])
    return document


def test_pages_of_live_documents_are_counted_by_outcome_and_summed(home):
    take(home, "NCT99000001")
    home.tombstone(take(home, "NCT99000002"))
    found = collect(home).pages
    assert found.documents == 1
    assert found.by_outcome == {"text_layer": 1, "ocr": 2, "blank": 1, "no_text": 0, "failed": 1}
    assert [(one.value, one.count) for one in found.ocr_reasons] == [("image", 2), ("garbage", 1)]
    assert [(one.value, one.count) for one in found.failures] == [("ocr_timeout", 1)]
    assert (found.characters, found.body, found.furniture, found.dropped, found.unexplained) == (170, 150, 15, 5, 0)
    assert (found.tables, found.figures, found.suspects, found.low_confidence) == (1, 1, 3, 1)


def test_pages_to_look_at_are_those_that_failed_and_then_those_read_worst(home):
    document = take(home, "NCT99000001")
    found = collect(home).pages.to_look_at
    assert [(one.page, one.outcome, one.failure, one.confidence) for one in found] == [
        (4, "failed", "ocr_timeout", 0.0),
        (3, "ocr", None, 0.41),
    ]
    assert {one.document_id for one in found} == {str(document)}


def test_a_failed_page_and_an_unexplained_character_are_reasons_of_the_verdict(home):
    take(home, "NCT99000001", (*PAGES[:4], ReadPage(5, PageOutcome.TEXT_LAYER, characters=2, body=1, unexplained=1)))
    reasons = collect(home).verdict.reasons
    assert "1 page of files could not be read; the other pages of their documents are indexed." in reasons
    assert "1 character of pages is neither text nor declared as dropped." in reasons


def test_the_page_shows_the_pages_and_a_home_without_files_shows_none(home):
    assert "Pages by outcome" not in render_html(collect(home))
    document = take(home, "NCT99000001")
    page = render_html(collect(home))
    assert "Pages by outcome" in page
    assert "3 numbers that OCR is not sure of are flagged." in page
    assert str(document) in page


def test_a_second_reading_takes_the_place_of_the_first(home):
    document = take(home, "NCT99000001")
    take(home, "NCT99000001", PAGES[:1])
    with home.db.read() as tx:
        assert [row["page"] for row in page_rows(tx, document)] == [1]
