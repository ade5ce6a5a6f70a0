"""Places: on the page as the file has it (x to the right, y upwards), as it is displayed, and along the lines of one direction of reading."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import pypdfium2 as pdfium

Place = Callable[[float, float], tuple[float, float]]
_TURN: Final = 90


def along(angle: int, x: float, y: float) -> tuple[float, float]:
    """Return a place of the unrotated page as (points along lines of this angle, points down from line to line)."""
    if angle % _TURN == 0:
        return ((x, -y), (y, x), (-x, y), (-y, -x))[angle // _TURN % 4]
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return x * cosine + y * sine, x * sine - y * cosine


def back(angle: int, along_line: float, down: float) -> tuple[float, float]:
    """Return the place of the unrotated page that ``along`` turned."""
    if angle % _TURN == 0:
        return ((along_line, -down), (down, along_line), (-along_line, down), (-down, -along_line))[angle // _TURN % 4]
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return along_line * cosine + down * sine, along_line * sine - down * cosine


def shown(page: pdfium.PdfPage) -> Place:
    """Return what turns a place of the unrotated page (y upwards) into one of the page as displayed (y downwards)."""
    left, bottom, right, top = page.get_bbox()
    turn = page.get_rotation()
    if turn == _TURN:
        return lambda x, y: (y - bottom, x - left)
    if turn == 2 * _TURN:
        return lambda x, y: (right - x, y - bottom)
    if turn == 3 * _TURN:
        return lambda x, y: (top - y, right - x)
    return lambda x, y: (x - left, top - y)
