"""Recognises eligibility text that is not English: by its headers, by its script, or by its function words."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pipeline.stages.chunking.tree import Tree

_FUNCTION_WORDS: Final = {
    "en": frozenset(
        [
            "the",
            "of",
            "and",
            "to",
            "in",
            "with",
            "or",
            "for",
            "is",
            "are",
            "be",
            "must",
            "not",
            "at",
            "any",
            "have",
            "has",
            "by",
            "on",
            "who",
            "patients",
            "age",
            "years",
        ]
    ),
    "es": frozenset(
        [
            "el",
            "la",
            "los",
            "las",
            "de",
            "del",
            "y",
            "en",
            "con",
            "para",
            "por",
            "que",
            "una",
            "un",
            "se",
            "o",
            "mayores",
            "años",
            "pacientes",
            "edad",
        ]
    ),
    "fr": frozenset(
        [
            "le",
            "la",
            "les",
            "des",
            "de",
            "du",
            "et",
            "en",
            "avec",
            "pour",
            "par",
            "que",
            "une",
            "un",
            "dans",
            "ou",
            "ans",
            "patients",
            "âge",
            "ayant",
        ]
    ),
    "de": frozenset(
        [
            "der",
            "die",
            "das",
            "und",
            "oder",
            "mit",
            "für",
            "von",
            "nicht",
            "ein",
            "eine",
            "im",
            "bei",
            "den",
            "ist",
            "jahre",
            "patienten",
            "alter",
        ]
    ),
    "it": frozenset(
        ["il", "lo", "la", "gli", "le", "di", "del", "della", "e", "con", "per", "che", "un", "una", "nel", "o", "anni", "pazienti", "età"]
    ),
    "pt": frozenset(
        [
            "o",
            "a",
            "os",
            "as",
            "de",
            "do",
            "da",
            "e",
            "em",
            "com",
            "para",
            "por",
            "que",
            "um",
            "uma",
            "não",
            "ou",
            "anos",
            "pacientes",
            "idade",
        ]
    ),
}
_SCRIPTS: Final = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
)
_MIN_SCRIPT_SHARE: Final = 0.2  # of all characters: drug names and sites in another script stay below
_MIN_WORDS: Final = 12  # function words are too few to tell in less
_MIN_LEAD: Final = 1.5  # times as many function words as English has
_READ: Final = 20_000  # characters are enough to tell
_WORD: Final = re.compile(r"[^\W\d_]+")


def language_of(text: str, tree: Tree) -> str | None:
    """Return an ISO 639-1 code where ``text`` is recognisably not English, else ``None``."""
    for node in tree.nodes:
        if node.header and node.header.language:
            return node.header.language
    sample = text[:_READ]
    for language, pattern in _SCRIPTS:
        if len(pattern.findall(sample)) > _MIN_SCRIPT_SHARE * len(sample):
            return language
    words = _WORD.findall(sample.lower())
    if len(words) < _MIN_WORDS:
        return None
    counts = Counter(words)
    hits = {language: sum(counts[word] for word in known) for language, known in _FUNCTION_WORDS.items()}
    best = max(hits, key=lambda language: hits[language])
    return best if best != "en" and hits[best] > _MIN_LEAD * hits["en"] and hits[best] * 5 > len(words) else None
