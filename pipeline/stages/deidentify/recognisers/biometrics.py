"""Biometric identifiers (paragraph P): the numbers of stored finger and voice prints, iris and retina scans, and of DNA profiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import find_labelled, is_code, labelled

if TYPE_CHECKING:
    from spacy.tokens import Doc

_WHAT: Final = (
    r"(?:finger[ ]?prints?|thumb[ ]?prints?|palm[ ]?prints?|voice[ ]?prints?|retinal?|iris|facial[ ]recognition|face[ ]?print|faceprint|biometrics?|dna|gait"
    r"|hand[ ]geometry|vein)"
)
_STORED: Final = r"(?:templates?|scans?|hash|records?|profiles?|enrol?lments?|minutiae|signatures?|tokens?|files?|patterns?|images?)"
_LABELLED: Final = labelled(
    rf"{_WHAT}(?:[ ]{_STORED}){{0,2}}(?:[ ](?:id|identifier|code|numbers?|no\.?|ref(?:erence)?|hash|template|token|key|file)\.?|\#)"
    rf"|(?:finger|thumb|palm|voice|face)[ ]?prints?|(?:voice|biometric)[ ]{_STORED}|(?:retinal?|iris)[ ](?:templates?|hash|signatures?)"
)


class Biometrics(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.BIOMETRIC,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return numbers of stored biometric patterns."""
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.BIOMETRIC, 0.96)
