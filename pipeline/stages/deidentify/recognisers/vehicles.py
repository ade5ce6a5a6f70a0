"""Vehicle identifiers (paragraph L): VIN by check digit or label, plates by label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_VIN: Final = re.compile(r"(?<![A-Za-z0-9])[A-HJ-NPR-Z0-9]{17}(?![A-Za-z0-9])", re.IGNORECASE)
_VIN_LABEL: Final = labelled(rf"vin{NUMBER}?|(?:vehicle|chassis)(?:[ ]identification)?{NUMBER}")
# Plates are also made of agar, steel and bone: alone, the word needs a code of letters and digits.
_PLATE_LABEL: Final = labelled(
    rf"(?:licen[cs]e|number|registration|vehicle|car)[ ](?:plates?|tag){NUMBER}?|plates?{NUMBER}|(?:vehicle|car)[ ](?:reg(?:istration)?\.?){NUMBER}?"
)
_SPACED: Final = re.compile(
    r"\b(?i:plate|tag)(?:[ ](?i:no\.?|number)|[ ]?\#)?[ ]?:?[ ]((?:[A-Z]{2}[ ])?[A-Z]{2,3}[ -]\d{3,4}|[A-Z]{2}\d{2}[ ][A-Z]{3}|\d{3}[ ][A-Z]{3})\b"
)
_PLATE_ALONE: Final = labelled(r"plates?")
_PLATE: Final = re.compile(r"[A-Z]{1,3}[- ]?\d{1,4}[- ]?[A-Z]{0,3}|\d{1,4}[- ]?[A-Z]{2,3}[- ]?\d{0,4}")
# Values and weights of 49 CFR 565.15 (check digit at the ninth place).
_VALUES: Final = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", map(int, "12345678123457923456789" + "0123456789"), strict=True))
_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


class Vehicles(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.VEHICLE,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return vehicle numbers and plates."""
        for match in _VIN.finditer(text):
            if is_vin(match.group()):
                yield self.found(*match.span(), IdentifierClass.VEHICLE, 0.9)
        for start, end in find_labelled(text, _VIN_LABEL, is_code):
            yield self.found(start, end, IdentifierClass.VEHICLE, 0.95)
        for start, end in find_labelled(text, _PLATE_LABEL, _is_plate):
            yield self.found(start, end, IdentifierClass.VEHICLE, 0.95)
        for match in _SPACED.finditer(text):
            yield self.found(*match.span(1), IdentifierClass.VEHICLE, 0.9)
        for start, end in find_labelled(text, _PLATE_ALONE, _is_certain_plate):
            yield self.found(start, end, IdentifierClass.VEHICLE, 0.8)


def is_vin(value: str) -> bool:
    """Whether the ninth sign is the check digit of the rest."""
    plain = value.upper()
    check = sum(_VALUES[char] * weight for char, weight in zip(plain, _WEIGHTS, strict=True)) % 11
    return plain[8] == ("X" if check == 10 else str(check)) and 1 < digits(value) < len(value)


def _is_plate(value: str, after: str) -> bool:
    return digits(value) >= 1 and 4 <= len(value) <= 10 and not (value.isdecimal() and not is_code(value, after))


def _is_certain_plate(value: str, after: str) -> bool:
    return bool(_PLATE.fullmatch(value)) and is_code(value, after) and digits(value) >= 3
