"""Texts in, what two of them share out: content words by stem, and whether one denies."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pipeline.index.bm25 import term_number
from pipeline.index.terms import terms

_DENIES: Final = re.compile(
    r"\b(?:no|not|never|without|avoid|contraindicated|contraindication|withhold|cannot|don't|do not|neither|nor|exclud(?:e[sd]?|ing)|exclusion|ineligible)\b",
    re.IGNORECASE,
)
# Words that a question is made of, and that say nothing of what it is about.
_OF_QUESTIONS: Final = frozenset(
    [
        "what",
        "which",
        "when",
        "how",
        "who",
        "where",
        "why",
        "does",
        "do",
        "did",
        "can",
        "could",
        "should",
        "would",
        "may",
        "might",
        "much",
        "many",
        "long",
        "often",
        "there",
        "any",
        "give",
        "given",
        "tell",
        "me",
        "about",
        "is",
        "use",
        "used",
        "i",
        "my",
        "patient",
        "patients",
    ]
)


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[int]:
    """Return the numbers of a text's terms that are no numbers and no words of a question."""
    return frozenset(term_number(term) for term in terms(text) if term not in _OF_QUESTIONS and not term[:1].isdigit())


def denies(text: str) -> bool:
    """Whether a sentence holds a word that denies."""
    return _DENIES.search(text) is not None


def shared(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the share of common words in all words of both (Jaccard, 0..1)."""
    return len(one & other) / len(one | other) if one or other else 0.0
