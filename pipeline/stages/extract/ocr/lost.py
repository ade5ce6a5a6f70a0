"""Text that Tesseract passed over: a page and the words read from it in, the same with the words that were left out at their places out.

Its page analysis drops whole cells of tables without rules (a column of doses on every tenth page of our own) and all of a page with a single
line. The ink is still there: what looks like print and lies under no word is read once more, alone on white paper, as sparse text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.domain.errors import RecordError
from pipeline.stages.extract.content import Box
from pipeline.stages.extract.ocr.ink import ink_of
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise

_WORKING_DPI: Final = 100
_SPARSE: Final = 11  # Tesseract's segmentation: text wherever it stands, in no order
_PRINT_POINTS: Final = 8.0  # height of a word's box where no word was read: print of 11 points
_LEAST_HEIGHT: Final = 0.5  # of the page's words: commas, bullets, rules and the dots of noise are lower
_MOST_HEIGHT: Final = 1.8  # pictures and signatures are higher
_LEAST_WIDTH: Final = 0.15  # of its own height: a `1` has 0.3, a rule less
_DENSITY: Final = (0.12, 0.9)  # share of ink in its box: less is a frame or noise, more a bar
_GAP: Final = 0.4  # of a word's height: between signs of a word
_EDGE: Final = 2  # dots at the working resolution around a word's box
_MOST_RUNS: Final = 30_000  # of a picture or of noise: not print
_SURE: Final = 0.6  # confidence of a word; less is what specks and pictures are read as
_SURE_WITH_DIGIT: Final = 0.3  # in a line with a number: better flagged, as what is unsure is, than lost
_SIGNS: Final = frozenset("%<>≥≤±°µ")

Places = list[tuple[int, int, int, int]]


def with_lost(grey: Image.Image, words: Sequence[Recognised], *, dpi: int, seconds: float) -> list[Recognised]:
    """Return the words of a page, those that were passed over among them: in the gap of a line, or as blocks of their own.

    ``seconds``: for reading them; where that is too little the words come back as they are.
    """
    places = _lost_places(grey, words, dpi)
    if not places or seconds <= 0:
        return list(words)
    paper = Image.new("L", grey.size, 255)
    for place in places:
        paper.paste(grey.crop(place), place[:2])
    try:
        read = recognise(paper, dpi=dpi, segmentation=_SPARSE, seconds=seconds)
    except RecordError:
        return list(words)
    return _merged(words, [word for _, line in groupby(read, key=_line) for word in _print_of(list(line))])


def _print_of(line: Sequence[Recognised]) -> list[Recognised]:
    """Return the words of a line that are print, not specks."""
    least = _SURE_WITH_DIGIT if any(sign.isdigit() for word in line for sign in word.text) else _SURE
    return [word for word in line if word.confidence >= least and any(sign.isalnum() or sign in _SIGNS for sign in word.text)]


def _lost_places(grey: Image.Image, words: Sequence[Recognised], dpi: int) -> Places:
    """Return boxes (left, top, right, bottom in pixels) of what looks like print and lies under no word."""
    factor = max(1, round(dpi / _WORKING_DPI))
    ink = ink_of(np.asarray(grey.reduce(factor)))
    for word in words:
        left, top = max(word.left // factor - _EDGE, 0), max(word.top // factor - _EDGE, 0)
        ink[top : (word.top + word.height) // factor + 1 + _EDGE, left : (word.left + word.width) // factor + 1 + _EDGE] = False
    height = median(word.height for word in words) / factor if words else _PRINT_POINTS * dpi / factor / 72
    boxes = _strips(ink, max(2, round(_GAP * height)))
    return [
        (
            max(int(box.x0 - _EDGE) * factor, 0),
            max(int(box.top - _EDGE) * factor, 0),
            min(int(box.x1 + _EDGE) * factor, grey.width),
            min(int(box.bottom + _EDGE) * factor, grey.height),
        )
        for box in boxes
        if _LEAST_HEIGHT * height <= box.height <= _MOST_HEIGHT * height
        and box.width >= _LEAST_WIDTH * box.height
        and _DENSITY[0] <= _share(ink, box) <= _DENSITY[1]
    ]


def _share(ink: NDArray[np.bool_], box: Box) -> float:
    return float(ink[int(box.top) : int(box.bottom), int(box.x0) : int(box.x1)].mean())


def _strips(ink: NDArray[np.bool_], gap: int) -> list[Box]:
    """Return the boxes of pieces of ink, those of one row joined over gaps of so many dots."""
    runs: list[Box] = []
    for row in np.flatnonzero(ink.any(axis=1)).tolist():
        dots = np.flatnonzero(ink[row])
        cuts = np.flatnonzero(np.diff(dots) > gap)
        starts, ends = dots[np.concatenate(([0], cuts + 1))], dots[np.concatenate((cuts, [len(dots) - 1]))]
        runs.extend(Box(start, row, end + 1, row + 1) for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        if len(runs) > _MOST_RUNS:
            return []
    open_boxes: list[Box] = []
    done: list[Box] = []
    for run in runs:
        touching = [box for box in open_boxes if run.top <= box.bottom and box.x0 <= run.x1 and run.x0 <= box.x1]
        done.extend(box for box in open_boxes if run.top > box.bottom)
        open_boxes = [box for box in open_boxes if run.top <= box.bottom and not any(box is other for other in touching)]
        for box in touching:
            run = run.joined(box)
        open_boxes.append(run)
    return done + open_boxes


def _merged(words: Sequence[Recognised], lost: Sequence[Recognised]) -> list[Recognised]:
    """Put lost words into the gaps of the lines that they belong to, and the others behind what stands above them."""
    lines = [list(line) for _, line in groupby(words, key=_line)]
    for _, group in groupby(lost, key=_line):
        piece = list(group)
        home = next((line for line in lines if _has_room(line, piece)), None)
        if home is not None:
            like = home[0]
            home.extend(replace(word, block=like.block, paragraph=like.paragraph, line=like.line) for word in piece)
            home.sort(key=lambda word: word.left)
            continue
        own = 1 + max((line[0].block for line in lines), default=0)
        above = [at for at, line in enumerate(lines) if max(word.top for word in line) < piece[0].top]
        at = _end_of_block(lines, above[-1]) if above else 0
        lines.insert(at, [replace(word, block=own, paragraph=1, line=1) for word in piece])
    return [word for line in lines for word in line]


def _line(word: Recognised) -> tuple[int, int, int]:
    return word.block, word.paragraph, word.line


def _end_of_block(lines: Sequence[Sequence[Recognised]], at: int) -> int:
    block = lines[at][0].block
    while at < len(lines) and lines[at][0].block == block:
        at += 1
    return at


def _has_room(line: Sequence[Recognised], piece: Sequence[Recognised]) -> bool:
    """Whether a piece stands at a line's height, over none of its words, within it or a sign's height beside it."""
    height = median(word.height for word in line)
    middle = median(word.top + word.height / 2 for word in line)
    if abs(middle - median(word.top + word.height / 2 for word in piece)) > height / 2:
        return False
    left, right = piece[0].left, piece[-1].left + piece[-1].width
    first, last = min(word.left for word in line), max(word.left + word.width for word in line)
    is_free = all(right <= word.left or word.left + word.width <= left for word in line)
    return is_free and left <= last + height and first - height <= right
