"""Persons that spaCy's model finds, with their boundaries repaired: it takes labels, possessives and line breaks into names."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from pipeline.domain.phi import Found, IdentifierClass
from pipeline.stages.deidentify.recognisers.base import Recogniser
from pipeline.stages.deidentify.recognisers.names_judge import before_head, is_medical
from pipeline.stages.deidentify.recognisers.names_listed import cited, has_article
from pipeline.stages.deidentify.recognisers.names_phrase import PARTICLES
from pipeline.stages.deidentify.recognisers.names_words import Word, split_words

if TYPE_CHECKING:
    from spacy.tokens import Doc

NER_SCORE: Final = 0.6  # protect may take these back: the model takes drugs and eponyms for persons
_MOST_WORDS: Final = 6
_SHORTEST: Final = 3
# Endings of English adjectives, participles and terms: a capitalised word in no list that ends so begins a sentence.
_WORD_ENDS: Final = (
    *(
        "ic",
        "al",
        "ous",
        "ed",
        "oid",
        "ary",
        "ive",
        "ates",
        "ent",
        "ant",
        "ory",
        "less",
        "able",
        "ible",
        "ly",
        "ics",
        "tion",
        "sion",
        "ment",
        "ness",
    ),
    *("ity", "ing", "ism", "ists", "ers", "ures", "gram", "therapy", "xin", "elin", "cyte", "grade", "ker"),
)
_MEASURED: Final = re.compile(r"[®™]| ?\d")


class NameEntities(Recogniser):
    """See the file."""

    classes: ClassVar = (IdentifierClass.NAME,)
    needs_language: ClassVar = True

    def find(self, text: str, doc: Doc | None) -> Iterable[Found]:
        """Return persons."""
        entities = [entity for entity in doc.ents if entity.label_ == "PERSON"] if doc is not None else []
        if not entities:
            return []
        words = split_words(text)
        starts = [word.start for word in words]
        spans = [
            span
            for entity in entities
            for span in repaired(text, words[bisect_left(starts, entity.start_char) : bisect_left(starts, entity.end_char)], words, starts)
        ]
        return [self.found(start, end, IdentifierClass.NAME, NER_SCORE) for start, end in spans]


def repaired(text: str, inside: Sequence[Word], words: Sequence[Word], starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the names among the words of one entity: runs of words that can be names, without labels and ordinary words."""
    run: list[Word] = []
    for word in [*inside, None]:
        breaks = word is None or not _can_be(word) or (bool(run) and "\n" in text[run[-1].end : word.start])
        if breaks:
            yield from _run(text, run, words, starts)
            run = []
        if word is not None and _can_be(word):
            run.append(word)


def _can_be(word: Word) -> bool:
    if word.shape == "x" or word.never or word.credential:
        return False
    return word.shape == "I" or word.low in PARTICLES or not word.plain_word


def _run(text: str, run: list[Word], words: Sequence[Word], starts: Sequence[int]) -> Iterator[tuple[int, int]]:
    while run and run[0].low in PARTICLES and run[0].shape == "l":
        run = run[1:]
    while run and run[-1].low in PARTICLES:
        run = run[:-1]
    if not run or len(run) > _MOST_WORDS or not _is_person(text, run):
        return
    after = bisect_left(starts, run[-1].end)
    if before_head(text, words, after) and (len(run) == 1 or not run[-1].possessive):
        return
    if (len(run) == 1 or (len(run) == 2 and not run[0].given)) and cited(text, run[-1].end):
        return
    end = run[-1].end
    if run[-1].shape == "I" and text[end : end + 1] == ".":
        end += 1
    yield run[0].start, end


def _is_person(text: str, run: Sequence[Word]) -> bool:
    """Whether a list knows one of the words as a name that is no ordinary word, or two title-case words are in no list at all."""
    if any(word.only_name and len(word.low) > 2 for word in run):
        return len(run) > 1 or run[0].given or not has_article(text, run[0])
    named = [word for word in run if word.shape == "T" and not is_medical(word.low) and not word.ordinary]
    if not named or len(run[0].low) < _SHORTEST:
        return False
    if any(word.is_name for word in named):
        return True
    return all(not word.text.endswith(_WORD_ENDS) for word in named) and not _is_thing(text, run)


def _is_thing(text: str, run: Sequence[Word]) -> bool:
    """Whether words in no list are a thing's name: after an article, before a number or a trade mark."""
    return has_article(text, run[0]) or _MEASURED.match(text, run[-1].end) is not None
