"""Names that lists know: given name and surname side by side in any case, LAST, FIRST, and a name before what only people do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from pipeline.stages.deidentify.recognisers.names_judge import Span, before_head, is_medical
from pipeline.stages.deidentify.recognisers.names_lexicon import fold, words_of
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES, SUFFIXES, end_of, extend, is_part, linked
from pipeline.stages.deidentify.recognisers.names_words import Word

# Words that stand before a letter and a dot more often than given names do: "May I.", "Will A."
_NO_FIRST: Final = frozenset({"may", "will", "mark", "art", "van", "june", "april", "august", "grant", "see"})
FULL_SCORE: Final = 0.85  # two names that are no words
LIKELY_SCORE: Final = 0.7
INITIAL_SCORE: Final = 0.82  # "Lena R."
NEW_SCORE: Final = 0.65  # in no list, but does what only people do
WEAK_SCORE: Final = 0.6
ACT_SCORE: Final = 0.86

# What only a person is or has: "is her sister", "is a 40-year-old", "was seen", "will see".
_IS_PERSON: Final = re.compile(
    r"[ ](?:(?:is|was) (?:an? )?(?:pleasant |delightful |very )?\(?\d{1,3}[ -]?(?:y|m|w|d)|is (?:her|his|their|my|the patient)\b|"
    r"(?:is|was) an? [\w-]{1,14} (?:man|woman|boy|girl|male|female|gentleman|lady)\b|will (?:see|call|follow|come|return|need|be (?:seen|discharged))|"
    r"(?:was|is|were|has been|had been) (?:seen|admitted|discharged|evaluated|examined|born|referred|brought|advised|instructed|transferred|accompanied|"
    r"counseled|hospitalized|diagnosed|treated by|extubated|intubated|sedated|alert|doing|here|at bedside|a (?:smoker|nurse|teacher))\b|"
    r"(?:is|was) (?:well|awake|asleep|married|single|divorced|widowed|retired|pregnant|able to|unable to|afraid|anxious|tired|happy|aware)\b|"
    r"(?:has|had) (?:been (?:having|feeling|experiencing|taking)|no known|(?:an? )?(?:[a-z]{3,9} )?(?:hair|eyes|skin|teeth|hands|"
    r"history|appointment|temperature|fever|limp|cough|rash|headache|job|dog|cat|son|daughter|brother|sister|children|siblings))\b)"
)
_IS_PERSON_CAPS: Final = re.compile(_IS_PERSON.pattern, re.IGNORECASE)
_PREPOSITION: Final = re.compile(r"\b(?:for|with|of|to|by|from|and|,|called|named|see|saw|under|like) \(?\Z")
_STOPS: Final = frozenset(",.;:)?!\n")
_ARTICLE: Final = re.compile(r"\b(?:the|an?) \Z", re.IGNORECASE)
_SHORTEST_TYPED: Final = 20  # characters of a text without any capital: a typed note, where a given name is written like a word
_SHORTEST_NEW: Final = 4
_NO_NAMES_END: Final = ("ly", "ics", "tion", "sion", "ment", "ness", "ity", "ing", "ism", "ians", "ists")
# A citation: "Ross et al", "(Lindqvist, 2019)", "Ross 2015".
_CITED: Final = re.compile(r"(?:'s)?(?: [A-Z]{1,2}\.?,?)? (?:et al|and colleagues)|,? \(?(?:19|20)\d\d\b|'s? (?:model|theory|method)")
_SENTENCE: Final = re.compile(r"(?:^|[.!?:;\n•*>\"(]|\]|-)[ \t]{0,4}[\"'(]?\Z")


@cache
def _places() -> frozenset[str]:
    """Countries, states and months: given names too, but seldom where they stand alone."""
    names = (*words_of("regions"), *(line.split("|")[0] for line in words_of("us_states")))
    return frozenset(map(fold, names)) | {"april", "may", "june", "august"}


def find_listed(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield names that the lists know, with scores."""
    index = 0
    while index < len(words):
        word = words[index]
        if word.shape in "lx":
            index += 1
            continue
        span, after = _at(text, words, index)
        if span:
            yield span
        index = max(after, index + 1)


