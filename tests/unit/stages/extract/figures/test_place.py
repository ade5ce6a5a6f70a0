"""Figures put at their places in the reading order."""

from __future__ import annotations

from pipeline.domain.reading import FigureKind, PageOutcome
from pipeline.stages.extract.content import Block, BlockKind, Box, Figure, Line, PageContent, Word
from pipeline.stages.extract.figures.place import place_figures


def _line(text: str, top: float, x: float = 60) -> Line:
    box = Box(x, top, x + 200, top + 10)
    return Line((Word(text, box),), box)


def _block(*lines: Line) -> Block:
    box = lines[0].box
    for line in lines:
        box = box.joined(line.box)
    return Block(BlockKind.PARAGRAPH, box, lines)


def _page(*blocks: Block) -> PageContent:
    return PageContent(1, 600, 800, PageOutcome.TEXT_LAYER, blocks)


def _figure(*lines: Line, top: float = 100, kind: FigureKind = FigureKind.FIGURE) -> Figure:
    return Figure(Box(60, top, 260, top + 100), kind, 400, 200, lines=lines)


def _texts(page: PageContent) -> list[tuple[str, str]]:
    return [(block.kind.value, " / ".join(line.text for line in block.lines)) for block in page.blocks]


def test_a_figure_stands_where_its_caption_stood_and_the_caption_is_said_once() -> None:
    before, caption, after = _line("before", 80), _line("Figure 1", 210), _line("after", 240)
    page = place_figures(_page(_block(before, caption, after)), [_figure(caption)])
    assert _texts(page) == [("paragraph", "before"), ("figure", "Figure 1"), ("paragraph", "after")]


def test_a_figure_without_caption_stands_before_the_text_below_it() -> None:
    page = place_figures(_page(_block(_line("above", 60)), _block(_line("below", 220))), [_figure()])
    assert _texts(page) == [("paragraph", "above"), ("figure", ""), ("paragraph", "below")]


def test_text_in_another_column_does_not_decide() -> None:
    page = place_figures(_page(_block(_line("left", 60)), _block(_line("right", 220, x=320))), [_figure()])
    assert _texts(page)[-1] == ("figure", "")


def test_lines_of_the_caption_and_of_the_picture_are_all_kept_in_its_block() -> None:
    caption, label = _line("Figure 1", 210), _line("Arm A", 130)
    page = place_figures(_page(_block(label), _block(caption)), [_figure(caption, label)])
    assert [block.kind for block in page.blocks] == [BlockKind.FIGURE]
    assert {line.text for line in page.blocks[0].lines} == {"Figure 1", "Arm A"}


def test_logos_come_last() -> None:
    page = place_figures(_page(_block(_line("text", 220))), [_figure(top=10, kind=FigureKind.REPEATED)])
    assert _texts(page) == [("paragraph", "text"), ("figure", "")]
