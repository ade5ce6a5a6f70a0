"""Cells between rulings in, a grid of text out; or nothing where the rulings are a frame, a form, a plot or a page layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from pipeline.stages.extract.content import Box, Line, Word
from pipeline.stages.extract.tables.cells import CellText, cell_text, is_numeric, text_lines
from pipeline.stages.extract.tables.drawing import Drawing
from pipeline.stages.extract.tables.grid import Cell, Grid

_SAME_EDGE: Final = 4.0  # points: closer rulings are one that was drawn twice, or the two sides of a thick one
_SPACER: Final = 12.0  # points: a narrower column without a word is none
_OPEN_SIDE: Final = 12.0  # points that rules must run on past the last upright ruling to leave a column open there
_CLEAR: Final = 0.8  # ems between words on both sides of an edge that is not drawn there
_LEAST_FILLED: Final = 0.25  # of the cells: schedules of visits have 0.3 to 0.6; forms to fill in and plots have less
_MOST_WORDS: Final = 40  # a cell, on the mean: more is a page laid out in boxes, whose text reads better as text
_BIGGEST_SHARE: Final = 0.7  # of the words in one cell of a small grid: a box with a side note
_FEW_CELLS: Final = 6

_Place = tuple[int, int, int, int]  # row, end of rows, column, end of columns


def ruled_grid(boxes: Sequence[Box], words: Sequence[Word], drawing: Drawing) -> Grid | None:
    """Return the grid of one ruled area, or nothing where it is no table. Every word inside its edges is in a cell."""
    xs, ys = _edges(b.x0 for b in boxes) | _edges(b.x1 for b in boxes), _edges(b.top for b in boxes) | _edges(b.bottom for b in boxes)
    columns, rows = _clustered(xs), _clustered(ys)
    columns = _without_spacers(_with_open_sides(columns, rows, drawing.rules, words), rows, words)
    if len(columns) < 3 or len(rows) < 2:
        return None
    box = Box(columns[0], rows[0], columns[-1], rows[-1])
    inside = [word for word in words if box.contains_middle_of(word.box)]
    places = _filled(_apart({_place(one, rows, columns) for one in boxes}, inside, rows, columns), len(rows) - 1, len(columns) - 1)
    holding = {place: [word for word in inside if _box(place, rows, columns).contains_middle_of(word.box)] for place in places}
    if not _is_table(holding):
        return None
    cells = []
    for place, held in sorted(holding.items()):
        area = _box(place, rows, columns)
        content = cell_text(held, downwards=drawing.prints.is_downwards(area))
        cells.append(Cell(*place, content, strong=bool(held) and (drawing.is_shaded(area) or drawing.prints.is_bold(area))))
    grid = _dense(_rows_apart(Grid(box, len(rows) - 1, len(columns) - 1, tuple(cells))))
    return grid if sum(len(grid.row(row)) > 1 for row in range(grid.height)) > 1 else None


def _edges(values: Iterable[float]) -> set[float]:
    return {round(value, 1) for value in values}


def _clustered(values: Iterable[float]) -> list[float]:
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][-1] <= _SAME_EDGE:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(group) / len(group) for group in groups]


def _without_spacers(columns: Sequence[float], rows: Sequence[float], words: Sequence[Word]) -> list[float]:
    """Return the columns' edges without those of narrow columns that hold no word: heads and body that are drawn with edges of their own."""
    kept: list[float] = []
    for index, edge in enumerate(columns):
        following = columns[index + 1] if index + 1 < len(columns) else None
        narrow = kept and following is not None and following - edge < _SPACER
        if narrow and rows and not any(Box(edge, rows[0], following or edge, rows[-1]).contains_middle_of(word.box) for word in words):
            continue
        kept.append(edge)
    return kept


def _with_open_sides(columns: list[float], rows: Sequence[float], rules: Sequence[Box], words: Sequence[Word]) -> list[float]:
    """Return the columns' edges with an edge more where rules run on past the last upright ruling and words stand there."""
    if not columns or not rows:
        return columns
    ours = [
        rule for rule in rules if any(abs(rule.top - row) <= _SAME_EDGE for row in rows) and rule.x1 > columns[0] and rule.x0 < columns[-1]
    ]
    if len(ours) < 3:
        return columns
    left, right = median(rule.x0 for rule in ours), median(rule.x1 for rule in ours)

    def holds_words(x0: float, x1: float) -> bool:
        return any(Box(x0, rows[0], x1, rows[-1]).contains_middle_of(word.box) for word in words)

    if left < columns[0] - _OPEN_SIDE and holds_words(left, columns[0]):
        columns = [left, *columns]
    if right > columns[-1] + _OPEN_SIDE and holds_words(columns[-1], right):
        columns = [*columns, right]
    return columns


def _nearest(value: float, edges: Sequence[float]) -> int:
    return min(range(len(edges)), key=lambda index: abs(edges[index] - value))


def _place(box: Box, rows: Sequence[float], columns: Sequence[float]) -> _Place:
    return (_nearest(box.top, rows), _nearest(box.bottom, rows), _nearest(box.x0, columns), _nearest(box.x1, columns))


