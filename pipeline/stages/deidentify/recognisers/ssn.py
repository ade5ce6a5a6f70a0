"""Social security numbers (paragraph G): by shape, by label in any shape, or their last four digits.

Numbers that were never issued (987-65-4321, 078-05-1120) are found as well: lists of "samples" hide typing errors, which identify too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_LABEL: Final = (
    rf"ssns?{NUMBER}?|s\.s\.n?\.?{NUMBER}?|ss{NUMBER}|soc(?:ial)?\.?[ ]sec(?:urity)?\.?{NUMBER}?|social{NUMBER}|i?tin{NUMBER}|itin"
)
_LABELLED: Final = labelled(_LABEL)
_DASHED: Final = re.compile(r"(?<![\w.+-])\d{3}-\d{2}-\d{4}(?![\w-])(?!\.\d)")
# With blanks or dots, only where a label stands in the same list: "120 80 1234" may be three values of a table.
_SPACED: Final = re.compile(r"(?<![\w.+-])\d{3}([ .])\d{2}\1\d{4}(?![\w-])(?!\.\d)")
_NEARBY: Final = re.compile(rf"(?<![A-Za-z])(?:{_LABEL})(?![A-Za-z])", re.IGNORECASE)
_NEAR_CHARACTERS: Final = 120
_MASKED: Final = re.compile(r"(?<!\w)(?:[x*]{3}[- ]?[x*]{2}[- ]?|[x*]{5})(\d{4})(?!\d)", re.IGNORECASE)
_LAST_FOUR: Final = re.compile(
    r"\blast[ ](?:four|4)(?:[ ]digits?)?(?:[ ]of[ ](?:the[ ]|his[ ]|her[ ]|their[ ])?(?:ssns?|social(?:[ ]security(?:[ ]number)?)?))?"
    r"(?:[ ](?:is|are|was))?[ ]{0,2}[:#]?[ ]{0,2}(\d{4})(?![\w/%-])(?!\.\d)(?![ ](?:mg|ml|days|weeks|months|years|visits?|cycles?|admissions?)\b)"
    rf"|\b(?:ssns?{NUMBER}?|social[ ]security{NUMBER}?)[ ](?:ending|ends)(?:[ ](?:in|with))?[ ]{{0,2}}[:#]?[ ]{{0,2}}(\d{{4}})(?!\w)",
    re.IGNORECASE,
)
_DIGITS: Final = 9


class SocialSecurityNumbers(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.SSN,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return social security numbers."""
        for start, end in find_labelled(text, _LABELLED, _is_ssn):
            yield self.found(start, end, IdentifierClass.SSN, 0.98)
        for match in _DASHED.finditer(text):
            yield self.found(*match.span(), IdentifierClass.SSN, 0.85)
        for match in _SPACED.finditer(text):
            if _NEARBY.search(text, max(0, match.start() - _NEAR_CHARACTERS), match.start()):
                yield self.found(*match.span(), IdentifierClass.SSN, 0.85)
        for match in _MASKED.finditer(text):
            yield self.found(*match.span(1), IdentifierClass.SSN, 0.9)
        for match in _LAST_FOUR.finditer(text):
            yield self.found(*match.span(match.lastindex or 0), IdentifierClass.SSN, 0.8)


def _is_ssn(value: str, after: str) -> bool:
    """Nine digits however written, or four: the label has said what they are; nothing but them and signs."""
    count = digits(value)
    return count in (0, 4, _DIGITS) and (count == 0 or all(char.isdecimal() or char in " .-" for char in value))
