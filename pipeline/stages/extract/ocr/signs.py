"""Signs that Tesseract's English model does not give back, read from their ink: `≥`, `≤`, `±`, and the micro sign of a unit.

A shape that is not plainly one of them has no name here: then the word stays as it was read, and flagged.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pipeline.stages.extract.content import Box
from pipeline.stages.extract.ocr.glyphs import Darkness

_INK: Final = 0.5  # darkness
_BAR_HEIGHT: Final = 0.3  # of its width
_BAR_FULL: Final = 0.8  # share of the sign's width
_LEAST_DOTS: Final = 8  # of a sign's width: fewer have no shape (a `≥` of 8 points at 200 dpi has 12)
_END: Final = 0.22  # of a chevron's height: its upper and its lower end
_FAR, _NEAR = 0.6, 0.5  # of a chevron's width: where its point is, where its ends are
_PALE: Final = 0.25  # darkness: the upper stroke of a faxed `p` may be no darker than 0.3
_OPEN: Final = 0.15  # share of ink where a micro sign is open and `p`, `g`, `n`, `m` are closed
_LEAST_LETTER: Final = 10  # dots of a letter's width
_WIDEST: Final = 1.3  # of a letter's height above the line: more are two letters that touch
_CLOSED: Final = 0.9  # share of columns with ink
_AT_LEFT: Final = 0.8  # share of the tail's ink that hangs in the left half
_TAIL: Final = 0.12  # of a letter's height: what hangs below the line

Ink = NDArray[np.bool_]


def comparison_of(darkness: Darkness) -> str:
    """Return `≥`, `≤`, `±`, `=`, `<` or `>` for the ink of one sign, or nothing where it has the shape of none."""
    ink = _trimmed(darkness > _INK)
    if ink.shape[1] < _LEAST_DOTS:
        return ""
    bands = _bands(ink)
    if len(bands) == 1:
        return _chevron(ink)
    if len(bands) != 2 or not _is_bar(bands[1], ink.shape[1]):
        return ""
    upper = bands[0]
    if _is_bar(upper, ink.shape[1]):
        return "="
    chevron = _chevron(upper)
    return {">": "≥", "<": "≤"}.get(chevron, "±" if _is_plus(upper) else "")


def letter_of(darkness: Darkness, letter: Box, line: float, *, is_like_p: bool = False) -> str:
    """Return `µ` or `p` for the first letter of a unit that surely is one of them, or nothing.

    Both have a left stem that hangs below the line; a micro sign is open above and closed below, the bowl of `p` is closed above.
    ``letter``: its piece. ``line``: the foot of digits beside it, in pixels of the crop. ``is_like_p``: with `p` it would be a unit too, so that
    a micro sign must be open even of pale ink.
    """
    ink = darkness[int(letter.top) : int(letter.bottom), int(letter.x0) : int(letter.x1)] > _INK
    foot, wide = round(line - letter.top), ink.shape[1]
    if not _LEAST_LETTER <= wide <= _WIDEST * foot or not 0 < foot <= len(ink) - _TAIL * len(ink):
        return ""
    tail = ink[foot + 1 :]
    if float(tail[:, : wide // 2].sum()) < _AT_LEFT * float(tail.sum()) or not tail.any():
        return ""
    inner = slice(round(0.4 * wide), max(round(0.65 * wide), round(0.4 * wide) + 1))
    above, below = ink[: max(1, foot // 3), inner], ink[foot - max(2, foot // 4) : foot + 1, inner]
    open_above = darkness[int(letter.top) : int(letter.top) + len(above), int(letter.x0) : int(letter.x1)][:, inner] > (
        _PALE if is_like_p else _INK
    )
    if float(open_above.mean()) <= _OPEN and below.any():
        return "µ"
    return "p" if float(above.any(axis=0).mean()) >= _CLOSED and float(above.mean()) >= 2 * _OPEN else ""


def _trimmed(ink: Ink) -> Ink:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if len(rows) else ink[:0, :0]


def _bands(ink: Ink) -> list[Ink]:
    """Return the parts that lie above each other, with paper between them."""
    rows = np.flatnonzero(ink.any(axis=1))
    return [ink[part[0] : part[-1] + 1] for part in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)]


def _is_bar(band: Ink, width: int) -> bool:
    columns = np.flatnonzero(band.any(axis=0))
    wide = columns[-1] - columns[0] + 1
    return bool(
        wide >= _BAR_FULL * width and len(band) <= max(_BAR_HEIGHT * wide, 2) and band[:, columns[0] : columns[-1] + 1].mean() > _BAR_FULL
    )


def _chevron(ink: Ink) -> str:
    """Return `>` or `<` for two strokes that meet in a point at half their height."""
    height, width = ink.shape
    end = max(1, round(_END * height))
    if height < _LEAST_DOTS or not 0.5 <= width / height <= 2.5:
        return ""
    places = np.arange(width) / (width - 1)

    def centre(rows: Ink) -> float:
        return float((rows.sum(axis=0) * places).sum() / max(rows.sum(), 1))

    upper, lower = centre(ink[:end]), centre(ink[-end:])
    half = slice(round(height / 2 - end / 2), max(round(height / 2 + end / 2), round(height / 2 - end / 2) + 1))
    middle = centre(ink[half])
    quarter_up, quarter_down = centre(ink[height // 4 : height // 4 + end]), centre(ink[-height // 4 - end : -height // 4])
    if upper < _NEAR and lower < _NEAR and middle > _FAR and upper < quarter_up < middle and lower < quarter_down < middle:
        return ">"
    if upper > 1 - _NEAR and lower > 1 - _NEAR and middle < 1 - _FAR and upper > quarter_up > middle and lower > quarter_down > middle:
        return "<"
    return ""


def _is_plus(ink: Ink) -> bool:
    """Whether an upright and a level stroke cross in the middle."""
    height, width = ink.shape
    if height < _LEAST_DOTS or not 0.7 <= width / height <= 1.5:
        return False
    third, side = height // 3, width // 3
    corners = [ink[:third, :side], ink[:third, -side:], ink[-third:, :side], ink[-third:, -side:]]
    level, upright = ink.mean(axis=1).max(), ink.mean(axis=0).max()
    return bool(max(float(corner.mean()) for corner in corners) <= _OPEN and level >= _BAR_FULL and upright >= _BAR_FULL)
