"""The text of a part as its chunks show it; offsets stay those of the part.

Dot leaders are blank, runs of blanks are one blank, and signs of Word's Symbol font are the signs that a reader sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.chunks import Drop, Span
from pipeline.domain.documents import DeidentifiedPart
from pipeline.domain.vocabulary import DropReason
from pipeline.stages.chunking.markup import SYMBOL_FONT

# Between an entry of a list of contents and its page. Possessive, and tried once a run of dots: a million dots stay linear.
_LEADER: Final = re.compile(r"(?<![.…])(?<![.…][ \t])[.…](?:[ \t]?[.…]){3,}+(?=[ \t]*(?:\d{1,4}|[ivxlc]{1,6})[ \t]*(?:\n|\Z))")
_PARAGRAPH: Final = re.compile(r"[^\S\n]*\n\s*\n\s*")
_LINE: Final = re.compile(r"[^\S\n]*\n[^\S\n]*")
_BLANKS: Final = re.compile(r"[^\S\n]+")
# What a reader can see; blanks, control signs and signs of no width are not.
_VISIBLE: Final = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028\u2029\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Shown:
    """A part's text with dot leaders blanked and symbols readable, character for character.

    Attributes:
        leaders: Half-open ranges that were blanked, in order.
    """

    part: DeidentifiedPart
    text: str = field(repr=False)
    leaders: tuple[tuple[int, int], ...]

    def stretch(self, start: int, end: int) -> str:
        """Return what a chunk shows of ``start:end``: as written, but one blank, line break or blank line for a run of them."""
        paragraphs = _PARAGRAPH.split(self.text[start:end].strip())
        return "\n\n".join(_BLANKS.sub(" ", _LINE.sub("\n", paragraph)) for paragraph in paragraphs)

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return the range without blanks at its ends; empty where a reader sees nothing in it."""
        if not _VISIBLE.search(self.text, start, end):
            return start, start
        piece = self.text[start:end]
        return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())

    def drops(self) -> list[Drop]:
        """Return the dot leaders as declared drops."""
        return [Drop(self.part.name, Span(start, end), DropReason.DOT_LEADER) for start, end in self.leaders]


def shown(part: DeidentifiedPart) -> Shown:
    """Prepare a part."""
    pieces: list[str] = []
    leaders: list[tuple[int, int]] = []
    done = 0
    for match in _LEADER.finditer(part.text):
        pieces += [part.text[done : match.start()], " " * (match.end() - match.start())]
        leaders.append(match.span())
        done = match.end()
    pieces.append(part.text[done:])
    return Shown(part, "".join(pieces).translate(SYMBOL_FONT), tuple(leaders))


def outside(start: int, end: int, holes: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what is left of ``start:end`` between some ranges inside it, which are in order."""
    kept: list[tuple[int, int]] = []
    for first, last in holes:
        kept.append((start, first))
        start = last
    return [(first, last) for first, last in [*kept, (start, end)] if first < last]
