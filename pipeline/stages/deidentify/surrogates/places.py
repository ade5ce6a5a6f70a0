"""Invents addresses, facilities and organisations."""

from __future__ import annotations

import re
from typing import Final

from pipeline.stages.deidentify.known.places import street_key
from pipeline.stages.deidentify.known.text import fold, word_set, words
from pipeline.stages.deidentify.surrogates.key import Chooser
from pipeline.stages.deidentify.surrogates.names import InventedNames

# What a facility or an organisation is: stays behind the invented name.
_KINDS: Final = word_set(
    "hospital hospitals clinic clinics medical center centre centers health healthcare system care nursing home rehabilitation rehab institute "
    "practice surgery hospice infirmary pharmacy university general memorial regional county community children childrens s school college "
    "company corporation inc llc ltd insurance associates group services department unit ward laboratory laboratories foundation trust"
)
_NUMBER: Final = re.compile(r"\d{1,6}")


class InventedPlaces:
    """Places for one patient's documents.

    Args:
        chooser: Chooses by the site's secret.
        names: Invents what they are called by.
    """

    def __init__(self, chooser: Chooser, names: InventedNames) -> None:
        self._chooser = chooser
        self._names = names

    def address(self, value: str) -> str:
        """Return a street with its number, or a town where ``value`` holds no number; state and ZIP go."""
        key = street_key(value)
        name = self._names.family(key, "place")
        number = _NUMBER.search(value)
        if number is None:
            return _in_form(name, value)
        length = len(number.group())
        low = 10 ** (length - 1)
        digits = low + self._chooser.number(9 * low, "house", key)
        if str(digits) == number.group():
            digits = low + (digits - low + 1) % (9 * low)
        return _in_form(f"{digits} {name} Street", value)

    def facility(self, value: str) -> str:
        """Return an invented name with the kind of facility that ``value`` ends in."""
        return self._named(value, "Hospital")

    def organisation(self, value: str) -> str:
        """Return an invented name with the kind of organisation that ``value`` ends in."""
        return self._named(value, "Company")

    def _named(self, value: str, default: str) -> str:
        parts = words(value)
        start = len(parts)
        while start > 0 and fold(parts[start - 1]) in _KINDS:
            start -= 1
        key = "".join(map(fold, parts[:start])) or fold(value)
        kind = " ".join(part for part in parts[start:] if len(part) > 1) or default
        return _in_form(f"{self._names.family(key, 'place')} {kind}", value)


def _in_form(made: str, value: str) -> str:
    letters = [char for char in value if char.isalpha()]
    if letters and all(char.isupper() for char in letters):
        return made.upper()
    return made.lower() if letters and all(char.islower() for char in letters) else made
