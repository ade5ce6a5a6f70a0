"""Reads a page that is an image: a Pillow image in, its blocks, lines and words with confidences out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from PIL import Image

from pipeline.domain.errors import RecordError
from pipeline.domain.reading import PageOutcome, ReadOptions
from pipeline.domain.vocabulary import FailureCategory
from pipeline.stages.extract.content import PageContent
from pipeline.stages.extract.ocr.blanks import with_blanks
from pipeline.stages.extract.ocr.ink import cleaned, has_ink, runs_sideways, skew_of, to_grey
from pipeline.stages.extract.ocr.layout import blocks_of
from pipeline.stages.extract.ocr.lost import with_lost
from pipeline.stages.extract.ocr.order import rows_together
from pipeline.stages.extract.ocr.reread import reread
from pipeline.stages.extract.ocr.standing import with_lists
from pipeline.stages.extract.ocr.suspects import suspects_of
from pipeline.stages.extract.ocr.tesseract import Recognised, recognise
from pipeline.stages.extract.ocr.words import words_file

LOW_DPI: Final = 150  # below, digits change without a sign of it (0.25 -> 025 at 60 dpi): numbers are suspect
_ENLARGE_BELOW_DPI: Final = 190
_READ_AT_DPI: Final = 225  # what a page of low resolution is scaled up to: 150 dpi gave 93 of 109 values right, 90 as it is
_SEGMENTATION: Final = 3
# Mean confidence that settles an orientation: upright print has 0.85 to 0.95, upside down 0.34 to 0.44.
_SURE: Final = 0.7
_UPRIGHT_FIRST: Final = (0, 180, 90, 270)
_SIDEWAYS_FIRST: Final = (90, 270, 0, 180)
_LONG: Final = 4  # signs: such a word is wider than high
_LEAST_SKEW: Final = 0.3  # degrees; Tesseract follows less by itself, and turning a page blurs it
_LEAST_SECONDS: Final = 1.0  # no attempt is begun with less time left


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A page read one way up. ``image``: what Tesseract saw."""

    image: Image.Image = field(repr=False)
    words: list[Recognised] = field(repr=False)
    turn: int
    skew: float

    @property
    def confidence(self) -> float:
        """Mean over signs, so that specks that are read as one sign do not decide; 0 if Tesseract turned the page itself.

        It does so with half of the pages that lie on their side, half of them the wrong way; then long words stand upright.
        """
        signs = sum(len(word.text) for word in self.words)
        long = [word for word in self.words if len(word.text) >= _LONG]
        if not signs or 2 * sum(word.height > word.width for word in long) > len(long) > 0:
            return 0.0
        return sum(word.confidence * len(word.text) for word in self.words) / signs


def read_image(image: Image.Image, number: int, *, width_pt: float, height_pt: float, dpi: int, options: ReadOptions) -> PageContent:
    """Read one page. ``width_pt``, ``height_pt``: the image's size in points. ``dpi``: the resolution it was scanned or rendered at.

    A page that was turned to be read (``rotation``: degrees counter-clockwise) has the coordinates, width and height of the turned page.
    Failures of the page are its outcome; the call itself raises only for an installation without Tesseract.

    Raises:
        ConfigurationError: Tesseract or its English data is not installed.
    """
    started = time.monotonic()
    grey = to_grey(image)
    if not has_ink(grey):
        return PageContent(number, width_pt, height_pt, PageOutcome.BLANK, dpi=dpi, seconds=time.monotonic() - started)
    deadline = started + options.ocr_page_seconds
    try:
        prepared, read_at = _prepared(grey, dpi)
        best = _best(prepared, read_at, deadline, words=words_file() if prepared is not grey else None)
    except RecordError as error:
        return PageContent(
            number,
            width_pt,
            height_pt,
            PageOutcome.FAILED,
            failure=FailureCategory(error.category),
            dpi=dpi,
            seconds=time.monotonic() - started,
        )
    words = with_lists(best.image, best.words, dpi=read_at, seconds=deadline - time.monotonic())
    words = with_lost(best.image, words, dpi=read_at, seconds=deadline - time.monotonic())
    words = reread(with_blanks(rows_together(words), best.image), best.image)
    if best.turn in {90, 270}:
        width_pt, height_pt = height_pt, width_pt
    suspects = suspects_of(words, best.image, low_quality=dpi < LOW_DPI)
    blocks, dropped = blocks_of(words, suspects, points=width_pt / best.image.width)
    return PageContent(
        number,
        width_pt,
        height_pt,
        PageOutcome.OCR if blocks else PageOutcome.NO_TEXT,
        blocks=blocks,
        characters=sum(len(word.text) for word in words),
        dropped=dropped,
        rotation=best.turn,
        skew=best.skew,
        dpi=dpi,
        seconds=time.monotonic() - started,
    )


def _prepared(grey: Image.Image, dpi: int) -> tuple[Image.Image, int]:
    """Return the page cleaned and, where its resolution is low, enlarged, with its new resolution."""
    grey = cleaned(grey)
    if dpi >= _ENLARGE_BELOW_DPI:
        return grey, dpi
    size = (round(grey.width * _READ_AT_DPI / dpi), round(grey.height * _READ_AT_DPI / dpi))
    return grey.resize(size, Image.Resampling.BICUBIC), _READ_AT_DPI


def _best(grey: Image.Image, dpi: int, deadline: float, words: Path | None) -> _Attempt:
    """Read the page as it lies; where that is unsure, turned, and keep the surest. ``words``: user words, for a damaged page.

    Raises:
        RecordError: Not even the first attempt ended.
    """
    best: _Attempt | None = None
    for turn in _SIDEWAYS_FIRST if runs_sideways(grey) else _UPRIGHT_FIRST:
        if best and deadline - time.monotonic() < _LEAST_SECONDS:
            break
        try:
            attempt = _attempt(grey, dpi, turn, deadline, words)
        except RecordError:
            if best is None:
                raise
            break
        if best is None or attempt.confidence > best.confidence:
            best = attempt
        if best.confidence >= _SURE:
            break
    assert best is not None  # noqa: S101 - for the type checker: the first attempt is kept or raises
    return best


def _attempt(grey: Image.Image, dpi: int, turn: int, deadline: float, user_words: Path | None) -> _Attempt:
    turned = grey.rotate(turn, expand=True) if turn else grey
    skew = skew_of(turned)
    if abs(skew) >= _LEAST_SKEW:
        turned = turned.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255)
    else:
        skew = 0.0
    left = max(deadline - time.monotonic(), 0.01)
    words = recognise(turned, dpi=dpi, segmentation=_SEGMENTATION, seconds=left, words=user_words)
    return _Attempt(turned, words, turn, skew)
