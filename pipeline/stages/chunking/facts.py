"""What the marks of a part say of a stretch of it: pages, confidence, suspect numbers, where cells end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from pipeline.domain.chunks import Span
from pipeline.domain.documents import DeidentifiedPart
from pipeline.domain.marks import Mark, MarkKind, of_kind


class Facts:
    """Answers from the marks of one part, each in logarithmic time."""

    def __init__(self, part: DeidentifiedPart) -> None:
        self._part = part
        self._pages = of_kind(part.marks, MarkKind.PAGE)
        self._page_starts = [mark.start for mark in self._pages]
        self._words = of_kind(part.marks, MarkKind.WORD)
        self._word_starts = [mark.start for mark in self._words]
        self._confidence = [0.0, *accumulate(mark.confidence for mark in self._words)]
        self._suspects = of_kind(part.marks, MarkKind.SUSPECT)
        self._suspect_starts = [mark.start for mark in self._suspects]
        self._cells = [mark for mark in of_kind(part.marks, MarkKind.TABLE_CELL) if mark.start < mark.end]
        self._cell_starts = [mark.start for mark in self._cells]

    def page(self, offset: int) -> int | None:
        """Return the page that a character stands on, or ``None`` for a part without pages."""
        index = bisect_right(self._page_starts, offset) - 1
        if index >= 0:
            return self._pages[index].number
        return self._pages[0].number if self._pages else self._part.page

    def confidence(self, start: int, end: int) -> float:
        """Return the mean over the words that recognition read in ``start:end`` (0..1); the part's own where none is marked at all."""
        if not self._words:
            return self._part.confidence
        first, last = bisect_left(self._word_starts, start), bisect_left(self._word_starts, end)
        return (self._confidence[last] - self._confidence[first]) / (last - first) if last > first else 1.0

    def suspects(self, start: int, end: int) -> tuple[Span, ...]:
        """Return the stretches inside ``start:end`` that recognition is not sure of, in order."""
        first = max(0, bisect_left(self._suspect_starts, start) - 1)
        last = bisect_left(self._suspect_starts, end)
        clipped = (Span(max(mark.start, start), min(mark.end, end)) for mark in self._suspects[first:last])
        return tuple(sorted({span for span in clipped if span.start < span.end}))

    def cells(self, start: int, end: int) -> list[Mark]:
        """Return the cells that begin inside ``start:end``, in order."""
        return self._cells[bisect_left(self._cell_starts, start) : bisect_left(self._cell_starts, end)]
