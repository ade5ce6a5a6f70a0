"""Names by what stands beside them: in a row with other names, spoken to, alone on a line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_judge import Span, is_medical
from pipeline.stages.deidentify.recognisers.names_listed import WEAK_SCORE
from pipeline.stages.deidentify.recognisers.names_phrase import end_of, extend
from pipeline.stages.deidentify.recognisers.names_words import Word

_AND: Final = frozenset((", ", " and ", " & ", ", and ", " or ", "/"))
# "Nirmala, your last visit was": somebody is spoken to.
_SPOKEN_TO: Final = re.compile(
    r", (?:you|your|you're|you'll|are you|can (?:i|we|you)|could (?:i|we|you)|would you|have you|did you|do you|how|what|when|please|thank|"
    r"i (?:will|am|have|see|think)|i'll|i'm|we|let|is your|was your|don't)\b",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(r"^[ \t>?*•\-]{0,6}([^\W\d_][^\n\d:;,()/]{3,40}?)[ \t]{0,10}$", re.MULTILINE)
# "Ines (his wife)", "Tomas (daughter's partner)": whose they are stands behind the name in brackets.
_WHOSE: Final = re.compile(
    r" \((?:(?:his|her|their|pt'?s|(?:the )?patient'?s) )?(?:wife|husband|mother|father|mom|dad|son|daughter|sister|brother|niece|nephew|aunt|uncle|cousin|spouse|partner"
    r"|fiancee?|girlfriend|boyfriend|grand(?:son|daughter|mother|father)|neighbor|caregiver|guardian)\b",
    re.IGNORECASE,
)
RELATED_SCORE: Final = 0.86
SPOKEN_SCORE: Final = 0.82
BESIDE_SCORE: Final = 0.65  # protect may take it back
_GOOD: Final = 0.7
_MOST_ALONE: Final = 4


def find_spoken_to(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names of people who are spoken to at the beginning of a sentence or after a greeting."""
    starts: list[int] = []
    for match in _SPOKEN_TO.finditer(text):
        starts = starts or [word.start for word in words]
        last = bisect_left(starts, match.start()) - 1
        if last < 0 or words[last].end != match.start():
            continue
        first = last
        while first > 0 and last - first < 2 and words[first - 1].shape == "T" and text[words[first - 1].end : words[first].start] == " ":
            first -= 1
        if first < last and not _can_be(words[first]):
            first = last
        if all(_can_be(word) for word in words[first : last + 1]):
            known = any(word.is_name for word in words[first : last + 1])
            yield words[first].start, words[last].end, SPOKEN_SCORE if known else BESIDE_SCORE


def find_related(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names before a relative's word in brackets."""
    starts: list[int] = []
    for match in _WHOSE.finditer(text):
        starts = starts or [word.start for word in words]
        last = bisect_left(starts, match.start()) - 1
        if last < 0 or words[last].end != match.start() or not words[last].upper or not _can_be(words[last]):
            continue
        first = last
        while (
            first > 0
            and last - first < _MOST_ALONE - 1
            and words[first - 1].upper
            and text[words[first - 1].end : words[first].start] == " "
            and _can_be(words[first - 1])
        ):
            first -= 1
        yield words[first].start, words[last].end, RELATED_SCORE


def find_alone(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield two to four words of names that are a line's only words, one of them in a list of names and none an ordinary word."""
    starts: list[int] = []
    for match in _ALONE.finditer(text):
        starts = starts or [word.start for word in words]
        first, last = bisect_left(starts, match.start(1)), bisect_left(starts, match.end(1))
        line = words[first:last]
        if not 2 <= len(line) <= _MOST_ALONE or not (line[0].only_name or line[-1].only_name) or line[0].shape != "T":
            continue
        if (
            all(word.shape == "I" or _can_be(word) for word in line)
            and extend(text, words, first) >= last
            and not any(word.ordinary for word in line)
        ):
            yield line[0].start, end_of(text, words, last - 1), _GOOD


def find_in_rows(text: str, words: Sequence[Word], spans: Iterable[Span]) -> Iterator[Span]:
    """Yield capitalised words that stand in a row with names: "Lena, Kofi and Bowers"."""
    starts = [word.start for word in words]
    for start, end, score in spans:
        if score < WEAK_SCORE:
            continue
        yield from _row(text, words, bisect_left(starts, start) - 1, -1)
        yield from _row(text, words, bisect_left(starts, end), 1)


def _row(text: str, words: Sequence[Word], at: int, step: int) -> Iterator[Span]:
    """Members of a row, from the one beside a name outwards."""
    for _ in range(5):
        conjunction = 0 <= at < len(words) and words[at].low in ("and", "or") and words[at].shape == "l"
        at += step * conjunction
        inner = at - step * (1 + conjunction)
        if not (0 <= at < len(words) and 0 <= inner < len(words)):
            return
        left, right = (words[at], words[inner]) if step < 0 else (words[inner], words[at])
        if text[left.end : right.start].rstrip(".") not in _AND or words[at].shape != "T" or not _can_be(words[at]):
            return
        beyond = at + step
        if (
            0 <= beyond < len(words)
            and words[beyond].shape in "TC"
            and text[min(words[at].end, words[beyond].end) : max(words[at].start, words[beyond].start)] == " "
        ):
            return
        yield words[at].start, words[at].end, BESIDE_SCORE
        at += step


def _can_be(word: Word) -> bool:
    """Whether a word is written like a name and is not known as anything else."""
    if word.shape != "T" or word.never or word.credential or word.plain_word or len(word.low) < 2:
        return False
    if word.ordinary:
        return word.given
    return word.is_name or not is_medical(word.low)
