"""Sections of a de-identified document: they cover each part without gap or overlap."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from pipeline.domain.documents import DeidentifiedDocument
from pipeline.domain.vocabulary import Section


@dataclass(frozen=True, slots=True)
class SectionSpan:
    """A section of one part, half-open, its heading included.

    Attributes:
        heading_end: End of the heading with its colon and blanks; ``start`` where the section has none.
        level: 1 is the highest; 0: text before the first heading.
        path: Headings of the sections around it, outermost first, its own last: as printed, de-identified, for display.
    """

    part: str
    start: int
    end: int
    section: Section
    heading_end: int
    level: int = 0
    path: tuple[str, ...] = field(default=(), repr=False)


class Sectioner(Protocol):
    """Finds sections."""

    @property
    def version(self) -> str:
        """Part of the chunker's version."""
        ...

    def sections(self, document: DeidentifiedDocument) -> tuple[SectionSpan, ...]:
        """Return the sections of all parts but ``furniture``, in order; a part without a heading is one section."""
        ...
