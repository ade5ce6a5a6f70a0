"""Pages in reading order in, the file out: furniture taken out, tables and figures put in their places, all written as one text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.domain.reading import ReadFile
from pipeline.stages.extract.account import signs_of_page
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.furniture import strip_furniture
from pipeline.stages.extract.pages import SourcePage, assemble
from pipeline.stages.extract.pdf.levels import relevel
from pipeline.stages.extract.pdf.nesting import renest
from pipeline.stages.extract.tables.find import find_tables
from pipeline.stages.extract.tables.join import join_continued
from pipeline.stages.extract.tables.place import place_tables

#: Finds what stands on a page beside its lines, and returns the page with it in its place.
Furnish = Callable[[PageContent], PageContent]


def tables_by_alignment(content: PageContent) -> PageContent:
    """Put the tables of a page in their places that show by the alignment of its words alone."""
    return place_tables(content, find_tables(content)) if content.blocks else content


def file_of(
    pages: Sequence[PageContent], *, furnish: Furnish = tables_by_alignment, notices: Sequence[str] = (), title: str = ""
) -> ReadFile:
    """Return the file that pages make. ``furnish`` is called once a page, in order, after furniture was taken out."""
    stripped = strip_furniture(pages)
    placed = [furnish(content) for content in renest(relevel([one.content for one in stripped]))]
    bodies = join_continued(placed)
    sources = []
    for page, one, before, after in zip(pages, stripped, placed, bodies, strict=True):
        repeated = signs_of_page(before) - signs_of_page(after)  # header rows of a table that goes on; ``after.dropped`` counts them
        sources.append(SourcePage(after, one.furniture, signs_of_page(page) - repeated))
    return assemble(sources, notices=notices, title=title)
