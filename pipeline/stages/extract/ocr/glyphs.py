"""The pieces of ink of a word: a grey image and a word's box in, what does not fit the signs it was read as out.

Tesseract loses small pieces with high confidence: `≥` comes back as `>` or `=` (0.9), `81.6` as `816`, `µg` as `g`. The ink still has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.ocr.tesseract import Recognised

# How many pieces a sign has at most; all others have one.
_PIECES: Final = {**dict.fromkeys('ij:;=≥≤÷"!?”“±', 2), "%": 3, "°": 1}
_SPECK: Final = 0.015  # of the square of the word's height: a decimal point has 0.02 and more, a speck of paper less
_LEAST_CONTRAST: Final = 25  # greys
_INK: Final = 0.5  # darkness
_PRINT: Final = 0.75  # the darkest dot of a piece: print reaches it, the rings of a compressed image and its noise do not
_SIDE: Final = 0.25  # of the word's height: how far beside its box a lost sign may stand
_BAR: Final = 0.7  # of the sign's width: the lowest rows of `≥` are a bar, those of `>` one end of a stroke
_LOWEST: Final = 0.22  # of the sign's height
_PALE: Final = 0.3  # darkness of a bar that one line of a fax is: 0.4; the grey beside a stroke has 0.1 to 0.3
_ABOVE: Final = 0.6  # of the narrower piece's width; a decimal point stands beside its digits
_HALF_HEIGHT: Final = 0.7  # these three: of the tallest piece's height
_HALF_WIDTH: Final = 0.45
_HALF_GAP: Final = 0.12  # two digits stand 0.15 and more apart
_LETTER: Final = 0.3  # these three: of a word's height
_DASH: Final = 0.3
_STROKE: Final = 0.12
_UNEVEN: Final = 0.14  # of a digit's height: digits of one number stand on one line and reach one height

Darkness = NDArray[np.float32]


def word_ink(grey: Image.Image, words: Sequence[Recognised], at: int, *, is_sign: bool = False) -> tuple[Darkness, int]:
    """Return how dark the place of one word is, and the pixel of the page that its first row is."""
    word = words[at]
    before = words[at - 1] if at else None
    after = words[at + 1] if at + 1 < len(words) else None
    start = before.left + before.width if before and on_one_line(before, word) else 0
    end = after.left if after and on_one_line(word, after) else grey.width
    box = (word.left, word.top, word.left + word.width, word.top + word.height)
    return crop(grey, box, start, end, is_sign=is_sign), max(word.top - _above(word.height), 0)


def on_one_line(one: Recognised, other: Recognised) -> bool:
    """Whether two words stand on one line."""
    return (one.block, one.paragraph, one.line) == (other.block, other.paragraph, other.line)


def _above(height: int) -> int:
    """Return the pixels above and below a word's box that belong to its place."""
    return max(2, height // 8)


def crop(grey: Image.Image, box: tuple[int, int, int, int], before: int, after: int, *, is_sign: bool = False) -> Darkness:
    """Return how dark a word's box (left, top, right, bottom) is, widened but not into its neighbours: 0 is paper, 1 is ink.

    ``before``, ``after``: where the neighbours end and begin, in pixels. ``is_sign``: of `<` and `>` Tesseract may box one end only.
    """
    left, top, right, bottom = box
    side = round((1 if is_sign else _SIDE) * (bottom - top))
    up = _above(bottom - top)
    start, end = min(max(left - side, before, 0), left), max(min(right + side, after, grey.width), right)  # boxes of neighbours may overlap
    greys = np.asarray(grey.crop((start, max(top - up, 0), end, min(bottom + up, grey.height))))
    if greys.size == 0:
        return np.zeros((1, 1), dtype=np.float32)
    ink, paper = (float(value) for value in np.percentile(greys, (2, 90)))
    return ((paper - greys.astype(np.float32)) / max(paper - ink, _LEAST_CONTRAST)).clip(0, 1)


def pieces_of(darkness: Darkness, height: int) -> list[Box]:
    """Return the boxes (pixels of the crop) of connected pieces, left to right, without specks. ``height``: of the word's box."""
    rows, starts, ends, peaks = _runs_of(darkness)
    parents = list(range(len(rows)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    above = 0  # the first run that may lie in the row above
    for index, (row, start, end) in enumerate(zip(rows, starts, ends, strict=True)):
        while rows[above] < row - 1 or (rows[above] == row - 1 and ends[above] < start):
            above += 1
        other = above
        while rows[other] == row - 1 and starts[other] <= end:  # corners touch
            parents[root(index)] = root(other)
            other += 1
    pieces: dict[int, list[float]] = {}  # x0, top, x1, bottom, area, peak
    for index, (row, start, end) in enumerate(zip(rows, starts, ends, strict=True)):
        piece = pieces.setdefault(root(index), [start, row, end, row, 0, 0.0])
        piece[0], piece[2], piece[3] = min(piece[0], start), max(piece[2], end), row + 1
        piece[4], piece[5] = piece[4] + end - start, max(piece[5], peaks[index])
    least = max(2.0, _SPECK * height * height)
    large = [Box(*piece[:4]) for piece in pieces.values() if piece[4] >= least and piece[5] >= _PRINT]
    return sorted((box for box in large if not _is_within(box, large)), key=lambda box: box.x0)


def _runs_of(darkness: Darkness) -> tuple[list[int], list[int], list[int], list[float]]:
    """Return the runs of ink, row by row from the left: row, start, end (half-open), and the darkest of each."""
    width = darkness.shape[1] + 1
    padded = np.zeros((darkness.shape[0], width), dtype=np.float32)
    padded[:, :-1] = darkness
    ink = np.concatenate(([False], (padded > _INK).ravel()))  # a blank column ends every row
    edges = np.flatnonzero(ink[1:] != ink[:-1])
    if len(edges) == 0:
        return [], [], [], []
    peaks = np.maximum.reduceat(padded.ravel(), edges)[::2]
    rows, starts = np.divmod(edges[::2], width)
    return rows.tolist(), starts.tolist(), (edges[1::2] - rows * width).tolist(), peaks.tolist()


def _is_within(box: Box, others: Sequence[Box]) -> bool:
    """Whether a piece lies inside another: the dot in the zero of typewriter print."""
    return any(
        other is not box and other.x0 < box.x0 and box.x1 < other.x1 and other.top < box.top and box.bottom < other.bottom
        for other in others
    )


def whole_digits(pieces: Sequence[Box]) -> list[Box]:
    """Return the pieces of a number with those of one digit as one: noise and compression break its thin strokes."""
    tallest = max((piece.height for piece in pieces), default=0.0)
    found: list[Box] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last and (_above_each_other(last, piece) or _are_halves(last, piece, tallest)):
            found[-1] = last.joined(piece)
        else:
            found.append(piece)
    return found


def _above_each_other(one: Box, other: Box) -> bool:
    """A decimal point stands beside its digits, never so."""
    return min(one.x1, other.x1) - max(one.x0, other.x0) >= _ABOVE * min(one.width, other.width)


def _are_halves(one: Box, other: Box, tallest: float) -> bool:
    """Whether two strokes are the sides of one zero: as high as a digit, half as wide, and nearer to each other than digits stand."""
    low, wide = min(one.height, other.height), max(one.width, other.width)
    return low >= _HALF_HEIGHT * tallest and wide <= _HALF_WIDTH * tallest and other.x0 - one.x1 <= _HALF_GAP * tallest


def has_more_ink(pieces: Sequence[Box], text: str) -> bool:
    """Whether there are more pieces of ink than the signs of a text have."""
    return len(pieces) > sum(_PIECES.get(sign, 1) for sign in text)


def has_bar(darkness: Darkness) -> bool:
    """Whether what was read as `<` or `>` ends below in a bar. That of a fax may be one pale line."""
    ink = darkness > _INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if len(rows) == 0:
        return False
    wide = slice(columns[0], columns[-1] + 1)
    sign = ink[rows[0] : rows[-1] + 1, wide]
    lowest = max(1, round(_LOWEST * len(sign)))
    pale = darkness[rows[-1] + 1 - lowest : rows[-1] + 1 + lowest, wide] > _PALE
    return bool(max(sign[-lowest:].sum(axis=1).max(), pale.sum(axis=1).max()) >= _BAR * sign.shape[1])


def has_print(darkness: Darkness, height: int) -> bool:
    """Whether signs stand in the paper between two words: as high as small letters or as wide as a dash; points and rules are none."""
    return any(
        (_LETTER * height <= piece.height < len(darkness) or (_DASH * height <= piece.width and piece.height < len(darkness)))
        and piece.width >= _STROKE * height
        for piece in pieces_of(darkness, height)
    )


def is_uneven(pieces: Sequence[Box]) -> bool:
    """Whether digits differ in height or foot: one of them is none (`2 g` read as `29`, `10⁹` as `109`)."""
    tallest = max((piece.height for piece in pieces), default=0)
    digits = [piece for piece in pieces if piece.height > tallest / 2]
    slack = max(_UNEVEN * tallest, 2.0)
    return any(abs(one.top - digits[0].top) > slack or abs(one.bottom - digits[0].bottom) > slack for one in digits)
