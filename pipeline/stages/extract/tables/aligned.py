"""Words of a page in, grids of tables without rulings out: rows of words that stand in columns. Reads no more than words' boxes, so it serves OCR too.

Only with strong evidence: a table that is missed stays readable text, but prose that is cut into cells does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median
from typing import Final

from pipeline.stages.extract.content import Box, Line, Word
from pipeline.stages.extract.tables.cells import bounds, cell_text, is_numeric, is_sideways, text_lines
from pipeline.stages.extract.tables.drawing import Drawing
from pipeline.stages.extract.tables.facts import states_facts
from pipeline.stages.extract.tables.grid import Cell, Grid, header_rows, without_titles
from pipeline.stages.extract.tables.plausible import is_plausible

# Lengths in ems: the median height of the page's words.
_EM_OF_INK: Final = 1.35  # a word's ink is about 0.74 em high: capitals and ascenders, seldom descenders as well
_APART: Final = 1.0  # a blank this wide parts two cells; a justified line's widest are about 0.8
_GUTTER: Final = 0.5  # what must stay free between two columns over all rows
_NEXT_ROW: Final = 2.2  # a wider gap between two lines ends a table
_TIGHT: Final = 0.45  # a line this near below may be the rest of a wrapped cell
_CROSSING: Final = 0.12  # of the rows may write across a gutter: heads over several columns
_BETWEEN: Final = 2  # lines in a row that are not in columns: a group's name, a wrapped cell
_LEAST_ROWS: Final = 3  # in columns
_PROSE_LINE: Final = 7  # words without a wide blank: a line of text, at which a table ends
_COVERS: Final = 0.5  # of a column's width
_DEEPEST_HEAD: Final = 8  # lines
_TYPED_RULE: Final = re.compile(r"[-=_\u2014\u2500]{10,}")
_CAPTION: Final = re.compile(r"(?:Table|TABLE|Figure|FIGURE|Fig\.|Listing)\s+(?:[A-Z]{0,5}[-\u2013.]?\d|[IVX]+\b)")
_HEAD_GAP: Final = 0.6  # more than the usual gap between two lines
_MOST_OF_CONTENTS: Final = 3  # columns: number, heading, page; dots in a wider table lead to its numbers
_LEADER: Final = re.compile(r"\.{4,}|(?:\. ){3,}|\u2026{2,}|_{4,}")


@dataclass(frozen=True, slots=True)
class _Row:
    """One line over the page's width, cut at wide blanks."""

    parts: tuple[tuple[Word, ...], ...] = field(repr=False)
    box: Box

    @property
    def is_prose(self) -> bool:
        return len(self.parts) == 1 and len(self.parts[0]) >= _PROSE_LINE


def aligned_grids(words: Sequence[Word], drawing: Drawing, *, tight: bool = False) -> list[Grid]:
    """Return the grids of tables that only their alignment shows, from top to bottom. ``tight``: boxes end where the ink does, as OCR's do."""
    typed = [word for word in words if _TYPED_RULE.fullmatch(word.text)]
    drawing = replace(drawing, rules=(*drawing.rules, *(word.box for word in typed)))
    upright = [word for word in words if not is_sideways([word]) and word not in typed]
    if len(upright) < 2 * _LEAST_ROWS:
        return []
    em = median(word.box.height for word in upright) * (_EM_OF_INK if tight else 1.0)
    rows = [_row(line, em) for line in text_lines(upright)]
    grids = (_below_facts(part, em, drawing) for run in _runs(rows, em) for part in _at_heads(run, em, drawing))
    return [grid for grid in grids if grid is not None]


def _row(line: Line, em: float) -> _Row:
    parts: list[list[Word]] = [[line.words[0]]]
    for before, word in pairwise(line.words):
        if word.box.x0 - before.box.x1 >= _APART * em and not _LEADER.fullmatch(word.text):
            parts.append([])
        parts[-1].append(word)
    return _Row(tuple(tuple(part) for part in parts), line.box)


def _runs(rows: Sequence[_Row], em: float) -> list[list[_Row]]:
    """Return stretches of lines near each other, most of them in parts, that begin and end with such a line."""
    runs: list[list[_Row]] = []
    current: list[_Row] = []
    single = 0

    def close() -> None:
        nonlocal current, single
        while current and len(current[-1].parts) == 1 and not _is_tight(current, em):
            current.pop()
        if sum(len(row.parts) > 1 for row in current) >= _LEAST_ROWS:
            runs.append(current)
        current, single = [], 0

    for row in rows:
        if current and row.box.top - current[-1].box.bottom > _NEXT_ROW * em:
            close()
        single = single + 1 if len(row.parts) == 1 else 0
        if row.is_prose or single > _BETWEEN or _CAPTION.match(_text(row.parts[0])):
            close()
        elif current or len(row.parts) > 1:
            current.append(row)
    close()
    return runs


