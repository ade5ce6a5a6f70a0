"""Pages in, the same pages without running headers and footers out: lines that stand again and again at one place near an edge.

A line is furniture where the same text, but for a number that counts pages, stands at the same distance from the same edge on enough pages,
and nothing but furniture stands further out. The heads of a table's columns that are repeated on each page are none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from rapidfuzz import fuzz

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.colophon import colophon_rows
from pipeline.stages.extract.content import Line, PageContent, Word

_BAND: Final = 0.2  # of the page's height, at each end: boxed headers of five lines reach down to 0.16
_SAME_PLACE: Final = 4.0  # points between the distances of two pages' lines from their edge
_SAME_PLACE_OCR: Final = 10.0  # a sheet is not laid on the glass at the same place twice
_SAME_SIZE: Final = 1.5  # points: a title page's title is larger than the running header that repeats it
_ALIKE: Final = 85.0  # of 100: two readings of one line by OCR
_MOST_PAGES: Final = 0.25  # of the pages: a header of left-hand pages only, missing here and there
_RUN: Final = 4  # pages that follow each other, or every other: the header of one chapter
_LEAST: Final = 3  # pages, where the file has more than _SHORT
_SHORT: Final = 4  # pages: two of them may be all left-hand pages that there are
_SAME_ROW: Final = 0.5  # of the smaller line's height
_CELL_GAP: Final = 0.6  # heights of a line: a blank is 0.3, of a justified line up to 0.5
_ALIGNED: Final = 3.0  # points between the left edges of a column's head and its cell
_COLUMNS: Final = 3  # so many aligned words make a table's head; a running header has a left, a middle and a right
_TIGHT: Final = 0.8  # heights of a line between the heads of more columns and what they name; running headers stand further off
_NEAR: Final = 2.0  # heights of a line: a table's first row stands no further below its head
_NUMBER: Final = re.compile(r"\d+")
_ROMAN: Final = re.compile(r"[ivxl]{1,7}")
_PAGE_NUMBER: Final = re.compile(
    r"(?:page|p\.|pg\.?|seite)\s*(\d+)(?:\s*(?:of|/|von)\s*\d+)?|(\d+)\s*(?:of|/)\s*\d+|[-–—\[(]\s*(\d+)\s*[-–—\])]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Stripped:
    """A page without its furniture, and the furniture, top to bottom."""

    content: PageContent
    furniture: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A line near an edge. ``distance``: points from that edge, to the line's near side. ``key``: its text, numbers as one sign."""

    page: int  # index
    line: Line
    is_top: bool
    distance: float
    key: str = field(repr=False)
    is_ocr: bool


def strip_furniture(pages: Sequence[PageContent]) -> list[Stripped]:
    """Return the pages without running headers and footers. Where nothing but these would stand on any page, what repeats is the text."""
    bands = [_bands(index, page) for index, page in enumerate(pages)]
    stripped = _stripped(pages, bands, _repeated([candidate for band in bands for candidate in band], pages))
    return stripped if any(one.content.blocks for one in stripped) else _stripped(pages, bands, set())


def _stripped(pages: Sequence[PageContent], bands: Sequence[Sequence[_Candidate]], repeated: set[int]) -> list[Stripped]:
    stripped = []
    for index, page in enumerate(pages):
        taken = {id(candidate.line): candidate.line for candidate in _outermost(bands[index], repeated, index)}
        stripped.append(_without(page, taken) if taken else Stripped(page))
    return stripped


def _bands(index: int, page: PageContent) -> list[_Candidate]:
    found = []
    reach = _BAND * page.height
    for line in (line for block in page.blocks for line in block.lines if line.words):
        top, bottom = line.box.top, page.height - line.box.bottom
        if line.box.bottom <= reach or bottom < 0 or line.box.top >= page.height - reach:
            is_top = line.box.bottom <= reach
            distance = top if is_top else bottom
            found.append(_Candidate(index, line, is_top, distance, _key(line.text), page.outcome is PageOutcome.OCR))
    return found


def _key(text: str) -> str:
    key = _NUMBER.sub("#", " ".join(text.lower().split()))
    return "#" if _ROMAN.fullmatch(key) else key


