"""Account numbers (paragraph J): billing, encounters, invoices, banks; IBAN (ISO 13616) and payment cards (ISO/IEC 7812) by check digit."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled, luhn
from pipeline.stages.deidentify.recognisers.site import SiteFormats, site_pattern

if TYPE_CHECKING:
    from spacy.tokens import Doc

_LABELLED: Final = labelled(
    rf"(?:account|acct\.?|a/c){NUMBER}?|(?:bill(?:ing)?|guarantor|financial|statement|invoice|encounter|enc|visit|admission|episode|receipt|transaction)"
    rf"(?:[ ](?:account|acct\.?))?{NUMBER}|invoice|csn{NUMBER}?|har{NUMBER}|fin{NUMBER}?|(?:bank|checking|savings)[ ]account{NUMBER}?|iban{NUMBER}?"
    rf"|(?:aba|bank)?[ ]?routing{NUMBER}?|sort[ ]code|(?:swift|bic)(?:[ ]code|{NUMBER})?"
)
_HAR: Final = labelled(r"har")  # hospital account record: alone also the beginning of a word or an abbreviation
# Cards: 13 to 19 digits, the first 2 to 6 (ISO/IEC 7812 industries of banks and travel), in groups or not.
_CARD: Final = re.compile(
    r"(?<![\w.+-])[2-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{1,7}(?![\w-])|(?<![\w.+-])3[47]\d{2}[ -]?\d{6}[ -]?\d{5}(?![\w-])"
)
_CARD_LABEL: Final = labelled(
    rf"(?:(?:credit|debit|bank|payment)[ ]?card|card|cc|visa|master[ ]?card|amex|american[ ]express){NUMBER}?(?:[ ](?:ending|ends)(?:[ ](?:in|with))?)?"
)
_CARD_DIGITS: Final = range(13, 20)
_LABELLED_CARD_DIGITS: Final = range(12, 20)  # Maestro has cards of 12
_LONG: Final = 6
_LAST_FOUR: Final = 4
# Country, two check digits, 11 to 30 letters and digits, in groups of four or not.
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ ]?[A-Za-z0-9]{4}){2,7}(?:[ ]?[A-Za-z0-9]{1,3})?(?![A-Za-z0-9])")


class Accounts(Recogniser):
    """See the file.

    Args:
        site: The site's own formats.
    """

    classes: ClassVar = (IdentifierClass.ACCOUNT,)

    def __init__(self, site: SiteFormats | None = None) -> None:
        self._site = site_pattern(site.account if site else ())

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return account, card and visit numbers."""
        for start, end in find_labelled(text, _LABELLED, is_code):
            yield self.found(start, end, IdentifierClass.ACCOUNT, 0.95)
        for start, end in find_labelled(text, _HAR, _is_long):
            yield self.found(start, end, IdentifierClass.ACCOUNT, 0.9)
        for start, end in find_labelled(text, _CARD_LABEL, _is_labelled_card):
            yield self.found(start, end, IdentifierClass.ACCOUNT, 0.95)
        for match in _CARD.finditer(text):
            if digits(match.group()) in _CARD_DIGITS and luhn(match.group()):
                yield self.found(*match.span(), IdentifierClass.ACCOUNT, 0.9)
        for match in _IBAN.finditer(text):
            if is_iban(match.group()):
                yield self.found(*match.span(), IdentifierClass.ACCOUNT, 0.95)
        if self._site:
            for match in self._site.finditer(text):
                yield self.found(*match.span(), IdentifierClass.ACCOUNT, 1.0)


def is_iban(value: str) -> bool:
    """Whether ``value`` has the check digits of ISO 13616 (remainder 1 modulo 97)."""
    plain = value.replace(" ", "").upper()
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def _is_long(value: str, after: str) -> bool:
    return is_code(value, after) and digits(value) >= _LONG


def _is_labelled_card(value: str, after: str) -> bool:
    return is_code(value, after) and (digits(value) in _LABELLED_CARD_DIGITS or (digits(value) == _LAST_FOUR and len(value) == _LAST_FOUR))