def _at_heads(run: Sequence[_Row], em: float, drawing: Drawing) -> list[Sequence[_Row]]:
    """Return a run cut where, after a gap, lines stand above a rule again: the next table's head, whose names are not those of the first."""
    gaps = [below.box.top - above.box.bottom for above, below in pairwise(run)]
    usual, starts = median(gaps), [0]
    for index in range(_LEAST_ROWS, len(run) - _LEAST_ROWS):
        ruled = _ruled_between(run[index], run[min(index + _LEAST_ROWS, len(run) - 1)], drawing)
        if gaps[index - 1] > usual + _HEAD_GAP * em and ruled and not _ruled_between(run[index - 1], run[index], drawing):
            starts.append(index)
    return [run[start:end] for start, end in pairwise([*starts, len(run)])]


def _ruled_between(upper: _Row, lower: _Row, drawing: Drawing) -> bool:
    """Whether a rule over half the upper line's breadth stands between two lines."""
    left, right = upper.box.x0, upper.box.x1
    return any(
        upper.box.bottom - 1 <= rule.top <= lower.box.top + 1 and min(rule.x1, right) - max(rule.x0, left) > (right - left) / 2
        for rule in drawing.rules
    )


def _is_tight(rows: Sequence[_Row], em: float) -> bool:
    """Whether the last line may be the rest of a cell, not of the first column, of the line before."""
    last, before = rows[-1].box, rows[-2].box if len(rows) > 1 else None
    return before is not None and last.top - before.bottom <= _TIGHT * em and last.x0 > before.x0 + em


def _gutters(rows: Sequence[_Row], em: float) -> list[tuple[float, float]]:
    """Return the strips that (almost) no row in parts writes across, left to right."""
    several = [row for row in rows if len(row.parts) > 1]
    numbers = [row for row in several if sum(is_numeric(_text(piece)) for piece in _pieces(row, em)) * 2 >= len(_pieces(row, em))]
    several = numbers if len(numbers) >= _LEAST_ROWS else several  # heads are set over several columns, rows of numbers are not
    spans = [(part[0].box.x0, part[-1].box.x1) for row in several for part in _pieces(row, em)]
    allowed = int(_CROSSING * len(several) + 0.5)
    free = [strip for strip in _strips(spans, allowed) if strip[1] - strip[0] >= _GUTTER * em]
    return [_freest(strip, spans) for strip in free]


def _strips(spans: Sequence[tuple[float, float]], allowed: int) -> list[tuple[float, float]]:
    """Return the stretches between the first span and the last that at most ``allowed`` of them cover."""
    events = sorted([(x0, 1) for x0, _ in spans] + [(x1, -1) for _, x1 in spans])
    found: list[tuple[float, float]] = []
    depth, opened, deepened = 0, 0.0, False
    for x, step in events:
        if depth <= allowed < depth + step:
            if deepened:
                found.append((opened, x))
            deepened = True
        depth += step
        if depth == allowed and step < 0:
            opened = x
    return found


