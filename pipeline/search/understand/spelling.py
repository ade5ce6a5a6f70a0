"""Misspelt words of a query. A word that the index or a word list knows is right, whatever else it may be close to.

Never touched: identifiers, genes, doses, units, abbreviations: all that has a digit or two capitals, and words of fewer than four letters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Protocol

from pipeline.lexicons import entries
from pipeline.search.understand.abbreviations import abbreviations
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.model import Correction
from pipeline.search.understand.pools import SHORTEST, Pool
from pipeline.search.understand.words import Word, keys, words


@dataclass(frozen=True, slots=True)
class TitleWords:
    """Words of titles and conditions, lower case: how many documents have each there. Words of documents: never on disk."""

    counts: Mapping[str, int] = field(default_factory=dict, repr=False)
    pool: Pool = field(default_factory=Pool, repr=False)

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> TitleWords:
        """Make them of the counts."""
        return cls(counts, Pool.of(counts))


class Vocabulary(Protocol):
    """The words of an index."""

    def holds(self, word: str) -> bool:
        """Whether a passage has this word, or another of its stem."""
        ...

    def titles(self) -> TitleWords:
        """Return the words of titles and conditions."""
        ...


_TWO_EDITS_FROM: Final = 8  # letters; a word of seven is two edits from too many others ("fentanyl" has eight, "atropine" too)
_RANK_OF_HELD: Final = 2  # of the words that are right only where the index holds them
_PROBES: Final = 6  # candidates that the index is asked for, at most
_DOUBLES_FROM: Final = 7  # letters: shorter words that differ by a doubled letter are often two words
_DOUBLED: Final = re.compile(r"(\w)\1")
_PLAIN: Final = re.compile(r"[A-Za-z][a-z]+\Z")
# Endings, and what the stem before them must end in: "acess" is no plural of "aces", "canser" no one who cans.
_ENDINGS: Final = {
    "s": re.compile(r"[^su]\Z"),
    "es": re.compile(r"(?:s|x|z|ch|sh|o)\Z"),
    "ed": re.compile(r"[^e]\Z"),
    "d": re.compile(r"e\Z"),
    "ing": re.compile(r"[^aeiou][^aeiou]\Z|[aeiou]{2}[^aeiou]\Z"),
    "ly": re.compile(r"\w\Z"),
    "less": re.compile(r"\w\Z"),
}
# Word lists by how much a correction to one of their words is worth: those of these files, clinical ones, then what only the index can confirm.
_CLINICAL: Final = ("clinical_words", "anatomy", "measures", "note_headings")
_ONLY_WHERE_HELD: Final = ("drugs", "drug_brands", "ordinary_words", "dictionary_words")
_ONLY_KNOWN: Final = ("genes", "eponyms", "us_states", "months")


def corrections(query: str, vocabulary: Vocabulary | None, *, except_in: Collection[tuple[int, int]] = ()) -> tuple[Correction, ...]:
    """Return the corrections of a query, in order. The same query, index and lists always give the same.

    Args:
        query: As it was asked.
        vocabulary: Of the index; ``None``: only what the lexicons can tell.
        except_in: Stretches that stay (identifiers, amounts).
    """
    found = []
    for word in words(query):
        if any(start < word.end and word.start < end for start, end in except_in) or not _may_be_misspelt(word):
            continue
        if meant := _stem_put_right(word.key):
            found.append(Correction(word.start, word.end, meant))
            continue
        if vocabulary is not None and vocabulary.holds(word.key):
            continue
        if better := _nearest(word.key, vocabulary):
            found.append(Correction(word.start, word.end, better))
    return tuple(found)


def _may_be_misspelt(word: Word) -> bool:
    if len(word.text) < SHORTEST or not _PLAIN.match(word.text):
        return False
    return not _is_known(word.key) or word.key in _foreign_names() or _stem_put_right(word.key) is not None


def _stem_put_right(word: str) -> str | None:
    """Return the word meant by one that shares its stem, so that the index seems to hold it: "amiodaron", "defibrilation"."""
    if word in _own_words() or word in _lists(("ordinary_words", *_CLINICAL)):
        return None
    last = next((name for name in (f"{word}e", word.removesuffix("e")) if name != word and name in _drugs()), None)
    if last is None and len(word) >= _DOUBLES_FROM and not _is_known(word):
        return _undoubled().get(_DOUBLED.sub(r"\1", word))
    return last


def _is_known(word: str) -> bool:
    known = _known()
    if word in known:
        return True
    for ending, before in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > SHORTEST and before.search(stem) and (stem in known or f"{stem}e" in known):
            return True
    return (word.endswith("ies") and f"{word[:-3]}y" in known) or (word.endswith("ed") and f"{word[:-1]}r" in known)  # nebulized, nebulizer


def _nearest(word: str, vocabulary: Vocabulary | None) -> str | None:
    most = 2 if len(word) >= _TWO_EDITS_FROM else 1
    titles = vocabulary.titles() if vocabulary is not None else TitleWords()
    near: dict[str, tuple[int, int]] = {}  # distance, rank of its list
    for rank, pool in enumerate((titles.pool, _targets(), _held_targets())):
        for other, distance in pool.near(word, most=most):
            if len(word) > SHORTEST or (len(other) > len(word) and other[0] == word[0]):
                near.setdefault(other, (distance, rank))
    if word in _foreign_names():  # another language's name of the same drug, at one edit: never another drug
        near = {other: found for other, found in near.items() if found[0] == 1 and found[1] < _RANK_OF_HELD and other[0] == word[0]}
    ordered = sorted(
        near,
        key=lambda other: (
            near[other][0],
            sorted(other) != sorted(word),  # letters that changed places are the likeliest slip
            other[0] != word[0],
            near[other][1],
            -titles.counts.get(other, 0),
            other,
        ),
    )
    for other in ordered[:_PROBES]:
        if near[other][1] < _RANK_OF_HELD or (vocabulary is not None and vocabulary.holds(other)):
            return other
    return None


@cache
def _undoubled() -> dict[str, str]:
    """Return clinical words by their form without doubled letters, which are what is most often left out."""
    return {
        _DOUBLED.sub(r"\1", word): word
        for word in sorted(_own_words() | _lists(_CLINICAL))
        if len(word) >= _DOUBLES_FROM and word.isalpha()
    }


@cache
def _drugs() -> frozenset[str]:
    return frozenset(name for name in toml("drug_names")["generic"] if name.isalpha())


@cache
def _own_words() -> frozenset[str]:
    """Return the words of the files of understanding."""
    drugs, synonyms = toml("drug_names"), toml("synonyms")
    names = [name for generic, brands in drugs["generic"].items() for name in (generic, *brands)]
    names += [
        *drugs["classes"],
        *(name for table in synonyms.values() for preferred, others in table.items() for name in (preferred, *others)),
    ]
    names += [reading.means for entry in abbreviations().values() for reading in entry.readings]
    names += [word for rule in toml("intents").values() if isinstance(rule, dict) for word in rule["words"] if "*" not in word]
    return frozenset(key for name in names for key in keys(name))


@cache
def _lists(names: tuple[str, ...]) -> frozenset[str]:
    lines = (line.split("|")[0].rstrip("?! ") for name in names for line in entries(name))
    return frozenset(key for line in lines for word in keys(line) for key in {word, *word.split("-")})


@cache
def _known() -> frozenset[str]:
    short = frozenset(key for phrase in abbreviations() for key in phrase)
    return _own_words() | short | _lists(_CLINICAL) | _lists(_ONLY_WHERE_HELD) | _lists(_ONLY_KNOWN)


@cache
def _foreign_names() -> frozenset[str]:
    """Return names that only the large list of drugs knows: it has those of other languages, too ("amiodaron")."""
    others = (*_CLINICAL, "drug_brands", "ordinary_words", "dictionary_words", *_ONLY_KNOWN)
    return frozenset(word for word in _lists(("drugs",)) - _own_words() - _lists(others) if len(word) >= _TWO_EDITS_FROM)


@cache
def _targets() -> Pool:
    return Pool.of(_own_words() | _lists(_CLINICAL))


@cache
def _held_targets() -> Pool:
    return Pool.of(_lists(_ONLY_WHERE_HELD))
