"""Lists whose numbers Tesseract took for a line that stands on its end: a page and its words in, the same with such lists read again out.

The numbers of a list, one below the other, come back as `BWNFRFN` beside lines without numbers. Read as one block of lines, they are numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median
from typing import Final

from PIL import Image

from pipeline.domain.errors import RecordError
from pipeline.stages.extract.content import Box
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

_ONE_BLOCK: Final = 6  # Tesseract's segmentation: lines below each other, no columns
_UPRIGHT: Final = 2.5  # times its width: a word on its end; `ll` and `(` have 2 to 2.4 and no more than a line's height
_OVER_LINES: Final = 2.5  # of the page's words: a word that high spans lines
_SURELY_UPRIGHT: Final = 0.6  # confidence: print on its end at a sheet's edge has 0.9, a column of numbers 0.0 to 0.4
_BESIDE: Final = 4.0  # of a word's height, between a number and its item
_EDGE: Final = 0.3  # of a word's height, kept around what is read again


def with_lists(grey: Image.Image, words: Sequence[Recognised], *, dpi: int, seconds: float) -> list[Recognised]:
    """Return the words of a page, those of lists read again where their numbers stood on their end.

    ``seconds``: for reading them; where that is too little, or fewer signs come back, the words stay as they are.
    """
    found = list(words)
    usual = median(word.height for word in words) if words else 0.0
    standing = _standing(words, usual)
    beside = {word.block for word in words if word not in standing and any(_are_neighbours(one, word, usual) for one in standing)}
    if not beside or seconds <= 0:
        return found
    place = _around([word for word in words if word in standing or word.block in beside])
    old = [word for word in words if word not in standing and _is_within(word, place)]
    try:
        again = _read(grey, place, usual, dpi=dpi, seconds=seconds)
    except RecordError:
        return found
    if sum(len(word.text) for word in again) < sum(len(word.text) for word in old):
        return found
    first = found.index(old[0])
    kept = [[word for word in part if word not in standing and word not in old] for part in (found[:first], found[first:])]
    return [*kept[0], *(replace(word, block=old[0].block) for word in again), *kept[1]]


def _standing(words: Sequence[Recognised], usual: float) -> list[Recognised]:
    """Return the words of blocks that are lines on their end, unsurely read. ``usual``: height of the page's words in pixels."""
    found: list[Recognised] = []
    for _, group in groupby(words, key=lambda word: word.block):
        block = list(group)
        upright = [word for word in block if word.height >= max(_UPRIGHT * word.width, _OVER_LINES * usual)]
        if 2 * len(upright) >= len(block) and all(word.confidence < _SURELY_UPRIGHT for word in upright):
            found.extend(block)
    return found


def _are_neighbours(standing: Recognised, word: Recognised, usual: float) -> bool:
    """Whether a word begins right of one that stands on its end, at the height of one of its signs."""
    middle = word.top + word.height / 2
    gap = word.left - standing.left - standing.width
    return standing.top <= middle <= standing.top + standing.height and -usual <= gap <= _BESIDE * usual


def _around(words: Sequence[Recognised]) -> Box:
    return Box(
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.left + word.width for word in words),
        max(word.top + word.height for word in words),
    )


def _is_within(word: Recognised, place: Box) -> bool:
    return place.x0 <= word.left + word.width / 2 <= place.x1 and place.top <= word.top + word.height / 2 <= place.bottom


def _read(grey: Image.Image, place: Box, usual: float, *, dpi: int, seconds: float) -> list[Recognised]:
    """Read a place alone, and return its words where they stand on the page.

    Raises:
        RecordError: As of ``recognise``.
    """
    edge = round(_EDGE * usual)
    left, top = max(int(place.x0) - edge, 0), max(int(place.top) - edge, 0)
    part = grey.crop((left, top, min(int(place.x1) + edge, grey.width), min(int(place.bottom) + edge, grey.height)))
    read = recognise(part, dpi=dpi, segmentation=_ONE_BLOCK, seconds=seconds)
    return [replace(word, left=word.left + left, top=word.top + top) for word in read]
