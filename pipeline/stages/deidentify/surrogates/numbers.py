"""Invents numbers and codes of the same length and shape: a digit for a digit, a letter for a letter, separators as they stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from pipeline.domain.phi import IdentifierClass
from pipeline.stages.deidentify.known.numbers import PHONES, ocr_digits
from pipeline.stages.deidentify.known.text import Words, fold
from pipeline.stages.deidentify.surrogates.key import Chooser

_TRIES: Final = 100
_NATIONAL: Final = 10  # digits of a North American number without its country code
_LOCAL: Final = 7
_FICTIONAL: Final = "55501"  # 555-0100 to 555-0199 are given to nobody
_SSN_DIGITS: Final = 9
_EXTENSION: Final = re.compile(r"(\s?(?:ext(?:ension)?|x)\.?\s?#?)(\d{1,6})$", re.IGNORECASE)
_AGAIN: Final = 4  # digits from which on a number is taken for the end of a known one


class InventedNumbers:
    """Numbers for one patient's documents.

    Args:
        chooser: Chooses by the site's secret.
        known: The patient's known identifiers.
        is_free: Whether a value is neither known nor in the text.
    """

    def __init__(self, chooser: Chooser, known: Mapping[IdentifierClass, Iterable[str]], is_free: Callable[[str], bool]) -> None:
        self._chooser = chooser
        self._is_free = is_free
        self._phones = [_digits(_EXTENSION.sub("", value)) for each in PHONES for value in known.get(each, ())]
        self._ssns = [_digits(value) for value in known.get(IdentifierClass.SSN, ())]

    def phone(self, value: str) -> str:
        """Return a number in the 555-01xx range, in the form of ``value``."""
        value = ocr_digits(Words(value))
        extension = _EXTENSION.search(value)
        main = value[: extension.start()] if extension else value
        made = self._like(main, _whole(_digits(main), self._phones), self._phone_digits)
        return made + (f"{extension[1]}{self.shaped(extension[2])}" if extension else "")

    def ssn(self, value: str) -> str:
        """Return nine digits that were never issued: area 9xx with group 00."""
        value = ocr_digits(Words(value))
        return self._like(value, _whole(_digits(value), self._ssns), self._ssn_digits)

    def shaped(self, value: str) -> str:
        """Return a code with digits for digits and letters for letters; leading zeros stay."""
        digits = ocr_digits(Words(value))
        value = digits if fold(digits).isdecimal() else value
        key = fold(value)
        zeros = len(key) - len(key.lstrip("0")) if key.isdecimal() and key.strip("0") else 0
        made = ""
        for at in range(_TRIES):
            made = self._shape(value, key[zeros:], zeros, at)
            if fold(made) != key and self._is_free(made):
                break
        return made

    def _shape(self, value: str, key: str, zeros: int, at: int) -> str:
        made: list[str] = []
        count = 0
        for char in value:
            if char.isdecimal():
                first = int(count == zeros)  # a number does not begin with zero
                made.append("0" if count < zeros else str(first + self._chooser.number(10 - first, "code", key, at, count - zeros)))
            elif char.isalpha():
                letter = chr(ord("A") + self._chooser.number(26, "code", key, at, count - zeros))
                made.append(letter if char.isupper() else letter.lower())
            else:
                made.append(char)
                continue
            count += 1
        return "".join(made)

    def _like(self, value: str, whole: str, make: Callable[[str, int], str]) -> str:
        """Put the last digits of the surrogate of a whole number in the places of the digits of ``value``."""
        count = len(_digits(value))
        made = value
        for at in range(_TRIES):
            digits = make(whole, at)
            more = _digits(value)[: max(0, count - len(digits))]  # a country code that the known number has not
            filled = iter((more + digits)[-count:] if count else "")
            made = "".join(next(filled) if char.isdecimal() else char for char in value)
            if _digits(made) != _digits(value) and self._is_free(made):
                break
        return made

    def _phone_digits(self, whole: str, at: int) -> str:
        last = f"{self._chooser.number(100, 'phone', whole, at):02d}"
        area = len(whole) - _LOCAL
        first = [
            str((2 if place == 0 else 0) + self._chooser.number(8 if place == 0 else 10, "phone", whole, at, place))
            for place in range(area)
        ]
        return "".join(first) + (_FICTIONAL + last)[-len(whole) :]

    def _ssn_digits(self, whole: str, at: int) -> str:
        made = [str(self._chooser.number(10, "ssn", whole, at, place)) for place in range(len(whole))]
        if len(whole) == _SSN_DIGITS:
            made[0], made[3], made[4] = "9", "0", "0"
        return "".join(made)


def _digits(value: str) -> str:
    return "".join(char for char in value if char.isdecimal())


def _whole(digits: str, known: list[str]) -> str:
    """Return the known number that digits are the end of, or that is their end; else themselves, without a country code."""
    for each in known:
        if len(digits) >= _AGAIN and (
            each.endswith(digits.lstrip("0")) or digits.endswith(each) or digits[-_NATIONAL:] == each[-_NATIONAL:]
        ):
            return each[-_NATIONAL:]
    return digits[1:] if len(digits) == _NATIONAL + 1 and digits[0] == "1" else digits