def _box(place: _Place, rows: Sequence[float], columns: Sequence[float]) -> Box:
    return Box(columns[place[2]], rows[place[0]], columns[place[3]], rows[place[1]])


def _apart(places: set[_Place], words: Sequence[Word], rows: Sequence[float], columns: Sequence[float]) -> set[_Place]:
    """Return the places, those over several columns taken apart where their words keep to the columns: rows whose upright rulings are left out."""
    taken: set[_Place] = set()
    for place in places:
        box = _box(place, rows, columns)
        held = [word for word in words if place[3] - place[2] > 1 and box.contains_middle_of(word.box)]
        if _keep_to_columns(held, columns[place[2] + 1 : place[3]]):
            taken |= {(place[0], place[1], column, column + 1) for column in range(place[2], place[3])}
        else:
            taken.add(place)
    return taken


def _keep_to_columns(words: Sequence[Word], edges: Sequence[float]) -> bool:
    """Whether words stand on both sides of most edges, and clear of them."""
    crossed = 0
    for edge in edges:
        left = max((word.box.x1 for word in words if word.box.x0 + word.box.x1 < 2 * edge), default=None)
        right = min((word.box.x0 for word in words if word.box.x0 + word.box.x1 >= 2 * edge), default=None)
        if left is None or right is None:
            continue
        if right - left < _CLEAR * median(word.box.height for word in words):
            return False
        crossed += 1
    return crossed * 2 > len(edges)


def _filled(places: set[_Place], height: int, width: int) -> list[_Place]:
    """Return the places that do not overlap, smaller ones first, and one more for each spot that none covers."""
    taken: set[tuple[int, int]] = set()
    kept: list[_Place] = []
    gaps = [(row, row + 1, column, column + 1) for row in range(height) for column in range(width)]
    by_size = sorted(places, key=lambda one: ((one[1] - one[0]) * (one[3] - one[2]), one))
    for place in [*by_size, *gaps]:
        spots = {(row, column) for row in range(place[0], place[1]) for column in range(place[2], place[3])}
        if spots and not spots & taken:
            taken |= spots
            kept.append(place)
    return kept


def _is_table(holding: dict[_Place, list[Word]]) -> bool:
    counts = [len(words) for words in holding.values() if words]
    if len(counts) < 3 or len(counts) < _LEAST_FILLED * len(holding):
        return False
    if sum(counts) > _MOST_WORDS * len(counts) or (len(counts) < _FEW_CELLS and max(counts) > max(_BIGGEST_SHARE * sum(counts), 12)):
        return False
    filled = [place for place, words in holding.items() if words]
    return len({place[0] for place in filled}) > 1 and len({place[2] for place in filled}) > 1


def _rows_apart(grid: Grid) -> Grid:
    """Return the grid with rows that no ruling parts taken apart, where every line of the first column has its numbers beside it."""
    cells: list[Cell] = []
    height = 0
    for row in range(grid.height):
        ours = [cell for cell in grid.cells if cell.row == row]
        lines = _lines_of_row(ours)
        for cell in ours:
            for index, line in enumerate(lines or [None]):
                content = cell.content if line is None else _part(cell, line, lines)
                end = height + index + 1 if lines else height + cell.row_end - cell.row
                cells.append(Cell(height + index, end, cell.column, cell.column_end, content, cell.strong))
        height += max(len(lines), 1)
    return Grid(grid.box, height, grid.width, tuple(cells), grid.rule_under)


def _lines_of_row(cells: Sequence[Cell]) -> list[Line]:
    """Return the lines of the first cell where each is a row of its own, else none."""
    if len(cells) < 2 or any(cell.row_end - cell.row > 1 for cell in cells) or not cells[0].content.words:
        return []
    lines = text_lines(cells[0].content.words)
    if len(lines) < 2:
        return []
    numbers = 0
    for cell in cells[1:]:
        held = text_lines(cell.content.words)
        if len(held) > len(lines) or any(not any(_beside(one, line) for line in lines) for one in held):
            return []
        numbers += len(held) == len(lines) and all(is_numeric(line.text) for line in held)
    filled = sum(bool(cell.content.text) for cell in cells[1:])
    return lines if numbers and (len(lines) > 2 or numbers == filled) else []


def _beside(one: Line, other: Line) -> bool:
    return min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top) > 0.5 * min(one.box.height, other.box.height)


def _part(cell: Cell, line: Line, lines: Sequence[Line]) -> CellText:
    def nearest(word: Word) -> Line:
        return min(lines, key=lambda one: abs(one.box.top + one.box.bottom - word.box.top - word.box.bottom))

    return cell_text([word for word in cell.content.words if nearest(word) is line])


def _dense(grid: Grid) -> Grid:
    """Return the grid without columns that hold no text: spacers, and the slivers between double rulings."""
    used = sorted({cell.column for cell in grid.cells if cell.content.text})
    new = {column: index for index, column in enumerate(used)}
    cells = tuple(
        Cell(cell.row, cell.row_end, new[cell.column], sum(column < cell.column_end for column in used), cell.content, cell.strong)
        for cell in grid.cells
        if cell.column in new
    )
    return Grid(grid.box, grid.height, len(used), cells, grid.rule_under)
