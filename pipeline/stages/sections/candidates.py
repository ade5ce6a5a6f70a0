"""What may be a heading, before it is decided whether it bounds a section."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from pipeline.domain.vocabulary import Section
from pipeline.stages.sections.wording import NO_NUMBER, Number


class Form(IntEnum):
    """How a heading stands in the text; a smaller value wins over a larger one at the same place."""

    MARKED = 0  # the reader saw its typography
    MARKDOWN = 1  # ``## Plan``
    OWN_LINE = 2
    SAME_LINE = 3  # text follows on its line
    RUN_IN = 4  # inside a line, after a sentence or a lost line break


@dataclass(frozen=True, slots=True)
class Candidate:
    """A heading that may be, half-open.

    Attributes:
        heading_end: After its colon and blanks.
        section: What it is known as; None: it looks like a heading, but nobody knows it.
        level: By typography or markdown; 0: says nothing.
        after_blank: The line before it is blank, or there is none.
    """

    start: int
    heading_end: int
    form: Form
    section: Section | None
    text: str = field(repr=False)  # without number
    shown: str = field(repr=False)  # as printed
    capitals: bool = False
    colon: bool = False
    number: Number = NO_NUMBER
    level: int = 0
    after_blank: bool = False
    is_weak: bool = False  # known by some of its words only
    is_label: bool = False  # of a part of a section (``HEENT``): bounds none, but leads back from a section inside
