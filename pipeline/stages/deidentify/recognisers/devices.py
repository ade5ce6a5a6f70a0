"""Device identifiers and serial numbers (paragraph M): serial, lot and device numbers, UDI, IMEI, MAC addresses.

Lots of drugs and vaccines go as well: with a date and a site they narrow a person down, and no question about care needs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.labelled import NUMBER, digits, find_labelled, is_code, labelled, luhn

if TYPE_CHECKING:
    from spacy.tokens import Doc

_THING: Final = (
    r"(?:device|implant|pacemaker|defibrillator|pump|cgm|sensor|transmitter|generator|lead|valve|stent|prosthesis|hearing[ ]aid|ventilator|monitor"
    r"|meter|glucometer|asset|equipment|machine|catheter|port)"
)
_LABELLED: Final = labelled(
    rf"(?:{_THING}[ ])?serial{NUMBER}?|(?:{_THING}[ ])?(?:s/n|sn){NUMBER}?|{_THING}{NUMBER}|udi(?:-di)?{NUMBER}?|imei{NUMBER}?"
    rf"|(?:lot|batch){NUMBER}|(?:lot|batch)|mac(?:[ ]address)"
)
_MAC: Final = re.compile(
    r"(?<![\w:-])[0-9A-F]{2}(?::[0-9A-F]{2}){5}(?![\w:-])|(?<![\w:-])[0-9A-F]{2}(?:-[0-9A-F]{2}){5}(?![\w:-])", re.IGNORECASE
)
# GS1 element string of a UDI (GS1 General Specifications): (01) and 14 digits, then dates, lot and serial number.
_UDI: Final = re.compile(r"\(01\)\s?\d{14}(?:\s?\((?:10|11|17|21|240)\)\s?[A-Za-z0-9./-]{1,20}){0,5}")
_LONE_IMEI: Final = re.compile(r"(?<![\w.+-])\d{2}-\d{6}-\d{6}-\d(?![\w-])")
_LEAST: Final = 5


class Devices(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.DEVICE,)

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return device numbers."""
        for start, end in find_labelled(text, _LABELLED, _is_serial):
            yield self.found(start, end, IdentifierClass.DEVICE, 0.93)
        for pattern in (_MAC, _UDI):
            for match in pattern.finditer(text):
                yield self.found(*match.span(), IdentifierClass.DEVICE, 0.95)
        for match in _LONE_IMEI.finditer(text):
            if luhn(match.group()):
                yield self.found(*match.span(), IdentifierClass.DEVICE, 0.9)


def _is_serial(value: str, after: str) -> bool:
    """SN-38 is a drug, SN also a sinus node; a serial number has five signs or more."""
    return is_code(value, after) and (len(value) >= _LEAST or not digits(value))
