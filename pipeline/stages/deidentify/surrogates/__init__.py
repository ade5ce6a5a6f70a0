"""Invents values in the place of real ones. In: a value and its class. Out: a value of the same kind, the same in all of a patient's documents.

Names, numbers and places have their own files; this one asks the right of them and keeps them from choosing what is known or stands in
the text already. Reserved ranges are used where there are some: telephone numbers 555-01xx, the domain example.org (RFC 2606), addresses
192.0.2.0/24 (RFC 5737) and 2001:db8::/32 (RFC 3849).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known.text import Words, fold
from pipeline.stages.deidentify.surrogates.key import Chooser
from pipeline.stages.deidentify.surrogates.names import InventedNames
from pipeline.stages.deidentify.surrogates.numbers import InventedNumbers
from pipeline.stages.deidentify.surrogates.places import InventedPlaces
from pipeline.stages.deidentify.zip3 import safe_zip3

_C: Final = IdentifierClass
_TRIES: Final = 100
_PORTS: Final = 65_536
_HEX: Final = 0x100000000


class Surrogates:
    """Invents the values of one document.

    Args:
        secret: The site's secret.
        subject: The patient's pseudonym.
        known: The patient's known identifiers.
        texts: The document's texts.
    """

    def __init__(self, secret: bytes, subject: str, *, known: Mapping[IdentifierClass, Iterable[str]], texts: Sequence[str] = ()) -> None:
        self._chooser = Chooser(secret, subject)
        self._texts = tuple(texts)
        taken = {folded for text in texts for folded in Words(text).folded}
        taken |= {folded for values in known.values() for value in values for folded in (fold(value), *Words(value).folded)}
        self._taken = frozenset(taken)
        self._names = InventedNames(self._chooser, tuple(known.get(_C.NAME, ())), self._taken)
        self._numbers = InventedNumbers(self._chooser, known, self._is_free)
        self._places = InventedPlaces(self._chooser, self._names)
        self._makers: dict[IdentifierClass, Callable[[str], str]] = {
            _C.NAME: self._names.like,
            _C.ADDRESS: self._places.address,
            _C.ZIP: safe_zip3,
            _C.FACILITY: self._places.facility,
            _C.ORGANISATION: self._places.organisation,
            _C.PHONE: self._numbers.phone,
            _C.FAX: self._numbers.phone,
            _C.SSN: self._numbers.ssn,
            _C.EMAIL: self._email,
            _C.URL: self._url,
            _C.IP: self._ip,
        }

    def value(self, value: str, category: IdentifierClass) -> str | None:
        """Return an invented value, or ``None`` where only a placeholder will do (photographs, ages, dates)."""
        if category in {_C.PHOTO, _C.AGE, _C.DATE, _C.BIOMETRIC}:
            return None
        return self._makers.get(category, self._numbers.shaped)(value)

    def _is_free(self, value: str) -> bool:
        return fold(value) not in self._taken and not any(value in text for text in self._texts)

    def _email(self, value: str) -> str:
        return self._first_free(lambda at: f"{self._names.given(value, at)}.{self._names.family(value, at)}@example.org".lower())

    def _url(self, value: str) -> str:
        scheme, sign, _ = value.partition("://")
        start = f"{scheme}://" if sign else ""
        return self._first_free(lambda at: f"{start}example.org/{self._chooser.number(_HEX, 'url', fold(value), at):08x}")

    def _ip(self, value: str) -> str:
        if ":" in value:
            return self._first_free(lambda at: f"2001:db8::{self._chooser.number(_PORTS, 'ip', value.lower(), at):x}")
        return self._first_free(lambda at: f"192.0.2.{1 + self._chooser.number(254, 'ip', value, at)}")

    def _first_free(self, make: Callable[[int], str]) -> str:
        return next((value for value in map(make, range(_TRIES)) if self._is_free(value)), make(_TRIES))
