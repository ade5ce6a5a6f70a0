"""A name that is found once is looked for again in the whole document: alone, in capitals, in lower case, turned round, abbreviated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.names_judge import before_head
from pipeline.stages.deidentify.recognisers.names_lexicon import credentials, fold, never, words_of
from pipeline.stages.deidentify.recognisers.names_listed import acts
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES, SUFFIXES, end_of, linked
from pipeline.stages.deidentify.recognisers.names_words import Word, split_words

# What one word of a name was found with: a full name by lists scores 0.7; the model's own guesses (0.6) are not repeated.
_GOOD: Final = 0.7
# A repetition is as sure as what it repeats, but no surer than this: eponyms beside a disease are kept whatever stands elsewhere.
_MOST: Final = 0.85
_ABBREVIATED: Final = 0.82  # "I. MacT."
_SHORTEST: Final = 3
_SHORTEST_INSIDE: Final = 5  # a shorter surname would be found inside words
_BY: Final = "NamesAgain"
# Words that are names in name position only, even where a document has somebody of that name.
_NEVER_ALONE: Final = frozenset(
    {"may", "will", "april", "june", "august", "an", "long", "see", "my", "so", "mark", "art", "guy", "son", "day"}
)


@dataclass(slots=True)
class _Names:
    """The names of one document: score by word, their short forms, and what e-mail addresses and user names make of them."""

    scores: dict[str, float] = field(default_factory=dict)
    shortened: set[tuple[str, str]] = field(default_factory=set)  # initial of one part, beginning of the other: "I. MacT."
    initials: set[str] = field(default_factory=set)  # of parts of whole names
    joined: dict[str, float] = field(default_factory=dict)

    def add(self, words: Sequence[Word], score: float) -> None:
        """Take in one name."""
        parts = [word for word in words if word.shape != "I" and _repeats(word.low)]
        for part in parts:
            for form in {part.low, *(half for half in part.low.split("-") if _repeats(half))}:
                self.scores[form] = max(self.scores.get(form, 0), score)
        if len(parts) < 2:
            return
        first, last = (parts[0].low, parts[-1].low)
        for given, surname in ((first, last), (last, first)):
            self.shortened |= {(given[0], surname[:size]) for size in range(1, len(surname) + 1)}
            self.initials.add(surname[0])
            for form in (given[0] + surname, given + surname, surname + given[0]):
                if len(form) >= _SHORTEST_INSIDE:
                    self.joined[form] = max(self.joined.get(form, 0), score)


def find_names_again(texts: Sequence[str], found: Sequence[Sequence[Found]]) -> list[list[Found]]:
    """Return, for each text, further places of the names that were found in any of them.

    Args:
        texts: The texts of one document, folded (see ``plain``).
        found: What recognisers found in each.
    """
    names = _Names()
    for text, places in zip(texts, found, strict=True):
        for each in places:
            if each.category is IdentifierClass.NAME and each.score >= _GOOD and "\n\n" not in text[each.start : each.end]:
                names.add(split_words(text[each.start : each.end]), each.score)
    if not names.scores:
        return [[] for _ in texts]
    return [list(_again(text, names)) for text in texts]


def _repeats(low: str) -> bool:
    """Whether a word of a name is worth looking for."""
    return len(low) >= _SHORTEST and not (low in PARTICLES or low in SUFFIXES or low in never() or low in credentials())


def _again(text: str, names: _Names) -> Iterator[Found]:
    words = split_words(text)
    hits: list[tuple[int, int, float]] = []  # first word, last word, score
    for index, word in enumerate(words):
        score = _score(text, words, index, names)
        if score:
            hits.append((index, index, score))
        elif word.shape == "I" and (last := _abbreviated(text, words, index, names)):
            hits.append((index, last, _ABBREVIATED))
    for first, last, score in _united(text, words, hits, names):
        end = end_of(text, words, last)
        end += last > first and score == _ABBREVIATED and text[end : end + 1] == "."
        yield Found(words[first].start, end, IdentifierClass.NAME, min(score, _MOST), _BY)


def _score(text: str, words: Sequence[Word], index: int, names: _Names) -> float:
    """How sure the word is a repetition; 0: it is none."""
    word = words[index]
    score = names.scores.get(word.low, 0.0)
    if not score and "-" in word.low:
        score = max((names.scores.get(half, 0.0) for half in word.low.split("-")), default=0.0)
    if not score:
        return names.joined.get(word.low, 0.0) or _inside(word, names)
    if word.shape == "x":
        return score
    if before_head(text, words, index + 1):
        return 0.0
    if not word.ordinary:
        clinical = word.shape == "l" and not word.is_name and _is_clinical(word.low)
        return 0.0 if clinical else score
    return score if _in_name_position(text, words, index, names) else 0.0


def _in_name_position(text: str, words: Sequence[Word], index: int, names: _Names) -> bool:
    """Whether a name that is an ordinary word stands as one: beside another part, before a verb of people, with a capital in a sentence."""
    word = words[index]
    if word.shape not in "TC":
        return False
    for other in (index - 1, index + 1):
        if 0 <= other < len(words) and words[other].low in names.scores and words[other].shape == word.shape:
            left, right = min(other, index), max(other, index)
            if text[words[left].end : words[right].start] in (" ", ", ", "-"):
                return True
    if word.shape == "C" or word.low in _NEVER_ALONE:
        return acts(text, words, index + 1, caps=word.shape == "C")
    before = text[max(0, word.start - 2) : word.start]
    return (len(before) == 2 and before[1] == " " and (before[0].isalnum() or before[0] == ",")) or acts(text, words, index + 1, caps=False)


def _is_clinical(low: str) -> bool:
    return low in words_of("drugs", lower=True) or low in words_of("clinical_words", lower=True)


def _inside(word: Word, names: _Names) -> float:
    """Whether part of an address or a user name ends with a surname of the document."""
    if word.shape != "x" or len(word.low) <= _SHORTEST_INSIDE:
        return 0.0
    low = fold(word.low)
    return max((names.scores.get(low[at:], 0.0) for at in range(len(low) - _SHORTEST_INSIDE + 1)), default=0.0)


def _abbreviated(text: str, words: Sequence[Word], index: int, names: _Names) -> int:
    """Where "I. MacT." or "F.M." ends for a name of the document; 0: it is none of them."""
    if index + 1 >= len(words):
        return 0
    initial, after = words[index], words[index + 1]
    dotted = text[initial.end : initial.end + 1] == "." and text[after.end : after.end + 1] == "."
    if not dotted or text[initial.end + 1 : after.start] not in ("", " ") or not after.text[0].isupper():
        return 0
    if after.low == "v" or (len(after.low) == 1 and initial.low + after.low in ("po", "iv", "im", "us", "am", "pm", "hs", "md", "do")):
        return 0
    return index + 1 if (initial.low, after.low) in names.shortened else 0


def _united(text: str, words: Sequence[Word], hits: Sequence[tuple[int, int, float]], names: _Names) -> Iterator[tuple[int, int, float]]:
    """Join neighbours ("MCALLISTER, FIONA A."), initials and suffixes between and after them included."""
    at = 0
    while at < len(hits):
        first, last, score = hits[at]
        at += 1
        while True:
            after = last + 1
            if after < len(words) and words[after].shape == "I" and words[last].shape in "TC" and _is_middle(text, words, after, names):
                last = after
            elif at < len(hits) and hits[at][0] == last + 1 and _joins(text, words[last], words[last + 1]):
                last, score = hits[at][1], max(score, hits[at][2])
                at += 1
            else:
                break
        yield first, last, score


def _joins(text: str, left: Word, right: Word) -> bool:
    """Whether two parts of names stand in one name: a dot joins an initial only, else a sentence ends."""
    gap = text[left.end : right.start]
    return gap in (" ", ", ", ",", "-") or (gap in (". ", ".") and left.shape in "Ix")


def _is_middle(text: str, words: Sequence[Word], index: int, names: _Names) -> bool:
    """Whether an initial after a part of a name belongs to it: another part follows, or it is dotted and abbreviates one."""
    if not linked(text, words[index - 1], words[index]):
        return False
    following = words[index + 1] if index + 1 < len(words) else None
    if following is not None and following.low in names.scores and linked(text, words[index], following):
        return True
    dotted = text[words[index].end : words[index].end + 1] == "."
    return dotted and words[index].low in names.initials
