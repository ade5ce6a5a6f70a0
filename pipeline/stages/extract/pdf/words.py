"""The glyphs of a strip in, its words out; a superscript is written after ``^``, a subscript as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.stages.extract.pdf.glyphs import DRAWN, GUESSED, NO_BLANK, Glyph
from pipeline.stages.extract.pdf.pieces import FRACTION

# The narrowest gap between words, of the size. Letters of a word stand closer than 0.15, words of a tightly set line (TeX: 0.22) wider. Where the
# file has a blank, only one that is overprinted by what follows is none; where PDFium guesses one, its guess counts if there is some gap.
_NARROWEST: Final = {NO_BLANK: 0.15, GUESSED: 0.08, DRAWN: 0.03}
_AFTER_NUMBER: Final = (
    0.06  # the same between a number and a capital: a heading's number is set close ("2.3 Agents"), a code ("B12A") closer
)
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})  # "20th"
_ASCENT: Final = 0.75  # of the size above the baseline, and the rest below: close to the boxes of common fonts
_DESCENT: Final = 0.22


@dataclass(slots=True)
class Written:
    """One word in the frame of its strip: points along the line, and down."""

    text: str = field(repr=False)
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool


def words_of(glyphs: Sequence[Glyph]) -> list[Written]:
    """Return the words of glyphs that stand from left to right on one baseline."""
    return [_written(group) for group in _groups(glyphs)]


def _groups(glyphs: Sequence[Glyph]) -> Iterator[Sequence[Glyph]]:
    start, end = 0, glyphs[0].x1
    for index in range(1, len(glyphs)):
        before, glyph = glyphs[index - 1], glyphs[index]
        gap, size = glyph.x0 - end, before.size if before.size > glyph.size else glyph.size
        if glyph.tracking and before.tracking:
            gap -= min(glyph.tracking, before.tracking, key=abs)
        if gap > _NARROWEST[glyph.blank] * size or (gap > _AFTER_NUMBER * size and before.text.isdigit() and glyph.text.isupper()):
            yield glyphs[start:index]
            start, end = index, glyph.x1
        elif glyph.x1 > end:
            end = glyph.x1
    yield glyphs[start:]


def _written(glyphs: Sequence[Glyph]) -> Written:
    size, bases = glyphs[0].size, {(glyph.base, glyph.size) for glyph in glyphs}
    if len(bases) > 1:
        size = max(glyph.size for glyph in glyphs)
    top = min(base - _ASCENT * one for base, one in bases)
    bottom = max(base + _DESCENT * one for base, one in bases)
    bold = sum([glyph.bold for glyph in glyphs]) * 2 > len(glyphs)
    return Written(_text(glyphs), glyphs[0].x0, max([glyph.x1 for glyph in glyphs]), top, bottom, size, bold)


def _text(glyphs: Sequence[Glyph]) -> str:
    if len({glyph.raised for glyph in glyphs}) == 1 and glyphs[0].raised <= 0:
        return "".join([glyph.text for glyph in glyphs])
    parts: list[str] = []
    index = 0
    while index < len(glyphs):
        end = index + 1
        while end < len(glyphs) and glyphs[end].raised == glyphs[index].raised:
            end += 1
        text = "".join(glyph.text for glyph in glyphs[index:end])
        after = glyphs[end].text if end < len(glyphs) else ""
        parts.append(_raised("".join(parts), text, after) if glyphs[index].raised > 0 else text)
        index = end
    return "".join(parts)


def _raised(before: str, text: str, after: str) -> str:
    """Return a superscript as written: ``10^9``, ``5^a``; but ``20th``, ``37°C``, ``1⁄4``, ``5*`` and ``10⁹``."""
    if text.lower() in ("o", "0") and after[:1] in ("C", "F") and not before[-1:].isalpha():
        return "°"
    if after.startswith(FRACTION) or (text in _ORDINALS and before[-1:].isdigit()):
        return text
    return f"^{text}" if (text[0].isascii() and text[0].isalnum()) or text[0] in "+-−–" else text
