"""One call of Tesseract: a grey image in, its words with boxes in pixels and confidences out. No other file starts it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytesseract
from PIL import Image

from pipeline.domain.errors import ConfigurationError, RecordError
from pipeline.domain.vocabulary import FailureCategory

# Tesseract starts a thread for every core, which fight each other: a page took 4.9 s with and 0.9 s without them on two cores.
# Pages are read side by side instead (``pool``). What the environment says already stays.
os.environ.setdefault("OMP_THREAD_LIMIT", "1")

# User words are weighed by the LSTM engine (5.3) like its own dictionary. Of 240 names of drugs 223 instead of 217 were right on a fax, 237
# instead of 235 under noise; on clean pages nothing changes. Reading the file takes a tenth of a page's time, so damaged pages alone get them.
_LANGUAGE: Final = "eng"
_WORD_LEVEL: Final = "5"  # of the TSV's rows: page, block, paragraph, line, word
_COLUMNS: Final = 12


@dataclass(frozen=True, slots=True)
class Recognised:
    """A word as Tesseract gives it. ``left``, ``top``, ``width``, ``height``: pixels. ``confidence``: 0..1."""

    text: str = field(repr=False)
    confidence: float
    left: int
    top: int
    width: int
    height: int
    block: int
    paragraph: int
    line: int


def recognise(grey: Image.Image, *, dpi: int, segmentation: int, seconds: float, words: Path | None = None) -> list[Recognised]:
    """Return the words of an image in Tesseract's reading order.

    ``segmentation``: its page segmentation mode (3: finds columns and blocks; 6: one block of lines; 7: one line). ``words``: a file of user words.

    Raises:
        RecordError: ``OCR_TIMEOUT``: it took longer than ``seconds``, and its process is gone; ``OCR_FAILED``.
        ConfigurationError: Tesseract or its English data is not installed.
    """
    grey = grey.copy() if grey.format else grey
    grey.format = "PPM"  # pytesseract's own PNG is compressed first: 0.3 s a page for nothing
    told = f"--psm {segmentation} --dpi {dpi}" + (f" --user-words {shlex.quote(str(words))}" if words else "")
    try:
        table = pytesseract.image_to_data(
            grey,
            lang=_LANGUAGE,
            config=told,
            timeout=seconds,
            output_type=pytesseract.Output.STRING,
        )
    except pytesseract.TesseractNotFoundError:
        raise ConfigurationError(
            "Tesseract is not installed", remedy="Install the system package tesseract-ocr (Debian, Ubuntu) or tesseract (others)"
        ) from None
    except pytesseract.TesseractError as error:
        if "traineddata" in str(error):
            raise ConfigurationError("Tesseract has no English data", remedy="Install the system package tesseract-ocr-eng") from None
        raise RecordError(FailureCategory.OCR_FAILED, "Tesseract refused the page's image") from None
    except RuntimeError:  # pytesseract's way to say that the time is over
        raise RecordError(FailureCategory.OCR_TIMEOUT, "Tesseract took longer than a page may") from None
    return _words(table)


def _words(table: str) -> list[Recognised]:
    """Read the TSV by hand: pytesseract's own reader cuts confidences to whole per cents."""
    found = []
    for row in table.split("\n")[1:]:
        values = row.split("\t")
        if len(values) != _COLUMNS or values[0] != _WORD_LEVEL or not values[11].strip():
            continue
        block, paragraph, line, _, left, top, width, height = (int(value) for value in values[2:10])
        confidence = min(max(float(values[10]) / 100, 0.0), 1.0)
        found.append(Recognised(values[11].strip(), confidence, left, top, width, height, block, paragraph, line))
    return found