def _freest(strip: tuple[float, float], spans: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the widest stretch of a strip that the fewest spans cover: heads over two columns must not move the gutter."""
    edges = sorted({strip[0], strip[1], *(x for span in spans for x in span if strip[0] < x < strip[1])})
    return min(pairwise(edges), key=lambda one: (sum(x0 < one[1] and one[0] < x1 for x0, x1 in spans), one[0] - one[1]))


def _pieces(row: _Row, em: float) -> list[tuple[Word, ...]]:
    """Return a row's parts, cut also at blanks that only a gutter may have."""
    pieces: list[list[Word]] = []
    for part in row.parts:
        pieces.append([part[0]])
        for before, word in pairwise(part):
            if word.box.x0 - before.box.x1 >= _GUTTER * em and not _LEADER.fullmatch(word.text):
                pieces.append([])
            pieces[-1].append(word)
    return [tuple(piece) for piece in pieces]


def _below_facts(run: Sequence[_Row], em: float, drawing: Drawing) -> Grid | None:
    """Return the grid of a run. Facts above a head are set in columns of their own: they stay text, and make no column."""
    facts = next((index for index, row in enumerate(run) if not states_facts([_text(part) for part in row.parts])), len(run))
    below = _grid(run[facts:], em, drawing) if 0 < facts < len(run) else None
    return below if below is not None and header_rows(below) else _grid(run, em, drawing)


def _grid(run: Sequence[_Row], em: float, drawing: Drawing) -> Grid | None:
    gutters = _gutters(run, em)
    if not gutters or (len(gutters) < _MOST_OF_CONTENTS and any(_LEADER.search(_text(part)) for row in run for part in row.parts)):
        return None
    box = bounds(row.box for row in run)
    rules = [rule for rule in drawing.rules if rule.width > 0.6 * box.width and box.x0 - em < (rule.x0 + rule.x1) / 2 < box.x1 + em]
    rules = [rule for rule in rules if box.top - 1.5 * em < rule.top < box.bottom + 1.5 * em]
    columns = list(zip([box.x0, *(x1 for _, x1 in gutters)], [*(x0 for x0, _ in gutters), box.x1], strict=True))
    placed = _merged([_cells(row, columns, em) for row in run], rules, em)
    grid = without_titles(_numbered(placed, box, len(gutters) + 1, rules, drawing))
    return grid if grid is not None and is_plausible(grid, has_rules=len(rules) > 1) else None


_Placed = dict[tuple[int, int], list[Word]]  # first column and end of columns: its words


def _cells(row: _Row, columns: Sequence[tuple[float, float]], em: float) -> _Placed:
    """Return a row's words by the columns that they cover."""
    spans: list[tuple[int, int, list[Word]]] = []
    for piece in _pieces(row, em):
        first, end = _covered(piece[0].box.x0, piece[-1].box.x1, columns)
        if spans and first < spans[-1][1]:
            before = spans.pop()
            spans.append((min(before[0], first), max(before[1], end), [*before[2], *piece]))
        else:
            spans.append((first, end, list(piece)))
    return {(first, end): words for first, end, words in spans}


def _covered(x0: float, x1: float, columns: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """Return the first and the end of the columns that a piece covers a good part of, or the one that it is nearest to."""
    covered = [index for index, (left, right) in enumerate(columns) if min(right, x1) - max(left, x0) > _COVERS * (right - left)]
    if covered:
        return covered[0], covered[-1] + 1
    nearest = min(range(len(columns)), key=lambda index: abs(sum(columns[index]) - x0 - x1))
    return nearest, nearest + 1


def _merged(rows: Sequence[_Placed], rules: Sequence[Box], em: float) -> list[_Placed]:
    """Return rows with the rest of wrapped cells joined to them. Where rules part the rows, they alone say what a row is."""
    tops = [rule.top for rule in rules]
    parted = len(tops) >= 4 and len(tops) * 3 >= len(rows)
    merged: list[_Placed] = []
    for row in rows:
        above = merged[-1] if merged else None
        if above is not None and (_same_band(above, row, tops) if parted else _continues(above, row, em)):
            for place, words in row.items():
                above.setdefault(place, []).extend(words)
        else:
            merged.append({place: list(words) for place, words in row.items()})
    return merged


def _same_band(above: _Placed, row: _Placed, tops: Sequence[float]) -> bool:
    upper, lower = _extent(above), _extent(row)
    return not any(upper.top < top < (lower.top + lower.bottom) / 2 for top in tops)


def _continues(above: _Placed, row: _Placed, em: float) -> bool:
    """Whether a line is the rest of the row above: near, without numbers, under filled cells, and not a row with a name."""
    if _extent(row).top - _extent(above).bottom > _TIGHT * em or not row.keys() <= above.keys():
        return False
    if any(is_numeric(_text(words)) and is_numeric(_text(above[place])) for place, words in row.items()):
        return False
    named = any(first == 0 for first, _ in row)
    return not named or (len(row) == 1 and all(_text(words)[:1].islower() for words in row.values()))


def _text(words: Sequence[Word]) -> str:
    return " ".join(word.text for word in words)


def _extent(row: _Placed) -> Box:
    return bounds(word.box for words in row.values() for word in words)


def _numbered(rows: Sequence[_Placed], box: Box, width: int, rules: Sequence[Box], drawing: Drawing) -> Grid:
    cells = []
    for number, row in enumerate(rows):
        for (first, end), words in sorted(row.items()):
            area = bounds(word.box for word in words)
            strong = drawing.prints.is_bold(area) or drawing.is_shaded(area)
            cells.append(Cell(number, number + 1, first, end, cell_text(words), strong))
    return Grid(box, len(rows), width, tuple(cells), _rule_under(rows, rules))


def _rule_under(rows: Sequence[_Placed], rules: Sequence[Box]) -> int:
    """Return the number of rows above the first rule inside the table, where what follows is longer."""
    for number in range(1, min(_DEEPEST_HEAD, len(rows) // 2) + 1):
        upper, lower = _extent(rows[number - 1]), _extent(rows[number])
        if any((upper.top + upper.bottom) / 2 < rule.top < (lower.top + lower.bottom) / 2 for rule in rules):
            return number
    return 0