def find_lower(text: str, words: Sequence[Word]) -> Iterator[Span]:
    """Yield given name and surname side by side in lower case, neither an ordinary word."""
    typed = len(text) >= _SHORTEST_TYPED and text.islower()
    for index, word in enumerate(words):
        size, end = _lower_pair(text, words, index)
        if size:
            yield word.start, end, LIKELY_SCORE
        elif typed and word.given and not word.ordinary and len(word.low) > _SHORTEST_NEW and not before_head(text, words, index + 1):
            yield word.start, word.end, WEAK_SCORE


def _lower_pair(text: str, words: Sequence[Word], index: int) -> tuple[int, int]:
    word = words[index]
    if word.shape != "l" or not word.given or word.ordinary or len(word.low) < 3 or index + 1 >= len(words):
        return 0, 0
    at = index + 1
    if (
        words[at].shape == "l"
        and len(words[at].low) == 1
        and at + 1 < len(words)
        and text[words[at].end : words[at + 1].start] in (". ", " ")
    ):
        at += 1
    after = words[at]
    gap = text[words[at - 1].end : after.start] if at == index + 1 else " "
    if gap != " " or after.shape != "l" or not after.last or after.ordinary or len(after.low) < 3:
        return 0, 0
    return at - index + 1, after.end


def _at(text: str, words: Sequence[Word], first: int) -> tuple[Span | None, int]:
    """The name that begins at ``first``, if there is one, and where to go on."""
    word = words[first]
    if word.shape not in "TCI" or word.never or (word.credential and word.shape == "C") or word.plain_word:
        return None, first + 1
    last = extend(text, words, first, lines=word.given and not word.ordinary, spoken=word.shape == "T")
    name = words[first:last]
    after_comma = _first_after_comma(text, words, name, last)
    if after_comma:
        return (word.start, end_of(text, words, after_comma - 1), FULL_SCORE), after_comma
    if before_head(text, words, last) and (len(name) == 1 or not words[last - 1].possessive):
        return None, last
    if len(name) > 1 and _folded(name) in _places():
        return None, last
    score = _score(text, words, name[:-1] if len(name) > 2 and name[-1].low in SUFFIXES else name, last)
    if not score:
        return None, first + 1 if word.shape == "I" else max(first + 1, last if not any(each.is_name for each in name) else first + 1)
    return (word.start, end_of(text, words, last - 1), score), last


def _score(text: str, words: Sequence[Word], name: Sequence[Word], last: int) -> float:
    head, tail = name[0], name[-1]
    if len(name) > 1 and tail.low in _places():
        return 0.0
    same_case = len({each.shape for each in name if each.shape in "TC"}) == 1
    if len(name) == 1:
        return _alone(text, words, head, last)
    if head.shape == "I":
        surname = next((each for each in name if each.upper), None)
        return LIKELY_SCORE if surname is not None and surname.last and not surname.ordinary and surname.shape == "T" else 0.0
    if not same_case:
        return 0.0
    if tail.shape == "I":
        dotted = text[tail.end : tail.end + 1] == "."
        return INITIAL_SCORE if head.given and head.low not in _NO_FIRST and dotted and head.shape == "T" else 0.0
    if head.given and not head.ordinary:
        return FULL_SCORE if tail.last and not tail.ordinary else LIKELY_SCORE if tail.is_name or not tail.ordinary else 0.0
    if head.given and tail.only_name:
        return LIKELY_SCORE
    if _is_unknown(name) and starts_sentence(text, head) and _does(text, words, last, caps=False):
        return NEW_SCORE
    full = [each for each in name if each.upper]
    if all(each.is_name for each in full) and sum(each.only_name for each in full) > 1:
        return LIKELY_SCORE
    if head.is_name and tail.is_name and (acts(text, words, last, caps=tail.shape == "C")):
        return LIKELY_SCORE
    if head.given and tail.last and head.shape == "T" and _is_mentioned(text, head.start, words[last - 1].end):
        return NEW_SCORE
    return 0.0


