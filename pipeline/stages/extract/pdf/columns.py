"""Pieces of lines in, regions in reading order out: a column is read to its end before the next one begins.

A page is cut at gutters: vertical bands without ink that several lines of prose have on both sides. What crosses a gutter (a heading, a table
as wide as the page) ends the columns above it and stands before those below. Rows of a table are no columns: their cells are short or
numbers, or the white bands between its rows lie at one height on both sides of the gutter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pipeline.stages.extract.pdf.words import Written

_GUTTER: Final = 0.8  # of the size
_NARROWEST_GUTTER: Final = 6.0  # points
_LINES: Final = 3  # on each side: fewer show no column
_FEW_LINES: Final = 6  # on a side: as few, and unevenly spaced, are rather rows of a table
_NARROWEST: Final = 0.18  # of the region: a narrower side is a margin, a list's numbers, a column of labels
_WORDS_A_LINE: Final = 3.0  # mean; cells of tables hold fewer
_WORDS_A_SENTENCE_LINE: Final = 2.0  # the same where line goes on in line, as cells one below the other do not
_WORDS_A_LIST_LINE: Final = 1.8  # the same of columns whose baselines differ
_SHARED: Final = 0.5  # of the baselines of the side that has fewer lines: below, the sides know nothing of each other
_FILL: Final = 0.5  # mean of a line's width over its column's
_DIGITS: Final = 0.35  # of the signs: more is a table of numbers
_BESIDE: Final = 0.5  # of the shorter side's height: how much of both sides stands side by side
_STEP: Final = 2.0  # points between places that are tried
_TRIED: Final = 8
_APART: Final = 1.8  # of the size: from baseline to baseline
_FEW_PIECES: Final = 4  # of lines: more are a part of the columns
_SAME_LINE: Final = 0.3  # of the size
_SAME_BASE: Final = 0.1  # of the size: columns that know nothing of each other share one baseline in six by chance
_ROW_GAP: Final = 1.35  # of the usual distance of lines: a white band between rows or paragraphs
_COINCIDE: Final = 0.6  # of the bands of the side that has fewer


@dataclass(slots=True)
class Piece:
    """Words on one baseline of one direction, in the frame of the page's main direction (points, y downwards)."""

    words: list[Written] = field(repr=False)
    x0: float
    x1: float
    top: float
    bottom: float
    base: float
    size: float
    angle: int = 0  # of its own text

    @property
    def signs(self) -> int:
        """How many signs it holds."""
        return sum(len(word.text) for word in self.words)


Region = list[Piece]


def regions_of(pieces: Sequence[Piece]) -> list[Region]:
    """Return the pieces in regions, in reading order; inside a region they are in order of baseline."""
    ordered = sorted(pieces, key=lambda piece: (piece.base, piece.x0))
    if len(ordered) < 2 * _LINES:
        return [ordered] if ordered else []
    best: list[tuple[Region, Region, Region]] = []
    gain = 0.0
    for x in _candidates(ordered):
        bands = _bands(ordered, x)
        height = sum(_height(left) + _height(right) for _, left, right in bands if left)
        if height > gain:
            best, gain = bands, height
    if not best:
        return [ordered]
    regions: list[Region] = []
    for across, left, right in best:
        for part in (across, left, right):
            regions += regions_of(part) if part else []
    return regions


def lines_of(region: Region) -> list[list[Piece]]:
    """Return the lines of a region from top to bottom, each from left to right."""
    lines: list[list[Piece]] = []
    for piece in region:
        line = lines[-1] if lines else []
        if (
            line
            and abs(piece.base - line[0].base) <= _SAME_LINE * min(piece.size, line[0].size)
            and not any(_over(piece, one) for one in line)
        ):
            line.append(piece)
        else:
            lines.append([piece])
    for line in lines:
        line.sort(key=lambda piece: piece.x0)
    return lines


def _over(one: Piece, other: Piece) -> bool:
    return min(one.x1, other.x1) - max(one.x0, other.x0) > min(one.size, other.size) / 2


def _height(region: Region) -> float:
    return sum(piece.size for piece in region)


def _candidates(pieces: Sequence[Piece]) -> list[float]:
    """Return places (points) at which few pieces are crossed, least first."""
    left, right = min(piece.x0 for piece in pieces), max(piece.x1 for piece in pieces)
    count = int((right - left) / _STEP) + 1
    change = [0.0] * (count + 2)
    for piece in pieces:
        change[int((piece.x0 - left) / _STEP)] += piece.size
        change[int((piece.x1 - left) / _STEP) + 1] -= piece.size
    covered, total = [], 0.0
    for one in change:
        total += one
        covered.append(total)
    margin = int(count * _NARROWEST)
    valleys: list[tuple[float, float]] = []
    index = margin
    while index < count - margin:
        end = index
        while end + 1 < count - margin and covered[end + 1] == covered[index]:
            end += 1
        if covered[index] <= covered[index - 1] and covered[index] <= covered[end + 1]:
            valleys.append((covered[index], left + _STEP * (index + end + 1) / 2))
        index = end + 1
    return [x for _, x in sorted(valleys)[:_TRIED]]


