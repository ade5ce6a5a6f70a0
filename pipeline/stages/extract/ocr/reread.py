"""Words whose sign Tesseract cannot give back, read again from their ink: words and their image in, the same words with such signs right out.

Only where a number stands beside it and the shape is plain; what is not plain stays as Tesseract read it, and ``suspects`` flags it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Final

import numpy as np
from PIL import Image

from pipeline.stages.extract.ocr.glyphs import Darkness, on_one_line, pieces_of, word_ink
from pipeline.stages.extract.ocr.signs import comparison_of, letter_of
from pipeline.stages.extract.ocr.tesseract import Recognised

# Of 10,240 other signs and letters in 32 fonts, 5 sizes and 4 kinds of damage none was taken for `≥`, `≤` or `±`, and none of these for another.
_CONFIDENCE: Final = 0.9
_COMPARISON: Final = re.compile(r"([(\[]?)((?:>|<|=|\+|±|≥|≤|_|2|s|S|z|Z|\{|«|&|Z|=>|=<){1,2})(?=[<>]?\d|\Z)")
_GLUED: Final = "=+<>≥≤±"  # what of these may stand before digits of its own word: `2` and `s` may be digits themselves
_NEW: Final = frozenset("≥≤±")
_NUMBER: Final = re.compile(r"[(\[]?[<>≥≤±=]?[\dOlI.,]*\d[.,]?\Z")
_BEGINS_WITH_DIGIT: Final = re.compile(r"[.OlI]?\d")
# What a micro sign and what follows it come as; `mg`, `kg`, `dL`, `cm`, `fL` are never it.
_UNIT: Final = re.compile(r"(?![mkdcf]?(?:g|L|m|l)\b|m?mol\b)(?P<lead>[A-Za-z1|]{1,3}?)(?P<unit>mol|g|U|L|m)(?P<rest>(?:/\S+)?[.,;:)]*)\Z")
PICO: Final = re.compile(r"p(?:g/(?:mL|dL|L)|mol/(?:L|mL))(?![\w/])")  # units of results; doses in pg are not known
_INK: Final = 0.5  # darkness


def reread(words: Sequence[Recognised], grey: Image.Image) -> list[Recognised]:
    """Return the words with `≥`, `≤`, `±` and `µ` where their ink says so. ``grey``: the image that the boxes belong to."""
    found = list(words)
    for at, word in enumerate(words):
        text = _with_comparison(words, at, grey) or _with_micro(words, at, grey)
        if text:
            found[at] = replace(word, text=text, confidence=max(word.confidence, _CONFIDENCE))
    return found


def _with_comparison(words: Sequence[Recognised], at: int, grey: Image.Image) -> str:
    text = words[at].text
    found = _COMPARISON.match(text)
    if found is None:
        return ""
    bracket, sign, rest = found[1], found[2], text[found.end() :]
    if rest and sign[0] not in _GLUED:
        return ""
    if not rest and not (at + 1 < len(words) and on_one_line(words[at], words[at + 1]) and _BEGINS_WITH_DIGIT.match(words[at + 1].text)):
        return ""
    ink, _ = word_ink(grey, words, at, is_sign=not rest)
    parts = _columns(ink)
    place = len(bracket)
    if place >= len(parts) or (not rest and len(parts) > place + 1):
        return ""
    read = comparison_of(parts[place])
    return bracket + read + rest if read in _NEW else ""


def _with_micro(words: Sequence[Recognised], at: int, grey: Image.Image) -> str:
    found = _UNIT.match(words[at].text)
    if found is None or first_letter(words, at, grey) != "µ":
        return ""
    return "µ" + found["unit"] + found["rest"]


def first_letter(words: Sequence[Recognised], at: int, grey: Image.Image) -> str:
    """Return `µ` or `p` where the unit behind a number surely begins with it by its ink, or nothing."""
    if not at or not on_one_line(words[at - 1], words[at]) or not _NUMBER.match(words[at - 1].text):
        return ""
    digits, digits_top = word_ink(grey, words, at - 1)
    foot = _foot(digits, words[at - 1].height)
    ink, top = word_ink(grey, words, at)
    pieces = pieces_of(ink, words[at].height)
    if not pieces or foot is None:
        return ""
    return letter_of(ink, pieces[0], digits_top + foot - top, is_like_p=PICO.match(words[at].text) is not None)


def _foot(ink: Darkness, height: int) -> float | None:
    """Return the row that digits stand on."""
    pieces = pieces_of(ink, height)
    tallest = max((piece.height for piece in pieces), default=0)
    return median(piece.bottom for piece in pieces if piece.height > tallest / 2) if pieces else None


def _columns(ink: Darkness) -> list[Darkness]:
    """Return the parts of a word between blank columns, left to right."""
    columns = np.flatnonzero((ink > _INK).any(axis=0))
    if len(columns) == 0:
        return []
    return [ink[:, part[0] : part[-1] + 1] for part in np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1)]