def _repeated(candidates: Sequence[_Candidate], pages: Sequence[PageContent]) -> set[int]:
    """Return the ids of candidates that stand at their place on enough pages."""
    found: set[int] = set()
    for cluster in _clusters(candidates):
        for same in _same_numbers(cluster):
            on = sorted({candidate.page for candidate in same})
            if _enough(on, len(pages)) and not _are_column_heads(same, pages):
                found.update(id(candidate) for candidate in same)
    return found


def _clusters(candidates: Iterable[_Candidate]) -> list[list[_Candidate]]:
    """Group lines of one text, edge, distance and size."""
    clusters: list[list[_Candidate]] = []
    by_key: dict[tuple[bool, str], list[int]] = defaultdict(list)
    for candidate in candidates:
        numbers = by_key[candidate.is_top, candidate.key]
        home = next((number for number in numbers if _is_same_place(clusters[number][-1], candidate)), None)
        if home is None and candidate.is_ocr:
            home = next((number for number, cluster in enumerate(clusters) if _is_same_reading(cluster[0], candidate)), None)
        if home is None:
            home = len(clusters)
            clusters.append([])
            numbers.append(home)
        clusters[home].append(candidate)
    return clusters


def _is_same_place(one: _Candidate, other: _Candidate) -> bool:
    apart = _SAME_PLACE_OCR if one.is_ocr or other.is_ocr else _SAME_PLACE
    sizes = (one.line.size, other.line.size)
    same_size = one.is_ocr or other.is_ocr or 0.0 in sizes or abs(sizes[0] - sizes[1]) <= _SAME_SIZE
    return abs(one.distance - other.distance) <= apart and same_size


def _is_same_reading(one: _Candidate, other: _Candidate) -> bool:
    return one.is_top == other.is_top and _is_same_place(one, other) and fuzz.ratio(one.key, other.key) >= _ALIKE


