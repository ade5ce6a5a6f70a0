"""Pages in, one text with marks out: paragraphs go on over pages and columns, tables are rows, every sign is accounted for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import FigureKind, PageOutcome, ReadFile, ReadPage
from pipeline.domain.vocabulary import Reading
from pipeline.stages.extract.account import Account, signs_of_lines, signs_of_page
from pipeline.stages.extract.content import Block, BlockKind, Line, PageContent, Word
from pipeline.stages.extract.writer import Placed, Writer

_FLOWING: Final = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
#: A sentence, a lead-in or a clause ends here; quotation marks, brackets and a note's number may follow.
_ENDED: Final = re.compile(r"[.!?:;…][\"'”’)\]]*\d{0,2}$")
_READINGS: Final = {PageOutcome.TEXT_LAYER: Reading.TEXT_LAYER.value, PageOutcome.OCR: Reading.OCR.value}


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page to be written.

    Attributes:
        content: Its body: furniture taken out, tables and figures in their places.
        furniture: Running headers and footers, top to bottom.
        signs: What the page held before anything was moved; ``None``: what ``content`` and ``furniture`` hold.
    """

    content: PageContent
    furniture: tuple[Line, ...] = ()
    signs: Counter[str] | None = field(default=None, repr=False)


def assemble(pages: Sequence[SourcePage], *, notices: Sequence[str] = (), title: str = "") -> ReadFile:
    """Return the file that pages make. ``title``: what the file's properties state, used where no page shows one."""
    writer = Writer([page.content for page in pages])
    for piece in _pieces(pages):
        writer.write(piece)
    text, starts = writer.text, writer.page_starts()
    ends = [*starts[1:], len(text)]
    marks = [_page_mark(page, start, end) for page, start, end in zip(pages, starts, ends, strict=bool(pages))]
    furniture, furniture_marks = _furniture(pages)
    for page, account in zip(pages, writer.accounts, strict=True):
        account.furniture = signs_of_lines(page.furniture)
    return ReadFile(
        text=text,
        marks=tuple(sorted([*marks, *writer.marks], key=lambda mark: (mark.start, -mark.end))),
        furniture=furniture,
        furniture_marks=furniture_marks,
        pages=tuple(_read_page(page, account) for page, account in zip(pages, writer.accounts, strict=True)),
        figures=tuple(writer.figures),
        title=writer.title or title,
        notices=tuple(notices),
    )


def _pieces(pages: Sequence[SourcePage]) -> Iterator[list[Placed]]:
    """Yield blocks in order, those of one paragraph together; pictures that are no figures when they come, since they have no place in the text."""
    piece: list[Placed] = []
    for page, source in enumerate(pages):
        for block in source.content.blocks:
            placed = Placed(page, block)
            if block.figure is not None and block.figure.kind is not FigureKind.FIGURE:
                yield [placed]  # it has no text: a paragraph goes on past it
                continue
            if piece and _goes_on(piece[-1], placed):
                piece.append(placed)
                continue
            if piece:
                yield piece
            piece = [placed]
    if piece:
        yield piece


def _goes_on(before: Placed, after: Placed) -> bool:
    """Whether a paragraph goes on in the next block: at the top of the next column or page, in the middle of a sentence."""
    if before.block.kind not in _FLOWING or after.block.kind is not BlockKind.PARAGRAPH:
        return False
    if not before.block.lines or not after.block.lines:
        return False
    is_next_page = after.page == before.page + 1
    is_next_column = after.page == before.page and after.block.box.top < before.block.box.top
    if not (is_next_page or is_next_column):
        return False
    last, first = before.block.lines[-1].text, after.block.lines[0].text.lstrip("(\"'“‘")
    return not _ENDED.search(last) and first[:1].islower()


def _page_mark(page: SourcePage, start: int, end: int) -> Mark:
    content = page.content
    confidence, _ = _confidence(_words(content))
    return Mark(start, end, MarkKind.PAGE, number=content.number, confidence=confidence, reading=_READINGS.get(content.outcome, ""))


def _words(content: PageContent) -> list[Word]:
    return [word for block in content.blocks for line in block.lines for word in line.words]


def _confidence(words: Sequence[Word]) -> tuple[float, float]:
    """Return the mean and the lowest confidence; 1 without words."""
    values = [word.confidence for word in words]
    return (sum(values) / len(values), min(values)) if values else (1.0, 1.0)


def _furniture(pages: Sequence[SourcePage]) -> tuple[str, tuple[Mark, ...]]:
    text, marks = "", []
    for page in pages:
        start = len(text)
        text += "".join(line.text + "\n" for line in page.furniture)
        if len(text) > start:
            marks.append(Mark(start, len(text), MarkKind.PAGE, number=page.content.number))
    return text, tuple(marks)


def _read_page(page: SourcePage, account: Account) -> ReadPage:
    """Return the account of a page: what was written is compared, sign by sign, with what the page held."""
    content = page.content
    source = page.signs if page.signs is not None else signs_of_page(content) + account.furniture
    unread = content.characters - content.dropped - source.total()  # what the text layer has and its words lack
    missing = account.missing(source)
    dropped, furniture = account.dropped.total(), account.furniture.total()
    kept = source.total() - missing - dropped - furniture
    words = _words(content)
    confidence, lowest = _confidence(words)
    return ReadPage(
        number=content.number,
        outcome=content.outcome,
        reason=content.reason,
        failure=content.failure,
        confidence=round(confidence, 4),
        lowest=round(lowest, 4),
        characters=content.characters + account.read,
        body=kept + account.read,
        furniture=furniture,
        dropped=content.dropped + dropped,
        unexplained=missing + unread,
        tables=sum(block.kind is BlockKind.TABLE for block in content.blocks),
        figures=sum(_is_figure(block) for block in content.blocks),
        suspects=sum(word.suspect for word in words),
        rotation=content.rotation,
        skew=content.skew,
        dpi=content.dpi,
        seconds=content.seconds,
    )


def _is_figure(block: Block) -> bool:
    return block.figure is not None and block.figure.kind is FigureKind.FIGURE
