"""Whether the index gives any evidence for a query. What was found is shown all the same, with its score: this only says so.

Measured on the samples with the 342 queries of samples/evaluation (27 without evidence): see docs/retrieval.md.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from pipeline.search.route import Route, RouteName
from pipeline.search.understand.lexicon import toml
from pipeline.search.understand.model import Understood
from pipeline.search.understand.spelling import Vocabulary
from pipeline.search.understand.terms import terms
from pipeline.search.understand.wordings import corrected
from pipeline.search.understand.words import words

#: A query whose best passage is nearer than this in meaning has evidence, whatever its words: nothing is looked up for it.
NEAR: Final = 0.60
#: At least this share of a farther query's words of weight must stand in the index, in one of their wordings.
LEAST_HELD: Final = 0.51
_LEAST_LETTERS: Final = 3
_LETTER: Final = re.compile(r"[a-z]")
# Words that a question is put with, and that say nothing of what it is about.
_OF_QUESTIONS: Final = frozenset(
    re.findall(
        r"[\w']+",
        "what how where when why which who can could does did should would may must might will for after before not without with any "
        "give given much many often that this these those from into about during than then them they you your our and the are was were "
        "has have had been being its it's there here some something need want tell show find please patient patients out off per every ",
    )
)


def is_refused(asked: Understood, way: Route, best_cosine: float | None, vocabulary: Vocabulary) -> bool:
    """Whether there is no evidence for a query.

    Args:
        asked: The query, understood.
        way: Where it went.
        best_cosine: Of all passages that were found by meaning; ``None``: none was.
        vocabulary: Of the index, as far as who asks may see it.
    """
    if way.name is RouteName.IDENTIFIER:
        return False
    if way.name is RouteName.ABSENT or way.absent:
        return True
    if asked.patient is not None:
        return False  # a description has words enough that stand anywhere, and no query of the measurement was one
    return (best_cosine or 0.0) < NEAR and share_held(asked, vocabulary) < LEAST_HELD


def share_held(asked: Understood, vocabulary: Vocabulary) -> float:
    """Return which share of the query's words of weight stands in the index, 0..1, each in any of its wordings; without such words 0."""
    text = corrected(asked.query, asked.corrections)
    named = terms(text)
    weighty = [word for word in words(text) if _has_weight(word.key)]
    held = 0
    for word in weighty:
        readings = [word.text, *(one.preferred for one in named if one.start <= word.start < one.end)]
        held += any(all(vocabulary.holds(part.key) for part in words(reading)) for reading in readings)
    return held / len(weighty) if weighty else 0.0


def _has_weight(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and _LETTER.search(word) is not None and word not in _OF_QUESTIONS and word not in _of_intents()


@cache
def _of_intents() -> frozenset[str]:
    return frozenset(word.rstrip("*") for rule in toml("intents").values() if isinstance(rule, dict) for word in rule["words"])
