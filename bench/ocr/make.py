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

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

_CARRIED = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
_DEBIAN = Path("/usr/share/fonts/truetype/liberation")  # package fonts-liberation; left out where it is not installed
_DEJAVU = Path("/usr/share/fonts/truetype/dejavu")  # package fonts-dejavu, likewise
_FONTS = {
    "sans": (_CARRIED / "DejaVuSans.ttf", _CARRIED / "DejaVuSans-Bold.ttf"),
    "serif": (_CARRIED / "DejaVuSerif.ttf", _CARRIED / "DejaVuSerif-Bold.ttf"),
    "mono": (_CARRIED / "DejaVuSansMono.ttf", _CARRIED / "DejaVuSansMono-Bold.ttf"),
    "stix": (_CARRIED / "STIXGeneral.ttf", _CARRIED / "STIXGeneralBol.ttf"),
    "arial-like": (_DEBIAN / "LiberationSans-Regular.ttf", _DEBIAN / "LiberationSans-Bold.ttf"),
    "times-like": (_DEBIAN / "LiberationSerif-Regular.ttf", _DEBIAN / "LiberationSerif-Bold.ttf"),
    "courier-like": (_DEBIAN / "LiberationMono-Regular.ttf", _DEBIAN / "LiberationMono-Bold.ttf"),
    "narrow": (_DEBIAN / "LiberationSansNarrow-Regular.ttf", _DEBIAN / "LiberationSansNarrow-Bold.ttf"),
    "slanted": (_DEBIAN / "LiberationSerif-Italic.ttf", _DEBIAN / "LiberationSerif-BoldItalic.ttf"),
    "sans-condensed": (_DEJAVU / "DejaVuSansCondensed.ttf", _DEJAVU / "DejaVuSansCondensed-Bold.ttf"),
    "sans-slanted": (_DEBIAN / "LiberationSans-Italic.ttf", _DEBIAN / "LiberationSans-BoldItalic.ttf"),
    "serif-slanted": (_DEJAVU / "DejaVuSerif-Italic.ttf", _DEJAVU / "DejaVuSerif-BoldItalic.ttf"),
    "bold": (_DEBIAN / "LiberationSerif-Bold.ttf", _DEBIAN / "LiberationSerif-Bold.ttf"),
    "narrow-slanted": (_DEBIAN / "LiberationSansNarrow-Italic.ttf", _DEBIAN / "LiberationSansNarrow-BoldItalic.ttf"),
    "sans-bold": (_DEBIAN / "LiberationSans-Bold.ttf", _DEBIAN / "LiberationSans-Bold.ttf"),
    "condensed-slanted": (_DEJAVU / "DejaVuSerifCondensed-Italic.ttf", _DEJAVU / "DejaVuSerifCondensed-BoldItalic.ttf"),
    "sans-condensed-bold": (_DEJAVU / "DejaVuSansCondensed-Bold.ttf", _DEJAVU / "DejaVuSansCondensed-Bold.ttf"),
    "condensed": (_DEJAVU / "DejaVuSerifCondensed.ttf", _DEJAVU / "DejaVuSerifCondensed-Bold.ttf"),
}
WIDTH_PT, HEIGHT_PT = 612, 792
_MARGIN_PT = 54.0
_GUTTER_PT = 24.0
_INK = 20  # grey of print
_RAISED_NINE = "⁹"
_RAISED = 0.62  # of the font's size


@dataclass(frozen=True, slots=True)
class Condition:
    """How a page is printed and scanned. Angles in degrees, counter-clockwise."""

    name: str
    font: str = "sans"
    dpi: int = 300
    size_pt: float = 11.0
    skew: float = 0.0
    turn: int = 0
    noise: float = 0.0  # standard deviation of grey
    fax: tuple[int, int] | None = None  # dots per inch across and down, one bit
    columns: int = 1
    jpeg: int = 0  # quality; 0: not compressed
    contrast: float = 1.0  # share of the distance between ink and paper that is left
    squeeze: float = 1.0  # width of print: a narrow font made of a usual one