def _same_numbers(cluster: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Return a cluster whole where its numbers are the same everywhere or count pages; else parted by what its lines say.

    "Adrenaline 1 mg" and "Adrenaline 5 mg" at the top of two pages are no header.
    """
    numbers = [_numbers(candidate) for candidate in cluster]
    commonest = Counter(len(row) for row in numbers).most_common(1)[0][0]
    rows = [(candidate.page, row) for candidate, row in zip(cluster, numbers, strict=True) if len(row) == commonest]
    if all(_is_constant_or_counts([(page, row[place]) for page, row in rows]) for place in range(commonest)):
        return [list(cluster)]
    parts: dict[str, list[_Candidate]] = defaultdict(list)
    for candidate in cluster:
        parts[candidate.line.text].append(candidate)
    return list(parts.values())


def _numbers(candidate: _Candidate) -> list[int]:
    text = " ".join(candidate.line.text.lower().split())
    if _ROMAN.fullmatch(text):
        return [_roman(text)]
    return [int(number[:9]) for number in _NUMBER.findall(text)]


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50}[letter] for letter in text]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def _is_constant_or_counts(values: Sequence[tuple[int, int]]) -> bool:
    """Whether most pages have one number, or numbers that grow with the page. OCR misreads some; chapters begin anew."""
    needed = 0.8 * len(values)
    if Counter(value for _, value in values).most_common(1)[0][1] >= needed:
        return True
    if Counter(value - page for page, value in values).most_common(1)[0][1] >= needed:
        return True
    steps = [(after[1] - before[1]) - (after[0] - before[0]) for before, after in pairwise(values)]
    return len(steps) >= _LEAST and sum(step == 0 for step in steps) >= 0.8 * len(steps)


def _enough(on: Sequence[int], pages: int) -> bool:
    if len(on) < (2 if pages <= _SHORT else _LEAST):
        return False
    if len(on) >= _MOST_PAGES * pages:
        return True
    run = longest = 1
    for before, after in pairwise(on):
        run = run + 1 if after - before <= 2 else 1
        longest = max(longest, run)
    return longest >= _RUN


def _are_column_heads(cluster: Sequence[_Candidate], pages: Sequence[PageContent]) -> bool:
    """Whether, on most pages, the words stand right above those of the row below: the head of a table that goes on."""
    heads = sum(candidate.is_top and _is_column_head(candidate.line, pages[candidate.page]) for candidate in cluster)
    return 2 * heads > len(cluster)


def _is_column_head(line: Line, page: PageContent) -> bool:
    lines = [other for block in page.blocks for other in block.lines if other.words]
    row = _overlapping(line, lines)
    bottom = max(other.box.bottom for other in row)
    below = [other for other in lines if other not in row and other.box.top >= bottom - 1]
    if not below:
        return False
    first = min(below, key=lambda other: other.box.top)
    gap = (first.box.top - bottom) / line.box.height
    words = [word for other in row for word in other.words]
    if gap <= _TIGHT and _columns(words) > _COLUMNS:
        return True
    cells = _starts(word for other in below if _is_same_row(first, other) for word in other.words)
    return gap <= _NEAR and sum(any(abs(head - cell) <= _ALIGNED for cell in cells) for head in _starts(words)) >= _COLUMNS


def _starts(words: Iterable[Word]) -> list[float]:
    """Return the left edges of a row's cells: words of running text, a blank apart, stand over those of the next line by chance."""
    starts, end = [], float("-inf")
    for word in sorted(words, key=lambda one: one.box.x0):
        if word.box.x0 - end > _CELL_GAP * word.box.height:
            starts.append(word.box.x0)
        end = max(end, word.box.x1)
    return starts


def _overlapping(line: Line, lines: Sequence[Line]) -> list[Line]:
    """Return the lines of one row of cells: centred heads of one, two and three lines stand half a line apart."""
    row, top, bottom = [line], line.box.top, line.box.bottom
    while True:
        more = [one for one in lines if one not in row and min(bottom, one.box.bottom) - max(top, one.box.top) > 1]
        if not more:
            return row
        row += more
        top, bottom = min(one.box.top for one in row), max(one.box.bottom for one in row)


def _columns(words: Sequence[Word]) -> int:
    """Return how many columns words make: gaps of a line's height part them."""
    count, end = 0, float("-inf")
    for word in sorted(words, key=lambda one: one.box.x0):
        count += word.box.x0 - end > word.box.height
        end = max(end, word.box.x1)
    return count


def _is_same_row(one: Line, other: Line) -> bool:
    shared = min(one.box.bottom, other.box.bottom) - max(one.box.top, other.box.top)
    return shared > _SAME_ROW * min(one.box.height, other.box.height)


def _outermost(band: Sequence[_Candidate], repeated: set[int], index: int) -> list[_Candidate]:
    """Return the furniture of a page: from each edge inwards, as long as a row has some. A page's number needs no other page."""
    taken = []
    for is_top in (True, False):
        rows = _rows([one for one in band if one.is_top == is_top])
        known = colophon_rows([_row_text(row) for row in rows], index + 1, is_top=is_top)
        for place, row in enumerate(rows):
            found = row if place < known else [one for one in row if id(one) in repeated or _is_page_number(one, index)]
            if not found:
                break
            taken += found
    return taken


def _rows(band: Sequence[_Candidate]) -> list[list[_Candidate]]:
    """Group the lines near one edge into rows, the outermost first."""
    rows = []
    rest = sorted(band, key=lambda one: one.distance)
    while rest:
        row = [one for one in rest if _is_same_row(rest[0].line, one.line)]
        rows.append(row)
        rest = [one for one in rest if one not in row]
    return rows


def _row_text(row: Sequence[_Candidate]) -> str:
    return " ".join(one.line.text for one in sorted(row, key=lambda one: one.line.box.x0))


def _is_page_number(candidate: _Candidate, index: int) -> bool:
    """Whether a line says nothing but that it is this page; a number alone does so at the bottom only."""
    text = candidate.line.text.strip()
    match = _PAGE_NUMBER.fullmatch(text)
    if match:
        return True
    return not candidate.is_top and text == str(index + 1)


def _without(page: PageContent, taken: dict[int, Line]) -> Stripped:
    blocks = []
    for block in page.blocks:
        lines = tuple(line for line in block.lines if id(line) not in taken)
        if lines == block.lines:
            blocks.append(block)
        elif lines:
            box = lines[0].box
            for line in lines[1:]:
                box = box.joined(line.box)
            blocks.append(replace(block, lines=lines, box=box))
    furniture = sorted(taken.values(), key=lambda line: (line.box.top, line.box.x0))
    return Stripped(replace(page, blocks=tuple(blocks)), tuple(furniture))
