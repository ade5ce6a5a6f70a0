"""What reading a file gives: its text with marks, an account of every page, its figures. Identified: it never leaves the wall."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import FailureCategory

_VERSION: Final = 1


class PageOutcome(StrEnum):
    """How a page ended. Every page of a file has exactly one."""

    TEXT_LAYER = "text_layer"
    OCR = "ocr"
    BLANK = "blank"  # neither text nor ink
    NO_TEXT = "no_text"  # ink, but OCR found no word in it: a picture
    FAILED = "failed"  # see ``failure``; the other pages go on


class OcrReason(StrEnum):
    """Why a page was given to OCR."""

    IMAGE = "image"  # there is no text layer
    GARBAGE = "garbage"  # its text layer is not language
    SPARSE = "sparse"  # almost empty beside large images


class FigureKind(StrEnum):
    """What an extracted picture is."""

    FIGURE = "figure"
    TINY = "tiny"
    REPEATED = "repeated"  # a logo: the same on many pages
    DECORATIVE = "decorative"  # a rule, a band, a plain area


#: A page that OCR read with a lower mean is named in the report: rendered pages had 0.85 to 0.95 upright, 0.34 to 0.37 upside down.
LOW_CONFIDENCE: Final = 0.7


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The account of one page. No text.

    ``characters`` (signs of the source, blanks left out) = ``body`` + ``furniture`` + ``dropped`` + ``unexplained``.
    """

    number: int  # 1-based
    outcome: PageOutcome
    reason: OcrReason | None = None
    failure: FailureCategory | None = None
    confidence: float = 1.0  # 0..1; of OCR the mean over its words
    lowest: float = 1.0  # of its least sure word
    characters: int = 0
    body: int = 0
    furniture: int = 0  # running headers and footers
    dropped: int = 0  # declared: hyphens repaired, doubled glyphs, invisible signs
    unexplained: int = 0
    tables: int = 0
    figures: int = 0
    suspects: int = 0  # numbers and units that OCR is not sure of
    rotation: int = 0  # degrees that the page was turned by to be read
    skew: float = 0.0  # degrees that were taken out
    dpi: int = 0  # resolution that OCR read at
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ReadFigure:
    """A picture of a page."""

    number: int  # as in its mark; 0: classified out, and in no text
    page: int
    kind: FigureKind
    width: int  # pixels
    height: int
    image: bytes = field(repr=False)  # PNG; empty where it was classified out
    on_redacted_page: bool = False  # parts of its page were blacked out by the publisher
    captioned_by: str = ""  # printed, ocr, vision; empty: by nothing
    vision_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ReadFile:
    """One file, read.

    Attributes:
        text: The body in reading order. Paragraphs are parted by a blank line; a heading, list item, or table row is a line of its own.
        marks: Of ``text``, in order of place. Page marks cover it without a gap where the file has pages.
        furniture: Running headers and footers, one a line: declared drops, but they may name the document.
        furniture_marks: Page marks of ``furniture``.
        pages: One a page, in order; empty for formats without pages.
        title: A title that the file itself states (typography, HTML title, document properties), or empty.
        notices: Names of what is worth a line in the report (``encrypted``, ``second_reader``, ``form_fields``).
    """

    text: str = field(repr=False)
    marks: tuple[Mark, ...] = field(default=(), repr=False)
    furniture: str = field(default="", repr=False)
    furniture_marks: tuple[Mark, ...] = field(default=(), repr=False)
    pages: tuple[ReadPage, ...] = ()
    figures: tuple[ReadFigure, ...] = field(default=(), repr=False)
    title: str = field(default="", repr=False)
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON; images in base64."""
        values = asdict(self)
        values["marks"] = [_mark_row(mark) for mark in self.marks]
        values["furniture_marks"] = [_mark_row(mark) for mark in self.furniture_marks]
        for figure in values["figures"]:
            figure["image"] = b64encode(figure["image"]).decode("ascii")
        return {"version": _VERSION, **values}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ReadFile:
        """Return what ``to_json`` wrote.

        Raises:
            ValueError: It is of another version. Holds no value.
        """
        if values.get("version") != _VERSION:
            raise ValueError("a reading of another version")
        return cls(
            text=values["text"],
            marks=tuple(_mark(row) for row in values["marks"]),
            furniture=values["furniture"],
            furniture_marks=tuple(_mark(row) for row in values["furniture_marks"]),
            pages=tuple(_page(one) for one in values["pages"]),
            figures=tuple(_figure(one) for one in values["figures"]),
            title=values["title"],
            notices=tuple(values["notices"]),
        )


def _mark_row(mark: Mark) -> list[Any]:
    return [mark.start, mark.end, mark.kind.value, mark.number, mark.level, round(mark.confidence, 4), mark.reading]


def _mark(row: list[Any]) -> Mark:
    return Mark(row[0], row[1], MarkKind(row[2]), row[3], row[4], row[5], row[6])


def _page(values: Mapping[str, Any]) -> ReadPage:
    reason, failure = values["reason"], values["failure"]
    known = {
        "outcome": PageOutcome(values["outcome"]),
        "reason": OcrReason(reason) if reason else None,
        "failure": FailureCategory(failure) if failure else None,
    }
    return ReadPage(**{**values, **known})


def _figure(values: Mapping[str, Any]) -> ReadFigure:
    return ReadFigure(**{**values, "kind": FigureKind(values["kind"]), "image": b64decode(values["image"])})


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a reader is told. Part of the reader's version where it changes what is read."""

    dpi: int = 300
    ocr_workers: int = 0  # 0: as many as the cores this process may use
    ocr_page_seconds: float = 180.0
    max_page_pixels: int = 40_000_000  # an A4 page at 600 dpi has 35 million
    max_pages: int = 5_000
    figures: bool = True
    vision_url: str = ""  # OpenAI-compatible endpoint; empty: nothing is ever sent
    vision_model: str = ""
    vision_key: str = field(default="", repr=False)
