"""Names after a title: Dr., Mr., Nurse. A title decides: an eponym or an ordinary word after it is a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.clinical_terms import is_clinical_term
from pipeline.stages.deidentify.recognisers.names_judge import MIN_LOWER, Span
from pipeline.stages.deidentify.recognisers.names_lexicon import words_of
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES, after_fillers, end_of, extend, linked
from pipeline.stages.deidentify.recognisers.names_words import Word

TITLES: Final = frozenset(["dr", "mr", "mrs", "ms", "mx", "prof", "drs", "dra", "sra", "mme", "herr", "frau", "smt", "shri"])
_TITLE_GAP: Final = re.compile(r"\.?[ \t]{0,3}|\.?[ \t]?\r?\n[ \t]{0,8}")
_ABBREVIATED: Final = frozenset({"rev", "fr", "capt", "sgt", "lt", "hon"})
TITLE_SCORE: Final = 0.95
_NO_SURNAME_END: Final = ("ed", "ing", "ment", "tion", "ly", "ity", "ness")
SOFT_SCORE: Final = 0.88
LOWER_SCORE: Final = 0.82


def find_titled(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names after titles, without them, with scores."""
    for index, word in enumerate(words[:-1]):
        if word.low in TITLES and word.shape in "TCl":
            yield from _titled(text, words, index, hard=True)
        elif word.shape in "TC" and word.low in words_of("soft_titles"):
            yield from _titled(text, words, index, hard=False)


def _titled(text: str, words: Sequence[Word], index: int, *, hard: bool) -> Iterator[Span]:
    first = after_fillers(text, words, index)
    if first is None:
        if index + 1 >= len(words) or not _TITLE_GAP.fullmatch(text, words[index].end, words[index + 1].start):
            return
        first = index + 1
    word = words[first]
    if not _fits_title(word, hard=hard, gap=text[words[index].end : word.start], abbreviated=words[index].low in _ABBREVIATED):
        return
    if word.shape == "l" and word.low not in PARTICLES:
        after = first + 1
        if after < len(words) and linked(text, word, words[after]) and words[after].last and _closes(text, words[after]):
            first = after
        yield word.start, words[first].end, LOWER_SCORE
        return
    last = extend(text, words, first, spoken=True)
    if hard and last == first + 1 and last < len(words) and _is_surname(text, word, words[last]):
        last += 1
    yield word.start, end_of(text, words, last - 1), TITLE_SCORE if hard else SOFT_SCORE
    if words[index].low in ("drs", "mr", "mrs") and last + 1 < len(words) and words[last].low in ("and", "&") and words[last + 1].upper:
        other = words[last + 1]
        if other.low not in TITLES and not other.never and not other.plain_word:
            yield other.start, end_of(text, words, extend(text, words, last + 1) - 1), SOFT_SCORE


def _is_surname(text: str, given: Word, word: Word) -> bool:
    """Whether an ordinary word after a title and a given name (or a name in no list) is the surname: "Dr. Osric Vane"."""
    begins = given.shape == "T" and (given.given or not (given.last or given.ordinary))
    fits = word.shape == "T" and word.plain_word and not word.never and not word.credential
    other = word.low in words_of("roles") or word.low.endswith(_NO_SURNAME_END) or is_clinical_term(word.text)
    return begins and fits and not other and text[given.end : word.start] == " "


def _closes(text: str, word: Word) -> bool:
    """Whether a lower-case word can end a name: no ordinary word, or a stop follows it."""
    return word.shape == "l" and len(word.low) >= MIN_LOWER and (not word.ordinary or text[word.end : word.end + 1] in ".,;:")


def _fits_title(word: Word, *, hard: bool, gap: str, abbreviated: bool) -> bool:
    if word.shape != "I" and word.never and not (word.is_name and hard and len(word.low) > MIN_LOWER and word.shape in "TC"):
        return False
    if word.shape in "TC":
        if hard:
            return not word.credential or word.shape == "T"
        return not word.plain_word and ("." not in gap or abbreviated) and not word.credential and (word.is_name or word.shape == "T")
    if word.shape == "I":
        return hard
    if word.low in PARTICLES and word.shape == "l":
        return hard
    return hard and len(word.low) >= MIN_LOWER and word.shape == "l" and not word.ordinary
