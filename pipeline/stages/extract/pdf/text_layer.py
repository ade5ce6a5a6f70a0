"""A page with a text layer in, its blocks in reading order out. Tables and figures are found elsewhere.

Signs are counted after repair: letters of a ligature, ``^`` before a superscript. ``characters`` = signs of all words + ``dropped``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from time import perf_counter
from typing import Final

import pypdfium2 as pdfium

from pipeline.domain.reading import PageOutcome
from pipeline.stages.extract.content import Box, Line, PageContent, Word
from pipeline.stages.extract.pdf.blocks import Placed, blocks_of
from pipeline.stages.extract.pdf.columns import Piece, lines_of, regions_of
from pipeline.stages.extract.pdf.frames import Place, along, back, shown
from pipeline.stages.extract.pdf.glyphs import Run, read_runs
from pipeline.stages.extract.pdf.headings import LEADER
from pipeline.stages.extract.pdf.pieces import strips_of
from pipeline.stages.extract.pdf.words import Written, words_of

_TURN: Final = 90
_TABULAR_GAP: Final = 2.0  # of the size: wider than the blanks of a justified line
_MARGIN: Final = 0.1  # of the page's height: where running heads and feet stand
_APART: Final = 1.6  # of the size: from baseline to baseline, more than lines of a paragraph
_LABEL_SIGNS: Final = 9  # of a list's bullet or a heading's number: "10.12.3.1"


def read_text_layer(page: pdfium.PdfPage, number: int) -> PageContent:
    """Return what the text layer of a page says. ``number``: 1-based.

    ``rotation``: degrees clockwise that the displayed page was turned by so that most of its text stands upright.
    A page without a sign has no blocks and 0 characters: whether it is blank or a picture is not said here.
    """
    started = perf_counter()
    text_page = page.get_textpage()
    try:
        runs, dropped = read_runs(text_page)
    finally:
        text_page.close()
    width, height = page.get_size()
    place = shown(page)
    main = _main_angle(runs)
    pieces, doubled = _pieces(runs, main)
    regions = [[_placed(pieces_of_line, place) for pieces_of_line in lines_of(region)] for region in _regions(pieces, main, page)]
    signs = sum(len(word.text) for region in regions for placed in region for word in placed.line.words)
    return PageContent(
        number=number,
        width=width,
        height=height,
        outcome=PageOutcome.TEXT_LAYER,
        blocks=tuple(blocks_of(regions)),
        characters=signs + dropped + doubled,
        dropped=dropped + doubled,
        rotation=(main - page.get_rotation()) % 360,
        seconds=perf_counter() - started,
    )


def _main_angle(runs: Sequence[Run]) -> int:
    """Return the angle of most glyphs, of those along an axis where there are any."""
    counts: dict[int, int] = defaultdict(int)
    for run in runs:
        counts[run.angle] += len(run.glyphs)
    return max(counts, key=lambda angle: (angle % _TURN == 0, counts[angle]), default=0)


def _pieces(runs: Sequence[Run], main: int) -> tuple[list[Piece], int]:
    by_angle: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        by_angle[run.angle].append(run)
    pieces: list[Piece] = []
    dropped = 0
    for angle, group in by_angle.items():
        strips, lost = strips_of(group)
        dropped += lost
        for strip in strips:
            words = words_of(strip.glyphs)
            top, bottom = min(word.top for word in words), max(word.bottom for word in words)
            piece = Piece(words, strip.x0, strip.x1, top, bottom, strip.base, strip.size, angle)
            pieces.append(piece if angle == main else _turned(piece, main))
    return pieces, dropped


def _regions(pieces: Sequence[Piece], main: int, page: pdfium.PdfPage) -> list[list[Piece]]:
    """Return regions in reading order. Text turned otherwise in the margins (a repository's stamp) comes last."""
    upright = [piece for piece in pieces if piece.angle == main]
    left, right = min((piece.x0 for piece in upright), default=0.0), max((piece.x1 for piece in upright), default=0.0)
    margin = [piece for piece in pieces if piece.angle != main and (piece.x1 <= left or piece.x0 >= right or piece.angle % _TURN)]
    aside = set(map(id, margin))
    head, body, foot = _margins_apart([piece for piece in pieces if id(piece) not in aside], main, page)
    return [region for region in (head, *regions_of(body), foot, *([piece] for piece in margin)) if region]


def _margins_apart(pieces: list[Piece], main: int, page: pdfium.PdfPage) -> tuple[list[Piece], list[Piece], list[Piece]]:
    """Cut off what stands apart at the top and at the bottom, so that a running foot is no last line of a left column."""
    left, bottom, right, top = page.get_bbox()
    first, last = sorted(along(main, x, y)[1] for x, y in ((left, bottom), (right, top)))
    ordered = sorted(pieces, key=lambda piece: piece.base)
    start, end = 0, len(ordered)
    for index, (above, below) in enumerate(pairwise(ordered), 1):
        if below.base - above.base < _APART * max(above.size, below.size):
            continue
        if above.base < first + _MARGIN * (last - first):
            start = index
        elif below.base > last - _MARGIN * (last - first) and end == len(ordered):
            end = index
    return ordered[:start], ordered[start:end], ordered[end:]


def _turned(piece: Piece, main: int) -> Piece:
    """Put a piece of another direction into the frame of the main one; its words keep their own."""
    corners = [along(main, *back(piece.angle, x, y)) for x in (piece.x0, piece.x1) for y in (piece.top, piece.bottom)]
    across, down = [x for x, _ in corners], [y for _, y in corners]
    return Piece(piece.words, min(across), max(across), min(down), max(down), max(down), piece.size, piece.angle)


def _placed(pieces: Sequence[Piece], place: Place) -> Placed:
    words = [(Word(word.text, _box(word, piece.angle, place)), word) for piece in pieces for word in piece.words]
    box = words[0][0].box
    sizes: dict[float, int] = defaultdict(int)
    bold = signs = 0
    for word, written in words:
        box = box.joined(word.box)
        sizes[round(written.size, 1)] += len(word.text)
        signs += len(word.text)
        bold += len(word.text) * written.bold
    size = max(sizes, key=lambda one: (sizes[one], one))
    line = Line(tuple(word for word, _ in words), box, size, bold * 2 > signs)
    first = pieces[0].words[0]
    return Placed(
        line=line,
        x0=pieces[0].x0,
        x1=max(piece.x1 for piece in pieces),
        base=pieces[0].base,
        first_word=first.x1 - first.x0,
        is_bold=bold == signs,
        is_tabular=_is_tabular(pieces, size) or LEADER.search(line.text) is not None,
    )


def _is_tabular(pieces: Sequence[Piece], size: float) -> bool:
    """Whether pieces of a line stand far apart; the gap after a bullet or number is none."""
    gaps = [second.x0 - first.x1 for first, second in pairwise(pieces) if first is not pieces[0] or first.signs > _LABEL_SIGNS]
    return any(gap > _TABULAR_GAP * size for gap in gaps) or sum(gap > size for gap in gaps) > 1


def _box(word: Written, angle: int, place: Place) -> Box:
    one, other = place(*back(angle, word.x0, word.top)), place(*back(angle, word.x1, word.bottom))
    return Box(min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1]))
