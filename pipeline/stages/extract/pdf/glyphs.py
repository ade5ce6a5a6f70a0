"""A page's text objects in, runs of glyphs out, each in the frame in which its text reads from left to right.

PDFium answers for one glyph at a time and a call costs 0.3 µs, so only what differs from glyph to glyph is asked for each: code, box, text
object. Font, size, direction and baseline are asked once a text object: they cannot change inside one (PDF 32000-1, 9.4).
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, repeat
from statistics import median
from typing import Any, Final

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pipeline.stages.extract.pdf.frames import along
from pipeline.stages.extract.pdf.symbols import PRIVATE_BLANK, is_plain, is_symbol_font, readable

_BOLD_NAME: Final = re.compile(
    r"bold|black|heavy|demi(?!talic)|[-,_](?:bd|b|medi|blk)(?:[-,_]|it|obl|$)|(?:cm|sf|ec|lm)bx?sl?\d|(?:cm|sf|ec)bx|bd(?:mt|$)"
)
_FORCE_BOLD: Final = 1 << 18  # font flag 19 (PDF 32000-1, table 123)
_FILL_AND_STROKE: Final = 2  # render mode: the way in which word processors fake a bold font
_NAME_BYTES: Final = 128
_FONTS: Final = 256  # names kept
_STRAIGHT: Final = 5.0  # degrees off an axis that still count as along it
_MAX_SIZE: Final = 2_000.0  # points: what claims more is no letter
_SLANTED_WIDTH: Final = 0.5  # of the size: boxes of slanted glyphs do not tell their width
NO_BLANK: Final = 0
GUESSED: Final = 1
DRAWN: Final = 2
_LINE_ENDS: Final = (0xA, 0xD)
_BLANKS: Final = frozenset({0x20, 0xA0, 0x9, 0xA, 0xD})
_CJK_FROM: Final = 0x2E80

Rectangle = tuple[float, float, float, float]  # left, bottom, right, top on the unrotated page


@dataclass(slots=True)
class Glyph:
    """One sign (of a ligature: its letters). ``x0``, ``x1``: points along the line; ``base``: points down to its baseline."""

    text: str = field(repr=False)
    x0: float
    x1: float
    base: float
    size: float
    bold: bool
    raised: int = 0  # 1: a superscript, -1: a subscript
    blank: int = NO_BLANK  # before it: ``DRAWN`` in the file, or ``GUESSED`` by PDFium
    tracking: float = 0.0  # points between the letters of its run, where they are set apart (or, below 0, into each other)


@dataclass(slots=True)
class Run:
    """The glyphs of one text object, in the order in which they are drawn.

    ``angle``: degrees counter-clockwise, 0 <= angle < 360, from the x-axis of the unrotated page to the direction of reading.
    """

    angle: int
    glyphs: list[Glyph] = field(default_factory=list)


@dataclass(slots=True)
class _Style:
    font: str
    is_symbol: bool
    size: float
    bold: bool
    angle: float
    origin: tuple[float, float]


def read_runs(text_page: pdfium.PdfTextPage) -> tuple[list[Run], int]:
    """Return the runs with ink of a page, and how many signs without ink (zero-width ones) were left out."""
    return _Reader(text_page.raw).read()


def _plainly(function: Any, *arguments: Any, result: Any) -> Any:
    """Return a function of PDFium that takes and gives addresses as numbers: a third cheaper than ctypes' pointers, and they compare."""
    return ctypes.CFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)


_object_of = _plainly(raw.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_int, result=ctypes.c_void_p)
_code_of = _plainly(raw.FPDFText_GetUnicode, ctypes.c_void_p, ctypes.c_int, result=ctypes.c_uint)
_box_of = _plainly(raw.FPDFText_GetLooseCharBox, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, result=ctypes.c_int)


def objects_of_signs(page: Any) -> Iterator[Any]:
    """Yield, for every sign of a text page (PDFium's handle) in order, the address of its object; nothing for signs that PDFium put there."""
    return map(_object_of, repeat(ctypes.cast(page, ctypes.c_void_p).value), range(raw.FPDFText_CountChars(page)))


def _asked(page: Any) -> Iterator[tuple[int, int, Rectangle]]:
    """Yield (address of its text object or 0, code, box) of every glyph."""
    count = raw.FPDFText_CountChars(page)
    place = ctypes.cast(page, ctypes.c_void_p).value
    boxes = (raw.FS_RECTF * count)()
    first, size = ctypes.addressof(boxes), ctypes.sizeof(raw.FS_RECTF)
    objects = list(objects_of_signs(page))
    codes = list(map(_code_of, repeat(place), range(count)))
    list(map(_box_of, repeat(place), range(count), range(first, first + size * count, size)))
    sides = memoryview(boxes).cast("B").cast("f").tolist()
    return zip(objects, codes, zip(sides[0::4], sides[3::4], sides[2::4], sides[1::4], strict=True), strict=True)


