"""Digital PDFs: pages a second of the text layer's reader beside plain PDFium and pdfplumber, on the same pages in one run.

python -m bench.pdf FOLDER [--pages 300] [--json]

Takes pages from every PDF below FOLDER in turn. The processor's time is counted (others may use the machine), and every sign of PDFium's own
text is looked for in what is read: ``unexplained`` counts signs that are neither there, nor dropped by declaration, nor repaired one for one.
"""

from __future__ import annotations

import argparse
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

from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.pdf.text_layer import read_text_layer

_FEWEST_SIGNS: Final = 200  # a page with fewer has no text to time
_ADDED: Final = "^"  # before a superscript


@dataclass
class _Tally:
    seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    pages: int = 0
    signs: int = 0
    dropped: int = 0
    unexplained: int = 0
    pages_unexplained: int = 0

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
    report = _report(tally)
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
