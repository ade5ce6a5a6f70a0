"""Reads files of images: bytes of a TIFF (many pages), PNG or JPEG in, one ``PageContent`` a page out."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import OcrReason, PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.ink import to_grey
from pipeline.stages.extract.ocr.pool import OcrPool

_FORMATS: Final = ("TIFF", "PNG", "JPEG")
_POINTS: Final = 72.0
_INCHES_WIDE: Final = 8.3  # of a sheet (A4 8.27, letter 8.5): the resolution of an image that does not state a likely one
_LIKELY_DPI: Final = (72, 1200)  # beyond, a stated resolution is a scale or a slip; 72 and 96 are what programs write that do not know
_UNLIKE: Final = 1.1  # times: resolutions across and down that differ more are a fax's, not a slip of rounding (204 by 196)
_MOST_UNLIKE: Final = 4.0  # 204 by 391 and 98 by 391 dots an inch are the most unlike that faxes have
_UNKNOWING_DPI: Final = frozenset({72, 96})


def read_image_file(data: bytes, options: ReadOptions, progress: Callable[[int, int], None]) -> list[PageContent]:
    """Read every page of a file of images. ``progress``: called with pages done and pages in all.

    A page that cannot be decoded is ``FAILED``, and the others go on.

    Raises:
        RecordError: ``DAMAGED_FILE``: no image can be opened; ``TOO_MANY_PAGES``.
        ConfigurationError: Tesseract or its English data is not installed.
    """
    with _opened(data) as file, OcrPool(options) as pool:
        count = _pages(file, options)
        failed: dict[int, PageContent] = {}
        read: list[PageContent] = []
        for number in range(1, count + 1):
            try:
                image, dpi = _page(file, number, options)
            except RecordError as error:
                failed[number] = PageContent(
                    number, 0.0, 0.0, PageOutcome.FAILED, reason=OcrReason.IMAGE, failure=FailureCategory(error.category)
                )
            else:
                size = (image.width / dpi * _POINTS, image.height / dpi * _POINTS)
                pool.submit(image, number, width_pt=size[0], height_pt=size[1], dpi=dpi, reason=OcrReason.IMAGE)
            read.extend(pool.finished())
            progress(len(read) + len(failed), count)
        read.extend(pool.rest())
        progress(count, count)
    return sorted([*read, *failed.values()], key=lambda page: page.number)


@contextmanager
def _opened(data: bytes) -> Iterator[Image.Image]:
    with warnings.catch_warnings():
        # Pillow warns and raises by pixels of its own; ours are counted before a page is decoded.
        warnings.simplefilter("ignore")
        try:
            file = Image.open(io.BytesIO(data), formats=_FORMATS)
        except Image.DecompressionBombError:
            raise RecordError(FailureCategory.PAGE_TOO_LARGE, "the image has more pixels than a page may have") from None
        except (UnidentifiedImageError, OSError, SyntaxError, ValueError, KeyError, TypeError, EOFError):
            raise RecordError(FailureCategory.DAMAGED_FILE, "no image can be opened in the file") from None
        with file:
            yield file


def _pages(file: Image.Image, options: ReadOptions) -> int:
    try:
        count = int(getattr(file, "n_frames", 1))
    except (OSError, SyntaxError, ValueError, KeyError, TypeError, EOFError):
        raise RecordError(FailureCategory.DAMAGED_FILE, "the pages of the file cannot be counted") from None
    if file.format != "TIFF":
        return 1  # further pictures of a PNG or JPEG are animation or previews
    if count > options.max_pages:
        raise RecordError(FailureCategory.TOO_MANY_PAGES, f"the file has {count} pages, more than {options.max_pages}")
    return count


def _page(file: Image.Image, number: int, options: ReadOptions) -> tuple[Image.Image, int]:
    """Return one page, upright by what the camera says, and its resolution.

    Raises:
        RecordError: ``PAGE_TOO_LARGE`` or ``PAGE_FAILED``.
    """
    try:
        file.seek(number - 1)
        size = _square(file)
        if size[0] * size[1] > options.max_page_pixels:
            raise RecordError(FailureCategory.PAGE_TOO_LARGE, f"page {number} has {size[0] * size[1]} pixels")
        dpi = _dpi(file)
        image = ImageOps.exif_transpose(file if size == file.size else to_grey(file).resize(size, Image.Resampling.BICUBIC))
        return image.copy() if image is file else image, dpi
    except (Image.DecompressionBombError, OSError, SyntaxError, ValueError, KeyError, TypeError, EOFError, MemoryError):
        raise RecordError(FailureCategory.PAGE_FAILED, f"page {number} cannot be decoded") from None


def _square(file: Image.Image) -> tuple[int, int]:
    """Return the pixels that a page has with one resolution both ways. A fax of standard quality has 204 dots an inch across, 98 down."""
    across, down = (float(value) for value in file.info.get("dpi", (0, 0)))
    if (
        not all(_LIKELY_DPI[0] <= value <= _LIKELY_DPI[1] for value in (across, down))
        or not _UNLIKE < max(across, down) / min(across, down) <= _MOST_UNLIKE
    ):
        return file.size
    finest = max(across, down)
    return round(file.width * finest / across), round(file.height * finest / down)


def _dpi(file: Image.Image) -> int:
    """Return the stated resolution, or that of a sheet whose shorter side the image is."""
    stated = file.info.get("dpi")
    value = round(float(max(stated))) if stated else 0
    guess = round(min(file.size) / _INCHES_WIDE)
    if not _LIKELY_DPI[0] <= value <= _LIKELY_DPI[1] or value in _UNKNOWING_DPI:
        return min(max(guess, _LIKELY_DPI[0]), _LIKELY_DPI[1])
    return value