class _Reader:
    def __init__(self, page: Any) -> None:
        self.page = page
        self.runs: list[Run] = []
        self.dropped = 0
        self.high = 0  # first half of a pair of surrogates
        self.signs: list[tuple[str, int]] = []  # of the text object at hand: text, and which blank is before it
        self.boxes: list[Rectangle] = []
        self.name = ctypes.create_string_buffer(_NAME_BYTES)

    def read(self) -> tuple[list[Run], int]:
        style: _Style | None = None
        current, blank = 0, NO_BLANK
        signs, boxes = self.signs, self.boxes
        for index, (address, code, box) in enumerate(_asked(self.page)):
            if not address or code in _BLANKS:  # without an object: PDFium has put it there
                if code in _BLANKS and code not in _LINE_ENDS:
                    blank = max(blank, DRAWN if address else GUESSED)
                continue
            if address != current or style is None:
                self._finish(style)
                current, style = address, self._style(index)
            if 0xD800 <= code < 0xE000:
                code = self._whole(code)
                if not code:
                    continue
            text = chr(code) if is_plain(code) and not style.is_symbol else self._sign(code, index, style.font)
            if not text:
                is_blank = chr(code).isspace() or code == PRIVATE_BLANK
                blank = DRAWN if is_blank else blank
                self.dropped += not is_blank
                continue
            if boxes and boxes[-1] == box and box[0] < box[2]:
                signs[-1] = (signs[-1][0] + text, signs[-1][1])  # PDFium has taken a ligature apart
                continue
            signs.append((text, blank))
            boxes.append(box)
            blank = NO_BLANK
        self._finish(style)
        return self.runs, self.dropped

    def _whole(self, code: int) -> int:
        """Return the code of a pair of surrogates at its second half, 0 at its first; a half without its other stays what it is."""
        if code < 0xDC00:
            self.high = code
            return 0
        high, self.high = self.high, 0
        return 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) if high else code

    def _sign(self, code: int, index: int, font: str) -> str:
        if code == 0x2 and not raw.FPDFText_IsHyphen(self.page, index):
            return readable(0x1, font)
        return readable(code, font)

    def _style(self, index: int) -> _Style:
        page, flags, matrix, x, y = self.page, ctypes.c_int(), raw.FS_MATRIX(), ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetFontInfo(page, index, self.name, _NAME_BYTES, ctypes.byref(flags))
        raw.FPDFText_GetMatrix(page, index, ctypes.byref(matrix))
        raw.FPDFText_GetCharOrigin(page, index, ctypes.byref(x), ctypes.byref(y))
        font, is_symbol, _ = _font(self.name.value)
        bold = is_bold(self.name.value, flags.value, raw.FPDFTextObj_GetTextRenderMode(raw.FPDFText_GetTextObject(page, index)))
        size = abs(raw.FPDFText_GetFontSize(page, index)) * math.hypot(matrix.c, matrix.d)
        angle = math.degrees(math.atan2(matrix.b, matrix.a)) % 360
        return _Style(font, is_symbol, min(size, _MAX_SIZE) or 1.0, bold, angle, (x.value, y.value))

    def _finish(self, style: _Style | None) -> None:
        """Write the signs at hand as a run in its own frame."""
        signs, boxes = self.signs[:], self.boxes[:]
        if not signs or style is None:
            return
        self.signs.clear()
        self.boxes.clear()
        nearest = round(style.angle / 90) * 90
        angle = nearest % 360 if abs(style.angle - nearest) <= _STRAIGHT else round(style.angle) % 360
        size, base = style.size, along(angle, *style.origin)[1]
        if angle == 0 and _is_vertical(signs, boxes, size):
            angle = 270
            base = along(angle, *_middle(boxes[0]))[1] + size / 2
        bold = style.bold
        extents = [(box[0], box[2]) for box in boxes] if angle == 0 else [_extent(angle, box, size) for box in boxes]
        glyphs = [Glyph(text, x0, x1, base, size, bold, 0, blank) for (text, blank), (x0, x1) in zip(signs, extents, strict=True)]
        _set_tracking(glyphs)
        self.runs.append(Run(angle, glyphs))


def is_bold(font: bytes, flags: int, mode: int) -> bool:
    """Whether print is bold by its font's name and flags, or by how it is drawn."""
    return _font(font)[2] or bool(flags & _FORCE_BOLD) or mode == _FILL_AND_STROKE


@lru_cache(maxsize=_FONTS)
def _font(name: bytes) -> tuple[str, bool, bool]:
    """Return a font's name in lower case, whether its codes are those of a symbol font, and whether its name says bold."""
    lower = name.decode("latin-1").lower()
    return lower, is_symbol_font(lower), _BOLD_NAME.search(lower) is not None


def _extent(angle: int, box: Rectangle, size: float) -> tuple[float, float]:
    if angle % 90:
        middle = along(angle, *_middle(box))[0]
        return middle - size * _SLANTED_WIDTH / 2, middle + size * _SLANTED_WIDTH / 2
    one, other = along(angle, box[0], box[1])[0], along(angle, box[2], box[3])[0]
    return (one, other) if one <= other else (other, one)


def _middle(box: Rectangle) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _is_vertical(signs: Sequence[tuple[str, int]], boxes: Sequence[Rectangle], size: float) -> bool:
    """Whether East Asian signs stand below each other."""
    if len(signs) < 2 or all(ord(text[0]) < _CJK_FROM for text, _ in signs):
        return False
    middles = [_middle(box) for box in boxes]
    return all(abs(second[0] - first[0]) < size / 4 and first[1] - second[1] > size / 2 for first, second in pairwise(middles))


_FEW_GAPS: Final = 4
_TRACKED: Final = 0.06  # of the size: what stands between letters of ordinary text is below


def _set_tracking(glyphs: Sequence[Glyph]) -> None:
    """Note how far apart, or how far into each other, the letters of a run are set by character spacing."""
    if len(glyphs) <= _FEW_GAPS:
        return
    if all(abs(second.x0 - first.x1) <= _TRACKED * first.size for first, second in pairwise(glyphs[:_FEW_GAPS])):
        return
    usual = median([second.x0 - first.x1 for first, second in pairwise(glyphs)])
    if abs(usual) > _TRACKED * glyphs[0].size:
        for glyph in glyphs:
            glyph.tracking = usual
