"""Finds clinical terms in text: drugs, tests, scales, anatomy, conditions, and names of persons where they name a disease.

In: text and a range. Out: stretches that are clinical where they stand. Words are looked up in sets, the longest term first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.stages.deidentify.clinical_lexicon import WORD, Lexicon, fold, lexicon

# Endings that make a word of at least so many letters clinical (Greek and Latin of diseases and operations; INN and USAN stems of drugs).
_ENDING: Final = re.compile(
    r".{3,}(?:itis|itides|osis|oses|a?emia|uria|opath(?:y|ies)|ectom(?:y|ies)|[ot]om(?:y|ies)|plast(?:y|ies)|scop(?:y|ies)|graphy|gram|megaly|algia"
    r"|plegia|paresis|phasia|phagia|pnea|[^h]oma|omas|omata|penia|cytosis|lysis|trophy|plasia|rrh(?:ea|oea|age|agia|aphy)|centesis|pexy|zumab|ximab|umab"
    r"|olog(?:y|ical|ically|ist)|ically|tinib|ciclib|parib|rafenib|zomib|sartan|statin|[ndt]olol|conazole|prazole|cillin|[mt]hromycin|floxacin|cycline|gliptin|gliflozin|glutide|dipine"
    r"|azepam|zolam|oxetine|triptyline|virus|viruses|coccus|cocci|bacter)"
)
# Before a clinical word of at least four letters, the whole is one: "prediabetes", "extraocular".
_PREFIX: Final = re.compile(
    r"(?:pre|post|anti|non|extra|intra|inter|peri|para|sub|supra|infra|retro|trans|hyper|hypo|micro|macro|poly|pseudo|neuro|cardio|broncho|electro)(?=.{4})"
)
_SHORTEST_ENDED: Final = 7
# Words, places and names of persons (all of surnames.txt and given_names.txt) that end so all the same.
_NOT_CLINICAL: Final = frozenset(
    [
        "academia",
        "bohemia",
        "oklahoma",
        "telegram",
        "instagram",
        "program",
        "diagram",
        "monogram",
        "anatomy",
        "euphemia",
        "eufemia",
        "evfemia",
        "ieremia",
        "kimemia",
        "shiroma",
        "rudzitis",
        "zalitis",
        "saulitis",
        "prieditis",
        "rozitis",
        "eglitis",
        "kalvaitis",
        "apsitis",
        "mangram",
        "wolfgram",
        "mccomas",
        "stthomas",
    ]
)
# What may stand between two words of one term; a full stop only after an initial ("C. diff", "St. Jude").
_JOINTS: Final = frozenset({"", " ", "-", "/", "\n", " - ", " / ", "&", " & ", "  ", " (", "-\n"})
_LIST_JOINTS: Final = _JOINTS | {", ", ","}
_LONGEST_INITIAL: Final = 2
_LONGEST_EPONYM: Final = 5  # words: Say-Barber-Biesecker-Young-Simpson
# A head counts when at most so many words stand between it and the name, each clinical itself: "Becker muscular dystrophy"; links and further names
# of a list do not count: "Becker or Duchenne muscular dystrophy".
_WORDS_BEFORE_HEAD: Final = 2
_LONGEST_LIST: Final = 5
_LINKS: Final = frozenset({"and", "or", "like", "type", "the", "of", "non"})
_CHUNK: Final = re.compile(r"[^\s,;:()\[\]]{1,24}")


@dataclass(frozen=True, slots=True)
class _Word:
    key: str
    start: int
    end: int  # with the possessive
    possessive: bool


@dataclass(frozen=True, slots=True)
class Clinical:
    """A clinical stretch, half-open."""

    start: int
    end: int
    is_sure: bool  # no part of a name of a person: several words, or a long word of a list
    is_name: bool  # an eponym
    is_fixed: bool  # several words that a list holds: a town or a name in them is none ("New York Heart Association")


def is_clinical_term(words: str) -> bool:
    """Return whether ``words`` are wholly clinical terms, in any case: ``lisinopril``, ``Hodgkin lymphoma``, ``Mini-Mental``.

    A name of a person that is one of a disease only beside another word (``Wilson``) is none by itself.
    """
    text = words.strip()
    spans = [(each.start, each.end) for each in clinical_spans(text, 0, len(text), persons=True)]
    return covers(text, 0, len(text), [*spans, *abbreviations(text, 0, len(text))])


def covers(text: str, start: int, end: int, spans: Sequence[tuple[int, int]], also: frozenset[str] = frozenset()) -> bool:
    """Return whether ``text[start:end]`` is made of clinical stretches, at least one, and of words that go with them ("class III of").

    Args:
        text: Folded text.
        start: Where the range begins.
        end: Where it ends.
        spans: Clinical stretches.
        also: Lower-case words that count as clinical here.
    """
    lists = lexicon()
    any_clinical = False
    for match in WORD.finditer(text, start, end):
        if any(low <= match.start() < high for low, high in spans):
            any_clinical = True
            continue
        word = fold(match.group(1))
        if word in also:
            any_clinical = True
        elif not (word in lists.beside or word.isdigit() or word in lists.heads or word in lists.before_of):
            return False
    return any_clinical


def clinical_spans(text: str, start: int, end: int, *, persons: bool) -> list[Clinical]:
    """Return clinical stretches of ``text[start:end]`` in order and apart.

    Args:
        text: Folded text (see ``plain``).
        start: Where to begin to read; the beginning of a word.
        end: Where to stop; the end of a word.
        persons: Whether words that are persons' names too (``brain`` is, ``liver`` is not) are left out.
    """
    lists = lexicon()
    words = [_Word(fold(match.group(1)), *match.span(), match.group(2) is not None) for match in WORD.finditer(text, start, end)]
    found: list[Clinical] = []
    at = 0
    while at < len(words):
        term = _term_length(text, words, at, lists, persons=persons)
        length = max(term, _eponym_length(text, words, at, lists))
        if length:
            is_sure = length > 1 or (term == 1 and len(words[at].key) >= _SHORTEST_ENDED)
            after_of = _after_of(text, words, at, lists) and _name_length(text, words, at, lists)[0] > 0
            first = at - 2 if after_of else at
            is_fixed = term > 1 or after_of or 1 < _name_length(text, words, at, lists)[0] < length
            found.append(Clinical(words[first].start, words[at + length - 1].end, is_sure, term == 0, is_fixed))
        at += max(length, 1)
    return found


def abbreviations(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return stretches of ``text[start:end]`` that are abbreviations of tests, orders or genes as they are written."""
    cased = lexicon().cased
    found = []
    for match in _CHUNK.finditer(text, start, end):
        chunk = match.group().rstrip(".'\"!?")
        if chunk in cased or match.group() in cased:
            found.append((match.start(), match.start() + len(chunk)))
    return found


