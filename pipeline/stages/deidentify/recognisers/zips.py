"""ZIP codes and postcodes where a word or a state says so: five digits alone are a count (USPS; Royal Mail; Canada Post).

A ZIP code in an address is found with the address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.gazetteer import abbreviations, is_zip_of, states, word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc

_LABEL: Final = (
    r"(?:zip(?:[ -]?codes?)?|zipcode|post(?:al)?[ -]?codes?|pin[ -]?code|eircode|PLZ|código postal|codigo postal|code postal|cod poștal|"
    r"postanski broj|поштански број|индекс)"
)
# Between label and value: ": ", " is ", " code?\nPatient: It's ".
_LABELLED: Final = re.compile(
    rf"\b{_LABEL}\b(?:[ ]?(?:\+4|\(\w{{1,12}}\)))?[^\d\n]{{0,16}}(?:\n[^\d\n]{{0,24}})?"
    r"(\d{5}(?:-\d{4})?|\d{3}-\d{4}|\d{2,3}[ ]\d{2,3}|\d{5}-\d{3}|\d{4,6}(?: [A-Z]{2}\b)?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)(?![\w-])",
    re.IGNORECASE,
)
_PIN: Final = re.compile(r"\b(?:pin|पिन|ਪਿਨ)\b[: ]{1,3}(\d{3} ?\d{3})(?!\d)", re.IGNORECASE)
_AFTER_STATE: Final = re.compile(r"\b([A-Z]{2})\.?,? (\d{5}(?:-\d{4})?)(?![\w.%-])")
_AFTER_STATE_NAME: Final = re.compile(
    r"\b([A-Z][a-z]{3,12}|(?:New|North|South|West|Rhode) [A-Z][a-z]{3,12}),? (\d{5}(?:-\d{4})?)(?![\w.%-])"
)
# Inward codes have no C, I, K, M, O, V; "L4 1ST" is an ordinal. Areas of the postcode address file.
_BRITISH: Final = re.compile(r"(?<![\w-])([A-Z]{1,2})\d[A-Z\d]? \d(?!ST\b|ND\b|RD\b|TH\b)[ABD-HJLNP-UW-Z]{2}(?![\w-])")
_BRITISH_AREAS: Final = word_set(
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH EN EX FK FY G GL GU GY HA "
    "HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR "
    "RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE"
)
# T2N 1M0 is a tumour's stage as well as a part of Calgary: without a label or a province it stays.
_CANADIAN: Final = re.compile(r"(?<![\w-])(?!T\d[NM]\d?)[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z][ -]?\d[ABCEGHJ-NPRSTV-Z]\d(?![\w-])")
_PROVINCE_BEFORE: Final = re.compile(
    r"\b(?:AB|BC|MB|NB|NL|NS|ON|PE|QC|SK|YT|Alberta|British Columbia|Manitoba|Ontario|Quebec|Saskatchewan|Nova Scotia|Canada),? $"
)
_CANADIAN_ANY: Final = re.compile(r"(?<![\w-])[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z] \d[ABCEGHJ-NPRSTV-Z]\d(?![\w-])")
# Abbreviations of states that are clinical words: they need a comma and a ZIP code of theirs, and even so a capitalised word before.
_CLINICAL: Final = word_set("AL CA CO CT DE HI ID IN LA MA MD ME MI MO MS MT NE OK OR PA SD VA")
_TOWN_BEFORE: Final = re.compile(r"[A-Z][a-z]+[.,]? $")


class Zips(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.ZIP,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return ZIP codes and postcodes, without label and state."""
        for pattern in (_LABELLED, _PIN):
            for match in pattern.finditer(text):
                yield self.found(*match.span(1), IdentifierClass.ZIP, 0.95)
        for match in _AFTER_STATE.finditer(text):
            if _is_state(text, match):
                yield self.found(*match.span(2), IdentifierClass.ZIP, 0.87)
        for match in _AFTER_STATE_NAME.finditer(text):
            if states().get(match.group(1).lower()):
                yield self.found(*match.span(2), IdentifierClass.ZIP, 0.87)
        for match in _BRITISH.finditer(text):
            if match.group(1) in _BRITISH_AREAS:
                yield self.found(*match.span(), IdentifierClass.ZIP, 0.86)
        for match in _CANADIAN_ANY.finditer(text):
            if _CANADIAN.match(text, match.start()) or _PROVINCE_BEFORE.search(text[max(0, match.start() - 20) : match.start()]):
                yield self.found(*match.span(), IdentifierClass.ZIP, 0.86)


def _is_state(text: str, match: re.Match[str]) -> bool:
    state, zip_code = match.groups()
    if state not in abbreviations():
        return False
    named = _TOWN_BEFORE.search(text[max(0, match.start() - 20) : match.start()]) is not None
    return is_zip_of(state, zip_code) and (named or state not in _CLINICAL or zip_code.startswith("0"))  # no count begins with 0
