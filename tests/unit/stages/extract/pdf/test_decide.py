"""Text layer or OCR, page by page."""

import pytest

from pipeline.domain.reading import OcrReason, PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Line, PageContent, Word
from pipeline.stages.extract.pdf.decide import Decision, better, decide
from pipeline.stages.extract.pdf.evidence import Evidence

BOX = Box(72, 72, 500, 82)
PROSE = (
    "The patient was given fluids early, and the dose of the second drug was reduced by half after two hours of observation on the ward."
)
CODES = "".join(chr(ord(sign) - 1) if sign.isalpha() else sign for sign in PROSE)


def page(text: str, outcome: PageOutcome = PageOutcome.TEXT_LAYER, reason: OcrReason | None = None) -> PageContent:
    words = tuple(Word(part, BOX) for part in text.split())
    blocks = (Block(BlockKind.PARAGRAPH, BOX, (Line(words, BOX),)),) if words else ()
    return PageContent(1, 612, 792, outcome, blocks, reason, characters=len("".join(text.split())))


def images(share: float) -> Evidence:
    return Evidence(
        image_share=share, images=int(share > 0), horizontal=0, vertical=0, paths=0, redactions=(), hidden_share=0.0, rotation=0
    )


@pytest.mark.parametrize(
    ("text", "share", "ink", "expected"),
    [
        (PROSE, 0.0, True, Decision(PageOutcome.TEXT_LAYER)),
        (CODES, 0.0, True, Decision(PageOutcome.OCR, OcrReason.GARBAGE)),
        ("", 1.0, True, Decision(PageOutcome.OCR, OcrReason.IMAGE)),
        ("", 0.0, True, Decision(PageOutcome.OCR, OcrReason.IMAGE)),
        ("", 0.0, False, Decision(PageOutcome.BLANK)),
        ("Page 12", 0.9, True, Decision(PageOutcome.OCR, OcrReason.SPARSE)),
        ("Page 12", 0.1, True, Decision(PageOutcome.TEXT_LAYER)),
        (PROSE * 2, 0.9, True, Decision(PageOutcome.OCR, OcrReason.SPARSE)),
        (PROSE * 2, 0.5, True, Decision(PageOutcome.TEXT_LAYER)),
        (PROSE * 4, 1.0, True, Decision(PageOutcome.TEXT_LAYER)),
    ],
)
def test_decides_by_text_and_by_what_else_is_there(text: str, share: float, ink: bool, expected: Decision) -> None:
    assert decide(page(text), images(share), lambda: ink) == expected


def test_keeps_of_garbage_and_ocr_what_has_more_words() -> None:
    layer, recognised = page(CODES, reason=OcrReason.GARBAGE), page(PROSE, PageOutcome.OCR)
    assert better(layer, recognised) is recognised
    foreign = page("Il paziente ha ricevuto il farmaco in ospedale per la terapia", reason=OcrReason.GARBAGE)
    assert better(foreign, page("11 qaz wsx edc rfv", PageOutcome.OCR)) is foreign


def test_keeps_an_almost_empty_layer_where_ocr_finds_no_more() -> None:
    layer = page("Page 12", reason=OcrReason.SPARSE)
    assert better(layer, page("", PageOutcome.NO_TEXT)) is layer
    assert better(layer, page("Page", PageOutcome.OCR)) is layer
    recognised = page(PROSE, PageOutcome.OCR)
    assert better(layer, recognised) is recognised


def test_garbage_that_ocr_cannot_read_either_is_not_kept() -> None:
    failed = page("", PageOutcome.FAILED)
    assert better(page(CODES, reason=OcrReason.GARBAGE), failed) is failed
