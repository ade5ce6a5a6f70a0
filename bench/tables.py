"""Tables that we wrote: how many of their cells are read exactly, from digital pages and, for information, from pictures of them by OCR.

python -m bench.tables [--dpi 300] [--no-ocr] [--json]

A table counts as exact where its rows and its header rows are as printed. A cell counts where the same text stands in the same row and column of
the table that is matched with it in order.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final

import pypdfium2 as pdfium

from pipeline.domain.reading import ReadOptions
from pipeline.stages.extract.content import PageContent, Table
from pipeline.stages.extract.ocr.page import read_image
from pipeline.stages.extract.pdf.drawn import read_drawn
from pipeline.stages.extract.pdf.text_layer import read_text_layer
from pipeline.stages.extract.tables.drawing import Drawing
from pipeline.stages.extract.tables.find import find_tables
from pipeline.testing.table_pages import Expected, TablePage, table_pages

_POINTS: Final = 72


def main() -> int:
    """Print how many tables and cells are exact; fails where one of a digital page is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dpi", type=int, default=300)
    parser.add_argument("--no-ocr", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pages = table_pages()
    report = {"digital": _score(pages, [_digital(page) for page in pages])}
    if not options.no_ocr:
        report["ocr"] = {"dpi": options.dpi, **_score(pages, [_recognised(page, options.dpi) for page in pages])}
    print(json.dumps(report) if options.json else "\n".join(f"{name}: {value}" for name, value in report.items()))
    return 0 if report["digital"]["cells"] == report["digital"]["cells_exact"] else 1


def _digital(page: TablePage) -> list[Table]:
    with pdfium.PdfDocument(page.pdf) as document:
        return find_tables(read_text_layer(document[0], 1), read_drawn(document[0]))


def _recognised(page: TablePage, dpi: int) -> list[Table]:
    with pdfium.PdfDocument(page.pdf) as document:
        width, height = document[0].get_size()
        image = document[0].render(scale=dpi / _POINTS).to_pil()
    content: PageContent = read_image(image, 1, width_pt=width, height_pt=height, dpi=dpi, options=ReadOptions(dpi=dpi))
    return find_tables(content, Drawing())


def _score(pages: Sequence[TablePage], found: Sequence[Sequence[Table]]) -> dict[str, Any]:
    pairs = [pair for page, tables in zip(pages, found, strict=True) for pair in zip_longest(page.tables, tables)]
    cells = [same for expected, table in pairs if expected is not None for same in _cells(expected, table)]
    return {
        "tables": sum(expected is not None for expected, _ in pairs),
        "tables_exact": sum(_is_exact(expected, table) for expected, table in pairs),
        "cells": len(cells),
        "cells_exact": sum(cells),
        "tables_too_many": sum(expected is None for expected, _ in pairs),
    }


def _is_exact(expected: Expected | None, table: Table | None) -> bool:
    return expected is not None and table is not None and (expected.rows, expected.header_rows) == (table.rows, table.header_rows)


def _cells(expected: Expected, table: Table | None) -> Iterator[bool]:
    """Yield of each printed cell whether it was read as it is."""
    rows = table.rows if table is not None else ()
    for number, row in enumerate(expected.rows):
        read = rows[number] if number < len(rows) else ()
        for column, text in enumerate(row):
            yield column < len(read) and read[column] == text


if __name__ == "__main__":
    sys.exit(main())