CONDITIONS = (
    Condition("clean sans 300"),
    Condition("clean serif 300", font="serif"),
    Condition("clean mono 300", font="mono", size_pt=10),
    Condition("clean stix 300", font="stix", size_pt=12),
    Condition("clean arial-like 300", font="arial-like"),
    Condition("clean times-like 300", font="times-like", size_pt=12),
    Condition("200 dpi", font="times-like", dpi=200),
    Condition("150 dpi", font="arial-like", dpi=150),
    Condition("skew 2", font="times-like", skew=2.0),
    Condition("skew 5", font="arial-like", skew=-5.0),
    Condition("turned 90", font="arial-like", turn=90),
    Condition("turned 180", font="times-like", turn=180),
    Condition("turned 270", font="sans", turn=270),
    Condition("noise", font="times-like", dpi=200, noise=45.0),
    Condition("fax fine", font="arial-like", fax=(204, 196)),
    Condition("fax standard", font="arial-like", size_pt=12, fax=(204, 98)),
    Condition("two columns", font="times-like", columns=2, size_pt=10),
    Condition("low contrast", font="arial-like", dpi=200, contrast=0.25, noise=6.0),
    Condition("jpeg", font="times-like", dpi=200, jpeg=18),
)

# Of the second set: held out until the rules of the first were made, then looked at once.
SECOND = (
    Condition("clean courier-like 300", font="courier-like", size_pt=9.5),
    Condition("clean narrow 300", font="narrow", size_pt=11.5),
    Condition("clean slanted 300", font="slanted", size_pt=11.5),
    Condition("clean condensed 300", font="condensed", size_pt=9),
    Condition("small 250 dpi", font="times-like", dpi=250, size_pt=9),
    Condition("180 dpi", font="arial-like", dpi=180, size_pt=10),
    Condition("skew 1.3", font="condensed", dpi=240, skew=1.3, size_pt=10),
    Condition("noise 30", font="narrow", dpi=220, noise=30.0, size_pt=11.5),
    Condition("fax fine times", font="times-like", fax=(204, 196), size_pt=12),
    Condition("fax standard times", font="times-like", fax=(204, 98), size_pt=12),
    Condition("two columns narrow", font="narrow", columns=2, size_pt=10.5),
    Condition("low contrast serif", font="condensed", dpi=220, contrast=0.3, noise=4.0, size_pt=10),
    Condition("jpeg 25", font="arial-like", dpi=220, jpeg=25, size_pt=10),
)
# Of the third set: held out until the rules of the first two were made; what was found in it was then mended.
THIRD = (
    Condition("clean sans condensed 300", font="sans-condensed", size_pt=10),
    Condition("clean sans slanted 300", font="sans-slanted", size_pt=10.5),
    Condition("clean serif slanted 300", font="serif-slanted", size_pt=9.5),
    Condition("clean times slanted 300", font="slanted", size_pt=10),
    Condition("clean bold 300", font="bold", size_pt=11),
    Condition("220 dpi condensed", font="sans-condensed", dpi=220, size_pt=10),
    Condition("skew 3.3", font="times-like", dpi=250, skew=-3.3, size_pt=10.5),
    Condition("noise 20", font="sans-condensed", dpi=250, noise=20.0, size_pt=10),
    Condition("fax fine bold", font="bold", fax=(204, 196), size_pt=11),
    Condition("jpeg 30", font="sans-condensed", dpi=200, jpeg=30, size_pt=11),
)
# Never looked at while rules and bounds are made: other texts, fonts, sizes and degrees of damage.
HELD_OUT = (
    Condition("clean narrow slanted 300", font="narrow-slanted", size_pt=11),
    Condition("clean sans bold 300", font="sans-bold", size_pt=9.5),
    Condition("clean condensed slanted 300", font="condensed-slanted", size_pt=10),
    Condition("clean condensed bold 300", font="sans-condensed-bold", size_pt=9),
    Condition("clean stix squeezed 300", font="stix", squeeze=0.82, size_pt=11.5),
    Condition("clean mono squeezed 300", font="courier-like", squeeze=0.85, size_pt=10),
    Condition("210 dpi narrow", font="narrow-slanted", dpi=210, size_pt=11.5),
    Condition("skew 4.1", font="sans-condensed-bold", dpi=250, skew=4.1, size_pt=9.5),
    Condition("noise 35", font="stix", dpi=240, noise=35.0, size_pt=11.5),
    Condition("fax fine stix", font="stix", fax=(204, 196), size_pt=12),
    Condition("fax standard sans bold", font="sans-bold", fax=(204, 98), size_pt=10.5),
    Condition("jpeg 22", font="times-like", dpi=190, jpeg=22, size_pt=10.5),
    Condition("low contrast condensed", font="condensed-slanted", dpi=240, contrast=0.28, noise=5.0, size_pt=10),
)
SETS = {"texts": CONDITIONS, "second": SECOND, "third": THIRD, "held_out": HELD_OUT}


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
        if not _FONTS[condition.font][0].exists():
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
        return _font(_FONTS[self._condition.font][bold], round(size * self._scale))


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
