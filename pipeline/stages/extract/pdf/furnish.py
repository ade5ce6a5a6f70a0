"""A PDF's pages and what is drawn on them in, the pages with tables and figures in their places out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

import pypdfium2 as pdfium

from pipeline.domain.errors import ClindexError
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.stages.extract.body import tables_by_alignment
from pipeline.stages.extract.content import Figure, PageContent
from pipeline.stages.extract.figures.find import find_figures
from pipeline.stages.extract.figures.images import repeated_images
from pipeline.stages.extract.figures.place import place_figures
from pipeline.stages.extract.figures.vision import VisionCaptioner, captioned
from pipeline.stages.extract.pdf.drawn import read_drawn
from pipeline.stages.extract.tables.find import find_tables
from pipeline.stages.extract.tables.place import place_tables

#: Drawn paths beyond which a page is a map or a chart, not a table of cells: crossing its edges would take minutes.
MOST_PATHS: Final = 10_000
TABLES_SKIPPED: Final = "tables_skipped"
FIGURES_SKIPPED: Final = "figures_skipped"


@dataclass(frozen=True, slots=True)
class Drawn:
    """Numbers of pages: ``ruled`` have rulings that may make a table, ``pictured`` have images."""

    ruled: Collection[int]
    pictured: Collection[int]


class Furnisher:
    """Finds the tables and figures of the pages of one document. Of pages that OCR read, tables by their words' alignment only."""

    def __init__(self, document: pdfium.PdfDocument, drawn: Drawn, options: ReadOptions) -> None:
        self._document = document
        self._drawn = drawn
        self._options = options
        self._repeated = repeated_images(document) if drawn.pictured and options.figures else frozenset()
        self._captioner = VisionCaptioner(options) if drawn.pictured and options.vision_url else None
        self.notices: set[str] = set()  # names of what could not be done on some page; its text is there

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._captioner is not None:
            self._captioner.close()

    def furnish(self, content: PageContent) -> PageContent:
        """Return a page with its tables and figures in their places."""
        if content.outcome is not PageOutcome.TEXT_LAYER:
            return tables_by_alignment(content)
        placed = self._with_tables(content)
        return self._with_figures(placed) if content.number in self._drawn.pictured and self._options.figures else placed

    def _with_tables(self, content: PageContent) -> PageContent:
        if content.number not in self._drawn.ruled:
            return tables_by_alignment(content)
        page = self._document[content.number - 1]
        try:
            return place_tables(content, find_tables(content, read_drawn(page)))
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever odd rulings lead to; the words' alignment is left
            self.notices.add(TABLES_SKIPPED)
            return tables_by_alignment(content)
        finally:
            page.close()

    def _with_figures(self, content: PageContent) -> PageContent:
        page = self._document[content.number - 1]
        try:
            figures = [self._captioned(figure) for figure in find_figures(page, content, self._options, self._repeated)]
        except (ClindexError, MemoryError):
            raise
        except Exception:  # noqa: BLE001 - a broken picture must not lose the page's text
            self.notices.add(FIGURES_SKIPPED)
            return content
        finally:
            page.close()
        return place_figures(content, figures)

    def _captioned(self, figure: Figure) -> Figure:
        if self._captioner is None:
            return figure
        figure, notice = captioned(figure, self._captioner)
        self.notices |= {notice} - {""}
        return figure
