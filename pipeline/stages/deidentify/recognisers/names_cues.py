"""Names by the word before them: relatives, roles, the patient, and phrases such as "discussed with" and "my name is"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_judge import MIN_LOWER, Span, before_head, fits, is_medical
from pipeline.stages.deidentify.recognisers.names_lexicon import words_of
from pipeline.stages.deidentify.recognisers.names_phrase import FILLERS, after_fillers, end_of, extend, linked
from pipeline.stages.deidentify.recognisers.names_words import Word

_OLOGIST: Final = ("therapist", "ologist", "iatrist", "ographer", "otherapist")
PATIENT: Final = frozenset({"patient", "pt", "client", "infant", "neonate", "toddler", "newborn", "decedent", "victim", "donor"})
_WITH: Final = frozenset(
    [
        "discussed",
        "spoke",
        "spoken",
        "met",
        "consulted",
        "talked",
        "lives",
        "living",
        "conferred",
        "dw",
        "confirmed",
        "speak",
        "visit",
        "appointment",
        "follow",
        "follows",
        "followed",
        "follow-up",
        "up",
        "examined",
    ]
)
_GREETINGS: Final = frozenset(
    ["hi", "hello", "hey", "dear", "thanks", "bye", "goodbye", "okay", "sorry", "morning", "afternoon", "evening"]
)
_NAMED: Final = frozenset({"named", "nicknamed", "née", "nee", "paciente", "señor", "señora", "don", "doña"})
_GAP: Final = re.compile(r"[ \t]{0,2}[,:(?\-—]?[ \t]{0,3}[\"']?")

CUE_SCORE: Final = 0.88
DOUBTFUL_SCORE: Final = 0.75  # after a cue, but in no list of names: a drug may stand there
LOWER_SCORE: Final = 0.82  # typed notes: a name in lower case after a cue


def find_cued(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names that a word or phrase before them announces, with scores."""
    for index, word in enumerate(words[:-1]):
        low = word.low
        if low in words_of("relatives"):
            yield from _announced(text, words, index, lower=True)
        elif low in PATIENT:
            yield from _announced(text, words, index, lower=low == "pt" or word.text == "patient", listed=low == "patient")
        elif (
            low in words_of("roles")
            or (word.shape == "l" and low in words_of("soft_titles"))
            or low.endswith(_OLOGIST)
            or low in _NAMED
            or low in _GREETINGS
            or _is_phrase(words, index, low)
        ):
            yield from _announced(text, words, index, lower=low in ("law", "doctor") or (low == "is" and words[index - 1].low == "name"))


def _is_phrase(words: Sequence[Word], index: int, low: str) -> bool:
    """Whether the words up to ``index`` announce a person."""
    before = words[index - 1].low if index else ""
    if low == "by":
        return before in words_of("signing_verbs")
    if low == "law":
        return before == "in"
    if low == "with":
        return before in _WITH
    if low == "is":
        return before in ("name", "this", "names")
    if low == "w":
        return before == "d"
    if low == "am":
        return before == "i"
    if low == "me":
        return before in ("call", "calls", "called")
    if low in ("him", "her"):
        return before == "named"
    if low.endswith("-old"):
        return _begins_name(words, index + 1)
    return low in ("i'm", "name", "it's", "cc", "attn", "signed", "paged", "per")


def _begins_name(words: Sequence[Word], index: int) -> bool:
    """Whether a listed name stands here, or a word that no list has before a listed one."""
    word = words[index]
    if word.only_name:
        return True
    after = words[index + 1] if index + 1 < len(words) else None
    return word.shape == "T" and not word.ordinary and not word.never and after is not None and after.shape == "T" and after.is_name


def _announced(text: str, words: Sequence[Word], index: int, *, lower: bool, listed: bool = False) -> Iterator[Span]:
    first = after_fillers(text, words, index)
    if first is None:
        first = index + 1
        if not _GAP.fullmatch(text, words[index].end, words[first].start):
            return
        while first + 1 < len(words) and words[first].low in ("named", "name", "is", "called") and first < index + 4:
            if not _GAP.fullmatch(text, words[first].end, words[first + 1].start):
                return
            first += 1
    word = words[first]
    if word.shape == "l" and lower and first == index + 1:
        yield from _lower(text, words, first, listed=listed)
    if not word.upper and not (word.shape == "I" and _is_initialled(text, words, first)):
        return
    if word.shape != "I" and not fits(word, caps=words[index].shape == "C"):
        return
    last = extend(text, words, first, spoken=True)
    if word.shape == "C" and word.ordinary and not any(each.only_name for each in words[first:last]):
        return  # "THE PATIENT BEGAN"
    if last == first + 1 and word.ordinary and last < len(words) and _goes_on(text, words, last):
        return
    if before_head(text, words, last):
        return
    known = any(each.is_name for each in words[first:last])
    yield word.start, end_of(text, words, last - 1), CUE_SCORE if known else DOUBTFUL_SCORE


def _goes_on(text: str, words: Sequence[Word], after: int) -> bool:
    """Whether capitalised ordinary words follow at once: a heading or a title of something, no name."""
    return words[after].upper and linked(text, words[after - 1], words[after]) and words[after].plain_word


def _is_initialled(text: str, words: Sequence[Word], first: int) -> bool:
    """Whether an initial is followed by a surname."""
    return first + 1 < len(words) and words[first + 1].upper and linked(text, words[first], words[first + 1]) and words[first + 1].is_name


def _lower(text: str, words: Sequence[Word], first: int, *, listed: bool) -> Iterator[Span]:
    """A name in lower case after a cue: its words are in the lists, or one word that is in no list at all."""
    word = words[first]
    if word.ordinary or len(word.low) < MIN_LOWER or word.never or word.low in FILLERS or word.credential:
        return
    if not word.is_name and (listed or not _looks_like_name(word.low)):
        return
    gap = text[words[first - 1].end : word.start]
    if gap not in (" ", ", ", "  ", ": "):
        return
    end = first + 1
    while end < len(words) and end - first < 3 and linked(text, words[end - 1], words[end]) and _goes_with(words[end], words[end - 1]):
        end += 1
    if listed and end == first + 1 and not word.given:
        return
    yield word.start, words[end - 1].end, LOWER_SCORE


def _goes_with(word: Word, before: Word) -> bool:
    return word.shape == "l" and len(word.low) >= MIN_LOWER and not word.ordinary and not word.never and word.is_name


_NO_VOWEL: Final = re.compile(r"[^aeiouy]+")


def _looks_like_name(low: str) -> bool:
    """Whether a word in no list can be a name rather than an abbreviation or a term."""
    return len(low) >= 5 and not is_medical(low) and not _NO_VOWEL.match(low[:4]) and low.isalpha()
