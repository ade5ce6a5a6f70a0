"""Whether a word is known: what hyphenation and the check of a text layer ask."""

from __future__ import annotations

from functools import cache
from typing import Final

from pipeline.lexicons import entries

_LISTS: Final = ("ordinary_words", "dictionary_words", "clinical_words", "anatomy", "measures", "drugs", "drug_brands")
_ENDINGS: Final = (
    ("ies", "y"),
    ("es", ""),
    ("es", "e"),
    ("s", ""),
    ("ed", ""),
    ("ed", "e"),
    ("ing", ""),
    ("ing", "e"),
    ("ly", ""),
    ("al", ""),
)
_STEM_LETTERS: Final = 4  # a shorter rest proves nothing: "ness" minus "s"


@cache
def known_words() -> frozenset[str]:
    """Return the words of the packaged lists in lower case, those of one letter left out (100 thousand; read once, 50 ms)."""
    words = (part for name in _LISTS for entry in entries(name) for part in entry.rstrip("?").lower().split())
    return frozenset(word for word in words if len(word) > 1)


def is_known(word: str) -> bool:
    """Whether a word (any case) is in the lists, or is an inflection of one that is."""
    lower, words = word.lower(), known_words()
    if lower in words:
        return True
    return any(
        lower.endswith(ending) and len(lower) - len(ending) >= _STEM_LETTERS and lower[: -len(ending)] + whole in words
        for ending, whole in _ENDINGS
    )
