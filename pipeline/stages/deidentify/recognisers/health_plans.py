"""Health-plan beneficiary numbers (paragraph I): member, policy, group, subscriber, Medicare and Medicaid numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PAYER: Final = r"(?:medicare|medicaid|medi-?cal|tricare|champus|va|blue[ ]?(?:cross|shield)|bcbs|aetna|cigna|humana|kaiser|united(?:healthcare)?|uhc|anthem)"
_LABELLED: Final = labelled(
    rf"(?:member(?:ship)?|subscriber|policy(?:[ -]?holder)?|group|grp|beneficiary|insured|cardholder|payer|plan|benefits?|dependent){NUMBER}"
    rf"|(?:health[ ])?(?:insurance|insur\.?|ins\.?)(?:[ ](?:policy|plan|member|card|group|claim|coverage|carrier))?{NUMBER}?"
    rf"|(?:health|insurance)[ ](?:policy|plan|card){NUMBER}?|(?:coverage|hmo|ppo){NUMBER}|policy|gro?u?p(?=[ ]?:[ ]?\d{{3}}|[ ]\d{{5,10}}\b)|h(?:[bp]n|pbn|pid){NUMBER}?|hic(?:n|{NUMBER})?|m[bc]i{NUMBER}|mbi"
    rf"|rx[ ]?(?:bin|pcn|grp|group){NUMBER}?|{_PAYER}(?:[ ](?:member|policy|beneficiary|group|subscriber))?{NUMBER}"
)
_PAYER_ALONE: Final = labelled(_PAYER)
# Medicare beneficiary identifier (CMS, "Understanding the MBI"): 11 signs, S L O I B Z never; dashes are for show only.
_LETTER: Final = "[AC-HJKMNP-RT-Y]"
_MBI: Final = re.compile(
    rf"(?<![A-Za-z0-9])[1-9]{_LETTER}[AC-HJKMNP-RT-Y0-9]\d-?{_LETTER}[AC-HJKMNP-RT-Y0-9]\d-?{_LETTER}{{2}}\d{{2}}(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_LONG: Final = 5


class HealthPlans(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.HEALTH_PLAN,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return health-plan numbers."""
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.HEALTH_PLAN, 0.96)
        for start, end in find_labelled(text, _PAYER_ALONE, _is_long):
            yield self.found(start, end, IdentifierClass.HEALTH_PLAN, 0.85)
        for match in _MBI.finditer(text):
            yield self.found(*match.span(), IdentifierClass.HEALTH_PLAN, 0.9)


def _is_long(value: str, after: str) -> bool:
    """After an insurer's name alone: "Medicare 2024" is a year, "Aetna 80 percent" a share."""
    return is_code(value, after) and digits(value) >= _LONG
