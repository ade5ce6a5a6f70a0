"""Makes scanned pages whose text is known: our own texts in, grey images and their truth out.

Marks in a text: ``# `` and ``## `` headings, ``- `` list items, ``| `` rows of a table, ``{…}`` around a dose or a laboratory value.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bench.ocr.conditions import CONDITIONS, FONTS, Condition

WIDTH_PT, HEIGHT_PT = 612, 792
_MARGIN_PT = 54.0
_GUTTER_PT = 24.0
_INK = 20  # grey of print
_RAISED_NINE = "⁹"
_RAISED = 0.62  # of the font's size


@dataclass(frozen=True, slots=True)
class Page:
    """A made page. ``lines``: what is printed, in reading order; ``facts``: doses and values, half-open, in the joined lines."""

    name: str
    condition: Condition
    image: Image.Image = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)
    facts: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The lines with one blank between them."""
        return " ".join(self.lines)


def texts(folder_name: str = "texts") -> dict[str, str]:
    """Return our texts by name: those of ``texts``, ``second``, ``third`` or ``held_out``."""
    folder = resources.files("bench.ocr").joinpath(folder_name)
    return {
        Path(one.name).stem: one.read_text("utf-8")
        for one in sorted(folder.iterdir(), key=lambda one: one.name)
        if one.name.endswith(".txt")
    }


def pages(
    conditions: tuple[Condition, ...] = CONDITIONS, names: frozenset[str] = frozenset(), folder_name: str = "texts"
) -> Iterator[Page]:
    """Make every text under every condition whose font is installed; tables are not set in columns."""
    for condition in conditions:
        if not FONTS[condition.font][0].exists():
            continue
        for name, text in texts(folder_name).items():
            if (names and name not in names) or (condition.columns > 1 and "\n| " in text):
                continue
            yield make(name, text, condition)


def make(name: str, text: str, condition: Condition) -> Page:
    """Print and scan one text."""
    sheet = _Sheet(condition)
    for line in text.splitlines():
        sheet.put(line)
    marked = " ".join(sheet.lines)
    image = _scanned(sheet.image, condition, seed=sum(map(ord, name + condition.name)))
    plain = tuple(re.sub(r"[{}]", "", line) for line in sheet.lines)
    return Page(name, condition, image, plain, _facts(marked))


def _facts(marked: str) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    opened = place = 0
    for sign in marked:
        if sign == "{":
            opened = place
        elif sign == "}":
            found.append((opened, place))
        else:
            place += 1
    return tuple(found)


@cache
def _font(path: Path, pixels: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(path), pixels)


