"""A page's lines and a picture's place in, the printed caption out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pipeline.stages.extract.content import Box, Line, PageContent

_CAPTION: Final = re.compile(r"(?:Figure|FIGURE|Fig\.?|FIG\.?|Scheme|Exhibit|Image|Photo|Diagram)\s*(?:\d|[A-Z][-.]?\d|[IVX]+\b)")
_NEAR: Final = 48.0  # points between a picture and its caption: four lines
_MOST_LINES: Final = 12  # of a caption


def caption_lines(content: PageContent, box: Box, taken: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines of the caption of a picture: the nearest that begins as one, below it or above; none where there is none.

    ``taken``: lines that other figures have.
    """
    gone = {id(line) for line in taken}
    best: tuple[float, tuple[Line, ...]] | None = None
    for block in content.blocks:
        if block.table is not None or block.figure is not None:
            continue
        for index, line in enumerate(block.lines):
            if id(line) in gone or not _CAPTION.match(line.text):
                continue
            distance = _distance(line.box, box)
            if distance <= _NEAR and (best is None or distance < best[0]):
                best = (distance, _whole(block.lines[index:]))
    return best[1] if best else ()


def _distance(line: Box, box: Box) -> float:
    """Return the points from a picture down or up to a line; infinite where the line is beside it."""
    if min(line.x1, box.x1) <= max(line.x0, box.x0):
        return float("inf")
    below, above = line.top - box.bottom, box.top - line.bottom
    return max(below if below > above else above + line.height, 0.0)  # as near, the one below: most captions are


def _whole(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines from a caption's first to the next caption, or the block's end."""
    end = next((index for index, line in enumerate(lines) if index and _CAPTION.match(line.text)), len(lines))
    return tuple(lines[: min(end, _MOST_LINES)])
