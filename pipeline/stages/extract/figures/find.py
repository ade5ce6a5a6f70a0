"""A page in, its pictures out: what is a figure with its caption and the text in it, and what is none, by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pypdfium2 as pdfium
from PIL import Image

from pipeline.domain.errors import ConfigurationError, RecordError
from pipeline.domain.reading import FigureKind, ReadOptions
from pipeline.stages.extract.content import Box, Figure, Line, PageContent
from pipeline.stages.extract.figures.captions import caption_lines
from pipeline.stages.extract.figures.images import PageImage, page_images
from pipeline.stages.extract.figures.picture import MOST_PIXELS, is_plain, picture_of, png_of
from pipeline.stages.extract.ocr.tesseract import recognise

PRINTED: Final = "printed"
OCR: Final = "ocr"

_TINY: Final = 60.0  # points, the shorter side: icons, logos, signatures (53 to 56 in the EMS protocols read); uncaptioned figures seen have 65 and more
_TINY_PIXELS: Final = 32  # the shorter side
_BAND: Final = 12.0  # times longer than wide: a rule or a band
_WHOLE_PAGE: Final = 0.85  # of the page's area: a scan (which OCR reads) or a background
_MOST_WORDS: Final = 60  # printed over a picture: it is the background of a text
_TOUCHING: Final = 2.0  # points between the strips that one picture is cut into
_LABELS: Final = 8  # words printed over a picture: its labels are print, and OCR would say them again
_OCR_SECONDS: Final = 20.0  # a picture; a page may have several
_SPARSE: Final = 11  # Tesseract's segmentation for text anywhere: labels stand in no block
_READ_AT_DPI: Final = 200  # labels are larger than print in lines; at 300 dpi a picture of half a page takes twice as long
_SURE: Final = 0.5  # OCR's confidence in a word: textures are read as letters with less


def find_figures(page: pdfium.PdfPage, content: PageContent, options: ReadOptions, repeated: frozenset[str] = frozenset()) -> list[Figure]:
    """Return the pictures of a page from top to bottom. Only those of kind ``FIGURE`` have an image, caption and text.

    ``repeated``: of ``repeated_images``. Pictures that cover the page are left out: they are scans or backgrounds.
    """
    if not options.figures:
        return []
    area = content.width * content.height
    images = [image for image in page_images(page) if image.box.area < _WHOLE_PAGE * area]
    logos = [Figure(one.box, FigureKind.REPEATED, one.width, one.height) for one in images if one.key in repeated]
    pictures = _joined([one for one in images if one.key not in repeated])
    found: list[Figure] = []
    for picture in sorted(pictures, key=lambda one: (one.box.top, one.box.x0)):
        if picture.box.area < _WHOLE_PAGE * area:
            found.append(_figure(page, content, picture, options, [line for one in found for line in one.lines]))
    return sorted([*found, *logos], key=lambda one: (one.box.top, one.box.x0))


def _joined(images: Sequence[PageImage]) -> list[PageImage]:
    """Return images, the strips and tiles of one picture as one."""
    pictures: list[PageImage] = []
    for image in images:
        current = image
        while touching := [one for one in pictures if _touch(one.box, current.box)]:
            for one in touching:
                pictures.remove(one)
                box = one.box.joined(current.box)
                pixels = max(one.width / one.box.width, current.width / current.box.width)
                current = PageImage(box, current.key, round(pixels * box.width), round(pixels * box.height))
        pictures.append(current)
    return pictures


def _touch(one: Box, other: Box) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.bottom, other.bottom) - max(one.top, other.top)
    return across > -_TOUCHING and down > -_TOUCHING and max(across, down) > 0


def _figure(page: pdfium.PdfPage, content: PageContent, picture: PageImage, options: ReadOptions, taken: Sequence[Line]) -> Figure:
    box, shorter, longer = picture.box, *sorted((picture.box.width, picture.box.height))
    plain = Figure(box, FigureKind.DECORATIVE, picture.width, picture.height)
    caption = caption_lines(content, box, taken)
    if not caption and (shorter < _TINY or min(picture.width, picture.height) < _TINY_PIXELS):
        return replace(plain, kind=FigureKind.DECORATIVE if longer > _BAND * shorter else FigureKind.TINY)
    inside = _lines_inside(content, box, [*taken, *caption])
    words = sum(len(line.words) for line in inside)
    if not caption and words > _MOST_WORDS:
        return plain
    image, dpi = picture_of(page, box, (picture.width, picture.height))
    if not caption and (longer > _BAND * shorter or is_plain(image)):
        return plain
    inside = inside if words >= _LABELS else ()
    printed = " ".join(line.text for line in inside)
    text = printed or text_in(image, dpi, options)
    return Figure(
        box,
        FigureKind.FIGURE,
        image.width,
        image.height,
        image=png_of(image),
        caption=" ".join(line.text for line in caption),
        text=text,
        captioned_by=PRINTED if caption or printed else OCR if text else "",
        lines=(*caption, *inside),
    )


def _lines_inside(content: PageContent, box: Box, but: Sequence[Line]) -> tuple[Line, ...]:
    gone = {id(line) for line in but}
    found: list[Line] = []
    for block in content.blocks:
        lines = [line for line in block.lines if id(line) not in gone] if block.table is None and block.figure is None else []
        if all(box.contains_middle_of(line.box) for line in lines):  # a paragraph that a picture's white edge reaches into is none of it
            found.extend(lines)
    return tuple(found)


def text_in(image: Image.Image, dpi: int, options: ReadOptions) -> str:
    """Return what OCR reads in a picture, once and upright; nothing where it reads nothing surely, or is not installed."""
    enlarged = max(1.0, min(_READ_AT_DPI / dpi, (MOST_PIXELS / (image.width * image.height)) ** 0.5))
    grey = image.convert("L").resize((round(image.width * enlarged), round(image.height * enlarged)), Image.Resampling.BICUBIC)
    seconds = min(options.ocr_page_seconds, _OCR_SECONDS)
    try:
        words = recognise(grey, dpi=round(dpi * enlarged), segmentation=_SPARSE, seconds=seconds)
    except (ConfigurationError, RecordError):
        return ""  # the picture itself is kept
    sure = [word for word in words if word.confidence >= _SURE]
    return " ".join(word.text for word in sure) if any(len(word.text) > 1 for word in sure) else ""