def _joined(text: str, words: list[_Word], at: int, joints: frozenset[str] = _JOINTS) -> bool:
    """Whether the word at ``at`` and the one after it may be parts of one term."""
    gap = text[words[at].end : words[at + 1].start]
    return gap in joints or (gap in (". ", ".") and len(words[at].key) <= _LONGEST_INITIAL)


def _run(text: str, words: list[_Word], at: int, longest: int) -> list[str]:
    """Return the keys of the words that may be one term from ``at`` on."""
    keys = [words[at].key]
    while len(keys) < longest and at + len(keys) < len(words) and _joined(text, words, at + len(keys) - 1):
        keys.append(words[at + len(keys)].key)
    return keys


def _term_length(text: str, words: list[_Word], at: int, lists: Lexicon, *, persons: bool) -> int:
    """Return how many words from ``at`` on are a term; 0: none."""
    word = words[at].key
    if word in lists.first_words:
        keys = _run(text, words, at, lists.longest)
        for length in range(len(keys), 1, -1):
            if " ".join(keys[:length]) in lists.terms:
                return length
    if word in lists.terms or (not persons and word in lists.doubtful_terms):
        return 1
    if len(word) < _SHORTEST_ENDED or word in _NOT_CLINICAL:
        return 0
    prefix = _PREFIX.match(word)
    return int(bool(_ENDING.fullmatch(word)) or (prefix is not None and word[prefix.end() :] in lists.terms))


def _eponym_length(text: str, words: list[_Word], at: int, lists: Lexicon) -> int:
    """Return how many words from ``at`` on are a name of a disease, sign or device with its head; 0: none."""
    length, sure = _name_length(text, words, at, lists)
    last = at + length - 1
    if length:
        head = _head_length(text, words, last, lists)
        if head:
            return length + head
        if (
            sure
            or _after_of(text, words, at, lists)
            or (words[last].possessive and " ".join(each.key for each in words[at : last + 1]) in lists.possessives)
        ):
            return length
    return _unknown_length(text, words, at, lists)


def _name_length(text: str, words: list[_Word], at: int, lists: Lexicon) -> tuple[int, bool]:
    """Return how many words are an eponym, and whether it is no name of a person of today."""
    word = words[at].key
    if word in lists.first_words:
        keys = _run(text, words, at, _LONGEST_EPONYM)
        for length in range(len(keys), 1, -1):
            joined = " ".join(keys[:length])
            if joined in lists.eponyms or joined in lists.doubtful_eponyms:
                return length, joined in lists.eponyms
    if word in lists.eponyms:
        return 1, True
    if word in lists.doubtful_eponyms:
        return 1, False
    if word.endswith("s") and (word[:-1] in lists.eponyms or word[:-1] in lists.doubtful_eponyms):  # a lost apostrophe
        return 1, word[:-1] in lists.possessives
    return 0, False


def _head_length(text: str, words: list[_Word], last: int, lists: Lexicon) -> int:
    """Return how many words after ``last`` lead up to a head and are it; 0: there is none."""
    between = 0
    for place in range(last + 1, min(last + 2 + _LONGEST_LIST, len(words))):
        if not _joined(text, words, place - 1, _LIST_JOINTS):
            return 0
        word = words[place].key
        if word in lists.heads and text[words[place - 1].end : words[place].start] != "-":  # "Marie-Line" is a name
            return place - last
        if word in lists.terms:
            between += 1
        elif not (word in _LINKS or word in lists.eponyms or word in lists.doubtful_eponyms):
            return 0
        if between > _WORDS_BEFORE_HEAD:
            return 0
    return 0


def _after_of(text: str, words: list[_Word], at: int, lists: Lexicon) -> bool:
    """Whether the name stands after "circle of"."""
    return at > 1 and words[at - 1].key == "of" and words[at - 2].key in lists.before_of and _joined(text, words, at - 1)


def _unknown_length(text: str, words: list[_Word], at: int, lists: Lexicon) -> int:
    """Return how many words are a name that no list knows with a head that leaves no doubt: ``Xyz-Abc syndrome``."""
    if not text[words[at].start].isupper():
        return 0
    place = at
    while place + 1 < len(words) and place - at < _LONGEST_EPONYM and text[words[place].end : words[place + 1].start] == "-":
        place += 1
    if place + 1 >= len(words) or text[words[place].end : words[place + 1].start] != " " or words[place + 1].key not in lists.sure_heads:
        return 0
    return place + 2 - at
