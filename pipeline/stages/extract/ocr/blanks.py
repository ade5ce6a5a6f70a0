"""Blanks that Tesseract swallowed in quantities: words and their image in, the same with `2.5-7.8`, `1mg`, `6has` parted where the ink is.

Only blanks are put in, never a sign changed, and only where the paper between two signs is as wide as between words. Wide print of small
size loses them: 15 of 15 ranges of a table in DejaVu Serif Italic.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.stages.extract.ocr.glyphs import crop, on_one_line
from pipeline.stages.extract.ocr.layout import font_size
from pipeline.stages.extract.ocr.tesseract import Recognised

# Of a font size. At these places the widest paper without a blank is 0.29 (typewriter print), the narrowest with one 0.19 to 0.36, by font:
# no pair of signs of 28 fonts (DejaVu, Liberation, STIX) is parted that belongs together.
_BLANK: Final = 0.3
_INK: Final = 0.5  # darkness
_POINT: Final = 0.6  # of a word's height: points and commas have nothing above
# Parts of a quantity: comparison, number, hyphen and second number, unit. Before `%`, `/` and `°` slanted print has gaps like blanks.
_QUANTITY: Final = re.compile(r"([(\[]?[<>≥≤=±+]{1,2})?(\d[\d.,]*)(?:([-–])(\d[\d.,]*))?([A-Za-zµ]\S*)?\Z")
_NUMBER: Final = re.compile(r"[(\[]?[<>≥≤=±+]?\d[\d.,]*\Z")
# A unit and the small word behind it.
UNIT_AND_WORD: Final = re.compile(
    r"((?:m|k|mc|µ|n)?g|[mdµ]?L|ml|[mc]m|h|s|min|days?)((?:a|an|and|as|at|by|for|if|in|is|of|on|or|per|then|to)[.,;:]?)\Z"
)


def with_blanks(words: Sequence[Recognised], grey: Image.Image) -> list[Recognised]:
    """Return the words, quantities parted at their blanks. ``grey``: the image that the boxes belong to."""
    found: list[Recognised] = []
    for at, word in enumerate(words):
        before = words[at - 1] if at and on_one_line(words[at - 1], word) else None
        parts = _parts(word.text, after_number=before is not None and _NUMBER.match(before.text) is not None)
        found.extend(_parted(word, parts, grey) if len(parts) > 1 else [word])
    return found


def _parts(text: str, *, after_number: bool) -> list[str]:
    """Return the parts of a word between which blanks may stand."""
    quantity = _QUANTITY.match(text) or (UNIT_AND_WORD.match(text) if after_number else None)
    return [part for part in quantity.groups() if part] if quantity else [text]


def _parted(word: Recognised, parts: Sequence[str], grey: Image.Image) -> list[Recognised]:
    """Return the word in its parts where there is a blank between all of them, else the word."""
    right = word.left + word.width
    ink = crop(grey, (word.left, word.top, right, word.top + word.height), word.left, right) > _INK
    runs = _runs(ink, _BLANK * font_size(word.text, word.height))
    if len(runs) != len(parts):
        return [word]
    return [replace(word, text=part, left=word.left + start, width=end - start) for part, (start, end) in zip(parts, runs, strict=True)]


def _runs(ink: NDArray[np.bool_], blank: float) -> list[tuple[int, int]]:
    """Return the columns (half-open) of pieces that stand more than a blank apart; a point belongs to its digits, however far they stand."""
    columns = np.flatnonzero(ink.any(axis=0))
    parts = np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1) if len(columns) else []
    found: list[tuple[int, int]] = []
    was_point = False
    for part in parts:
        start, end = int(part[0]), int(part[-1]) + 1
        is_point = not ink[: round(_POINT * len(ink)), start:end].any()
        if found and (is_point or was_point or start - found[-1][1] <= blank):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        was_point = is_point
    return found
