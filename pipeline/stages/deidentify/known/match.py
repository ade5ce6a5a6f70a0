"""Looks for all that is known of one patient. In: text. Out: places with score 1, which nothing later drops."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.known.dates import DateFinder
from pipeline.stages.deidentify.known.names import NameFinder
from pipeline.stages.deidentify.known.numbers import NumberFinder
from pipeline.stages.deidentify.known.people import parse_person
from pipeline.stages.deidentify.known.places import PLACES, PlaceFinder
from pipeline.stages.deidentify.known.text import Words, canonical, fold, is_ordinary

BY: Final = "known"
_LINKS: Final = (IdentifierClass.EMAIL, IdentifierClass.URL, IdentifierClass.PHOTO, IdentifierClass.IP)
_OTHERS: Final = frozenset({IdentifierClass.NAME, IdentifierClass.DATE, IdentifierClass.AGE, *PLACES, *_LINKS})
_SCHEME: Final = re.compile(r"^[a-z][a-z0-9+.\-]{1,15}://(?:www\.)?", re.IGNORECASE)
_LINK_GAP: Final = re.compile(r"[^\w\n]{0,6}|[\s\-]{0,40}")
_MIN_LOCAL: Final = 5  # characters of an e-mail's local part that count alone


class KnownMatcher:
    """Finds every identifier of one patient; made once a patient, of values by class."""

    def __init__(self, values: Mapping[IdentifierClass, tuple[str, ...]]) -> None:
        self._names = NameFinder([parse_person(value) for value in values.get(IdentifierClass.NAME, ())])
        self._dates = DateFinder(values.get(IdentifierClass.DATE, ()))
        self._places = PlaceFinder(values)
        self._numbers = NumberFinder({category: each for category, each in values.items() if category not in _OTHERS})
        self._links: dict[str, IdentifierClass] = {}
        for category in _LINKS:
            for value in values.get(category, ()):
                self._add_link(category, value)

    def find(self, text: str) -> list[Found]:
        """Return places in order."""
        words = Words(text)
        places = [(start, end, IdentifierClass.NAME) for start, end in self._names.find(words)]
        places += [(start, end, IdentifierClass.DATE) for start, end in self._dates.find(words)]
        places += self._places.find(words)
        places += self._numbers.find(words)
        places += self._find_links(words)
        once: dict[tuple[int, int], IdentifierClass] = {}
        for start, end, category in places:
            once.setdefault((start, end), category)  # a given name that is also the user name of an e-mail address is a name
        return [Found(start, end, category, 1.0, BY) for (start, end), category in sorted(once.items())]

    def _add_link(self, category: IdentifierClass, value: str) -> None:
        bare = _SCHEME.sub("", value.strip())
        local, at, domain = bare.partition("@")
        forms = [bare]
        if category is IdentifierClass.EMAIL and at:
            forms += [f"{local} at {domain}", f"{local} at {domain.replace('.', ' dot ')}", f"{local}@{domain.replace('.', ' dot ')}"]
            if len(fold(local)) >= _MIN_LOCAL and not is_ordinary(fold(local)):
                forms.append(local)
        elif category in {IdentifierClass.URL, IdentifierClass.PHOTO}:
            name = bare.rstrip("/").rpartition("/")[2]
            if len(fold(name)) >= _MIN_LOCAL + 4 and any(char.isdecimal() for char in name):
                forms.append(name)
        for form in forms:
            folded = "".join(canonical(fold(part)) for part in re.split(r"[\W_]+", form))
            if len(folded) >= _MIN_LOCAL:
                self._links.setdefault(folded, category)

    def _find_links(self, words: Words) -> list[tuple[int, int, IdentifierClass]]:
        return [
            (words.starts[first], words.ends[last], category)
            for form, category in self._links.items()
            for first, last in words.whole(form)
            if all(_LINK_GAP.fullmatch(words.gap(index)) for index in range(first, last))
        ]
