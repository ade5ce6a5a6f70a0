"""Reads documents whose sections are known: a text with signs in it in, text, marks and sections out.

``⟦IMPRESSION⟧`` stands where a section begins. ``⟦IMPRESSION:2⟧``: and the rest of the line is a heading of level 2 by typography.
``⟦-:2⟧``: the line looks like a heading and is none. ``⟦T⟧``: the rest of the line is the title. A file's name begins with its kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from pipeline.domain.documents import TEXT_PART, DeidentifiedDocument, DeidentifiedPart, Facets
from pipeline.domain.marks import Mark, MarkKind
from pipeline.domain.vocabulary import DocumentKind, Reading, Section, Source

_SIGN = re.compile(r"⟦(?P<what>T|-|[A-Z_]+)(?::(?P<level>\d))?⟧")
_NUMBER_OF_FILE = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A text and where its sections begin, in order."""

    name: str
    kind: DocumentKind
    text: str = field(repr=False)
    marks: tuple[Mark, ...] = field(repr=False)
    starts: tuple[tuple[int, Section], ...]

    def document(self) -> DeidentifiedDocument:
        """Return it as the sectioner takes it."""
        return deidentified(self.name, self.kind, self.text, self.marks)


def read_gold(folder: Path) -> list[GoldDocument]:
    """Return the documents of a folder, by name.

    Raises:
        ValueError: A file's kind or a section's name does not exist.
    """
    return [gold_document(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.txt"))]


def gold_document(name: str, signed: str) -> GoldDocument:
    """Return the document of a text with signs. Text before the first sign belongs to no section and must be blank."""
    text, marks, starts = "", [], []
    end = 0
    for sign in _SIGN.finditer(signed):
        text += signed[end : sign.start()]
        end = sign.end()
        line = _SIGN.sub("", signed[end:].split("\n", 1)[0])
        if sign["what"] == "T":
            marks.append(Mark(len(text), len(text) + len(line), MarkKind.TITLE))
        elif sign["level"]:
            marks.append(Mark(len(text), len(text) + len(line), MarkKind.HEADING, level=int(sign["level"])))
        if sign["what"] not in ("T", "-"):
            starts.append((len(text), Section(sign["what"])))
    text += signed[end:]
    return GoldDocument(name, DocumentKind(_NUMBER_OF_FILE.sub("", name)), text, tuple(marks), tuple(starts))


def deidentified(name: str, kind: DocumentKind, text: str, marks: Sequence[Mark] = ()) -> DeidentifiedDocument:
    """Return a document of one part as de-identification would hand it over."""
    part = DeidentifiedPart(TEXT_PART, text, None, Reading.TEXT_LAYER, 1.0, (), tuple(marks))
    return DeidentifiedDocument(
        document_id=uuid5(NAMESPACE_URL, name),
        source=Source.DOCUMENTS,
        source_key=name,
        kind=kind,
        title=name,
        parts=(part,),
        facets=Facets(),
        content_hash="",
        facets_hash="",
        policy="",
    )