class _Sheet:
    """A page that lines are printed on, column after column."""

    def __init__(self, condition: Condition) -> None:
        self._scale = condition.dpi / 72
        self.image = Image.new("L", (round(WIDTH_PT * self._scale), round(HEIGHT_PT * self._scale)), 255)
        self._draw = ImageDraw.Draw(self.image)
        self._condition = condition
        self._column = 0
        self._width = (WIDTH_PT - 2 * _MARGIN_PT - _GUTTER_PT * (condition.columns - 1)) / condition.columns
        self._y = _MARGIN_PT
        self.lines: list[str] = []

    def put(self, line: str) -> None:
        """Print one line of a text, wrapped."""
        size = self._condition.size_pt
        if line.startswith("| "):
            self._row(line[2:].split("|"))
        elif line.startswith("#"):
            self._y += size * 0.5
            self._wrap(line.lstrip("# "), size * (1.4 if line.startswith("# ") else 1.15), bold=True)
        elif line.startswith("- "):
            self._wrap("• " + line[2:], size, indent=12)
        else:
            self._wrap(line, size, indent=12 if line[:2] in {f"{n}." for n in range(1, 10)} else 0)

    def _wrap(self, text: str, size: float, *, bold: bool = False, indent: float = 0) -> None:
        font = self._sized(size, bold=bold)
        line = ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and font.getlength(re.sub(r"[{}]", "", longer)) > (self._width - indent) * self._scale:
                self._print(line, font, size, indent)
                line = word
            else:
                line = longer
        self._print(line, font, size, indent)

    def _print(self, line: str, font: ImageFont.FreeTypeFont, size: float, indent: float) -> None:
        self._room(size)
        self._draw_line(self._at(indent), re.sub(r"[{}]", "", line), font)
        self.lines.append(line)
        self._y += size * 1.32

    def _row(self, cells: list[str]) -> None:
        size = self._condition.size_pt
        self._room(size)
        wide = self._width / (len(cells) + 0.5)
        for number, cell in enumerate(cells):
            at = self._at(wide * (number + (0.5 if number else 0)))  # the first column is wider
            self._draw_line(at, re.sub(r"[{}]", "", cell.strip()), self._sized(size, bold=False))
        self.lines.append(" ".join(cell.strip() for cell in cells if cell.strip()))
        self._y += size * 1.4

    def _draw_line(self, at: tuple[float, float], line: str, font: ImageFont.FreeTypeFont) -> None:
        """Print signs; a raised nine, which only the DejaVu fonts have, is a small nine set high, as word processors do it."""
        x, y = at
        small = font.font_variant(size=round(font.size * _RAISED))
        for part in re.split(f"({_RAISED_NINE})", line):
            sized = small if part == _RAISED_NINE else font
            printed = "9" if part == _RAISED_NINE else part
            self._draw.text((x, y), printed, font=sized, fill=_INK)
            x += sized.getlength(printed)

    def _room(self, size: float) -> None:
        if self._y + size * 1.4 > HEIGHT_PT - _MARGIN_PT / 2:
            if self._column + 1 == self._condition.columns:
                raise ValueError("the text does not fit on its page")
            self._column += 1
            self._y = _MARGIN_PT

    def _at(self, indent: float) -> tuple[float, float]:
        x = _MARGIN_PT + self._column * (self._width + _GUTTER_PT) + indent
        return x * self._scale, self._y * self._scale

    def _sized(self, size: float, *, bold: bool) -> ImageFont.FreeTypeFont:
        return _font(FONTS[self._condition.font][bold], round(size * self._scale))


def _scanned(image: Image.Image, condition: Condition, seed: int) -> Image.Image:
    """Squeeze, turn, skew, fade, speckle and compress. A squeezed page keeps its size, with paper at its right."""
    if condition.squeeze < 1:
        narrow = image.resize((round(image.width * condition.squeeze), image.height), Image.Resampling.BICUBIC)
        image = Image.new("L", image.size, 255)
        image.paste(narrow)
    if condition.skew:
        image = image.rotate(condition.skew, Image.Resampling.BICUBIC, fillcolor=255)
    if condition.turn:
        image = image.rotate(condition.turn, expand=True)
    if condition.fax:
        small = (round(WIDTH_PT / 72 * condition.fax[0]), round(HEIGHT_PT / 72 * condition.fax[1]))
        image = image.resize(small, Image.Resampling.BOX).point(lambda grey: 255 * (grey > 150)).convert("1")
        image = image.convert("L").resize((small[0], round(HEIGHT_PT / 72 * condition.fax[0])), Image.Resampling.NEAREST)
    if condition.contrast < 1:
        paper = 205
        image = image.point(lambda grey: int(paper - (255 - grey) * condition.contrast))
    if condition.noise:
        random = np.random.default_rng(seed)
        noisy = np.asarray(image, dtype=np.float32) + random.normal(0, condition.noise, (image.height, image.width))
        image = Image.fromarray(noisy.clip(0, 255).astype(np.uint8))
    if condition.jpeg:
        held = io.BytesIO()
        image.save(held, "JPEG", quality=condition.jpeg)
        image = Image.open(io.BytesIO(held.getvalue())).convert("L")
    return image


def dpi_of(page: Page) -> int:
    """Return the resolution that the page's image has."""
    return page.condition.fax[0] if page.condition.fax else page.condition.dpi
