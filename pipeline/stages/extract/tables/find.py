"""A page in, its tables out. Text comes from the page's words, which are repaired; a drawing gives geometry only."""

from __future__ import annotations

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import PageContent, Table
from pipeline.stages.extract.tables.aligned import aligned_grids
from pipeline.stages.extract.tables.cells import page_words
from pipeline.stages.extract.tables.drawing import Drawing
from pipeline.stages.extract.tables.grid import table_of, without_titles
from pipeline.stages.extract.tables.ruled import ruled_grid


def find_tables(content: PageContent, drawing: Drawing | None = None) -> list[Table]:
    """Return the tables of a page, ruled and unruled, from top to bottom.

    Without ``drawing`` (of OCR, or a page without rulings) only the alignment of words counts.
    """
    drawing = drawing if drawing is not None else Drawing()
    words = page_words(content)
    tables = []
    for boxes in drawing.grids:
        grid = ruled_grid(boxes, words, drawing)
        grid = without_titles(grid) if grid is not None else None
        if grid is not None:
            tables.append(table_of(grid))
            words = [word for word in words if not grid.box.contains_middle_of(word.box)]
    tables.extend(table_of(grid) for grid in aligned_grids(words, drawing, tight=content.outcome is PageOutcome.OCR))
    return sorted(tables, key=lambda table: (table.box.top, table.box.x0))
