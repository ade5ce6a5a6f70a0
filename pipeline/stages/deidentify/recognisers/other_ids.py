"""Any other unique number or code (paragraph R): accession, specimen, order, case, claim, employee, study subject, badge, reference.

Numbers of studies, protocols, publications and code systems name no person and stay: no label here announces one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled
from pipeline.stages.deidentify.recognisers.site import SiteFormats, site_pattern

if TYPE_CHECKING:
    from spacy.tokens import Doc

_THING: Final = (
    r"(?:accession|acc|lab(?:oratory)?|job|dictation|transcription|specimen|sample|requisition|req\.?|case|claim|employee|staff|worker|personnel|badge|subject|participant|enrol?lee|screening|randomi[sz]ation"
    r"|enrol?lment|subject|customer|client|person(?:al)?|user|login|student|inmate|prisoner|offender|military|service|veteran|donor|recipient|barcode|bar[ ]code"
    r"|report|(?:lab(?:oratory)?[ ])?test|study[ ]subject|order|ref(?:erence)?|ticket|incident|docket|court|prescription|rx|"
    r"(?:prior[ ])?auth(?:ori[sz]ation)?|approval|referral|confirmation|tracking|booking|appointment|document|doc|study[ ]participant|unit|blood[ ]unit"
    r"|bag|slide|cassette|dispatch|alarm|police[ ]report|wristband|bracelet|locker|pharmacy|provider|physician|doctor|nurse|access|alphanumeric"
    r"|unique|internal|external|legacy|registry|tax|emergency[ ]contact|facility|image[ ]file)"
)
_LABELLED: Final = labelled(
    rf"{_THING}{NUMBER}|accession|requisition|job(?=:|[ ]\d{{5}})|specimen|claim|badge|barcode|wristband|employee(?=[ ](?-i:[A-Z])[-A-Z]{{0,3}}\d{{3}})"
    rf"|(?:run|family|pedigree|kindred|trip|pcr|call){NUMBER}|privacy[ ](?:code|word|pin)|(?:acs|cps|dcfs|dcf|me|coroner|police|court|welfare)[ ]case"
    r"|study(?=[ ](?-i:[A-Z]{2,4}-\d{3,5}-\d\d\b))"
)
# After a test "ref" announces its range: 150-450.
_REFERENCE: Final = labelled(r"(?:our|your|my)?[ ]?ref(?:erence)?")
_PARTICIPANT: Final = labelled(r"subjects?|participants?|patients?|pt\.?")
_CENTRE_AND_NUMBER: Final = re.compile(r"(?!(?:19|20)\d{2}-(?:19|20)\d{2})(?:0\d{1,4}|\d{3,5})-\d{3,6}(?:-\d{1,6})?")
_BLOOD_UNIT: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Z]\d{4}[ ]?\d{2}[ ]?\d{6}(?:[ ]\d{2})?(?![A-Za-z0-9])"
)  # ISBT 128 donation number, with its flags
# Certified and tracked mail of the US Postal Service: 20 or 22 digits in fours.
_MAIL: Final = re.compile(r"(?<![\w.-])[79]\d{3}(?:[ ]\d{4}){4}(?:[ ]\d{2})?(?![\w.-])")
_ID: Final = labelled(
    r"(?<!study )(?<!trial )(?<!protocol )(?<!NCT )(?:ids?|identifiers?|identification(?=[ ](?:no|num|#|code)|:))(?:[ ](?:number|no\.?|code|\#)|\#)?"
)
_NAMED: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:EMP|ACCT?|ACN|INS|MEM|CSN|FIN|HAR|SUBJ?|STAFF|EMPL|ORD|REQ|SPEC|ACC)[-_]?\d{5,14}(?![A-Za-z0-9])"
)
# Interpreters sign with a number: "interpreter Tran #88214".
_INTERPRETER: Final = re.compile(r"(?<=nterpreter )(?:[A-Z][\w'-]{1,20} ){0,2}(?:(?i:id|no|number)\.? ?)?#\d{4,8}(?!\w)")
_WEAK: Final = 3
_SURE: Final = 7


class OtherIds(Recogniser):
    """See the file.

    Args:
        site: The site's own formats.
    """

    classes: ClassVar = (IdentifierClass.OTHER_ID,)

    def __init__(self, site: SiteFormats | None = None) -> None:
        self._site = site_pattern(site.other if site else ())

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return other identifying numbers."""
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.OTHER_ID, 0.9)
        for start, end in find_labelled(text, _REFERENCE, _is_reference):
            yield self.found(start, end, IdentifierClass.OTHER_ID, 0.85)
        for start, end in find_labelled(text, _PARTICIPANT, _is_participant):
            yield self.found(start, end, IdentifierClass.OTHER_ID, 0.8)
        for start, end in find_labelled(text, _ID, _is_id):
            yield self.found(start, end, IdentifierClass.OTHER_ID, 0.75)
        for pattern in (_NAMED, _BLOOD_UNIT, _MAIL, _INTERPRETER):
            for match in pattern.finditer(text):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.75)
        if self._site:
            for match in self._site.finditer(text):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 1.0)


def _is_reference(value: str, after: str) -> bool:
    return is_code(value, after) and (digits(value) >= _SURE or (any(map(str.isalpha, value)) and digits(value) >= _WEAK))


def _is_participant(value: str, after: str) -> bool:
    """A centre and a number (0012-0045), not an age range, a count or years."""
    return is_code(value, after) and _CENTRE_AND_NUMBER.fullmatch(value) is not None


def _is_id(value: str, after: str) -> bool:
    """ID alone is also infectious disease: three digits or more."""
    return is_code(value, after) and (digits(value) >= _WEAK or not digits(value))
