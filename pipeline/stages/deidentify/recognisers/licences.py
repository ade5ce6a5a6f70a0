"""Certificate and licence numbers (paragraph K): driver's and professional licences, NPI, DEA, passports, certificates."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled, luhn

if TYPE_CHECKING:
    from spacy.tokens import Doc

_LABELLED: Final = labelled(
    rf"driver'?s?'?[ ](?:licen[cs]e|lic\.?){NUMBER}?|driving[ ]licen[cs]e{NUMBER}?|d\.?l\.?{NUMBER}|(?:licen[cs]e|lic\.?){NUMBER}?"
    rf"|(?:licen[cs]e|state[ ]id|photo[ ]id){NUMBER}?|npi{NUMBER}?|dea{NUMBER}?|passport{NUMBER}?|upin{NUMBER}?|(?:certificat(?:e|ion)|cert\.?)(?:[ ]of[ ](?:death|birth|marriage))?{NUMBER}"
    rf"|(?:registration|reg\.?|gmc|nmc|slmc|mci|gphc|hcpc|ahpra|state[ ]board|board){NUMBER}|(?:gmc|slmc|ahpra)|visa{NUMBER}|green[ ]card{NUMBER}?"
)
_SHORT: Final = labelled(r"d\.?l\.?(?=[ ]?[:#])")  # DL alone is also a decilitre
_NPI: Final = re.compile(r"(?<![\w.+/-])[12]\d{9}(?![\w-])(?!\.\d)")
_LONG: Final = 6
_NPI_PREFIX: Final = "80840"  # ISO/IEC 7812 issuer of US health numbers: part of the check (CMS, NPI check digit)
# DEA: registrant type, first letter of the name or 9, six digits and a check digit (21 CFR 1301; DEA diversion control). Types of
# prescribers and distributors only: codes of drugs in development (LY2951742) may have the right digit by chance.
_DEA: Final = re.compile(r"(?<![A-Za-z0-9])[ABFGMPRX][A-Z9]\d{7}(?![A-Za-z0-9])")
# Machine-readable zone of passports (ICAO 9303): 44 signs a line, names in the first, numbers and dates in the second.
_MRZ: Final = re.compile(
    r"(?<![A-Z0-9<])(?:P[A-Z<][A-Z]{3}[A-Z<]{39}|[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z0-9<]{14}\d{2})(?![A-Z0-9<])"
)


class Licences(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.LICENSE,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return licence numbers."""
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.LICENSE, 0.94)
        for start, end in find_labelled(text, _SHORT, _is_long):
            yield self.found(start, end, IdentifierClass.LICENSE, 0.85)
        for match in _NPI.finditer(text):
            if luhn(_NPI_PREFIX + match.group()):
                yield self.found(*match.span(), IdentifierClass.LICENSE, 0.7)
        for match in _DEA.finditer(text):
            if is_dea(match.group()):
                yield self.found(*match.span(), IdentifierClass.LICENSE, 0.9)
        for match in _MRZ.finditer(text):
            yield self.found(*match.span(), IdentifierClass.LICENSE, 0.95)


def _is_long(value: str, after: str) -> bool:
    return is_code(value, after) and digits(value) >= _LONG


def is_dea(value: str) -> bool:
    """Whether the last digit is that of the sum of the odd digits and twice the even ones."""
    numbers = [int(char) for char in value[2:]]
    return digits(value[2:]) == 7 and (sum(numbers[0:6:2]) + 2 * sum(numbers[1:6:2])) % 10 == numbers[6]