def _bands(pieces: Sequence[Piece], x: float) -> list[tuple[Region, Region, Region]]:
    """Cut pieces into (what stands across, left column, right column), again and again downwards. No columns: an empty list."""
    bands: list[tuple[Region, Region, Region]] = []
    across: Region = []
    left: Region = []
    right: Region = []

    def close() -> None:
        nonlocal across, left, right
        head, body, tail = _ends_apart(sorted(left + right, key=lambda piece: (piece.base, piece.x0)))
        sides = [piece for piece in body if piece.x1 <= x], [piece for piece in body if piece.x1 > x]
        if all(sides) and _are_columns(*sides):
            bands.append((across + head, *sides))
            across = tail
        else:
            across += head + body + tail
        left, right = [], []

    for piece in pieces:
        if piece.x0 < x < piece.x1:
            close()
            across.append(piece)
        elif piece.x1 <= x:
            left.append(piece)
        else:
            right.append(piece)
    close()
    if across and bands:
        bands.append((across, [], []))
    return bands


def _ends_apart(band: Region) -> tuple[Region, Region, Region]:
    """Cut off a few rows above and below that white space across the whole band parts from it: what stands over and under columns."""
    start, end = 0, len(band)
    for index, (above, below) in enumerate(pairwise(band), 1):
        if below.base - above.base < _APART * max(above.size, below.size):
            continue
        if index <= _FEW_PIECES:
            start = index
        elif len(band) - index <= _FEW_PIECES and end == len(band):
            end = index
    return band[:start], band[start:end], band[end:]


def _are_columns(left: Region, right: Region) -> bool:
    size = max(piece.size for piece in left[:_LINES])
    gutter = min(piece.x0 for piece in right) - max(piece.x1 for piece in left)
    if gutter < max(_GUTTER * size, _NARROWEST_GUTTER):
        return False
    rows = _by_row(left), _by_row(right)
    if min(len(rows[0]), len(rows[1])) < _LINES:
        return False
    tops, ends = (left[0].base, right[0].base), (left[-1].base, right[-1].base)
    beside, shorter = min(ends) - max(tops), min(ends[0] - tops[0], ends[1] - tops[1])
    if beside < _BESIDE * shorter:
        return False
    width = max(piece.x1 for piece in right) - min(piece.x0 for piece in left)
    if any(_is_narrow(one, width) for one in rows):
        return False
    if _are_independent(rows[0], rows[1]):
        return True
    return all(_is_prose(one) for one in rows) and not _are_rows(rows[0], rows[1])


def _are_independent(left: Sequence[Sequence[Piece]], right: Sequence[Sequence[Piece]]) -> bool:
    """Whether the lines of both sides keep their own baselines, as those of a table do not: columns of lists have short lines too."""
    fewer, more = sorted((left, right), key=len)
    if len(fewer) < max(_FEW_LINES, len(more) / 2) or any(_words_a_line(rows) < _WORDS_A_LIST_LINE for rows in (left, right)):
        return False
    near, bases = _SAME_BASE * fewer[0][0].size, [row[0].base for row in more]
    shared = sum(any(abs(row[0].base - base) <= near for base in bases) for row in fewer)
    return shared < _SHARED * len(fewer)


def _words_a_line(rows: Sequence[Sequence[Piece]]) -> float:
    return sum(len(piece.words) for row in rows for piece in row) / len(rows)


def _by_row(region: Region) -> list[list[Piece]]:
    rows: dict[float, list[Piece]] = defaultdict(list)
    for piece in region:
        rows[round(piece.base)].append(piece)
    return [rows[base] for base in sorted(rows)]


def _width(rows: Sequence[Sequence[Piece]]) -> float:
    return max(piece.x1 for row in rows for piece in row) - min(piece.x0 for row in rows for piece in row)


def _is_narrow(rows: Sequence[Sequence[Piece]], region_width: float) -> bool:
    return _width(rows) < _NARROWEST * region_width


def _is_prose(rows: Sequence[Sequence[Piece]]) -> bool:
    signs = "".join(word.text for row in rows for piece in row for word in piece.words)
    least = _WORDS_A_SENTENCE_LINE if _goes_on(rows) else _WORDS_A_LINE
    if _words_a_line(rows) < least or sum(sign.isdigit() for sign in signs) > _DIGITS * len(signs):
        return False
    fill = sum(sum(piece.x1 - piece.x0 for piece in row) for row in rows)
    return fill >= _FILL * _width(rows) * len(rows)


def _goes_on(rows: Sequence[Sequence[Piece]]) -> bool:
    """Whether lines are sentences from the first to the last: a capital begins one only after the end of another, most lines begin without."""
    lines = [" ".join(word.text for piece in row for word in piece.words) for row in rows]
    small = sum(line[0].islower() for line in lines)
    begins = [line[0].islower() or before.endswith(".") for before, line in pairwise(lines)]
    return lines[0][0].isupper() and all(begins) and lines[-1].endswith(".") and 2 * small > len(lines)


def _are_rows(left: Sequence[Sequence[Piece]], right: Sequence[Sequence[Piece]]) -> bool:
    """Whether both sides are cells of a table: their white bands end at the same baselines, or they are few lines and not evenly spaced."""
    one, other = _white_bands(left), _white_bands(right)
    if (one or other) and min(len(left), len(right)) < _FEW_LINES:
        return True
    fewer = min(len(one), len(other))
    if fewer < 2:
        return False
    near = _SAME_LINE * left[0][0].size
    shared = sum(any(abs(below - start) <= near for start in other) for below in one)
    return shared >= _COINCIDE * max(len(one), len(other))


def _white_bands(rows: Sequence[Sequence[Piece]]) -> list[float]:
    """Return the first baseline below every gap that is wider than the usual distance of lines."""
    bases = [row[0].base for row in rows]
    steps = sorted(second - first for first, second in pairwise(bases))
    usual = steps[len(steps) // 4]  # in a table of short rows half the steps are wide
    return [second for first, second in pairwise(bases) if second - first > _ROW_GAP * max(usual, rows[0][0].size)]
