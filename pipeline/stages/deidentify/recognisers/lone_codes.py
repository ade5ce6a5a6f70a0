"""Numbers and codes without a label that are no measurement (paragraph R): ``8812034`` after a name, ``KX204417``, a UUID.

Two million characters of clinical notes held none that was not an identifier. What looks alike stays: codes of terminologies (a word
before them says so), quantities (a unit, a round number, a test before them), dates, and codes of drugs in development.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.lexicons import entries
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.tokens import Doc

_NUMBER: Final = re.compile(r"(?<![\w.,+/#$€£<>=~^-])\d{7,20}(?![\w-])(?![.,/]\d)")
_CODE: Final = re.compile(r"(?<![\w.,+/#@-])(?P<letters>[A-Z]{2,5}(?=-?\d)|[A-Z](?=-?\d{6}))-?\d{5,9}(?![\w-])(?!\.\d)")
_UUID: Final = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_CODE_BEFORE: Final = re.compile(
    r"\b(?:snomed|sct(?:id)?|concept|loinc|rxnorm|rxcui|umls|cui|icd\w*|cpt|hcpcs|ndc|atc|drg|gtin|isbn|doi|pmid|pubmed|codes?|oid|nct|isrctn|eudract|ctri"
    r"|grant|award|protocol|study|trial|model|catalog(?:ue)?|seed|omim|genbank|refseq|cas|unii|510\(k\)|patent|ind)\b[^\n]{0,25}$",
    re.IGNORECASE,
)
_QUANTITY_BEFORE: Final = re.compile(
    r"\b(?:load|copies|counts?|cells|titers?|titres?|levels?|units|dose|cfu|hcg|beta-hcg|ferritin|ck|cpk|bnp|psa|pcr|rna|dna|total|of|n ?=|about|over|than|to"
    r"|wbc|rbc|platelets?|plt)\s{0,2}[:(]?\s{0,2}$",
    re.IGNORECASE,
)
_UNIT_AFTER: Final = re.compile(
    r"\s?(?:copies|iu\b|miu|units?\b|cells|cfu|log|/|%|mg|mcg|ml\b|per\b|people|persons|patients|women|men\b|adults|children|cases|deaths|americans|dollars|x ?10)",
    re.IGNORECASE,
)
_LONG: Final = 11  # more digits than any count of cells or copies
_BEFORE: Final = 45
_AFTER: Final = 12
_YEARS: Final = range(1900, 2101)


class LoneCodes(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.OTHER_ID,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return numbers and codes that stand alone; scores are low: any label knows better what they are."""
        for match in _NUMBER.finditer(text):
            if not _is_quantity(text, match) and not _is_date(match.group()) and not _follows_code_word(text, match.start()):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.5)
        for match in _CODE.finditer(text):
            if match.group("letters") not in _drug_prefixes() and not _follows_code_word(text, match.start()):
                yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.5)
        for match in _UUID.finditer(text):
            yield self.found(*match.span(), IdentifierClass.OTHER_ID, 0.9)


@cache
def _drug_prefixes() -> frozenset[str]:
    """Letters before the numbers of drugs in development, of trials and of publications."""
    return frozenset(entries("drug_code_prefixes"))


def _follows_code_word(text: str, start: int) -> bool:
    return _CODE_BEFORE.search(text[max(0, start - _BEFORE) : start]) is not None


def _is_quantity(text: str, match: re.Match[str]) -> bool:
    """Whether the number is round, has a unit, or stands after a test or a word of amount."""
    start, end = match.span()
    return bool(
        match.group().endswith("000")
        or _UNIT_AFTER.match(text, end, end + _AFTER)
        or (end - start < _LONG and _QUANTITY_BEFORE.search(text[max(0, start - _BEFORE) : start]))
    )


def _is_date(value: str) -> bool:
    """Whether ``value`` is a date as 20240312 or 03122024: for the recogniser of dates."""
    if len(value) != 8:
        return False
    for year, month, day in ((value[:4], value[4:6], value[6:]), (value[4:], value[:2], value[2:4]), (value[4:], value[2:4], value[:2])):
        try:
            if int(year) in _YEARS and date(int(year), int(month), int(day)):
                return True
        except ValueError:
            continue
    return False
