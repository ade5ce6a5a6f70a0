"""Codes of clinical vocabularies: which are well-formed, and where a text states one. A number with such a label identifies nobody."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

_ICD_10: Final = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?\Z", re.ASCII)
_SHAPES: Final = {
    "LOINC": re.compile(r"(?:\d{1,7}|L[AGLP]\d{1,7})-\d\Z", re.ASCII),
    "SNOMED": re.compile(r"[1-9]\d{5,17}\Z", re.ASCII),
    "RxNorm": re.compile(r"[1-9]\d{0,7}\Z", re.ASCII),
    "ICD-10": _ICD_10,
    "ICD-10-CM": _ICD_10,
    "CPT": re.compile(r"\d{4}[0-9A-Z]\Z", re.ASCII),
    "CVX": re.compile(r"\d{1,3}\Z", re.ASCII),
    "NDC": re.compile(r"\d{4,5}-\d{3,4}-\d{1,2}\Z|\d{11}\Z", re.ASCII),
    "ATC": re.compile(r"[A-Z](?:\d{2}(?:[A-Z](?:[A-Z](?:\d{2})?)?)?)?\Z", re.ASCII),
}
_STATED: Final = re.compile(rf"(?<!\w)({'|'.join(sorted(_SHAPES, key=len, reverse=True))}) ([A-Z0-9][A-Z0-9.-]{{0,18}})(?![\w-])", re.ASCII)
_APPLICATION: Final = re.compile(r"(?<!\w)(?:A?NDA|BLA)\d{6}(?!\w)", re.ASCII)

# The dihedral group of order 10, and powers of its permutation (Verhoeff 1969; SNOMED CT Technical Implementation Guide, check digits).
_PRODUCT: Final = ("0123456789", "1234067895", "2340178956", "3401289567", "4012395678", "5987604321", "6598710432", "7659821043", "8765932104", "9876543210")  # fmt: skip
_POWERS: Final = ("0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258")


def is_code(vocabulary: str, code: str) -> bool:
    """Whether a code has its vocabulary's shape and check digit. Whether the vocabulary has it is not known here."""
    shape = _SHAPES.get(vocabulary)
    return shape is not None and shape.match(code) is not None and _CHECKS.get(vocabulary, _unchecked)(code)


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return where a text states a code behind its vocabulary's name ("SNOMED 59621000"), half-open, the name included.

    So too numbers of applications to the FDA, with which RxNorm begins names of drugs ("NDA020800 0.3 ML Epinephrine").
    """
    found = [match.span() for match in _APPLICATION.finditer(text)]
    for match in _STATED.finditer(text):
        code = match[2].rstrip(".-")
        if is_code(match[1], code):
            found.append((match.start(), match.start(2) + len(code)))
    return found


def dotted(code: str) -> str:
    """Return an ICD-10 code in capitals with its point: ``E119`` is ``E11.9``."""
    code = code.upper()
    return code if "." in code or not code[3:] else f"{code[:3]}.{code[3:]}"


def _unchecked(_: str) -> bool:
    return True


def _verhoeff(code: str) -> bool:
    check = 0
    for index, digit in enumerate(reversed(code)):
        check = int(_PRODUCT[check][int(_POWERS[index % 8][int(digit)])])
    return check == 0


def _loinc(code: str) -> bool:
    """LOINC Users' Guide, appendix on the check digit: the one of Luhn. Of parts and answers (LP, LA) it is reckoned otherwise."""
    if code.startswith("L"):
        return True
    number, _, check = code.partition("-")
    total = 0
    for index, digit in enumerate(reversed(number)):
        doubled = int(digit) * (1 if index % 2 else 2)
        total += doubled // 10 + doubled % 10
    return (10 - total % 10) % 10 == int(check)


_CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {"SNOMED": _verhoeff, "LOINC": _loinc}
