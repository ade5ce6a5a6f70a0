"""IP addresses (paragraph O), version 4 and 6, checked by ``ipaddress``; version and section numbers are none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser

if TYPE_CHECKING:
    from spacy.tokens import Doc

_V4: Final = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-])(?!\.\d)")
_V6: Final = re.compile(r"(?<![\w:.*])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])", re.IGNORECASE)
_LABEL: Final = re.compile(r"\b(?:ip(?:v[46])?|address|host|server|from|login|logged)\b[^\n]{0,25}$", re.IGNORECASE)
_NOT: Final = re.compile(
    r"(?:\bv(?:er(?:sion)?)?\.?|sections?|sec\.|§|chapter|table|appendix|figure|release|step|item)\s{0,2}$", re.IGNORECASE
)
_BEFORE: Final = 40
_SECTIONS_BELOW: Final = 20  # a number of four parts that are all smaller is a section or a version, unless a label says otherwise


class IpAddresses(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.IP,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return IP addresses."""
        for match in _V4.finditer(text):
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            small = all(int(part) < _SECTIONS_BELOW for part in match.group().split("."))
            if _is_v4(match.group()) and not _NOT.search(before) and (not small or _LABEL.search(before)):
                yield self.found(*match.span(), IdentifierClass.IP, 0.95)
        for match in _V6.finditer(text):
            if _is_v6(match.group()):
                yield self.found(*match.span(), IdentifierClass.IP, 0.95)


def _is_v4(value: str) -> bool:
    try:
        IPv4Address(value)
    except AddressValueError:
        return False
    return True


def _is_v6(value: str) -> bool:
    """An address, with a letter or eight groups: ``::`` alone and ``1::2`` are ratios and code."""
    try:
        IPv6Address(value)
    except AddressValueError:
        return False
    return (value.count(":") >= 3 or len(value.split(":")[0]) == 4) and (value.count(":") == 7 or any(char.isalpha() for char in value))
