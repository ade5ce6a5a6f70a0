"""A PDF's pages and what is drawn on them in, the pages with tables in their places out.

pdfplumber is slow (0.3 s a page where PDFium takes 3 ms) and keeps what it reads until a page is closed: it is asked for pages with rulings only.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import pdfplumber

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.body import Furnish, tables_by_alignment
from pipeline.stages.extract.content import PageContent, Table
from pipeline.stages.extract.tables.find import find_tables
from pipeline.stages.extract.tables.place import place_tables

if TYPE_CHECKING:
    from pdfplumber.pdf import PDF

#: Drawn paths beyond which a page is a map or a chart, not a table of cells: pdfplumber would take minutes for it.
MOST_PATHS: Final = 10_000


@contextmanager
def furnishing(data: bytes, ruled: Collection[int]) -> Iterator[Furnish]:
    """Yield what finds the tables of each page. ``ruled``: the numbers of pages whose rulings may make a table."""
    document = _open(data) if ruled else None
    try:
        yield lambda content: _furnish(content, document if content.number in ruled else None)
    finally:
        if document is not None:
            document.close()


def _open(data: bytes) -> PDF | None:
    try:
        document = pdfplumber.open(io.BytesIO(data), password="")
        len(document.pages)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - pdfminer raises whatever a broken file leads to, and quotes it; PDFium has read the file
        return None
    return document


def _furnish(content: PageContent, document: PDF | None) -> PageContent:
    if document is None or content.outcome is not PageOutcome.TEXT_LAYER or content.number > len(document.pages):
        return tables_by_alignment(content)
    page = document.pages[content.number - 1]
    tables: list[Table] | None = None
    try:
        tables = find_tables(page, content)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - as above; the words' alignment is left
        tables = None
    finally:
        page.close()
    return tables_by_alignment(content) if tables is None else place_tables(content, tables)
