"""Runs of one direction in, pieces of lines out: what stands on one baseline without a wide gap, its words whole.

The order in which a file draws its text is not trusted: only places count.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pipeline.stages.extract.pdf.glyphs import Glyph, Run

WIDE_GAP: Final = 0.7  # of the size: the blank of a justified line is mostly below, the gutter of columns above; no harm where it is not
FRACTION: Final = "\u2044"  # its box lies under the numbers above and below it
_SAME_BASE: Final = 0.12  # of the size: producers round baselines
_TWICE: Final = 0.1  # of the size: doubled letters ("ll") stand 0.2 apart in the narrowest fonts
_SMALL: Final = 0.85  # of its neighbour's size: a superscript (word processors: 0.58 to 0.7)
_SMALLEST: Final = 0.3
_RAISED: Final = (0.1, 0.75)  # of its neighbour's size: how far its baseline lies above
_LOWERED: Final = (0.04, 0.45)
_ATTACHED: Final = 0.35  # of its neighbour's size: the widest gap to it
_LABEL_GAP: Final = 1.5  # of the size of the text of a footnote, after its raised mark
_LONGEST_SCRIPT: Final = 12  # signs


@dataclass(slots=True)
class Strip:
    """Glyphs on one baseline, from left to right."""

    glyphs: list[Glyph] = field(repr=False)
    x0: float
    x1: float
    base: float
    size: float


def strips_of(runs: Iterable[Run]) -> tuple[list[Strip], int]:
    """Return strips in order of baseline, and how many glyphs were left out because they were drawn twice."""
    strips: list[Strip] = []
    dropped = 0
    for row in _rows([strip for run in runs for strip in _unbroken(run.glyphs)]):
        row.sort(key=lambda strip: strip.x0)
        if _overlaps(row):
            row, lost = _without_doubles(row)
            dropped += lost
        strips += _merged(row)
    return _with_scripts(strips), dropped


def _strip(glyphs: list[Glyph]) -> Strip:
    size, base = glyphs[0].size, glyphs[0].base
    if len({glyph.size for glyph in glyphs}) > 1:
        counts = Counter(glyph.size for glyph in glyphs)
        size = max(counts, key=lambda one: (counts[one], one))
        base = next(glyph.base for glyph in glyphs if glyph.size == size)
    return Strip(glyphs, glyphs[0].x0, max([glyph.x1 for glyph in glyphs]), base, size)


def _unbroken(glyphs: Sequence[Glyph]) -> Iterable[Strip]:
    """Cut a run where it leaps ahead or goes back."""
    start = 0
    for index, (first, second) in enumerate(pairwise(glyphs), 1):
        gap = second.x0 - first.x1
        if gap > WIDE_GAP * first.size + first.tracking or second.x0 < first.x0 - first.size / 2:
            yield _strip(list(glyphs[start:index]))
            start = index
    yield _strip(list(glyphs[start:]))


def _rows(strips: list[Strip]) -> Iterable[list[Strip]]:
    strips.sort(key=lambda strip: strip.base)
    row: list[Strip] = []
    for strip in strips:
        if row and strip.base - row[0].base > _SAME_BASE * min(row[0].size, strip.size):
            yield row
            row = []
        row.append(strip)
    if row:
        yield row


def _overlaps(row: Sequence[Strip]) -> bool:
    end = row[0].x1
    for strip in row[1:]:
        if strip.x0 < end - _TWICE * strip.size:
            return True
        end = max(end, strip.x1)
    return False


def _without_doubles(row: Sequence[Strip]) -> tuple[list[Strip], int]:
    """Leave out glyphs that stand where the same glyph stands already: a bold font faked by drawing twice."""
    seen: dict[tuple[str, float, int], Glyph] = {}  # by sign, size, and place in steps
    kept: list[Strip] = []
    dropped = 0
    for strip in row:
        glyphs = []
        for glyph in strip.glyphs:
            step = _TWICE * glyph.size
            place = int(glyph.x0 // step)
            near = (seen.get((glyph.text, glyph.size, one)) for one in (place - 1, place, place + 1))
            twin = next((one for one in near if one is not None and abs(one.x0 - glyph.x0) < step), None)
            if twin is None:
                glyphs.append(glyph)
            else:
                twin.bold = True
                dropped += len(glyph.text)
        for glyph in glyphs:  # after the strip: its own letters are no twins of each other
            seen[glyph.text, glyph.size, int(glyph.x0 // (_TWICE * glyph.size))] = glyph
        if glyphs:
            kept.append(_strip(glyphs))
    return kept, dropped


def _merged(row: Sequence[Strip]) -> list[Strip]:
    """Join what stands close together; what lies over other text stays a strip of its own."""
    groups: list[list[Strip]] = []
    for strip in row:
        for group in reversed(groups):
            gap = strip.x0 - max(one.x1 for one in group[-3:])
            if -strip.size / 2 <= gap <= WIDE_GAP * max(strip.size, group[-1].size) + strip.glyphs[0].tracking:
                group.append(strip)
                break
        else:
            groups.append([strip])
    return [group[0] if len(group) == 1 else _strip([glyph for one in group for glyph in one.glyphs]) for group in groups]


def _with_scripts(strips: list[Strip]) -> list[Strip]:
    """Put superscripts and subscripts into the strip that they belong to."""
    strips.sort(key=lambda strip: strip.base)
    bases = [strip.base for strip in strips]
    moved: set[int] = set()
    changed: dict[int, Strip] = {}
    for index, strip in enumerate(strips):
        if sum(len(glyph.text) for glyph in strip.glyphs) > _LONGEST_SCRIPT:
            continue
        largest = strip.size / _SMALLEST  # that its host may have
        first = bisect_left(bases, strip.base - _LOWERED[1] * largest)
        host = None
        for other in range(first, len(strips)):
            if bases[other] > strip.base + _RAISED[1] * largest:
                break
            if other != index and other not in moved and (found := _script(strip, strips[other])):
                host = (other, found)
                break
        if host is not None:
            for glyph in strip.glyphs:
                glyph.raised = host[1]
            moved.add(index)
            changed[host[0]] = strips[host[0]]
            strips[host[0]].glyphs += strip.glyphs
            strips[host[0]].x1 = max(strips[host[0]].x1, strip.x1)
            strips[host[0]].x0 = min(strips[host[0]].x0, strip.x0)
    for strip in changed.values():
        strip.glyphs.sort(key=lambda glyph: glyph.x0)
    return [strip for index, strip in enumerate(strips) if index not in moved]


def _script(small: Strip, host: Strip) -> int:
    """Return 1 where ``small`` is a superscript of ``host``, -1 for a subscript, 0 for neither."""
    if not _SMALLEST * host.size <= small.size <= _SMALL * host.size:
        return 0
    above, near = (host.base - small.base) / host.size, _ATTACHED * host.size
    side = 1 if _RAISED[0] <= above <= _RAISED[1] else -1 if _LOWERED[0] <= -above <= _LOWERED[1] else 0
    if not side or small.x0 > host.x1 + near or small.x1 < host.x0 - (_LABEL_GAP * host.size if side > 0 else near):
        return 0
    middles = [(glyph.x0 + glyph.x1) / 2 for glyph in small.glyphs]
    covered = any(
        glyph.x0 < middle < glyph.x1 for middle in middles for glyph in host.glyphs if glyph.size == host.size and glyph.text != FRACTION
    )
    return 0 if covered else side
