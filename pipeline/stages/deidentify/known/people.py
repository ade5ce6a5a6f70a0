"""Takes the names of known people apart. In: one name a person. Out: what to look for, and on which conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from pipeline.stages.deidentify.known.text import canonical, fold, is_ordinary, spellings, unjoined, word_set, words

TITLES: Final = word_set("mr mrs ms miss mx dr prof professor sir madam mme mlle herr frau sr sra señor señora")
SUFFIXES: Final = word_set("jr sr ii iii iv junior senior")
# Parts of a family name that say nothing alone.
PARTICLES: Final = word_set(
    "de da do dos das del della di du des la le les el al bin ibn bint ben van von der den ter ten zu zum y e i und st"
)
_SHORT: Final = 3  # a shorter name counts only with a capital: "ng" is nanogram
_USER_NAME: Final = 4  # "flee" is no user name of F. Lee, and shorter ones are too common
_QUOTED: Final = re.compile(r"[\"“”()\[\]]")


@dataclass(frozen=True, slots=True)
class Person:
    """One known person: given names in order, one family name."""

    given: tuple[str, ...]
    family: str

    @property
    def initials(self) -> frozenset[str]:
        """First letters of all names, upper case."""
        return frozenset(fold(word)[:1].upper() for name in (*self.given, self.family) for word in words(name) if fold(word))


@dataclass(frozen=True, slots=True)
class NameForm:
    """One way to write a name or a part of one, without separators."""

    folded: str
    breaks: frozenset[int]  # characters of ``folded`` after which its own words end
    needs_capital: bool
    is_family: bool = False
    is_pair: bool = False  # given and family name run together

    @property
    def canon(self) -> str:
        """See ``canonical``."""
        return canonical(self.folded)

    @property
    def canons(self) -> frozenset[str]:
        """What it may look like in a stream of words: ``rn`` is one sign only where it stands in one word."""
        bounds = [0, *sorted(self.breaks), len(self.folded)]
        by_word = "".join(canonical(self.folded[start:end]) for start, end in pairwise(bounds))
        return frozenset({self.canon, by_word, unjoined(self.folded)})


def parse_person(value: str) -> Person:
    """Return the person of ``Family, Given Given`` or ``Given Given Family``; titles and suffixes are left out."""
    family, comma, rest = value.partition(",")
    before = _names(_QUOTED.sub(" ", family))
    after = _names(_QUOTED.sub(" ", rest))
    if comma and after:
        return Person(tuple(after), " ".join(before))
    if comma or not before:
        return Person((), " ".join(before))
    start = len(before) - 1
    while start > 1 and fold(before[start - 1]) in PARTICLES:
        start -= 1
    return Person(tuple(before[:start]), " ".join(before[start:]))


def _names(text: str) -> list[str]:
    return [word for word in text.split() if fold(word) and fold(word) not in TITLES | SUFFIXES]


def name_forms(people: Iterable[Person]) -> tuple[NameForm, ...]:
    """Return every form of the people's names, each once."""
    forms: dict[str, NameForm] = {}
    for person in people:
        for form in (*_parts(person), *_pairs(person)):
            if form.folded and (form.folded not in forms or forms[form.folded].is_pair):
                forms[form.folded] = form
    return tuple(forms.values())


def _parts(person: Person) -> Iterator[NameForm]:
    for name in (person.family, *person.given):
        family = name is person.family
        for spelling in spellings(name):
            yield _form(spelling, is_family=family)
            for part in re.split(r"[\s\-]+", spelling):
                if fold(part) not in PARTICLES:
                    yield _form(part, is_family=family)


def _form(value: str, *, is_family: bool = False, is_pair: bool = False) -> NameForm:
    folded = [fold(word) for word in words(value)]
    joined = "".join(folded)
    if len(joined) < 2 and joined.isascii():
        joined = ""  # one letter is an initial
    breaks = frozenset(accumulate(map(len, folded[:-1])))
    return NameForm(joined, breaks, len(joined) < _SHORT or is_ordinary(joined), is_family, is_pair)


def _pairs(person: Person) -> Iterator[NameForm]:
    """Given and family name together: user names, and names in lower case that are words (``may young``)."""
    family = person.family
    for given in person.given:
        for value in (f"{given} {family}", f"{family} {given}", f"{given[:1]} {family}", f"{family} {given[:1]}"):
            form = _form(value, is_pair=True)
            if len(form.folded) >= _USER_NAME:
                yield form
    if len(person.given) > 1:
        yield _form(" ".join((*person.given, family)), is_pair=True)
        yield _form(" ".join(person.given), is_pair=True)
