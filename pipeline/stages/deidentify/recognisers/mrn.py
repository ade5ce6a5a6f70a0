"""Medical record numbers: after every usual label, as ``MRN123456``, and in the site's own formats (paragraph H)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, find_labelled, is_code, is_number, labelled
from pipeline.stages.deidentify.recognisers.site import SiteFormats, site_pattern

if TYPE_CHECKING:
    from spacy.tokens import Doc

# Labels that announce nothing else. MR alone is mitral regurgitation or magnetic resonance, UR alone a urinalysis: they need a number word.
_CERTAIN: Final = labelled(
    rf"mrns?{NUMBER}?,?|m\.r\.n\.?|med(?:ical)?\.?[ ]?rec(?:ord)?s?\.?{NUMBER}|medical[ ]?id{NUMBER}?|"
    rf"(?:patient|pt)\.?(?:'s)?[ ]?id(?:entifi(?:er|cation))?(?:[ ]?(?:number|no\.?|\#))?"
    rf"|(?:m\.?r\.?|emr|ehr|ur|chart|hosp(?:ital)?\.?|epic|cerner|master[ ]patient){NUMBER}"
    rf"|uhid{NUMBER}?|empi{NUMBER}?|mpi{NUMBER}|nhs{NUMBER}?|hrn|pid{NUMBER}"
)
# Labels with other uses (hospital units, patients of a series): a code of its own or four digits.
_DOUBTFUL: Final = labelled(
    rf"med(?:ical)?\.?[ ]?rec(?:ord)?s?\.?|emr|ehr|chart|pid|(?:(?:patient|pt)\.?(?:'s)?|clinic|record|file|folder|unit){NUMBER}"
)
# A token that names itself: also inside a file's name, as NAME_MRN1234567_discharge.
_NAMED: Final = re.compile(r"(?<![A-Za-z0-9])(?:MRN[-_]?\d|(?:PAT|PID|UHID)[-_]?\d{2})\d{2,11}(?![A-Za-z0-9])", re.IGNORECASE)


class MedicalRecordNumbers(Recogniser):
    """See the file.

    Args:
        site: The site's own formats.
    """

    classes: ClassVar = (IdentifierClass.MRN,)

    def __init__(self, site: SiteFormats | None = None) -> None:
        self._site = site_pattern(site.mrn if site else ())

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return record numbers."""
        for start, end in find_labelled(text, _CERTAIN, is_number):
            yield self.found(start, end, IdentifierClass.MRN, 0.97)
        for start, end in find_labelled(text, _DOUBTFUL, is_code):
            yield self.found(start, end, IdentifierClass.MRN, 0.8)
        for match in _NAMED.finditer(text):
            yield self.found(*match.span(), IdentifierClass.MRN, 0.95)
        if self._site:
            for match in self._site.finditer(text):
                yield self.found(*match.span(), IdentifierClass.MRN, 1.0)
