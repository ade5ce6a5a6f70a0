"""Clinical text into search terms: what a lexical search must keep apart and what it must bring together.

Kept: ``no``, ``not``, ``without``; a comparison sign with its number (``≥18``) and the number alone; numbers with decimals and powers.
Brought together: ``PD-L1``, ``PDL1`` and ``PD L1``; ``COVID-19`` and ``covid19``; ``µg``, ``μg``, ``mcg`` and ``ug``; ``10⁹`` and ``10^9``; ``1,500`` and
``1500``; ``≥``, ``>=`` and ``=>``; letters with and without accents. Stemming is done later, by ``bm25``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

# Words that say nothing about a criterion. Every word that negates, compares or counts is deliberately absent.
STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been being by for from had has have he her his if in into is it its of on or our she such that the their "
        "them then there these they this those to was we were which who whom whose will with would you your",
    )
)

# Only these are taken off a number they are glued to ("5mg"); "il6" and "h1n1" stay whole.
_UNITS: Final = frozenset(
    re.findall(
        r"\w+",
        "mg g kg ug ng pg ml l dl ul mm cm m mm2 mm3 cm2 cm3 m2 x mmol umol nmol mol meq iu u mmhg msec ms kpa gy kcal h hr hrs min s "
        "day days week weeks month months year years yr yrs",
    )
)

_FOLD: Final = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        **dict.fromkeys("’‘`´", "'"),
        **dict.fromkeys("⩾≧", "≥"),
        **dict.fromkeys("⩽≦", "≤"),
        "×": "x",
        "\u00a0": " ",
        "\u00ad": None,
        "\u200b": None,
        "™": " ",
        "®": " ",
    }
)
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SUPERSCRIPT_RUN: Final = re.compile(r"(?<=\d)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_OTHER_SCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
_MICRO: Final = re.compile(r"[µμ](?=(?:g|l|m|mol|gy|iu|u)\b)|\bmc(?=g\b)|(?<=\d)mc(?=g\b)")
_GREEK: Final = dict(
    zip("αβγδεκλμµστω", ["alpha", "beta", "gamma", "delta", "epsilon", "kappa", "lambda", "mu", "mu", "sigma", "tau", "omega"], strict=True)
)
_GREEK_LETTER: Final = re.compile("[" + "".join(_GREEK) + "]")
_COMPARISON: Final = re.compile(r">\s*/?\s*=|=\s*>|≥|<\s*/?\s*=|=\s*<|≤|>|<")
_THOUSANDS: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_POWER: Final = re.compile(r"\b10\s?(?:\^|\*\*|\*)\s?(-?\d{1,2})\b")
_WORD: Final = re.compile(
    r"(?P<sign>[≥≤><]\s*)?(?P<number>\d+(?:\.\d+)?(?:\^-?\d+)?)(?:(?P<unit>"
    + "|".join(sorted(_UNITS, reverse=True))
    + r")\b|(?![a-z0-9]|-[a-z]))"
    r"|(?P<word>[^\W_]+(?:[-'][^\W_]+|/[^\W\d_][^\W_]*)*)"
)
_PART: Final = re.compile(r"[^\W_]+")
_SHORT_NAME: Final = re.compile(r"[a-z]{1,5}\Z")
_NAME_NUMBER: Final = re.compile(r"[a-z]{0,2}\d{1,3}[a-z]{0,2}\Z")
_NEVER_A_NAME: Final = (
    STOP_WORDS
    | _UNITS
    | set(
        re.findall(
            r"\w+", "no not nor than least most over under above below about per every within after until first last any all each plus"
        )
    )
)
_JOINED_LENGTH: Final = 24  # characters: gene, drug and virus names are shorter; longer joins are sentences without blanks


def fold(text: str) -> str:
    """Return ``text`` in the one form that terms are cut from (case, accents, signs, units, powers, digits)."""
    text = text.casefold().translate(_FOLD)
    text = _SUPERSCRIPT_RUN.sub(lambda match: "^" + match.group().translate(_SUPERSCRIPTS).lstrip("+"), text).translate(_OTHER_SCRIPTS)
    text = _MICRO.sub("u", text)
    text = _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], text)
    if not text.isascii():
        text = "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
    text = _COMPARISON.sub(lambda match: _sign(match.group()), text)
    text = _THOUSANDS.sub(lambda match: match.group().replace(",", ""), text)
    return _POWER.sub(r"10^\1", text)


def _sign(found: str) -> str:
    if "=" in found:
        return "≥" if ">" in found else "≤"
    return found


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` in reading order, stop words left out, not stemmed."""
    found: list[str] = []
    before = ""
    for match in _WORD.finditer(fold(text)):
        if match["number"]:
            number = _plain_number(match["number"])
            found.append(number)
            if match["sign"]:
                found.append(match["sign"].strip() + number)
            parts = [number, match["unit"]] if match["unit"] else [number]
            if match["unit"]:
                found.append(match["unit"])
        else:
            parts = _PART.findall(match["word"])
            found.extend(_forms(match["word"], parts))
        if match["sign"]:
            before = ""  # "il >6" is no name
        for part in parts:
            if joined := _name_with_number(before, part):
                found.append(joined)
            before = part
    return list(_without_repeated_joins(found))


def _forms(word: str, parts: list[str]) -> Iterator[str]:
    """Yield a word's parts, and the word without its hyphens."""
    if len(parts) == 1:
        if word not in STOP_WORDS:
            yield word
        return
    joined = "".join(parts)
    if "-" in word and "/" not in word and "'" not in word and len(joined) <= _JOINED_LENGTH and not all(part.isdigit() for part in parts):
        yield joined
    if "'" in word and "-" not in word and "/" not in word and parts[-1] in ("s", "t"):
        yield parts[0] if parts[-1] == "s" else joined  # crohn's: crohn; can't: cant
        return
    for part in parts:
        if part not in STOP_WORDS:
            yield part


def _name_with_number(left: str, right: str) -> str | None:
    """Join ``il`` and ``6``, ``covid`` and ``19``, ``pd`` and ``l1``: names that are written with a hyphen, a blank or neither."""
    if not _SHORT_NAME.match(left) or left in _NEVER_A_NAME or not _NAME_NUMBER.match(right):
        return None
    return left + right


def _without_repeated_joins(found: list[str]) -> Iterator[str]:
    """Leave out a term that merely repeats the one two before it: the same join found by hyphen and by neighbourhood."""
    recent: tuple[str, ...] = ()
    for term in found:
        if term in recent and any(each.isdigit() for each in term) and any(each.isalpha() for each in term):
            continue
        recent = (*recent[-3:], term)
        yield term


@lru_cache(maxsize=4096)
def _plain_number(number: str) -> str:
    """Return ``1.50`` as ``1.5`` and ``2.0`` as ``2``."""
    base, power, exponent = number.partition("^")
    if "." in base:
        base = base.rstrip("0").rstrip(".")
    return base + power + exponent
