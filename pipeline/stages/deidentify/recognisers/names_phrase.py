"""How far a name reaches: initials, particles, double and hyphenated surnames, suffixes, and the fillers of spoken hand-offs."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pipeline.stages.deidentify.recognisers.names_words import Word

PARTICLES: Final = frozenset(
    [
        "de",
        "la",
        "las",
        "los",
        "del",
        "della",
        "di",
        "da",
        "dos",
        "das",
        "du",
        "le",
        "van",
        "von",
        "der",
        "den",
        "ter",
        "ten",
        "zu",
        "bin",
        "ibn",
        "bint",
        "al",
        "el",
        "abu",
        "ap",
        "ben",
        "st",
        "mac",
        "san",
        "santa",
        "y",
        "e",
    ]
)
# Particles that are no English words: they belong to a name that follows at once.
_BEFORE: Final = frozenset({"van", "von", "der", "den", "de", "del", "della", "di", "dos", "bin", "ibn", "la", "ter", "abu", "bint"})
SUFFIXES: Final = frozenset({"jr", "sr", "ii", "iii", "iv", "esq"})
FILLERS: Final = frozenset({"um", "uh", "er", "uhm", "umm", "erm", "like", "ah"})
_LINK: Final = re.compile(r"[ \t]{1,2}|\.?[ \t]{1,2}|[ \t]?\r?\n[ \t]{0,8}|\.")
_FILLER_LINK: Final = re.compile(r"[ \t,.…\-—]{1,6}")
_LONGEST: Final = 6  # words of one name


def linked(text: str, left: Word, right: Word, *, lines: bool = False) -> bool:
    """Whether nothing but what stands inside names is between two words."""
    gap = text[left.end : right.start]
    if gap in (" ", "  "):
        return True
    if not gap or len(gap) > 12 or left.possessive or not _LINK.fullmatch(gap):
        return False
    if "\n" in gap:
        return lines and right.only_name and right.shape == left.shape
    if "." in gap:
        return left.shape == "I" or left.low in SUFFIXES or left.low == "st" or (gap == ". " and len(left.text) == 2 and left.shape == "T")
    return True


def is_part(word: Word) -> bool:
    """Whether a capitalised word can be part of a name that has begun."""
    return word.upper and not word.never and not word.credential and not word.plain_word


def extend(text: str, words: Sequence[Word], first: int, *, lines: bool = False, spoken: bool = False) -> int:
    """Return the index after the last word of the name that begins with ``words[first]``, which is taken for granted.

    Args:
        text: The whole text.
        words: Its words.
        first: Where the name begins.
        lines: Whether it may go on in the next line.
        spoken: Whether fillers may stand inside it.
    """
    end = first + 1
    at = end
    while at < len(words) and at - first < _LONGEST:
        word = words[at]
        if spoken and word.low in FILLERS and word.shape == "l" and at + 1 < len(words):
            after = words[at + 1]
            if _fills(text, words[at - 1], word) and _fills(text, word, after) and after.upper and is_part(after):
                at += 1
                continue
            break
        if not (linked(text, words[at - 1], word, lines=lines) or (spoken and words[at - 1].low in FILLERS)):
            break
        if word.low in SUFFIXES and word.shape != "l":
            return at + 1
        if _is_initial(text, words, at) or is_part(word):
            at += 1
            end = at
        elif word.low in PARTICLES and word.shape in "lT":
            at += 1  # a particle counts once a name follows it
        else:
            break
    if end < len(words) and words[end].low in SUFFIXES and text[words[end - 1].end : words[end].start] in (" ", ", "):
        end += words[end].shape != "l"
    return end


def _fills(text: str, left: Word, right: Word) -> bool:
    return _FILLER_LINK.fullmatch(text, left.end, right.start) is not None


def _is_initial(text: str, words: Sequence[Word], at: int) -> bool:
    """Whether a single capital is an initial: "I" and "A" need a dot or a surname after them."""
    word = words[at]
    if word.shape != "I" or word.text not in ("I", "A"):
        return word.shape == "I"
    if text[word.end : word.end + 1] == ".":
        return True
    return word.text == "A" and at + 1 < len(words) and is_part(words[at + 1]) and linked(text, word, words[at + 1])


def end_of(text: str, words: Sequence[Word], last: int) -> int:
    """Return where a name ends whose last word is ``words[last]``: after the dot of an initial."""
    word = words[last]
    if word.shape == "I" and text[word.end : word.end + 1] == ".":
        return word.end + 1
    return word.end


def after_fillers(text: str, words: Sequence[Word], index: int) -> int | None:
    """Return the word after fillers that follow ``index`` ("this is um Sarah"); ``None`` where there are none."""
    at = index + 1
    while at < len(words) and at - index < 4 and words[at].low in FILLERS and words[at].shape == "l":
        at += 1
    if at == index + 1 or at >= len(words) or len(text[words[index].end : words[at].start]) > 20:
        return None
    return at


def with_particles(text: str, words: Sequence[Word], spans: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    """Yield spans with the particles right before them: "van der" of "van der Meer, Pieter"."""
    starts = [word.start for word in words]
    for start, end, score in spans:
        index = bisect_left(starts, start)
        while index > 0 and words[index - 1].low in _BEFORE and text[words[index - 1].end : words[index].start] == " ":
            index -= 1
        yield (words[index].start if index < len(words) else start), end, score
