"""Reads the lists of clinical words. In: ``lexicons``. Out: sets of keys, read once (0.1 s, 10 MB).

A key is lower case, without accents, words apart by one blank, without possessives: ``Creutzfeldt-Jakob's`` is ``creutzfeldt jakob``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from pipeline.lexicons import entries

# A word of letters and digits with its possessive: "Crohn's", "Graves'".
WORD: Final = re.compile(r"([^\W_]+)('s?(?![^\W_]))?")
# Lists of which a word is clinical wherever it stands. In drugs.txt and genes.txt nothing is doubtful.
TERM_LISTS: Final = ("measures", "clinical_organisations", "note_headings", "anatomy", "clinical_words", "drug_brands", "drugs")
CASED_LISTS: Final = ("abbreviations", "genes")
# Shorter than this, a word of any list is an abbreviation and compared with its capitals: "CAM" is a scale, "Cam" a name.
SHORTEST_WORD: Final = 4
# With two capitals and up to so many letters, too: "NYHA", "eGFR"; longer ones are words in any case ("RECIST", "MiraLAX").
LONGEST_ABBREVIATION: Final = 5
DOUBTFUL: Final = "?"
_GERMAN: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "ß": "ss"})


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Keys by what they say. ``doubtful_*``: also a person's name or another word, so that the words around it decide."""

    terms: frozenset[str]
    doubtful_terms: frozenset[str]
    eponyms: frozenset[str]
    doubtful_eponyms: frozenset[str]
    possessives: frozenset[str]  # eponyms that are clinical as a bare possessive ("her Crohn's")
    cased: frozenset[str]  # abbreviations and genes, as written
    first_words: frozenset[str]  # of terms and eponyms of several words
    longest: int  # words of the longest term
    sure_heads: frozenset[str]  # after any name
    heads: frozenset[str]  # after a name of the list
    before_of: frozenset[str]
    people: frozenset[str]  # after a name, it is a person's in any case
    beside: frozenset[str]  # say nothing by themselves beside clinical words
    dictionary: frozenset[str]  # rarer English words, none a name of our lists


def fold(text: str) -> str:
    """Return ``text`` in lower case without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFD", text.lower().replace("ø", "o").replace("ß", "ss"))
    return "".join(char for char in parts if not unicodedata.combining(char))


def key(text: str) -> str:
    """Return the key of a term."""
    if text.isascii() and text.isalpha():
        return text.lower()
    return " ".join(fold(match.group(1)) for match in WORD.finditer(text))


@cache
def lexicon() -> Lexicon:
    """Return all lists."""
    terms, doubtful_terms, cased = _terms()
    eponyms, doubtful_eponyms, possessives = _eponyms()
    several = [each for group in (terms, doubtful_terms, eponyms, doubtful_eponyms) for each in group if " " in each]
    heads: dict[str, set[str]] = {"sure": set(), "listed": set(), "before_of": set(), "people": set(), "beside": set()}
    for line in entries("eponym_heads"):
        kind, _, word = line.partition("|")
        heads[kind].update((word, f"{word}s"))
    return Lexicon(
        terms=frozenset(terms),
        doubtful_terms=frozenset(doubtful_terms - terms),
        eponyms=frozenset(eponyms),
        doubtful_eponyms=frozenset(doubtful_eponyms - eponyms),
        possessives=frozenset(possessives),
        cased=frozenset(cased),
        first_words=frozenset(each.split(" ", 1)[0] for each in several),
        longest=max(each.count(" ") + 1 for each in several),
        sure_heads=frozenset(heads["sure"]),
        heads=frozenset(heads["sure"] | heads["listed"]),
        before_of=frozenset(heads["before_of"]),
        people=frozenset(heads["people"]),
        beside=frozenset(heads["beside"]),
        dictionary=frozenset(entries("dictionary_words")),
    )


def _terms() -> tuple[set[str], set[str], set[str]]:
    terms: set[str] = set()
    doubtful: set[str] = set()
    cased: set[str] = set()
    for name in TERM_LISTS:
        for line in entries(name):
            word, mark = _unmarked(line)
            if _is_abbreviation(word):
                cased.add(word)
            else:
                (doubtful if mark else terms).add(key(word))
    for name in CASED_LISTS:
        for line in entries(name):
            if " " in line and not line.isupper():
                terms.add(key(line))
            else:
                cased.add(line)
    return terms, doubtful, cased


def _eponyms() -> tuple[set[str], set[str], set[str]]:
    sure: set[str] = set()
    doubtful: set[str] = set()
    possessives: set[str] = set()
    for line in entries("eponyms"):
        word, mark = _unmarked(line)
        if word.endswith(("'s", "s'")):
            possessives.update(key(each) for each in spellings(word))
        else:
            written, *others = [key(each) for each in spellings(word)]
            (doubtful if mark else sure).add(written)
            # Another spelling of one word may be a name of its own: "Åstrand" gives "strand".
            (sure if " " in written and not mark else doubtful).update(others)
    return sure, doubtful, possessives


def spellings(word: str) -> Iterator[str]:
    """Yield a name as it may be written: as it is, with letters for its accents, and with its accented letters lost (``Klver-Bucy``)."""
    yield word
    if not word.isascii():
        yield word.lower().translate(_GERMAN)
        lost = "".join(char for char in word if char.isascii())
        if lost:
            yield lost


def _is_abbreviation(word: str) -> bool:
    if " " in word:
        return False
    letters = [char for char in word if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    return len(word) < SHORTEST_WORD or (capitals > 1 and len(letters) <= LONGEST_ABBREVIATION)


def _unmarked(line: str) -> tuple[str, bool]:
    return line.removesuffix(DOUBTFUL), line.endswith(DOUBTFUL)
