"""Numbers of a text with their units and comparison signs, in one spelling each: what a claim says must stand so in its passage.

``0.3 mg``, ``0.30 milligrams`` and ``.3mg`` are one quantity; ``0.3 mg`` and ``0.3 mg/kg`` are two, and so are ``≥ 18`` and ``< 18``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.index.terms import fold

_NUMBER_WORDS: Final = {
    word: str(value)
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "once": "1", "twice": "2", "half": "0.5"}

_UNITS: Final = {
    form: unit
    for unit, forms in {
        "ug": "ug microgram micrograms mcg",
        "mg": "mg mgs milligram milligrams",
        "g": "g gm gms gram grams",
        "kg": "kg kgs kilogram kilograms kilo kilos",
        "ng": "ng nanogram nanograms",
        "ml": "ml mls milliliter milliliters millilitre millilitres cc",
        "l": "l liter liters litre litres",
        "dl": "dl deciliter deciliters",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "day": "day days d",
        "week": "week weeks wk wks",
        "month": "month months mo mos",
        "year": "year years yr yrs",
        "unit": "unit units iu u",
        "%": "% percent",
        "mmhg": "mmhg",
        "mmol": "mmol",
        "umol": "umol",
        "meq": "meq",
        "j": "j joule joules",
        "mm": "mm millimeter millimeters",
        "cm": "cm centimeter centimeters",
        "m2": "m2",
        "bpm": "bpm",
        "time": "time times",
        "dose": "dose doses",
        "mm3": "mm3",
        "gy": "gy",
        "lb": "lb lbs pound pounds",
    }.items()
    for form in forms.split()
}
_UNIT: Final = "|".join(sorted((re.escape(form) for form in _UNITS), key=len, reverse=True))
_SIGNS: Final = (
    (re.compile(r"\b(?:at least|no less than|not less than|(?:a )?minimum(?: of)?)\s+(?=\d)"), "≥"),
    (
        re.compile(
            r"\b(?:at most|no more than|not more than|up to|(?:a )?max(?:imum)?(?: single| total| daily)?(?: dose)?(?: of| is)?|not to exceed|do not exceed)\s+(?=\d)"
        ),
        "≤",
    ),
    (re.compile(r"\b(?:more than|greater than|over|above|older than|exceeding)\s+(?=\d)"), ">"),
    (re.compile(r"\b(?:less than|fewer than|under|below|younger than)\s+(?=\d)"), "<"),
)
_WORDS: Final = re.compile(r"\b(?:" + "|".join(word for word in _NUMBER_WORDS if word != "one") + r"|one(?=\s+(?:" + _UNIT + r")\b))\b")
_PER: Final = re.compile(r"\s*(?:/|\bper\b)\s*")
_QUANTITY: Final = re.compile(
    r"(?P<sign>[≥≤<>])?\s*(?<![\w.])(?<![a-z]-)(?P<number>\d+(?:\.\d+)?|\.\d+)(?:\s*(?:-|to)\s*(?P<upto>\d+(?:\.\d+)?))?"
    rf"(?:[\s-]?(?P<unit>(?:{_UNIT})(?![a-z0-9])(?:(?:/|\s*per\s+)(?:{_UNIT})(?![a-z0-9]))*))?(?![\w]*\d)"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is compared. ``unit`` and ``sign`` are empty where there is none."""

    number: str
    unit: str
    sign: str


def quantities(text: str) -> list[Quantity]:
    """Return the numbers of a text in reading order, both ends of a range; digits inside names (``HER2``, ``IL-6``) are none."""
    plain = _WORDS.sub(lambda match: _NUMBER_WORDS[match.group()], fold(text))
    for pattern, sign in _SIGNS:
        plain = pattern.sub(sign, plain)
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(plain):
        unit = "/".join(_UNITS[part] for part in _PER.split(match["unit"])) if match["unit"] else ""
        numbers = [match["number"], *([match["upto"]] if match["upto"] else [])]
        found.extend(Quantity(_canonical(number), unit, match["sign"] or "") for number in numbers)
    return found


def stands(claimed: Quantity, passage: Sequence[Quantity]) -> bool:
    """Whether a number stands in a passage: with its unit and its sign, where the claim gives them."""
    return any(
        one.number == claimed.number and claimed.unit in ("", one.unit) and (claimed.sign == one.sign or not claimed.sign)
        for one in passage
    )


def _canonical(number: str) -> str:
    whole, _, rest = number.partition(".")
    rest = rest.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{rest}" if rest else whole
