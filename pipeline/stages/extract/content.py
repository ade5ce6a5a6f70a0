"""What a page holds before pages become one text: blocks in reading order, made of lines, made of words. Identified.

Lengths are in points (1/72 inch) of the page as it is shown, its rotation undone: origin at the top left, y downwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.domain.reading import FigureKind, OcrReason, PageOutcome
from pipeline.domain.vocabulary import FailureCategory


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: ``x0 <= x1``, ``top <= bottom``."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        """Points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Points."""
        return self.bottom - self.top

    @property
    def area(self) -> float:
        """Square points."""
        return self.width * self.height

    def joined(self, other: Box) -> Box:
        """Return the smallest rectangle around both."""
        return Box(min(self.x0, other.x0), min(self.top, other.top), max(self.x1, other.x1), max(self.bottom, other.bottom))

    def overlap(self, other: Box) -> float:
        """Return the area that both share, in square points."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)

    def contains_middle_of(self, other: Box) -> bool:
        """Whether the middle of ``other`` lies inside."""
        x, y = (other.x0 + other.x1) / 2, (other.top + other.bottom) / 2
        return self.x0 <= x <= self.x1 and self.top <= y <= self.bottom


@dataclass(frozen=True, slots=True)
class Word:
    """A run of signs without a blank, as it will stand in the text (ligatures, symbols, superscripts repaired).

    ``confidence``: 0..1, below 1 only of OCR. ``suspect``: a number or unit that OCR is not sure of.
    """

    text: str = field(repr=False)
    box: Box
    confidence: float = 1.0
    suspect: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Words of one line of one column, left to right.

    ``size``: the commonest font size in points (of OCR: the height of its x-height scaled to it, or 0). ``bold``: most of it.
    """

    words: tuple[Word, ...] = field(repr=False)
    box: Box
    size: float = 0.0
    bold: bool = False

    @property
    def text(self) -> str:
        """Its words with one blank between them."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as printed, row by row; all rows have one length.

    ``header_rows``: how many first rows name the columns; 0: none does. ``words``: those of each cell, in order; empty where none are known.
    """

    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    header_rows: int
    box: Box
    continues: bool = False  # the rows of the last table of the page before go on
    words: tuple[tuple[tuple[Word, ...], ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture. ``caption``: the printed one; ``text``: what OCR reads in it, or what a vision model says of it.

    ``lines``: those of the page that it takes to itself: its caption, and what is printed over it.
    """

    box: Box
    kind: FigureKind
    width: int  # pixels
    height: int
    image: bytes = field(default=b"", repr=False)  # PNG
    caption: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    captioned_by: str = ""
    vision_tokens: int = 0
    lines: tuple[Line, ...] = field(default=(), repr=False)


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    TITLE = "title"
    LIST_ITEM = "list_item"
    TABLE = "table"
    FIGURE = "figure"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch that belongs together. ``level``: of a heading 1 (highest) to 6, of a list item its nesting from 1."""

    kind: BlockKind
    box: Box
    lines: tuple[Line, ...] = field(default=(), repr=False)
    level: int = 0
    table: Table | None = field(default=None, repr=False)
    figure: Figure | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PageContent:
    """One page, read.

    ``characters``: signs that the source has on it, blanks left out; ``dropped``: those that were left out on purpose.
    """

    number: int  # 1-based
    width: float
    height: float
    outcome: PageOutcome
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    reason: OcrReason | None = None
    failure: FailureCategory | None = None
    characters: int = 0
    dropped: int = 0
    rotation: int = 0
    skew: float = 0.0
    dpi: int = 0
    has_redactions: bool = False  # black boxes of the publisher
    seconds: float = 0.0
