"""Whether a word can be a name where it stands: not an eponym before a disease, not a term, not an abbreviation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from pipeline.stages.deidentify.recognisers.names_lexicon import words_of
from pipeline.stages.deidentify.recognisers.names_words import Word

Span = tuple[int, int, float]  # start, end, score

MIN_LOWER: Final = 3  # letters of a name in lower case
_VERBS: Final = frozenset({"will", "may", "can", "could", "would", "should", "did", "does", "do", "were", "been", "be", "who", "which"})
_SHORTEST_TERM: Final = 6  # letters
_HEAD_GAPS: Final = frozenset((" ", "  ", "-", "'s ", "\n", "' ", "/", "'s\n"))


def fits(word: Word, *, caps: bool) -> bool:
    """Whether a capitalised word after a cue can be a name: in a list, or in no list of words and written like a name."""
    if word.never or word.credential or word.plain_word:
        return False
    if word.shape == "C" and not caps:  # abbreviations: "mother HTN"
        return word.only_name and len(word.text) > MIN_LOWER
    return word.is_name or (len(word.text) >= MIN_LOWER and not word.ordinary and not is_medical(word.low))


def before_head(text: str, words: Sequence[Word], last: int) -> bool:
    """Whether a disease, a device or a place follows the word before ``last``: then the words are an eponym."""
    at = last
    while at < len(words) and at < last + 2:
        if text[words[at - 1].end : words[at].start] not in _HEAD_GAPS:
            return False
        if words[at].low in words_of("eponym_followers"):
            return True
        if words[at].never or words[at].low in _VERBS or words[at].low in words_of("person_acts"):
            return False
        at += 1
    return False


def is_medical(low: str) -> bool:
    """Whether a word that no list has ends as diseases, operations and drugs do (``lexicons/term_endings.txt``)."""
    return len(low) >= _SHORTEST_TERM and low.endswith(_endings())


@cache
def _endings() -> tuple[str, ...]:
    return tuple(words_of("term_endings"))
