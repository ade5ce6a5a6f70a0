"""What sectioning and chunking make of a de-identified document, and the account of what they left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.domain.documents import DeidentifiedDocument
from pipeline.domain.identifiers import fingerprint
from pipeline.domain.vocabulary import ContentType, DropReason, Element, ParseOutcome, Section


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters in a de-identified part's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """One citable stretch of a document.

    Attributes:
        section: Where it stands.
        ordinal: Its place within its section, from 1, over the whole document ("3rd inclusion criterion").
        is_exclusion: True or False for a criterion whose polarity the source states; ``None`` for everything else.
        scope: Cohort, arm, part or phase it is limited to, outermost first, as the source words it.
        text: What is cited: parent context, then the chunk's own text, escapes undone.
        embed_text: What is embedded; never longer than the model's window.
        part: Name of the document part that ``span`` counts in.
        span: The chunk's own text in that part (parents are elsewhere).
        token_count: Word pieces of ``embed_text`` by the model's tokenizer, special tokens included.
        context: The parents' abbreviated texts that ``text`` begins with, outermost first.
        page: 1-based page that it begins on, or ``None``.
        piece: 1-based number of this piece of an over-long unit, with ``pieces`` in all.
        repeats: Ordinals of later criteria of the same section, scope and normalised text, which are not stored again.
        page_to: The page that it ends on, or ``None``.
        headings: Headings of the sections around it, outermost first, its own last; for display.
        content_type: What it speaks of, or ``None``: not told.
        element: Whether it is running text, rows of a table, or a figure.
        element_number: 1-based number of that table or figure in the document, or ``None``.
        confidence: 0..1; of text read by OCR the mean over its words.
        suspects: Stretches of the part inside ``span`` with a number or unit that OCR is not sure of.
        icd_codes: ICD-10-CM codes that stand in it.
    """

    section: Section
    ordinal: int
    is_exclusion: bool | None
    text: str = field(repr=False)
    embed_text: str = field(repr=False)
    part: str
    span: Span
    token_count: int
    scope: tuple[str, ...] = ()
    context: tuple[str, ...] = field(default=(), repr=False)
    page: int | None = None
    piece: int = 1
    pieces: int = 1
    repeats: tuple[int, ...] = ()
    page_to: int | None = None
    headings: tuple[str, ...] = field(default=(), repr=False)
    content_type: ContentType | None = None
    element: Element = Element.TEXT
    element_number: int | None = None
    confidence: float = 1.0
    suspects: tuple[Span, ...] = ()
    icd_codes: tuple[str, ...] = ()

    @property
    def own_text(self) -> str:
        """The text of its span alone, without the parents' that ``text`` begins with."""
        return self.text.removeprefix("".join(f"{parent}: " for parent in self.context))


@dataclass(frozen=True, slots=True)
class TextVersion:
    """Which de-identified text a generation was made of. Equal ``text``: every span means the same characters.

    Attributes:
        text: Fingerprint of the parts, ``version_of``.
        scrubbed_by: Fingerprint of the policy and of the known identifiers that de-identified it.
    """

    text: str
    scrubbed_by: str


def version_of(document: DeidentifiedDocument, *, scrubbed_by: str) -> TextVersion:
    """Return the version of a de-identified document's text."""
    return TextVersion(fingerprint([[part.name, part.page, part.text] for part in document.parts]), scrubbed_by)


@dataclass(frozen=True, slots=True)
class Drop:
    """Characters that deliberately stand in no chunk."""

    part: str
    span: Span
    reason: DropReason


@dataclass(frozen=True, slots=True)
class Loss:
    """Where every character of the source went. ``characters`` = chunked + dropped + redacted + unexplained."""

    characters: int = 0
    chunked: int = 0
    dropped: int = 0
    redacted: int = 0
    unexplained: int = 0
    by_reason: dict[DropReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """All chunks of one document: of a trial in order of section and ordinal, of other documents in reading order.

    Attributes:
        outcome: How far the eligibility text was understood.
        formats: Names of the layouts that were met (``escaped_markdown``, ``numbered``, ``nested`` …), for the report.
        language: ISO 639-1 code where the eligibility text is recognisably not English, else ``None``.
    """

    chunks: tuple[Chunk, ...]
    drops: tuple[Drop, ...]
    loss: Loss
    outcome: ParseOutcome
    formats: tuple[str, ...] = ()
    language: str | None = None
