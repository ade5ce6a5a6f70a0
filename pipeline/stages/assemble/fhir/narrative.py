"""A narrative's XHTML in, its words out: blocks become lines, cells stand beside each other. Nothing is loaded, no entity beyond HTML's is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Final

_BLOCKS: Final = frozenset(
    [
        "address",
        "article",
        "blockquote",
        "br",
        "caption",
        "dd",
        "div",
        "dl",
        "dt",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
_CELLS: Final = frozenset(("td", "th"))
_SILENT: Final = frozenset(("script", "style", "head", "title"))
# What generators of narrative print of references: ids of people, places and contacts. Of other types they say nothing that the type does not.
_REFERENCE: Final = re.compile(
    r"\b(Patient|Practitioner|PractitionerRole|RelatedPerson|Person|Organization|Location|Encounter|EpisodeOfCare|Device|Coverage|Account)"
    r"/[A-Za-z0-9.\-]{1,64}"
)


def narrative(text: object) -> str:
    """Return the words of a Narrative, by lines; nothing where there is none. Of references the types stay."""
    div = text.get("div") if isinstance(text, Mapping) else None
    if not isinstance(div, str):
        return ""
    reader = _Words()
    reader.feed(div)
    reader.close()
    words = _REFERENCE.sub(r"\1", "".join(reader.words))
    lines = (" ".join(line.split()) for line in words.split("\n"))
    return "\n".join(line.removesuffix(" |").rstrip() for line in lines if line.strip(" |"))


class _Words(HTMLParser):
    """Collects words; the parser takes any text and fails on none."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line at a block; what scripts and styles hold is not read."""
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """End a line at ``<br/>``."""
        if tag in _BLOCKS:
            self.words.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """End a line, or a cell."""
        self._silent -= tag in _SILENT and self._silent > 0
        if tag in _BLOCKS:
            self.words.append("\n")
        elif tag in _CELLS:
            self.words.append(" | ")

    def handle_data(self, data: str) -> None:
        """Take words; line ends in XHTML are blanks."""
        if not self._silent:
            self.words.append(" ".join(data.split("\n")))
