"""Blocks in, text and marks out, with an account of every page's signs. One writer writes one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.reading import FigureKind, PageOutcome, ReadFigure
from pipeline.stages.extract.account import Account, hyphens_of_table, signs_of, signs_of_lines
from pipeline.stages.extract.content import Block, BlockKind, Figure, PageContent, Word
from pipeline.stages.extract.paragraphs import join_lines
from pipeline.stages.extract.tables.rows import WrittenRow, write_rows

_MARKS: Final = {BlockKind.HEADING: MarkKind.HEADING, BlockKind.TITLE: MarkKind.TITLE, BlockKind.LIST_ITEM: MarkKind.LIST_ITEM}
_PARAGRAPH_BREAK: Final = "\n\n"
_LINE_BREAK: Final = "\n"


@dataclass(frozen=True, slots=True)
class Placed:
    """A block and the index of its page."""

    page: int
    block: Block


class Writer:
    """Collects the text of a file, its marks, its figures, and where each page starts."""

    def __init__(self, pages: Sequence[PageContent]) -> None:
        self.accounts = [Account() for _ in pages]
        self.marks: list[Mark] = []
        self.figures: list[ReadFigure] = []
        self.title = ""
        self._pages = pages
        self._parts: list[str] = []
        self._length = 0
        self._starts: dict[int, int] = {}
        self._last = BlockKind.TITLE
        self._tables = self._rows = self._table_start = 0

    @property
    def text(self) -> str:
        """What was written."""
        return "".join(self._parts)

    def page_starts(self) -> list[int]:
        """Return where each page begins; a page without text begins where the next does, the first at 0."""
        starts = [self._length] * len(self._pages)
        following = self._length
        for page in reversed(range(len(self._pages))):
            starts[page] = following = self._starts.get(page, following)
        return [0, *starts[1:]] if starts else []

    def write(self, piece: Sequence[Placed]) -> None:
        """Write what belongs together: a block, or the parts of a paragraph that goes on over columns and pages."""
        first = piece[0]
        if first.block.table is not None:
            self._write_table(first)
        elif first.block.figure is not None:
            self._write_figure(first, first.block.figure)
        else:
            self._write_lines(piece)

    def _add(self, text: str, page: int, before: str) -> int:
        """Append a stretch after a break; return where it starts."""
        lead = before if self._length else ""
        self._parts += (lead, text)
        start = self._length + len(lead)
        self._length = start + len(text)
        self._starts.setdefault(page, start)
        return start

    def _write_lines(self, piece: Sequence[Placed]) -> None:
        kind = piece[0].block.kind
        joined = join_lines(line for placed in piece for line in placed.block.lines)
        if not joined.text:
            return
        listed = kind is BlockKind.LIST_ITEM and (self._last is BlockKind.LIST_ITEM or self._ends_with_colon())
        start = self._add(joined.text, piece[0].page, _LINE_BREAK if listed else _PARAGRAPH_BREAK)
        self._last = kind
        if kind in _MARKS:
            self.marks.append(Mark(start, start + len(joined.text), _MARKS[kind], level=piece[0].block.level))
        if kind is BlockKind.TITLE and not self.title:
            self.title = joined.text
        spans = iter(joined.word_spans)
        for placed in piece:
            words = [word for line in placed.block.lines for word in line.words]
            self._write_words(placed, words, [next(spans) for _ in words], start, joined.text)

    def _write_words(self, placed: Placed, words: Sequence[Word], spans: Sequence[tuple[int, int]], start: int, text: str) -> None:
        if not words:
            return
        self._starts.setdefault(placed.page, start + spans[0][0])
        account = self.accounts[placed.page]
        written = signs_of("".join(text[begin:end] for begin, end in spans))
        account.body += written
        account.dropped += signs_of_lines(placed.block.lines) - written  # hyphens of broken words
        if self._pages[placed.page].outcome is PageOutcome.OCR:
            for word, (begin, end) in zip(words, spans, strict=True):
                self._mark_word(word, start + begin, start + end)

    def _mark_word(self, word: Word, start: int, end: int) -> None:
        self.marks.append(Mark(start, end, MarkKind.WORD, confidence=word.confidence))
        if word.suspect:
            self.marks.append(Mark(start, end, MarkKind.SUSPECT, confidence=word.confidence))

    def _ends_with_colon(self) -> bool:
        return bool(self._parts) and self._last is BlockKind.PARAGRAPH and self._parts[-1].endswith(":")

    def _write_table(self, placed: Placed) -> None:
        table = placed.block.table
        if table is None:
            raise AssertionError
        account = self.accounts[placed.page]
        account.dropped += hyphens_of_table(table)
        goes_on = table.continues and self._tables > 0
        adjacent = goes_on and self._last is BlockKind.TABLE
        if not goes_on:
            self._tables, self._rows = self._tables + 1, 0
        first = self._length
        from_ocr = self._pages[placed.page].outcome is PageOutcome.OCR
        counted: set[int] = set()  # words: a value that is said in several rows, or over several columns, stands on the page once
        for index, row in enumerate(write_rows(table).rows):
            at = self._add(row.text, placed.page, _PARAGRAPH_BREAK if index == 0 and not adjacent else _LINE_BREAK)
            first = at if index == 0 else first
            account.body += signs_of(
                _new_signs(row, counted) if table.words else "".join(row.text[one.start : one.end] for one in row.cells)
            )
            self._mark_row(row, at)
            for one in row.words if from_ocr else ():
                self._mark_word(one.word, at + one.start, at + one.end)
            self._last = BlockKind.TABLE
        if adjacent:
            self._lengthen_table()
        elif self._length > first:
            self._table_start = len(self.marks)
            self.marks.append(Mark(first, self._length, MarkKind.TABLE, number=self._tables))

    def _mark_row(self, row: WrittenRow, start: int) -> None:
        self._rows += 1
        level = 1 if row.is_header else 0
        self.marks.append(Mark(start, start + len(row.text), MarkKind.TABLE_ROW, number=self._rows, level=level))
        for cell in row.cells:
            self.marks.append(Mark(start + cell.start, start + cell.end, MarkKind.TABLE_CELL, number=cell.column, level=level))

    def _lengthen_table(self) -> None:
        mark = self.marks[self._table_start]
        self.marks[self._table_start] = Mark(mark.start, self._length, MarkKind.TABLE, number=mark.number)

    def _write_figure(self, placed: Placed, figure: Figure) -> None:
        account, page = self.accounts[placed.page], self._pages[placed.page]
        caption, printed = " ".join(figure.caption.split()), signs_of_lines(placed.block.lines)
        written = signs_of(caption + figure.text) if figure.kind is FigureKind.FIGURE else signs_of("")
        account.body += written & printed
        account.read += (written - printed).total()
        number = 0
        if figure.kind is FigureKind.FIGURE:
            number = 1 + max((one.number for one in self.figures), default=0)
            text = " ".join(part for part in (caption, " ".join(figure.text.split())) if part)
            if text:
                start = self._add(text, placed.page, _PARAGRAPH_BREAK)
                self.marks.append(Mark(start, self._length, MarkKind.FIGURE, number=number))
                self._last = BlockKind.FIGURE
        self.figures.append(_read_figure(figure, page, number))


def _new_signs(row: WrittenRow, counted: set[int]) -> str:
    """Return what of a row is written of words not ``counted`` before; counts them."""
    new = {id(one.word): row.text[one.start : one.end] for one in row.words if id(one.word) not in counted}
    counted.update(new)
    return "".join(new.values())


def _read_figure(figure: Figure, page: PageContent, number: int) -> ReadFigure:
    return ReadFigure(
        number=number,
        page=page.number,
        kind=figure.kind,
        width=figure.width,
        height=figure.height,
        image=figure.image,
        on_redacted_page=page.has_redactions,
        captioned_by=figure.captioned_by,
        vision_tokens=figure.vision_tokens,
    )
