"""National identity numbers of other countries: by label, or by shape where a check digit or letters make it certain (paragraph R)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_LABELLED: Final = labelled(
    rf"(?:national(?:[ ]identity)?|identity|citizen(?:ship)?|id(?:entity)?[ ]card|south[ ]african){NUMBER}|(?:identity|id)[ ]card|nics?{NUMBER}?|ninos?|nin{NUMBER}?"
    rf"|aadhaa?r{NUMBER}?|pan{NUMBER}|uid{NUMBER}?|abha{NUMBER}?|ghana[ ]card(?:[ ]pin)?|dni|nie|nif|curp|cpf{NUMBER}?|bsn|cnp|jmbg|egn|pesel|nir|fayda[ ]id"
    rf"|codice[ ]fiscale|steuer-?id|nric|fin{NUMBER}|hkid|medicare[ ]card{NUMBER}?|sin{NUMBER}|tfn|chi{NUMBER}|h&c{NUMBER}|health[ ]card{NUMBER}?|ihi{NUMBER}|chi|sid"
)
_NIC: Final = re.compile(r"(?<![A-Za-z0-9.])\d{9}[VXvx](?![A-Za-z0-9])")  # Sri Lanka, until 2016
_SPANISH: Final = re.compile(r"(?<![A-Za-z0-9])(?:[XYZ]\d{7}|\d{8})[A-Z](?![A-Za-z0-9])")
_SPANISH_LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"  # by the remainder modulo 23
_CPF: Final = re.compile(r"(?<![\w.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\w)")  # Brazil: no other number is written so
_GHANA: Final = re.compile(r"(?<![A-Za-z0-9])GHA-\d{9}-\d(?!\w)")
_ITALIAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{6}\d{2}[A-EHLMPR-T]\d{2}[A-Z]\d{3}[A-Z](?![A-Za-z0-9])")
_BRITISH: Final = re.compile(r"(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ ]?\d{2}[ ]?\d{2}[ ]?\d{2}[ ]?[A-D](?![A-Za-z0-9])")
_AUSTRALIAN: Final = re.compile(r"(?<![\w.+-])[2-6]\d{3}[ ]\d{5}[ ]\d(?![\w-])(?![ ]\d)")  # Medicare card
_INDIAN: Final = re.compile(r"(?<![\w.+-])[2-9]\d{3}([ -]?)\d{4}\1\d{4}(?![\w-])(?![ -]\d)")
# Verhoeff's scheme (Aadhaar, UIDAI): multiplication in D5 and the permutation of each place.
_D5: Final = tuple(
    tuple((i + j) % 5 if i < 5 and j < 5 else 5 + (i + j) % 5 if i < 5 else 5 + (i - j) % 5 if j < 5 else (i - j) % 5 for j in range(10))
    for i in range(10)
)
_FIRST: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


class NationalIds(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.OTHER_ID,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return national identity numbers."""
        for start, end in find_labelled(text, _LABELLED, _is_long):
            yield self.found(start, end, IdentifierClass.OTHER_ID, 0.92)
        for pattern in (_NIC, _CPF, _GHANA, _ITALIAN, _BRITISH, _AUSTRALIAN):
            for match in pattern.finditer(text):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.9)
        for match in _SPANISH.finditer(text):
            if is_spanish(match.group()):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.9)
        for match in _INDIAN.finditer(text):
            if is_verhoeff(match.group()):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.8)


def is_spanish(value: str) -> bool:
    """Whether the letter at the end is that of the number (DNI, NIE)."""
    number = int({"X": "0", "Y": "1", "Z": "2"}.get(value[0], value[0]) + value[1:-1])
    return _SPANISH_LETTERS[number % 23] == value[-1]


def is_verhoeff(value: str) -> bool:
    """Whether the digits end with their Verhoeff check digit."""
    check = 0
    for index, char in enumerate(reversed([each for each in value if each.isdecimal()])):
        number = int(char)
        for _ in range(index % 8):
            number = _FIRST[number]
        check = _D5[check][number]
    return check == 0


def _is_long(value: str, after: str) -> bool:
    return is_code(value, after) and (digits(value) >= 6 or not digits(value))
