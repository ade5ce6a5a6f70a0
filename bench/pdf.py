"""Digital PDFs: pages a second of the text layer's reader and of the whole reading beside plain PDFium and pdfplumber, same pages, one run.

python -m bench.pdf FOLDER [--pages 300] [--json]

Takes pages from every PDF below FOLDER in turn, then whole files: ``whole reading`` is all that is done with one (opening, text layer, tables,
furniture, the check against pdfplumber, the account) but OCR and figures. The processor's time is counted (others may use the machine), and
every sign of PDFium's own text is looked for in what is read: ``unexplained`` counts signs that are neither there, nor dropped by declaration,
nor repaired one for one.
"""

from __future__ import annotations

import argparse
import io
import json
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from time import process_time
from typing import Any, Final

import pdfplumber
import pypdfium2 as pdfium

from pipeline.domain.reading import PageOutcome, ReadFile, ReadOptions
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.pdf.agreement import READERS_DISAGREE
from pipeline.stages.extract.pdf.decide import decide
from pipeline.stages.extract.pdf.evidence import evidence
from pipeline.stages.extract.pdf.reader import read_pdf
from pipeline.stages.extract.pdf.text_layer import read_text_layer

_FEWEST_SIGNS: Final = 200  # a page with fewer has no text to time
_MOST_PAGES: Final = 60  # a file with more would be most of the run
_ADDED: Final = "^"  # before a superscript


@dataclass
class _Tally:
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    pages: int = 0
    signs: int = 0
    dropped: int = 0
    unexplained: int = 0
    pages_unexplained: int = 0
    files: int = 0
    disagree: int = 0

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        start = process_time()
        result = work()
        self.seconds[name] += process_time() - start
        return result


def main() -> int:
    """Print pages a second and the account of signs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=300, help="how many pages at most")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    tally = _Tally()
    for path, number in _pages(options.folder, options.pages):
        _measure(path, number, tally)
    whole = _Tally()
    for path in sorted(options.folder.rglob("*.pdf")):
        if whole.pages < options.pages:
            _measure_whole(path, whole)
    report = {**_report(tally), "whole_files": _report_whole(whole)}
    print(json.dumps(report) if options.json else "\n".join(f"{name}: {value}" for name, value in report.items()))
    return 0 if not tally.unexplained else 1


def _pages(folder: Path, most: int) -> Iterator[tuple[Path, int]]:
    """Yield the first page of every file, then the second, and so on."""
    files = []
    for path in sorted(folder.rglob("*.pdf")):
        try:
            with pdfium.PdfDocument(path) as pdf:
                files.append([(path, number) for number in range(1, len(pdf) + 1)])
        except pdfium.PdfiumError:
            continue
    every = (page for row in zip_longest(*files) for page in row if page is not None)
    for _, page in zip(range(most), every, strict=False):
        yield page


def _measure(path: Path, number: int, tally: _Tally) -> None:
    with pdfium.PdfDocument(path) as pdf:
        try:
            page = pdf[number - 1]
        except pdfium.PdfiumError:
            return
        plain: str = _plain_text(page)
        if len(plain) < _FEWEST_SIGNS:
            return
        if decide(read_text_layer(page, number), evidence(page), lambda: True).outcome is not PageOutcome.TEXT_LAYER:
            return
        tally.timed("pypdfium2", lambda: _plain_text(page))
        content: PageContent = tally.timed("clindex", lambda: read_text_layer(page, number))
    tally.pages += 1
    tally.signs += content.characters
    tally.dropped += content.dropped
    unexplained = _unexplained(plain, content)
    tally.unexplained += unexplained
    tally.pages_unexplained += unexplained > 0
    try:
        with pdfplumber.open(path, pages=[number]) as plumber:
            tally.timed("pdfplumber", lambda: plumber.pages[0].extract_text())
    except Exception:  # noqa: BLE001 - pdfminer raises whatever a broken file leads to; the file is then not timed with it
        tally.seconds["pdfplumber"] += 0.0


def _measure_whole(path: Path, tally: _Tally) -> None:
    """Time all that is done with a file, beside the text of all its pages by the libraries. Files that need OCR are left out."""
    data = path.read_bytes()
    try:
        with pdfium.PdfDocument(data) as pdf:
            count = len(pdf)
            if count > _MOST_PAGES or any(not _has_text_layer(page) for page in pdf):
                return
    except pdfium.PdfiumError:
        return
    try:
        plumber_pages = tally.timed("pdfplumber", lambda: _plumber_texts(data))
    except Exception:  # noqa: BLE001 - as above
        return
    file: ReadFile = tally.timed("whole reading", lambda: read_pdf(data, ReadOptions(figures=False), lambda *_: None))
    tally.timed("pypdfium2", lambda: _pdfium_texts(data))
    tally.pages += min(count, plumber_pages)
    tally.unexplained += sum(page.unexplained for page in file.pages)
    tally.files += 1
    tally.disagree += READERS_DISAGREE in file.notices


def _has_text_layer(page: pdfium.PdfPage) -> bool:
    return decide(read_text_layer(page, 1), evidence(page), lambda: True).outcome is PageOutcome.TEXT_LAYER


def _plumber_texts(data: bytes) -> int:
    with pdfplumber.open(io.BytesIO(data)) as document:
        for page in document.pages:
            page.extract_text()
            page.close()
        return len(document.pages)


def _pdfium_texts(data: bytes) -> None:
    with pdfium.PdfDocument(data) as document:
        for page in document:
            _plain_text(page)


def _report_whole(tally: _Tally) -> dict[str, Any]:
    speed = {name: round(tally.pages / seconds, 1) for name, seconds in tally.seconds.items() if seconds}
    return {
        "files": tally.files,
        "pages": tally.pages,
        "pages_a_second": speed,
        "times_as_fast_as_pdfplumber": round(speed["whole reading"] / speed["pdfplumber"], 1) if speed else None,
        "unexplained": tally.unexplained,
        "files_where_readers_disagree": tally.disagree,
    }


def _plain_text(page: pdfium.PdfPage) -> str:
    text_page = page.get_textpage()
    text: str = text_page.get_text_range()
    text_page.close()
    return text


def _unexplained(plain: str, content: PageContent) -> int:
    """Return how many signs of PDFium's text have no counterpart: neither the same sign, nor one for it, nor a declared drop."""
    words = "".join(word.text for block in content.blocks for line in block.lines for word in line.words)
    source = Counter(sign for sign in plain if not sign.isspace() and sign not in "\uf020\x00")
    read = Counter(words.replace(_ADDED, ""))
    source.pop(_ADDED, None)
    return max((source - read).total() - (read - source).total() - content.dropped, 0)


def _report(tally: _Tally) -> dict[str, Any]:
    speed = {name: round(tally.pages / seconds, 1) for name, seconds in tally.seconds.items() if seconds}
    return {
        "pages": tally.pages,
        "signs_a_page": round(tally.signs / tally.pages) if tally.pages else 0,
        "pages_a_second": speed,
        "times_as_fast_as_pdfplumber": round(speed["clindex"] / speed["pdfplumber"], 1) if "pdfplumber" in speed else None,
        "dropped": tally.dropped,
        "unexplained": tally.unexplained,
        "pages_unexplained": tally.pages_unexplained,
    }


if __name__ == "__main__":
    sys.exit(main())