def _is_mentioned(text: str, start: int, end: int) -> bool:
    """Whether capitalised words stand in a sentence after a preposition, and a stop follows them."""
    return _PREPOSITION.search(text, max(0, start - 8), start) is not None and text[end : end + 1] in _STOPS


def _alone(text: str, words: Sequence[Word], word: Word, last: int) -> float:
    """One word: a name where a sentence begins and something follows that only people do; a given name is likely anyway."""
    if word.shape == "I":
        return 0.0
    if not word.is_name:
        new = _is_unknown([word]) and starts_sentence(text, word) and _does(text, words, last, caps=False)
        return NEW_SCORE if new else 0.0
    if word.shape == "C" and word.ordinary:
        return 0.0
    if cited(text, word.end) or word.low in PARTICLES:
        return 0.0
    given_only = word.ordinary and not word.given
    if _does(text, words, last, caps=word.shape == "C") or (not given_only and acts(text, words, last, caps=word.shape == "C")):
        return ACT_SCORE if not word.possessive else LIKELY_SCORE
    if word.shape != "T" or word.ordinary or len(word.low) < 3 or word.low in _places() or _is_saint(text, word.start):
        return 0.0
    if word.given:
        return WEAK_SCORE
    return 0.0 if starts_sentence(text, word) or has_article(text, word) else WEAK_SCORE


def acts(text: str, words: Sequence[Word], last: int, *, caps: bool) -> bool:
    """Whether what only people do or are follows the word before ``last``."""
    return _does(text, words, last, caps=caps) or (_IS_PERSON_CAPS if caps else _IS_PERSON).match(text, words[last - 1].end) is not None


def _does(text: str, words: Sequence[Word], last: int, *, caps: bool) -> bool:
    if last >= len(words) or text[words[last - 1].end : words[last].start] != " ":
        return False
    return words[last].low in words_of("person_acts") and (words[last].shape == "l" or caps)


def _is_unknown(name: Sequence[Word]) -> bool:
    """Whether all words are written like names and are in no list of words, names or medical endings."""
    return all(
        each.shape == "T"
        and len(each.low) >= _SHORTEST_NEW
        and not each.ordinary
        and not each.never
        and not is_medical(each.low)
        and not each.low.endswith(_NO_NAMES_END)
        for each in name
    )


def _folded(name: Sequence[Word]) -> str:
    return " ".join(each.low for each in name)


def _is_saint(text: str, start: int) -> bool:
    """Whether "St." or the like stands before a word: a place."""
    return text[max(0, start - 7) : start].endswith(("St. ", "St ", "San ", "Ste ", "Mt. ", "Ft. ", "Port ", "Puerto ", "Costa "))


def has_article(text: str, word: Word) -> bool:
    """Whether "the", "a" or "an" stands before a word: a thing that bears somebody's name."""
    return _ARTICLE.search(text, max(0, word.start - 5), word.start) is not None


def cited(text: str, end: int) -> bool:
    """Whether what follows a surname makes it an author's."""
    return _CITED.match(text, end) is not None


def starts_sentence(text: str, word: Word) -> bool:
    """Whether a word begins a sentence, a line or a quotation."""
    return _SENTENCE.search(text, max(0, word.start - 12), word.start) is not None


def _first_after_comma(text: str, words: Sequence[Word], name: Sequence[Word], last: int) -> int:
    """Where LAST, FIRST M. ends; 0 where what follows is no given name, or the words are no surname."""
    if last >= len(words) or text[words[last - 1].end : words[last].start] not in (", ", ","):
        return 0
    first = words[last]
    surname = name[-1]
    if not (first.upper and first.given and not first.ordinary and first.shape == surname.shape and is_part(first)):
        return 0
    if len(name) > 2 or not all(each.last for each in name if each.upper) or surname.shape == "I":
        return 0
    if surname.ordinary and surname.shape == "T" and not _initial_follows(text, words, last):
        return 0
    return extend(text, words, last)


def _initial_follows(text: str, words: Sequence[Word], index: int) -> bool:
    return index + 1 < len(words) and words[index + 1].shape == "I" and linked(text, words[index], words[index + 1])
